// The general form of a statement: any of them as HLO.
//
// Where iterations do not depend on each other, all of them are computed at a time, as arrays over the loops:
//   - Elements whose indices are loops, or loops and offsets, form a box. Loops that are not among the indices are
//     reduced; of assignments the last iteration that takes place counts.
//   - Other elements are scattered to: accumulations by the operation, and assignments by the greatest number of an
//     iteration first, whose value is fetched then, so that the order of a scatter does not matter.
// Statements that read what they assign run one iteration after the other (sequential_form.cc), but for loops that keep
// to elements of their own.
#ifndef BUILDERS_NNEF2_LOWERING_GENERAL_FORM_H_
#define BUILDERS_NNEF2_LOWERING_GENERAL_FORM_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "builders/nnef2/lowering/nest_lowering.h"
#include "builders/nnef2/lowering/space_emitter.h"
#include "builders/nnef2/lowering/statement_nest.h"

namespace xla {
namespace nnef2 {

// A statement that takes arrays of more iterations is refused, and one that takes more steps one after the other.
inline constexpr int64_t kMaxIterations = 1 << 26;
inline constexpr int64_t kMaxSteps = (int64_t{1} << 31) - 1;

// As a Recogniser. Errors: InvalidArgument if there are too many iterations; those of HLO stick to the builder.
absl::Status LowerGeneralForm(NestLowering& lowering, const StatementNest& nest, const std::vector<XlaOp>& initial,
                              std::vector<XlaOp>* results);

// What is assigned: a target, or those of a pack stacked, where an item is chosen by an index (target_item).
struct NestTarget {
  std::vector<int64_t> bounds;           // of the array
  std::vector<const NestNode*> indices;  // with target_item in front
  const NestNode* value = nullptr;
  XlaOp initial;  // invalid: nothing has been assigned
};

// An array with these dimensions of what elements hold before the first assignment.
XlaOp NeutralArray(NestLowering& lowering, const StatementNest& nest, const std::vector<int64_t>& bounds);

// The form for statements that read what they assign. *states: the targets' arrays.
absl::Status LowerSequentialForm(NestLowering& lowering, const StatementNest& nest,
                                 const std::vector<NestTarget>& targets, std::vector<XlaOp>* states);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_LOWERING_GENERAL_FORM_H_
