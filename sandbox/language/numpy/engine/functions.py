"""The functions of the module `numpy` that the engine does, one row for each: see `tables`."""

from typing import Final

_REDUCED: Final = "a:numbers axis:axes? dtype:dtype? out:none? keepdims:flag?"
_MOST: Final = "a:numbers axis:axes? out:none? keepdims:flag? initial:number? where:mask?"
_ARG: Final = "a:numbers axis:axis? out:none? keepdims:flag?"
_SPREAD: Final = (
    "a:numbers axis:axes? dtype:dtype? out:none? ddof:number? keepdims:flag? where:mask?"
)
_RANKED: Final = (
    "a:numbers q:numbers axis:axes? out:none? overwrite_input:flag? method:method? keepdims:flag?"
)
_SORTED: Final = "a:any axis:axis? kind:sorting? order:none?"
_SETS: Final = "ar1:any ar2:any assume_unique:flag?"
_LIKE: Final = "order:order? subok:none? shape:shape?"
_TEXT: Final = "max_line_width:plain? precision:few? suppress_small:flag?"

FUNCTIONS: Final = f"""
all | a:numbers axis:axes? out:none? keepdims:flag? where:mask? | together
any | a:numbers axis:axes? out:none? keepdims:flag? where:mask? | together
sum | {_REDUCED} initial:number? where:mask? | together
prod | {_REDUCED} initial:number? where:mask? | together
max | {_MOST} | together
min | {_MOST} | together
amax | {_MOST} | together
amin | {_MOST} | together
mean | {_REDUCED} where:mask? | together
std | {_SPREAD} | together
var | {_SPREAD} | together
ptp | a:numbers axis:axes? out:none? keepdims:flag? | together
median | a:numbers axis:axes? out:none? overwrite_input:flag? keepdims:flag? | together
average | a:numbers axis:axes? weights:numbers? returned:flag? keepdims:flag? | together | arrays
percentile | {_RANKED} | crossed
quantile | {_RANKED} | crossed
nansum | {_REDUCED} initial:number? where:mask? | together
nanprod | {_REDUCED} initial:number? where:mask? | together
nanmean | {_REDUCED} where:mask? | together
nanstd | {_SPREAD} | together
nanvar | {_SPREAD} | together
nanmax | {_MOST} | together
nanmin | {_MOST} | together
nanmedian | a:numbers axis:axes? out:none? overwrite_input:flag? keepdims:flag? | together
nanpercentile | {_RANKED} | crossed
nanquantile | {_RANKED} | crossed
argmax | {_ARG} | together
argmin | {_ARG} | together
nanargmax | {_ARG} | together
nanargmin | {_ARG} | together
cumsum | a:numbers axis:axis? dtype:dtype? out:none? | together
cumprod | a:numbers axis:axis? dtype:dtype? out:none? | together
nancumsum | a:numbers axis:axis? dtype:dtype? out:none? | together
nancumprod | a:numbers axis:axis? dtype:dtype? out:none? | together
count_nonzero | a:any axis:axes? keepdims:flag? | together
diff | a:numbers n:few? axis:axis? prepend:numbers? append:numbers? | together
ediff1d | ary:numbers to_end:numbers? to_begin:numbers? | together
gradient | f:numbers *varargs:numbers axis:axes? edge_order:few? | each_axis | arrays
trapezoid | y:numbers x:numbers? dx:numbers? axis:axis? | broadcast
trapz | y:numbers x:numbers? dx:numbers? axis:axis? | broadcast
cross | a:numbers b:numbers axisa:axis? axisb:axis? axisc:axis? axis:axis? | crosswise
round | a:numbers decimals:few? out:none? | together
around | a:numbers decimals:few? out:none? | together
clip | a:numbers a_min:numbers? a_max:numbers? out:out? min:numbers? max:numbers? | broadcast
interp | x:reals xp:reals fp:numbers left:number? right:number? period:number? | together
convolve | a:numbers v:numbers mode:overlap? | together
correlate | a:numbers v:numbers mode:overlap? | together
dot | a:numbers b:numbers out:none? | dot
vdot | a:numbers b:numbers | together
inner | a:numbers b:numbers | inner
outer | a:numbers b:numbers out:none? | crossed
tensordot | a:numbers b:numbers axes:contraction? | tensordot
einsum | subscripts:subscripts *operands:numbers | einsum
kron | a:numbers b:numbers | kron
trace | a:numbers offset:int? axis1:axis? axis2:axis? dtype:dtype? out:none? | together
cov | m:numbers y:numbers? rowvar:flag? bias:flag? ddof:few? fweights:numbers? aweights:numbers?
    | of_rows
corrcoef | x:numbers y:numbers? rowvar:flag? | of_rows
histogram | a:reals bins:bins? range:pair? density:flag? weights:numbers? | bins | arrays
histogram_bin_edges | a:reals bins:bins? range:pair? weights:numbers? | bins
histogram2d | x:reals y:reals bins:count? range:pairs? density:flag? weights:numbers? | bins |
    arrays
digitize | x:reals bins:reals right:flag? | together
bincount | x:counted weights:reals? minlength:int? | bincount
allclose | a:numbers b:numbers rtol:numbers? atol:numbers? equal_nan:flag? | broadcast
isclose | a:numbers b:numbers rtol:numbers? atol:numbers? equal_nan:flag? | broadcast
array_equal | a1:any a2:any equal_nan:flag? | together
array_equiv | a1:any a2:any | broadcast
isreal | x:numbers | together
iscomplex | x:numbers | together
isrealobj | x:any | together
iscomplexobj | x:any | together
real | val:numbers | together
imag | val:numbers | together
angle | z:numbers deg:flag? | together
nan_to_num | x:numbers copy:flag? nan:number? posinf:number? neginf:number? | together
real_if_close | a:numbers tol:number? | together
sinc | x:numbers | together
i0 | x:reals | together
fix | x:reals out:none? | together
isneginf | x:reals out:none? | together
isposinf | x:reals out:none? | together
unwrap | p:reals discont:number? axis:axis? period:number? | together
polyfit | x:reals y:numbers deg:degree rcond:number? full:flag? w:reals? cov:flag? | of_degree |
    arrays
polyval | p:numbers x:numbers | broadcast_all
polyadd | a1:numbers a2:numbers | together
polysub | a1:numbers a2:numbers | together
polymul | a1:numbers a2:numbers | together
polydiv | u:numbers v:numbers | together | arrays
polyder | p:numbers m:few? | together
polyint | p:numbers m:few? k:numbers? | integrated
roots | p:numbers | of_matrices
poly | seq_of_zeros:numbers | of_matrices
sort | {_SORTED} stable:flag? | together
argsort | {_SORTED} stable:flag? | together
lexsort | keys:sequence axis:axis? | together
partition | a:numbers kth:integers axis:axis? | together
argpartition | a:numbers kth:integers axis:axis? | together
searchsorted | a:any v:any side:side? sorter:none? | together
unique | ar:any return_index:flag? return_inverse:flag? return_counts:flag? axis:axis?
    equal_nan:flag? | fourfold | arrays
intersect1d | {_SETS} return_indices:flag? | fourfold | arrays
union1d | ar1:any ar2:any | together
setdiff1d | {_SETS} | together
setxor1d | {_SETS} | together
isin | element:any test_elements:any assume_unique:flag? invert:flag? | together
in1d | {_SETS} invert:flag? | together
where | condition:any x:any? y:any? | where | arrays
nonzero | a:any | each_axis | arrays
argwhere | a:any | each_axis
flatnonzero | a:any | together
take | a:any indices:integers axis:axis? out:none? mode:clipping? | take
take_along_axis | arr:any indices:integers axis:axis? | broadcast
choose | a:integers choices:sequence out:none? mode:clipping? | broadcast
compress | condition:truths a:any axis:axis? out:none? | together
extract | condition:numbers arr:any | together
select | condlist:sequence choicelist:sequence default:number? | broadcast
place | arr:target mask:truths vals:values | together | none
putmask | a:target mask:truths values:values | together | none
put | a:target ind:integers v:values mode:clipping? | together | none
put_along_axis | arr:target indices:integers values:values axis:axis? | broadcast | none
fill_diagonal | a:target val:values wrap:flag? | together | none
copyto | dst:target src:values casting:casting? where:mask? | broadcast | none
diag | v:any k:int? | diag
diagflat | v:any k:int? | flat_diag
diagonal | a:any offset:int? axis1:axis? axis2:axis? | together
tri | N:int M:int? k:int? dtype:dtype? | squares
tril | m:numbers k:int? | triangle
triu | m:numbers k:int? | triangle
vander | x:numbers N:int? increasing:flag? | vander
eye | N:int M:int? k:int? dtype:dtype? order:order? | squares
identity | n:int dtype:dtype? | squares
tril_indices | n:int k:int? m:int? | squares | arrays
triu_indices | n:int k:int? m:int? | squares | arrays
tril_indices_from | arr:any k:int? | each_axis | arrays
triu_indices_from | arr:any k:int? | each_axis | arrays
diag_indices | n:int ndim:few? | by_counts | arrays
diag_indices_from | arr:any | each_axis | arrays
ix_ | *args:any | together | arrays
unravel_index | indices:integers shape:shape order:order? | unraveled | arrays
ravel_multi_index | multi_index:sequence dims:shape mode:clipping? order:order? | broadcast
indices | dimensions:shape dtype:dtype? | indices
meshgrid | *xi:any copy:flag? sparse:flag? indexing:indexing? | meshgrid | arrays
broadcast_arrays | *args:any | broadcast_each | arrays
broadcast_to | array:any shape:shape | shaped
atleast_1d | *arys:any | together | arrays
atleast_2d | *arys:any | together | arrays
atleast_3d | *arys:any | together | arrays
reshape | a:any shape:reshaping order:order? | together
ravel | a:any order:order? | together
squeeze | a:any axis:axes? | together
expand_dims | a:any axis:axes | together
swapaxes | a:any axis1:axis axis2:axis | together
moveaxis | a:any source:axes destination:axes | together
rollaxis | a:any axis:axis start:axis? | together
transpose | a:any axes:axes? | together
permute_dims | a:any axes:axes? | together
matrix_transpose | x:any | together
concatenate | arrays:sequence axis:axis? out:none? dtype:dtype? | together
concat | arrays:sequence axis:axis? out:none? dtype:dtype? | together
stack | arrays:sequence axis:axis? out:none? dtype:dtype? | together
vstack | tup:sequence dtype:dtype? | together
row_stack | tup:sequence dtype:dtype? | together
hstack | tup:sequence dtype:dtype? | together
dstack | tup:sequence | together
column_stack | tup:sequence | together
split | ary:any indices_or_sections:sections axis:axis? | sections | arrays
array_split | ary:any indices_or_sections:sections axis:axis? | sections | arrays
hsplit | ary:any indices_or_sections:sections | sections | arrays
vsplit | ary:any indices_or_sections:sections | sections | arrays
dsplit | ary:any indices_or_sections:sections | sections | arrays
tile | A:any reps:shape | tile
repeat | a:any repeats:integers axis:axis? | repeat
delete | arr:any obj:places axis:axis? | together
insert | arr:any obj:places values:values axis:axis? | insert
append | arr:any values:any axis:axis? | together
resize | a:any new_shape:shape | shaped
trim_zeros | filt:numbers trim:ends? | together
flip | m:any axis:axes? | together
fliplr | m:any | together
flipud | m:any | together
rot90 | m:any k:int? axes:axes? | together
roll | a:any shift:axes axis:axes? | together
pad | array:numbers pad_width:widths mode:padding? constant_values:numbers? end_values:numbers?
    reflect_type:reflection? | pad
packbits | a:integers axis:axis? | together
unpackbits | a:integers axis:axis? | eightfold
zeros | shape:shape dtype:anydtype? order:order? | made
ones | shape:shape dtype:dtype? order:order? | made
empty | shape:shape dtype:anydtype? order:order? | made
full | shape:shape fill_value:any dtype:anydtype? order:order? | made
zeros_like | a:any dtype:anydtype? {_LIKE} | made
ones_like | a:any dtype:dtype? {_LIKE} | made
empty_like | a:any dtype:anydtype? {_LIKE} | made
full_like | a:any fill_value:any dtype:anydtype? {_LIKE} | made
linspace | start:numbers stop:numbers num:int? endpoint:flag? retstep:flag? dtype:dtype?
    axis:axis? | spaced | arrays
logspace | start:numbers stop:numbers num:int? endpoint:flag? base:number? dtype:dtype?
    axis:axis? | spaced
geomspace | start:numbers stop:numbers num:int? endpoint:flag? dtype:dtype? axis:axis? | spaced
bartlett | M:int | by_counts
blackman | M:int | by_counts
hamming | M:int | by_counts
hanning | M:int | by_counts
kaiser | M:int beta:number | by_counts
sliding_window_view | x:any window_shape:shape axis:axes? | windows
copy | a:any order:order? | together
ascontiguousarray | a:any dtype:anydtype? | cast
asfortranarray | a:any dtype:anydtype? | cast
shape | a:any | together | data
ndim | a:any | together | data
size | a:any axis:axis? | together | data
shares_memory | a:any b:any | together | data
may_share_memory | a:any b:any | together | data
isfortran | a:any | together | data
base_repr | number:int base:few? padding:few? | together | text
binary_repr | num:int width:few? | together | text
array2string | a:any {_TEXT} separator:text? prefix:text? formatter:none? threshold:plain?
    edgeitems:few? sign:sign? floatmode:floatmode? suffix:text? | together | text
array_repr | arr:any {_TEXT} | together | text
array_str | a:any {_TEXT} | together | text
format_float_positional | x:real precision:few? unique:flag? fractional:flag? trim:trim?
    sign:flag? pad_left:few? pad_right:few? | together | text
format_float_scientific | x:real precision:few? unique:flag? trim:trim? sign:flag? pad_left:few?
    exp_digits:few? | together | text
can_cast | from_:anydtype to:anydtype casting:casting? | together | data
promote_types | type1:anydtype type2:anydtype | together | dtype
min_scalar_type | a:number | together | dtype
"""
