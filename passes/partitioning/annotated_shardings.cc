#include "passes/partitioning/annotated_shardings.h"

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "passes/analyses/shape_leaves.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace {

// As many as a module may have. Each tiling has a table of all.
constexpr int64_t kMaxDevices = 65536;

absl::Status At(const HloInstruction& instruction, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(instruction.name(), ": ", status.message()));
}

const std::string* FrontendAttribute(const HloInstruction& instruction, absl::string_view name) {
  if (!instruction.has_annotations()) return nullptr;
  const FrontendAttributes& attributes = instruction.annotations().frontend_attributes;
  const auto found = attributes.find(std::string(name));
  return found == attributes.end() ? nullptr : &found->second;
}

absl::StatusOr<SdyMeshes> MeshesOf(const HloModule& module) {
  const FrontendAttributes& attributes = module.config().frontend_attributes;
  const auto found = attributes.find(kSdyMeshes);
  return found == attributes.end() ? SdyMeshes() : ParseSdyMeshes(found->second);
}

absl::Status WrongCount(size_t got, size_t expected, absl::string_view of_what) {
  return absl::InvalidArgumentError(
      absl::StrCat("there are ", got, " shardings, expected ", expected, ", one for each ", of_what));
}

bool IsAmong(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The sharding without the axes that are not in the list.
Sharding OverAxes(const Sharding& sharding, const std::vector<std::string>& names) {
  auto named = std::make_shared<Sharding::Named>(*sharding.named);
  for (Sharding::Named::Dimension& dimension : named->dimensions) {
    const auto is_other = [&](const AxisRef& ref) { return !IsAmong(names, named->mesh.axes[ref.axis].name); };
    dimension.axes.erase(std::remove_if(dimension.axes.begin(), dimension.axes.end(), is_other), dimension.axes.end());
  }
  Sharding result;
  result.named = std::move(named);
  return result;
}

}  // namespace

absl::StatusOr<int64_t> DevicesOfProgram(const HloModule& module) {
  if (module.config().num_partitions != 1) return module.config().num_partitions;
  ASSIGN_OR_RETURN(const SdyMeshes meshes, MeshesOf(module));
  int64_t largest = 1;
  for (const auto& [name, mesh] : meshes) {
    int64_t devices = 1;
    for (const MeshAxis& axis : mesh.axes) {
      if (!CheckedMul(devices, axis.size, &devices) || devices > kMaxDevices) {
        return absl::InvalidArgumentError(absl::StrCat("mesh ", name, " has more than ", kMaxDevices,
                                                       " devices, which is the most that a program is cut for"));
      }
    }
    largest = std::max(largest, devices);
  }
  return largest;
}

absl::string_view CustomCallTarget(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kCustomCall) return "";
  return instruction.attributes<CustomCallAttributes>().custom_call_target;
}

bool BeginsManual(const HloInstruction& instruction) {
  const absl::string_view target = CustomCallTarget(instruction);
  return target == kGlobalToLocal || target == kFullToShard;
}

bool EndsManual(const HloInstruction& instruction) {
  const absl::string_view target = CustomCallTarget(instruction);
  return target == kLocalToGlobal || target == kShardToFull;
}

const HloInstruction* FirstManualBody(const HloModule& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (BeginsManual(*instruction)) return instruction.get();
    }
  }
  return nullptr;
}

bool IsFreeResult(const HloModule& module, int64_t leaf) {
  const std::vector<bool>& allowed = module.config().allow_spmd_sharding_propagation_to_output;
  if (allowed.size() == 1) return allowed[0];
  return leaf < static_cast<int64_t>(allowed.size()) && allowed[static_cast<size_t>(leaf)];
}

bool IsShardingConstraint(const HloInstruction& instruction) {
  const absl::string_view target = CustomCallTarget(instruction);
  const bool is_one =
      target == "Sharding" || target == "xla.sdy.FuncResultSharding" || target == "xla.sdy.PropagationBarrier";
  return is_one && instruction.operand_count() == 1 && instruction.shape().Compatible(instruction.operand(0)->shape());
}

absl::StatusOr<AnnotatedShardings> AnnotatedShardings::Of(const HloModule& module, int64_t devices) {
  if (devices < 1 || devices > kMaxDevices) {
    return absl::InvalidArgumentError(
        absl::StrCat("a program is partitioned over 1 to ", kMaxDevices, " devices, got ", devices));
  }
  ASSIGN_OR_RETURN(SdyMeshes meshes, MeshesOf(module));
  return AnnotatedShardings(std::move(meshes), devices);
}

absl::StatusOr<const std::vector<Sharding>*> AnnotatedShardings::Parsed(const std::string& text) const {
  const auto known = known_->shardings.find(text);
  if (known != known_->shardings.end()) return &known->second;
  ASSIGN_OR_RETURN(std::vector<Sharding> shardings, ParseSdyShardings(text, meshes_));
  return &(known_->shardings[text] = std::move(shardings));
}

absl::StatusOr<ArraySharding> AnnotatedShardings::Read(const Sharding& sharding, const Shape& shape) const {
  // Errors name the shape, tilings depend on its rank alone.
  const std::string key = absl::StrCat(shape.rank(), " ", ShardingToString(sharding));
  const auto known = known_->arrays.find(key);
  if (known != known_->arrays.end()) return known->second;
  ASSIGN_OR_RETURN(const ArraySharding read, ReadSharding(sharding, shape, devices_));
  known_->arrays.emplace(key, read);
  return read;
}

absl::StatusOr<absl::optional<std::vector<ArraySharding>>> AnnotatedShardings::Listed(
    const HloInstruction& instruction) const {
  if (!instruction.has_annotations()) return absl::optional<std::vector<ArraySharding>>();
  const auto& sharding = instruction.annotations().sharding;
  const std::vector<Sharding>* listed = nullptr;  // nullptr: one for all
  if (sharding.has_value()) {
    if (sharding->type == Sharding::Type::kReplicated && IsOpen(instruction)) {
      return absl::optional<std::vector<ArraySharding>>();
    }
    if (sharding->type == Sharding::Type::kTuple) listed = &sharding->tuple;
  } else if (const std::string* text = FrontendAttribute(instruction, kSdySharding)) {
    ASSIGN_OR_RETURN(listed, Parsed(*text));
  } else {
    return absl::optional<std::vector<ArraySharding>>();
  }
  std::vector<const Shape*> leaves;
  AppendLeafShapes(instruction.shape(), &leaves);
  std::vector<ArraySharding> result;
  // An empty tuple may have one, or none.
  if (leaves.empty()) return absl::make_optional(std::move(result));
  if (listed != nullptr && listed->size() != leaves.size()) {
    return WrongCount(listed->size(), leaves.size(), absl::StrCat("leaf of ", instruction.shape().ToString()));
  }
  for (size_t i = 0; i < leaves.size(); ++i) {
    ASSIGN_OR_RETURN(ArraySharding read, Read(listed == nullptr ? *sharding : (*listed)[i], *leaves[i]));
    if (leaves[i]->IsDynamic()) read.tiling = WholeTiling(leaves[i]->rank());
    result.push_back(std::move(read));
  }
  return absl::make_optional(std::move(result));
}

bool AnnotatedShardings::IsOpen(const HloInstruction& instruction) const {
  const std::string* const text = FrontendAttribute(instruction, kSdySharding);
  if (text == nullptr) return false;
  const absl::StatusOr<const std::vector<Sharding>*> shardings = Parsed(*text);
  if (!shardings.ok()) return false;
  return std::all_of((*shardings)->begin(), (*shardings)->end(), [](const Sharding& sharding) {
    const std::vector<Sharding::Named::Dimension>& dimensions = sharding.named->dimensions;
    return std::all_of(dimensions.begin(), dimensions.end(), [](const Sharding::Named::Dimension& dimension) {
      return dimension.axes.empty() && !dimension.is_closed;
    });
  });
}

absl::StatusOr<absl::optional<std::vector<ArraySharding>>> AnnotatedShardings::OfResult(
    const HloInstruction& instruction) const {
  auto listed = Listed(instruction);
  if (!listed.ok()) return At(instruction, listed.status());
  return listed;
}

absl::StatusOr<absl::optional<std::vector<ArrayTiling>>> AnnotatedShardings::TilingsOfResult(
    const HloInstruction& instruction, const DimensionTiling& manual) const {
  ASSIGN_OR_RETURN(auto shardings, OfResult(instruction));
  absl::optional<std::vector<ArrayTiling>> tilings;
  if (!shardings.has_value()) return tilings;
  tilings.emplace();
  const DeviceScope scope = {devices_, manual};
  for (ArraySharding& sharding : *shardings) {
    const bool is_within = manual.is_whole() || IsEven(sharding.tiling, scope);
    tilings->push_back(is_within ? std::move(sharding.tiling) : WholeTiling(static_cast<int>(sharding.tiling.size())));
  }
  return tilings;
}

bool AnnotatedShardings::devices_are_in_order() const {
  return std::all_of(meshes_.begin(), meshes_.end(), [](const auto& named) {
    return named.second.device_ids.empty() && !named.second.iota.has_value();
  });
}

absl::StatusOr<AnnotatedShardings::Boundary> AnnotatedShardings::BoundaryAt(const HloInstruction& custom_call) const {
  const char* const name = CustomCallTarget(custom_call) == kGlobalToLocal ? kSdyInShardings : kSdyOutShardings;
  const std::string* const text = FrontendAttribute(custom_call, name);
  const std::string* const axes = FrontendAttribute(custom_call, kSdyManualAxes);
  if (text == nullptr || axes == nullptr) {
    return At(custom_call, absl::InvalidArgumentError(
                               absl::StrCat("expected the frontend attributes ", name, " and ", kSdyManualAxes)));
  }
  auto names = ParseSdyManualAxes(*axes);
  if (!names.ok()) return At(custom_call, names.status());
  auto shardings = ParseSdyShardings(*text, meshes_);
  if (!shardings.ok()) return At(custom_call, shardings.status());
  return Boundary{*std::move(shardings), *std::move(names)};
}

absl::StatusOr<std::vector<ArrayTiling>> AnnotatedShardings::OfManualBoundary(
    const HloInstruction& custom_call, const std::vector<Shape>& global_shapes) const {
  ASSIGN_OR_RETURN(const Boundary boundary, BoundaryAt(custom_call));
  if (boundary.shardings.size() != global_shapes.size()) {
    return At(custom_call, WrongCount(boundary.shardings.size(), global_shapes.size(), "global array"));
  }
  std::vector<ArrayTiling> tilings;
  for (size_t i = 0; i < boundary.shardings.size(); ++i) {
    auto sharding = ReadSharding(OverAxes(boundary.shardings[i], boundary.axes), global_shapes[i], devices_);
    if (!sharding.ok()) return At(custom_call, sharding.status());
    tilings.push_back(std::move(sharding->tiling));
  }
  return tilings;
}

absl::StatusOr<DimensionTiling> AnnotatedShardings::OfManualAxes(const HloInstruction& custom_call) const {
  ASSIGN_OR_RETURN(const Boundary boundary, BoundaryAt(custom_call));
  if (boundary.shardings.empty()) return DimensionTiling();
  const Sharding& first = boundary.shardings[0];
  std::vector<AxisRef> axes;
  for (size_t axis = 0; axis < first.named->mesh.axes.size(); ++axis) {
    if (!IsAmong(boundary.axes, first.named->mesh.axes[axis].name)) continue;
    axes.emplace_back().axis = static_cast<int64_t>(axis);
  }
  return PlacesAlong(std::move(axes), first, custom_call);
}

absl::StatusOr<std::vector<DimensionTiling>> AnnotatedShardings::TermsAtManualBoundary(
    const HloInstruction& custom_call) const {
  ASSIGN_OR_RETURN(const Boundary boundary, BoundaryAt(custom_call));
  std::vector<DimensionTiling> terms;
  for (const Sharding& sharding : boundary.shardings) {
    std::vector<AxisRef> axes;
    for (const AxisRef& axis : sharding.named->unreduced_axes) {
      const std::string& name = sharding.named->mesh.axes[static_cast<size_t>(axis.axis)].name;
      if (IsAmong(boundary.axes, name)) axes.push_back(axis);
    }
    ASSIGN_OR_RETURN(terms.emplace_back(), PlacesAlong(std::move(axes), sharding, custom_call));
  }
  return terms;
}

absl::StatusOr<DimensionTiling> AnnotatedShardings::PlacesAlong(std::vector<AxisRef> axes, const Sharding& sharding,
                                                                const HloInstruction& custom_call) const {
  if (axes.empty()) return DimensionTiling();
  auto named = std::make_shared<Sharding::Named>();
  named->mesh = sharding.named->mesh;
  named->dimensions.emplace_back().axes = std::move(axes);
  Sharding along;
  along.named = std::move(named);
  auto places = ReadSharding(along, Shape::Array(PrimitiveType::PRED, {1}), devices_);
  if (!places.ok()) return At(custom_call, places.status());
  return places->tiling[0];
}

}  // namespace xla
