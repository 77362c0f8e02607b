#include "backends/kernel_ir/lowering/contract_recurrence.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "xla_core/support/checked_math.h"

namespace xla {
namespace {

// What flows where in an iteration of a loop, and from each iteration to the next. Nodes are values, and what a buffer
// holds at some point: a store replaces that, from what it held before unless that is overwritten as a whole.
class FlowOfTurn {
 public:
  FlowOfTurn(const Kernel& kernel, const KernelInstruction& loop) : kernel_(kernel) {
    const Contents before = FollowTurn(loop);
    for (const auto& [buffer, content] : contents_) {
      const auto first = before.find(buffer);
      if (first != before.end()) AddEdge(content.node, first->second.node);
    }
    FindCycles();
  }

  // Whether both lie on one cycle, if there is an edge from one to the other.
  bool AreOnOneCycle(KernelValue a, KernelValue b) const {
    const auto of_a = nodes_.find(a);
    const auto of_b = nodes_.find(b);
    return of_a != nodes_.end() && of_b != nodes_.end() && component_[of_a->second] == component_[of_b->second];
  }

 private:
  struct Content {
    int node = -1;
    int stored = -1;      // all that was stored since the loop around began; -1: nothing
    int64_t covered = 0;  // elements that certainly were, at least
  };
  using Contents = std::map<int32_t, Content>;  // by buffer

  int AddNode() {
    edges_.emplace_back();
    return static_cast<int>(edges_.size()) - 1;
  }
  int NodeOf(KernelValue value) {
    const auto [place, is_new] = nodes_.try_emplace(value, 0);
    if (is_new) place->second = AddNode();
    return place->second;
  }
  void AddEdge(int from, int to) { edges_[from].push_back(to); }
  void Flow(KernelValue from, KernelValue to) { AddEdge(NodeOf(from), NodeOf(to)); }
  void FlowAll(absl::Span<const KernelValue> from, absl::Span<const KernelValue> to) {
    for (size_t i = 0; i < to.size(); ++i) Flow(from[i], to[i]);
  }

  Content& ContentOf(int32_t buffer) {
    Content& content = contents_[buffer];
    if (content.node < 0) content.node = AddNode();
    return content;
  }

  // Returns what buffers hold when the iteration begins.
  Contents FollowTurn(const KernelInstruction& loop) {
    const bool is_for = loop.op == KernelOp::kFor;
    const KernelRegion& body = loop.regions.back();
    for (const KernelRegion& region : loop.regions) NoteBuffers(region);
    const Contents before = contents_;
    if (!is_for) {
      const KernelRegion& condition = loop.regions[0];
      Follow(condition);
      FlowAll(condition.arguments, body.arguments);
    }
    Follow(body);
    const auto state = absl::MakeConstSpan(is_for ? body.arguments : loop.regions[0].arguments).subspan(is_for ? 1 : 0);
    FlowAll(body.results, state);
    return before;
  }

  // Makes a node for each buffer that is used.
  void NoteBuffers(const KernelRegion& region) {
    for (const KernelInstruction& instruction : region.instructions) {
      if (instruction.buffer >= 0) ContentOf(instruction.buffer);
      for (const KernelRegion& nested : instruction.regions) NoteBuffers(nested);
    }
  }

  void Follow(const KernelRegion& region) {
    for (const KernelInstruction& instruction : region.instructions) Follow(instruction);
  }

  // Notes through which values each value flows, and what is stored from and loaded into each buffer, so that cycles
  // through memory are seen too.
  void Follow(const KernelInstruction& instruction) {
    switch (instruction.op) {
      case KernelOp::kStore:
        return FollowStore(instruction);
      case KernelOp::kBarrier:
        return;
      case KernelOp::kFor:
        return FollowFor(instruction);
      case KernelOp::kReduce:
        return FollowReduce(instruction);
      case KernelOp::kIf:
        return FollowIf(instruction);
      case KernelOp::kWhile:
        return FollowWhile(instruction);
      default:
        for (const KernelValue operand : instruction.operands) Flow(operand, instruction.results[0]);
        if (instruction.op == KernelOp::kLoad) {
          AddEdge(ContentOf(instruction.buffer).node, NodeOf(instruction.results[0]));
        } else if (instruction.op == KernelOp::kConstant && kernel_.TypeOf(instruction.results[0]) == S64) {
          constants_[instruction.results[0]] = *instruction.literal.data<int64_t>();
        }
    }
  }

  // A store makes a new content of the buffer from the stored value and, unless it covers the whole buffer, the old
  // content.
  void FollowStore(const KernelInstruction& store) {
    Content& content = ContentOf(store.buffer);
    const int after = AddNode();
    for (const KernelValue operand : store.operands) AddEdge(NodeOf(operand), after);
    if (content.stored < 0) content.stored = AddNode();
    AddEdge(after, content.stored);
    const bool is_certain = store.operands.size() == 2;
    if (is_certain) content.covered = std::max<int64_t>(content.covered, 1);
    const int before = content.node;
    content.node = after;
    // After the node of what was stored alone: the rest stays as it was.
    if (is_certain && kernel_.buffers[store.buffer].element_count == 1) return;
    const int mixed = AddNode();
    AddEdge(after, mixed);
    AddEdge(before, mixed);
    content.node = mixed;
  }

  // Regions that may not run, or several times. Of an `independent` loop of this many iterations, each stores other
  // elements.
  template <typename Body>
  void FollowNested(int64_t turns, Body body) {
    Contents outer = contents_;
    for (auto& [buffer, content] : contents_) content = {content.node, -1, 0};
    body();
    for (auto& [buffer, content] : contents_) {
      const Content& before = outer[buffer];
      if (content.stored < 0) {
        content = before;
        continue;
      }
      int64_t covered = 0;
      if (!CheckedMul(content.covered, turns, &covered)) covered = 0;
      const int after = AddNode();
      const bool is_whole = covered >= kernel_.buffers[buffer].element_count;
      AddEdge(is_whole ? content.stored : content.node, after);
      if (!is_whole) AddEdge(before.node, after);
      const int stored = before.stored < 0 ? AddNode() : before.stored;
      AddEdge(content.stored, stored);
      content = {after, stored, std::max(before.covered, covered)};
    }
  }

  void FollowFor(const KernelInstruction& loop) {
    const KernelRegion& body = loop.regions[0];
    const auto extent = constants_.find(loop.operands[0]);
    const bool is_known = loop.independent && extent != constants_.end();
    const auto initial = absl::MakeConstSpan(loop.operands).subspan(1);
    FlowAll(initial, absl::MakeConstSpan(body.arguments).subspan(1));
    FollowNested(is_known ? extent->second : 0, [&] { Follow(body); });
    FlowAll(initial, loop.results);
    FlowAll(body.results, loop.results);
  }

  void FollowReduce(const KernelInstruction& reduce) {
    const KernelRegion& combine = reduce.regions[1];
    const size_t n = reduce.results.size();
    FlowAll(reduce.operands, absl::MakeConstSpan(combine.arguments).subspan(0, n));
    Follow(reduce.regions[0]);
    FlowAll(reduce.regions[0].results, absl::MakeConstSpan(combine.arguments).subspan(n));
    Follow(combine);
    FlowAll(absl::MakeConstSpan(reduce.operands).subspan(0, n), reduce.results);
    FlowAll(combine.results, reduce.results);
  }

  void FollowIf(const KernelInstruction& branch) {
    for (const KernelRegion& region : branch.regions) {
      FollowNested(0, [&] { Follow(region); });
      FlowAll(region.results, branch.results);
    }
    for (const KernelValue result : branch.results) Flow(branch.operands[0], result);
  }

  void FollowWhile(const KernelInstruction& loop) {
    const KernelRegion& condition = loop.regions[0];
    const KernelRegion& body = loop.regions[1];
    FlowAll(loop.operands, condition.arguments);
    FlowAll(condition.arguments, body.arguments);
    FollowNested(0, [&] {
      Follow(condition);
      Follow(body);
    });
    FlowAll(condition.arguments, loop.results);
    FlowAll(body.results, loop.results);
  }

  // Strongly connected components, as Tarjan finds them.
  void FindCycles() {
    const int count = static_cast<int>(edges_.size());
    component_.assign(count, -1);
    std::vector<int> order(count, -1), low(count, 0), open;
    std::vector<std::pair<int, size_t>> path;  // a node, and which edge of it comes next
    int next = 0;
    const auto enter = [&](int node) {
      order[node] = low[node] = next++;
      open.push_back(node);
      path.emplace_back(node, 0);
    };
    for (int root = 0; root < count; ++root) {
      if (order[root] >= 0) continue;
      enter(root);
      while (!path.empty()) {
        const int node = path.back().first;
        if (path.back().second < edges_[node].size()) {
          const int to = edges_[node][path.back().second++];
          if (order[to] < 0) {
            enter(to);
          } else if (component_[to] < 0) {
            low[node] = std::min(low[node], order[to]);
          }
          continue;
        }
        path.pop_back();
        if (!path.empty()) low[path.back().first] = std::min(low[path.back().first], low[node]);
        if (low[node] != order[node]) continue;
        for (int member = -1; member != node;) {
          member = open.back();
          open.pop_back();
          component_[member] = node;
        }
      }
    }
  }

  const Kernel& kernel_;
  absl::flat_hash_map<KernelValue, int> nodes_;
  absl::flat_hash_map<KernelValue, int64_t> constants_;
  std::vector<std::vector<int>> edges_;
  Contents contents_;
  std::vector<int> component_;  // by node
};

class Contraction {
 public:
  Contraction(Kernel& kernel, KernelInstruction& loop) : kernel_(kernel), loop_(loop) {
    for (const KernelRegion& region : loop.regions) CountUses(region);
  }

  void Run() {
    if (sums_ == 0 || products_.empty()) return;
    const FlowOfTurn flow(kernel_, loop_);
    for (KernelRegion& region : loop_.regions) Rewrite(region, flow);
    if (contracted_.empty()) return;
    for (KernelRegion& region : loop_.regions) RemoveProducts(region);
  }

 private:
  static bool IsOf(const KernelInstruction& instruction, HloOpcode opcode) {
    return instruction.op == KernelOp::kElementwise && instruction.opcode == opcode;
  }
  static bool IsSum(const KernelInstruction& instruction) {
    return IsOf(instruction, HloOpcode::kAdd) || IsOf(instruction, HloOpcode::kSubtract);
  }
  bool IsRounded(const KernelInstruction& instruction) const {
    const PrimitiveType type = kernel_.TypeOf(instruction.results[0]);
    return type == F32 || type == F64;
  }

  void CountUses(const KernelRegion& region) {
    for (const KernelInstruction& instruction : region.instructions) {
      for (const KernelValue operand : instruction.operands) ++uses_[operand];
      if (IsSum(instruction) && IsRounded(instruction)) ++sums_;
      if (IsOf(instruction, HloOpcode::kMultiply) && IsRounded(instruction)) {
        products_[instruction.results[0]] = {instruction.operands[0], instruction.operands[1]};
      }
      for (const KernelRegion& nested : instruction.regions) CountUses(nested);
    }
    for (const KernelValue result : region.results) ++uses_[result];
  }

  void Rewrite(KernelRegion& region, const FlowOfTurn& flow) {
    std::vector<KernelInstruction> rewritten;
    rewritten.reserve(region.instructions.size());
    for (KernelInstruction& instruction : region.instructions) {
      for (KernelRegion& nested : instruction.regions) Rewrite(nested, flow);
      const int product = IsSum(instruction) ? ProductOf(instruction, flow) : -1;
      if (product >= 0) Contract(instruction, product, rewritten);
      rewritten.push_back(std::move(instruction));
    }
    region.instructions = std::move(rewritten);
  }

  // Which operand of the sum becomes a part of it; -1: none.
  int ProductOf(const KernelInstruction& sum, const FlowOfTurn& flow) const {
    for (int i = 0; i < 2; ++i) {
      const KernelValue operand = sum.operands[i];
      if (!products_.contains(operand) || uses_.at(operand) != 1) continue;
      if (flow.AreOnOneCycle(operand, sum.results[0])) return i;
    }
    return -1;
  }

  // a * b - c is a * b + -c, and c - a * b is -a * b + c.
  void Contract(KernelInstruction& sum, int product, std::vector<KernelInstruction>& before) {
    const auto [x, y] = products_.at(sum.operands[product]);
    KernelValue factor = x;
    KernelValue addend = sum.operands[1 - product];
    if (sum.opcode == HloOpcode::kSubtract) {
      KernelValue& negated = product == 0 ? addend : factor;
      negated = Negate(negated, before);
    }
    contracted_.insert(sum.operands[product]);
    sum.op = KernelOp::kMultiplyAdd;
    sum.opcode = HloOpcode::kCopy;
    sum.operands = {factor, y, addend};
  }

  KernelValue Negate(KernelValue value, std::vector<KernelInstruction>& before) {
    const auto result = static_cast<KernelValue>(kernel_.value_types.size());
    kernel_.value_types.push_back(kernel_.TypeOf(value));
    KernelInstruction& negate = before.emplace_back();
    negate.op = KernelOp::kElementwise;
    negate.opcode = HloOpcode::kNegate;
    negate.operands = {value};
    negate.results = {result};
    return result;
  }

  void RemoveProducts(KernelRegion& region) {
    auto& instructions = region.instructions;
    const auto is_done = [&](const KernelInstruction& instruction) {
      return instruction.results.size() == 1 && contracted_.contains(instruction.results[0]);
    };
    instructions.erase(std::remove_if(instructions.begin(), instructions.end(), is_done), instructions.end());
    for (KernelInstruction& instruction : instructions) {
      for (KernelRegion& nested : instruction.regions) RemoveProducts(nested);
    }
  }

  Kernel& kernel_;
  KernelInstruction& loop_;
  absl::flat_hash_map<KernelValue, int> uses_;
  absl::flat_hash_map<KernelValue, std::pair<KernelValue, KernelValue>> products_;  // their factors
  absl::flat_hash_set<KernelValue> contracted_;
  int64_t sums_ = 0;
};

}  // namespace

void ContractRecurrence(Kernel& kernel, KernelInstruction& loop) { Contraction(kernel, loop).Run(); }

}  // namespace xla
