// What gives data: parameters, constants and iota; and tuples, which only hold it together.
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "builders/nnef1/writing/convert_instructions.h"
#include "xla_core/ops/literal_util.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef1 {
namespace {

// Elements of an iota, which becomes data.
constexpr int64_t kMostIotaElements = int64_t{1} << 30;

int64_t Product(absl::Span<const int64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), int64_t{1}, std::multiplies<int64_t>());
}

}  // namespace

absl::Status ConvertParameter(const HloInstruction& instruction, Conversion& to) {
  if (instruction.shape().IsTuple()) return CannotSay(instruction, "inputs are arrays");
  to.Set(instruction,
         to.writer().AddInput(PrimitiveOf(instruction.shape()), ExtentsOf(instruction.shape()), instruction.name()));
  return absl::OkStatus();
}

absl::Status ConvertConstant(const HloInstruction& instruction, Conversion& /*to*/) {
  const std::shared_ptr<const Literal>& literal = instruction.attributes<ConstantAttributes>().literal;
  if (literal == nullptr) return CannotSay(instruction, "the constant was left out when the program was written");
  return absl::OkStatus();
}

absl::Status ConvertIota(const HloInstruction& instruction, Conversion& to) {
  const Shape& shape = instruction.shape();
  const int64_t dimension = instruction.attributes<IotaAttributes>().iota_dimension;
  if (shape.ElementCount() > kMostIotaElements) return CannotSay(instruction, "too many numbers to be written as data");
  ASSIGN_OR_RETURN(Literal numbers, Literal::Allocate(Shape::Array(S64, shape.dimensions())));
  const Extents extents = ExtentsOf(shape);
  const int64_t inner = Product(absl::MakeConstSpan(extents).subspan(dimension + 1));
  int64_t* const items = numbers.mutable_data<int64_t>();
  for (int64_t i = 0; i < numbers.element_count(); ++i) items[i] = i / inner % extents[dimension];
  ASSIGN_OR_RETURN(const Literal array, LiteralUtil::Convert(numbers, shape.element_type()));
  to.Set(instruction, to.AddData(array, instruction.name()));
  return absl::OkStatus();
}

absl::Status ConvertTuple(const HloInstruction& instruction, Conversion& to) {
  std::vector<int> elements;
  for (const HloInstruction* operand : instruction.operands()) {
    if (operand->shape().IsTuple()) return CannotSay(instruction, "tuples are not nested");
    elements.push_back(to.Of(operand));
  }
  to.SetElements(instruction, std::move(elements));
  return absl::OkStatus();
}

absl::Status ConvertGetTupleElement(const HloInstruction& instruction, Conversion& to) {
  const std::vector<int>& elements = to.ElementsOf(instruction.operand(0));
  to.Set(instruction, elements[instruction.attributes<GetTupleElementAttributes>().index]);
  return absl::OkStatus();
}

}  // namespace nnef1
}  // namespace xla
