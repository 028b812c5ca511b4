"""Text, in the program's child, for what a test and the program share but for a process.

What is printed, warned of and logged goes with each answer. What a test replaces in a module of the
library, what it puts for standard input, the files that it writes and the seeds that it sets are
sent before the next call; files that the program wrote are asked for after it.
"""

SHARED = """
    homes = {}  # by id: what stands for a module of which the test replaced a part, and the module
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

            known = {*vars(logging.makeLogRecord({})), "message", "asctime", "taskName"}

            class Heard(logging.Handler):
                def emit(self, record):
                    error = record.exc_info[1] if record.exc_info else None
                    more = {
                        name: value for name, value in vars(record).items()
                        if name not in known and type(value) in scalars
                    }
                    about = record.name, record.levelno, record.getMessage(), error, more
                    noted.append(["log", *about])

            logging.getLogger().addHandler(Heard())
            logging.getLogger().setLevel(1)
            logging.getLogger("grade").critical("heard")
            is_heard = bool(noted)  # where a policy grants services, its `logging` may be silent
            noted.clear()
            return is_heard
        return True

    acts["hear"] = hear

    def set_environment(one, changes):
        import os

        for name, text in changes:
            if text is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = text

    def set_arguments(one, arguments):
        sys.argv[:] = arguments

    acts["environ"], acts["argv"] = set_environment, set_arguments

    def set_input(one, text):
        sys.stdin = type(spools[0])(text)

    acts["stdin"] = set_input
"""
