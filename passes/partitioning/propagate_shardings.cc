#include "passes/partitioning/propagate_shardings.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "passes/partitioning/leading_array.h"
#include "passes/partitioning/read_sharding.h"
#include "passes/partitioning/sharding_graph.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Which links pass a sharding on, and where to. Each stage goes on from what the one before has decided.
enum class Stage {
  kNoProducts,  // all but products and reductions
  kResults,     // these too, from operands to results
  kEverything,  // and from results, or another operand, to operands
};

class Propagation {
 public:
  Propagation(ShardingGraph* graph, int64_t devices, const ByteCost& cost, PassContext& context)
      : graph_(*graph),
        places_(graph->places()),
        links_(graph->links()),
        devices_(devices),
        cost_(cost),
        context_(context) {}

  absl::Status Run() {
    for (const Stage stage : {Stage::kNoProducts, Stage::kResults, Stage::kEverything}) {
      for (size_t i = 0; i < links_.size(); ++i) waiting_.insert(static_cast<int>(i));
      // In the order of the program. A dimension is cut once, so that this ends.
      while (!waiting_.empty()) {
        RETURN_IF_ERROR(context_.CheckDeadline());
        const int link = *waiting_.begin();
        waiting_.erase(waiting_.begin());
        if (stage != Stage::kNoProducts || !links_[link].is_product) Follow(links_[link], stage);
      }
    }
    return absl::OkStatus();
  }

 private:
  void Follow(const ShardingGraph::Link& link, Stage stage) {
    for (const ShardingGraph::Array* source : LeadingArrayFirst(link, graph_, devices_, cost_)) {
      for (size_t k = 0; k < source->factors.size(); ++k) {
        const DimensionTiling tiling = places_[source->place].tiling[k];
        if (tiling.is_whole() || source->factors[k] == FactorRule::kNone) continue;
        for (const ShardingGraph::Array& target : link.arrays) {
          if (target.place != source->place && Reaches(link, *source, target, stage)) {
            Cut(target, source->factors[k], link, tiling);
          }
        }
      }
    }
  }

  static bool Reaches(const ShardingGraph::Link& link, const ShardingGraph::Array& source,
                      const ShardingGraph::Array& target, Stage stage) {
    if (!link.is_product || stage == Stage::kEverything) return true;
    return target.is_result && !source.is_result;
  }

  void Cut(const ShardingGraph::Array& array, int number, const ShardingGraph::Link& link,
           const DimensionTiling& tiling) {
    const FactorRule::Factor& factor = link.factors[number];
    ShardingGraph::Place& place = places_[array.place];
    if (place.is_fixed || !factor.Allows(tiling)) return;
    for (size_t k = 0; k < array.factors.size(); ++k) {
      if (array.factors[k] != number || !place.tiling[k].is_whole()) continue;
      place.tiling[k] = tiling;
      // Devices that are used for another dimension cannot be used for this one.
      if (!IsEven(place.tiling, {devices_, place.manual})) {
        place.tiling[k] = DimensionTiling();
        continue;
      }
      if (place.origin == nullptr) place.origin = link.instruction;
      waiting_.insert(place.links.begin(), place.links.end());
    }
  }

  const ShardingGraph& graph_;
  std::vector<ShardingGraph::Place>& places_;
  const std::vector<ShardingGraph::Link>& links_;
  const int64_t devices_;
  const ByteCost& cost_;
  PassContext& context_;
  std::set<int> waiting_;
};

// True if some leaf is cut.
bool Annotate(HloInstruction& instruction, ShardingGraph& graph, int64_t devices) {
  Sharding tuple;
  tuple.type = Sharding::Type::kTuple;
  bool is_cut = false;
  for (int64_t leaf = 0; leaf < instruction.shape().leaf_count(); ++leaf) {
    const int place = graph.PlaceOf(instruction, leaf);
    if (place < 0) return false;
    const ArrayTiling& tiling = graph.places()[place].tiling;
    is_cut |= !IsWhole(tiling);
    tuple.tuple.push_back(WriteSharding(tiling, devices));
  }
  if (!is_cut) return false;
  const bool is_array = !instruction.shape().IsTuple();
  instruction.mutable_annotations().sharding = is_array ? std::move(tuple.tuple[0]) : std::move(tuple);
  return true;
}

// The rule by which its first leaf that is cut was cut first; nullptr if the program says so of what is one array with
// it.
const HloInstruction* OriginOf(const HloInstruction& instruction, ShardingGraph& graph) {
  for (int64_t leaf = 0; leaf < instruction.shape().leaf_count(); ++leaf) {
    const int place = graph.PlaceOf(instruction, leaf);
    if (place >= 0 && !IsWhole(graph.places()[place].tiling)) return graph.places()[place].origin;
  }
  return nullptr;
}

bool IsWritten(const HloInstruction& instruction) {
  if (!instruction.has_annotations()) return false;
  const InstructionAnnotations& annotations = instruction.annotations();
  return annotations.sharding.has_value() || annotations.frontend_attributes.count(kSdySharding) != 0;
}

// Leaves of the program's result that are free, and not annotated as cut, get what was found for them. False if none
// of them is cut.
bool AnnotateFreeLeaves(HloModule& module, ShardingGraph& graph, int64_t devices) {
  HloInstruction& root = *module.entry()->root();
  const int64_t count = root.shape().leaf_count();
  std::vector<Sharding> leaves(static_cast<size_t>(count));
  if (root.has_annotations() && root.annotations().sharding.has_value()) {
    const Sharding& written = *root.annotations().sharding;
    const bool is_tuple = written.type == Sharding::Type::kTuple;
    if (is_tuple && static_cast<int64_t>(written.tuple.size()) != count) return false;
    for (int64_t leaf = 0; leaf < count; ++leaf) leaves[leaf] = is_tuple ? written.tuple[leaf] : written;
  }
  bool is_cut = false;
  for (int64_t leaf = 0; leaf < count; ++leaf) {
    const int place = graph.PlaceOf(root, leaf);
    if (place < 0 || !IsFreeResult(module, leaf) || !(leaves[leaf] == Sharding())) continue;
    const ArrayTiling& tiling = graph.places()[place].tiling;
    if (IsWhole(tiling)) continue;
    leaves[leaf] = WriteSharding(tiling, devices);
    is_cut = true;
  }
  if (!is_cut) return false;
  Sharding sharding = leaves[0];
  if (root.shape().IsTuple()) {
    sharding = Sharding();
    sharding.type = Sharding::Type::kTuple;
    sharding.tuple = std::move(leaves);
  }
  root.mutable_annotations().sharding = std::move(sharding);
  return true;
}

}  // namespace

ShardingOrigins WrittenShardings(const HloModule& module) {
  ShardingOrigins origins;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (IsWritten(*instruction)) origins.emplace(instruction.get(), nullptr);
    }
  }
  return origins;
}

absl::StatusOr<bool> PropagateShardings(HloModule& module, PassContext& context) {
  const int64_t devices = context.IntOption("partitions");
  return devices == 0 ? false : PropagateShardingsOver(devices, module, context, nullptr);
}

absl::StatusOr<bool> PropagateShardingsOver(int64_t devices, HloModule& module, PassContext& context,
                                            ShardingOrigins* origins, const ByteCost& cost) {
  ASSIGN_OR_RETURN(const AnnotatedShardings shardings, AnnotatedShardings::Of(module, devices));
  ASSIGN_OR_RETURN(const ComputationRoles roles, ComputationRoles::Of(module, shardings));
  ASSIGN_OR_RETURN(ShardingGraph graph, ShardingGraph::Of(module, shardings, roles));
  RETURN_IF_ERROR(Propagation(&graph, devices, cost, context).Run());
  const HloComputation& entry = *module.entry();
  int64_t annotated = 0;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const bool is_parameter = computation.get() == &entry && instruction->opcode() == HloOpcode::kParameter;
      if (instruction.get() == entry.root() && !is_parameter) {
        if (!AnnotateFreeLeaves(module, graph, devices)) continue;
      } else {
        ASSIGN_OR_RETURN(const auto said, shardings.OfResult(*instruction));
        if (is_parameter || said.has_value() || !Annotate(*instruction, graph, devices)) continue;
      }
      ++annotated;
      if (origins != nullptr) origins->insert_or_assign(instruction.get(), OriginOf(*instruction, graph));
    }
  }
  if (annotated > 0) context.CountRewrite("annotate", annotated);
  return annotated > 0;
}

}  // namespace xla
