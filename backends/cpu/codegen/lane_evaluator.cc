#include "backends/cpu/codegen/lane_evaluator.h"

#include "xla_core/ops/convert_elements.h"
#include "xla_core/ops/elementwise_kernel.h"
#include "xla_core/ops/elementwise_table.h"

namespace xla {
namespace {

ElementwiseLoop FindRowLoop(HloOpcode opcode, PrimitiveType type) {
  if (IsSubByte(type) || IsNarrowFloatType(type)) return nullptr;
  if (IsComplex(type)) return FindComplexLoop(opcode, type);
  return IsFloat(type) ? FindFloatLoop(opcode, type) : FindIntegerLoop(opcode, type);
}

}  // namespace

bool CanEvaluateLanes(HloOpcode opcode, PrimitiveType from) {
  if (opcode == HloOpcode::kConvert || opcode == HloOpcode::kStochasticConvert) return true;
  return FindElementwiseRow(opcode) != nullptr && FindRowLoop(opcode, from) != nullptr;
}

void EvaluateLanes(int64_t opcode, int64_t from, int64_t to, int64_t n, const void* x, const void* y, void* result) {
  const auto operation = static_cast<HloOpcode>(opcode);
  const auto type = static_cast<PrimitiveType>(from);
  if (operation == HloOpcode::kConvert) return ConvertElements(type, static_cast<PrimitiveType>(to), n, x, result);
  LoopParameters parameters;
  parameters.from = type;
  parameters.to = static_cast<PrimitiveType>(to);
  parameters.bits = BitWidth(type);
  const void* const inputs[] = {x, y};
  if (operation == HloOpcode::kStochasticConvert) return StochasticConvertLoop(parameters, n, inputs, result);
  FindRowLoop(operation, type)(parameters, n, inputs, result);
}

}  // namespace xla
