// AnnotatedShardings: what a program says of the sharding of its values.
#ifndef PASSES_PARTITIONING_ANNOTATED_SHARDINGS_H_
#define PASSES_PARTITIONING_ANNOTATED_SHARDINGS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "passes/partitioning/read_sharding.h"
#include "passes/partitioning/sdy_text.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Frontend attributes and targets of custom calls that JAX writes.
constexpr char kSdyMeshes[] = "xla.sdy.meshes";
constexpr char kSdySharding[] = "xla.sdy.sharding";
constexpr char kSdyInShardings[] = "xla.sdy.in_shardings";
constexpr char kSdyOutShardings[] = "xla.sdy.out_shardings";
constexpr char kSdyManualAxes[] = "xla.sdy.manual_axes";
constexpr char kGlobalToLocal[] = "xla.sdy.GlobalToLocalShape";
constexpr char kLocalToGlobal[] = "xla.sdy.LocalToGlobalShape";
constexpr char kFullToShard[] = "SPMDFullToShardShape";
constexpr char kShardToFull[] = "SPMDShardToFullShape";

// For how many devices a program on whole arrays is written: its num_partitions, or what its largest mesh has if that
// is 1, as JAX leaves it. InvalidArgument: the meshes cannot be read.
absl::StatusOr<int64_t> DevicesOfProgram(const HloModule& module);
// The target of a custom call, "" of any other instruction.
absl::string_view CustomCallTarget(const HloInstruction& instruction);
// Custom calls from which on, or up to which, a value is what each device has for itself.
bool BeginsManual(const HloInstruction& instruction);
bool EndsManual(const HloInstruction& instruction);
// The first instruction of the module that begins such a part; nullptr: there is none.
const HloInstruction* FirstManualBody(const HloModule& module);
// A custom call that gives its operand as it is, and says how it is sharded.
bool IsShardingConstraint(const HloInstruction& instruction);

// Whether propagation may cut this leaf of the program's result: allow_spmd_sharding_propagation_to_output of the
// header says so for it, or for all.
bool IsFreeResult(const HloModule& module, int64_t leaf);

// For one module, which outlives it. Each annotation is read once, however many instructions have it; copies share what
// was read, so that they belong to one thread.
class AnnotatedShardings {
 public:
  // InvalidArgument: the module's meshes cannot be read, or there are more devices than a sharding may have.
  static absl::StatusOr<AnnotatedShardings> Of(const HloModule& module, int64_t devices);

  int64_t devices() const { return devices_; }
  // Whether all meshes of the module number their devices row-major.
  bool devices_are_in_order() const;
  // Of each leaf of the instruction's result; nullopt if nothing is said. `sharding=` counts, and without it
  // xla.sdy.sharding; `{replicated}` beside one that leaves all dimensions open, as JAX writes it, says nothing. An
  // array whose size is known at run time only is whole. InvalidArgument, naming the instruction, if it cannot be read
  // or does not fit.
  absl::StatusOr<absl::optional<std::vector<ArraySharding>>> OfResult(const HloInstruction& instruction) const;
  // The tilings of these. In a manual body over some axes, `manual` of a DeviceScope, an array that is cut along these
  // axes is whole: the body is written for its shards.
  absl::StatusOr<absl::optional<std::vector<ArrayTiling>>> TilingsOfResult(const HloInstruction& instruction,
                                                                           const DimensionTiling& manual) const;
  // The place of each device along the axes that the body at a GlobalToLocalShape or LocalToGlobalShape is written
  // for; whole if no array says in which mesh they are.
  absl::StatusOr<DimensionTiling> OfManualAxes(const HloInstruction& custom_call) const;
  // How the global arrays of a GlobalToLocalShape or LocalToGlobalShape are cut over the axes that the body between
  // them is written for: one for each array.
  absl::StatusOr<std::vector<ArrayTiling>> OfManualBoundary(const HloInstruction& custom_call,
                                                            const std::vector<Shape>& global_shapes) const;
  // For each of these arrays, the place of each device along the axes of the body over which the body has the terms of
  // a sum (`unreduced=`); whole: it has none.
  absl::StatusOr<std::vector<DimensionTiling>> TermsAtManualBoundary(const HloInstruction& custom_call) const;

 private:
  // What has been read already.
  struct Known {
    absl::flat_hash_map<std::string, std::vector<Sharding>> shardings;  // by xla.sdy.sharding
    absl::flat_hash_map<std::string, ArraySharding> arrays;             // by rank and sharding
  };

  AnnotatedShardings(SdyMeshes meshes, int64_t devices)
      : meshes_(std::move(meshes)), devices_(devices), known_(std::make_shared<Known>()) {}

  // The shardings of a GlobalToLocalShape or LocalToGlobalShape, and the names of its manual axes.
  struct Boundary {
    std::vector<Sharding> shardings;
    std::vector<std::string> axes;
  };

  // An xla.sdy.sharding.
  absl::StatusOr<const std::vector<Sharding>*> Parsed(const std::string& text) const;
  // ReadSharding.
  absl::StatusOr<ArraySharding> Read(const Sharding& sharding, const Shape& shape) const;
  absl::StatusOr<absl::optional<std::vector<ArraySharding>>> Listed(const HloInstruction& instruction) const;
  // Whether xla.sdy.sharding is there, and leaves all dimensions of all leaves open.
  bool IsOpen(const HloInstruction& instruction) const;
  absl::StatusOr<Boundary> BoundaryAt(const HloInstruction& custom_call) const;
  // The place of each device along axes of the mesh that `sharding` names.
  absl::StatusOr<DimensionTiling> PlacesAlong(std::vector<AxisRef> axes, const Sharding& sharding,
                                              const HloInstruction& custom_call) const;

  SdyMeshes meshes_;
  int64_t devices_;
  std::shared_ptr<Known> known_;
};

}  // namespace xla

#endif  // PASSES_PARTITIONING_ANNOTATED_SHARDINGS_H_
