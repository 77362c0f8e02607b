// Dataflow: which value is at each leaf of each instruction's result, seen through tuples, loops, branches and calls.
//
// A position is a leaf (array, token, ...) of an instruction's result. Each position has one value. A value is defined
// at a position, by the instruction there, or it is a phi, where several values meet:
//
//   w = (s32[], f32[8]) while((s32[], f32[8]) tuple(zero, x)), body=b    b: p = parameter(0) ... ROOT tuple(next, p.1)
//
//   position   value
//   w {0}      phi of zero and b's next; b's parameter and the condition's parameter have it too at {0}
//   w {1}      x: the body passes it on unchanged, so that there is nothing to meet
//
// Values pass unchanged through tuple, get-tuple-element, bitcast, opt-barrier, domain, add-dependency, the ends of
// asynchronous pairs, into fusions, and into and out of call, while, conditional and async-start. Everything else
// defines its result, parameters of the entry and of reducers and the like included. Memory is that of the positions:
// there is never more than one value for each.
#ifndef PASSES_ANALYSES_DATAFLOW_H_
#define PASSES_ANALYSES_DATAFLOW_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "passes/analyses/call_graph.h"
#include "passes/analyses/shape_leaves.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/support/resource_poll.h"

namespace xla {

// Of a verified module, which must not change while the analysis is in use.
class Dataflow {
 public:
  using Position = int64_t;
  // A value is named by the position that defines it.
  using Value = Position;

  explicit Dataflow(const HloModule& module);
  // Within the limits of `resources`, which may be nullptr: an error once one is reached.
  static absl::StatusOr<Dataflow> Create(const HloModule& module, const ResourceContext* resources);

  // ---- Positions: those of an instruction are consecutive, in the order of the leaves of its shape.

  int64_t position_count() const { return static_cast<int64_t>(instruction_of_.size()); }
  Position FirstPosition(const HloInstruction& instruction) const { return places_.at(&instruction).first; }
  int64_t PositionCount(const HloInstruction& instruction) const { return places_.at(&instruction).count; }
  // `index` need not lead to a leaf: then the first leaf below it.
  Position PositionAt(const HloInstruction& instruction, absl::Span<const int64_t> index) const;
  const HloInstruction& InstructionAt(Position position) const { return *instruction_of_[position]; }
  ShapeIndex IndexAt(Position position) const;
  const Shape& ShapeAt(Position position) const { return shape_of_[position]; }
  // "w {0}", "x"
  std::string PositionName(Position position) const;

  // ---- Values

  Value ValueAt(Position position) const { return value_[position]; }
  Value ValueAt(const HloInstruction& instruction, absl::Span<const int64_t> index = {}) const {
    return value_[PositionAt(instruction, index)];
  }
  bool IsDefinition(Position position) const { return value_[position] == position; }
  bool IsPhi(Value value) const { return !PhiInputs(value).empty(); }
  // The positions whose values meet there. Of a while: its initial value, then the body's result; of a conditional: the
  // results of its branches; of a parameter whose computation is called from several places: the arguments.
  absl::Span<const Position> PhiInputs(Value value) const;
  // The values without phis that can be there, in ascending order. Costs as much as there are phis on the way.
  std::vector<Value> PossibleValues(Position position) const;
  // True if some value that may be there is not among the PhiInputs: the parameter of a computation that is also called
  // element by element.
  bool HasUnknownInputs(Value value) const { return opaque_.contains(value); }

  const CallGraph& call_graph() const { return call_graph_; }
  // Of the same module.
  bool operator==(const Dataflow& o) const {
    return instruction_of_ == o.instruction_of_ && value_ == o.value_ && phis_ == o.phis_ && opaque_ == o.opaque_ &&
           call_graph_ == o.call_graph_;
  }

 private:
  struct Place {
    Position first;
    int64_t count;
  };
  explicit Dataflow(CallGraph call_graph) : call_graph_(std::move(call_graph)) {}
  absl::Status Build(const HloModule& module, const ResourceContext* resources);
  absl::Status AddPositions(const HloModule& module, ResourcePoll& poll);
  void AddInstruction(const HloInstruction& instruction);
  void AddParameter(const HloInstruction& parameter);
  void Forward(Position to, Position from, int64_t count);
  // The values of each position of `instruction` meet there.
  void AddPhis(const HloInstruction& instruction, absl::Span<const Position> inputs);
  int64_t LeafOffset(const Shape& tuple, int64_t element) const;
  Position Resolve(Position position);
  absl::Status SimplifyPhis(ResourcePoll& poll);

  CallGraph call_graph_;
  absl::flat_hash_map<const HloInstruction*, Place> places_;
  std::vector<const HloInstruction*> instruction_of_;
  LeafShapes shape_of_;
  std::vector<Position> value_;  // while being built: a position nearer to the value's definition
  absl::flat_hash_map<Position, std::vector<Position>> phis_;
  std::vector<Position> phi_order_;
  absl::flat_hash_map<Position, bool> opaque_;
  mutable LeafOffsets leaf_offsets_;
};

// A line for each value: where it is defined, what meets there, and all other positions that have it.
std::string PrintDataflow(const HloModule& module, const ResourceContext* resources = nullptr);

}  // namespace xla

#endif  // PASSES_ANALYSES_DATAFLOW_H_
