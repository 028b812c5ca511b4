"""Texts, of both children, for the files that a test and a program share: each has a tree.

Before a question the program is sent what the test wrote and removed, after it the test gets what
the program did. Neither uses a function of `os` that a test may replace: each is taken before.
"""

from textwrap import indent

# In both: `os.walk` itself would look up names of `os` and `os.path` that a test may replace.
_WALK = """
    from os import (
        chdir, getcwd, makedirs, remove, rmdir, scandir,
    )

    def entries_of(folder):
        try:
            with scandir(folder) as found:
                return list(found)
        except OSError:
            return []

    # The files and folders below `root` with their paths, links left out; what a link leads to
    # need not be theirs.
    def each_below(root):
        folders = [root]
        while folders:
            for each in entries_of(folders.pop()):
                if each.is_symlink():
                    continue
                if each.is_dir():
                    folders.append(each.path)
                yield each.path, each.is_dir()

    def has_entry(path):
        folder, _, name = path.rstrip("/").rpartition("/")
        return any(each.name == name for each in entries_of(folder or "/"))

    def folder_of(path):
        return path.rstrip("/").rpartition("/")[0] or "/"
"""

TESTS_FILES = f"""
    shares, mirror, directory, open_file = [()], {{}}, [""], open
{_WALK}
    from os.path import realpath

    def tree():
        found = {{}}
        for root in shares[0]:
            for path, is_folder in each_below(root):
                if is_folder:
                    found[path + "/"] = b""
                    continue
                with open_file(path, "rb") as stream:
                    found[path] = stream.read()
        return found

    def give_files():
        now = tree()
        changed = [(path, now[path]) for path in now if mirror.get(path) != now[path]]
        gone = [path for path in mirror if path not in now]
        changed += [(path, None) for path in builtins.sorted(gone, key=len, reverse=True)]
        mirror.clear()
        mirror.update(now)
        if changed:
            tell("put_files", changed)

    def give_directory():
        if getcwd() != directory[0]:
            directory[0] = getcwd()
            tell("chdir", directory[0])

    def take_files():
        changed = tell("changed_files", list(shares[0]))
        try:
            keep_files(sorted(changed, key=lambda each: each[1] is not None))
        except (OSError, ValueError, TypeError):
            raise Ended("the program answered with no file") from None

    def keep_files(changed):
        for path, content in changed:
            inside = realpath(path)
            if not any(inside.startswith(root + "/") for root in shares[0]):
                raise Ended("the program answered with no file")
            if content is None:
                mirror.pop(path, None)
                (rmdir if path.endswith("/") else remove)(inside)
                continue
            mirror[path] = content
            if path.endswith("/"):
                makedirs(inside, exist_ok=True)
                continue
            makedirs(folder_of(inside), exist_ok=True)
            with open_file(inside, "wb") as stream:
                stream.write(content)
"""

_PROGRAM_SHARES = """
        def put_files(one, files):
            for path, content in files:
                if content is None:
                    shared.pop(path, None)
                    if has_entry(path):
                        (rmdir if path[-1:] == "/" else remove)(path)
                    continue
                shared[path] = content
                if path[-1:] == "/":
                    makedirs(path, exist_ok=True)
                    continue
                makedirs(folder_of(path), exist_ok=True)
                with open_file(path, "wb") as stream:
                    stream.write(content)

        def changed_files(one, roots):
            now = {}
            for root in roots:
                for path, is_folder in each_below(root):
                    if is_folder:
                        now[path + "/"] = b""
                        continue
                    try:
                        with open_file(path, "rb") as stream:
                            now[path] = stream.read()
                    except OSError:  # that nobody may read
                        continue
            changed = [(path, now[path]) for path in now if shared.get(path) != now[path]]
            gone = [path for path in shared if path not in now]
            changed += [(path, None) for path in sorted(gone, key=len, reverse=True)]
            shared.clear()
            shared.update(now)
            return changed

        acts["put_files"], acts["changed_files"] = put_files, changed_files
        acts["chdir"] = lambda one, path: chdir(path)
"""
PROGRAM_FILES = f"""
    shared, open_file = {{}}, getattr(builtins, "open", None)

    # Makes what follows, once, before the test has replaced anything.
    def share(one):
{indent(_WALK, "    ")}
{_PROGRAM_SHARES}
    acts["share"] = share
"""
