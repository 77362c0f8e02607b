#include "builders/nnef1/operations/axes.h"

#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "builders/nnef1/operations/wrong_argument.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef1 {
namespace {

// Of all tensors of an array together.
constexpr int64_t kMaxResultExtents = int64_t{1} << 22;

}  // namespace

absl::Status CheckAxis(absl::string_view name, int64_t axis, int64_t limit, absl::string_view of) {
  if (axis >= 0 && axis < limit) return absl::OkStatus();
  const std::string expected = limit == 0 ? "no axis" : absl::StrCat("an axis from 0 to ", limit - 1);
  return WrongArgument(name, absl::StrCat(expected, ", because ", of, " has rank ", limit),
                       absl::StrCat(axis, axis < 0 && limit > 0 ? "; axes do not count from the end" : ""));
}

absl::Status CheckAxes(absl::Span<const int64_t> axes, int64_t limit, absl::string_view of) {
  absl::flat_hash_set<int64_t> seen;
  for (const int64_t axis : axes) {
    RETURN_IF_ERROR(CheckAxis("axes", axis, limit, of));
    if (!seen.insert(axis).second) return WrongArgument("axes", "each axis once", absl::StrCat(axis, " twice"));
  }
  return absl::OkStatus();
}

absl::Status CheckResultCount(absl::string_view name, int64_t count, size_t rank) {
  const int64_t limit = kMaxResultExtents / (static_cast<int64_t>(rank) + 1);
  if (count >= 1 && count <= limit) return absl::OkStatus();
  return WrongArgument(name, absl::StrCat("1 to ", limit, " tensors"), absl::StrCat(count));
}

std::vector<int64_t> OtherAxes(int64_t rank, absl::Span<const int64_t> axes) {
  std::vector<bool> is_among(rank);
  for (const int64_t axis : axes) is_among[axis] = true;
  std::vector<int64_t> others;
  for (int64_t d = 0; d < rank; ++d) {
    if (!is_among[d]) others.push_back(d);
  }
  return others;
}

Extents ReducedExtents(Extents extents, absl::Span<const int64_t> axes) {
  for (const int64_t axis : axes) extents[axis] = 1;
  return extents;
}

Inferred InferReduction(const OperationCall& call) {
  const std::vector<int64_t> axes = call.integers("axes");
  RETURN_IF_ERROR(CheckAxes(axes, call.rank("input"), "the input"));
  return std::vector<Extents>{ReducedExtents(call.extents("input"), axes)};
}

}  // namespace nnef1
}  // namespace xla
