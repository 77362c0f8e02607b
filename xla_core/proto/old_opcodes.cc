#include "xla_core/proto/old_opcodes.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/op_definition.h"

namespace xla {
namespace {

std::unique_ptr<HloInstruction> MakeInstruction(HloOpcode opcode, std::string name, Shape shape,
                                                std::vector<HloInstruction*> operands) {
  auto instruction = std::make_unique<HloInstruction>(opcode, std::move(name), std::move(shape));
  for (HloInstruction* operand : operands) instruction->AddOperand(operand);
  if (GetOp(opcode).make_attributes != nullptr) instruction->set_attributes(GetOp(opcode).make_attributes());
  return instruction;
}

HloInstruction* AddElement(HloComputation* computation, const std::string& name, HloInstruction* tuple, int index) {
  auto element = MakeInstruction(HloOpcode::kGetTupleElement, name, tuple->shape().tuple_shape(index), {tuple});
  element->mutable_attributes<GetTupleElementAttributes>().index = index;
  return computation->AddInstruction(std::move(element));
}

// The selection from `on_true` and `on_false`, which are of one shape.
HloInstruction* AddSelect(HloComputation* computation, const std::string& name, HloInstruction* predicate,
                          HloInstruction* on_true, HloInstruction* on_false) {
  const Shape& shape = on_true->shape();
  if (!shape.IsTuple()) {
    return computation->AddInstruction(
        MakeInstruction(HloOpcode::kSelect, name, shape, {predicate, on_true, on_false}));
  }
  std::vector<HloInstruction*> elements;
  for (int i = 0; i < shape.tuple_size(); ++i) {
    const std::string element = absl::StrCat(name, ".", i);
    HloInstruction* yes = AddElement(computation, absl::StrCat(element, ".on_true"), on_true, i);
    HloInstruction* no = AddElement(computation, absl::StrCat(element, ".on_false"), on_false, i);
    elements.push_back(AddSelect(computation, element, predicate, yes, no));
  }
  return computation->AddInstruction(MakeInstruction(HloOpcode::kTuple, name, shape, elements));
}

}  // namespace

// Opcodes of older versions of XLA. Comparisons were operations of their own before `compare` had a direction.
absl::optional<OldOpcode> FindOldOpcode(absl::string_view name) {
  struct Row {
    absl::string_view name;
    OldOpcode now;
  };
  using Direction = ComparisonDirection;
  static const auto& rows = *new std::vector<Row>{
      {"equal-to", {HloOpcode::kCompare, Direction::kEq}},
      {"not-equal-to", {HloOpcode::kCompare, Direction::kNe}},
      {"greater-than", {HloOpcode::kCompare, Direction::kGt}},
      {"greater-than-or-equal-to", {HloOpcode::kCompare, Direction::kGe}},
      {"less-than", {HloOpcode::kCompare, Direction::kLt}},
      {"less-than-or-equal-to", {HloOpcode::kCompare, Direction::kLe}},
      {"crossreplicasum", {HloOpcode::kAllReduce, absl::nullopt}},
      {"cross-replica-sum", {HloOpcode::kAllReduce, absl::nullopt}},
      {"tuple-select", {HloOpcode::kSelect, absl::nullopt}},
      {"generate-token", {HloOpcode::kAfterAll, absl::nullopt}},
  };
  for (const Row& row : rows) {
    if (row.name == name) return row.now;
  }
  return absl::nullopt;
}

bool IsDroppedOpcode(absl::string_view name) { return name == "trace"; }

HloInstruction* ExpandTupleSelect(std::unique_ptr<HloInstruction> select, HloComputation* computation) {
  HloInstruction* result =
      AddSelect(computation, select->name(), select->operand(0), select->operand(1), select->operand(2));
  result->set_id(select->id());
  result->CopyAnnotations(*select);
  return result;
}

HloInstruction* AddTokenToFeed(std::unique_ptr<HloInstruction> feed, HloComputation* computation) {
  feed->AddOperand(computation->AddInstruction(
      MakeInstruction(HloOpcode::kAfterAll, absl::StrCat(feed->name(), ".token"), Shape::Token(), {})));
  if (feed->opcode() == HloOpcode::kOutfeed) {
    feed->mutable_shape() = Shape::Token();
    return computation->AddInstruction(std::move(feed));
  }
  const Shape& shape = feed->shape();
  if (shape.IsTuple() && shape.tuple_size() == 2 && shape.tuple_shape(1).IsToken()) {
    return computation->AddInstruction(std::move(feed));
  }
  const std::string name = feed->name();
  feed->set_name(absl::StrCat(name, ".infeed"));
  feed->mutable_shape() = Shape::Tuple({shape, Shape::Token()});
  return AddElement(computation, name, computation->AddInstruction(std::move(feed)), 0);
}

std::unique_ptr<HloComputation> MakeScalarAdd(std::string name, PrimitiveType type) {
  auto computation = std::make_unique<HloComputation>(std::move(name));
  std::vector<HloInstruction*> parameters;
  for (int i = 0; i < 2; ++i) {
    auto parameter = MakeInstruction(HloOpcode::kParameter, absl::StrCat(computation->name(), i == 0 ? ".lhs" : ".rhs"),
                                     Shape::Scalar(type), {});
    parameter->mutable_attributes<ParameterAttributes>().number = i;
    parameters.push_back(computation->AddInstruction(std::move(parameter)));
  }
  computation->set_root(computation->AddInstruction(
      MakeInstruction(HloOpcode::kAdd, absl::StrCat(computation->name(), ".sum"), Shape::Scalar(type), parameters)));
  return computation;
}

}  // namespace xla
