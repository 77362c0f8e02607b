#include "passes/partitioning/sharding_graph.h"

#include <algorithm>
#include <utility>

#include "passes/analyses/shape_leaves.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/status_macros.h"

namespace xla {

// Gives each leaf of each value a node, joins the nodes that are one array, and then makes places of what is joined.
class ShardingGraphBuilder {
 public:
  ShardingGraphBuilder(const HloModule& module, const AnnotatedShardings& shardings, const ComputationRoles& roles)
      : module_(module), shardings_(shardings), roles_(roles) {}

  absl::StatusOr<ShardingGraph> Build() {
    for (const auto& computation : module_.computations()) {
      if (roles_.SignatureOf(*computation) == nullptr) continue;
      for (const auto& instruction : computation->instructions()) AddNodes(*instruction);
    }
    for (const HloInstruction* instruction : instructions_) Join(*instruction);
    MakePlaces();
    for (const HloInstruction* instruction : instructions_) {
      RETURN_IF_ERROR(Fix(*instruction));
    }
    for (const HloInstruction* instruction : instructions_) {
      RETURN_IF_ERROR(AddLinks(*instruction));
    }
    return std::move(graph_);
  }

 private:
  void AddNodes(const HloInstruction& instruction) {
    if (roles_.IsManual(instruction)) return;
    graph_.first_node_[&instruction] = static_cast<int>(parents_.size());
    std::vector<const Shape*> leaves;
    AppendLeafShapes(instruction.shape(), &leaves);
    for (const Shape* leaf : leaves) {
      parents_.push_back(static_cast<int>(parents_.size()));
      shapes_.push_back(leaf);
      owners_.push_back(&instruction);
    }
    instructions_.push_back(&instruction);
  }

  // ---- One array

  int Root(int node) {
    while (parents_[node] != node) node = parents_[node] = parents_[parents_[node]];
    return node;
  }

  // `count` leaves of both, from these on.
  void JoinLeaves(const HloInstruction& a, int64_t first_of_a, const HloInstruction& b, int64_t first_of_b,
                  int64_t count) {
    const auto node_of_a = graph_.first_node_.find(&a);
    const auto node_of_b = graph_.first_node_.find(&b);
    if (node_of_a == graph_.first_node_.end() || node_of_b == graph_.first_node_.end()) return;
    for (int64_t i = 0; i < count; ++i) {
      const int x = Root(node_of_a->second + static_cast<int>(first_of_a + i));
      const int y = Root(node_of_b->second + static_cast<int>(first_of_b + i));
      // The first one stands for all, so that the order of the program is that of places.
      parents_[std::max(x, y)] = std::min(x, y);
    }
  }
  void JoinAll(const HloInstruction& a, const HloInstruction& b) { JoinLeaves(a, 0, b, 0, a.shape().leaf_count()); }

  void Join(const HloInstruction& instruction) {
    const HloOpcode opcode = instruction.opcode();
    if (opcode == HloOpcode::kTuple) {
      // What the program gives is decided by its annotation alone, where that is not left to propagation.
      const bool is_outside =
          &instruction == module_.entry()->root() && !instruction.annotations().sharding.has_value();
      int64_t leaf = 0;
      for (const HloInstruction* operand : instruction.operands()) {
        for (int64_t i = 0; i < operand->shape().leaf_count(); ++i, ++leaf) {
          if (!is_outside || IsFreeResult(module_, leaf)) JoinLeaves(instruction, leaf, *operand, i, 1);
        }
      }
    } else if (opcode == HloOpcode::kGetTupleElement) {
      const HloInstruction& tuple = *instruction.operand(0);
      int64_t leaf = 0;
      for (int64_t i = 0; i < instruction.attributes<GetTupleElementAttributes>().index; ++i) {
        leaf += tuple.shape().tuple_shape(static_cast<int>(i)).leaf_count();
      }
      JoinLeaves(instruction, 0, tuple, leaf, instruction.shape().leaf_count());
    } else if (HasTrait(opcode, opcode_trait::kPassesOn)) {
      JoinAll(instruction, *instruction.operand(0));
    } else if (HasTrait(opcode, opcode_trait::kControlFlow)) {
      JoinCall(instruction);
    }
  }

  void JoinCall(const HloInstruction& call) {
    const bool is_conditional = call.opcode() == HloOpcode::kConditional;
    for (size_t i = 0; i < call.called_computations().size(); ++i) {
      const HloComputation& callee = *call.called_computation(static_cast<int>(i));
      const std::vector<HloInstruction*> parameters = callee.parameters();
      for (size_t k = 0; k < parameters.size(); ++k) {
        JoinAll(*parameters[k], *call.operand(static_cast<int>(is_conditional ? i + 1 : k)));
      }
      const bool is_condition = call.opcode() == HloOpcode::kWhile && i == 0;
      if (!is_condition) JoinAll(*callee.root(), call);
    }
  }

  // ---- Places

  void MakePlaces() {
    graph_.place_of_node_.assign(parents_.size(), -1);
    for (size_t node = 0; node < parents_.size(); ++node) {
      int& place = graph_.place_of_node_[Root(static_cast<int>(node))];
      if (place < 0) place = NewPlace(*shapes_[node], roles_.ManualOf(*owners_[node]));
      graph_.place_of_node_[node] = place;
    }
  }

  int NewPlace(const Shape& shape, const DimensionTiling& manual) {
    ShardingGraph::Place place;
    place.manual = manual;
    place.tiling = WholeTiling(shape.rank());
    const bool is_static_array = shape.IsArray() && !shape.IsDynamic();
    // Of what has no size that is known, nothing is decided.
    place.is_fixed = !is_static_array;
    place.shape = &shape;
    place.bytes = is_static_array ? shape.ByteSize() : 0;
    graph_.places_.push_back(std::move(place));
    return static_cast<int>(graph_.places_.size()) - 1;
  }

  // The first annotation counts.
  void FixPlace(int place, const ArrayTiling& tiling) {
    ShardingGraph::Place& fixed = graph_.places_[place];
    if (fixed.is_fixed) return;
    fixed.tiling = tiling;
    fixed.is_fixed = true;
  }

  absl::Status Fix(const HloInstruction& instruction) {
    LeafTilings tilings;
    if (CustomCallTarget(instruction) == kLocalToGlobal) {
      ASSIGN_OR_RETURN(tilings, TilingsAtEnd(instruction));
      if (EndsRegion(instruction)) {
        BeginWith(instruction, tilings);
        return absl::OkStatus();
      }
    } else {
      ASSIGN_OR_RETURN(auto annotated, shardings_.TilingsOfResult(instruction, roles_.ManualOf(instruction)));
      if (annotated.has_value()) {
        tilings = *std::move(annotated);
      } else if (IsOutside(instruction)) {
        tilings = WholeLeaves(instruction.shape());
      }
    }
    const bool is_root = &instruction == module_.entry()->root();
    for (size_t leaf = 0; leaf < tilings.size(); ++leaf) {
      if (is_root && IsWhole(tilings[leaf]) && IsFreeResult(module_, static_cast<int64_t>(leaf))) continue;
      FixPlace(graph_.PlaceOf(instruction, static_cast<int64_t>(leaf)), tilings[leaf]);
    }
    return absl::OkStatus();
  }

  // How the body cuts what it gives.
  absl::StatusOr<LeafTilings> TilingsAtEnd(const HloInstruction& end) const {
    std::vector<Shape> shapes;
    for (const Shape* leaf : ResultLeaves(end.shape())) shapes.push_back(*leaf);
    return shardings_.OfManualBoundary(end, shapes);
  }

  bool EndsRegion(const HloInstruction& end) const {
    const auto operands = end.operands();
    return !operands.empty() && std::all_of(operands.begin(), operands.end(),
                                            [&](const HloInstruction* operand) { return roles_.IsInRegion(*operand); });
  }

  // Other dimensions may be cut over axes that are free in the body.
  void BeginWith(const HloInstruction& end, const LeafTilings& tilings) {
    for (size_t leaf = 0; leaf < tilings.size(); ++leaf) {
      ShardingGraph::Place& place = graph_.places_[graph_.PlaceOf(end, static_cast<int64_t>(leaf))];
      if (!place.is_fixed && IsWhole(place.tiling)) place.tiling = tilings[leaf];
    }
  }

  // What the caller gives and gets stays as it is.
  bool IsOutside(const HloInstruction& instruction) const {
    const HloComputation& entry = *module_.entry();
    return instruction.parent() == &entry &&
           (instruction.opcode() == HloOpcode::kParameter || &instruction == entry.root());
  }

  // ---- Links

  absl::Status AddLinks(const HloInstruction& instruction) {
    const absl::string_view target = CustomCallTarget(instruction);
    if (target == kGlobalToLocal) return AddBegin(instruction);
    if (target == kLocalToGlobal) {
      RETURN_IF_ERROR(AddEnd(instruction));
    } else if (IsShardingConstraint(instruction) && instruction.shape().IsArray()) {
      AddIdentity(instruction, graph_.PlaceOf(*instruction.operand(0), 0), graph_.PlaceOf(instruction, 0),
                  instruction.shape().rank());
    } else {
      const absl::optional<FactorRule> rule = FactorRuleOf(instruction);
      if (rule.has_value()) AddRule(instruction, *rule);
    }
    // Users that are manual have no nodes: what begins them is looked at from their operands.
    for (const HloInstruction* user : instruction.users()) {
      if (CustomCallTarget(*user) == kGlobalToLocal) RETURN_IF_ERROR(AddBoundary(instruction, *user));
    }
    return absl::OkStatus();
  }

  absl::Status AddBoundary(const HloInstruction& value, const HloInstruction& custom_call) {
    std::vector<Shape> shapes;
    for (const HloInstruction* operand : custom_call.operands()) shapes.push_back(operand->shape());
    ASSIGN_OR_RETURN(const LeafTilings tilings, shardings_.OfManualBoundary(custom_call, shapes));
    for (int i = 0; i < custom_call.operand_count(); ++i) {
      if (custom_call.operand(i) != &value || !value.shape().IsArray()) continue;
      const int boundary = NewPlace(value.shape(), roles_.ManualOf(value));
      FixPlace(boundary, tilings[i]);
      AddIdentity(custom_call, graph_.PlaceOf(value, 0), boundary, value.shape().rank());
    }
    return absl::OkStatus();
  }

  // Dimensions that a body does not cut may be cut in it as outside of it.
  absl::Status AddBegin(const HloInstruction& begin) {
    std::vector<Shape> shapes;
    for (const HloInstruction* operand : begin.operands()) shapes.push_back(operand->shape());
    ASSIGN_OR_RETURN(const LeafTilings tilings, shardings_.OfManualBoundary(begin, shapes));
    for (int i = 0; i < begin.operand_count(); ++i) {
      AddIdentity(begin, graph_.PlaceOf(*begin.operand(i), 0), graph_.PlaceOf(begin, i), tilings[i]);
    }
    return absl::OkStatus();
  }

  absl::Status AddEnd(const HloInstruction& end) {
    if (!EndsRegion(end)) return absl::OkStatus();
    ASSIGN_OR_RETURN(const LeafTilings tilings, TilingsAtEnd(end));
    for (int i = 0; i < end.operand_count() && i < static_cast<int>(tilings.size()); ++i) {
      AddIdentity(end, graph_.PlaceOf(*end.operand(i), 0), graph_.PlaceOf(end, i), tilings[i]);
    }
    return absl::OkStatus();
  }

  void AddIdentity(const HloInstruction& instruction, int from, int to, int rank) {
    AddIdentity(instruction, from, to, WholeTiling(rank));
  }
  // Along dimensions that are whole by `cut`.
  void AddIdentity(const HloInstruction& instruction, int from, int to, const ArrayTiling& cut) {
    if (from < 0 || to < 0) return;
    ShardingGraph::Link link;
    link.instruction = &instruction;
    std::vector<int> factors;
    for (size_t k = 0; k < cut.size(); ++k) {
      factors.push_back(cut[k].is_whole() ? static_cast<int>(k) : FactorRule::kNone);
    }
    link.factors.resize(cut.size());
    link.arrays = {{from, factors, false}, {to, factors, true}};
    AddLink(std::move(link));
  }

  void AddRule(const HloInstruction& instruction, const FactorRule& rule) {
    ShardingGraph::Link link;
    link.instruction = &instruction;
    link.factors = rule.factors;
    for (const FactorRule::Factor& factor : rule.factors) link.is_product |= factor.is_reduced && factor.index_part < 0;
    for (int i = 0; i < instruction.operand_count(); ++i) {
      const int place = graph_.PlaceOf(*instruction.operand(i), 0);
      if (place >= 0) link.arrays.push_back({place, rule.operands[i], false});
    }
    for (size_t leaf = 0; leaf < rule.results.size(); ++leaf) {
      link.arrays.push_back({graph_.PlaceOf(instruction, static_cast<int64_t>(leaf)), rule.results[leaf], true});
    }
    AddLink(std::move(link));
  }

  void AddLink(ShardingGraph::Link link) {
    const int number = static_cast<int>(graph_.links_.size());
    for (const ShardingGraph::Array& array : link.arrays) {
      std::vector<int>& links = graph_.places_[array.place].links;
      if (links.empty() || links.back() != number) links.push_back(number);
    }
    graph_.links_.push_back(std::move(link));
  }

  const HloModule& module_;
  const AnnotatedShardings& shardings_;
  const ComputationRoles& roles_;
  ShardingGraph graph_;
  std::vector<const HloInstruction*> instructions_;
  std::vector<int> parents_;  // by node
  std::vector<const Shape*> shapes_;
  std::vector<const HloInstruction*> owners_;
};

absl::StatusOr<ShardingGraph> ShardingGraph::Of(const HloModule& module, const AnnotatedShardings& shardings,
                                                const ComputationRoles& roles) {
  return ShardingGraphBuilder(module, shardings, roles).Build();
}

int ShardingGraph::PlaceOf(const HloInstruction& instruction, int64_t leaf) const {
  const auto found = first_node_.find(&instruction);
  return found == first_node_.end() ? -1 : place_of_node_[found->second + leaf];
}

}  // namespace xla
