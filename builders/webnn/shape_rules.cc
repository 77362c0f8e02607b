#include "builders/webnn/shape_rules.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "builders/webnn/errors.h"

namespace xla {
namespace webnn {

absl::optional<UnsignedList> BroadcastShapes(absl::Span<const uint32_t> a, absl::Span<const uint32_t> b) {
  if (a.size() < b.size()) std::swap(a, b);
  UnsignedList result(a.begin(), a.end());
  const size_t offset = a.size() - b.size();
  for (size_t i = 0; i < b.size(); ++i) {
    uint32_t& dimension = result[offset + i];
    if (dimension != b[i] && dimension != 1 && b[i] != 1) return absl::nullopt;
    dimension = std::max(dimension, b[i]);
  }
  return result;
}

absl::StatusOr<UnsignedList> BroadcastOperands(const MLOperand& a, const MLOperand& b) {
  absl::optional<UnsignedList> shape = BroadcastShapes(a.shape(), b.shape());
  if (shape.has_value()) return *std::move(shape);
  return TypeError("bidirectional broadcast",
                   absl::StrCat("dimensions, counted from the last, must be equal or 1, got ", ShapeToString(a.shape()),
                                " and ", ShapeToString(b.shape()), "; reshape or transpose one of them"));
}

absl::Status CheckUnidirectionalBroadcast(absl::Span<const uint32_t> from, absl::Span<const uint32_t> to,
                                          absl::string_view what) {
  if (from.size() > to.size()) {
    return TypeError("unidirectional broadcast: rank", absl::StrCat(what, " must not have more dimensions than ",
                                                                    ShapeToString(to), ", got ", ShapeToString(from)));
  }
  const size_t offset = to.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] != to[offset + i] && from[i] != 1) {
      return TypeError("unidirectional broadcast: size",
                       absl::StrCat("dimensions of ", what, ", counted from the last, must be 1 or those of ",
                                    ShapeToString(to), ", got ", ShapeToString(from)));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckSameType(const MLOperand& expected, const MLOperand& operand, absl::string_view what,
                           absl::string_view rule) {
  if (expected.dataType() == operand.dataType()) return absl::OkStatus();
  return TypeError(rule, absl::StrCat(what, " must be of type ", ToString(expected.dataType()), ", got ",
                                      operand.descriptor().ToString(), "; cast it"));
}

absl::Status CheckAxis(uint32_t axis, int rank) {
  if (axis < static_cast<uint32_t>(rank)) return absl::OkStatus();
  return TypeError("axis: out of range",
                   absl::StrCat("the axis must be less than the rank, which is ", rank, ", got ", axis));
}

absl::Status CheckAxes(absl::Span<const uint32_t> axes, int rank) {
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] >= static_cast<uint32_t>(rank)) {
      return TypeError("axes: out of range",
                       absl::StrCat("axes must be less than the rank, which is ", rank, ", got ", ShapeToString(axes)));
    }
    if (std::find(axes.begin(), axes.begin() + i, axes[i]) != axes.begin() + i) {
      return TypeError("axes: duplicate", absl::StrCat("axes must be different, got ", ShapeToString(axes)));
    }
  }
  return absl::OkStatus();
}

UnsignedList AxesOrAll(const absl::optional<UnsignedList>& axes, int rank) {
  if (axes.has_value()) return *axes;
  UnsignedList all(rank);
  for (int i = 0; i < rank; ++i) all[i] = static_cast<uint32_t>(i);
  return all;
}

UnsignedList ReducedShape(absl::Span<const uint32_t> shape, absl::Span<const uint32_t> axes, bool keep_dimensions) {
  UnsignedList result;
  for (uint32_t i = 0; i < shape.size(); ++i) {
    const bool is_reduced = std::find(axes.begin(), axes.end(), i) != axes.end();
    if (!is_reduced) {
      result.push_back(shape[i]);
    } else if (keep_dimensions) {
      result.push_back(1);
    }
  }
  return result;
}

}  // namespace webnn
}  // namespace xla
