"""Public attributes of the host's types that programs read without a guard, each looked at.

Of Python 3.11 to 3.14, made by `scripts/host_attributes.py`: types that share their names, a colon,
and the names. A group's reason says why reading them hands out nothing of the host's. What a later
Python adds is not here, and so not read; names that `compile/names.py` refuses are in no list.
"""

# Looked at, and refused: the first is another's variable, the second makes an alias of anything,
# the rest are functions that CPython 3.14 makes of what stands behind a type parameter.
LEFT_OUT = frozenset(
    (
        *("cell_contents", "copy_with", "evaluate_bound", "evaluate_constraints"),
        *("evaluate_default", "evaluate_value"),
    )
)

OWNED = """
# Values, containers and what iterates over them: what is read is part of the value or
# computes with it. Exceptions hold what they were made with; properties the functions of a class.
builtins.AttributeError builtins.NameError: name
builtins.BaseException: add_note args with_traceback
builtins.BaseExceptionGroup: derive exceptions message split subgroup
builtins.ImportError: msg name name_from path
builtins.OSError: characters_written errno filename filename2 strerror
builtins.StopIteration: value
builtins.SyntaxError: end_lineno end_offset filename lineno msg offset print_file_and_line text
builtins.SystemExit: code
builtins.UnicodeDecodeError builtins.UnicodeEncodeError builtins.UnicodeTranslateError: encoding
    end object reason start
builtins.anext_awaitable builtins.async_generator_asend builtins.async_generator_athrow
    builtins.coroutine_wrapper: close send throw
builtins.async_generator: aclose ag_running ag_suspended asend athrow
builtins.bytearray: append capitalize center clear copy count decode endswith expandtabs extend
    find fromhex hex index insert isalnum isalpha isascii isdigit islower isspace istitle
    isupper join ljust lower lstrip maketrans partition pop remove removeprefix removesuffix
    replace resize reverse rfind rindex rjust rpartition rsplit rstrip split splitlines
    startswith strip swapcase title translate upper zfill
builtins.bytes: capitalize center count decode endswith expandtabs find fromhex hex index
    isalnum isalpha isascii isdigit islower isspace istitle isupper join ljust lower lstrip
    maketrans partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit
    rstrip split splitlines startswith strip swapcase title translate upper zfill
builtins.complex: conjugate from_number imag real
builtins.coroutine: close cr_running cr_suspended send throw
builtins.dict: clear copy fromkeys get items keys pop popitem setdefault update values
builtins.dict_items builtins.dict_keys: isdisjoint mapping
builtins.dict_values: mapping
builtins.float: as_integer_ratio conjugate from_number fromhex hex imag is_integer real
builtins.frozenset: copy difference intersection isdisjoint issubset issuperset
    symmetric_difference union
builtins.generator: close gi_running gi_suspended send throw
builtins.int: as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag
    is_integer numerator real to_bytes
builtins.list: append clear copy count extend index insert pop remove reverse sort
builtins.mappingproxy: copy get items keys values
builtins.memoryview: c_contiguous cast contiguous count f_contiguous hex index itemsize nbytes
    ndim readonly release shape strides suboffsets tobytes tolist toreadonly
builtins.property: deleter fdel fget fset getter setter
builtins.range: count index start step stop
builtins.set: add clear copy difference difference_update discard intersection
    intersection_update isdisjoint issubset issuperset pop remove symmetric_difference
    symmetric_difference_update union update
builtins.slice: indices start step stop
builtins.str: capitalize casefold center count encode endswith expandtabs find index isalnum
    isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle
    isupper join ljust lower lstrip maketrans partition removeprefix removesuffix replace rfind
    rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase title
    translate upper zfill
builtins.traceback: tb_lasti tb_lineno
builtins.tuple: count index
# Streams in memory. What they read and write is what the program gave them.
_io.BytesIO: close closed flush getbuffer getvalue isatty read read1 readable readinto readline
    readlines seek seekable tell truncate writable write writelines
_io.StringIO: close closed getvalue line_buffering newlines read readable readline seek seekable
    tell truncate writable write
_io.TextIOWrapper: buffer close closed detach encoding errors fileno flush isatty line_buffering
    name newlines read readable readline reconfigure seek seekable tell truncate writable write
    write_through
_io._BufferedIOBase: detach read read1 readinto readinto1 write
_io._IOBase: close closed fileno flush isatty readable readline readlines seek seekable tell
    truncate writable writelines
_io._RawIOBase: read readall readinto write
_io._TextIOBase: detach encoding errors newlines read readline write
# Says something to a type checker.
io.Reader: read
io.Writer: write
typing.BinaryIO: write
typing.IO: close closed fileno flush isatty mode name read readable readline readlines seek
    seekable tell truncate writable write writelines
typing.ParamSpec: args has_default kwargs
typing.TextIO: buffer encoding errors line_buffering newlines
typing.TypeVar typing.TypeVarTuple: has_default
# A descriptor, and its functions.
types.DynamicClassAttribute: deleter getter setter
# Abstract classes, and containers of the standard library: they hold what the program gave.
_weakrefset.WeakSet: add clear copy difference difference_update discard intersection
    intersection_update isdisjoint issubset issuperset pop remove symmetric_difference
    symmetric_difference_update union update
array.array: append buffer_info byteswap clear count extend frombytes fromfile fromlist
    fromunicode index insert itemsize pop remove reverse tobytes tofile tolist tounicode
    typecode
collections.ChainMap: clear copy fromkeys get new_child parents pop popitem
collections.Counter: copy elements fromkeys most_common subtract total update
collections.OrderedDict: clear copy fromkeys items keys move_to_end pop popitem setdefault
    update values
collections.UserDict: copy fromkeys get
collections.UserList: append clear copy count extend index insert pop remove reverse sort
collections.UserString: capitalize casefold center count encode endswith expandtabs find index
    isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace
    istitle isupper join ljust lower lstrip maketrans partition removeprefix removesuffix
    replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip
    swapcase title translate upper zfill
collections.abc.AsyncGenerator: aclose asend athrow
collections.abc.Coroutine collections.abc.Generator: close send throw
collections.abc.Mapping: get items keys values
collections.abc.MutableMapping: clear pop popitem setdefault update
collections.abc.MutableSequence: append clear extend insert pop remove reverse
collections.abc.MutableSet: add clear discard pop remove
collections.abc.Sequence: count index
collections.abc.Set: isdisjoint
collections.defaultdict: copy default_factory
collections.deque: append appendleft clear copy count extend extendleft index insert maxlen pop
    popleft remove reverse rotate
contextlib.AsyncExitStack: aclose enter_async_context push_async_callback push_async_exit
contextlib.ExitStack: close
contextlib._BaseExitStack: callback enter_context pop_all push
enum.Enum: name value
enum.EnumCheck: CONTINUOUS NAMED_FLAGS UNIQUE
enum.FlagBoundary: CONFORM EJECT KEEP STRICT
enum.property: member
graphlib.TopologicalSorter: add done get_ready is_active prepare static_order
itertools.chain: from_iterable
numbers.Complex numbers.Real: conjugate imag real
numbers.Integral numbers.Rational: denominator numerator
weakref.KeyedRef: key
weakref.WeakKeyDictionary: copy get items keyrefs keys pop popitem setdefault update values
weakref.WeakValueDictionary: copy get items itervaluerefs keys pop popitem setdefault update
    valuerefs values
# Digests of bytes.
_blake2.blake2b _blake2.blake2s: MAX_DIGEST_SIZE MAX_KEY_SIZE PERSON_SIZE SALT_SIZE block_size
    copy digest digest_size hexdigest name update
_md5.md5 _sha1.sha1 _sha2.SHA224Type _sha2.SHA256Type _sha2.SHA384Type _sha2.SHA512Type
    _sha256.sha224 _sha256.sha256 _sha3.sha3_224 _sha3.sha3_256 _sha3.sha3_384 _sha3.sha3_512
    _sha3.shake_128 _sha3.shake_256 _sha512.sha384 _sha512.sha512: block_size copy digest
    digest_size hexdigest name update
_struct.Struct: iter_unpack pack pack_into size unpack unpack_from
zlib.Compress: compress copy flush
zlib.Decompress: copy decompress eof flush unconsumed_tail unused_data
zlib._ZlibDecompressor: decompress eof needs_input unused_data
# Dates and numbers: values that nothing can change, and computing with them.
_random.Random: getrandbits getstate random seed setstate
datetime.IsoCalendarDate: week weekday year
datetime.date: ctime day fromisocalendar fromisoformat fromordinal fromtimestamp isocalendar
    isoformat isoweekday max min month replace resolution strftime strptime timetuple today
    toordinal weekday year
datetime.datetime: astimezone combine ctime date dst fold fromisoformat fromtimestamp hour
    isoformat max microsecond min minute now replace resolution second strptime time timestamp
    timetuple timetz tzinfo tzname utcfromtimestamp utcnow utcoffset utctimetuple
datetime.time: dst fold fromisoformat hour isoformat max microsecond min minute replace
    resolution second strftime strptime tzinfo tzname utcoffset
datetime.timedelta: days max microseconds min resolution seconds total_seconds
datetime.timezone: dst fromutc max min tzname utc utcoffset
datetime.tzinfo: dst fromutc tzname utcoffset
decimal.Context: Emax Emin Etiny Etop abs add canonical capitals clamp clear_flags clear_traps
    compare compare_signal compare_total compare_total_mag copy copy_abs copy_decimal
    copy_negate copy_sign create_decimal create_decimal_from_float divide divide_int divmod exp
    fma is_canonical is_finite is_infinite is_nan is_normal is_qnan is_signed is_snan
    is_subnormal is_zero ln log10 logb logical_and logical_invert logical_or logical_xor max
    max_mag min min_mag minus multiply next_minus next_plus next_toward normalize number_class
    plus power prec quantize radix remainder remainder_near rotate rounding same_quantum scaleb
    shift sqrt subtract to_eng_string to_integral to_integral_exact to_integral_value
    to_sci_string
decimal.Decimal: adjusted as_integer_ratio as_tuple canonical compare compare_signal
    compare_total compare_total_mag conjugate copy_abs copy_negate copy_sign exp fma from_float
    from_number imag is_canonical is_finite is_infinite is_nan is_normal is_qnan is_signed
    is_snan is_subnormal is_zero ln log10 logb logical_and logical_invert logical_or logical_xor
    max max_mag min min_mag next_minus next_plus next_toward normalize number_class quantize
    radix real remainder_near rotate same_quantum scaleb shift sqrt to_eng_string to_integral
    to_integral_exact to_integral_value
decimal.DecimalTuple: digits exponent sign
decimal.SignalDictMixin: copy
fractions.Fraction: as_integer_ratio denominator from_decimal from_float from_number is_integer
    limit_denominator numerator
random.Random: VERSION betavariate binomialvariate choice choices expovariate gammavariate gauss
    getstate lognormvariate normalvariate paretovariate randbytes randint randrange sample seed
    setstate shuffle triangular uniform vonmisesvariate weibullvariate
statistics.LinearRegression: intercept slope
statistics.NormalDist: cdf from_samples inv_cdf mean median mode overlap pdf quantiles samples
    stdev variance zscore
uuid.SafeUUID: safe unknown unsafe
uuid.UUID: bytes bytes_le clock_seq clock_seq_hi_variant clock_seq_low fields hex int is_safe node
    time time_hi_version time_low time_mid urn variant version
# Text and tables: strings, numbers and lists of them come out.
_csv.Dialect: delimiter doublequote escapechar lineterminator quotechar quoting skipinitialspace
    strict
_csv.reader: dialect line_num
_csv.writer: dialect writerow writerows
_json.Encoder: default encoder indent item_separator key_separator markers skipkeys sort_keys
_json.Scanner: object_hook object_pairs_hook parse_constant parse_float parse_int strict
_sre.SRE_Scanner: match pattern search
calendar.Calendar: firstweekday getfirstweekday itermonthdates itermonthdays itermonthdays2
    itermonthdays3 itermonthdays4 iterweekdays monthdatescalendar monthdays2calendar
    monthdayscalendar setfirstweekday yeardatescalendar yeardays2calendar yeardayscalendar
calendar.Day: FRIDAY MONDAY SATURDAY SUNDAY THURSDAY TUESDAY WEDNESDAY
calendar.HTMLCalendar: cssclass_month cssclass_month_head cssclass_noday cssclass_year
    cssclass_year_head cssclasses cssclasses_weekday_head formatday formatmonth formatmonthname
    formatweek formatweekday formatweekheader formatyear formatyearpage
calendar.Month: APRIL AUGUST DECEMBER FEBRUARY JANUARY JULY JUNE MARCH MAY NOVEMBER OCTOBER
    SEPTEMBER
calendar.TextCalendar: formatday formatmonth formatmonthname formatweek formatweekday
    formatweekheader formatyear prmonth prweek pryear
csv.Dialect: delimiter doublequote escapechar lineterminator quotechar quoting skipinitialspace
csv.DictReader: fieldnames
csv.DictWriter: writeheader writerow writerows
csv.Sniffer: has_header sniff
csv.excel csv.unix_dialect: delimiter doublequote lineterminator quotechar quoting
    skipinitialspace
csv.excel_tab: delimiter
difflib.Differ: compare
difflib.HtmlDiff: make_file make_table
difflib.Match: a b size
difflib.SequenceMatcher: find_longest_match get_grouped_opcodes get_matching_blocks get_opcodes
    quick_ratio ratio real_quick_ratio set_seq1 set_seq2 set_seqs
json.decoder.JSONDecoder: decode raw_decode
json.encoder.JSONEncoder: default encode item_separator iterencode key_separator
pprint.PrettyPrinter: isreadable isrecursive pformat pprint
re.Match: end endpos expand group groupdict groups lastgroup lastindex pos re regs span start
    string
re.Pattern: findall finditer flags fullmatch groups match pattern scanner search split sub subn
re.RegexFlag: A ASCII DEBUG DOTALL I IGNORECASE L LOCALE M MULTILINE NOFLAG S T TEMPLATE U
    UNICODE VERBOSE X
string.Template: braceidpattern delimiter flags get_identifiers idpattern is_valid pattern
    safe_substitute substitute
textwrap.TextWrapper: fill sentence_end_re unicode_whitespace_trans wordsep_re wordsep_simple_re
    wrap
urllib.parse.DefragResult: fragment geturl url
urllib.parse.DefragResultBytes urllib.parse.ParseResultBytes urllib.parse.SplitResultBytes:
    geturl
urllib.parse._DefragResultBase: fragment url
urllib.parse._ParseResultBase: fragment netloc params path query scheme
urllib.parse._SplitResultBase: fragment netloc path query scheme
urllib.parse.ParseResult: fragment geturl netloc params path query scheme
urllib.parse.SplitResult: fragment geturl netloc path query scheme
urllib.parse._NetlocResultMixinBase: hostname password port username
urllib.parse._ResultMixinBytes: decode
urllib.parse._ResultMixinStr: encode
# Templates (PEP 750): the texts of one, and what the program put between them.
string.templatelib.Interpolation: conversion expression format_spec value
string.templatelib.Template: interpolations strings values
# Evaluates a text: refused by the method itself, see `stdlib/data/typing.py`.
annotationlib.ForwardRef: evaluate
# Wrappers, and what the program gave them.
dataclasses.Field: compare default default_factory doc hash init kw_only metadata name repr type
dataclasses.InitVar: type
functools.CacheInfo: currsize hits maxsize misses
functools._lru_cache_wrapper: cache_clear cache_info
functools.partial: args func keywords
functools.singledispatchmethod: register
# Figures of the interpreter, as tuples with names.
__future__._Feature: getMandatoryRelease getOptionalRelease
sys.float_info: dig epsilon mant_dig max max_10_exp max_exp min min_10_exp min_exp n_fields
    n_sequence_fields n_unnamed_fields radix rounds
sys.hash_info: algorithm cutoff hash_bits imag inf modulus n_fields n_sequence_fields
    n_unnamed_fields nan seed_bits width
sys.int_info: bits_per_digit default_max_str_digits n_fields n_sequence_fields n_unnamed_fields
    sizeof_digit str_digits_check_threshold
sys.version_info: major micro minor n_fields n_sequence_fields n_unnamed_fields releaselevel
    serial
time.struct_time: n_fields n_sequence_fields n_unnamed_fields tm_gmtoff tm_hour tm_isdst tm_mday
    tm_min tm_mon tm_sec tm_wday tm_yday tm_year tm_zone
"""
