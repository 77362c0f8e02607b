#include "backends/cpu/library/solve/linear_system_program.h"

#include <algorithm>

#include "backends/cpu/library/solve/linear_system_programs.h"
#include "xla_core/ir/attributes.h"

namespace xla {
namespace {

// Smaller matrices of f32 are done in f64, which takes hardly longer.
constexpr int64_t kLeastForF32 = 129;
// More rows are left to whoever has the memory.
constexpr int64_t kMostRows = int64_t{1} << 20;

bool IsStoredPart(PrimitiveType type) {
  return IsComplex(type) || (IsFloat(type) && BitWidth(type) >= 8 && type != F8E8M0FNU);
}

}  // namespace

bool IsByMatrix(const LinearSystem& system) {
  const int64_t size = std::max(system.n, system.m);
  return size <= 2 * kPanelWidth || (size <= 512 && system.count >= 8);
}

int64_t MatricesPerTile(const LinearSystem& system) {
  constexpr int64_t kOperations = 100000;
  const int64_t size = std::max({system.n, system.m, int64_t{8}});
  return std::max<int64_t>(1, kOperations / (size * size * size));
}

absl::StatusOr<std::unique_ptr<StepwiseProgram>> MakeLinearSystemProgram(const HloInstruction& instruction,
                                                                         const SolveKernelSet& kernels) {
  const Shape& a = instruction.operand(0)->shape();
  const Shape& result = instruction.shape();
  if (result.ElementCount() == 0) return absl::UnimplementedError("there are no elements");
  if (!IsStoredPart(a.element_type())) return absl::UnimplementedError("no arithmetic for the element type");
  LinearSystem system;
  system.type = a.element_type();
  system.n = a.dimension(a.rank() - 1);
  if (system.n > kMostRows) return absl::UnimplementedError("matrices are too large");
  const bool in_f32 = system.n >= kLeastForF32 && (system.type == F32 || system.type == C64);
  if (instruction.opcode() == HloOpcode::kCholesky) {
    const bool lower = instruction.attributes<CholeskyAttributes>().lower;
    system.count = result.ElementCount() / (system.n * system.n);
    auto small = MakeSmallCholeskyProgram(system, lower, kernels.lanes);
    if (small != nullptr) return small;
    return in_f32 ? MakeCholeskyProgram(system, lower, kernels.f32) : MakeCholeskyProgram(system, lower, kernels.f64);
  }
  const auto& attributes = instruction.attributes<TriangularSolveAttributes>();
  system.m = result.dimension(result.rank() - (attributes.left_side ? 1 : 2));
  system.count = result.ElementCount() / (system.n * system.m);
  auto small = MakeSmallSolveProgram(system, attributes, kernels.lanes);
  if (small != nullptr) return small;
  return in_f32 ? MakeTriangularSolveProgram(system, attributes, kernels.f32)
                : MakeTriangularSolveProgram(system, attributes, kernels.f64);
}

}  // namespace xla
