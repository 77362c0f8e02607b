#include "xla_core/ops/dimension_checks.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::Status CheckArray(const Shape& shape, absl::string_view what) {
  if (!shape.IsArray()) {
    return absl::InvalidArgumentError(absl::StrCat(what, " must be an array, got ", shape.ToString()));
  }
  if (shape.IsUnboundedDynamic()) {
    return absl::FailedPreconditionError(absl::StrCat(what, " has the unbounded shape ", shape.ToString(),
                                                      "; write a bound for each dimension, as in <=8"));
  }
  return absl::OkStatus();
}

// "the operand f32[2,3] has rank 2; use 0 to 1"
std::string DimensionsToUse(const DimensionsOf& of) {
  return absl::StrCat(of.name, of.shape == nullptr ? "" : " ", of.shape == nullptr ? "" : of.shape->ToString(),
                      " has rank ", of.rank,
                      of.rank > 0 ? absl::StrCat("; use 0 to ", of.rank - 1) : " and therefore no dimensions");
}

}  // namespace

absl::Status CheckBoundedArrays(const HloInstruction& instruction) {
  for (int i = 0; i < instruction.operand_count(); ++i) {
    const Shape& shape = instruction.operand(i)->shape();
    if (!shape.IsArray() || shape.IsDynamic()) RETURN_IF_ERROR(CheckArray(shape, absl::StrCat("operand ", i)));
  }
  return absl::OkStatus();
}

absl::Status CheckWrittenArray(const HloInstruction& instruction) {
  if (instruction.shape().element_type() == PRIMITIVE_TYPE_INVALID) {
    return absl::InvalidArgumentError(
        absl::StrCat("the result shape of ", instruction.opcode_name(), " must be written"));
  }
  return CheckArray(instruction.shape(), "the result");
}

// InvalidArgument unless all are in range and none occurs twice. `of` says whose dimensions they are, for the
// message.
absl::Status CheckDistinctDimensions(absl::string_view attribute, absl::Span<const int64_t> dimensions,
                                     const DimensionsOf& of) {
  absl::InlinedVector<bool, 8> seen(of.rank, false);
  for (int64_t d : dimensions) {
    if (d < 0 || d >= of.rank) {
      return absl::InvalidArgumentError(absl::StrCat(attribute, "=", ListToString(dimensions), " names dimension ", d,
                                                     ", but ", DimensionsToUse(of)));
    }
    if (seen[d]) {
      return absl::InvalidArgumentError(absl::StrCat(attribute, "=", ListToString(dimensions), " names dimension ", d,
                                                     " twice; each may occur once"));
    }
    seen[d] = true;
  }
  return absl::OkStatus();
}

absl::Status CheckAscendingDimensions(absl::string_view attribute, absl::Span<const int64_t> dimensions,
                                      const DimensionsOf& of) {
  RETURN_IF_ERROR(CheckDistinctDimensions(attribute, dimensions, of));
  if (std::is_sorted(dimensions.begin(), dimensions.end())) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(attribute, "=", ListToString(dimensions), " must be in ascending order"));
}

absl::Status CheckDisjoint(absl::string_view attribute_a, absl::Span<const int64_t> a, absl::string_view attribute_b,
                           absl::Span<const int64_t> b) {
  for (int64_t d : a) {
    if (!Contains(b, d)) continue;
    return absl::InvalidArgumentError(absl::StrCat("dimension ", d, " stands in both ", attribute_a, "=",
                                                   ListToString(a), " and ", attribute_b, "=", ListToString(b),
                                                   "; it may stand in one of them"));
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> CheckedElementCount(const Shape& shape) {
  int64_t count = 1;
  bool overflow = false;
  for (int64_t d : shape.dimensions()) {
    if (d == 0) return 0;
    overflow |= !overflow && !CheckedMul(count, d, &count);
  }
  if (!overflow) return count;
  return absl::InvalidArgumentError(
      absl::StrCat(shape.ToString(), " has more elements than fit in 63 bits; make it smaller"));
}

bool Contains(absl::Span<const int64_t> list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

std::string ListToString(absl::Span<const int64_t> list) { return absl::StrCat("{", absl::StrJoin(list, ","), "}"); }

}  // namespace xla
