"""Texts, of both children, for what a test replaces in the library: the program has it, too.

A module's attributes are compared with what they were, before each question. Which module, class or
object a test replaces something in, `patch` and `monkeypatch` say. What the program's policy keeps
from being replaced there is noted: such a test is masked if it fails.
"""

TESTS_REPLACED = """
    missing = builtins.object()
    watching, first = {}, {}  # by module: its attributes as the program has them, and as they were
    patched = {}  # by id of a class or an object of the library, and a name there
    # Of `sys`: the rest is each child's own, or sent in another way.
    of_sys = "exit", "platform", "version_info", "maxsize", "getsizeof", "byteorder"

    def replaceable(module):
        items = list(builtins.vars(module).items())
        if module is sys:
            return {name: value for name, value in items if name in of_sys}
        # What begins with an underscore the library keeps for itself.
        return {name: value for name, value in items if name[:1] != "_"}

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

    # Of a class or an object of the library, that a module of it has: which module, and its name.
    def place_of(target):
        if is_class(target):
            return place_in_library(target)
        for name, module in list(sys.modules.items()):
            if name.partition(".")[0] in test_words[0] and is_granted(name, ""):
                for each, value in list(vars(module).items()):
                    if value is target:
                        return [name, each]
        return None

    # A test has replaced an attribute, which was `before`.
    def note_patch(target, name, before):
        if is_far(target) or isinstance(target, (Program, Meta)) or is_mock(target):
            return
        if type(target) is types.ModuleType:
            home = homes.get(target.__name__, target.__name__)
            top = home.partition(".")[0]
            is_library = top in sys.stdlib_module_names or top in lent_packages
            if is_library and top not in ("unittest", "test") and home not in watching:
                first[home] = {**replaceable(target), name: before}
                watching[home] = dict(first[home])
            return
        kind = target if is_class(target) else type(target)
        if not is_own_class(kind) and (id(target), name) not in patched:
            patched[id(target), name] = [target, before, before, place_of(target)]

    entered_patch, set_by_monkey = unittest.mock._patch.__enter__, pytest.MonkeyPatch.setattr

    def enter_patch(self):
        value = entered_patch(self)
        before = self.temp_original if self.is_local else missing
        note_patch(self.target, self.attribute, before)
        return value

    def set_and_note(self, *args, **kwargs):
        count = len(self._setattr)
        set_by_monkey(self, *args, **kwargs)
        for target, name, before in self._setattr[count:]:
            was_none = type(before).__name__.lower().startswith("notset")
            note_patch(target, name, missing if was_none else before)

    unittest.mock._patch.__enter__ = enter_patch
    pytest.MonkeyPatch.setattr = set_and_note

    def tell_replaced():
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
                tell_replacement(name, attribute, now[attribute], is_back)
        for (_, name), entry in patched.items():
            target, before, told_last, place = entry
            now = builtins.vars(target).get(name, missing) if has_vars(target) else missing
            if now is not told_last and place is not None:
                entry[2], attribute = now, place[1] + "." + name
                if not tell_replacement(place[0], attribute, now, now is before):
                    entry[3] = None
            if now is not before and entry[3] is None:
                untold.append("what it replaces in " + str(getattr(target, "__name__", name)))

    def has_vars(target):
        return hasattr(type(target), "__dict__") and hasattr(target, "__dict__")

    # Returns whether the program has it so. What is put back there is its own.
    def tell_replacement(module, name, value, is_back):
        if is_back:
            return tell("alter", module, name, None, True) is True
        if may_be_given(value):
            return tell("alter", module, name, value, False) is True
        lowered.append(type(value).__name__)
        return True
"""

PROGRAM_REPLACED = """
    # A module of the library with some of its attributes replaced, for the names by which the
    # program has it: the module itself may be shared, and cannot be changed.
    class Altered:
        def __init__(self, home):
            homes[id(self)] = self, home

        def __getattr__(self, name):
            return getattr(homes[id(self)][1], name)

    altered_homes, shadowed = {}, set()
    originals = {}  # by home and name: what a test replaced
    absent = builtins.object()

    def replace(home, name, value, is_back):
        place = id(home), name
        if place not in originals:
            originals[place] = home, vars(home).get(name, absent)
        if not is_back:
            setattr(home, name, value)
        elif originals[place][1] is not absent:
            setattr(home, name, originals[place][1])
        elif name in vars(home):
            builtins.delattr(home, name)

    def of_library(module):
        scope = {}
        exec("import " + module + " as found", scope)
        return scope["found"]

    # What the program has for a module that cannot be changed, and for the one that it is in.
    def altered_home(module):
        if module not in altered_homes:
            altered_homes[module] = Altered(of_library(module))
            parent, _, last = module.rpartition(".")
            if parent:
                setattr(altered_home(parent), last, altered_homes[module])
        return altered_homes[module]

    def alter_builtin(name, value, is_back):
        if name not in space or name in shadowed or space[name] is print_here:
            shadowed.add(name)
            space[name] = value
            if is_back:
                shadowed.discard(name)
                del space[name]
                if name == "print" and not spools:
                    space[name] = print_here

    # What is put back is the program's own: the test says no more than its name. Returns whether
    # the policy has such a module, class or object, and lets it be changed.
    def alter(one, module, name, value, is_back):
        if module == "builtins":
            alter_builtin(name, value, is_back)
            return True
        *inner, last = name.split(".")
        try:
            home = of_library(module)
            for each in inner:
                home = getattr(home, each)
            replace(home, last, value, is_back)
            return True
        except Exception:
            if inner:
                return False
        try:
            replace(altered_home(module), name, value, is_back)
        except Exception:  # the policy has no such module
            return False
        for own, now in list(space.items()):
            if type(now).__name__ == "module" and now.__name__ in altered_homes:
                space[own] = altered_homes[now.__name__]
        return True

    acts["alter"] = alter
"""
