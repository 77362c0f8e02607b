// What a module asks of layouts before assign-layouts changes anything: which computations keep theirs, in which
// layouts an instruction was written to read its operands, and which elementwise operations may leave the order of
// elements to their operands.
#ifndef PASSES_MEMORY_LAYOUT_DEMANDS_H_
#define PASSES_MEMORY_LAYOUT_DEMANDS_H_

#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "passes/analyses/call_graph.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

bool IsCustomFusion(const HloInstruction& instruction);

class LayoutDemands {
 public:
  static absl::StatusOr<LayoutDemands> Create(const HloModule& module, PassContext& context);

  const CallGraph& call_graph() const { return *call_graph_; }
  // Whether it keeps the layouts that it has: those of custom calls and custom fusions do, and all that these call.
  bool IsFixed(const HloComputation& computation) const { return fixed_.contains(&computation); }
  // The shapes in which a bitcast, a custom call with operand_layout_constraints or a custom fusion reads its operands;
  // empty for all others.
  absl::Span<const Shape> OperandShapes(const HloInstruction& user) const;

  // The elementwise operations of `computation` whose users all can do with the elements in any order, or want another
  // than row-major: the caller of the entry, bitcasts, and custom calls and fusions, of arrays or through tuples.
  absl::flat_hash_set<const HloInstruction*> TakersOfAnyOrder(const HloComputation& computation) const;

 private:
  explicit LayoutDemands(std::shared_ptr<const CallGraph> call_graph) : call_graph_(std::move(call_graph)) {}

  std::shared_ptr<const CallGraph> call_graph_;
  // Of bitcasts and custom fusions; those of custom calls are attributes.
  absl::flat_hash_map<const HloInstruction*, std::vector<Shape>> operand_shapes_;
  absl::flat_hash_set<const HloComputation*> fixed_;
};

}  // namespace xla

#endif  // PASSES_MEMORY_LAYOUT_DEMANDS_H_
