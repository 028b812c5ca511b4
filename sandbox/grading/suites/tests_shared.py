"""Text, in the tests' child, for its questions, and for what it shares with the program.

Before a question the program is told what the test has replaced, written or seeded since the last;
after it the test sees what was printed, warned of, logged and written there.
"""

from sandbox.grading.texts.testing import CALL

SHARED = f"""
    turn = threading.RLock()  # tests may have threads
    count = [0]  # of the test that runs: the program's answers

    def exchanged(*request):
        with turn:
            if hears[0]:
                kinds, hears[0] = hears[0], ()
                deaf[0] = not tell("hear", list(kinds))
            tell_changes()
            if shares[0] and not depth[0]:
                give_files()
                if os.getcwd() != directory[0]:
                    directory[0] = os.getcwd()
                    tell("chdir", directory[0])
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

    def log(name, level, text):
        logger = logging.getLogger(name)
        if logger.isEnabledFor(level):
            logger.handle(logger.makeRecord(name, level, "", 0, text, (), None))

    # --- files: the program has a tree of its own
    shares, mirror, directory, open_file = [()], {{}}, [""], open  # which a test may replace

    def tree():
        found = {{}}
        for root in shares[0]:
            for folder, folders, names in os.walk(root):
                for name in [*folders, *names]:
                    path = os.path.join(folder, name)
                    if os.path.islink(path):
                        continue
                    if os.path.isdir(path):
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

    def take_files():
        changed = tell("changed_files", list(shares[0]))
        try:
            keep_files(sorted(changed, key=lambda each: each[1] is not None))
        except (OSError, ValueError, TypeError):
            raise Ended("the program answered with no file") from None

    def keep_files(changed):
        for path, content in changed:
            inside = str(Path(path).resolve())
            if not any(inside.startswith(root + "/") for root in shares[0]):
                raise Ended("the program answered with no file")
            if content is None:
                mirror.pop(path, None)
                (os.rmdir if os.path.isdir(inside) else os.remove)(inside)
                continue
            mirror[path] = content
            if path.endswith("/"):
                os.makedirs(inside, exist_ok=True)
                continue
            os.makedirs(os.path.dirname(inside), exist_ok=True)
            with open_file(inside, "wb") as stream:
                stream.write(content)

    # --- what a test replaces in modules that the program has, too
    watching = {{}}  # by module: its attributes as the program has them
    stdin_told, numpy_told, told_argv, environment = [None], [], [], []

    def tell_changes():
        for name, known in watching.items():
            now = replaceable(sys.modules[name])
            changed = [each for each in now if now[each] is not known.get(each, known)]
            if changed and name.partition(".")[0] in lent_packages:
                known.update(now)
                untold.append("what it replaces in " + name)
                continue
            for attribute in changed:
                is_back = now[attribute] is first[name].get(attribute, first)
                known[attribute] = now[attribute]
                if is_back:  # by its name: the program puts back its own
                    tell("alter", name, attribute, None, True)
                elif may_be_given(now[attribute]):
                    tell("alter", name, attribute, now[attribute], False)
                else:
                    lowered.append(type(now[attribute]).__name__)
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
        if watching and sys.stdin is not stdin_told[0]:
            stdin_told[0] = sys.stdin
            if isinstance(sys.stdin, io.StringIO):
                tell("stdin", sys.stdin.read())

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

    def replaceable(module):
        return {{
            name: value for name, value in list(vars(module).items())
            if name[:1] != "_"  # what the library keeps for itself
        }}

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
        "chdir": ("os",), "environ": ("os",), "argv": ("sys",), "stdin": ("sys", "io"),
    }}

    def has_room(act):
        known = grants[0]
        return known is None or all("*" in known.get(each, ()) for each in needs.get(act, ()))

    def is_large(act, args):
        return act == "put_files" and sum(len(content or b"") for _, content in args[0]) > 1 << 20

    first = {{}}

    # What a test replaces in a package that the program has, too, is not replaced there.
    def parts_of_packages(names):
        return [
            name for name in sys.modules
            if names and name.partition(".")[0] in lent_packages & test_words[0]
            and test_words[0].issuperset(name.split("."))
        ]

    def watch(names):
        for name in (*names, *parts_of_packages(names)):
            if name in sys.modules:
                watching[name] = replaceable(sys.modules[name])
                first[name] = dict(watching[name])
        stdin_told[0] = sys.stdin
"""
