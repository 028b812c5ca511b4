"""What of numpy the engine calls, by name; nothing that is not here is ever looked up.

Each table says what its names have in common, and so why they are there. Not there, and why:

* what reads, writes or maps files, or runs a command: `load`, `save`, `savez`, `memmap`,
  `fromfile`, `tofile`, `dump`, `fromregex`, `f2py`, `test`, `show_config` (`loadtxt`, `genfromtxt`
  and `savetxt` of the facade go through the program's own `open`);
* what shows or takes an address: `ctypes`, `data`, `__array_interface__`, `__array_struct__`,
  `from_dlpack`, `lib.*`, `ndarray(buffer=...)`, a setter of `dtype` or `strides`;
* what shows memory that nobody has written: `empty` is `zeros` here;
* what calls back: `vectorize`, `apply_along_axis`, `fromiter` and their like are the facade's own;
* what takes state that C code believes: `set_state`, `bit_generator`, `setbufsize`, `seterrcall`;
* subclasses of arrays and arrays of objects: `matrix`, `ma`, `recarray`, `rec`.
"""

from typing import Final

# Functions of arrays and numbers that give arrays and numbers.
FUNCTIONS: Final = """
 all allclose amax amin angle any append arange argmax argmin argpartition argsort argwhere around
array array2string array_equal array_equiv array_repr array_split array_str asanyarray asarray
asarray_chkfinite ascontiguousarray asfortranarray astype atleast_1d atleast_2d atleast_3d average
bartlett base_repr binary_repr bincount blackman block broadcast_arrays broadcast_shapes
broadcast_to busday_count busday_offset can_cast choose clip column_stack common_type compress
concat concatenate convolve copy copyto corrcoef correlate count_nonzero cov cross cumprod cumsum
cumulative_prod cumulative_sum datetime_as_string delete diag diag_indices diag_indices_from
diagflat diagonal diff digitize dot dsplit dstack ediff1d einsum einsum_path expand_dims extract
eye fill_diagonal fix flatnonzero flip fliplr flipud format_float_positional
format_float_scientific full full_like geomspace gradient hamming hanning histogram histogram2d
histogram_bin_edges histogramdd hsplit hstack i0 identity imag indices inner insert interp
intersect1d in1d is_busday isclose iscomplex iscomplexobj isdtype isfortran isin isneginf isposinf
isreal isrealobj issubdtype ix_ kaiser kron lexsort linspace logspace mask_indices
matrix_transpose max may_share_memory mean median meshgrid min min_scalar_type moveaxis nan_to_num
nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod
nanquantile nanstd nansum nanvar ndim nonzero ones ones_like outer packbits pad partition
percentile permute_dims place poly polyadd polyder polydiv polyfit polyint polymul polysub polyval
prod promote_types ptp put put_along_axis putmask quantile ravel ravel_multi_index real
real_if_close repeat reshape resize result_type roll rollaxis roots rot90 round row_stack
searchsorted select setdiff1d setxor1d shape shares_memory sinc size sort sort_complex split
squeeze stack std sum swapaxes take take_along_axis tensordot tile trace transpose trapezoid trapz
tri tril tril_indices tril_indices_from trim_zeros triu triu_indices triu_indices_from typename
union1d unique unique_all unique_counts unique_inverse unique_values unpackbits unravel_index
unstack unwrap vander var vdot vsplit vstack where zeros zeros_like
"""
# Under `lib.stride_tricks`, with a look at bounds; `as_strided` has none.
WINDOWS: Final = "sliding_window_view"
UFUNCS: Final = """
abs absolute acos acosh add arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin asinh atan
atan2 atanh bitwise_and bitwise_count bitwise_invert bitwise_left_shift bitwise_not bitwise_or
bitwise_right_shift bitwise_xor cbrt ceil conj conjugate copysign cos cosh deg2rad degrees divide
divmod equal exp exp2 expm1 fabs float_power floor floor_divide fmax fmin fmod frexp gcd greater
greater_equal heaviside hypot invert isfinite isinf isnan isnat lcm ldexp left_shift less
less_equal log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor
matmul matvec maximum minimum mod modf multiply negative nextafter not_equal positive pow power
rad2deg radians reciprocal remainder right_shift rint sign signbit sin sinh spacing sqrt square
subtract tan tanh true_divide trunc vecdot vecmat
"""
# The same ufunc by another name.
ALIASES: Final = {
    "abs": "absolute", "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh",
    "atan": "arctan", "atan2": "arctan2", "atanh": "arctanh", "bitwise_invert": "invert",
    "bitwise_left_shift": "left_shift", "bitwise_not": "invert",
    "bitwise_right_shift": "right_shift",
    "conj": "conjugate", "mod": "remainder", "pow": "power", "true_divide": "divide",
}  # fmt: skip
UFUNC_METHODS: Final = "reduce accumulate reduceat outer at"
LINALG: Final = """
cholesky cond cross det diagonal eig eigh eigvals eigvalsh inv lstsq matmul matrix_norm
matrix_power matrix_rank matrix_transpose multi_dot norm outer pinv qr slogdet solve svd svdvals
tensordot tensorinv tensorsolve trace vecdot vector_norm
"""
FFT: Final = """
fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2 irfftn rfft
rfft2 rfftfreq rfftn
"""
TEXTS: Final = """
add capitalize center count decode encode endswith equal expandtabs find greater greater_equal
index isalnum isalpha isdecimal isdigit islower isnumeric isspace istitle isupper join less
less_equal ljust lower lstrip mod multiply not_equal partition replace rfind rindex rjust
rpartition rsplit rstrip slice split splitlines startswith str_len strip swapcase title translate
upper zfill
"""
# One draw each, from a generator that was seeded, or the one of the process.
DRAWS: Final = """
beta binomial bytes chisquare choice dirichlet exponential f gamma geometric gumbel hypergeometric
laplace logistic lognormal logseries multinomial multivariate_normal negative_binomial
noncentral_chisquare noncentral_f normal pareto permutation poisson power rayleigh shuffle
standard_cauchy standard_exponential standard_gamma standard_normal standard_t triangular uniform
vonmises wald weibull zipf
"""
OLD_DRAWS: Final = "rand randint randn random random_integers random_sample ranf sample seed"
BITS: Final = "PCG64 PCG64DXSM MT19937 Philox SFC64"
_OF_RANDOM_STATE: Final = "rand randint randn random random_integers random_sample seed"
_NEW_DRAWS: Final = "integers random permuted multivariate_hypergeometric"
METHODS: Final = """
all any argmax argmin argpartition argsort astype byteswap choose clip compress conj conjugate copy
cumprod cumsum diagonal dot fill flatten item max mean min nonzero partition prod put ravel repeat
reshape round searchsorted setflags sort squeeze std sum swapaxes take tobytes tolist trace
transpose var view
"""
ATTRIBUTES: Final = "T mT real imag nbytes itemsize size shape ndim strides"
SCALARS: Final = """
bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 intc uintc intp uintp longlong ulonglong
float16 float32 float64 complex64 complex128 str_ bytes_ datetime64 timedelta64
"""
ABSTRACT: Final = """
generic number integer signedinteger unsignedinteger inexact floating complexfloating flexible
character
"""
# Where among its arguments a dtype stands, by operation: one of objects or structures is refused as
# it comes in. Elsewhere it has that name. Of methods the object itself is the first.
_DTYPES: Final = """
f:arange:3 f:array:1 f:asanyarray:1 f:asarray:1 f:asarray_chkfinite:1 f:ascontiguousarray:1
f:asfortranarray:1 f:astype:1 f:concat:3 f:concatenate:3 f:corrcoef:3 f:cov:7 f:cumprod:2
f:cumsum:2 f:cumulative_prod:2 f:cumulative_sum:2 f:empty:1 f:empty_like:1 f:eye:3 f:full:2
f:full_like:2 f:geomspace:4 f:hstack:1 f:identity:1 f:indices:1 f:linspace:5 f:logspace:5 f:mean:2
f:nancumprod:2 f:nancumsum:2 f:nanmean:2 f:nanprod:2 f:nanstd:2 f:nansum:2 f:nanvar:2 f:ones:1
f:ones_like:1 f:prod:2 f:row_stack:1 f:stack:3 f:std:2 f:sum:2 f:trace:4 f:tri:3 f:var:2
f:vstack:1 f:zeros:1 f:zeros_like:1 f:linalg.trace:2 f:random.randint:3 m:astype:1 m:cumprod:2
m:cumsum:2 m:mean:2 m:prod:2 m:std:2 m:sum:2 m:trace:4 m:var:2 m:view:1 q:standard_exponential:2
q:standard_gamma:3 q:standard_normal:2 q:integers:4 q:random:2 q:randint:4 reduce:2 accumulate:2
reduceat:3
"""
DTYPE_AT: Final = {
    pair.rpartition(":")[0]: int(pair.rpartition(":")[2]) for pair in _DTYPES.split()
}
# Letters of types whose every byte is data: no object, no field, and not the padded long doubles.
LETTERS: Final = frozenset("?bhilqpnBHILQPNefdFDSUMm")
_POLYNOMIAL: Final = (
    "coef domain window symbol",
    "cutdeg degree deriv has_samecoef has_samedomain has_sametype has_samewindow integ linspace"
    " mapparms roots trim truncate copy convert",
)
SERIES: Final = "Polynomial Chebyshev Hermite HermiteE Laguerre Legendre"
# Objects that stay with the engine: by class, attributes and methods.
OBJECTS: Final = {
    "Generator": ("", f"{DRAWS} {_NEW_DRAWS}"),
    "RandomState": ("", f"{DRAWS} {_OF_RANDOM_STATE}"),
    "poly1d": ("c coef coeffs coefficients o order r roots variable", "deriv integ"),
    **dict.fromkeys(SERIES.split(), _POLYNOMIAL),
}
OPERATORS: Final = """
add sub mul truediv floordiv mod pow matmul lshift rshift and_ or_ xor lt le eq ne gt ge neg pos
abs invert iadd isub imul itruediv ifloordiv imod ipow imatmul ilshift irshift iand ior ixor
contains index
"""
