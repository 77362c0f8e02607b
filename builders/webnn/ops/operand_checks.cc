#include "builders/webnn/ops/operand_checks.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/webnn/descriptor.h"
#include "builders/webnn/errors.h"
#include "builders/webnn/shape_rules.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace webnn {

absl::Status CheckShape(absl::string_view name, const MLOperand& operand, absl::Span<const int64_t> expected) {
  const std::vector<uint32_t>& shape = operand.shape();
  if (std::equal(shape.begin(), shape.end(), expected.begin(), expected.end())) return absl::OkStatus();
  return TypeError(absl::StrCat(name, ": shape"),
                   absl::StrCat(name, " must have the shape [", absl::StrJoin(expected, ","), "], got ",
                                operand.descriptor().ToString()));
}

absl::Status CheckOptional(absl::string_view name, const absl::optional<MLOperand>& operand, const MLOperand& other,
                           absl::Span<const int64_t> expected) {
  if (!operand.has_value()) return absl::OkStatus();
  RETURN_IF_ERROR(CheckSameType(other, *operand, name, absl::StrCat(name, ": dtype")));
  return CheckShape(name, *operand, expected);
}

absl::optional<XlaOp> OptionalValue(const LoweringCall& call, const absl::optional<MLOperand>& operand) {
  if (!operand.has_value()) return absl::nullopt;
  return call.ValueOf(*operand);
}

absl::Status CheckListSize(absl::string_view name, const absl::optional<UnsignedList>& list, size_t size) {
  if (!list.has_value() || list->size() == size) return absl::OkStatus();
  return TypeError(absl::StrCat(name, ": size ", size),
                   absl::StrCat(name, " must have ", size, " items, got ", list->size()));
}

absl::Status CheckNotZero(absl::string_view name, const absl::optional<UnsignedList>& list, absl::string_view rule) {
  if (!list.has_value() || std::find(list->begin(), list->end(), 0u) == list->end()) return absl::OkStatus();
  return TypeError(rule.empty() ? absl::StrCat(name, ": zero") : std::string(rule),
                   absl::StrCat("items of ", name, " must be greater than 0, got [", absl::StrJoin(*list, ","), "]"));
}

absl::StatusOr<uint32_t> OutputDimension(int64_t size, MLEdition edition) {
  if (size >= 1 && size <= MaxDimension(edition)) return static_cast<uint32_t>(size);
  return TypeError("invalid output dimension", absl::StrCat("a dimension of the result must be from 1 to ",
                                                            MaxDimension(edition), ", but is ", size));
}

absl::StatusOr<MLOperandDescriptor> DescriptorOf(MLOperandDataType type, absl::Span<const int64_t> sizes,
                                                 MLEdition edition) {
  std::vector<uint32_t> shape;
  for (const int64_t size : sizes) {
    ASSIGN_OR_RETURN(const uint32_t dimension, OutputDimension(size, edition));
    shape.push_back(dimension);
  }
  return MLOperandDescriptor(type, std::move(shape));
}

}  // namespace webnn
}  // namespace xla
