"""The shipped policies, one TOML file each."""
