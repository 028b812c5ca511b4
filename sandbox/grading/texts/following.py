"""Text that follows, in the program's child, the containers which a test and the program both have.

Each container is followed from when it crosses, in either direction, as a part of a message: its
key is that of the message. What one side changed in place is told before the other goes on: with a
request, an answer, a question of the program's, and what the test says to that. It is followed
until no test has it any more, of which the tests' child judges: nothing else ends it but the cost.
"""

# In both: what of a message is followed, and how it is compared with what it was.
BOTH_FOLLOWING = """
    # The containers of a message, in the order in which they end; None for those that only this
    # message has: itself, the changes at its end, and what those are made of.
    def parts_of_message(whole):
        message = whole[-1]
        own = {id(message), id(message[-1])}
        if len(message) == 3:  # of a question: what it calls with
            own.update((id(message[0]), id(message[1])))
        for each in message[-1]:
            own.update((id(each), id(each[2])))
        parts = [None if id(each) in own else each for each in whole]
        return parts if any(each is not None for each in parts) else []

    plain_of_buffers = other_parts

    def other_parts(value, kind):
        if kind is builtins.bytearray:
            return ["buffer", 0, ["", value.hex()]], []
        if is_array(value, kind):
            return ["buffer", 0, [value.typecode, value.tolist()]], []
        return plain_of_buffers(value, kind)
"""

# In the program's child. A key is the number of a request, that number below zero for what was
# given for it, or the number of a question and which of its two messages it is.
PROGRAM_FOLLOWING = f"""
    def is_array(value, kind):
        return kind.__name__ == "array" and getattr(kind, "__module__", "") == "array"
{BOTH_FOLLOWING}
    made["buffer"] = lambda items, about: (
        class_called("array")(*about) if about[0] else builtins.bytearray.fromhex(about[1])
    )
    copied_of_others = copied

    # A tuple of what is compared by what it is equal to, or a list of what is by being the same.
    def copied(value):
        if type(value) is builtins.bytearray or is_array(value, type(value)):
            return bytes(value)
        items = flat(value) if isinstance(value, dict) else copied_of_others(value)
        if type(items) not in (list, set):
            return items
        if len(items) > 100 or set(map(type, items)) <= scalars:
            return tuple(items)
        return list(items)

    def keeps(act, target):
        return True

    def is_little(copies):  # beside the two containers of all arguments, and that of both
        return len(copies) > 3

    def followed(value, kept):
        parts = parts_of_message(kept)
        return parts, list(map(copied, parts))

    def follow(key, parts):
        if parts:
            seen[key], before[key] = parts, list(map(copied, parts))

    def is_other(now, then):
        if type(now) is not list or type(then) is not list:
            try:
                return type(now) is not type(then) or now != then
            except Exception:  # what it holds cannot be compared
                return True
        return len(now) != len(then) or any(map(are_two, now, then))

    def are_two(one, other):
        if one is other:
            return False
        return type(one) is not type(other) or type(one) not in scalars or one != other

    scalars = {{int, float, str, bool, bytes, type(None)}}
    compared, spent_on_questions, most_compared = [0], [0], 20_000_000  # items

    # Of all that is followed, or of what has one of these ids.
    def changes(only=None):
        found = []
        for key, whole in list(seen.items()):
            for number, then in enumerate(before[key]):
                if then is None or only is not None and id(whole[number]) not in only:
                    continue
                now = copied(whole[number])
                compared[0] += len(now)
                if is_other(now, then):
                    before[key][number] = now
                    found.append([key, number, items_of(whole[number], now)])
        return found

    def items_of(value, now):
        if type(now) in (list, tuple):
            return list(now)
        return value.tolist() if is_array(value, type(value)) else list(now)

    def known_places():
        return {{
            id(value): ["known", [key, number]]
            for key, whole in seen.items()
            for number, value in enumerate(whole)
            if value is not None and not isinstance(value, BaseException)
        }}

    atoms["known"] = lambda place: seen[place[0]][place[1]]

    # What the test has changed.
    def restore(changes):
        for key, number, items in changes:
            value = seen[key][number]
            change_back(value, items)
            before[key][number] = copied(value)

    def change_back(value, items):
        if isinstance(value, list):
            value[:] = items
        elif isinstance(value, dict):
            value.clear()
            for name, item in paired(items):
                value[name] = item
        elif type(value) is builtins.bytearray:
            value[:] = bytes(items)
        elif is_array(value, type(value)):
            value[:] = type(value)(value.typecode, items)
        else:
            value.clear()
            (value.update if isinstance(value, set) else value.extend)(items)

    acts["given"] = lambda one, changes: restore(changes)

    def forget(one, keys):
        for key in keys:
            seen.pop(key, None)
            before.pop(key, None)

    acts["forget"] = forget
    questions = [0]

    # What serves within a call costs the program none of its depth.
    def deeply(depth, serving):
        try:
            import sys

            limit = sys.getrecursionlimit()
            sys.setrecursionlimit(limit + 30 * depth)
        except Exception:  # the policy grants no such module
            return serving()
        try:
            return serving()
        finally:
            sys.setrecursionlimit(limit)

    # Asks something of what the test gave: the test sees what changed until then, and changes more.
    def exchanged_with_test(number, act, args, kwargs):
        questions[0] += 1
        key, kept, whole = str(questions[0]), [], []
        count = compared[0]
        only = {{id(each) for each in args}} if spent_on_questions[0] > most_compared else None
        words = pack([args, kwargs, changes(only)], kept, known_places())
        spent_on_questions[0] += compared[0] - count
        follow("q" + key, parts_of_message(kept))
        request = deeply(1, lambda: serve(["asks", [number, act, words], ""]))
        value, changed = unpack(request[3], whole)
        restore(changed)
        follow("a" + key, parts_of_message(whole))
        return request[1], value
"""
