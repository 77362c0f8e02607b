#include "passes/memory/testing/check_assignment.h"

#include <algorithm>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "passes/analyses/in_place.h"
#include "xla_core/ir/opcode_map.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// What an evaluation produced: a number for each array leaf of its result, and where the plan has it. Views keep marks.
struct Mark {
  int64_t number = 0;  // 0: no array
  const AssignedBuffer* buffer = nullptr;
};
using Marks = std::vector<Mark>;

struct Bytes {
  int64_t space;  // 0: the arena; else 1 + the number of a buffer of its own
  int64_t begin;
  int64_t end;
};

Bytes PlaceOf(const AssignedBuffer& buffer) {
  if (buffer.kind != AssignedBuffer::Kind::kTemporary) return {1 + buffer.id, 0, buffer.bytes};
  return {0, buffer.offset, buffer.offset + buffer.bytes};
}

bool Overlap(const Bytes& a, const Bytes& b) { return a.space == b.space && a.begin < b.end && b.begin < a.end; }

// Ranges of bytes, each with the number that was written there.
class Memory {
 public:
  void Write(const Bytes& bytes, int64_t number) {
    if (bytes.begin == bytes.end) return;
    auto& space = spaces_[bytes.space];
    auto at = space.lower_bound(bytes.begin);
    if (at != space.begin() && std::prev(at)->second.first > bytes.begin) --at;
    while (at != space.end() && at->first < bytes.end) {
      const auto [begin, old] = std::make_pair(at->first, at->second);
      at = space.erase(at);
      if (begin < bytes.begin) space[begin] = {bytes.begin, old.second};
      if (old.first > bytes.end) at = space.emplace(bytes.end, std::make_pair(old.first, old.second)).first;
    }
    space[bytes.begin] = {bytes.end, number};
  }
  bool Holds(const Bytes& bytes, int64_t number) const {
    if (bytes.begin == bytes.end) return true;
    const auto space = spaces_.find(bytes.space);
    if (space == spaces_.end()) return false;
    const auto at = space->second.find(bytes.begin);
    return at != space->second.end() && at->second == std::make_pair(bytes.end, number);
  }

 private:
  absl::flat_hash_map<int64_t, std::map<int64_t, std::pair<int64_t, int64_t>>> spaces_;
};

void AppendLeafIndices(const Shape& shape, ShapeIndex index, std::vector<std::pair<ShapeIndex, bool>>* leaves) {
  if (!shape.IsTuple()) {
    leaves->emplace_back(index, shape.IsArray());
    return;
  }
  for (int i = 0; i < shape.tuple_size(); ++i) {
    index.push_back(i);
    AppendLeafIndices(shape.tuple_shape(i), index, leaves);
    index.pop_back();
  }
}

class Checker {
 public:
  Checker(const BufferAssignment& assignment, uint64_t seed, int64_t max_steps)
      : assignment_(assignment), random_(seed), steps_left_(max_steps) {}

  absl::Status Run(const HloModule& module) {
    std::vector<Marks> arguments;
    for (const HloInstruction* parameter : module.entry()->parameters()) {
      Marks marks = Planned(*parameter);
      WriteAll(&marks);
      arguments.push_back(std::move(marks));
    }
    // Constants are there from the beginning.
    for (const auto& computation : module.computations()) {
      for (const auto& instruction : computation->instructions()) {
        if (instruction->opcode() != HloOpcode::kConstant) continue;
        if (!assignment_.liveness().HasSlot(*instruction)) continue;
        Marks marks = Planned(*instruction);
        WriteAll(&marks);
        constants_[instruction.get()] = marks;
      }
    }
    Marks result;
    RETURN_IF_ERROR(RunComputation(*module.entry(), arguments, &result));
    RETURN_IF_ERROR(CheckHeld(*module.entry()->root(), "the result of the program", result));
    RETURN_IF_ERROR(CheckResults(result));
    return CheckAliases(module);
  }

 private:
  using Operands = std::vector<const Marks*>;

  // The places that the plan has for a result.
  Marks Planned(const HloInstruction& instruction) const {
    std::vector<std::pair<ShapeIndex, bool>> leaves;
    AppendLeafIndices(instruction.shape(), {}, &leaves);
    Marks marks;
    for (const auto& [index, is_array] : leaves) {
      marks.push_back({0, is_array ? assignment_.BufferAt(instruction, index) : nullptr});
    }
    return marks;
  }
  void WriteAll(Marks* marks) {
    for (Mark& mark : *marks) {
      if (mark.buffer == nullptr) continue;
      mark.number = ++written_;
      memory_.Write(PlaceOf(*mark.buffer), mark.number);
    }
  }
  // The leaves behind those that `marks` has already.
  void AddOwnResults(const HloInstruction& instruction, Marks* marks) {
    Marks planned = Planned(instruction);
    planned.erase(planned.begin(), planned.begin() + static_cast<int64_t>(marks->size()));
    WriteAll(&planned);
    marks->insert(marks->end(), planned.begin(), planned.end());
  }
  absl::Status CheckHeld(const HloInstruction& reader, const std::string& what, const Marks& marks) const {
    for (const Mark& mark : marks) {
      if (mark.buffer == nullptr || memory_.Holds(PlaceOf(*mark.buffer), mark.number)) continue;
      return absl::InternalError(absl::StrCat(reader.ToShortString(), ": leaf ", &mark - marks.data(), " of ", what,
                                              " was overwritten in buffer ", mark.buffer->id));
    }
    return absl::OkStatus();
  }
  absl::Status CheckResults(const Marks& result) const {
    for (size_t leaf = 0; leaf < result.size(); ++leaf) {
      if (result[leaf].buffer == nullptr) continue;
      if (result[leaf].buffer->result_leaf != static_cast<int64_t>(leaf)) {
        return absl::InternalError(absl::StrCat("result ", leaf, " is not in a buffer of its own"));
      }
    }
    return absl::OkStatus();
  }
  absl::Status CheckAliases(const HloModule& module) const {
    for (const InputOutputAlias& alias : module.config().input_output_alias) {
      const HloInstruction& parameter = *module.entry()->parameters()[alias.parameter_number];
      const AssignedBuffer* const result = assignment_.BufferAt(*module.entry()->root(), alias.output_index);
      if (!alias.must_alias || result == assignment_.BufferAt(parameter, alias.parameter_index)) continue;
      return absl::InternalError(absl::StrCat("result ", ShapeIndexToString(alias.output_index),
                                              " is not in the buffer of parameter ", alias.parameter_number));
    }
    return absl::OkStatus();
  }
  // What the plan says of `instruction` must be where these values are.
  absl::Status CheckSamePlaces(const HloInstruction& instruction, const Marks& marks) const {
    const Marks planned = Planned(instruction);
    for (size_t i = 0; i < marks.size(); ++i) {
      if (planned[i].buffer == nullptr || marks[i].buffer == nullptr) continue;
      if (planned[i].buffer != marks[i].buffer) {
        return absl::InternalError(absl::StrCat(instruction.ToShortString(), ": leaf ", i, " is in buffer ",
                                                marks[i].buffer->id, ", the plan has it in ", planned[i].buffer->id));
      }
    }
    return absl::OkStatus();
  }

  absl::Status RunComputation(const HloComputation& computation, const std::vector<Marks>& arguments, Marks* result) {
    absl::flat_hash_map<const HloInstruction*, Marks> values;
    for (const auto& instruction : computation.instructions()) {
      if (--steps_left_ < 0) return absl::DeadlineExceededError("too many steps");
      Operands operands;
      for (const HloInstruction* operand : instruction->operands()) operands.push_back(&values[operand]);
      Marks marks;
      if (instruction->opcode() == HloOpcode::kParameter) {
        marks = arguments[instruction->attributes<ParameterAttributes>().number];
        RETURN_IF_ERROR(CheckSamePlaces(*instruction, marks));
      } else {
        RETURN_IF_ERROR(Evaluate(*instruction, operands, &marks));
      }
      values[instruction.get()] = std::move(marks);
    }
    *result = values[computation.root()];
    return absl::OkStatus();
  }

  absl::Status Evaluate(const HloInstruction& instruction, const Operands& operands, Marks* marks) {
    using Evaluator = absl::Status (Checker::*)(const HloInstruction&, const Operands&, Marks*);
    static constexpr OpcodeMap<Evaluator> kEvaluators(
        /*otherwise=*/&Checker::Compute, {{HloOpcode::kConstant, &Checker::Constant},
                                          {HloOpcode::kTuple, &Checker::Tuple},
                                          {HloOpcode::kGetTupleElement, &Checker::Element},
                                          {HloOpcode::kBitcast, &Checker::PassOn},
                                          {HloOpcode::kOptBarrier, &Checker::PassOn},
                                          {HloOpcode::kDomain, &Checker::PassOn},
                                          {HloOpcode::kAddDependency, &Checker::PassOn},
                                          {HloOpcode::kAsyncUpdate, &Checker::PassOn},
                                          {HloOpcode::kAllReduceDone, &Checker::PassOn},
                                          {HloOpcode::kCall, &Checker::Call},
                                          {HloOpcode::kConditional, &Checker::Conditional},
                                          {HloOpcode::kWhile, &Checker::Loop},
                                          {HloOpcode::kAsyncStart, &Checker::AsyncStart},
                                          {HloOpcode::kAllGatherStart, &Checker::StartWithOperands},
                                          {HloOpcode::kCollectivePermuteStart, &Checker::StartWithOperands},
                                          {HloOpcode::kSend, &Checker::StartWithOperands},
                                          {HloOpcode::kAsyncDone, &Checker::SecondElement},
                                          {HloOpcode::kAllGatherDone, &Checker::SecondElement},
                                          {HloOpcode::kCollectivePermuteDone, &Checker::SecondElement},
                                          {HloOpcode::kCopyStart, &Checker::CopyStart},
                                          {HloOpcode::kCopyDone, &Checker::CopyDone},
                                          {HloOpcode::kRecvDone, &Checker::RecvDone}});
    return (this->*kEvaluators[instruction.opcode()])(instruction, operands, marks);
  }

  absl::Status Constant(const HloInstruction& constant, const Operands& /*operands*/, Marks* marks) {
    *marks = constants_[&constant];
    return absl::OkStatus();
  }

  absl::Status Tuple(const HloInstruction& tuple, const Operands& operands, Marks* marks) {
    for (const Marks* operand : operands) marks->insert(marks->end(), operand->begin(), operand->end());
    return CheckSamePlaces(tuple, *marks);
  }

  absl::Status Element(const HloInstruction& element, const Operands& operands, Marks* marks) {
    const int64_t index = element.attributes<GetTupleElementAttributes>().index;
    return Part(element, *operands[0], element.operand(0)->shape(), index, marks);
  }

  absl::Status PassOn(const HloInstruction& instruction, const Operands& operands, Marks* marks) {
    *marks = *operands[0];
    return CheckSamePlaces(instruction, *marks);
  }

  absl::Status Call(const HloInstruction& call, const Operands& operands, Marks* marks) {
    RETURN_IF_ERROR(RunComputation(*call.called_computation(0), Values(operands), marks));
    return CheckSamePlaces(call, *marks);
  }

  absl::Status Conditional(const HloInstruction& conditional, const Operands& operands, Marks* marks) {
    RETURN_IF_ERROR(CheckHeld(conditional, "the predicate", *operands[0]));
    const int taken = static_cast<int>(random_() % conditional.called_computations().size());
    RETURN_IF_ERROR(RunComputation(*conditional.called_computation(taken), {*operands[taken + 1]}, marks));
    return CheckSamePlaces(conditional, *marks);
  }

  absl::Status AsyncStart(const HloInstruction& start, const Operands& operands, Marks* marks) {
    Marks result;
    RETURN_IF_ERROR(RunComputation(*start.called_computation(0), Values(operands), &result));
    for (const Marks* operand : operands) marks->insert(marks->end(), operand->begin(), operand->end());
    marks->insert(marks->end(), result.begin(), result.end());
    AddOwnResults(start, marks);
    return CheckSamePlaces(start, *marks);
  }

  absl::Status StartWithOperands(const HloInstruction& start, const Operands& operands, Marks* marks) {
    for (const Marks* operand : operands) {
      RETURN_IF_ERROR(CheckHeld(start, "an operand", *operand));
      marks->insert(marks->end(), operand->begin(), operand->end());
    }
    marks->resize(LeafCount(start.shape().tuple_shape(0)));
    AddOwnResults(start, marks);
    return CheckSamePlaces(start, *marks);
  }

  absl::Status SecondElement(const HloInstruction& done, const Operands& operands, Marks* marks) {
    RETURN_IF_ERROR(CheckHeld(done, "an operand of the asynchronous operation", *operands[0]));
    return Part(done, *operands[0], done.operand(0)->shape(), 1, marks);
  }

  absl::Status CopyStart(const HloInstruction& start, const Operands& operands, Marks* marks) {
    RETURN_IF_ERROR(CheckHeld(start, "the operand", *operands[0]));
    // Destination, source, context; the source is the operand itself.
    *marks = Planned(start);
    const size_t leaves = operands[0]->size();
    for (size_t i = 0; i < marks->size(); ++i) {
      const bool is_source = leaves <= i && i < 2 * leaves;
      if (is_source) {
        (*marks)[i] = (*operands[0])[i - leaves];
      } else if ((*marks)[i].buffer != nullptr) {
        (*marks)[i].number = ++written_;
        memory_.Write(PlaceOf(*(*marks)[i].buffer), (*marks)[i].number);
      }
    }
    return CheckSamePlaces(start, *marks);
  }

  absl::Status CopyDone(const HloInstruction& done, const Operands& operands, Marks* marks) {
    RETURN_IF_ERROR(CheckHeld(done, "the destination or the source", *operands[0]));
    return Part(done, *operands[0], done.operand(0)->shape(), 0, marks);
  }

  absl::Status RecvDone(const HloInstruction& done, const Operands& operands, Marks* marks) {
    *marks = *operands[0];
    marks->resize(LeafCount(done.shape().tuple_shape(0)));
    AddOwnResults(done, marks);
    return CheckSamePlaces(done, *marks);
  }

  static std::vector<Marks> Values(const Operands& operands) {
    std::vector<Marks> values;
    for (const Marks* operand : operands) values.push_back(*operand);
    return values;
  }

  absl::Status Part(const HloInstruction& instruction, const Marks& whole, const Shape& shape, int64_t element,
                    Marks* marks) const {
    int64_t begin = 0;
    for (int64_t i = 0; i < element; ++i) begin += LeafCount(shape.tuple_shape(static_cast<int>(i)));
    const int64_t count = LeafCount(shape.tuple_shape(static_cast<int>(element)));
    marks->assign(whole.begin() + begin, whole.begin() + begin + count);
    return CheckSamePlaces(instruction, *marks);
  }

  absl::Status Loop(const HloInstruction& loop, const Operands& operands, Marks* result) {
    constexpr int kTurns = 3;
    Marks state = *operands[0];
    for (int turn = 0;; ++turn) {
      Marks go_on;
      RETURN_IF_ERROR(RunComputation(*loop.called_computation(0), {state}, &go_on));
      RETURN_IF_ERROR(CheckHeld(loop, "the condition's result", go_on));
      if (turn == kTurns) break;
      Marks next;
      RETURN_IF_ERROR(RunComputation(*loop.called_computation(1), {state}, &next));
      // Nothing is moved between iterations: whoever reads a leaf in the next one looks where the plan has it.
      state = std::move(next);
    }
    *result = std::move(state);
    return CheckSamePlaces(loop, *result);
  }

  absl::Status Compute(const HloInstruction& instruction, const Operands& operands, Marks* marks) {
    for (size_t i = 0; i < operands.size(); ++i) {
      RETURN_IF_ERROR(CheckHeld(instruction, absl::StrCat("operand ", i), *operands[i]));
    }
    *marks = Planned(instruction);
    RETURN_IF_ERROR(CheckOverwrites(instruction, operands, *marks));
    WriteAll(marks);
    return CheckHeld(instruction, "a result, by another result of the same instruction,", *marks);
  }

  // Results may be written over operands only as in_place.h says.
  absl::Status CheckOverwrites(const HloInstruction& instruction, const Operands& operands,
                               const Marks& results) const {
    const std::vector<InPlacePair> pairs = FindInPlacePairs(instruction);
    std::vector<std::pair<ShapeIndex, bool>> result_leaves;
    AppendLeafIndices(instruction.shape(), {}, &result_leaves);
    for (size_t i = 0; i < operands.size(); ++i) {
      std::vector<std::pair<ShapeIndex, bool>> operand_leaves;
      AppendLeafIndices(instruction.operand(static_cast<int>(i))->shape(), {}, &operand_leaves);
      for (size_t k = 0; k < operands[i]->size(); ++k) {
        for (size_t r = 0; r < results.size(); ++r) {
          const AssignedBuffer* const from = (*operands[i])[k].buffer;
          const AssignedBuffer* const to = results[r].buffer;
          if (from == nullptr || to == nullptr || !Overlap(PlaceOf(*from), PlaceOf(*to))) continue;
          const bool allowed = from == to && std::any_of(pairs.begin(), pairs.end(), [&](const InPlacePair& pair) {
                                 return pair.operand == static_cast<int>(i) &&
                                        pair.operand_index == operand_leaves[k].first &&
                                        pair.result_index == result_leaves[r].first;
                               });
          if (allowed) continue;
          return absl::InternalError(
              absl::StrCat(instruction.ToShortString(), ": writes over operand ", i, " while reading it"));
        }
      }
    }
    return absl::OkStatus();
  }

  const BufferAssignment& assignment_;
  std::mt19937_64 random_;
  int64_t steps_left_;
  int64_t written_ = 0;
  Memory memory_;
  absl::flat_hash_map<const HloInstruction*, Marks> constants_;
};

}  // namespace

absl::Status CheckAssignment(const HloModule& module, const BufferAssignment& assignment, uint64_t seed,
                             int64_t max_steps) {
  return Checker(assignment, seed, max_steps).Run(module);
}

}  // namespace xla
