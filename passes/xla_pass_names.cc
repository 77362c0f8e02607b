// A row stands here only if the two passes agree in what they are for. One of ours may do more, as simplify-shapes
// does, which not only moves reshapes; none does only a part.
#include "passes/xla_pass_names.h"

#include <string>

#include "absl/strings/str_replace.h"

namespace xla {
namespace {

constexpr XlaPassName kNames[] = {
    {"algsimp", "simplify-algebra"},
    {"all-gather-combiner", "combine-collectives"},
    {"all-reduce-combiner", "combine-collectives"},
    {"batchnorm_expander", "expand-batch-norm"},
    {"bfloat16-propagation", "propagate-bf16"},
    {"call-inliner", "inline-calls"},
    {"cholesky_expander", "expand-cholesky"},
    {"comparison-expander", "expand-total-order"},
    {"conditional-code-motion", "hoist-common-code"},
    {"constant_folding", "fold-constants"},
    {"convolution-canonicalization", "canonicalize-convolutions"},
    {"copy-insertion", "insert-copies"},
    {"cse", "merge-equal"},
    {"cse_barrier_expander", "remove-barriers"},
    {"dce", "remove-dead-code"},
    {"defuser", "unfuse"},
    {"dot_decomposer", "canonicalize-dots"},
    {"dynamic_padder", "expand-dynamic-dimensions"},
    {"fusion", "fuse"},
    {"gather_expander", "expand-gather"},
    {"hlo-memory-scheduler", "schedule-for-memory"},
    {"layout-assignment", "assign-layouts"},
    {"literal-canonicalizer", "share-constants"},
    {"map-inline", "expand-map"},
    {"operand_upcaster", "upcast-integer-dots"},
    {"reduce-scatter-combiner", "combine-collectives"},
    {"reduce-scatter-creator", "form-reduce-scatter"},
    {"rematerialization", "rematerialize"},
    {"reshape-mover", "simplify-shapes"},
    {"rng-bit-generator-expander", "expand-rng-bit-generator"},
    {"scatter_expander", "expand-scatter"},
    {"sdy-propagation-pipeline", "propagate-shardings"},
    {"select_and_scatter_expander", "expand-select-and-scatter"},
    {"sharding-propagation", "propagate-shardings"},
    {"shardy-xla", "propagate-shardings"},
    {"simplify-conditional", "simplify-conditionals"},
    {"simplify-while-loops", "simplify-loops"},
    {"spmd-partitioner", "partition"},
    {"spmd-partitioning", "partition"},
    {"stochastic_convert_decomposer", "expand-stochastic-convert"},
    {"topk-decomposer", "expand-topk"},
    {"topk-rewriter", "recognize-topk"},
    {"triangular_solve_expander", "expand-triangular-solve"},
    {"tuple-simplifier", "simplify-tuples"},
    {"while-loop-invariant-code-motion", "hoist-loop-invariants"},
    {"while-loop-simplifier", "simplify-loops"},
    {"while_loop_unroller", "unroll-loops"},
    {"zero_sized_hlo_elimination", "remove-zero-sized"},
};

std::string WithDashes(absl::string_view name) { return absl::StrReplaceAll(name, {{"_", "-"}}); }

}  // namespace

absl::Span<const XlaPassName> XlaPassNames() { return kNames; }

absl::string_view PassOfXlaName(absl::string_view name) {
  const std::string with_dashes = WithDashes(name);
  for (const XlaPassName& row : kNames) {
    if (WithDashes(row.xla) == with_dashes) return row.pass;
  }
  return "";
}

std::vector<absl::string_view> XlaNamesOfPass(absl::string_view pass) {
  std::vector<absl::string_view> names;
  for (const XlaPassName& row : kNames) {
    if (row.pass == pass) names.push_back(row.xla);
  }
  return names;
}

}  // namespace xla
