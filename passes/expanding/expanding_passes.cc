#include "passes/expanding/expanding_passes.h"

#include <vector>

#include "passes/expanding/canonicalize_convolutions.h"
#include "passes/expanding/canonicalize_dots.h"
#include "passes/expanding/decompose_collectives.h"
#include "passes/expanding/expand_batch_norm.h"
#include "passes/expanding/expand_cholesky.h"
#include "passes/expanding/expand_convolution.h"
#include "passes/expanding/expand_cumulative_windows.h"
#include "passes/expanding/expand_dynamic_dimensions.h"
#include "passes/expanding/expand_elementwise.h"
#include "passes/expanding/expand_fft.h"
#include "passes/expanding/expand_gather.h"
#include "passes/expanding/expand_linear_algebra_calls.h"
#include "passes/expanding/expand_map.h"
#include "passes/expanding/expand_ragged_dot.h"
#include "passes/expanding/expand_rng_bit_generator.h"
#include "passes/expanding/expand_scan.h"
#include "passes/expanding/expand_scatter.h"
#include "passes/expanding/expand_select_and_scatter.h"
#include "passes/expanding/expand_stochastic_convert.h"
#include "passes/expanding/expand_topk.h"
#include "passes/expanding/expand_triangular_solve.h"
#include "passes/expanding/expand_variadic.h"
#include "passes/expanding/split_async.h"
#include "passes/expanding/standardize_forms.h"

namespace xla {

absl::Span<const Pass> ExpandingPasses() {
  using Kind = PassOption::Kind;
  static const auto* const passes = new std::vector<Pass>{
      {"expand-batch-norm",
       "Expand batch normalization to sums and elementwise operations",
       &ExpandBatchNorm,
       {{"arithmetic", Kind::kText, "f64",
         "what it computes in: f64, as the interpreter does; f32-pairs, two f32 for each number, for devices without "
         "f64; or f32. f64 stays f64"}}},
      {"expand-elementwise",
       "Expand elementwise operations to simpler ones",
       &ExpandElementwise,
       {{"ops", Kind::kList, "logistic+erf",
         "any of clamp, erf, is-finite, logistic, mulhi, round-nearest-afz, rsqrt, sign and tan"},
        {"arithmetic", Kind::kText, "f64",
         "element type to compute f32 in: f64, as the interpreter does, or f32 (erf is then left alone, the others "
         "stay within the error of the op table)"}}},
      {"expand-cumulative-windows",
       "Expand cumulative sums, products, maxima, ... along a long dimension to scans",
       &ExpandCumulativeWindows,
       {{"min-length", Kind::kInt, "32", "leave shorter dimensions alone"},
        {"block", Kind::kInt, "128", "elements to scan in steps of 1, 2, 4, ... before joining blocks"}}},
      {"expand-select-and-scatter", "Expand select-and-scatter to reduce-window of values and positions, and scatter",
       &ExpandSelectAndScatter},
      {"expand-stochastic-convert", "Expand stochastic-convert to arithmetic in f64", &ExpandStochasticConvert},
      {"expand-map", "Expand map to operations on whole arrays", &ExpandMap},
      {"canonicalize-convolutions",
       "Canonicalize convolutions to dim_labels b01f_01io->b01f",
       &CanonicalizeConvolutions,
       {{"strided-kernels", Kind::kBool, "false",
         "keep the dimension order of kernels and fold their transposes, unless windows are as large as images"}}},
      {"canonicalize-dots",
       "Canonicalize dots to [batch.., m, k] x [batch.., k, n]",
       &CanonicalizeDots,
       {{"merge-batch", Kind::kBool, "false", "merge batch dimensions into one"},
        {"strided", Kind::kBool, "false",
         "leave dots alone whose operands are matrices with contiguous rows or columns in memory"}}},
      {"expand-convolution",
       "Expand convolutions to sums of dots over the positions of the window",
       &ExpandConvolution,
       {{"max-positions", Kind::kInt, "64", "leave larger windows alone"},
        {"only-groups", Kind::kBool, "false", "expand only convolutions with feature or batch groups"}}},
      {"expand-dynamic-dimensions",
       "Expand arrays with dynamic dimensions to arrays of their bounds and scalars of their sizes",
       &ExpandDynamicDimensions,
       {{"unknown", Kind::kText, "leave",
         "what to do with another operation that has dynamic dimensions: leave (and warn) or fail"}}},
      {"expand-ragged-dot", "Expand ragged-dot to dots of masked operands", &ExpandRaggedDot},
      {"expand-variadic",
       "Split reductions of several arrays, and sort only keys and positions",
       &ExpandVariadic,
       {},
       "",
       "a sort has one array, or one and an iota along its dimension, unless its comparator reads several arrays in "
       "another way than as lexicographic keys"},
      {"decompose-collectives",
       "Expand collectives to simpler ones",
       &DecomposeCollectives,
       {{"ops", Kind::kList, "all-to-all+reduce-scatter",
         "any of all-gather, all-to-all, collective-broadcast, ragged-all-to-all and reduce-scatter"}}},
      {"standardize-forms",
       "Rewrite forms that are allowed but odd to those that other passes expect",
       &StandardizeForms,
       {},
       "",
       "no operation on one array gives a tuple of it, reductions and their reducers are of one type, no window of a "
       "reduction or selection is reversed, no select is between tuples, factors are of one kind, no sum of integers "
       "is narrower than they are, and no comparison has another type than its operands"},
      {"split-async",
       "Replace asynchronous operations by synchronous ones",
       &SplitAsync,
       {{"keep-collectives", Kind::kBool, "false",
         "leave collectives alone in programs for several devices, so that others run between start and done"}}},
      {"expand-cholesky",
       "Expand cholesky to a loop over columns, in f64",
       &ExpandCholesky,
       {{"arithmetic", Kind::kText, "f64",
         "what it computes in: f64, as the interpreter does; f32-pairs, two f32 for each number, for devices without "
         "f64; or f32. The latter two leave f64 and c128 alone"}}},
      {"expand-fft", "Expand fft to products with matrices and vectors of roots of unity, in the type of its parts",
       &ExpandFft},
      {"expand-gather",
       "Expand gather to a loop over its windows",
       &ExpandGather,
       {{"max-iterations", Kind::kInt, "-1", "leave gathers of more windows alone; -1: expand all"}}},
      {"expand-linear-algebra-calls",
       "Expand calls of LAPACK to loops over rows and columns",
       &ExpandLinearAlgebraCalls,
       {{"ops", Kind::kList, "geqrf+getrf+orgqr+ormqr+potrf+trsm",
         "any of geqrf, getrf, orgqr (which stands for ungqr too), ormqr (unmqr too), potrf, syevd (heevd too) and "
         "trsm; syevd only if the program accepts any eigenvectors: those of the expansion differ from LAPACK's in "
         "signs, phases and the bases of equal eigenvalues"},
        {"unknown", Kind::kText, "leave", "what to do with other calls of LAPACK: leave, warn (and leave) or fail"}}},
      {"expand-scan", "Expand scan to a while loop", &ExpandScan},
      {"expand-scatter",
       "Expand scatter to a loop over its windows",
       &ExpandScatter,
       {{"max-iterations", Kind::kInt, "-1", "leave scatters of more windows alone; -1: expand all"}}},
      {"expand-triangular-solve",
       "Expand triangular-solve to substitution in a loop, in f64",
       &ExpandTriangularSolve,
       {{"arithmetic", Kind::kText, "f64",
         "what it computes in: f64, as the interpreter does; f32-pairs, two f32 for each number, for devices without "
         "f64; or f32. The latter two leave f64 and c128 alone"}}},
      {"expand-topk",
       "Expand topk to a stable sort and slices",
       &ExpandTopK,
       {{"comparators-only", Kind::kBool, "false",
         "expand only custom calls with other comparators than less and greater: ApproxTopK and TopK"}}},
      {"expand-rng-bit-generator",
       "Expand Threefry and Philox to integer operations",
       &ExpandRngBitGenerator,
       {},
       "",
       "no rng-bit-generator is left; rng stays, because no other operation can read the state of the run that its "
       "numbers come from"},
  };
  return *passes;
}

}  // namespace xla
