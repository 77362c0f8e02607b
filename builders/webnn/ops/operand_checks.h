// Checks of operands among the options, of lists and of results that several operators make. Each returns a TypeError
// whose rule begins with the name of what is wrong, as in "bias: shape". More are in shape_rules.h.
#ifndef BUILDERS_WEBNN_OPS_OPERAND_CHECKS_H_
#define BUILDERS_WEBNN_OPS_OPERAND_CHECKS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "builders/webnn/edition.h"
#include "builders/webnn/operand.h"
#include "builders/webnn/operator_definition.h"
#include "builders/webnn/options.h"

namespace xla {
namespace webnn {

// "NAME: shape".
absl::Status CheckShape(absl::string_view name, const MLOperand& operand, absl::Span<const int64_t> expected);
// If there is an operand: its type is that of `other` ("NAME: dtype"), and its shape as expected.
absl::Status CheckOptional(absl::string_view name, const absl::optional<MLOperand>& operand, const MLOperand& other,
                           absl::Span<const int64_t> expected);

// The value of an operand among the options, if there is one.
absl::optional<XlaOp> OptionalValue(const LoweringCall& call, const absl::optional<MLOperand>& operand);

// If there is a list, it has so many items: "NAME: size 2".
absl::Status CheckListSize(absl::string_view name, const absl::optional<UnsignedList>& list, size_t size);
// If there is a list, none of its items is 0: "NAME: zero", or `rule`.
absl::Status CheckNotZero(absl::string_view name, const absl::optional<UnsignedList>& list,
                          absl::string_view rule = "");

// A size as a dimension of a result: "invalid output dimension" if it is less than 1 or too large for the edition.
absl::StatusOr<uint32_t> OutputDimension(int64_t size, MLEdition edition);

// A result of these sizes; errors as above.
absl::StatusOr<MLOperandDescriptor> DescriptorOf(MLOperandDataType type, absl::Span<const int64_t> sizes,
                                                 MLEdition edition);

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_OPS_OPERAND_CHECKS_H_
