// Functions of CHLO: of one or two numbers, applied to each element.
#ifndef BUILDERS_STABLEHLO_LOWERING_OPS_CHLO_FUNCTIONS_H_
#define BUILDERS_STABLEHLO_LOWERING_OPS_CHLO_FUNCTIONS_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "builders/computation_builder/computation_builder.h"

namespace xla {
namespace stablehlo {

using Operands = absl::Span<const XlaOp>;

struct ChloFunction {
  absl::string_view name;
  int operands;
  uint8_t classes;  // of the element types that it takes
  // Narrow floats are computed in f32.
  bool in_f32;
  XlaOp (*write)(ComputationBuilder& b, Operands x);
};

const std::vector<ChloFunction>& ChloFunctions();
// By its whole name, "chlo.erf". nullptr: there is no such function.
const ChloFunction* FindChloFunction(absl::string_view name);
// The function of operands of one shape and of its types.
XlaOp WriteChloFunction(const ChloFunction& function, ComputationBuilder& b, Operands operands);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_OPS_CHLO_FUNCTIONS_H_
