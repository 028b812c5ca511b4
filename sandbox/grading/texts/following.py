"""Texts that follow, in both children, the containers which a test and the program both have.

Each container is followed from when it crosses, in either direction, as a part of a message: its
key is that of the message. What one side changed in place is told before the other goes on: with a
request, an answer, a question of the program's, and what the test says to that. It is followed
until no test has it any more, of which the tests' child judges: nothing else ends it but the cost.
"""

# In both: what of a message is followed, and how it is compared with what it was.
_FOLLOWING = """
    # The containers of a message, in the order in which they end; None for those that only this
    # message has: itself, the changes at its end, and what those are made of.
    def parts_of_message(whole):
        message = whole[-1]
        own = {id(message), id(message[-1])}
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
{_FOLLOWING}
    made["buffer"] = lambda items, about: (
        class_called("array")(*about) if about[0] else builtins.bytearray.fromhex(about[1])
    )
    copied_of_others = copied

    def copied(value):
        if isinstance(value, dict):
            return flat(value)
        if type(value) is builtins.bytearray or is_array(value, type(value)):
            return bytes(value)
        items = copied_of_others(value)
        return list(items) if type(items) is set else items

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
        if type(now) is not list:
            return now != then
        if list(map(id, now)) == list(map(id, then)):
            return False
        return len(now) != len(then) or any(map(are_two, now, then))

    def are_two(one, other):
        if one is other:
            return False
        return type(one) is not type(other) or type(one) not in scalars or one != other

    scalars = {{int, float, str, bool, bytes}}

    def changes():
        found = []
        for key, whole in list(seen.items()):
            for number, then in enumerate(before[key]):
                if then is None:
                    continue
                now = copied(whole[number])
                if is_other(now, then):
                    before[key][number] = now
                    found.append([key, number, items_of(whole[number], now)])
        return found

    def items_of(value, now):
        if type(now) is list:
            return now
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
            elif is_tensor(value, type(value)):
                value[...] = tensor([], (value.dtype.str, value.shape, bytes(items).hex(), True))
            else:
                value.clear()
                (value.update if isinstance(value, set) else value.extend)(items)
            before[key][number] = copied(value)

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
        words = pack([args, kwargs, changes()], kept, known_places())
        follow("q" + key, parts_of_message(kept))
        request = deeply(1, lambda: serve(["asks", [number, act, words], ""]))
        value, changed = unpack(request[3], whole)
        restore(changed)
        follow("a" + key, parts_of_message(whole))
        return request[1], value
"""

# In the tests' child. `followed` has, by key, what each container was when both sides knew it.
TESTS_FOLLOWING = f"""
    from operator import is_

    def is_array(value, kind):
        return kind is array
{_FOLLOWING}
    made["buffer"] = noted("buffer", lambda items, about: (
        array(*about) if about[0] else bytearray.fromhex(about[1])
    ))
    followed, placed = {{}}, {{}}  # by key; by id: how the program knows a container
    midway = []  # what the program changed in the midst of a call
    unfollowed = []  # what was too dear to follow, as it was then
    spent, most_spent = [0], 10_000_000  # items that were compared, of one test
    prune_at = [64]

    def items_of(value):
        if isinstance(value, dict):
            return [each for pair in value.items() for each in pair]
        if isinstance(value, (list, set, deque, array, bytearray)):
            return list(value)
        if numpy is not None and isinstance(value, numpy.ndarray):
            return list(value.tobytes())
        return None

    def follow(key, parts):
        if not parts:
            return
        sents[key], followed[key] = parts, list(map(items_of, parts))
        for number, value in enumerate(parts):
            if value is not None and not isinstance(value, BaseException):
                placed[id(value)] = ["known", [key, number]]

    def unfollow(key):
        for number, value in enumerate(sents.pop(key, ())):
            if placed.get(id(value)) == ["known", [key, number]]:
                del placed[id(value)]
        followed.pop(key, None)

    def are_same(items, known):
        return len(items) == len(known) and all(map(is_or_same, items, known))

    def is_or_same(one, other):  # numbers are no objects of their own: bytes, of arrays
        return one is other or type(one) in (int, float) and one == other

    # What the test changed since both knew it, which both know now.
    def changed_here():
        found = []
        for key, snapshots in list(followed.items()):
            for number, known in enumerate(snapshots):
                if known is None:
                    continue
                items = items_of(sents[key][number])
                spent[0] += 1 + len(items)
                if not are_same(items, known):
                    snapshots[number] = items
                    found.append([key, number, items])
        return found

    def put_changes(changes):
        for key, number, items in changes if seen[0] else ():
            value = sents[key][number]
            change(value, items)
            followed[key][number] = items_of(value)

    def known_here():
        return dict(placed)

    # Replaces that of `testing`: the arguments of a request, before it is made.
    def offered(request, sent):
        if seen[0]:
            follow(request, sent)

    def received(request, words, lives_on, sent):
        whole = []
        try:
            value, changes = unpack(words, whole)
            put_changes(changes)
            if not lives_on:
                unfollow(request)
            if seen[0]:
                follow(-request, parts_of_message(whole))
            has_changed = bool(changes) or bool(midway)
            if any(is_of_test(key) and key != request for key, *_ in changes):
                altered.append("earlier")
            midway.clear()
            parts_of_far.clear()
            return value, has_changed
        except MemoryError:
            raise
        except Exception:
            raise Ended("the program answered with no value") from None

    def is_of_test(key):
        return key > 0 if type(key) is int else key[:1] == "a"

    # Returns what the program asks of what the test gave, and the key of the question.
    def question_of(words):
        asks[0] += 1
        whole = []
        try:
            args, kwargs, changes = unpack(words, whole)
            put_changes(changes)
            midway.extend(changes)
            follow("q" + str(asks[0]), parts_of_message(whole))
            return str(asks[0]), tuple(args), dict(kwargs)
        except MemoryError:
            raise
        except Exception:
            raise Ended("the program asked no question") from None

    asks = [0]

    def words_of_answer(key, value):
        sent = []
        words = pack([value, changed_here()], sent, known_here())
        follow("a" + key, parts_of_message(sent))
        return words

    def give_changes():
        if len(sents) > prune_at[0]:
            forget(dead_keys())
            prune_at[0] = max(64, 2 * len(sents))
        if spent[0] > most_spent:
            spent[0] = 0
            large = [key for key, sizes in sizes_of_followed() if sizes > 500]
            for key in large:
                pairs = builtins.zip(sents[key], followed[key])
                unfollowed.extend(each for each in pairs if each[1] is not None)
            forget(large)
        changed = changed_here()
        if changed:
            give(changed)

    # A request of its own, as the changes may have containers that are new to the program.
    def give(changed):
        sent, counted[0] = [], counted[0] + 1
        number, words = counted[0], pack([[changed], {{}}], sent, known_here())
        offered(number, sent)
        kind, content, text = exchange(number, "", "given", words, seen[0])
        if kind != "returned":
            raise Ended(text)
        _, words, lives_on = content
        received(number, words, lives_on, sent)

    def sizes_of_followed():
        for key, snapshots in followed.items():
            yield key, sum(len(each) for each in snapshots if each is not None)

    def forget(keys):
        for key in keys:
            unfollow(key)
        if keys:
            tell("forget", keys)

    def has_changed_unseen():
        return any(not are_same(items_of(value), known) for value, known in unfollowed)

    # Keys of messages of which no test has a container any more: all that refers to them is here.
    def dead_keys():
        kept = {{id(each): each for whole in sents.values() for each in whole if each is not None}}
        counts = dict.fromkeys(kept, 0)

        def count(items):
            for each in items:
                if id(each) in counts:
                    counts[id(each)] += 1

        for whole in sents.values():
            count(whole)
        for snapshots in followed.values():
            for snapshot in snapshots:
                count(snapshot or ())
        for each in kept.values():
            count(parts_of(each))
        todo = []
        for place in list(kept):
            # Beside those: `kept`, and what is looked at.
            if sys.getrefcount(kept[place]) - 2 > counts[place]:
                todo.append(place)
        alive = set(todo)
        while todo:
            for each in parts_of(kept[todo.pop()]):
                if id(each) in kept and id(each) not in alive:
                    alive.add(id(each))
                    todo.append(id(each))
        return [
            key for key, whole in sents.items()
            if not any(id(each) in alive and items_of(each) is not None for each in whole)
        ]

    def parts_of(value):
        if isinstance(value, dict):
            return [each for pair in value.items() for each in pair]
        return list(value) if isinstance(value, (list, tuple, set, frozenset, deque)) else ()
"""
