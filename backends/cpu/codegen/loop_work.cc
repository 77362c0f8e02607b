#include "backends/cpu/codegen/loop_work.h"

#include <algorithm>
#include <limits>

#include "backends/kernel_ir/instruction_cost.h"

namespace xla {
namespace codegen {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

}  // namespace

LoopWork::LoopWork(const Kernel& kernel) : kernel_(kernel), bounds_(kernel.value_types.size(), kUnbounded) {
  for (const KernelPhase& phase : kernel.phases) {
    bounds_[phase.body.arguments[0]] = static_cast<double>(phase.tile_count) - 1;
    Add(phase.body);
  }
}

double LoopWork::Add(const KernelRegion& region) {
  double work = 1;
  for (const KernelInstruction& instruction : region.instructions) work += Add(instruction);
  work_[&region] = work;
  return work;
}

// Branches count as if both ran. A loop that asks itself counts as nothing.
double LoopWork::Add(const KernelInstruction& instruction) {
  switch (instruction.op) {
    case KernelOp::kFor: {
      const double iterations = bounds_[instruction.operands[0]];
      bounds_[instruction.regions[0].arguments[0]] = iterations - 1;
      const double work = Add(instruction.regions[0]);
      return IsLong(iterations, work) ? 0 : iterations * work;
    }
    case KernelOp::kReduce: {
      for (size_t i = 0; i < instruction.extents.size(); ++i) {
        bounds_[instruction.regions[0].arguments[i]] = static_cast<double>(instruction.extents[i]) - 1;
      }
      Add(instruction.regions[0]);
      Add(instruction.regions[1]);
      if (instruction.extents.empty()) return OfIteration(instruction, 0);
      const double iterations = static_cast<double>(instruction.extents[0]);
      const double work = OfIteration(instruction, 1);
      return IsLong(iterations, work) ? 0 : iterations * work + static_cast<double>(instruction.lanes);
    }
    case KernelOp::kWhile:
      Add(instruction.regions[0]);
      Add(instruction.regions[1]);
      return 0;
    case KernelOp::kIf:
      return Add(instruction.regions[0]) + Add(instruction.regions[1]);
    default:
      if (!instruction.results.empty()) bounds_[instruction.results[0]] = BoundOf(instruction);
      return InstructionCost(instruction);
  }
}

double LoopWork::OfIteration(const KernelInstruction& reduce, size_t loops) const {
  double work = Of(reduce.regions[0]) + Of(reduce.regions[1]);
  for (size_t i = reduce.extents.size(); i > loops; --i) {
    const double iterations = static_cast<double>(reduce.extents[i - 1]);
    work = IsLong(iterations, work) ? 1 : iterations * work;
  }
  return std::max(work, 1.0);
}

// As far as extents of loops need it: constants, the smaller of two numbers, and sums without a difference.
double LoopWork::BoundOf(const KernelInstruction& instruction) const {
  if (kernel_.TypeOf(instruction.results[0]) != S64) return kUnbounded;
  switch (instruction.op) {
    case KernelOp::kConstant:
      return static_cast<double>(*instruction.literal.data<int64_t>());
    case KernelOp::kElementwise:
      if (instruction.opcode != HloOpcode::kMinimum) return kUnbounded;
      return std::min(bounds_[instruction.operands[0]], bounds_[instruction.operands[1]]);
    case KernelOp::kQuotient:
      return bounds_[instruction.operands[0]] / static_cast<double>(instruction.constant);
    case KernelOp::kRemainder:
      return std::min(bounds_[instruction.operands[0]], static_cast<double>(instruction.constant) - 1);
    case KernelOp::kAffine: {
      double bound = static_cast<double>(instruction.constant);
      for (size_t i = 0; i < instruction.operands.size(); ++i) {
        if (instruction.coefficients[i] < 0) return kUnbounded;
        bound += static_cast<double>(instruction.coefficients[i]) * bounds_[instruction.operands[i]];
      }
      return bound;
    }
    default:
      return kUnbounded;
  }
}

}  // namespace codegen
}  // namespace xla
