#include "passes/expanding/lift_scalar_function.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/elementwise_table.h"

namespace xla {
namespace {

constexpr int kMaxNesting = 32;              // of computations that call each other: Lifter recurses over it
constexpr int kMaxInstructions = 20 * 1000;  // with everything called written out at each call

bool IsScalarMove(const HloInstruction& instruction) {
  const HloOpcode opcode = instruction.opcode();
  return (opcode == HloOpcode::kReshape || opcode == HloOpcode::kBroadcast || opcode == HloOpcode::kTranspose ||
          opcode == HloOpcode::kCopy) &&
         instruction.operand(0)->shape().IsScalar();
}

// One level of tuple at most, so that a value is a list of scalars.
bool IsListOfScalars(const Shape& shape) {
  if (!shape.IsTuple()) return shape.IsScalar();
  for (const Shape& element : shape.tuple_shapes()) {
    if (!element.IsScalar()) return false;
  }
  return true;
}

// What a budget of instructions allows.
class LiftCheck {
 public:
  // Whether all instructions, and those of called functions, can be lifted. Nesting and the number of instructions
  // are bounded, as the lifted code grows with both.
  bool Allows(const HloComputation& function, int depth) {
    if (depth > kMaxNesting) return false;
    for (const auto& instruction : function.instructions()) {
      if (instruction->is_removed()) continue;
      if (++instructions_ > kMaxInstructions || !AllowsOne(*instruction)) return false;
      for (const HloComputation* called : instruction->called_computations()) {
        if (!Allows(*called, depth + 1)) return false;
      }
    }
    return true;
  }

 private:
  static bool AllowsOne(const HloInstruction& instruction) {
    if (instruction.HasControlEdges() || !IsListOfScalars(instruction.shape())) return false;
    for (const HloInstruction* operand : instruction.operands()) {
      if (!IsListOfScalars(operand->shape())) return false;
    }
    const HloOpcode opcode = instruction.opcode();
    if (opcode == HloOpcode::kConstant) {
      return instruction.shape().IsScalar() && instruction.attributes<ConstantAttributes>().literal != nullptr;
    }
    return HasTrait(opcode, opcode_trait::kBundles | opcode_trait::kControlFlow | opcode_trait::kElementwise) ||
           opcode == HloOpcode::kParameter || opcode == HloOpcode::kMap || opcode == HloOpcode::kBitcastConvert ||
           IsScalarMove(instruction);
  }

  int instructions_ = 0;
};

// The arrays that stand for a scalar (one) or for a tuple of scalars.
using Arrays = std::vector<HloInstruction*>;

class Lifter {
 public:
  explicit Lifter(const Shape& shape) : shape_(shape.WithoutLayout()) {}

  // `active` tells for which elements the result matters; nullptr: all. Only loops ask, to end.
  Arrays Lift(const HloComputation& function, const std::vector<Arrays>& arguments, HloInstruction* active,
              InstructionBuilder& build) {
    absl::flat_hash_map<const HloInstruction*, Arrays> values;
    for (const auto& instruction : function.instructions()) {
      if (instruction->is_removed()) continue;
      std::vector<Arrays> operands;
      for (const HloInstruction* operand : instruction->operands()) operands.push_back(values.at(operand));
      Arrays value = instruction->opcode() == HloOpcode::kParameter
                         ? arguments[instruction->attributes<ParameterAttributes>().number]
                         : LiftOne(*instruction, operands, active, build);
      values[instruction.get()] = std::move(value);
    }
    return values.at(function.root());
  }

 private:
  Shape ArrayOf(PrimitiveType type) const { return Shape::Array(type, shape_.dimensions()); }

  // Lifts one instruction to arrays of the map's shape. `active` marks the elements for which the instruction would
  // run; it only matters where a loop must end.
  Arrays LiftOne(const HloInstruction& instruction, const std::vector<Arrays>& operands, HloInstruction* active,
                 InstructionBuilder& build) {
    const HloOpcode opcode = instruction.opcode();
    if (opcode == HloOpcode::kConstant) {
      return {build.Splat(shape_, *instruction.attributes<ConstantAttributes>().literal)};
    }
    if (opcode == HloOpcode::kTuple) {
      Arrays elements;
      for (const Arrays& operand : operands) elements.push_back(operand[0]);
      return elements;
    }
    if (opcode == HloOpcode::kGetTupleElement) {
      return {operands[0][instruction.attributes<GetTupleElementAttributes>().index]};
    }
    if (opcode == HloOpcode::kCall || opcode == HloOpcode::kMap) {
      return Lift(*instruction.called_computation(0), operands, active, build);
    }
    if (opcode == HloOpcode::kConditional) return Choose(instruction, operands, active, build);
    if (opcode == HloOpcode::kWhile) return Loop(instruction, operands[0], active, build);
    if (instruction.shape().IsTuple() || IsScalarMove(instruction)) return operands[0];  // a copy
    std::vector<HloInstruction*> arrays;
    for (const Arrays& operand : operands) arrays.push_back(operand[0]);
    auto attributes = instruction.raw_attributes() == nullptr ? nullptr : instruction.raw_attributes()->Clone();
    return {build.MakeOfShape(opcode, ArrayOf(instruction.shape().element_type()), arrays, std::move(attributes))};
  }

  static HloInstruction* Both(HloInstruction* active, HloInstruction* predicate, InstructionBuilder& build) {
    return active == nullptr ? predicate : build.And(active, predicate);
  }

  // Where the conditional takes branch i of `count`.
  static HloInstruction* Takes(HloInstruction* selector, int i, int count, InstructionBuilder& build) {
    const Shape& shape = selector->shape();
    if (shape.element_type() == PRED) return i == 0 ? selector : build.Not(selector);
    if (i < count - 1) return build.Compare(ComparisonDirection::kEq, selector, build.Splat(shape, i));
    // Every index that is out of range takes the last branch.
    return build.Or(build.Compare(ComparisonDirection::kLt, selector, build.Splat(shape, 0)),
                    build.Compare(ComparisonDirection::kGe, selector, build.Splat(shape, i)));
  }

  // Lifts all branches and selects by element. Each branch runs for the elements that take it, so that its loops end
  // when those are done.
  Arrays Choose(const HloInstruction& conditional, const std::vector<Arrays>& operands, HloInstruction* active,
                InstructionBuilder& build) {
    const int count = static_cast<int>(conditional.called_computations().size());
    Arrays result;
    for (int i = 0; i < count; ++i) {
      HloInstruction* const takes = Takes(operands[0][0], i, count, build);
      const Arrays branch =
          Lift(*conditional.called_computation(i), {operands[1 + i]}, Both(active, takes, build), build);
      if (i == 0) {
        result = branch;
        continue;
      }
      for (size_t k = 0; k < result.size(); ++k) result[k] = build.Select(takes, branch[k], result[k]);
    }
    return result;
  }

  // The state of the lifted loop is that of all elements, and last which of them need another iteration.
  Arrays Loop(const HloInstruction& loop, const Arrays& init, HloInstruction* active, InstructionBuilder& build) {
    const HloComputation& condition = *loop.called_computation(0);
    const HloComputation& body = *loop.called_computation(1);
    Arrays state = init;
    state.push_back(Both(active, Lift(condition, {init}, active, build)[0], build));
    std::vector<Shape> shapes;
    for (const HloInstruction* element : state) shapes.push_back(element->shape().WithoutLayout());

    const auto open = [&](InstructionBuilder& inside) {
      HloInstruction* const parameter = inside.Parameter(0, Shape::Tuple(shapes));
      Arrays elements;
      for (size_t k = 0; k < shapes.size(); ++k) {
        elements.push_back(inside.GetTupleElement(parameter, static_cast<int64_t>(k)));
      }
      return elements;
    };
    HloComputation* const any = NewComputation(build.module(), "any_element");
    InstructionBuilder in_any(any, build.origin());
    std::vector<int64_t> dimensions;
    for (int d = 0; d < shape_.rank(); ++d) dimensions.push_back(d);
    any->set_root(in_any.Reduce(open(in_any).back(), in_any.Zero(PRED), dimensions, HloOpcode::kOr));

    HloComputation* const turn = NewComputation(build.module(), "turn_of_elements");
    InstructionBuilder in_turn(turn, build.origin());
    Arrays before = open(in_turn);
    HloInstruction* const turning = before.back();
    before.pop_back();
    Arrays after = Lift(body, {before}, turning, in_turn);
    for (size_t k = 0; k < after.size(); ++k) after[k] = in_turn.Select(turning, after[k], before[k]);
    after.push_back(in_turn.And(turning, Lift(condition, {after}, turning, in_turn)[0]));
    turn->set_root(in_turn.Tuple(after));

    build.UpdateStatus(in_any.status());
    build.UpdateStatus(in_turn.status());
    HloInstruction* const last = build.While(any, turn, build.Tuple(state));
    Arrays result;
    for (size_t k = 0; k < init.size(); ++k) result.push_back(build.GetTupleElement(last, static_cast<int64_t>(k)));
    return result;
  }

  const Shape shape_;
};

}  // namespace

bool CanLiftScalarFunction(const HloComputation& function) {
  return function.root()->shape().IsScalar() && LiftCheck().Allows(function, 0);
}

HloInstruction* LiftScalarFunction(const HloComputation& function, absl::Span<HloInstruction* const> arguments,
                                   const Shape& shape, InstructionBuilder& build) {
  std::vector<Arrays> lists;
  for (HloInstruction* argument : arguments) lists.push_back({argument});
  return Lifter(shape).Lift(function, lists, nullptr, build)[0];
}

}  // namespace xla
