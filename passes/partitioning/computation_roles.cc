#include "passes/partitioning/computation_roles.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "passes/analyses/shape_leaves.h"
#include "passes/partitioning/manual_region.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// A manual body without parameters is known by its name only, which JAX gives it.
bool CallsManualBody(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kCall &&
         absl::StartsWith(instruction.called_computation(0)->name(), "xla.sdy.manual_computation_body");
}

absl::Status UsedInBothWays(const HloInstruction& caller, const HloComputation& callee) {
  return absl::UnimplementedError(absl::StrCat(caller.name(), ": computation ", callee.name(),
                                               " is used for whole arrays and for shards; give each use a copy"));
}

}  // namespace

LeafTilings WholeLeaves(const Shape& shape) {
  std::vector<const Shape*> leaves;
  AppendLeafShapes(shape, &leaves);
  LeafTilings tilings;
  for (const Shape* leaf : leaves) tilings.push_back(WholeTiling(leaf->rank()));
  return tilings;
}

absl::StatusOr<ComputationRoles> ComputationRoles::Of(const HloModule& module, const AnnotatedShardings& shardings) {
  ComputationRoles roles(shardings);
  RETURN_IF_ERROR(roles.AddEntry(*module.entry()));
  // Callers first.
  const auto computations = module.computations();
  for (auto computation = computations.rbegin(); computation != computations.rend(); ++computation) {
    const bool is_manual = roles.manual_.contains(computation->get());
    if (!is_manual && roles.SignatureOf(**computation) == nullptr) continue;
    if (!is_manual) {
      // Of what is called, which adds to the signatures.
      const DimensionTiling manual = roles.SignatureOf(**computation)->manual;
      RETURN_IF_ERROR(roles.FindRegions(**computation, manual));
      RETURN_IF_ERROR(roles.FindManualValues(**computation));
    }
    for (const auto& instruction : (*computation)->instructions()) {
      if (is_manual) roles.manual_values_.insert(instruction.get());
      if (is_manual && (BeginsManual(*instruction) || EndsManual(*instruction))) {
        RETURN_IF_ERROR(roles.AddOuterBody(*instruction, **computation));
      }
      RETURN_IF_ERROR(roles.AddCallees(*instruction));
    }
  }
  return roles;
}

const Signature* ComputationRoles::SignatureOf(const HloComputation& computation) const {
  const auto found = global_.find(&computation);
  return found == global_.end() ? nullptr : &found->second;
}

const Signature* ComputationRoles::SignatureOfOuterBody(const HloComputation& computation) const {
  const auto found = outer_bodies_.find(&computation);
  return found == outer_bodies_.end() ? nullptr : &found->second;
}

const DimensionTiling& ComputationRoles::ManualOf(const HloInstruction& instruction) const {
  static const auto* const none = new DimensionTiling();
  const auto found = places_in_regions_.find(&instruction);
  if (found != places_in_regions_.end()) return found->second;
  const Signature* const signature = SignatureOf(*instruction.parent());
  return signature == nullptr ? *none : signature->manual;
}

absl::Status ComputationRoles::AddEntry(const HloComputation& entry) {
  Signature signature;
  ASSIGN_OR_RETURN(signature.parameters, Parameters(entry, signature.manual));
  ASSIGN_OR_RETURN(signature.result, AnnotatedOrWhole(*entry.root(), signature.manual));
  // What a caller gives and gets has to be an array that is cut.
  std::vector<HloInstruction*> outside = entry.parameters();
  outside.push_back(entry.root());
  for (const HloInstruction* instruction : outside) {
    ASSIGN_OR_RETURN(const auto shardings, shardings_->OfResult(*instruction));
    if (!shardings.has_value()) continue;
    for (const ArraySharding& sharding : *shardings) {
      if (!sharding.is_manual && !sharding.is_unreduced) continue;
      return absl::UnimplementedError(absl::StrCat(
          instruction->name(), ": parameters and results of a partitioned program cannot be ",
          sharding.is_manual ? "manual" : "unreduced", "; give them a sharding over the devices, or none"));
    }
  }
  global_[&entry] = std::move(signature);
  return absl::OkStatus();
}

absl::Status ComputationRoles::FindRegions(const HloComputation& computation, const DimensionTiling& manual) {
  for (const auto& instruction : computation.instructions()) {
    if (CustomCallTarget(*instruction) == kGlobalToLocal) RETURN_IF_ERROR(AddRegion(*instruction, manual));
  }
  return absl::OkStatus();
}

absl::Status ComputationRoles::AddRegion(const HloInstruction& begin, const DimensionTiling& manual) {
  ASSIGN_OR_RETURN(const DimensionTiling axes, shardings_->OfManualAxes(begin));
  const DeviceScope scope = {shardings_->devices(), manual};
  if (axes.is_whole()) return absl::OkStatus();
  if (!IsEven({axes}, scope)) {
    return absl::InvalidArgumentError(absl::StrCat(begin.name(), ": ", kSdyManualAxes,
                                                   " lists axes over which the body around it is manual already; "
                                                   "list those that are free in it"));
  }
  DimensionTiling places = Combine(manual, axes);
  if (places.tiles == scope.devices) return absl::OkStatus();
  const absl::optional<ManualRegion> region = FindManualRegion(begin);
  if (!region.has_value()) return absl::OkStatus();
  for (const HloInstruction* end : region->ends) {
    ASSIGN_OR_RETURN(const DimensionTiling axes_of_end, shardings_->OfManualAxes(*end));
    if (axes_of_end != axes) return absl::OkStatus();
  }
  for (const HloInstruction* value : region->values) places_in_regions_.emplace(value, places);
  return absl::OkStatus();
}

absl::Status ComputationRoles::FindManualValues(const HloComputation& computation) {
  const bool is_in_body = !SignatureOf(computation)->manual.is_whole();
  for (const auto& instruction : computation.instructions()) {
    if (EndsManual(*instruction) || IsInRegion(*instruction)) continue;
    ASSIGN_OR_RETURN(const auto shardings, shardings_->OfResult(*instruction));
    // Within a body, all that is annotated is manual over its axes.
    const bool is_annotated = !is_in_body && shardings.has_value() &&
                              std::any_of(shardings->begin(), shardings->end(),
                                          [](const ArraySharding& sharding) { return sharding.is_manual; });
    const auto operands = instruction->operands();
    const bool has_manual_operand =
        std::any_of(operands.begin(), operands.end(), [&](const HloInstruction* o) { return IsManual(*o); });
    if (is_annotated || has_manual_operand || BeginsManual(*instruction) || CallsManualBody(*instruction)) {
      manual_values_.insert(instruction.get());
    }
  }
  return absl::OkStatus();
}

absl::Status ComputationRoles::AddCallees(const HloInstruction& instruction) {
  const bool is_manual = IsManual(instruction);
  if (HasTrait(instruction.opcode(), opcode_trait::kAsyncCall) && !is_manual) {
    return absl::UnimplementedError(absl::StrCat(instruction.name(), ": ", instruction.opcode_name(),
                                                 " cannot be partitioned; write its computation as a call"));
  }
  if (!HasTrait(instruction.opcode(), opcode_trait::kControlFlow)) return absl::OkStatus();
  if (is_manual) {
    for (const HloComputation* callee : instruction.called_computations()) {
      RETURN_IF_ERROR(AddManual(instruction, *callee));
    }
    return absl::OkStatus();
  }
  if (instruction.opcode() == HloOpcode::kWhile) return AddLoop(instruction);
  if (instruction.opcode() == HloOpcode::kConditional) return AddBranches(instruction);
  const HloComputation& callee = *instruction.called_computation(0);
  Signature signature;
  signature.manual = ManualOf(instruction);
  ASSIGN_OR_RETURN(signature.parameters, Parameters(callee, signature.manual));
  ASSIGN_OR_RETURN(signature.result, AnnotatedOrWhole(*callee.root(), signature.manual));
  return Add(instruction, callee, std::move(signature));
}

absl::Status ComputationRoles::AddLoop(const HloInstruction& loop) {
  const HloComputation& condition = *loop.called_computation(0);
  const HloComputation& body = *loop.called_computation(1);
  const DimensionTiling manual = ManualOf(loop);
  ASSIGN_OR_RETURN(absl::optional<LeafTilings> state, shardings_->TilingsOfResult(*body.parameters()[0], manual));
  if (!state.has_value()) {
    ASSIGN_OR_RETURN(state, AnnotatedOrWhole(loop, manual));
  }
  RETURN_IF_ERROR(Add(loop, condition, {{*state}, WholeLeaves(condition.root()->shape()), manual}));
  return Add(loop, body, {{*state}, *state, manual});
}

absl::Status ComputationRoles::AddBranches(const HloInstruction& conditional) {
  const DimensionTiling manual = ManualOf(conditional);
  ASSIGN_OR_RETURN(absl::optional<LeafTilings> result, shardings_->TilingsOfResult(conditional, manual));
  if (!result.has_value()) {
    ASSIGN_OR_RETURN(result, AnnotatedOrWhole(*conditional.called_computation(0)->root(), manual));
  }
  for (const HloComputation* branch : conditional.called_computations()) {
    Signature signature;
    ASSIGN_OR_RETURN(signature.parameters, Parameters(*branch, manual));
    signature.result = *result;
    signature.manual = manual;
    RETURN_IF_ERROR(Add(conditional, *branch, std::move(signature)));
  }
  return absl::OkStatus();
}

absl::Status ComputationRoles::AddManual(const HloInstruction& caller, const HloComputation& callee) {
  if (SignatureOf(callee) != nullptr) return UsedInBothWays(caller, callee);
  manual_.insert(&callee);
  return absl::OkStatus();
}

// Where devices are not in the order of the mesh, equal places among those that have a tile are not equal places along
// the axes of the outer body.
absl::Status ComputationRoles::AddOuterBody(const HloInstruction& boundary, const HloComputation& body) {
  const absl::string_view target = CustomCallTarget(boundary);
  if (target != kGlobalToLocal && target != kLocalToGlobal) {
    return absl::UnimplementedError(absl::StrCat(boundary.name(), ": in a manual body there can be manual bodies of ",
                                                 kGlobalToLocal, " and ", kLocalToGlobal, " only, got ", target,
                                                 "; write them as one body"));
  }
  const FrontendAttributes& attributes = boundary.annotations().frontend_attributes;
  const bool lists_devices = std::any_of(attributes.begin(), attributes.end(), [](const auto& attribute) {
    return absl::StrContains(attribute.second, "device_ids");
  });
  if (lists_devices || !shardings_->devices_are_in_order()) {
    return absl::UnimplementedError(absl::StrCat(boundary.name(),
                                                 ": a manual body within a manual body needs meshes that have their "
                                                 "devices in order; remove the lists of devices, or write one body"));
  }
  Signature whole;
  for (const HloInstruction* parameter : body.parameters()) whole.parameters.push_back(WholeLeaves(parameter->shape()));
  whole.result = WholeLeaves(body.root()->shape());
  outer_bodies_.try_emplace(&body, std::move(whole));
  return absl::OkStatus();
}

absl::Status ComputationRoles::Add(const HloInstruction& caller, const HloComputation& callee, Signature signature) {
  if (manual_.contains(&callee)) return UsedInBothWays(caller, callee);
  const auto [place, is_new] = global_.try_emplace(&callee, std::move(signature));
  // try_emplace leaves what it does not use as it is.
  const bool is_same = is_new || (place->second.parameters == signature.parameters &&
                                  place->second.result == signature.result && place->second.manual == signature.manual);
  if (is_same) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat(caller.name(), ": computation ", callee.name(),
                   " is used in two places with different shardings; run flatten-call-graph first"));
}

absl::StatusOr<LeafTilings> ComputationRoles::AnnotatedOrWhole(const HloInstruction& instruction,
                                                               const DimensionTiling& manual) const {
  ASSIGN_OR_RETURN(const absl::optional<LeafTilings> tilings, shardings_->TilingsOfResult(instruction, manual));
  return tilings.has_value() ? *tilings : WholeLeaves(instruction.shape());
}

absl::StatusOr<std::vector<LeafTilings>> ComputationRoles::Parameters(const HloComputation& computation,
                                                                      const DimensionTiling& manual) const {
  std::vector<LeafTilings> parameters;
  for (const HloInstruction* parameter : computation.parameters()) {
    ASSIGN_OR_RETURN(parameters.emplace_back(), AnnotatedOrWhole(*parameter, manual));
  }
  return parameters;
}

}  // namespace xla
