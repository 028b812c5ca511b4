"""Costs of granted names in one call, and reasons why they answer differently in another run.

Tables only. A name is a builtin, or `module.name`.
"""

from sandbox.language.compile.words import words

TIME, MEMORY, STACK = "cpu_seconds", "memory_mib", "recursion_limit"

# One call, in C, for as long or as much as its arguments say: held by this limit alone.
COSTS = {
    TIME: words(
        """
        pow sum all any min max sorted list tuple set dict frozenset divmod int str
        math.factorial math.comb math.perm math.prod math.fsum math.sumprod math.dist
        re.match re.search re.fullmatch re.findall re.finditer re.sub re.subn re.split re.compile
        itertools.count itertools.cycle itertools.repeat itertools.product itertools.permutations
        itertools.combinations itertools.combinations_with_replacement
        functools.reduce collections.deque collections.Counter heapq.merge heapq.nlargest
        heapq.nsmallest operator.pow operator.countOf operator.indexOf operator.contains
        decimal.Decimal fractions.Fraction statistics.quantiles statistics.linear_regression
        difflib.SequenceMatcher difflib.get_close_matches difflib.ndiff difflib.HtmlDiff
        hashlib.new hashlib.sha256 hashlib.sha512 hashlib.md5 hashlib.sha1 hashlib.blake2b
        zlib.compress zlib.crc32 fnmatch.fnmatch fnmatch.filter random.sample random.shuffle
        json.loads json.dumps copy.deepcopy unicodedata.normalize textwrap.wrap eval exec
        """
    ),
    MEMORY: words(
        """
        bytes bytearray list tuple set dict str format int pow math.factorial math.perm
        itertools.tee itertools.product zlib.decompress zlib.decompressobj array.array
        struct.pack struct.Struct random.randbytes random.getrandbits io.StringIO io.BytesIO
        decimal.Decimal fractions.Fraction copy.deepcopy re.compile string.Template
        collections.deque operator.mul operator.concat operator.pow calendar.calendar
        """
    ),
    STACK: words("json.loads json.dumps copy.deepcopy repr pprint.pprint eval exec"),
}
HELD_BY = {
    TIME: "the supervisor's timer on the child's CPU clock ends it, with RLIMIT_CPU behind it",
    MEMORY: "RLIMIT_DATA and RLIMIT_AS end it (layer rlimits)",
    STACK: "the interpreter's depth and the guarded stack end it",
}
# Beyond these a limit no longer bounds what one such call does to a training step.
LONG_CPU_SECONDS = 60.0
LARGE_MEMORY_MIB = 4096

CLOCKS = words(
    """
    time.time time.time_ns time.monotonic time.monotonic_ns time.perf_counter time.localtime
    time.perf_counter_ns time.process_time time.process_time_ns time.gmtime time.ctime
    time.asctime time.strftime datetime.datetime datetime.date timeit.timeit timeit.repeat
    timeit.Timer timeit.default_timer calendar.TextCalendar calendar.HTMLCalendar
    """
)
ADDRESSES = words("id object repr hash weakref.ref set frozenset")
COUNTS = words("sys.getrefcount sys.getsizeof gc.collect os.getpid threading.get_ident")
SEEDED = words(
    """
    random.random random.randint random.Random random.choice random.shuffle random.getrandbits
    random.randrange random.sample random.uniform random.choices random.randbytes random.gauss
    """
)
