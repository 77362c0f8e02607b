#include "passes/analyses/aliasing.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "passes/analyses/liveness.h"
#include "xla_core/support/check.h"
#include "xla_core/support/resource_poll.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

using Kind = BufferSharing::Kind;

void AddMeetings(const HloInstruction& instruction, const Dataflow& dataflow, std::vector<BufferSharing>* sharing) {
  const Dataflow::Position first = dataflow.FirstPosition(instruction);
  for (int64_t leaf = 0; leaf < dataflow.PositionCount(instruction); ++leaf) {
    if (!dataflow.IsDefinition(first + leaf)) continue;
    const auto inputs = dataflow.PhiInputs(first + leaf);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (dataflow.ValueAt(inputs[i]) == first + leaf) continue;
      sharing->push_back({Kind::kMeeting, first + leaf, inputs[i], &instruction, static_cast<int64_t>(i)});
    }
  }
}

// How often values are among the operands of an instruction. Those of a large tuple are counted once, however many
// instructions take it.
class OperandCounts {
 public:
  explicit OperandCounts(const Dataflow& dataflow) : dataflow_(dataflow) {}

  // From now on it is about this instruction.
  void Read(const HloInstruction& instruction) {
    small_.clear();
    large_.clear();
    for (const HloInstruction* operand : instruction.operands()) {
      if (dataflow_.PositionCount(*operand) <= kFewPositions) {
        Count(*operand, &small_);
        continue;
      }
      const auto [known, is_new] = known_.try_emplace(operand);
      if (is_new) {
        known->second = std::make_unique<Counts>();
        Count(*operand, known->second.get());
      }
      large_.push_back(known->second.get());
    }
  }
  int CountOf(Dataflow::Value value) const {
    int count = CountIn(small_, value);
    for (const Counts* tuple : large_) count += CountIn(*tuple, value);
    return count;
  }

 private:
  using Counts = absl::flat_hash_map<Dataflow::Value, int>;
  static constexpr int64_t kFewPositions = 8;

  void Count(const HloInstruction& operand, Counts* counts) const {
    const Dataflow::Position first = dataflow_.FirstPosition(operand);
    for (int64_t i = 0; i < dataflow_.PositionCount(operand); ++i) ++(*counts)[dataflow_.ValueAt(first + i)];
  }
  static int CountIn(const Counts& counts, Dataflow::Value value) {
    const auto found = counts.find(value);
    return found == counts.end() ? 0 : found->second;
  }

  const Dataflow& dataflow_;
  Counts small_;                      // of all operands with few positions
  std::vector<const Counts*> large_;  // of each of the others
  absl::flat_hash_map<const HloInstruction*, std::unique_ptr<Counts>> known_;
};

// x + x reads both elements at once. A view of x next to x need not.
int HarmlessReads(const HloInstruction& instruction, const InPlacePair& pair) {
  if (pair.reason != InPlacePair::Reason::kElementwise || instruction.opcode() == HloOpcode::kFusion) return 1;
  const auto operands = instruction.operands();
  return static_cast<int>(std::count(operands.begin(), operands.end(), operands[pair.operand]));
}

// Adds each pair of an operand leaf and a result leaf of equal bytes that the operation may, or must, keep in one
// buffer. A pair that is only allowed is dropped where the operand is read by others too: it would be overwritten
// under them.
void AddInPlace(const HloInstruction& instruction, const Dataflow& dataflow, OperandCounts& reads,
                std::vector<BufferSharing>* sharing) {
  const std::vector<InPlacePair> pairs = FindInPlacePairs(instruction);
  if (pairs.empty()) return;
  reads.Read(instruction);
  for (const InPlacePair& pair : pairs) {
    BufferSharing added;
    added.kind = Kind::kInPlace;
    added.result = dataflow.ValueAt(instruction, pair.result_index);
    added.operand = dataflow.PositionAt(*instruction.operand(pair.operand), pair.operand_index);
    if (BufferBytes(dataflow.ShapeAt(added.result)) != BufferBytes(dataflow.ShapeAt(added.operand))) continue;
    added.instruction = &instruction;
    added.input = pair.operand;
    added.reason = pair.reason;
    added.required = pair.expected();
    added.read_elsewhere = reads.CountOf(dataflow.ValueAt(added.operand)) > HarmlessReads(instruction, pair);
    if (added.required || !added.read_elsewhere) sharing->push_back(added);
  }
}

void AddDonations(const HloModule& module, const Dataflow& dataflow, std::vector<BufferSharing>* sharing) {
  for (const DonatedLeaf& leaf : FindDonatedLeaves(module, dataflow)) {
    sharing->push_back({Kind::kDonation, leaf.argument, leaf.output, module.entry()->root(), leaf.alias,
                        InPlacePair::Reason::kDeclared, leaf.must_alias});
  }
}

}  // namespace

std::vector<BufferSharing> FindBufferSharing(const HloModule& module, const Dataflow& dataflow) {
  absl::StatusOr<std::vector<BufferSharing>> sharing = FindBufferSharing(module, dataflow, /*resources=*/nullptr);
  CHECK(sharing.ok());
  return *std::move(sharing);
}

absl::StatusOr<std::vector<BufferSharing>> FindBufferSharing(const HloModule& module, const Dataflow& dataflow,
                                                             const ResourceContext* resources) {
  ResourcePoll poll(resources);
  std::vector<BufferSharing> sharing;
  OperandCounts reads(dataflow);
  for (const auto& computation : module.computations()) {
    const CallContext context = dataflow.call_graph().Context(*computation);
    if (context != CallContext::kControl && context != CallContext::kBoth) continue;
    for (const auto& instruction : computation->instructions()) {
      if (instruction->is_removed()) continue;
      RETURN_IF_ERROR(poll.Check(1 + instruction->operand_count() + dataflow.PositionCount(*instruction)));
      AddMeetings(*instruction, dataflow, &sharing);
      AddInPlace(*instruction, dataflow, reads, &sharing);
    }
  }
  AddDonations(module, dataflow, &sharing);
  return sharing;
}

absl::StatusOr<Aliasing> Aliasing::Create(const HloModule& module, const std::shared_ptr<const Dataflow>& dataflow,
                                          const ResourceContext* resources) {
  ASSIGN_OR_RETURN(std::vector<BufferSharing> sharing, FindBufferSharing(module, *dataflow, resources));
  return Aliasing(std::move(sharing));
}

// Splits the entry's aliases, which may name whole tuples, into leaves. Pairs of different byte counts, and leaves
// that an earlier alias took, are left out rather than reported: the verifier is the one to complain.
std::vector<DonatedLeaf> FindDonatedLeaves(const HloModule& module, const Dataflow& dataflow) {
  const std::vector<HloInstruction*> parameters = module.entry()->parameters();
  const HloInstruction& root = *module.entry()->root();
  const auto& aliases = module.config().input_output_alias;
  std::vector<DonatedLeaf> leaves;
  absl::flat_hash_set<Dataflow::Position> seen;
  for (size_t i = 0; i < aliases.size(); ++i) {
    const InputOutputAlias& alias = aliases[i];
    if (alias.parameter_number < 0 || alias.parameter_number >= static_cast<int64_t>(parameters.size())) continue;
    const HloInstruction& parameter = *parameters[alias.parameter_number];
    const Shape* const to = SubshapeAt(root.shape(), alias.output_index);
    const Shape* const from = SubshapeAt(parameter.shape(), alias.parameter_index);
    if (to == nullptr || from == nullptr || LeafCount(*to) != LeafCount(*from)) continue;
    const Dataflow::Position output = dataflow.PositionAt(root, alias.output_index);
    const Dataflow::Position argument = dataflow.PositionAt(parameter, alias.parameter_index);
    for (int64_t k = 0; k < LeafCount(*to); ++k) {
      const Shape& written = dataflow.ShapeAt(output + k);
      const Shape& given = dataflow.ShapeAt(argument + k);
      const bool fits = written.IsArray() && given.IsArray() && BufferBytes(written) == BufferBytes(given);
      if (!fits || seen.contains(output + k) || seen.contains(argument + k)) continue;
      seen.insert({output + k, argument + k});
      leaves.push_back({output + k, argument + k, alias.must_alias, static_cast<int64_t>(i)});
    }
  }
  return leaves;
}

// Union-find over values with path halving. Only required sharing joins sets, so that values of one set are in one
// buffer in every valid assignment. In the end each position, not only each definition, knows the representative of
// its value's set.
AliasSets::AliasSets(const Dataflow& dataflow, const std::vector<BufferSharing>& sharing)
    : set_(dataflow.position_count()) {
  std::iota(set_.begin(), set_.end(), Dataflow::Value{0});
  const auto find = [&](Dataflow::Value value) {
    while (set_[value] != value) value = set_[value] = set_[set_[value]];
    return value;
  };
  for (const BufferSharing& pair : sharing) {
    if (pair.required) set_[find(dataflow.ValueAt(pair.operand))] = find(pair.result);
  }
  for (Dataflow::Position position = 0; position < dataflow.position_count(); ++position) {
    if (dataflow.IsDefinition(position)) find(position);
  }
  for (Dataflow::Position position = 0; position < dataflow.position_count(); ++position) {
    set_[position] = find(dataflow.ValueAt(position));
  }
}

// One line a set of two or more values, then one line a pair that may share a buffer. A set stands where its first
// member is defined.
std::string PrintAliasing(const HloModule& module, const ResourceContext* resources) {
  const absl::StatusOr<Dataflow> made = Dataflow::Create(module, resources);
  if (!made.ok()) return "";
  const Dataflow& dataflow = *made;
  const absl::StatusOr<std::vector<BufferSharing>> found = FindBufferSharing(module, dataflow, resources);
  if (!found.ok()) return "";
  const std::vector<BufferSharing>& sharing = *found;
  ResourcePoll poll(resources);
  const AliasSets sets(dataflow, sharing);
  const auto name = [&](Dataflow::Position position) {
    return absl::StrCat(dataflow.InstructionAt(position).parent()->name(), "/", dataflow.PositionName(position));
  };
  std::vector<std::vector<Dataflow::Value>> members(dataflow.position_count());
  for (Dataflow::Position position = 0; position < dataflow.position_count(); ++position) {
    if (dataflow.IsDefinition(position)) members[sets.SetOf(position)].push_back(position);
  }
  std::string text;
  for (Dataflow::Position position = 0; position < dataflow.position_count(); ++position) {
    // Each set at its first member.
    if (!dataflow.IsDefinition(position)) continue;
    const auto& set = members[sets.SetOf(position)];
    if (set.size() < 2 || set.front() != position) continue;
    if (poll.IsOver(static_cast<int64_t>(set.size()))) return text;
    text += "one buffer:";
    for (const Dataflow::Value member : set) absl::StrAppend(&text, " ", name(member));
    text += '\n';
  }
  for (const BufferSharing& pair : sharing) {
    if (pair.required) continue;
    if (poll.IsOver()) return text;
    absl::StrAppend(&text, "may share: ", name(pair.result), " and ", name(dataflow.ValueAt(pair.operand)), " (",
                    pair.kind == Kind::kDonation ? "donated" : InPlaceReasonName(pair.reason), ")\n");
  }
  return text;
}

}  // namespace xla
