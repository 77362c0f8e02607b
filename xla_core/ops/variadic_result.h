// Results of operations that work on n arrays at once: the array itself for n = 1, else a tuple. A reduction may also
// give a tuple of one, if its reducer does; other operations, if their result is written so.
#ifndef XLA_CORE_OPS_VARIADIC_RESULT_H_
#define XLA_CORE_OPS_VARIADIC_RESULT_H_

#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/ops/eval_context.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/shape.h"

namespace xla {

inline Shape ArrayOrTuple(std::vector<Shape> shapes, bool is_tuple) {
  return is_tuple ? Shape::Tuple(std::move(shapes)) : std::move(shapes[0]);
}
inline Shape ArrayOrTuple(std::vector<Shape> shapes) {
  const bool is_tuple = shapes.size() != 1;
  return ArrayOrTuple(std::move(shapes), is_tuple);
}

inline Literal ArrayOrTuple(std::vector<Literal> literals, bool is_tuple) {
  return is_tuple ? Literal::Tuple(std::move(literals)) : std::move(literals[0]);
}
inline Literal ArrayOrTuple(std::vector<Literal> literals) {
  const bool is_tuple = literals.size() != 1;
  return ArrayOrTuple(std::move(literals), is_tuple);
}

// Whether the result for the one array that is operand 0 is written as a tuple of it. XLA's verifier expects the array,
// but the way from HLO to XLA's compiler takes both.
inline bool IsWrittenAsTupleOfOne(const HloInstruction& instruction, int array_count) {
  return array_count == 1 && instruction.shape().IsTuple() && instruction.shape().tuple_size() == 1 &&
         instruction.operand(0)->shape().IsArray();
}

inline bool IsWrittenAsTuple(const HloInstruction& instruction, int array_count) {
  return array_count != 1 || IsWrittenAsTupleOfOne(instruction, array_count);
}

inline void WarnOfTupleOfOne(const HloInstruction& instruction, int array_count, Violations& violations) {
  if (!IsWrittenAsTupleOfOne(instruction, array_count)) return;
  violations.Warn(absl::StrCat("the result for one array should be ", instruction.shape().tuple_shape(0).ToString(),
                               ", not a tuple of it"));
}

// The arrays of the instruction's result, with its layouts. Zero, so that elements beyond a dynamic size are the same
// in every run.
inline absl::StatusOr<std::vector<Literal>> AllocateResults(const HloInstruction& instruction, EvalContext& context) {
  const Shape& shape = instruction.shape();
  const int count = shape.IsTuple() ? shape.tuple_size() : 1;
  std::vector<Literal> results;
  for (int i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(Literal result, context.AllocateZeros(shape.IsTuple() ? shape.tuple_shape(i) : shape));
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace xla

#endif  // XLA_CORE_OPS_VARIADIC_RESULT_H_
