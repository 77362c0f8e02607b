// What lies beyond the edges of an input: the border modes of sliding windows, `pad` and up-sampling.
#ifndef BUILDERS_NNEF1_OPERATIONS_BORDERS_H_
#define BUILDERS_NNEF1_OPERATIONS_BORDERS_H_

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "builders/computation_builder/computation_builder.h"
#include "builders/nnef1/operation.h"

namespace xla {
namespace nnef1 {

// Item i of an input of extent z, where i < 0 or i >= z:
enum class Border {
  kConstant,     // 0, which takes part in maxima
  kIgnore,       // nothing: left out of sums, counts and maxima
  kReplicate,    // item 0; item z-1
  kReflect,      // item -i; item 2(z-1) - i
  kReflectEven,  // item -i-1; item 2z-1-i
};

// How many items before and after the input are wanted, for each dimension; negative ones crop the input.
using Reach = std::pair<int64_t, int64_t>;

// The parameter `border` of an operation. Errors: InvalidArgument for another word; for 'ignore' unless it is allowed.
absl::StatusOr<Border> BorderOf(const OperationCall& call, bool allow_ignore);

// That one reflection has all items wanted: what lies further is not defined.
// Errors: InvalidArgument naming the dimension, counted from `first_dimension`.
absl::Status CheckReach(Border border, absl::Span<const int64_t> extents, absl::Span<const Reach> reach,
                        int64_t first_dimension = 0);

// x with the items beyond its edges, as many as `reach` says for each dimension. `value` is what kConstant has there;
// kIgnore is not for this function. What is cropped is cropped last: items that a reflection takes are those of x.
//   HLO: pad; concatenate, reverse, slice, broadcast
XlaOp PadBorder(XlaOp x, Border border, absl::Span<const Reach> reach, double value = 0);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_OPERATIONS_BORDERS_H_
