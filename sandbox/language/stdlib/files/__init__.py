"""Stand-ins for `os`, `os.path`, `pathlib`, `tempfile`, `shutil` and `glob` over that tree."""
