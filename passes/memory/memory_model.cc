#include "passes/memory/memory_model.h"

#include <algorithm>
#include <utility>

#include "passes/analyses/in_place.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

double BytesOf(const Shape& shape) { return shape.IsUnboundedDynamic() ? 0 : static_cast<double>(shape.ByteSize()); }

bool IsView(const HloInstruction& instruction) { return HasTrait(instruction.opcode(), opcode_trait::kView); }

// What the state of a loop or the arguments of a call are in, the result will be in.
bool ReusesItsOperands(HloOpcode opcode) { return HasTrait(opcode, opcode_trait::kControlFlow); }

void SortUnique(std::vector<int>* numbers) {
  std::sort(numbers->begin(), numbers->end());
  numbers->erase(std::unique(numbers->begin(), numbers->end()), numbers->end());
}

}  // namespace

absl::StatusOr<MemoryGraph> MemoryGraph::Create(const HloComputation& computation,
                                                const absl::flat_hash_map<const HloComputation*, double>& needs,
                                                SideEffects& effects, ResourcePoll& poll) {
  MemoryGraph graph;
  for (const auto& instruction : computation.instructions()) {
    graph.number_[instruction.get()] = graph.size();
    graph.nodes_.push_back({instruction.get()});
  }
  std::vector<std::vector<int>> sources(graph.nodes_.size());  // what each result consists of
  int last_effect = -1;
  for (int i = 0; i < graph.size(); ++i) {
    RETURN_IF_ERROR(poll.Check(1 + graph[i].instruction->operand_count()));
    if (effects.Has(*graph[i].instruction)) {
      if (last_effect >= 0) graph.nodes_[i].before.push_back(last_effect);
      last_effect = i;
    }
    graph.AddNode(i, needs, &sources);
  }
  for (const int source : sources[graph.number_.at(computation.root())]) graph.nodes_[source].stays = true;
  return graph;
}

// Edges, bytes and reads of one node. Reads go through views to what makes the bytes, so that a tuple or bitcast
// between them does not shorten a life. `extra` is what the largest callee needs while the instruction runs.
void MemoryGraph::AddNode(int i, const absl::flat_hash_map<const HloComputation*, double>& needs,
                          std::vector<std::vector<int>>* sources) {
  Node& node = nodes_[i];
  const HloInstruction& instruction = *node.instruction;
  for (const HloInstruction* operand : instruction.operands()) node.before.push_back(number_.at(operand));
  for (const HloInstruction* other : instruction.control_predecessors()) node.before.push_back(number_.at(other));
  SortUnique(&node.before);
  for (const int other : node.before) nodes_[other].after.push_back(i);
  std::vector<int> read;
  for (const HloInstruction* operand : instruction.operands()) {
    const std::vector<int>& parts = (*sources)[number_.at(operand)];
    read.insert(read.end(), parts.begin(), parts.end());
  }
  SortUnique(&read);
  if (IsView(instruction)) {
    (*sources)[i] = std::move(read);
    return;
  }
  (*sources)[i] = {i};
  const HloOpcode opcode = instruction.opcode();
  // Arguments and constants are there anyway.
  if (HasTrait(opcode, opcode_trait::kGiven)) return;
  node.bytes = BytesOf(instruction.shape());
  for (const HloComputation* callee : instruction.called_computations()) {
    const auto found = needs.find(callee);
    if (found != needs.end()) node.extra = std::max(node.extra, found->second);
  }
  for (const int source : read) nodes_[source].readers.push_back(i);
  for (const InPlacePair& pair : FindInPlacePairs(instruction)) {
    const std::vector<int>& parts = (*sources)[number_.at(instruction.operand(pair.operand))];
    if (parts.size() != 1 || nodes_[parts[0]].bytes != node.bytes) continue;
    node.overwrites = parts[0];
    node.expects_to_overwrite = pair.expected();
    break;
  }
  node.reads = std::move(read);
}

MemoryInUse::MemoryInUse(const MemoryGraph& graph) : graph_(graph), readers_left_(graph.size()) {
  for (int i = 0; i < graph.size(); ++i) readers_left_[i] = static_cast<int>(graph[i].readers.size());
}

double MemoryInUse::Growth(int i) const {
  double growth = graph_[i].bytes;
  for (const int read : graph_[i].reads) growth -= IsLastReader(read) ? graph_[read].bytes : 0;
  return growth;
}

double MemoryInUse::NewBytes(int i) const {
  const MemoryGraph::Node& node = graph_[i];
  double reused = 0;
  for (const int read : node.reads) {
    const bool reusable = read == node.overwrites || ReusesItsOperands(node.instruction->opcode());
    if (reusable && IsLastReader(read)) reused += graph_[read].bytes;
  }
  return std::max(0.0, node.bytes - reused);
}

double MemoryInUse::UseDuring(int i) const { return live_ + NewBytes(i) + graph_[i].extra; }

void MemoryInUse::Run(int i) {
  peak_ = std::max(peak_, UseDuring(i));
  live_ += graph_[i].bytes;
  End(i);
}

void MemoryInUse::Begin(int i) {
  peak_ = std::max(peak_, UseDuringBegin(i));
  live_ += graph_[i].bytes;
}

void MemoryInUse::End(int i) {
  const MemoryGraph::Node& node = graph_[i];
  for (const int read : node.reads) {
    if (IsLastReader(read)) live_ -= graph_[read].bytes;
    --readers_left_[read];
  }
  if (node.readers.empty() && !node.stays) live_ -= node.bytes;
}

double PeakOf(const MemoryGraph& graph, const std::vector<int>& order) {
  MemoryInUse memory(graph);
  for (const int i : order) memory.Run(i);
  return memory.peak();
}

}  // namespace xla
