#include "xla_core/ops/scalar_program.h"

#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "xla_core/ir/opcode_traits.h"

namespace xla {
namespace {

// Calls within calls, and instructions after their expansion. Beyond, calling is no slower.
constexpr int kMaxDepth = 100;
constexpr int64_t kMaxInstructions = 100000;

using Ref = ScalarProgram::Ref;

// A scalar, or the elements of a tuple.
struct Value {
  Ref ref = {Ref::Kind::kParameter, 0};
  std::shared_ptr<const std::vector<Value>> elements;  // nullptr: a scalar
};

class Compiler {
 public:
  absl::optional<ScalarProgram> Compile(const HloComputation& computation) {
    std::vector<Value> arguments;
    for (const HloInstruction* parameter : computation.parameters()) {
      absl::optional<Value> leaves = AddParameterLeaves(parameter->shape());
      if (!leaves.has_value()) return absl::nullopt;
      arguments.push_back(*std::move(leaves));
    }
    const absl::optional<Value> root = Expand(computation, arguments, 0);
    if (!root.has_value()) return absl::nullopt;
    AddResultLeaves(*root, computation.root()->shape());
    if (program_.results.size() > 1) CopyPassedParameters();
    return std::move(program_);
  }

 private:
  // One parameter for each scalar leaf; nullopt if a leaf is not a scalar.
  absl::optional<Value> AddParameterLeaves(const Shape& shape) {
    if (shape.IsScalar()) {
      program_.parameters.push_back(shape.element_type());
      return Value{{Ref::Kind::kParameter, static_cast<int32_t>(program_.parameters.size()) - 1}, nullptr};
    }
    if (!shape.IsTuple()) return absl::nullopt;
    std::vector<Value> elements;
    for (const Shape& element : shape.tuple_shapes()) {
      absl::optional<Value> leaves = AddParameterLeaves(element);
      if (!leaves.has_value()) return absl::nullopt;
      elements.push_back(*std::move(leaves));
    }
    return TupleOf(std::move(elements));
  }

  void AddResultLeaves(const Value& value, const Shape& shape) {
    if (value.elements == nullptr) {
      program_.results.push_back(value.ref);
      program_.result_types.push_back(shape.element_type());
      return;
    }
    for (int i = 0; i < shape.tuple_size(); ++i) AddResultLeaves((*value.elements)[i], shape.tuple_shape(i));
  }

  // A result that is a parameter must be read before another result is written over it.
  void CopyPassedParameters() {
    for (size_t i = 0; i < program_.results.size(); ++i) {
      Ref& result = program_.results[i];
      if (result.kind != Ref::Kind::kParameter) continue;
      const PrimitiveType type = program_.result_types[i];
      const Ref parameter = result;
      result = AddRegister(type);
      program_.steps.push_back({ElementwiseKernel::Copy(type), {parameter}, result.index, nullptr});
    }
  }

  static Value TupleOf(std::vector<Value> elements) {
    Value tuple;
    tuple.elements = std::make_shared<const std::vector<Value>>(std::move(elements));
    return tuple;
  }

  Ref AddRegister(PrimitiveType type) {
    program_.registers.push_back(type);
    return {Ref::Kind::kRegister, static_cast<int32_t>(program_.registers.size()) - 1};
  }

  // The value of the computation's root; nullopt if something in it cannot be expanded.
  absl::optional<Value> Expand(const HloComputation& computation, const std::vector<Value>& arguments, int depth) {
    if (depth > kMaxDepth) return absl::nullopt;
    const absl::flat_hash_set<const HloInstruction*> needed = NeededInstructions(computation);
    absl::flat_hash_map<const HloInstruction*, Value> values;
    for (const auto& instruction : computation.instructions()) {
      if (!needed.contains(instruction.get())) continue;
      if (++expanded_ > kMaxInstructions) return absl::nullopt;
      std::vector<Value> operands;
      for (const HloInstruction* operand : instruction->operands()) operands.push_back(values[operand]);
      const bool is_parameter = instruction->opcode() == HloOpcode::kParameter;
      absl::optional<Value> value = is_parameter ? arguments[instruction->attributes<ParameterAttributes>().number]
                                                 : ExpandInstruction(*instruction, operands, depth);
      if (!value.has_value()) return absl::nullopt;
      values[instruction.get()] = *std::move(value);
    }
    return values[computation.root()];
  }

  static absl::flat_hash_set<const HloInstruction*> NeededInstructions(const HloComputation& computation) {
    absl::flat_hash_set<const HloInstruction*> needed = {computation.root()};
    std::vector<const HloInstruction*> open = {computation.root()};
    while (!open.empty()) {
      const HloInstruction* instruction = open.back();
      open.pop_back();
      for (const HloInstruction* operand : instruction->operands()) {
        if (needed.insert(operand).second) open.push_back(operand);
      }
    }
    return needed;
  }

  // Calls are expanded in place, and operations that only move a scalar become their operand.
  absl::optional<Value> ExpandInstruction(const HloInstruction& instruction, const std::vector<Value>& operands,
                                          int depth) {
    const HloOpcode opcode = instruction.opcode();
    if (opcode == HloOpcode::kConstant) {
      const auto& literal = instruction.attributes<ConstantAttributes>().literal;
      return literal == nullptr ? absl::nullopt : AddConstant(*literal);
    }
    if (opcode == HloOpcode::kTuple) return TupleOf(operands);
    if (opcode == HloOpcode::kGetTupleElement) {
      return (*operands[0].elements)[instruction.attributes<GetTupleElementAttributes>().index];
    }
    if (opcode == HloOpcode::kCall || opcode == HloOpcode::kFusion || opcode == HloOpcode::kMap) {
      ++program_.instruction_count;
      if (opcode == HloOpcode::kMap && !instruction.shape().IsScalar()) return absl::nullopt;
      return Expand(*instruction.called_computation(0), operands, depth + 1);
    }
    if (HasTrait(opcode, opcode_trait::kPassesOn) || opcode == HloOpcode::kCopy) return operands[0];
    if (IsMove(opcode)) return IsScalarToScalar(instruction) ? absl::optional<Value>(operands[0]) : absl::nullopt;
    return ExpandKernel(instruction, operands);  // nothing else is expanded
  }

  static bool IsMove(HloOpcode opcode) {
    return opcode == HloOpcode::kBitcast ||
           (HasTrait(opcode, opcode_trait::kPicksElements) && opcode != HloOpcode::kSlice);
  }

  static bool IsScalarToScalar(const HloInstruction& instruction) {
    return instruction.shape().IsScalar() &&
           instruction.operand(0)->shape().IsScalarOf(instruction.shape().element_type());
  }

  absl::optional<Value> AddConstant(const Literal& literal) {
    if (literal.IsTuple()) {
      std::vector<Value> elements;
      for (int i = 0; i < literal.tuple_size(); ++i) {
        absl::optional<Value> element = AddConstant(literal.element(i));
        if (!element.has_value()) return absl::nullopt;
        elements.push_back(*std::move(element));
      }
      return TupleOf(std::move(elements));
    }
    if (!literal.shape().IsScalar()) return absl::nullopt;
    program_.constants.push_back(literal);
    return Value{{Ref::Kind::kConstant, static_cast<int32_t>(program_.constants.size()) - 1}, nullptr};
  }

  absl::optional<Value> ExpandKernel(const HloInstruction& instruction, const std::vector<Value>& operands) {
    if (!instruction.shape().IsScalar()) return absl::nullopt;
    for (const HloInstruction* operand : instruction.operands()) {
      if (!operand->shape().IsScalar()) return absl::nullopt;
    }
    const absl::optional<ElementwiseKernel> kernel = ElementwiseKernel::For(instruction);
    if (!kernel.has_value()) return absl::nullopt;
    const Ref output = AddRegister(instruction.shape().element_type());
    ScalarProgram::Step step = {*kernel, {}, output.index, &instruction};
    for (size_t i = 0; i < operands.size(); ++i) step.inputs[i] = operands[i].ref;
    program_.steps.push_back(step);
    ++program_.instruction_count;
    return Value{output, nullptr};
  }

  ScalarProgram program_;
  int64_t expanded_ = 0;
};

}  // namespace

absl::optional<ScalarProgram> CompileScalarProgram(const HloComputation& computation) {
  return Compiler().Compile(computation);
}

}  // namespace xla
