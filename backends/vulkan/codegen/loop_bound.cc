#include "backends/vulkan/codegen/loop_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/vulkan/codegen/complex_in_integers.h"
#include "backends/vulkan/codegen/index_ranges.h"
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
  Counter(const Kernel& kernel, const SpirvTarget& target, int64_t invocations, int64_t unroll)
      : kernel_(kernel),
        target_(target),
        invocations_(static_cast<double>(invocations)),
        unroll_(unroll),
        ranges_(kernel) {}

  double Count(const KernelPhase& phase) {
    ranges_.NoteTile(phase);
    return Count(phase.body);
  }

 private:
  double Count(const KernelRegion& region) {
    double sum = 0;
    for (const KernelInstruction& instruction : region.instructions) {
      sum += Count(instruction);
      ranges_.NoteResult(instruction);
    }
    return sum;
  }

  double Count(const KernelInstruction& instruction) {
    switch (instruction.op) {
      case KernelOp::kElementwise:
        return OfOperation(instruction);
      case KernelOp::kQuotient:
      case KernelOp::kRemainder:
        return target_.has_int64 || ranges_.IsInWords(instruction.operands[0]) ? 0 : kOfDivision;
      case KernelOp::kFor:
        return Count(instruction, HighOf(instruction.operands[0]));
      case KernelOp::kReduce: {
        double elements = 1;
        for (const int64_t extent : instruction.extents) elements *= static_cast<double>(extent);
        ranges_.NoteArguments(instruction);
        // What combines lanes comes after the elements.
        const auto lanes = static_cast<double>(instruction.lanes);
        const double combined = Count(instruction.regions[1]);
        const double within = Count(instruction.regions[0]) + combined;
        const bool is_shared = instruction.schedule == LoopSchedule::kInvocations;
        const double shares = is_shared ? std::min(lanes, invocations_) : 1;
        const int64_t at_once = is_shared                ? 1
                                : instruction.lanes == 1 ? ElementsAtOnce(kernel_, instruction, unroll_)
                                                         : LanesAtOnce(kernel_, instruction);
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
    ranges_.NoteArguments(loop);
    const double within = Count(loop.regions[0]);
    if (loop.schedule == LoopSchedule::kInvocations) return std::ceil(extent / invocations_) * (1 + within);
    const int64_t at_once = IterationsAtOnce(kernel_, loop, unroll_);
    const double own = at_once == 1 ? extent : extent / static_cast<double>(at_once) + static_cast<double>(at_once);
    return own + extent * within;
  }

  double OfOperation(const KernelInstruction& instruction) const {
    const PrimitiveType type = kernel_.TypeOf(instruction.operands[0]);
    if (IsComplex(type)) {
      const bool is_in_integers = type == C128 || !target_.has_f64;
      return is_in_integers ? IterationsOfComplex(instruction.opcode, !target_.has_int64) : 0;
    }
    const bool is_pair = IsInt(type) && BitWidth(type) == 64 && !target_.has_int64;
    if (instruction.opcode == HloOpcode::kDivide) return is_pair ? kOfDivision : 0;
    if (instruction.opcode == HloOpcode::kRemainder) return IsFloat(type) ? kOfRemainder : is_pair ? kOfDivision : 0;
    return instruction.opcode == HloOpcode::kPower && IsInt(type) ? kOfPower : 0;
  }

  // Not negative where loops count to it.
  double HighOf(KernelValue index) const {
    const IndexRange& range = ranges_.Of(index);
    return range.has_high() ? std::max(static_cast<double>(range.high), 0.0) : kUnbounded;
  }

  const Kernel& kernel_;
  const SpirvTarget& target_;
  const double invocations_;
  const int64_t unroll_;
  IndexRanges ranges_;
};

}  // namespace

double MostIterations(const Kernel& kernel, const KernelPhase& phase, const SpirvTarget& target, int64_t unroll) {
  return Counter(kernel, target, phase.invocations, unroll).Count(phase);
}

int64_t UnrollFor(const Kernel& kernel, const KernelPhase& phase, const SpirvTarget& target) {
  constexpr int64_t kMost = 64;
  int64_t unroll = 1;
  if (target.most_iterations == std::numeric_limits<int64_t>::max()) return unroll;
  const auto most = static_cast<double>(target.most_iterations);
  while (unroll < kMost && MostIterations(kernel, phase, target, unroll) > most) unroll *= 2;
  return unroll;
}

}  // namespace vulkan
}  // namespace xla
