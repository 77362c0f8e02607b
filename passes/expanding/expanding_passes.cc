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
       "write batch normalisation as sums and elementwise operations",
       &ExpandBatchNorm,
       {{"arithmetic", Kind::kText, "f64",
         "the type that is computed in: f64, which is exact but for the order of sums, or f32"}}},
      {"expand-elementwise",
       "write elementwise operations in terms of simpler ones",
       &ExpandElementwise,
       {{"ops", Kind::kList, "logistic+erf",
         "any of clamp, erf, is-finite, logistic, mulhi, round-nearest-afz, rsqrt, sign and tan"},
        {"arithmetic", Kind::kText, "f64",
         "what f32 is computed in: f64, as the interpreter does, or f32 (erf then stays, the others keep within the "
         "error of the op table)"}}},
      {"expand-cumulative-windows",
       "write cumulative sums, products, maxima, ... along a long dimension as scans",
       &ExpandCumulativeWindows,
       {{"min-length", Kind::kInt, "32", "dimensions shorter than this keep their window"},
        {"block", Kind::kInt, "128", "elements that are scanned in steps of 1, 2, 4, ... before blocks are joined"}}},
      {"expand-select-and-scatter", "write select-and-scatter as reduce-window of values and positions, and scatter",
       &ExpandSelectAndScatter},
      {"expand-stochastic-convert", "write stochastic-convert as arithmetic in f64", &ExpandStochasticConvert},
      {"expand-map", "write map as operations on whole arrays", &ExpandMap},
      {"canonicalize-convolutions",
       "bring convolutions to dim_labels b01f_01io->b01f",
       &CanonicalizeConvolutions,
       {{"strided-kernels", Kind::kBool, "false",
         "leave kernels in their order and fold their transposes, unless windows are as large as images"}}},
      {"canonicalize-dots",
       "bring dots to [batch.., m, k] x [batch.., k, n]",
       &CanonicalizeDots,
       {{"merge-batch", Kind::kBool, "false", "merge batch dimensions into one"},
        {"strided", Kind::kBool, "false",
         "leave dots whose operands lie in memory as matrices with contiguous rows or columns"}}},
      {"expand-convolution",
       "write convolutions as sums of dots over the positions of the window",
       &ExpandConvolution,
       {{"max-positions", Kind::kInt, "64", "larger windows stay"},
        {"only-groups", Kind::kBool, "false", "only convolutions with feature or batch groups"}}},
      {"expand-dynamic-dimensions",
       "write arrays of run-time sizes as arrays of their bounds beside their sizes",
       &ExpandDynamicDimensions,
       {{"unknown", Kind::kText, "leave",
         "what happens to a module in which another operation has dynamic dimensions: leave (it warns) or fail"}}},
      {"expand-ragged-dot", "write ragged-dot as dots of masked operands", &ExpandRaggedDot},
      {"expand-variadic",
       "take reductions of several arrays apart, and sort keys beside positions only",
       &ExpandVariadic,
       {},
       "",
       "every sort is of one array, or of one beside an iota along its dimension, but for comparators that look at "
       "several arrays in another way than as keys one after the other"},
      {"decompose-collectives",
       "write collectives in terms of simpler ones",
       &DecomposeCollectives,
       {{"ops", Kind::kList, "all-to-all+reduce-scatter",
         "any of all-gather, all-to-all, collective-broadcast, ragged-all-to-all and reduce-scatter"}}},
      {"standardize-forms",
       "write what is allowed but odd in the form that other passes know",
       &StandardizeForms,
       {},
       "",
       "no reduction gives a tuple of one, no window of a reduction is reversed, factors are of one kind, no sum of "
       "integers is narrower than they are, and no comparison has another type than its operands"},
      {"split-async", "make asynchronous operations synchronous", &SplitAsync},
      {"expand-cholesky", "write cholesky as a loop over columns, in f64", &ExpandCholesky},
      {"expand-gather",
       "write gather as a loop over its windows",
       &ExpandGather,
       {{"max-turns", Kind::kInt, "-1", "gathers of more windows stay; -1: none"}}},
      {"expand-linear-algebra-calls",
       "write calls of LAPACK as loops over rows and columns",
       &ExpandLinearAlgebraCalls,
       {{"ops", Kind::kList, "geqrf+getrf+orgqr+ormqr+potrf+trsm",
         "any of geqrf, getrf, orgqr (which stands for ungqr too), ormqr (unmqr too), potrf, syevd (heevd too) and "
         "trsm; syevd only for programs that do not mind which eigenvectors they get: those of the expansion have "
         "other signs, phases and bases of equal eigenvalues than LAPACK's"},
        {"unknown", Kind::kText, "leave", "what happens to another call of LAPACK: leave, warn (it stays) or fail"}}},
      {"expand-scan", "write scan as a while loop", &ExpandScan},
      {"expand-scatter",
       "write scatter as a loop over its windows",
       &ExpandScatter,
       {{"max-turns", Kind::kInt, "-1", "scatters of more windows stay; -1: none"}}},
      {"expand-triangular-solve", "write triangular-solve as substitution in a loop, in f64", &ExpandTriangularSolve},
      {"expand-topk",
       "write topk as a stable sort and slices",
       &ExpandTopK,
       {{"comparators-only", Kind::kBool, "false",
         "only custom calls with comparators of their own: ApproxTopK, and TopK where it is not less or greater"}}},
      {"expand-rng-bit-generator",
       "write Threefry and Philox as integer operations",
       &ExpandRngBitGenerator,
       {},
       "",
       "no rng-bit-generator is left; rng stays, because its numbers come from the state of the run, which no other "
       "operation can read"},
  };
  return *passes;
}

}  // namespace xla
