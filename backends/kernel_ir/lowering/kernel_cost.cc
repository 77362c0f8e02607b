#include "backends/kernel_ir/lowering/kernel_cost.h"

#include "absl/container/flat_hash_map.h"
#include "backends/kernel_ir/instruction_cost.h"

namespace xla {
namespace {

class CostOfKernel {
 public:
  explicit CostOfKernel(const Kernel& kernel) : kernel_(kernel) {}

  double Of(const KernelRegion& region) {
    double cost = 0;
    for (const KernelInstruction& instruction : region.instructions) cost += Of(instruction);
    return cost;
  }

  // Estimated cost in scalar operations. Extents that are not constants count as one iteration; of the two branches
  // of an `if`, both count.
  double Of(const KernelInstruction& instruction) {
    switch (instruction.op) {
      case KernelOp::kConstant:
        if (kernel_.TypeOf(instruction.results[0]) == S64) {
          constants_[instruction.results[0]] = *instruction.literal.data<int64_t>();
        }
        return 0;
      case KernelOp::kFor: {
        const auto extent = constants_.find(instruction.operands[0]);
        return (extent == constants_.end() ? 1.0 : static_cast<double>(extent->second)) * Of(instruction.regions[0]);
      }
      case KernelOp::kReduce: {
        double count = 1;
        for (const int64_t extent : instruction.extents) count *= static_cast<double>(extent);
        return count * (Of(instruction.regions[0]) + Of(instruction.regions[1])) +
               static_cast<double>(instruction.lanes);
      }
      case KernelOp::kIf:
      case KernelOp::kWhile:
        return Of(instruction.regions[0]) + Of(instruction.regions[1]);
      default:
        return InstructionCost(instruction);
    }
  }

 private:
  const Kernel& kernel_;
  absl::flat_hash_map<KernelValue, int64_t> constants_;
};

// How often each value is computed, by the extents of the loops around it; unknown extents count as 1.
void CountTimes(const Kernel& kernel, const KernelRegion& region, double times,
                absl::flat_hash_map<KernelValue, int64_t>& constants, std::vector<double>& counts) {
  for (const KernelInstruction& instruction : region.instructions) {
    for (const KernelValue result : instruction.results) counts[result] = times;
    double inner = times;
    if (instruction.op == KernelOp::kConstant && kernel.TypeOf(instruction.results[0]) == S64) {
      constants[instruction.results[0]] = *instruction.literal.data<int64_t>();
    } else if (instruction.op == KernelOp::kFor) {
      const auto extent = constants.find(instruction.operands[0]);
      if (extent != constants.end()) inner *= static_cast<double>(extent->second);
    } else if (instruction.op == KernelOp::kReduce) {
      for (const int64_t extent : instruction.extents) inner *= static_cast<double>(extent);
    }
    for (const KernelRegion& nested : instruction.regions) CountTimes(kernel, nested, inner, constants, counts);
  }
}

}  // namespace

std::vector<double> TimesComputed(const Kernel& kernel) {
  std::vector<double> counts(kernel.value_types.size(), 0);
  absl::flat_hash_map<KernelValue, int64_t> constants;
  for (const KernelPhase& phase : kernel.phases) {
    CountTimes(kernel, phase.body, static_cast<double>(phase.tile_count), constants, counts);
  }
  return counts;
}

// The cost of what stands directly in each of the outermost `depth` regions, the phase itself first, per iteration of
// the loops around it; the last number is the cost of all deeper code. Only the last loop of a region is followed.
std::vector<double> CostByLevel(const Kernel& kernel, const KernelPhase& phase, int depth) {
  CostOfKernel cost(kernel);
  std::vector<double> levels;
  const KernelRegion* region = &phase.body;
  for (int level = 0; level < depth && region != nullptr; ++level) {
    levels.push_back(0);
    const KernelRegion* next = nullptr;
    for (const KernelInstruction& instruction : region->instructions) {
      if (instruction.op == KernelOp::kFor) {
        next = &instruction.regions[0];
      } else {
        levels.back() += cost.Of(instruction);
      }
    }
    region = next;
  }
  levels.push_back(region == nullptr ? 0 : cost.Of(*region));
  return levels;
}

}  // namespace xla
