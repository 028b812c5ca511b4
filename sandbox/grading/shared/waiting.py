"""Text, in the tests' child, for a program that waits for something of the test's without end.

A queue, a lock or an event that a test gave waits there when the program asks it to. While no other
thread runs, nothing can end that: the program has failed, and no clock has a say in it.
"""

TESTS_WAITING = """
    import signal

    waiting_homes = ("queue", "_queue", "threading", "_thread")
    # Which argument says when a wait ends by itself.
    timeouts = {"get": 1, "put": 2, "acquire": 1, "wait": 0, "join": 0, "wait_for": 1}
    most_rings = 3  # a process that has so many turns, one after the other, and goes on waiting

    def may_wait(target, act):
        owner = getattr(target, "__self__", None) if act == "__call__" else target
        return any(home.__module__ in waiting_homes for home in type(owner).__mro__)

    def waited(act, function, args, kwargs):
        place = timeouts.get(getattr(function, "__name__", act), 99)
        timeout = args[place] if len(args) > place else kwargs.get("timeout")
        is_main = threading.current_thread() is threading.main_thread()
        if not is_main or timeout not in (None, -1):
            return function(*args, **kwargs)
        rings = []

        def ring(number, frame):
            rings.append(threading.active_count() == 1)
            if len(rings) >= most_rings and all(rings[-most_rings:]):
                raise Ended("the program waits without end for what the test gave it")

        before = signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, 0.5, 0.5)
        try:
            return function(*args, **kwargs)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
"""
