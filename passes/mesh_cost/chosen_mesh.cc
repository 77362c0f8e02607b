#include "passes/mesh_cost/chosen_mesh.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "passes/analyses/shape_leaves.h"
#include "passes/mesh_cost/axes_of_tiles.h"
#include "passes/partitioning/annotated_shardings.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/edit_distance.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// As many as a program is cut for.
constexpr int64_t kMaxMeshDevices = 65536;
constexpr absl::string_view kMeshForm = "a mesh as 2x4,names=data:model";

absl::Status NotAMesh(absl::string_view text, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("expected ", kMeshForm, ", got '", text.substr(0, 80), "', ", what));
}

// ---- In annotations

bool HasAxes(const Mesh& mesh) { return !mesh.axes.empty() && !mesh.maximal_device.has_value(); }

absl::StatusOr<SdyMeshes> WrittenMeshes(const HloModule& module) {
  const FrontendAttributes& attributes = module.config().frontend_attributes;
  const auto found = attributes.find(kSdyMeshes);
  if (found == attributes.end()) return SdyMeshes();
  return ParseSdyMeshes(found->second);
}

// Calls `visit` with each sharding over a mesh of the instruction's annotation.
template <typename Visit>
void VisitNamed(Sharding& sharding, Visit visit) {
  if (sharding.named != nullptr) visit(sharding);
  for (Sharding& element : sharding.tuple) VisitNamed(element, visit);
}

// JAX writes shardings twice: by numbers of tiles, and with the names of axes. This writes those that have no names
// along the axes that they follow on the mesh of the program.
class NamesOfTiles {
 public:
  explicit NamesOfTiles(const SdyMeshes& meshes) {
    for (const auto& [name, mesh] : meshes) {
      if (!HasAxes(mesh) || !mesh.device_ids.empty() || DevicesOf(mesh) > kMaxMeshDevices) continue;
      if (!mesh_.has_value() || DevicesOf(mesh) > DevicesOf(*mesh_)) mesh_ = mesh;
    }
  }

  void Apply(HloInstruction& instruction) {
    if (!instruction.annotations().sharding.has_value()) return;
    if (instruction.annotations().frontend_attributes.count(kSdySharding) > 0) {
      instruction.mutable_annotations().sharding.reset();
      return;
    }
    Sharding& sharding = *instruction.mutable_annotations().sharding;
    std::vector<const Shape*> leaves;
    AppendLeafShapes(instruction.shape(), &leaves);
    if (sharding.type != Sharding::Type::kTuple) return leaves.size() == 1 ? ApplyTo(sharding, *leaves[0]) : Leave();
    for (size_t i = 0; i < sharding.tuple.size() && i < leaves.size(); ++i) ApplyTo(sharding.tuple[i], *leaves[i]);
  }

  std::vector<std::string> Warnings() const {
    std::vector<std::string> warnings;
    if (left_ > 0) {
      warnings.push_back(absl::StrCat(Shardings(left_), " by numbers of tiles, which are the same on every mesh"));
    }
    const bool is_ambiguous = named_ > 0 && std::any_of(mesh_->axes.begin(), mesh_->axes.end(),
                                                        [](const MeshAxis& a) { return a.size == 1; });
    if (is_ambiguous) {
      warnings.push_back(absl::StrCat(Shardings(named_), " by numbers of tiles, which do not show axes of one device"));
    }
    return warnings;
  }

 private:
  static int64_t DevicesOf(const Mesh& mesh) {
    int64_t devices = 1;
    for (const MeshAxis& axis : mesh.axes) {
      if (!CheckedMul(devices, axis.size, &devices) || devices > kMaxMeshDevices) return kMaxMeshDevices + 1;
    }
    return devices;
  }
  static std::string Shardings(int64_t count) {
    return absl::StrCat(count, count == 1 ? " sharding is" : " shardings are");
  }

  void Leave() { ++left_; }
  void ApplyTo(Sharding& sharding, const Shape& shape) {
    if (sharding.named != nullptr || sharding.type != Sharding::Type::kOther) return;
    absl::optional<Sharding> named;
    if (mesh_.has_value()) named = AlongAxes(sharding, shape, *mesh_);
    if (!named.has_value()) return Leave();
    ++named_;
    sharding = *std::move(named);
  }

  absl::optional<Mesh> mesh_;  // the largest
  int64_t left_ = 0, named_ = 0;
};

std::string ToSdyText(const SdyMeshes& meshes) {
  const auto axis_text = [](std::string* out, const MeshAxis& axis) {
    absl::StrAppend(out, "\"", axis.name, "\"=", axis.size);
  };
  std::vector<std::string> texts;
  for (const auto& [name, mesh] : meshes) {
    const std::string ids =
        mesh.device_ids.empty() ? "" : absl::StrCat(", device_ids=[", absl::StrJoin(mesh.device_ids, ", "), "]");
    texts.push_back(
        absl::StrCat("\"", name, "\" = #sdy.mesh<[", absl::StrJoin(mesh.axes, ", ", axis_text), "]", ids, ">"));
  }
  return absl::StrCat("{", absl::StrJoin(texts, ", "), "}");
}

// Gives meshes their new sizes.
class MeshSizes {
 public:
  explicit MeshSizes(const std::vector<MeshAxis>& axes) : axes_(axes) {}

  // `where` is what has the mesh, for messages.
  absl::Status Apply(absl::string_view where, Mesh& mesh) {
    if (!HasAxes(mesh)) return absl::OkStatus();
    const Mesh before = mesh;
    for (MeshAxis& axis : mesh.axes) {
      const auto chosen = std::find_if(axes_.begin(), axes_.end(),
                                       [&axis](const MeshAxis& candidate) { return candidate.name == axis.name; });
      if (chosen == axes_.end()) {
        return absl::InvalidArgumentError(absl::StrCat(where, " has the axis '", axis.name,
                                                       "', expected only axes of the chosen mesh ", MeshText(axes_),
                                                       "; name it there, too"));
      }
      axis.size = chosen->size;
      used_.insert(axis.name);
    }
    if (mesh.axes == before.axes || (mesh.device_ids.empty() && !mesh.iota.has_value())) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        where,
        " lists its devices, expected a mesh in the order of their numbers where sizes change; remove the list"));
  }

  absl::Status CheckAllUsed() const {
    const std::vector<absl::string_view> known(used_.begin(), used_.end());
    for (const MeshAxis& axis : axes_) {
      if (used_.count(axis.name) > 0) continue;
      return absl::InvalidArgumentError(absl::StrCat("the program's meshes have no axis '", axis.name, "'",
                                                     DidYouMean(axis.name, known), "; expected ",
                                                     absl::StrJoin(used_, ", ")));
    }
    return absl::OkStatus();
  }

 private:
  const std::vector<MeshAxis>& axes_;
  std::set<std::string> used_;
};

// JAX names meshes of the module; one that is written out in a text of an instruction would be missed.
absl::Status CheckNamesItsMesh(const HloInstruction& instruction) {
  for (const char* const name : {kSdySharding, kSdyInShardings, kSdyOutShardings}) {
    const FrontendAttributes& attributes = instruction.annotations().frontend_attributes;
    const auto found = attributes.find(name);
    if (found == attributes.end() || !absl::StrContains(found->second, "mesh<")) continue;
    return absl::InvalidArgumentError(absl::StrCat(instruction.name(), ": ", name,
                                                   " has a mesh of its own, expected the name of one of ", kSdyMeshes,
                                                   ", as in <@mesh, [{}]>; write it there"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<MeshAxis>> ParseChosenMesh(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, absl::MaxSplits(',', 1));
  absl::string_view names_text = parts.size() == 2 ? parts[1] : "";
  if (!absl::ConsumePrefix(&names_text, "names=")) return NotAMesh(text, "which has no ',names='");
  const std::vector<std::string> sizes = absl::StrSplit(parts[0], 'x'), names = absl::StrSplit(names_text, ':');
  if (sizes.size() != names.size()) {
    return NotAMesh(text, absl::StrCat("which has ", sizes.size(), " sizes and ", names.size(), " names"));
  }
  std::vector<MeshAxis> axes;
  int64_t devices = 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    MeshAxis axis;
    axis.name = names[i];
    if (!absl::SimpleAtoi(sizes[i], &axis.size) || axis.size < 1) {
      return NotAMesh(text, absl::StrCat("in which '", sizes[i].substr(0, 20), "' is not a positive number"));
    }
    if (axis.name.empty() || absl::StrContains(axis.name, '"')) return NotAMesh(text, "in which a name is empty");
    for (const MeshAxis& other : axes) {
      if (other.name == axis.name) return NotAMesh(text, absl::StrCat("which has '", axis.name, "' twice"));
    }
    if (!CheckedMul(devices, axis.size, &devices) || devices > kMaxMeshDevices) {
      return NotAMesh(text, absl::StrCat("which has more than ", kMaxMeshDevices, " devices"));
    }
    axes.push_back(std::move(axis));
  }
  return axes;
}

std::string MeshText(const std::vector<MeshAxis>& axes) {
  return absl::StrJoin(axes, ", ",
                       [](std::string* out, const MeshAxis& axis) { absl::StrAppend(out, axis.name, "=", axis.size); });
}

absl::StatusOr<std::vector<std::string>> AxisNamesOf(const HloModule& module) {
  std::vector<std::string> names;
  const auto add = [&names](const Mesh& mesh) {
    if (!HasAxes(mesh)) return;
    for (const MeshAxis& axis : mesh.axes) {
      if (std::find(names.begin(), names.end(), axis.name) == names.end()) names.push_back(axis.name);
    }
  };
  ASSIGN_OR_RETURN(const SdyMeshes meshes, WrittenMeshes(module));
  for (const auto& [name, mesh] : meshes) add(mesh);
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (!instruction->annotations().sharding.has_value()) continue;
      Sharding sharding = *instruction->annotations().sharding;
      VisitNamed(sharding, [&add](const Sharding& named) { add(named.named->mesh); });
    }
  }
  if (!names.empty()) return names;
  return absl::InvalidArgumentError(
      absl::StrCat("the program's shardings name no axes of a mesh, expected meshes in the header's ", kSdyMeshes,
                   " or shardings like {mesh['x'=2], [{'x'}]}; only sizes of named axes can be tried"));
}

absl::StatusOr<ReshapedProgram> WithMesh(const HloModule& module, const std::vector<MeshAxis>& axes) {
  RETURN_IF_ERROR(AxisNamesOf(module).status());
  ReshapedProgram result;
  result.module = CloneModule(module);
  MeshSizes sizes(axes);
  HloModuleConfig& config = result.module->mutable_config();
  ASSIGN_OR_RETURN(SdyMeshes meshes, WrittenMeshes(module));
  NamesOfTiles names(meshes);
  for (auto& [name, mesh] : meshes) RETURN_IF_ERROR(sizes.Apply(absl::StrCat("mesh @", name), mesh));
  if (!meshes.empty()) config.frontend_attributes[kSdyMeshes] = ToSdyText(meshes);
  config.num_partitions = 1;
  for (const MeshAxis& axis : axes) config.num_partitions *= axis.size;
  for (const auto& computation : result.module->computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (!instruction->has_annotations()) continue;
      RETURN_IF_ERROR(CheckNamesItsMesh(*instruction));
      names.Apply(*instruction);
      if (!instruction->annotations().sharding.has_value()) continue;
      absl::Status status;
      VisitNamed(*instruction->mutable_annotations().sharding, [&](Sharding& sharding) {
        auto named = std::make_shared<Sharding::Named>(*sharding.named);
        status.Update(sizes.Apply(absl::StrCat(instruction->name(), ": the sharding's mesh"), named->mesh));
        sharding.named = std::move(named);
      });
      RETURN_IF_ERROR(status);
    }
  }
  RETURN_IF_ERROR(sizes.CheckAllUsed());
  result.warnings = names.Warnings();
  return result;
}

}  // namespace xla
