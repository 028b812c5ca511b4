"""What of numpy the engine does, one row for each operation; nothing that is not here is looked up.

A row is `name | parameters | rule | result`: each parameter with its kind (`kinds`), with "?"
    where
it may be missing or None, and with "*" where it takes what is left; the rule that says beforehand
how large the result can be (`bounds`); and of what kind the result has to be (`crossing`), "array"
where none is said. A parameter of kind "none" is one of numpy's that is not taken. Not there:

* what reads, writes or maps files, or runs a command: `load`, `save`, `memmap`, `fromfile`;
* what shows or takes an address: `ctypes`, `data`, `__array_interface__`, `from_dlpack`, `lib.*`;
* what calls back: `vectorize`, `apply_along_axis`, `fromiter` and their like are the facade's own;
* what takes state that C code believes: `set_state`, `bit_generator`, `setbufsize`, `seterrcall`;
* arrays of objects, structures, bytes, moments, long doubles, swapped bytes, and subclasses;
* what has no size known beforehand: estimators of bins, `block`, `lib.stride_tricks.as_strided`.
"""

from typing import Final

# Methods whose parameters are not those of the function with their name.
METHODS: Final = """
argsort | a:any axis:axis? kind:sorting? order:none? stable:flag? | together
sort | a:target axis:axis? kind:sorting? order:none? stable:flag? | together | none
partition | a:target kth:integers axis:axis? | together | none
clip | a:numbers min:numbers? max:numbers? out:out? | broadcast
round | a:numbers decimals:few? out:none? | together
choose | a:integers choices:sequence out:none? mode:clipping? | broadcast
compress | a:any condition:truths axis:axis? out:none? | together
copy | a:any order:order? | together
flatten | a:any order:order? | together
put | a:target indices:integers values:values mode:clipping? | together | none
fill | a:target value:values | together | none
conj | a:numbers | together
conjugate | a:numbers | together
tolist | a:any | together | data
item | a:any *args:int | together | data
tobytes | a:any order:order? | together | bytes
searchsorted | a:any v:any side:side? sorter:none? | together
dot | a:numbers b:numbers out:none? | dot
setflags | a:held write:flag? | together | none
"""
# Methods of arrays and scalars that are the function of that name.
AS_FUNCTIONS: Final = """
all any argmax argmin argpartition cumprod cumsum diagonal max mean min nonzero prod ravel
repeat squeeze std sum swapaxes take trace var
"""
ATTRIBUTES: Final = "T mT real imag nbytes itemsize strides"

_OF_LINALG: Final = "a:numbers | of_matrices"
LINALG: Final = f"""
cholesky | {_OF_LINALG}
cond | x:numbers p:norm? | of_matrices
det | {_OF_LINALG}
eig | {_OF_LINALG} | arrays
eigh | a:numbers UPLO:triangle? | of_matrices | arrays
eigvals | {_OF_LINALG}
eigvalsh | a:numbers UPLO:triangle? | of_matrices
inv | {_OF_LINALG}
lstsq | a:numbers b:numbers rcond:number? | of_matrices | arrays
matrix_power | a:numbers n:int | of_matrices
matrix_rank | A:numbers tol:number? hermitian:flag? | of_matrices
multi_dot | arrays:sequence out:none? | of_matrices
norm | x:numbers ord:norm? axis:axes? keepdims:flag? | together
pinv | a:numbers rcond:number? hermitian:flag? | of_matrices
qr | a:numbers mode:factors? | of_matrices | arrays
slogdet | {_OF_LINALG} | arrays
solve | a:numbers b:numbers | of_matrices
svd | a:numbers full_matrices:flag? compute_uv:flag? hermitian:flag? | of_matrices | arrays
svdvals | x:numbers | of_matrices
matmul | x1:numbers x2:numbers | matmul
outer | x1:numbers x2:numbers | crossed
trace | x:numbers offset:int? dtype:dtype? | together
diagonal | x:numbers offset:int? | together
"""
_LINE: Final = "a:transformed n:int? axis:axis? norm:scaling?"
_PLANE: Final = "a:transformed s:shape? axes:axes? norm:scaling?"
FFT: Final = f"""
fft | {_LINE} | transform
ifft | {_LINE} | transform
rfft | {_LINE} | transform
irfft | {_LINE} | transform
fft2 | {_PLANE} | transform
ifft2 | {_PLANE} | transform
rfft2 | {_PLANE} | transform
irfft2 | {_PLANE} | transform
fftn | {_PLANE} | transform
ifftn | {_PLANE} | transform
fftfreq | n:int d:number? | by_counts
rfftfreq | n:int d:number? | by_counts
fftshift | x:any axes:axes? | together
ifftshift | x:any axes:axes? | together
"""
# By the number of arrays that they take.
UFUNCS_OF_ONE: Final = """
absolute arccos arccosh arcsin arcsinh arctan arctanh bitwise_count cbrt ceil conjugate cos cosh
deg2rad degrees exp exp2 expm1 fabs floor frexp invert isfinite isinf isnan log log10 log1p log2
logical_not modf negative positive rad2deg radians reciprocal rint sign signbit sin sinh spacing
sqrt square tan tanh trunc
"""
UFUNCS_OF_TWO: Final = """
add arctan2 bitwise_and bitwise_or bitwise_xor copysign divide divmod equal float_power
floor_divide fmax fmin fmod gcd greater greater_equal heaviside hypot lcm ldexp left_shift less
less_equal logaddexp logaddexp2 logical_and logical_or logical_xor matmul maximum minimum multiply
nextafter not_equal power remainder right_shift subtract
"""
# Of these, the ones that take texts; the others get numbers alone.
OF_TEXTS: Final = frozenset(
    ("add", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
)
# The same ufunc by another name.
ALIASES: Final = {
    "abs": "absolute", "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh",
    "atan": "arctan", "atan2": "arctan2", "atanh": "arctanh", "bitwise_invert": "invert",
    "bitwise_left_shift": "left_shift", "bitwise_not": "invert",
    "bitwise_right_shift": "right_shift",
    "conj": "conjugate", "mod": "remainder", "pow": "power", "true_divide": "divide",
}  # fmt: skip
OPERATORS: Final = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "mod": "remainder",
    "floordiv": "floor_divide", "pow": "power", "matmul": "matmul", "lshift": "left_shift",
    "rshift": "right_shift", "and_": "bitwise_and", "or_": "bitwise_or", "xor": "bitwise_xor",
    "lt": "less", "le": "less_equal", "eq": "equal", "ne": "not_equal", "gt": "greater",
    "ge": "greater_equal", "neg": "negative", "pos": "positive", "abs": "absolute",
    "invert": "invert",
}  # fmt: skip
INPLACE: Final = "iadd isub imul itruediv ifloordiv imod ipow ilshift irshift iand ior ixor"
_DRAW: Final = "size:shape? | drawn"
# Of the generators of both sorts, and of the module.
DRAWS: Final = f"""
beta | a:reals b:reals {_DRAW}
binomial | n:integers p:reals {_DRAW}
chisquare | df:reals {_DRAW}
exponential | scale:reals? {_DRAW}
gamma | shape:reals scale:reals? {_DRAW}
geometric | p:reals {_DRAW}
gumbel | loc:reals? scale:reals? {_DRAW}
laplace | loc:reals? scale:reals? {_DRAW}
logistic | loc:reals? scale:reals? {_DRAW}
lognormal | mean:reals? sigma:reals? {_DRAW}
negative_binomial | n:reals p:reals {_DRAW}
normal | loc:reals? scale:reals? {_DRAW}
pareto | a:reals {_DRAW}
poisson | lam:reals? {_DRAW}
rayleigh | scale:reals? {_DRAW}
standard_cauchy | {_DRAW}
triangular | left:reals mode:reals right:reals {_DRAW}
uniform | low:reals? high:reals? {_DRAW}
weibull | a:reals {_DRAW}
multinomial | n:int pvals:reals size:shape? | drawn_rows
dirichlet | alpha:reals size:shape? | drawn_rows
multivariate_normal | mean:reals cov:reals size:shape? check_valid:checking? tol:number? |
    drawn_rows
permutation | x:population | permuted
"""
NEW_DRAWS: Final = """
random | size:shape? dtype:floating? out:none? | drawn
integers | low:integers high:integers? size:shape? dtype:integral? endpoint:flag? | drawn
standard_normal | size:shape? dtype:floating? out:none? | drawn
standard_exponential | size:shape? dtype:floating? | drawn
standard_gamma | shape:reals size:shape? dtype:floating? | drawn
choice | a:population size:shape? replace:flag? p:reals? axis:axis? shuffle:flag? | chosen
shuffle | x:target axis:axis? | together | none
permuted | x:numbers axis:axis? out:none? | together
"""
OLD_DRAWS: Final = f"""
rand | *dims:int | by_counts
randn | *dims:int | by_counts
randint | low:integers high:integers? size:shape? dtype:integral? | drawn
random | {_DRAW}
random_sample | {_DRAW}
standard_normal | {_DRAW}
standard_exponential | {_DRAW}
standard_gamma | shape:reals {_DRAW}
choice | a:population size:shape? replace:flag? p:reals? | chosen
shuffle | x:target | together | none
seed | seed:seed? | together | none
"""
# What is done by functions of ours (`operations`), which see to what numpy does not.
OWN: Final = """
f:array | object:listed dtype:anydtype? copy:flag? order:order? subok:none? ndmin:few? | cast
f:asarray | object:listed dtype:anydtype? order:order? copy:flag? | cast
f:arange | start:number stop:number? step:number? dtype:dtype? | counted
f:result_type | *args:typed | together | dtype
m:astype | a:any dtype:anydtype order:order? casting:casting? subok:none? copy:flag? | cast
m:view | a:any dtype:anydtype? | together
x:get | o:any index:index | selected
x:set | o:target index:index value:listed | selected | none
x:contains | o:held value:any | broadcast | data
x:str | o:held | together | text
x:repr | o:held | together | text
x:scalar_str | o:any | together | told
x:items | o:held | together | data
x:int | o:held | together | data
x:float | o:held | together | data
x:complex | o:held | together | data
x:index | o:held | together | data
x:flags | o:held | together | data
x:resized | o:held shape:shape refcheck:flag | shaped
x:scalar | name:text value:listed? | cast
x:limits | name:text dtype:anydtype | nothing | told
x:dtype | dtype:anydtype | nothing | data
x:ufunc | name:text | nothing | data
x:seterr | all:text? divide:text? over:text? under:text? invalid:text? | nothing | data
x:geterr | | nothing | data
x:set_printoptions | precision:few? threshold:plain? edgeitems:few? linewidth:plain?
    suppress:flag? nanstr:text? infstr:text? sign:sign? floatmode:floatmode? | nothing | none
x:get_printoptions | | nothing | data
x:default_rng | seed:seed? | nothing | generator
x:RandomState | seed:seed? | nothing | generator
x:generator | name:text bits:text seed:seed? | nothing | generator
x:shuffled | source:source? count:int | by_counts | data
s:shape | o:held shape:reshaping | together
s:real | o:target value:values | broadcast | none
s:imag | o:target value:values | broadcast | none
"""
BITS: Final = "PCG64 PCG64DXSM MT19937 Philox SFC64"
SCALARS: Final = """
bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128
str_
"""


def names(table: str) -> tuple[str, ...]:
    """Return the names of the rows of a table."""
    lines = [line for line in table.splitlines() if line and line[0] != " "]
    return tuple([line.partition("|")[0].strip() for line in lines])
