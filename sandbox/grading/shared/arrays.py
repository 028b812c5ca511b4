"""Texts, of both children, for arrays and scalars of numpy: they cross by what they hold.

An array crosses in the order in which it lies in memory. One that the program gives and that looks
into an array which the test has is a view of that there, too.
"""

_BOTH = """
    def is_tensor(value, kind):
        if getattr(kind, "__module__", "") != "numpy" or not hasattr(value, "tobytes"):
            return False
        if kind.__name__ == "ndarray" and value.dtype.kind == "O":
            return True
        return value.dtype.kind in "biufcSUmM" and kind.__name__ not in ("matrix", "memmap")

    def parts_of_tensor(value, kind):
        if not is_tensor(value, kind):
            return None
        is_array, shape = kind.__name__ == "ndarray", list(value.shape)
        is_turned = is_array and value.flags.f_contiguous and not value.flags.c_contiguous
        order = "F" if is_turned else "C"
        if value.dtype.kind == "O":
            return ["objects", value.size, [shape, order]], value.ravel().tolist()
        content = value.tobytes(order).hex()
        return ["tensor", 0, [value.dtype.str, shape, content, is_array, order]], []

    def tensor(items, about):
        import numpy

        text, shape, content, is_array, order = about
        dtype = numpy.dtype(text)
        if dtype.kind not in "biufcSUmM":
            raise ValueError("an array of objects")
        found = numpy.frombuffer(bytes.fromhex(content), dtype)
        found = found.reshape(shape, order=order).copy(order=order)
        return found if is_array else found[()]

    def objects(items, about):
        import numpy

        shape, order = about
        found = numpy.empty(len(items), object)
        for place, each in enumerate(items):
            found[place] = each
        return found.reshape(shape).copy(order=order)

    # Bounds and strides are looked at by numpy.
    def view(items, about):
        import numpy

        [base], [dtype, shape, offset, strides] = items, about
        if type(base) is not numpy.ndarray or base.dtype.hasobject:
            raise ValueError("no array")
        kind = numpy.dtype(dtype)
        if kind.hasobject:
            raise ValueError("an array of objects")
        return numpy.ndarray(tuple(shape), kind, base, offset, tuple(strides))

    # Of an array: what it holds, to be compared and sent; and what is sent, back into it.
    def content_of(value):
        return value.ravel().tolist() if value.dtype.hasobject else value.tobytes()

    def put_content(value, items):
        import numpy

        if value.dtype.hasobject:
            value[...] = objects(items, [value.shape, "C"])
        else:
            value[...] = numpy.frombuffer(bytes(items), value.dtype).reshape(value.shape)

    made.update({"tensor": tensor, "objects": objects, "view": view})
"""

TESTS_ARRAYS = f"""
{_BOTH}
    beyond_arrays, items_of_others, change_but_arrays = parts_beyond, items_of, change

    def is_of_numpy(value):
        return numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic))

    def parts_beyond(value, kind):
        if is_of_numpy(value) and kind.__module__.partition(".")[0] == "numpy":
            if kind.__name__ == "matrix":  # the program gets the array
                lowered.append(kind.__name__)
                value, kind = numpy.asarray(value), numpy.ndarray
            found = parts_of_tensor(value, kind)
            return found or unknown(kind.__name__)
        return beyond_arrays(value, kind)

    def items_of(value):
        if numpy is not None and type(value) is numpy.ndarray:
            return content_of(value)
        return items_of_others(value)

    def change(value, items):
        if numpy is not None and isinstance(value, numpy.ndarray):
            put_content(value, items)
        else:
            change_but_arrays(value, items)
"""

PROGRAM_ARRAYS = f"""
{_BOTH}
    beyond_arrays, copied_but_arrays, change_but_arrays = other_parts, copied, change_back

    def other_parts(value, kind):
        if is_tensor(value, kind):
            return parts_of_view(value, kind) or parts_of_tensor(value, kind)
        return beyond_arrays(value, kind)

    # A view of an array that both have, and that lies in memory as it is counted.
    def parts_of_view(value, kind):
        base = value.base if kind.__name__ == "ndarray" else None
        if type(base) is not kind or not base.flags.c_contiguous or base.dtype.hasobject:
            return None
        known = (each for whole in seen.values() for each in whole)
        if value.dtype.hasobject or not any(base is each for each in known):
            return None
        about = value.dtype.str, list(value.shape), value.ctypes.data - base.ctypes.data
        return ["view", 1, [*about, list(value.strides)]], [base]

    def copied(value):
        if is_tensor(value, type(value)) and type(value).__name__ == "ndarray":
            content = content_of(value)
            return tuple(content) if type(content) is list else content
        return copied_but_arrays(value)

    def change_back(value, items):
        if is_tensor(value, type(value)):
            put_content(value, items)
        else:
            change_but_arrays(value, items)

    def numpy_state(one, state):
        import numpy

        numpy.random.set_state(state)

    acts["numpy_state"] = numpy_state
"""
