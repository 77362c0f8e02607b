// Index maps: which elements of its operands an element of a result is made of.
//
//   r = f32[4,6] transpose(f32[6,4] slice(f32[10,4] x), {[2:8], [0:4]}), dimensions={1,0}, as a fusion of x:
//     (d0, d1) -> parameter 0 at (d1 + 2, d0)
//
// The variables d0, d1, ... are the dimensions of the result; r0, r1, ... run over all elements that are combined into
// one, as in a reduction. Conditions say for which elements an operand is read at all, as in a pad or a concatenate.
#ifndef PASSES_ANALYSES_INDEX_MAPS_H_
#define PASSES_ANALYSES_INDEX_MAPS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "passes/analyses/index_expressions.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// low <= expression <= high
struct IndexCondition {
  IndexExpression expression;
  int64_t low = 0;
  int64_t high = 0;
  bool operator==(const IndexCondition& o) const {
    return expression == o.expression && low == o.low && high == o.high;
  }
};

// One way in which an operand is read: element `index` of operand number `operand`, an expression for each of its
// dimensions, for all values of the variables that satisfy the conditions.
struct IndexMap {
  int operand = 0;
  // How many values each variable takes: the result's dimensions, then the combined elements'.
  std::vector<int64_t> variable_sizes;
  int64_t result_rank = 0;             // so many variables are the result's
  std::vector<IndexExpression> index;  // in each dimension of the operand
  std::vector<IndexCondition> conditions;

  bool operator==(const IndexMap& o) const {
    return operand == o.operand && variable_sizes == o.variable_sizes && result_rank == o.result_rank &&
           index == o.index && conditions == o.conditions;
  }
  // The element at the same place, without conditions.
  bool IsIdentity() const;
  // "(d0, d1) -> operand 0 at (d1 + 2, d0) if 0 <= d0 <= 3"
  std::string ToString() const;
};

// One for each way in which elements of operands are read; several for an operand that is read at several places.
// nullopt if it cannot be told: what is read depends on data (gather, dynamic-slice, sort ...), sizes are only known at
// run time, or the expressions or their number would become large. For elementwise operations, broadcast, reshape,
// bitcasts that are one, transpose, slice, reverse, pad, concatenate, reduce and dot, constants and iota (none), and
// fusions with one result of them.
absl::optional<std::vector<IndexMap>> IndexMapsOf(const HloInstruction& instruction);

// A line for each map of each instruction that moves or combines elements, fusions included.
std::string PrintIndexMaps(const HloModule& module, const ResourceContext* resources = nullptr);

}  // namespace xla

#endif  // PASSES_ANALYSES_INDEX_MAPS_H_
