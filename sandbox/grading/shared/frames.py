"""Texts, of both children, for frames, series and stamps of pandas: they cross by their values.

A frame is an index, its columns' names, and a column each; what a column of pandas is made of is
arrays of numpy, or a list with the name of its type. So a test compares, orders and looks into them
as it does with its own. What one side changes in place, the other has: both follow them by what
they are made of.
"""

_BOTH = """
    framed = ("DataFrame", "Series", "Index", "RangeIndex", "MultiIndex", "DatetimeIndex")
    framed += ("TimedeltaIndex", "CategoricalIndex", "Timestamp", "Timedelta", "NaTType", "NAType")

    def is_of_pandas(kind):
        home = getattr(kind, "__module__", "")
        return kind.__name__ in framed and str(home).partition(".")[0] == "pandas"

    def is_frame(value):
        return type(value).__name__ in ("DataFrame", "Series") and is_of_pandas(type(value))

    def parts_of_frame(value, kind):
        if not is_of_pandas(kind):
            return None
        name = kind.__name__
        if name in ("NaTType", "NAType"):
            return ["pandas", name], None
        if name == "Timestamp":
            zone = None if value.tz is None else str(value.tz)
            plain = value if zone is None else value.tz_convert("UTC").tz_localize(None)
            return ["stamp", 1, [value.unit, zone]], [plain.asm8]
        if name == "Timedelta":
            return ["delta", 1, value.unit], [value.asm8]
        if name == "DataFrame":
            columns = [value.iloc[:, place].array for place in range(value.shape[1])]
            items = [value.index, value.columns, *map(column_of, columns)]
            return ["frame", len(items), 0], items
        if name == "Series":
            return ["series", 3, 0], [column_of(value.array), value.index, value.name]
        if name == "RangeIndex":
            return ["range index", 4, 0], [value.start, value.stop, value.step, value.name]
        if name == "MultiIndex":
            return ["index of several", 2, 0], [value.tolist(), list(value.names)]
        pace = getattr(value, "freqstr", None)
        return ["index", 4, 0], [column_of(value.array), value.name, str(value.dtype), pace]

    # Of the arrays that are no lists of Python's: the array, or the codes and the categories.
    def column_of(values):
        kind, text = type(values).__name__, str(values.dtype)
        if kind == "Categorical":
            return ["categories", values.codes, values.categories, bool(values.ordered)]
        if kind == "DatetimeArray" and values.tz is not None:
            plain = values.tz_convert("UTC").tz_localize(None)
            return ["zoned", plain.to_numpy(), str(values.tz)]
        plain = values.to_numpy() if kind in plain_columns else None
        if plain is not None and plain.dtype.kind in "biufcmM":
            return ["array", plain]
        return ["list", list(values), text]

    plain_columns = ("NumpyExtensionArray", "PandasArray", "DatetimeArray", "TimedeltaArray")

    def column(parts):
        import pandas

        kind, values, *about = parts
        if kind == "array":
            return values
        if kind == "categories":
            return pandas.Categorical.from_codes(values, about[0], ordered=about[1] is True)
        if kind == "zoned":
            return pandas.DatetimeIndex(values).tz_localize("UTC").tz_convert(about[0]).array
        if about[0] == "object":
            found = pandas.Series([None] * len(values), dtype=object)
            for place, each in enumerate(values):
                found.array[place] = each
            return found.array
        return pandas.array(values, dtype=about[0])

    def frame(items, extra):
        import pandas

        index, names, *columns = items
        made = dict(enumerate(map(column, columns)))
        found = pandas.DataFrame(made, index=index, columns=range(len(columns)))
        found.columns = names
        return found

    def series(items, extra):
        import pandas

        return pandas.Series(column(items[0]), index=items[1], name=items[2])

    def index_of(items, extra):
        import pandas

        values, name, text, pace = items
        found = pandas.Index(column(values), name=name, dtype=None if "[" in text else text)
        if pace is not None:
            found.freq = pace
        return found

    def index_of_several(items, extra):
        import pandas

        return pandas.MultiIndex.from_tuples(items[0], names=items[1])

    def range_index(items, extra):
        import pandas

        return pandas.RangeIndex(*items[:3], name=items[3])

    def stamp(items, about):
        import pandas

        found = pandas.Timestamp(items[0]).as_unit(about[0])
        return found if about[1] is None else found.tz_localize("UTC").tz_convert(about[1])

    def delta(items, unit):
        import pandas

        return pandas.Timedelta(items[0]).as_unit(unit)

    def nothing_of_pandas(name):
        import pandas

        return pandas.NaT if name == "NaTType" else pandas.NA

    # What it is made of, to be compared: as a text, in which a NaN is like another.
    def state_of_frame(value):
        return repr(pack(value)).encode("utf-8", "backslashreplace")

    def change_frame(value, other):
        value._update_inplace(other)
        if type(value).__name__ == "Series":
            value.name = other.name

    made.update({
        "frame": frame, "series": series, "index": index_of, "range index": range_index,
        "index of several": index_of_several, "stamp": stamp, "delta": delta,
    })
    atoms["pandas"] = nothing_of_pandas
"""

TESTS_FRAMES = f"""
{_BOTH}
    plain_beyond, plain_items_of = parts_beyond, items_of
    plain_given_items, change_of_others = given_items, change

    def parts_beyond(value, kind):
        return parts_of_frame(value, kind) or plain_beyond(value, kind)

    def items_of(value):
        return state_of_frame(value) if is_frame(value) else plain_items_of(value)

    def given_items(value, items):
        return [value.copy()] if is_frame(value) else plain_given_items(value, items)

    def change(value, items):
        if is_frame(value):
            change_frame(value, items[0])
        else:
            change_of_others(value, items)
"""

PROGRAM_FRAMES = f"""
{_BOTH}
    plain_of_frames, copied_but_frames = other_parts, copied
    items_but_frames, restore_one = items_of, change_back

    def other_parts(value, kind):
        return parts_of_frame(value, kind) or plain_of_frames(value, kind)

    def copied(value):
        return state_of_frame(value) if is_frame(value) else copied_but_frames(value)

    def items_of(value, now):
        return [value.copy()] if is_frame(value) else items_but_frames(value, now)

    def change_back(value, items):
        if is_frame(value):
            change_frame(value, items[0])
        else:
            restore_one(value, items)
"""
