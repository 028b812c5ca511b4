"""The part of the catalog that is about library modules, with the names that can be granted."""

LIBRARY = """
argparse:
    Action ArgumentDefaultsHelpFormatter ArgumentError ArgumentParser ArgumentTypeError
    BooleanOptionalAction FileType HelpFormatter MetavarTypeHelpFormatter Namespace ONE_OR_MORE
    OPTIONAL PARSER REMAINDER RawDescriptionHelpFormatter RawTextHelpFormatter SUPPRESS
    ZERO_OR_MORE
cmd:
    Cmd
configparser:
    BasicInterpolation ConfigParser ConverterMapping DEFAULTSECT DuplicateOptionError
    DuplicateSectionError Error ExtendedInterpolation Interpolation InterpolationDepthError
    InterpolationError InterpolationMissingOptionError InterpolationSyntaxError
    LegacyInterpolation MAX_INTERPOLATION_DEPTH MissingSectionHeaderError MultilineContinuationError
    NoOptionError NoSectionError ParsingError RawConfigParser SectionProxy UNNAMED_SECTION
    UnnamedSectionDisabledError
doctest:
    BLANKLINE_MARKER COMPARISON_FLAGS DONT_ACCEPT_BLANKLINE DONT_ACCEPT_TRUE_FOR_1 DebugRunner
    DocTest DocTestFailure DocTestFinder DocTestParser DocTestRunner ELLIPSIS
    ELLIPSIS_MARKER Example FAIL_FAST IGNORE_EXCEPTION_DETAIL NORMALIZE_WHITESPACE
    OPTIONFLAGS_BY_NAME OutputChecker REPORTING_FLAGS REPORT_CDIFF REPORT_NDIFF
    REPORT_ONLY_FIRST_FAILURE REPORT_UDIFF SKIP TestResults UnexpectedException
    register_optionflag run_docstring_examples script_from_examples testmod
fileinput:
    FileInput close filelineno filename fileno hook_encoded input isfirstline isstdin lineno
    nextfile
getopt:
    GetoptError error getopt gnu_getopt
hmac:
    HMAC compare_digest digest new
html.entities:
    codepoint2name entitydefs html5 name2codepoint
html.parser:
    HTMLParser
inspect:
    ArgInfo Attribute BoundArguments ClosureVars FullArgSpec Parameter Signature
    classify_class_attrs cleandoc formatargvalues formatannotation get_annotations getabsfile
    getattr_static getclasstree getcallargs getdoc getfile getfullargspec getmembers
    getmembers_static getmodule getmodulename getmro getsource getsourcefile getsourcelines
    indentsize isabstract isasyncgen isasyncgenfunction isawaitable isbuiltin isclass iscode
    iscoroutine iscoroutinefunction isdatadescriptor isframe isfunction isgenerator
    isgeneratorfunction isgetsetdescriptor ismemberdescriptor ismethod ismethoddescriptor
    ismethodwrapper ismodule isroutine istraceback markcoroutinefunction signature unwrap
ipaddress:
    AddressValueError IPv4Address IPv4Interface IPv4Network IPv6Address IPv6Interface IPv6Network
    NetmaskValueError collapse_addresses get_mixed_type_key ip_address ip_interface ip_network
    summarize_address_range v4_int_to_packed v6_int_to_packed
logging:
    BASIC_FORMAT BufferingFormatter CRITICAL DEBUG ERROR FATAL FileHandler Filter Filterer Formatter
    Handler INFO LogRecord Logger LoggerAdapter Manager NOTSET NullHandler PercentStyle
    PlaceHolder RootLogger StrFormatStyle StreamHandler StringTemplateStyle WARN WARNING
    addLevelName basicConfig captureWarnings critical debug disable error exception fatal
    getHandlerByName getHandlerNames getLevelName getLevelNamesMapping getLogRecordFactory
    getLogger getLoggerClass info lastResort log logProcesses logThreads makeLogRecord
    raiseExceptions root setLogRecordFactory setLoggerClass shutdown warn warning
optparse:
    AmbiguousOptionError BadOptionError HelpFormatter IndentedHelpFormatter NO_DEFAULT OptParseError
    Option OptionConflictError OptionContainer OptionError OptionGroup OptionParser
    OptionValueError SUPPRESS_HELP SUPPRESS_USAGE TitledHelpFormatter Values check_choice
    make_option
reprlib:
    Repr aRepr recursive_repr repr
sched:
    Event scheduler
secrets:
    DEFAULT_ENTROPY SystemRandom choice compare_digest randbelow randbits token_bytes token_hex
    token_urlsafe
shlex:
    join quote shlex split
tomllib:
    TOMLDecodeError load loads
unittest:
    BaseTestSuite FunctionTestCase IsolatedAsyncioTestCase SkipTest TestCase TestLoader TestProgram
    TestResult TestSuite TextTestResult TextTestRunner addModuleCleanup defaultTestLoader
    doModuleCleanups enterModuleContext expectedFailure findTestCases getTestCaseNames
    installHandler main makeSuite registerResult removeHandler removeResult skip skipIf skipUnless
unittest.case:
    FunctionTestCase SkipTest TestCase addModuleCleanup doModuleCleanups enterModuleContext
    expectedFailure skip skipIf skipUnless
unittest.loader:
    TestLoader defaultTestLoader
unittest.main:
    TestProgram main
unittest.mock:
    ANY AsyncMock CallableMixin DEFAULT FILTER_DIR InvalidSpecError MagicMixin MagicMock Mock
    NonCallableMagicMock NonCallableMock PropertyMock ThreadingMock call create_autospec mock_open
    patch seal sentinel
unittest.result:
    TestResult failfast
unittest.runner:
    TextTestResult TextTestRunner
unittest.suite:
    BaseTestSuite TestSuite
"""
