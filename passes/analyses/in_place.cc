#include "passes/analyses/in_place.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "passes/analyses/cost.h"
#include "xla_core/ir/hlo_computation.h"
#include "xla_core/ops/elementwise_table.h"

namespace xla {
namespace {

using Reason = InPlacePair::Reason;

// The same number of elements of the same width, in the same order.
bool SameElementPlaces(const Shape& a, const Shape& b) {
  if (!a.IsArray() || !b.IsArray() || !a.SameDimensions(b) || a.IsUnboundedDynamic()) return false;
  if (ByteWidth(a.element_type()) != ByteWidth(b.element_type())) return false;
  const auto order = [](const Shape& shape) {
    return shape.has_layout() ? shape.layout()->minor_to_major : RowMajorLayout(shape.rank())->minor_to_major;
  };
  return order(a) == order(b);
}

void AddElementwise(const HloInstruction& instruction, Reason reason, std::vector<InPlacePair>* pairs) {
  for (int i = 0; i < instruction.operand_count(); ++i) {
    if (SameElementPlaces(instruction.operand(i)->shape(), instruction.shape())) {
      pairs->push_back({i, {}, {}, reason});
    }
  }
}

void AddScatter(const HloInstruction& scatter, std::vector<InPlacePair>* pairs) {
  const int arrays = scatter.operand_count() / 2;
  for (int i = 0; i < arrays; ++i) {
    const ShapeIndex result_index = scatter.shape().IsTuple() ? ShapeIndex{i} : ShapeIndex{};
    pairs->push_back({i, {}, result_index, Reason::kUpdate});
  }
}

// All members' elements at a place are read before the result at that place is written. What is given twice would be
// overwritten by the first of two results while the second one is folded. One that is started may do so until it is
// done.
void AddAllReduce(const HloInstruction& all_reduce, std::vector<InPlacePair>* pairs) {
  const auto operands = all_reduce.operands();
  absl::flat_hash_map<const HloInstruction*, int> times_given;
  for (const HloInstruction* operand : operands) ++times_given[operand];
  for (int i = 0; i < all_reduce.operand_count(); ++i) {
    if (times_given[operands[i]] > 1) continue;
    const ShapeIndex result_index = all_reduce.shape().IsTuple() ? ShapeIndex{i} : ShapeIndex{};
    const Shape* const result = SubshapeAt(all_reduce.shape(), result_index);
    if (result != nullptr && SameElementPlaces(operands[i]->shape(), *result)) {
      pairs->push_back({i, {}, result_index, Reason::kElementwise});
    }
  }
}

// One result cannot be in two places, nor two in one.
void AddDeclared(const std::vector<OutputOperandAlias>& aliases, std::vector<InPlacePair>* pairs) {
  absl::flat_hash_set<ShapeIndex> results;
  absl::flat_hash_set<std::pair<int64_t, ShapeIndex>> operands;
  for (const OutputOperandAlias& alias : aliases) {
    const std::pair<int64_t, ShapeIndex> operand = {alias.operand, alias.operand_index};
    if (results.contains(alias.output_index) || operands.contains(operand)) continue;
    results.insert(alias.output_index);
    operands.insert(operand);
    pairs->push_back({static_cast<int>(alias.operand), alias.operand_index, alias.output_index, Reason::kDeclared});
  }
}

// Through bitcasts that nothing else uses; nullptr if a user does.
const HloInstruction* OnlyUsedSource(const HloInstruction* instruction) {
  while (instruction->users().size() == 1 && instruction->opcode() == HloOpcode::kBitcast) {
    instruction = instruction->operand(0);
  }
  return instruction->users().size() == 1 ? instruction : nullptr;
}

// The result of a fusion at `result_index` is an update of a parameter that the body uses for nothing else.
void AddFusedUpdate(const HloInstruction* result, const ShapeIndex& result_index, std::vector<InPlacePair>* pairs) {
  const Shape& shape = result->shape();
  while (result->opcode() == HloOpcode::kBitcast) result = result->operand(0);
  const bool is_update = result->opcode() == HloOpcode::kDynamicUpdateSlice ||
                         (result->opcode() == HloOpcode::kScatter && !result->shape().IsTuple());
  if (!is_update) return;
  if (std::count(result->operands().begin(), result->operands().end(), result->operand(0)) > 1) return;
  const HloInstruction* const updated = OnlyUsedSource(result->operand(0));
  if (updated == nullptr || updated->opcode() != HloOpcode::kParameter || !updated->shape().IsArray()) return;
  if (updated->shape().ByteSize() != shape.ByteSize()) return;
  const int64_t number = updated->attributes<ParameterAttributes>().number;
  pairs->push_back({static_cast<int>(number), {}, result_index, Reason::kFusedUpdate});
}

// Of a fusion's results, one bit each, as many as there are bits for.
using Results = uint64_t;
constexpr int kMaxResults = 64;

const HloInstruction& ResultOf(const HloComputation& body, int result) {
  const HloInstruction& root = *body.root();
  return root.opcode() == HloOpcode::kTuple ? *root.operand(result) : root;
}

Results ResultsThatAre(const HloInstruction& instruction, const HloComputation& body) {
  const HloInstruction& root = *body.root();
  if (&instruction == &root) return root.opcode() == HloOpcode::kTuple ? 0 : 1;
  if (root.opcode() != HloOpcode::kTuple) return 0;
  Results results = 0;
  for (int i = 0; i < root.operand_count(); ++i) {
    if (root.operand(i) == &instruction) results |= Results{1} << i;
  }
  return results;
}

// Parameters from which every way to a result is elementwise, with the results that they reach.
void AddElementwiseParameters(const HloComputation& body, std::vector<InPlacePair>* pairs) {
  const HloInstruction& root = *body.root();
  const bool is_tuple = root.opcode() == HloOpcode::kTuple;
  if (is_tuple && root.operand_count() > kMaxResults) return;
  absl::flat_hash_map<const HloInstruction*, Results> elementwise;  // they and all that uses them
  if (is_tuple) elementwise[&root] = 0;
  const auto instructions = body.instructions();
  for (size_t i = instructions.size(); i > 0; --i) {
    const HloInstruction& instruction = *instructions[i - 1];
    Results results = ResultsThatAre(instruction, body);
    bool users_are = true;
    for (const HloInstruction* user : instruction.users()) {
      const auto found = elementwise.find(user);
      users_are = users_are && found != elementwise.end();
      if (users_are) results |= found->second;
    }
    if (!users_are || results == 0) continue;
    if (instruction.opcode() == HloOpcode::kParameter) {
      const int64_t number = instruction.attributes<ParameterAttributes>().number;
      for (int k = 0; k < (is_tuple ? root.operand_count() : 1); ++k) {
        if ((results >> k & 1) == 0) continue;
        if (!SameElementPlaces(instruction.shape(), ResultOf(body, k).shape())) continue;
        pairs->push_back({static_cast<int>(number), {}, is_tuple ? ShapeIndex{k} : ShapeIndex(), Reason::kElementwise});
      }
    } else if (IsElementwise(instruction.opcode())) {
      elementwise[&instruction] = results;
    }
  }
}

void AddFusion(const HloInstruction& fusion, std::vector<InPlacePair>* pairs) {
  AddDeclared(fusion.attributes<FusionAttributes>().output_to_operand_aliasing, pairs);
  if (!pairs->empty()) return;
  const HloComputation& body = *fusion.called_computation(0);
  if (body.root()->opcode() == HloOpcode::kTuple) {
    for (int i = 0; i < body.root()->operand_count(); ++i) AddFusedUpdate(body.root()->operand(i), {i}, pairs);
    if (pairs->empty()) AddElementwiseParameters(body, pairs);
  } else if (body.root()->shape().IsArray()) {
    AddFusedUpdate(body.root(), {}, pairs);
    if (pairs->empty()) AddElementwiseParameters(body, pairs);
  }
}

}  // namespace

// The pairs that one instruction offers by its semantics, whoever else reads the operand. Elementwise operations and
// bitcasts offer all operands of the result's size, an all-reduce each operand for its own result; updates and scatters
// expect to overwrite their array operands; custom calls say it in output_to_operand_aliasing.
std::vector<InPlacePair> FindInPlacePairs(const HloInstruction& instruction) {
  std::vector<InPlacePair> pairs;
  const HloOpcode opcode = instruction.opcode();
  if (opcode == HloOpcode::kDynamicUpdateSlice) {
    pairs.push_back({0, {}, {}, Reason::kUpdate});
  } else if (opcode == HloOpcode::kScatter) {
    AddScatter(instruction, &pairs);
  } else if (opcode == HloOpcode::kAllReduce || opcode == HloOpcode::kAllReduceStart) {
    AddAllReduce(instruction, &pairs);
  } else if (opcode == HloOpcode::kFusion) {
    AddFusion(instruction, &pairs);
  } else if (opcode == HloOpcode::kCustomCall) {
    AddDeclared(instruction.attributes<CustomCallAttributes>().output_to_operand_aliasing, &pairs);
  } else if (IsElementwise(opcode) || (IsBitcastLike(instruction) && opcode != HloOpcode::kBitcast)) {
    const bool moves_nothing = opcode == HloOpcode::kCopy || !IsElementwise(opcode);
    if (!moves_nothing) {
      AddElementwise(instruction, Reason::kElementwise, &pairs);
    } else if (IsBitcastLike(instruction) || SameElementPlaces(instruction.operand(0)->shape(), instruction.shape())) {
      pairs.push_back({0, {}, {}, Reason::kCopy});
    }
  }
  return pairs;
}

const char* InPlaceReasonName(InPlacePair::Reason reason) {
  switch (reason) {
    case Reason::kUpdate:
      return "update";
    case Reason::kDeclared:
      return "declared";
    case Reason::kFusedUpdate:
      return "fused update";
    case Reason::kElementwise:
      return "elementwise";
    case Reason::kCopy:
      return "copy";
  }
  return "";
}

}  // namespace xla
