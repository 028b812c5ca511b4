"""Text, in the tests' child, for its questions, and for what it shares with the program.

Before a question the program is told what the test has replaced, written or seeded since the last;
after it the test sees what was printed, warned of, logged and written there.
"""

from sandbox.grading.shared.files import TESTS_FILES
from sandbox.grading.shared.replaced import TESTS_REPLACED
from sandbox.grading.texts.testing import CALL

SHARED = f"""
{TESTS_FILES}
{TESTS_REPLACED}
    is_shared = [False]  # what the program needs for that
    turn = threading.RLock()  # tests may have threads
    count = [0]  # of the test that runs: the program's answers

    def exchanged(*request):
        with turn:
            if hears[0]:
                kinds, hears[0] = hears[0], ()
                deaf[0] = not tell("hear", list(kinds))
            if shares[0] and not is_shared[0]:
                is_shared[0] = True
                tell("share")
            tell_changes()
            if shares[0] and not depth[0]:
                give_files()
                give_directory()
            answer = exchange(*request)
            if shares[0] and not depth[0] and answer[0] != "ended":
                take_files()
            return answer

    def exchange(*request):
        answer, out, err, notes = {CALL}(*request)
        while True:
            count[0] += 1
            if out:
                sys.stdout.write(out)
            if err:
                sys.stderr.write(err)
            if notes:
                hear(notes)
            if answer[0] != "asks":
                return answer
            kind, words = asked_back(answer[1])
            answer, out, err, notes = {CALL}(0, kind, "answer", words, False)

    # --- warnings and logs of the program, which are the test's to see
    from logging import getLogger as logger_called

    hears, deaf = [()], [False]

    def hear(notes):
        try:
            for kind, *about in unpack(notes):
                if kind == "warning":
                    warn(*about)
                else:
                    log(*about)
        except Exception:
            raise Ended("the program answered with no value") from None

    def warn(warning):
        try:
            warnings.warn(warning, stacklevel=2)
        except Warning as error:  # where the test has made them errors
            late_errors.append(error)

    def log(name, level, text, error, more):
        name = module_name[0] if name == "__main__" else name
        logger = logger_called(name)
        if logger.isEnabledFor(level):
            about = None if error is None else (type(error), error, error.__traceback__)
            record = logger.makeRecord(name, level, "", 0, text, (), about)
            builtins.vars(record).update(more)
            logger.handle(record)

    # --- what a test sets, which the program has, too
    stdin_told, numpy_told, told_argv, environment = [None], [], [], []
    replaces = [False]

    def tell_changes():
        tell_replaced()
        if sys.argv != told_argv:
            told_argv[:] = sys.argv
            tell("argv", list(sys.argv))
        if environment:
            now = surroundings()
            changed = [(name, now[name]) for name in now if environment[0].get(name) != now[name]]
            changed += [(name, None) for name in environment[0] if name not in now]
            environment[0] = now
            if changed:
                tell("environ", changed)
        if numpy is not None and "seed" in test_words[0]:
            before, numpy_told[:] = list(numpy_told), [numpy_key()]
            if before and before != numpy_told:
                tell("numpy_state", numpy.random.get_state())
        if replaces[0] and sys.stdin is not stdin_told[0]:
            stdin_told[0] = sys.stdin
            if isinstance(sys.stdin, plain_stream):
                tell("stdin", sys.stdin.read())

    plain_stream = io.StringIO  # which a test may replace
    numpy_seeds = [0]

    def numpy_seeding(own):  # a seed that is set again leaves the state as it was
        def seed(*args, **kwargs):
            numpy_seeds[0] += 1
            return own(*args, **kwargs)

        return seed

    # Without what pytest says of the test that runs.
    def surroundings():
        return {{name: os.environ[name] for name in os.environ if name[:7] != "PYTEST_"}}

    def numpy_key():
        _, numbers, place, *_ = numpy.random.get_state()
        return numbers.tobytes(), place, numpy_seeds[0]

    def tell(act, *args):
        counted[0] += 1
        kind, content, text = exchange(counted[0], "", act, pack([args, {{}}]), False)
        if kind == "ended":
            raise Ended(text)
        if kind == "raised":
            if has_room(act) and not is_large(act, args):
                raise Ended("the program did not take what the test shares by " + act)
            unknown("what the test shares by " + act)
        return unpack(content[1])[0]

    # What the program's child needs of the library for this. Where its policy grants that, it is
    # the program's doing that it fails: but a file may be too large for its tree.
    needs = {{
        "hear": ("warnings", "logging"), "put_files": ("os",), "changed_files": ("os",),
        "share": ("os",), "chdir": ("os",), "environ": ("os",), "argv": ("sys",),
        "stdin": ("sys", "io"),
    }}

    def has_room(act):
        known = grants[0]
        return known is None or all("*" in known.get(each, ()) for each in needs.get(act, ()))

    def is_large(act, args):
        return act == "put_files" and sum(len(content or b"") for _, content in args[0]) > 1 << 20
"""
