#include "backends/host/program_cost.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "xla_core/ir/opcode_map.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/support/checked_math.h"

namespace xla {
namespace {

// ---- Operations and bytes

// Elements of an array, or of all arrays of a tuple.
double Elements(const Shape& shape) {
  double count = shape.IsArray() ? static_cast<double>(shape.ElementCount()) : 0;
  for (const Shape& element : shape.tuple_shapes()) count += Elements(element);
  return count;
}

double WindowVolume(const Window& window) {
  double volume = 1;
  for (const WindowDimension& dimension : window.dimensions) volume *= static_cast<double>(dimension.size);
  return volume;
}

// Multiply-adds of a dot: what is summed up for each element of the result.
double ContractedElements(const HloInstruction& dot) {
  double count = 1;
  for (int64_t dimension : dot.attributes<DotAttributes>().lhs_contracting_dims) {
    count *= static_cast<double>(dot.operand(0)->shape().dimension(static_cast<int>(dimension)));
  }
  return count;
}

// Likewise of a convolution, as if no window met padding: the kernel's elements for one output feature.
double KernelElements(const HloInstruction& convolution) {
  const auto& attributes = convolution.attributes<ConvolutionAttributes>();
  const Shape& kernel = convolution.operand(1)->shape();
  const double outputs =
      static_cast<double>(kernel.dimension(static_cast<int>(attributes.dim_labels.kernel_output_feature)));
  return outputs == 0 ? 0 : Elements(kernel) / outputs;
}

void Add(CostEstimate& sum, const CostEstimate& part, double times) {
  sum.flops += times * part.flops;
  sum.transcendentals += times * part.transcendentals;
  sum.bytes_accessed += times * part.bytes_accessed;
  sum.has_unknown_trip_counts |= part.has_unknown_trip_counts;
}

// How often a callee is run: once, or for elements of an operand, or for elements of all windows.
double Applications(const HloInstruction& instruction) {
  static constexpr OpcodeSet kOfOperand = {HloOpcode::kReduce,    HloOpcode::kMap,
                                           HloOpcode::kSort,      HloOpcode::kSelectAndScatter,
                                           HloOpcode::kAllReduce, HloOpcode::kReduceScatter};
  const HloOpcode opcode = instruction.opcode();
  if (kOfOperand.Has(opcode)) return Elements(instruction.operand(0)->shape());
  if (opcode == HloOpcode::kScatter) return Elements(instruction.operand(instruction.operand_count() - 1)->shape());
  if (opcode != HloOpcode::kReduceWindow) return 1;
  return Elements(instruction.shape()) * WindowVolume(instruction.attributes<WindowAttributes>().window);
}

// ---- Memory

int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum;
  return CheckedAdd(a, b, &sum) ? sum : std::numeric_limits<int64_t>::max();
}

// True if the result is an operand, or parts of it, and takes no memory of its own.
bool PassesValuesOn(HloOpcode opcode) {
  // These count as values of their own.
  const bool is_new = opcode == HloOpcode::kDomain || opcode == HloOpcode::kAddDependency;
  return HasTrait(opcode, opcode_trait::kView) && !is_new;
}

class PeakBytes {
 public:
  // Callees come first in a module, so chains of calls of any length take no stack.
  explicit PeakBytes(const HloModule& module) {
    for (const auto& computation : module.computations()) peaks_[computation.get()] = Compute(*computation);
  }

  // The most bytes that the values made in a computation of the module, or in its callees, hold at once.
  int64_t OfComputation(const HloComputation& computation) const { return peaks_.at(&computation); }

 private:
  // The peak of live bytes if instructions run in their order and values die after their last use. Values passed on
  // by tuples and the like live as long as their users.
  int64_t Compute(const HloComputation& computation) const {
    const int64_t count = computation.instruction_count();
    std::vector<int64_t> last_uses(count, 0);  // by place
    for (int64_t i = count - 1; i >= 0; --i) {
      const HloInstruction* instruction = computation.instructions()[i].get();
      last_uses[i] = std::max(last_uses[i], instruction == computation.root() ? count : i);
      const int64_t of_operands = PassesValuesOn(instruction->opcode()) ? last_uses[i] : i;
      for (const HloInstruction* operand : instruction->operands()) {
        last_uses[operand->place()] = std::max(last_uses[operand->place()], of_operands);
      }
    }
    std::vector<int64_t> dies_after(count + 1, 0);
    int64_t live = 0, peak = 0;
    for (int64_t i = 0; i < count; ++i) {
      const HloInstruction& instruction = *computation.instructions()[i];
      int64_t in_callees = 0;
      for (const HloComputation* callee : instruction.called_computations()) {
        in_callees = std::max(in_callees, OfComputation(*callee));
      }
      const bool makes_value =
          !PassesValuesOn(instruction.opcode()) && !HasTrait(instruction.opcode(), opcode_trait::kGiven);
      const int64_t bytes = makes_value ? instruction.shape().ByteSize() : 0;
      live = SaturatingAdd(live, bytes);
      dies_after[last_uses[i]] = SaturatingAdd(dies_after[last_uses[i]], bytes);
      peak = std::max(peak, SaturatingAdd(live, in_callees));
      live -= std::min(live, dies_after[i]);
    }
    return peak;
  }

  absl::flat_hash_map<const HloComputation*, int64_t> peaks_;
};

int64_t ConstantBytes(const HloModule& module) {
  int64_t bytes = 0;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() == HloOpcode::kConstant) bytes = SaturatingAdd(bytes, instruction->shape().ByteSize());
    }
  }
  return bytes;
}

}  // namespace

InstructionCosts::InstructionCosts(const HloModule& module) {
  for (const auto& computation : module.computations()) {
    CostEstimate cost;
    for (const auto& instruction : computation->instructions()) Add(cost, OfInstruction(*instruction), 1);
    costs_[computation.get()] = cost;
  }
}

// Estimates for one instruction: bytes of operands and result, and operations by kind. What only names a value costs
// nothing.
CostEstimate InstructionCosts::OfInstruction(const HloInstruction& instruction) const {
  CostEstimate cost;
  const HloOpcode opcode = instruction.opcode();
  if (HasTrait(opcode, opcode_trait::kGiven | opcode_trait::kBundles)) return cost;  // it only names a value
  const double elements = Elements(instruction.shape());
  cost.bytes_accessed = static_cast<double>(instruction.shape().ByteSize());
  for (const HloInstruction* operand : instruction.operands()) {
    cost.bytes_accessed += static_cast<double>(operand->shape().ByteSize());
  }
  if (IsElementwise(opcode)) {
    cost.flops = elements;
    const ElementwiseRow* row = FindElementwiseRow(opcode);
    // What may be off in the last place is computed by a series; the rest is one rounding.
    if (row != nullptr && row->max_ulp > 0) cost.transcendentals = elements;
  } else if (opcode == HloOpcode::kDot) {
    cost.flops = 2 * elements * ContractedElements(instruction);
  } else if (opcode == HloOpcode::kConvolution) {
    cost.flops = 2 * elements * KernelElements(instruction);
  } else {
    AddCallees(instruction, cost);
  }
  return cost;
}

// Adds the cost of called computations: of a conditional the most expensive branch, of a loop one iteration, and of
// functions applied to elements once for each.
void InstructionCosts::AddCallees(const HloInstruction& instruction, CostEstimate& cost) const {
  const HloOpcode opcode = instruction.opcode();
  if (opcode == HloOpcode::kConditional) {
    CostEstimate dearest;
    for (const HloComputation* branch : instruction.called_computations()) {
      const CostEstimate of_branch = OfComputation(*branch);
      if (of_branch.flops + of_branch.bytes_accessed >= dearest.flops + dearest.bytes_accessed) dearest = of_branch;
    }
    return Add(cost, dearest, 1);
  }
  if (opcode == HloOpcode::kWhile) cost.has_unknown_trip_counts = true;
  const double times = Applications(instruction);
  for (const HloComputation* callee : instruction.called_computations()) {
    CostEstimate of_callee = OfComputation(*callee);
    // What is applied to elements, or fused, keeps its values out of memory.
    if (times != 1 || opcode == HloOpcode::kFusion) of_callee.bytes_accessed = 0;
    Add(cost, of_callee, times);
  }
}

CostEstimate EstimateCost(const HloModule& module) { return InstructionCosts(module).OfComputation(*module.entry()); }

// An estimate without a plan. Aliased results are counted among the arguments too, hence alias_bytes.
MemoryNeed EstimateMemory(const HloModule& module) {
  MemoryNeed need;
  for (const HloInstruction* parameter : module.entry()->parameters()) {
    need.argument_bytes = SaturatingAdd(need.argument_bytes, parameter->shape().ByteSize());
  }
  const Shape& result = module.entry()->root()->shape();
  need.output_bytes = result.ByteSize();
  for (const InputOutputAlias& alias : module.config().input_output_alias) {
    const Shape* shared = SubshapeAt(result, alias.output_index);
    if (shared != nullptr) need.alias_bytes = SaturatingAdd(need.alias_bytes, shared->ByteSize());
  }
  const int64_t peak = PeakBytes(module).OfComputation(*module.entry());
  need.temporary_bytes = std::max<int64_t>(0, peak - need.output_bytes);
  need.code_bytes = ConstantBytes(module);
  return need;
}

}  // namespace xla
