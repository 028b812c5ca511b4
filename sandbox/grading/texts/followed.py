"""Text that follows, in the tests' child, the containers which a test and the program both have.

It is told what the program changed, and tells what the test did: see `following`. What no test has
any more is found out here, and followed no longer.
"""

from sandbox.grading.texts.following import BOTH_FOLLOWING

# In the tests' child. `followed` has, by key, what each container was when both sides knew it.
TESTS_FOLLOWING = f"""
    from operator import is_

    def is_array(value, kind):
        return kind is array
{BOTH_FOLLOWING}
    made["buffer"] = noted("buffer", lambda items, about: (
        array(*about) if about[0] else bytearray.fromhex(about[1])
    ))
    followed, placed = {{}}, {{}}  # by key; by id: how the program knows a container
    midway = []  # what the program changed in the midst of a call
    unfollowed = []  # what was too dear to follow, as it was then
    spent, most_spent = [0], 4_000_000  # items that were compared, of one test
    prune_at, grown, alive_at = [64], [0], [0]  # keys; items since then, and items that were left

    def items_of(value):
        if isinstance(value, dict):
            return [each for pair in value.items() for each in pair]
        if isinstance(value, (list, set, deque)):
            return list(value)
        if isinstance(value, (array, bytearray)):
            return value.tobytes() if isinstance(value, array) else bytes(value)
        return None

    def follow(key, parts):
        if not parts:
            return
        sents[key], followed[key] = parts, list(map(items_of, parts))
        grown[0] += sum(len(each) for each in followed[key] if each is not None)
        for number, value in enumerate(parts):
            if value is not None and not isinstance(value, BaseException):
                placed[id(value)] = ["known", [key, number]]

    def unfollow(key):
        for number, value in enumerate(sents.pop(key, ())):
            if placed.get(id(value)) == ["known", [key, number]]:
                del placed[id(value)]
        followed.pop(key, None)

    def are_same(items, known):
        if type(items) is bytes:
            return items == known
        return len(items) == len(known) and all(map(is_, items, known))

    # What the test changed since both knew it, which both know now.
    def changed_here(only=None):
        found = []
        for key, snapshots in list(followed.items()):
            for number, known in enumerate(snapshots):
                value = sents[key][number]
                if known is None or only is not None and id(value) not in only:
                    continue
                items = items_of(value)
                spent[0] += 1 + len(items)
                if not are_same(items, known):
                    snapshots[number] = items
                    found.append([key, number, given_items(value, items)])
        return found

    def given_items(value, items):
        return value.tolist() if isinstance(value, array) else list(items)

    # What both changed, as what the test did in the midst of a call was not told there.
    def put_changes(changes):
        for key, number, items in changes if seen[0] else ():
            value = sents[key][number]
            if asked_spent[0] > most_spent and not are_same(items_of(value), followed[key][number]):
                lacking.append("what both changed at once")
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
            key = str(asks[0])
            follow("q" + key, parts_of_message(whole))
            args, kwargs = tuple(args), dict(kwargs)
        except MemoryError:
            raise
        except Exception:
            raise Ended("the program asked no question") from None
        whole.clear()
        prune()
        return key, args, kwargs

    asks, asked_spent = [0], [0]

    # Once too much was compared, of what the test's function was given alone.
    def words_of_answer(key, value, args=()):
        sent, count = [], spent[0]
        only = set(map(id, args)) if asked_spent[0] > most_spent else None
        words = pack([value, changed_here(only)], sent, known_here())
        asked_spent[0] += spent[0] - count
        spent[0] = count
        follow("a" + key, parts_of_message(sent))
        return words

    def prune():
        if len(sents) > prune_at[0] or grown[0] > 20_000 + alive_at[0]:
            forget(dead_keys())
            prune_at[0], grown[0] = max(64, 2 * len(sents)), 0
            alive_at[0] = sum(size for _, size in sizes_of_followed())

    def give_changes():
        prune()
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
                count(snapshot if type(snapshot) is list else ())
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
