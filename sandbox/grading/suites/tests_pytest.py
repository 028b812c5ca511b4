"""Text, in the tests' child, that runs pytest over test files in memory and reports each test."""

from sandbox.grading.texts.testing import REPORT

PYTEST = f"""
    # --- the files of the test
    class Files:
        def __init__(self, files):
            self.files = files

        def find_spec(self, name, path=None, target=None):
            if name == module_name[0]:
                unknown("a module that is loaded again")
            base = name.replace(".", "/")
            for place in (base + "/__init__.py", base + ".py"):
                if place in self.files:
                    is_package = place.endswith("__init__.py")
                    spec = importlib.machinery.ModuleSpec(
                        name, self, origin=place, is_package=is_package
                    )
                    return spec
            return None

        def create_module(self, spec):
            return None

        def exec_module(self, module):
            run_file(module, module.__spec__.origin, self.files)

    def run_file(module, place, files):
        text = files[place]
        module.__file__ = str(Path(place).absolute())
        own_modules.add(module.__name__)
        own_spaces[id(vars(module))] = module
        lines = text.splitlines(keepends=True)
        linecache.cache[module.__file__] = len(text), None, lines, module.__file__
        if "super" in text:
            module.super = super_of
        if "issubclass" in text:
            module.issubclass = is_subclass
        # Of its own futures alone, not of what runs here.
        tree = with_metaclasses(text, module)
        code = compile(tree, module.__file__, "exec", dont_inherit=True)
        note_names(code)
        exec(code, vars(module))

    # `type(Name)` is asked of the program where that is a class of it: what stands for it here has
    # another metaclass.
    def with_metaclasses(text, module):
        if class_of_class.search(text) is None:
            return text
        tree = ast.parse(text, module.__file__)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                if node.func.id == "type" and len(node.args) == 1 and not node.keywords:
                    node.func.id = "grade_type"
        module.grade_type = type_of
        return tree

    class_of_class = re.compile(r"\\btype\\(\\s*[A-Z][\\w.]*\\s*\\)|\\btype\\(\\w+\\.[A-Z]")

    def type_of(value):
        return ask_made(value.grade_place, "type") if isinstance(value, Meta) else type(value)

    # --- pytest
    class Watch:
        def __init__(self, plan):
            self.plan, self.phases, self.why, self.kind = plan, {{}}, "", "failed"

        def pytest_collection(self, session):
            files, session.items = self.plan["files"], []
            try:
                for place in files:
                    if place.rpartition("/")[2] == "conftest.py":
                        conftest = types.ModuleType("conftest")
                        run_file(conftest, place, files)
                        session.config.pluginmanager.register(conftest, "grade-conftest")
                for place in self.plan["suites"]:
                    module = types.ModuleType(place[:-3].replace("/", "."))
                    sys.modules[module.__name__] = module
                    run_file(module, place, files)
                    node = Module.from_parent(session, path=Path(place).absolute())
                    node._getobj = lambda module=module: module
                    session.items += session.genitems(node)
                for item in session.items:
                    session.config.hook.pytest_itemcollected(item=item)
                session.config.hook.pytest_collection_modifyitems(
                    session=session, config=session.config, items=session.items
                )
            except pytest.skip.Exception as error:
                return self.broken("skipped", str(error), session)
            except MemoryError:
                return self.broken("limit", "MemoryError", session)
            except BaseException as error:
                return self.broken(*failure(error), session)
            if only[0]:
                session.items = [item for item in session.items if name_of(item) == only[0]]
            session.testscollected = len(session.items)
            names = [name_of(item) for item in session.items]
            {REPORT}("collected", names, "hidden" if hidden & test_words[0] else "")
            return True

        def broken(self, kind, text, session):
            session.items, session.testscollected = [], 0
            kind = verdict_of(kind, has_asked=count[0] > 0)
            {REPORT}("broken", kind[0], kind[1] or text)
            return True

        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_protocol(self, item):
            self.phases, self.why, self.kind = {{}}, "", "failed"
            self.is_lent = is_of_program(getattr(item, "obj", None))
            begin()
            test_names.clear()
            test_names.update(names_of_test(item))
            # Nobody reads how it looks, nor where a function of the program's stands.
            item.repr_failure = lambda *args, **kwargs: "failed"
            item.reportinfo = lambda: (item.path, 0, item.name)
            try:
                result = yield
            except BaseException as error:  # which ends pytest, whatever the test would be
                self.phases["call"], (self.kind, self.why) = "failed", failure(error)
                raise
            finally:
                self.report(item)
            return result

        # The folder of a test is no word about it, as the program sees its path.
        @pytest.fixture
        def tmp_path(self, tmp_path_factory):
            return tmp_path_factory.mktemp("case")

        # What the program has is no test, whatever its name; what it made of a test is one.
        def pytest_pycollect_makeitem(self, collector, name, obj):
            if is_of_program(obj) and name in defined_names and collector.funcnamefilter(name):
                return list(collector._genfunctions(name, shaped(name, obj)))
            return [] if is_of_program(obj) or isinstance(obj, Meta) else None

        def pytest_runtest_logreport(self, report):
            outcome = report.outcome
            if hasattr(report, "wasxfail") and outcome == "skipped":
                outcome = "passed"
            if self.phases.get(report.when) != "failed":  # of subtests the worst counts
                self.phases[report.when] = outcome
            if report.outcome == "skipped" and isinstance(report.longrepr, tuple):
                self.why = self.why or str(report.longrepr[2])

        def pytest_exception_interact(self, node, call, report):
            self.kind, why = failure(call.excinfo.value)
            self.why = self.why or why

        def report(self, item):
            said = self.phases.values()
            if "failed" in said or len(said) < 3 and "skipped" not in said:
                outcome = self.kind
            else:
                outcome = "skipped" if "skipped" in said else "passed"
            if "got empty parameter set" in self.why:
                outcome = "failed"
            if outcome == "passed" and self.is_lent and not ran:
                refused.append("the program did not run the test that it was given")
            elif self.is_lent and item.originalname not in ran:
                believed.append("decorated")
            has_asked = count[0] > 0 or not test_words[0].isdisjoint(carried_names)
            outcome, why = verdict_of(outcome, has_asked)
            if outcome not in ("passed", "altered", "changed", "quiet"):
                why = why or self.why
            {REPORT}(name_of(item), outcome, why)

    # What the program made of a test, with the parameters and marks of the test.
    def shaped(name, made):
        own = [each for each in near if isinstance(each, types.FunctionType)]
        own = [each for each in own if each.__name__ == name]
        return functools.wraps(own[-1])(lambda *args: made(*args)) if own else made

    def is_of_program(function):
        return is_far(getattr(function, "__func__", function))

    def name_of(item):
        place, *names = [each for each in item.nodeid.split("::") if each]
        return "::".join([place.rpartition("/")[2], *names])

    def failure(error):
        kind = type(error)
        if isinstance(error, AssertionError):
            return "failed", "AssertionError"
        if isinstance(error, MemoryError):
            return "failed" if lent else "limit", "MemoryError"
        return "failed", kind.__name__ + ": " + str(error)[:300]

    # What was believed stays so for the tests that follow: they may use it, as may the program.
    def begin():
        count[0] = spent[0] = asked_spent[0] = 0
        for kept in (
            *(asked, lowered, excess, lent, altered, in_place, refused, doubted, unsure),
            *(held_back, ran, unfollowed, lacking, untold),
        ):
            kept.clear()

    # What a test's outcome says of the program: what could not be carried over masks.
    def verdict_of(outcome, has_asked):
        words = test_words[0]
        if excess:
            return "limit", excess[0]
        if any(has_hand for _, has_hand, _ in held_back.values()):
            return "failed", "the program ended a failed assertion of the test"
        believed.extend(["raised"] * len(held_back))
        if refused:
            return "failed", refused[0]
        if unsure:
            return "unknown", "what an object of the program's is equal to: " + unsure[0]
        if asked:
            return "unknown", "a value of type " + asked[0] + " cannot be carried over"
        if outcome == "failed":
            if untold:
                return "unknown", "what the test asks of the program: " + untold[0]
            if lacking:
                return "unknown", "what the program asks of what the test gave: " + lacking[0]
            if has_changed_unseen():
                return "unknown", "a container of both, which is too dear to follow"
            if lowered:
                return "unknown", "a value of type " + lowered[0] + " cannot be carried over"
            if hidden & words:
                return "unknown", "the program has a builtin's name that the test does not import"
            if deaf[0] and log_names & test_names:
                return "unknown", "what the program logs, which its policy does not show"
            if not has_asked:
                return "unasked", ""
        if outcome == "passed":
            if doubted:
                return "unknown", "only the program's own object says so: " + doubted[0]
            if not has_asked:
                return "quiet", "believed" if believed else ""
            kind = "altered" if altered else "changed" if in_place else "passed"
            return kind, "believed" if believed else ""
        if outcome == "skipped" and count[0] > 0:  # the program may have had a hand in it
            return "skipped", "believed"
        return outcome, ""

    test_words, test_names = [set()], set()
    log_names = frozenset(("caplog", "assertLogs", "assertNoLogs", "getLogger", "addHandler"))

    # What the function of a test names: fixtures, functions, attributes.
    def names_of_test(item):
        function = getattr(item, "function", None)
        code = None if is_of_program(function) else getattr(function, "__code__", None)
        return {{*getattr(item, "fixturenames", ()), *(code.co_names if code else ())}}
"""
