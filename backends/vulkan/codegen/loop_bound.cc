#include "backends/vulkan/codegen/loop_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "backends/vulkan/codegen/phase_emitter.h"

namespace xla {
namespace vulkan {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();
// Loops within code for one operation: divisions of pairs of words, powers, remainders of floats.
constexpr double kOfDivision = 64;
constexpr double kOfPower = 64;
constexpr double kOfRemainder = 256;

class Counter {
 public:
  Counter(const Kernel& kernel, const SpirvTarget& target, int64_t invocations)
      : kernel_(kernel), target_(target), invocations_(static_cast<double>(invocations)) {}

  double Count(const KernelPhase& phase) {
    high_[phase.body.arguments[0]] = static_cast<double>(phase.tile_count - 1);
    return Count(phase.body);
  }

 private:
  double Count(const KernelRegion& region) {
    double sum = 0;
    for (const KernelInstruction& instruction : region.instructions) {
      sum += Count(instruction);
      NoteHigh(instruction);
    }
    return sum;
  }

  double Count(const KernelInstruction& instruction) {
    switch (instruction.op) {
      case KernelOp::kElementwise:
        return OfOperation(instruction);
      case KernelOp::kQuotient:
      case KernelOp::kRemainder:
        return target_.has_int64 || IsWord(instruction.operands[0]) ? 0 : kOfDivision;
      case KernelOp::kFor:
        return Count(instruction, HighOf(instruction.operands[0]));
      case KernelOp::kReduce: {
        double elements = 1;
        for (size_t i = 0; i < instruction.extents.size(); ++i) {
          elements *= static_cast<double>(instruction.extents[i]);
          high_[instruction.regions[0].arguments[i]] = static_cast<double>(instruction.extents[i] - 1);
        }
        // What combines lanes comes after the elements.
        const auto lanes = static_cast<double>(instruction.lanes);
        const double combined = Count(instruction.regions[1]);
        const double within = Count(instruction.regions[0]) + combined;
        const bool is_shared = instruction.schedule == LoopSchedule::kInvocations;
        const double shares = is_shared ? std::min(lanes, invocations_) : 1;
        const int64_t at_once = is_shared                ? 1
                                : instruction.lanes == 1 ? ElementsAtOnce(instruction)
                                                         : LanesAtOnce(instruction);
        return elements / shares * (1 / static_cast<double>(at_once) + within) + 2 * lanes * (1 + combined);
      }
      case KernelOp::kIf:
        return std::max(Count(instruction.regions[0]), Count(instruction.regions[1]));
      case KernelOp::kWhile:
        return kUnbounded;
      default:
        return 0;
    }
  }

  double Count(const KernelInstruction& loop, double extent) {
    high_[loop.regions[0].arguments[0]] = extent - 1;
    const bool is_shared = loop.schedule == LoopSchedule::kInvocations;
    return (is_shared ? std::ceil(extent / invocations_) : extent) * (1 + Count(loop.regions[0]));
  }

  double OfOperation(const KernelInstruction& instruction) const {
    const PrimitiveType type = kernel_.TypeOf(instruction.operands[0]);
    const bool is_pair = IsInt(type) && BitWidth(type) == 64 && !target_.has_int64;
    if (instruction.opcode == HloOpcode::kDivide) return is_pair ? kOfDivision : 0;
    if (instruction.opcode == HloOpcode::kRemainder) return IsFloat(type) ? kOfRemainder : is_pair ? kOfDivision : 0;
    return instruction.opcode == HloOpcode::kPower && IsInt(type) ? kOfPower : 0;
  }

  // Of indices, which are not negative where loops count to them.
  void NoteHigh(const KernelInstruction& instruction) {
    if (instruction.results.size() != 1 || kernel_.TypeOf(instruction.results[0]) != S64) return;
    double high = kUnbounded;
    if (instruction.op == KernelOp::kConstant) {
      high = static_cast<double>(*instruction.literal.data<int64_t>());
    } else if (instruction.op == KernelOp::kAffine) {
      high = static_cast<double>(instruction.constant);
      for (size_t i = 0; i < instruction.operands.size(); ++i) {
        const auto coefficient = static_cast<double>(instruction.coefficients[i]);
        if (coefficient > 0) high += coefficient * HighOf(instruction.operands[i]);
      }
    } else if (instruction.op == KernelOp::kQuotient) {
      high = HighOf(instruction.operands[0]) / static_cast<double>(instruction.constant);
    } else if (instruction.op == KernelOp::kRemainder) {
      high = static_cast<double>(instruction.constant - 1);
    } else if (instruction.op == KernelOp::kElementwise && instruction.opcode == HloOpcode::kMinimum) {
      high = std::min(HighOf(instruction.operands[0]), HighOf(instruction.operands[1]));
    } else if (instruction.op == KernelOp::kElementwise && instruction.opcode == HloOpcode::kMaximum) {
      high = std::max(HighOf(instruction.operands[0]), HighOf(instruction.operands[1]));
    }
    high_[instruction.results[0]] = high;
  }
  bool IsWord(KernelValue index) const {
    return kernel_.IsNarrow(index) || HighOf(index) <= std::numeric_limits<int32_t>::max();
  }
  double HighOf(KernelValue value) const {
    const auto found = high_.find(value);
    return found == high_.end() ? kUnbounded : std::max(found->second, 0.0);
  }

  const Kernel& kernel_;
  const SpirvTarget& target_;
  const double invocations_;
  absl::flat_hash_map<KernelValue, double> high_;
};

}  // namespace

double MostIterations(const Kernel& kernel, const KernelPhase& phase, const SpirvTarget& target) {
  return Counter(kernel, target, phase.invocations).Count(phase);
}

}  // namespace vulkan
}  // namespace xla
