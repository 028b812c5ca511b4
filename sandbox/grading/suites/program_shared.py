"""Text, in the program's child, for what a test and the program share but for a process.

What is printed, warned of and logged goes with each answer. What a test replaces in a module of the
library, what it puts for standard input, the files that it writes and the seeds that it sets are
sent before the next call; files that the program wrote are asked for after it.
"""

SHARED = """
    spools = []
    try:
        import io
        import sys

        spools = [io.StringIO(), io.StringIO()]
        sys.stdout, sys.stderr = spools
    except Exception:  # the policy grants no such modules: nothing is printed but by `print`
        spools = []

    printed = []

    def print_here(*values, sep=" ", end="\\n", file=None, flush=False):
        sep, end = " " if sep is None else sep, "\\n" if end is None else end
        printed.append(sep.join([str(value) for value in values]) + end)

    if not spools and "print" not in space:
        space["print"] = print_here

    def drained():
        texts = []
        for spool in spools:
            try:
                text = spool.getvalue()
                if text:
                    spool.seek(0)
                    spool.truncate()
            except Exception:  # the program closed it
                text = ""
            texts.append(text)
        if printed:
            texts = ["".join(printed), ""]
            printed.clear()
        return texts or ["", ""]

    # Warnings and records of logs, where a test looks at them.
    noted = []

    def noted_words():
        for heard in list(hears):
            heard()
        if not noted:
            return []
        words = pack(list(noted))
        noted.clear()
        return words

    hears = []

    def hear(one, kinds):
        if "warnings" in kinds:
            import warnings

            caught = warnings.catch_warnings(record=True)
            log = caught.__enter__()
            warnings.simplefilter("always")

            def take():
                noted.extend(["warning", each.message] for each in log)
                log.clear()

            hears.append(take)
        if "logging" in kinds:
            import logging

            class Heard(logging.Handler):
                def emit(self, record):
                    noted.append(["log", record.name, record.levelno, record.getMessage()])

            logging.getLogger().addHandler(Heard())
            logging.getLogger().setLevel(1)
            logging.getLogger("grade").critical("heard")
            is_heard = bool(noted)  # where a policy grants services, its `logging` may be silent
            noted.clear()
            return is_heard
        return True

    acts["hear"] = hear

    # Files that a test and the program share: both have a tree of their own.
    shared = {}

    def put_files(one, files):
        import os

        for path, content in files:
            if content is None:
                shared.pop(path, None)
                if os.path.isdir(path):
                    os.rmdir(path)
                elif os.path.exists(path):
                    os.remove(path)
                continue
            shared[path] = content
            if path[-1:] == "/":
                os.makedirs(path, exist_ok=True)
                continue
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open_file(path, "wb") as stream:
                stream.write(content)

    def changed_files(one, roots):
        import os

        now = {}
        for root in roots:
            for folder, folders, names in os.walk(root):
                for name in [*folders, *names[:1000]]:
                    path = os.path.join(folder, name)
                    if os.path.islink(path):  # what it leads to need not be the program's
                        continue
                    if os.path.isdir(path):
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

    def set_directory(one, path):
        import os

        os.chdir(path)

    def set_environment(one, changes):
        import os

        for name, text in changes:
            if text is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = text

    def set_arguments(one, arguments):
        sys.argv[:] = arguments

    acts["chdir"], acts["environ"], acts["argv"] = set_directory, set_environment, set_arguments

    open_file = getattr(builtins, "open", None)
    acts["put_files"], acts["changed_files"] = put_files, changed_files

    # A module of the library with some of its attributes replaced, for the names by which the
    # program has it: the module itself may be shared, and cannot be changed.
    class Altered:
        def __init__(self, home):
            homes[id(self)] = self, home

        def __getattr__(self, name):
            return getattr(homes[id(self)][1], name)

    homes, altered_homes, shadowed = {}, {}, set()
    originals = {}  # by home and name: what a test replaced

    def replace(home, name, value, is_back):
        _, first = originals.setdefault((id(home), name), (home, getattr(home, name, None)))
        setattr(home, name, first if is_back else value)

    # What is put back is the program's own: the test says no more than its name.
    def alter(one, module, name, value, is_back):
        if module == "builtins":
            if name not in space or name in shadowed or space[name] is print_here:
                shadowed.add(name)
                space[name] = value
                if is_back:
                    shadowed.discard(name)
                    del space[name]
                    if name == "print" and not spools:
                        space[name] = print_here
            return
        for own, now in list(space.items()):
            kind = type(now).__name__
            if kind == "module" and now.__name__ == module:
                try:
                    replace(now, name, value, is_back)
                    continue
                except Exception:
                    if module not in altered_homes:
                        altered_homes[module] = Altered(now)
                    space[own] = altered_homes[module]
        if module in altered_homes:
            replace(altered_homes[module], name, value, is_back)

    acts["alter"] = alter

    def set_input(one, text):
        sys.stdin = io.StringIO(text)

    acts["stdin"] = set_input

    def is_tensor(value, kind):
        if getattr(kind, "__module__", "") != "numpy" or not hasattr(value, "tobytes"):
            return False
        return value.dtype.kind in "biufcSUmM" and kind.__name__ not in ("matrix", "memmap")

    def tensor(items, about):
        import numpy

        dtype, shape, content, is_array = about
        found = numpy.frombuffer(bytes.fromhex(content), dtype).reshape(shape).copy()
        return found if is_array else found[()]

    made["tensor"] = tensor
    plain_copied = copied

    def copied(value):
        return value.tobytes() if is_tensor(value, type(value)) else plain_copied(value)

    def numpy_state(one, state):
        import numpy

        numpy.random.set_state(state)

    acts["numpy_state"] = numpy_state
"""
