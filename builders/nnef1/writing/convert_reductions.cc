// Reductions, of whole dimensions and of windows.
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "builders/nnef1/writing/constant_values.h"
#include "builders/nnef1/writing/convert_instructions.h"
#include "xla_core/ir/hlo_computation.h"

namespace xla {
namespace nnef1 {
namespace {

// The opcode of a computation (a, b) -> a op b.
absl::optional<HloOpcode> OpcodeOfReducer(const HloComputation& computation) {
  const HloInstruction* const root = computation.root();
  const bool takes_both = computation.instruction_count() == 3 && root->operand_count() == 2 &&
                          root->operand(0)->opcode() == HloOpcode::kParameter &&
                          root->operand(1)->opcode() == HloOpcode::kParameter && root->operand(0) != root->operand(1);
  if (!takes_both) return absl::nullopt;
  return root->opcode();
}

// The operation that a reduction is, starting where that starts; nullptr if there is none.
const char* ReduceOperation(const HloInstruction& instruction) {
  const HloInstruction* const start = instruction.operand(1);
  const absl::optional<HloOpcode> opcode = OpcodeOfReducer(*instruction.called_computation(0));
  const bool is_scalar = PrimitiveOf(instruction.shape()) == Primitive::kScalar;
  const bool is_logical = PrimitiveOf(instruction.shape()) == Primitive::kLogical;
  const char* operation = nullptr;
  if (is_scalar && opcode == HloOpcode::kAdd && IsConstant(start, 0)) operation = "sum_reduce";
  if (is_scalar && opcode == HloOpcode::kMaximum && IsNegativeInfinity(start)) operation = "max_reduce";
  if (is_scalar && opcode == HloOpcode::kMinimum && IsPositiveInfinity(start)) operation = "min_reduce";
  if (is_logical && opcode == HloOpcode::kAnd && IsConstant(start, 1)) operation = "all_reduce";
  if (is_logical && opcode == HloOpcode::kOr && IsConstant(start, 0)) operation = "any_reduce";
  return operation;
}

}  // namespace

absl::Status ConvertReduce(const HloInstruction& instruction, Conversion& to) {
  if (instruction.operand_count() != 2) return CannotSay(instruction, "arrays are reduced one by one");
  const char* const operation = ReduceOperation(instruction);
  if (operation == nullptr) {
    return CannotSay(instruction,
                     "reductions are sums, maxima and minima of scalars, and of logical values, from where "
                     "those start");
  }
  const DimensionVector& axes = instruction.attributes<DimensionsAttributes>().dimensions;
  Extents extents = ExtentsOf(instruction.operand(0)->shape());
  for (const int64_t axis : axes) extents[axis] = 1;
  const Primitive primitive = PrimitiveOf(instruction.shape());
  const int reduced =
      to.writer().Add(operation, {{"input", to.ValueOf(instruction.operand(0))}, {"axes", IntegerArray(axes)}},
                      primitive, extents, absl::StrCat(instruction.name(), "_kept"));
  if (axes.empty()) {
    to.Set(instruction, reduced);
  } else {
    to.SetNew(instruction, "squeeze", {{"input", Value::Tensor(reduced)}, {"axes", IntegerArray(axes)}});
  }
  return absl::OkStatus();
}

absl::Status ConvertReduceWindow(const HloInstruction& instruction, Conversion& to) {
  if (instruction.operand_count() != 2) return CannotSay(instruction, "arrays are reduced one by one");
  const absl::optional<HloOpcode> opcode = OpcodeOfReducer(*instruction.called_computation(0));
  const bool is_scalar = PrimitiveOf(instruction.shape()) == Primitive::kScalar;
  const bool is_sum = is_scalar && opcode == HloOpcode::kAdd && IsConstant(instruction.operand(1), 0);
  const bool is_maximum = is_scalar && opcode == HloOpcode::kMaximum && IsNegativeInfinity(instruction.operand(1));
  if (!is_sum && !is_maximum) return CannotSay(instruction, "windows are summed from 0, or maximised from -infinity");
  std::vector<int64_t> size, stride, dilation;
  std::vector<std::pair<int64_t, int64_t>> padding;
  for (const WindowDimension& dimension : instruction.attributes<WindowAttributes>().window.dimensions) {
    if (dimension.base_dilation != 1) return CannotSay(instruction, "nothing is put between items");
    size.push_back(dimension.size);
    stride.push_back(dimension.stride);
    dilation.push_back(dimension.window_dilation);
    padding.emplace_back(dimension.padding_low, dimension.padding_high);
  }
  to.SetNew(instruction, is_sum ? "box" : "max_pool",
            {{"input", to.ValueOf(instruction.operand(0))},
             {"size", IntegerArray(size)},
             {"border", Value::String(is_sum ? "constant" : "ignore")},
             {"padding", PairArray(padding)},
             {"stride", IntegerArray(stride)},
             {"dilation", IntegerArray(dilation)}});
  return absl::OkStatus();
}

}  // namespace nnef1
}  // namespace xla
