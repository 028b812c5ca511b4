"""All that the language layer can grant, as data: builtins, and modules with their names.

A policy grants a part of it; what is not here cannot be granted, as no maintainer has looked at it.
A name that the running Python lacks (`itertools.batched` before 3.12) may be granted and is then
simply absent. Where the raw object would be dangerous, the layer grants a stand-in of that name.
"""

from sandbox.language.library.names import LIBRARY
from sandbox.language.stdlib.files.names import FILES

BUILTINS = """
ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError
BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError
ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning
EnvironmentError Exception ExceptionGroup False FileExistsError FileNotFoundError
FloatingPointError FutureWarning GeneratorExit IOError ImportError ImportWarning IndentationError
IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError
ModuleNotFoundError NameError None NotADirectoryError NotImplemented NotImplementedError OSError
OverflowError PendingDeprecationWarning PermissionError ProcessLookupError PythonFinalizationError
RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration
StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError True
TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError
UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning ZeroDivisionError abs aiter
all anext any ascii bin bool bytearray bytes callable chr classmethod complex delattr dict dir
divmod enumerate eval exec exit filter float format frozenset getattr globals hasattr hash hex id
input int isinstance issubclass iter len list locals map max memoryview min next object oct open
ord pow print property quit range repr reversed round set setattr slice sorted staticmethod str
sum super tuple type vars zip
"""

_MODULES = """
__future__:
    absolute_import annotations division generator_stop generators nested_scopes print_function
    unicode_literals with_statement
abc:
    ABC ABCMeta abstractclassmethod abstractmethod abstractproperty abstractstaticmethod
    get_cache_token update_abstractmethods
array:
    ArrayType array typecodes
ast:
    literal_eval
asyncio:
    ALL_COMPLETED Barrier BoundedSemaphore BrokenBarrierError CancelledError Condition Event
    FIRST_COMPLETED FIRST_EXCEPTION Future Handle InvalidStateError LifoQueue Lock PriorityQueue
    Queue QueueEmpty QueueFull QueueShutDown Runner Semaphore Task TaskGroup Timeout TimeoutError
    TimerHandle all_tasks as_completed create_task current_task ensure_future gather
    get_event_loop get_running_loop iscoroutine iscoroutinefunction isfuture new_event_loop run
    set_event_loop shield sleep timeout timeout_at to_thread wait wait_for
atexit:
    register unregister
base64:
    a85decode a85encode b16decode b16encode b32decode b32encode b32hexdecode b32hexencode
    b64decode b64encode b85decode b85encode decodebytes encodebytes standard_b64decode
    standard_b64encode urlsafe_b64decode urlsafe_b64encode
binascii:
    Error Incomplete a2b_base64 a2b_hex a2b_qp a2b_uu b2a_base64 b2a_hex b2a_qp b2a_uu crc32
    crc_hqx hexlify unhexlify
bisect:
    bisect bisect_left bisect_right insort insort_left insort_right
calendar:
    APRIL AUGUST Calendar DECEMBER Day FEBRUARY FRIDAY HTMLCalendar IllegalMonthError
    IllegalWeekdayError JANUARY JULY JUNE MARCH MAY MONDAY Month NOVEMBER OCTOBER SATURDAY
    SEPTEMBER SUNDAY THURSDAY TUESDAY TextCalendar WEDNESDAY calendar day_abbr day_name
    firstweekday isleap leapdays month month_abbr month_name monthcalendar monthrange prcal
    prmonth setfirstweekday timegm weekday weekheader
cmath:
    acos acosh asin asinh atan atanh cos cosh e exp inf infj isclose isfinite isinf isnan log
    log10 nan nanj phase pi polar rect sin sinh sqrt tan tanh tau
collections:
    ChainMap Counter OrderedDict UserDict UserList UserString defaultdict deque namedtuple abc
collections.abc:
    AsyncGenerator AsyncIterable AsyncIterator Awaitable Buffer ByteString Callable Collection
    Container Coroutine Generator Hashable ItemsView Iterable Iterator KeysView Mapping
    MappingView MutableMapping MutableSequence MutableSet Reversible Sequence Set Sized ValuesView
colorsys:
    hls_to_rgb hsv_to_rgb rgb_to_hls rgb_to_hsv rgb_to_yiq yiq_to_rgb
concurrent:
    futures
concurrent.futures:
    ALL_COMPLETED CancelledError FIRST_COMPLETED FIRST_EXCEPTION Future InvalidStateError
    ThreadPoolExecutor TimeoutError as_completed wait
contextlib:
    AbstractAsyncContextManager AbstractContextManager AsyncExitStack ContextDecorator ExitStack
    aclosing asynccontextmanager closing contextmanager nullcontext redirect_stderr
    redirect_stdout suppress
copy:
    Error copy deepcopy replace
csv:
    Dialect DictReader DictWriter Error QUOTE_ALL QUOTE_MINIMAL QUOTE_NONE QUOTE_NONNUMERIC
    QUOTE_NOTNULL QUOTE_STRINGS Sniffer excel excel_tab field_size_limit get_dialect list_dialects
    reader register_dialect unix_dialect unregister_dialect writer
dataclasses:
    Field FrozenInstanceError InitVar KW_ONLY MISSING asdict astuple dataclass field fields
    is_dataclass replace
datetime:
    MAXYEAR MINYEAR UTC date datetime time timedelta timezone tzinfo
decimal:
    BasicContext Clamped Context ConversionSyntax Decimal DecimalException DecimalTuple
    DefaultContext DivisionByZero DivisionImpossible DivisionUndefined ExtendedContext
    FloatOperation HAVE_CONTEXTVAR HAVE_THREADS Inexact InvalidContext InvalidOperation MAX_EMAX
    MAX_PREC MIN_EMIN MIN_ETINY Overflow ROUND_05UP ROUND_CEILING ROUND_DOWN ROUND_FLOOR
    ROUND_HALF_DOWN ROUND_HALF_EVEN ROUND_HALF_UP ROUND_UP Rounded Subnormal Underflow getcontext
    localcontext setcontext
difflib:
    Differ HtmlDiff IS_CHARACTER_JUNK IS_LINE_JUNK Match SequenceMatcher context_diff
    get_close_matches ndiff restore unified_diff
enum:
    CONFORM CONTINUOUS EJECT Enum EnumCheck EnumMeta EnumType Flag FlagBoundary IntEnum IntFlag
    KEEP NAMED_FLAGS ReprEnum STRICT StrEnum UNIQUE auto member nonmember property unique verify
fnmatch:
    filter fnmatch fnmatchcase translate
fractions:
    Fraction
functools:
    Placeholder WRAPPER_ASSIGNMENTS WRAPPER_UPDATES cache cached_property cmp_to_key lru_cache
    partial partialmethod reduce singledispatch singledispatchmethod total_ordering
    update_wrapper wraps
gc:
    collect disable enable freeze isenabled
graphlib:
    CycleError TopologicalSorter
hashlib:
    algorithms_available algorithms_guaranteed blake2b blake2s md5 new sha1 sha224 sha256 sha384
    sha3_224 sha3_256 sha3_384 sha3_512 sha512 shake_128 shake_256
heapq:
    heapify heapify_max heappop heappop_max heappush heappush_max heappushpop heappushpop_max
    heapreplace heapreplace_max merge nlargest nsmallest
html:
    escape unescape
io:
    BlockingIOError BufferedIOBase BufferedRWPair BufferedRandom BufferedReader BufferedWriter
    BytesIO DEFAULT_BUFFER_SIZE IOBase RawIOBase SEEK_CUR SEEK_END SEEK_SET StringIO TextIOBase
    TextIOWrapper UnsupportedOperation open
itertools:
    accumulate batched chain combinations combinations_with_replacement compress count cycle
    dropwhile filterfalse groupby islice pairwise permutations product repeat starmap takewhile
    tee zip_longest
json:
    JSONDecodeError JSONDecoder JSONEncoder dump dumps load loads
keyword:
    iskeyword issoftkeyword kwlist softkwlist
math:
    acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees dist e erf
    erfc exp exp2 expm1 fabs factorial floor fma fmod frexp fsum gamma gcd hypot inf isclose
    isfinite isinf isnan isqrt lcm ldexp lgamma log log10 log1p log2 modf nan nextafter perm pi
    pow prod radians remainder sin sinh sqrt sumprod tan tanh tau trunc ulp
numbers:
    Complex Integral Number Rational Real
operator:
    abs add and_ attrgetter call concat contains countOf delitem eq floordiv ge getitem gt iadd
    iand iconcat ifloordiv ilshift imatmul imod imul index indexOf inv invert ior ipow irshift
    is_ is_none is_not is_not_none isub itemgetter itruediv ixor le length_hint lshift lt matmul
    methodcaller mod mul ne neg not_ or_ pos pow rshift setitem sub truediv truth xor
pprint:
    PrettyPrinter isreadable isrecursive pformat pp pprint saferepr
queue:
    Empty Full LifoQueue PriorityQueue Queue SimpleQueue
random:
    Random betavariate binomialvariate choice choices expovariate gammavariate gauss getrandbits
    getstate lognormvariate normalvariate paretovariate randbytes randint random randrange sample
    seed setstate shuffle triangular uniform vonmisesvariate weibullvariate
re:
    A ASCII DEBUG DOTALL I IGNORECASE L LOCALE M MULTILINE Match NOFLAG Pattern PatternError
    RegexFlag S U UNICODE VERBOSE X compile error escape findall finditer fullmatch match purge
    search split sub subn
resource:
    RLIMIT_AS RLIMIT_DATA RLIMIT_STACK RLIM_INFINITY getrlimit setrlimit
sandbox:
    Job Policy PolicyError Result Sandbox SandboxClosed SandboxError SandboxUnavailable Status
    extract_code grade grade_many restricted_execution
statistics:
    NormalDist StatisticsError correlation covariance fmean geometric_mean harmonic_mean kde
    linear_regression mean median median_grouped median_high median_low mode multimode pstdev
    pvariance quantiles stdev variance
string:
    Template ascii_letters ascii_lowercase ascii_uppercase capwords digits hexdigits octdigits
    printable punctuation whitespace
string.templatelib:
    Interpolation Template convert
struct:
    Struct calcsize error iter_unpack pack pack_into unpack unpack_from
sys:
    argv byteorder copyright exc_info exit float_info float_repr_style get_int_max_str_digits
    getdefaultencoding getrecursionlimit getrefcount getsizeof hash_info hexversion int_info
    intern maxsize maxunicode path platform set_int_max_str_digits setrecursionlimit stderr stdin
    stdout version version_info __stdin__ __stdout__ __stderr__
textwrap:
    TextWrapper dedent fill indent shorten wrap
threading:
    Barrier BoundedSemaphore Condition Event Lock RLock Semaphore Thread ThreadError Timer
    active_count current_thread enumerate get_ident local main_thread stack_size
time:
    asctime ctime gmtime localtime mktime monotonic monotonic_ns perf_counter perf_counter_ns
    process_time process_time_ns sleep strftime strptime struct_time time time_ns timezone tzname
timeit:
    Timer default_timer repeat timeit
traceback:
    format_exc format_exception format_exception_only print_exc print_exception
types:
    AsyncGeneratorType BuiltinFunctionType BuiltinMethodType ClassMethodDescriptorType
    CoroutineType DynamicClassAttribute EllipsisType FunctionType GeneratorType GenericAlias
    LambdaType MappingProxyType MethodType ModuleType NoneType NotImplementedType SimpleNamespace
    UnionType
typing:
    AbstractSet Annotated Any AnyStr AsyncContextManager AsyncGenerator AsyncIterable
    AsyncIterator Awaitable BinaryIO ByteString Callable ChainMap ClassVar Collection Concatenate
    Container ContextManager Coroutine Counter DefaultDict Deque Dict Final FrozenSet Generator
    Generic Hashable IO ItemsView Iterable Iterator KeysView List Literal LiteralString Mapping
    MappingView Match MutableMapping MutableSequence MutableSet NamedTuple Never NewType NoDefault
    NoReturn NotRequired Optional OrderedDict ParamSpec ParamSpecArgs ParamSpecKwargs Pattern
    Protocol ReadOnly Required Reversible Self Sequence Set Sized SupportsAbs SupportsBytes
    SupportsComplex SupportsFloat SupportsIndex SupportsInt SupportsRound TYPE_CHECKING Text
    TextIO Tuple Type TypeAlias TypeAliasType TypeGuard TypeIs TypeVar TypeVarTuple TypedDict
    Union Unpack ValuesView assert_never assert_type cast dataclass_transform final is_typeddict
    overload override runtime_checkable
unicodedata:
    bidirectional category combining decimal decomposition digit east_asian_width is_normalized
    lookup mirrored name normalize numeric unidata_version
urllib:
    parse
urllib.parse:
    ParseResult SplitResult parse_qs parse_qsl quote quote_from_bytes quote_plus unquote
    unquote_plus unquote_to_bytes urldefrag urlencode urljoin urlparse urlsplit urlunparse
    urlunsplit
uuid:
    NAMESPACE_DNS NAMESPACE_OID NAMESPACE_URL NAMESPACE_X500 RESERVED_FUTURE RESERVED_MICROSOFT
    RESERVED_NCS RFC_4122 SafeUUID UUID uuid1 uuid3 uuid4 uuid5
warnings:
    catch_warnings filterwarnings resetwarnings simplefilter warn
weakref:
    ReferenceType WeakKeyDictionary WeakSet WeakValueDictionary getweakrefcount getweakrefs proxy
    ref
zlib:
    DEFLATED MAX_WBITS Z_BEST_COMPRESSION Z_BEST_SPEED Z_DEFAULT_COMPRESSION adler32 compress
    compressobj crc32 decompress decompressobj error
"""


def _modules() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for part in (_MODULES + FILES + LIBRARY).replace(":\n", ":").strip().split("\n"):
        head, colon, names = part.partition(":")
        if colon:
            module = head
            found[module] = ()
        found[module] += tuple((names if colon else part).split())
    found["builtins"] = tuple(set(BUILTINS.split()) - {"None", "True", "False"})
    return found


MODULES = _modules()
# By module, the Python that first has it: before, a policy that grants it grants nothing by that.
SINCE = {"string.templatelib": (3, 14)}


def supported() -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """The builtins, and for each module the names, that a policy may grant. Imports nothing."""
    return (
        tuple(sorted(BUILTINS.split())),
        {module: tuple(sorted(names)) for module, names in sorted(MODULES.items())},
    )
