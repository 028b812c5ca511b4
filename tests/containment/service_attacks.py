"""Programs without guards that want what the vault has by what its services give and use."""

# Each prints GOT if it got something. They start as those of `vault_attacks`.
ATTACKS = {
    "a class's own dict, by what a service or a method of dict is given": """
class A:
    z = 1
proxy, got = type.__dict__["__dict__"].__get__(A), []
for ask in list(granted.__dict__.values()):
    if "proxy" in getattr(ask, "__annotations__", ()):
        got.append(ask(proxy))
print(len(got))
def spy(*args, **named):
    got.extend(args)
    return iter(())
for name, module in list(sys.modules.items()):
    if name.startswith("sandbox.language.natives."):
        for key, value in list(module.__dict__.items()):
            if callable(value) and type(value) is not type and key[:2] != "__":
                module.__dict__[key] = spy
for name in list(type(proxy).__dict__):
    for args in ((), ({},), ("z",), (proxy,)):
        try:
            got.append(getattr(proxy, name)(*args))
        except Exception:
            pass
for way in (reversed, iter, repr, str, lambda p: p | {}, lambda p: {} | p, lambda p: p == {}):
    for shown in (proxy, proxy.keys(), proxy.values(), proxy.items()):
        try:
            got.append(way(shown))
        except Exception:
            pass
seen = set()
while got:
    o = got.pop()
    if id(o) in seen:
        continue
    seen.add(id(o))
    kind = type(o)
    if kind is dict:
        o["canary"] = 1
        if "canary" in A.__dict__:
            print("GOT", o)
    elif kind in (tuple, list):
        got += o
    elif kind.__module__ in ("builtins", "itertools") and kind is not type:
        for name in ("__reduce__", "__self__"):
            try:
                found = object.__getattribute__(o, name)
                got.append(found() if name == "__reduce__" else found)
            except Exception:
                pass
""",
    "code of the program's in what an operator of the vault's calls": """
sets = sys.modules["sandbox.language.natives.containers.sets"]
def mine(self, own, arguments):
    print("GOT", self)
    return own(*arguments)
own = sets._alone
def f():
    x = 1
    g = lambda: x
    y = [x for x in range(2)]
    try:
        1 / 0
    except ZeroDivisionError as error:
        return error.__traceback__
found = f()
sets._feared, sets._alone = True, mine
sets._is_wrong = lambda name, others: False
granted.variables(found)
sets._alone = own
""",
}
