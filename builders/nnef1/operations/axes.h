// Lists of axes as parameters of operations: what they may be, and what reducing along them leaves.
#ifndef BUILDERS_NNEF1_OPERATIONS_AXES_H_
#define BUILDERS_NNEF1_OPERATIONS_AXES_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "builders/nnef1/graph.h"
#include "builders/nnef1/operation.h"

namespace xla {
namespace nnef1 {

// 0 <= axis < limit, which is the rank of `of`: "the input". Errors: InvalidArgument.
absl::Status CheckAxis(absl::string_view name, int64_t axis, int64_t limit, absl::string_view of);
// The same for each item of "axes", and none twice.
absl::Status CheckAxes(absl::Span<const int64_t> axes, int64_t limit, absl::string_view of);

// That an operation may give an array of `count` tensors of that rank: each is a value of the program, so a number that
// no model means is refused before there is memory for them. `name` is the parameter that asks for them. Errors:
// InvalidArgument.
absl::Status CheckResultCount(absl::string_view name, int64_t count, size_t rank);

// The dimensions from 0 to rank - 1 that are not among `axes`, ascending.
std::vector<int64_t> OtherAxes(int64_t rank, absl::Span<const int64_t> axes);
// `extents` with 1 at `axes`.
Extents ReducedExtents(Extents extents, absl::Span<const int64_t> axes);

// infer of the reductions: `input`, whose extents along `axes` become 1.
Inferred InferReduction(const OperationCall& call);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_OPERATIONS_AXES_H_
