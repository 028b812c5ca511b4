"""Text of the tests' child that raises there again what a program raised.

An exception arrives as one of its nearest base that a test can name: a built-in class, or one of
the library's, which is known by where its module says that it is from. A program that says so of a
class of its own could have raised the library's as well.
"""

# By the modules that tests import them from: where exceptions of the library say that they are
# from, and their names.
_LIBRARY = {
    "asyncio": {
        "asyncio.exceptions": "BrokenBarrierError InvalidStateError",
        "asyncio.queues": "QueueEmpty QueueFull QueueShutDown",
    },
    "binascii": {"binascii": "Error Incomplete"},
    "calendar": {"calendar": "IllegalMonthError IllegalWeekdayError"},
    "concurrent.futures": {"concurrent.futures._base": "CancelledError InvalidStateError"},
    "copy": {"copy": "Error"},
    "csv": {"_csv": "Error"},
    "dataclasses": {"dataclasses": "FrozenInstanceError"},
    "decimal": {
        "decimal": "Clamped DecimalException DivisionByZero FloatOperation Inexact InvalidOperation"
        " Overflow Rounded Subnormal Underflow"
    },
    "graphlib": {"graphlib": "CycleError"},
    "io": {"io": "UnsupportedOperation"},
    "json": {"json.decoder": "JSONDecodeError"},
    "queue": {"queue": "Empty Full ShutDown", "_queue": "Empty"},
    "re": {"re": "error PatternError"},
    "statistics": {"statistics": "StatisticsError"},
    "struct": {"struct": "error"},
    "zlib": {"zlib": "error"},
}
_PLACES = {
    (origin, name): module
    for module, origins in _LIBRARY.items()
    for origin, names in origins.items()
    for name in names.split()
}

RAISING = f"""
    places = {_PLACES!r}
    classes = {{}}  # by origin and name; None for what this child has not

    def error_of(names, text, number, is_own, origins, args, cause):
        error = raised(names, args, text, is_own, origins)
        if number not in standing:
            keep(number, error)
        if cause is not None:
            error.__cause__ = cause
        return standing[number]

    def of_library(origin, name):
        place = origin, name
        if place in places and place not in classes:
            scope = {{"found": None}}
            try:
                exec("from " + places[place] + " import " + name + " as found", scope)
            except Exception:
                pass  # the policy of the tests has no such module, or Python no such class
            classes[place] = scope["found"]
        return classes.get(place)

    def raised(names, args, text, is_own, origins):
        base, of_texts = BaseException, {{"__str__": lambda self: text}}
        for name, origin in zip(names, origins):
            found = getattr(builtins, name, None)
            if isinstance(found, type) and issubclass(found, BaseException):
                base = found
                break
            found = of_library(origin, name)
            if found is not None:
                base = found
                # What it has beside its arguments, which are not all that made it, is asked for.
                of_texts["__init__"] = lambda self, *args: None
                break
        # Of a program's: any iterator of the test's would end at it, and all() be True.
        if issubclass(base, (StopIteration, StopAsyncIteration)):
            if not knows_stop[0]:
                return GuestError(names[0] + ": " + text)
            believed.append(names[0])
        count = len(refused), len(asked)
        for given in (args, (text,)):
            try:
                if names[0] == base.__name__ and not is_own:
                    error = base(*given)
                    if str(error) == text:
                        return error
                return type(names[0], (base, Own), of_texts)(*given)
            except Exception:
                continue
            except Unknown:  # its text is that of an argument which could not cross
                del refused[count[0] :], asked[count[1] :]
        return GuestError(names[0] + ": " + text)
"""
