#include "xla_core/ops/testing/test_eval_context.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/support/check.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::Status OnlyOneDevice() { return absl::UnimplementedError("a test context has one device and no channels"); }

}  // namespace

MemoryBudget* TestEvalContext::memory_budget() {
  static auto* const budget = new MemoryBudget();
  return budget;
}

absl::Status TestEvalContext::ParallelFor(int64_t count, int64_t grain,
                                          const std::function<void(int64_t begin, int64_t end)>& body) {
  CHECK(grain > 0);
  for (int64_t begin = 0; begin < count; begin += grain) body(begin, std::min(count, begin + grain));
  return absl::OkStatus();
}

absl::StatusOr<Literal> TestEvalContext::Call(const HloComputation& computation, std::vector<Literal> arguments) {
  std::map<const HloInstruction*, Literal> values;
  std::map<const HloInstruction*, int> uses_left;
  for (const auto& instruction : computation.instructions()) {
    for (const HloInstruction* operand : instruction->operands()) ++uses_left[operand];
  }
  ++uses_left[computation.root()];

  for (const auto& instruction : computation.instructions()) {
    if (instruction->opcode() == HloOpcode::kParameter) {
      values[instruction.get()] = std::move(arguments[instruction->attributes<ParameterAttributes>().number]);
      continue;
    }
    if (instruction->opcode() == HloOpcode::kConstant) {
      values[instruction.get()] = *instruction->attributes<ConstantAttributes>().literal;
      continue;
    }
    std::vector<Literal*> operands;
    auto owned = std::make_unique<bool[]>(instruction->operand_count());
    for (HloInstruction* operand : instruction->operands()) {
      owned[operands.size()] = --uses_left[operand] == 0;
      operands.push_back(&values[operand]);
    }
    const OpDefinition& op = GetOp(instruction->opcode());
    if (op.evaluate == nullptr) {
      return absl::UnimplementedError(absl::StrCat("no evaluator for ", instruction->opcode_name()));
    }
    OperandValues operand_values(operands, absl::MakeConstSpan(owned.get(), operands.size()));
    ASSIGN_OR_RETURN(values[instruction.get()], op.evaluate(*instruction, operand_values, *this));
  }
  return std::move(values[computation.root()]);
}

absl::StatusOr<const ScalarFunction*> TestEvalContext::GetScalarFunction(const HloComputation& computation) {
  std::unique_ptr<ScalarFunction>& function = scalar_functions_[&computation];
  if (function == nullptr) {
    ASSIGN_OR_RETURN(function, ScalarFunction::Compile(computation));
  }
  return function.get();
}

std::pair<uint64_t, uint64_t> TestEvalContext::AdvanceRngState(uint64_t delta) {
  const auto before = rng_state_;
  rng_state_.first += delta;
  rng_state_.second += rng_state_.first < delta ? 1 : 0;
  return before;
}

absl::StatusOr<Contributions> TestEvalContext::Exchange(const HloInstruction&, absl::Span<const int64_t>,
                                                        std::vector<Literal>) {
  return OnlyOneDevice();
}
absl::Status TestEvalContext::Send(int64_t, int64_t, Literal) { return OnlyOneDevice(); }
absl::StatusOr<Literal> TestEvalContext::Receive(int64_t, int64_t, const HloInstruction&) { return OnlyOneDevice(); }
absl::StatusOr<Literal> TestEvalContext::Infeed(const HloInstruction&, const Shape&) { return OnlyOneDevice(); }
absl::Status TestEvalContext::Outfeed(const HloInstruction&, Literal) { return OnlyOneDevice(); }

HloInstruction* TestComputation::AddNamed(HloOpcode opcode, const Shape& shape) {
  std::string name = absl::StrCat(HloOpcodeName(opcode), ".", computation_.instruction_count());
  HloInstruction* instruction =
      computation_.AddInstruction(std::make_unique<HloInstruction>(opcode, std::move(name), shape));
  if (const auto make_attributes = GetOp(opcode).make_attributes) instruction->set_attributes(make_attributes());
  computation_.set_root(instruction);
  return instruction;
}

HloInstruction* TestComputation::Parameter(int64_t number, const Shape& shape) {
  HloInstruction* parameter = AddNamed(HloOpcode::kParameter, shape);
  parameter->mutable_attributes<ParameterAttributes>().number = number;
  return parameter;
}

HloInstruction* TestComputation::Constant(Literal value) {
  HloInstruction* constant = AddNamed(HloOpcode::kConstant, value.shape());
  constant->mutable_attributes<ConstantAttributes>().literal = std::make_shared<const Literal>(std::move(value));
  return constant;
}

HloInstruction* TestComputation::Add(HloOpcode opcode, const Shape& shape, std::vector<HloInstruction*> operands,
                                     std::vector<HloComputation*> called) {
  HloInstruction* instruction = AddNamed(opcode, shape);
  for (HloInstruction* operand : operands) instruction->AddOperand(operand);
  for (HloComputation* computation : called) instruction->AddCalledComputation(computation);
  return instruction;
}

HloInstruction* TestComputation::AddInferred(HloOpcode opcode, std::vector<HloInstruction*> operands,
                                             std::vector<HloComputation*> called) {
  HloInstruction* instruction = Add(opcode, Shape(), std::move(operands), std::move(called));
  absl::StatusOr<Shape> shape = GetOp(opcode).infer_shape(*instruction);
  CHECK(shape.ok());
  instruction->mutable_shape() = *std::move(shape);
  return instruction;
}

absl::StatusOr<Literal> EvaluateOp(HloOpcode opcode, const Shape& shape, std::vector<Literal> operands,
                                   const SetAttributes& set_attributes, std::vector<HloComputation*> called) {
  TestComputation computation;
  std::vector<HloInstruction*> parameters;
  for (const Literal& operand : operands) {
    parameters.push_back(computation.Parameter(static_cast<int64_t>(parameters.size()), operand.shape()));
  }
  HloInstruction* instruction = computation.Add(opcode, shape, std::move(parameters), std::move(called));
  if (set_attributes != nullptr) set_attributes(*instruction);
  TestEvalContext context;
  return context.Call(computation.computation(), std::move(operands));
}

namespace {

std::string ViolationsOf(const HloInstruction& instruction) {
  const OpDefinition& op = GetOp(instruction.opcode());
  Violations violations;
  if (op.infer_shape != nullptr) {
    absl::StatusOr<Shape> inferred = op.infer_shape(instruction);
    violations.Add(inferred.status());
    if (inferred.ok() && !inferred->Compatible(instruction.shape())) {
      violations.Add(absl::StrCat("shape is ", instruction.shape().ToString(), ", expected ", inferred->ToString()));
    }
  }
  if (op.verify != nullptr) op.verify(instruction, violations);
  std::vector<std::string> lines = violations.messages();
  for (const std::string& warning : violations.warnings()) lines.push_back(absl::StrCat("warning: ", warning));
  return absl::StrJoin(lines, "\n");
}

HloInstruction* AddOverParameters(TestComputation& computation, HloOpcode opcode, const Shape& shape,
                                  const std::vector<Shape>& operands, const SetAttributes& set_attributes,
                                  std::vector<HloComputation*> called) {
  std::vector<HloInstruction*> parameters;
  for (const Shape& operand : operands) {
    parameters.push_back(computation.Parameter(static_cast<int64_t>(parameters.size()), operand));
  }
  HloInstruction* instruction = computation.Add(opcode, shape, std::move(parameters), std::move(called));
  if (set_attributes != nullptr) set_attributes(*instruction);
  return instruction;
}

}  // namespace

std::string ViolationsOf(HloOpcode opcode, const Shape& shape, const std::vector<Shape>& operands,
                         const SetAttributes& set_attributes, std::vector<HloComputation*> called) {
  TestComputation computation;
  return ViolationsOf(*AddOverParameters(computation, opcode, shape, operands, set_attributes, std::move(called)));
}

absl::StatusOr<Shape> InferredShapeOf(HloOpcode opcode, const std::vector<Shape>& operands,
                                      const SetAttributes& set_attributes, std::vector<HloComputation*> called) {
  TestComputation computation;
  return GetOp(opcode).infer_shape(
      *AddOverParameters(computation, opcode, Shape(), operands, set_attributes, std::move(called)));
}

}  // namespace xla
