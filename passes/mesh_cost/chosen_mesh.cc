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

bool IsCutByNumbers(const Sharding& sharding) {
  if (sharding.named == nullptr && sharding.type == Sharding::Type::kOther) return true;
  return std::any_of(sharding.tuple.begin(), sharding.tuple.end(), &IsCutByNumbers);
}

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

bool NamesItsAxes(const HloInstruction& instruction) {
  return instruction.annotations().frontend_attributes.count(kSdySharding) > 0;
}

// Frontends write what sdy says by numbers, too, for the mesh that there was: on the instruction itself, and of the
// program's results on their tuple.
bool FollowsNames(const HloInstruction& instruction) {
  if (NamesItsAxes(instruction)) return true;
  const auto operands = instruction.operands();
  return instruction.opcode() == HloOpcode::kTuple &&
         std::any_of(operands.begin(), operands.end(),
                     [](const HloInstruction* operand) { return NamesItsAxes(*operand); });
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
  for (auto& [name, mesh] : meshes) RETURN_IF_ERROR(sizes.Apply(absl::StrCat("mesh @", name), mesh));
  if (!meshes.empty()) config.frontend_attributes[kSdyMeshes] = ToSdyText(meshes);
  config.num_partitions = 1;
  for (const MeshAxis& axis : axes) config.num_partitions *= axis.size;
  int64_t by_numbers = 0;
  for (const auto& computation : result.module->computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (!instruction->has_annotations()) continue;
      RETURN_IF_ERROR(CheckNamesItsMesh(*instruction));
      if (!instruction->annotations().sharding.has_value()) continue;
      absl::Status status;
      VisitNamed(*instruction->mutable_annotations().sharding, [&](Sharding& sharding) {
        auto named = std::make_shared<Sharding::Named>(*sharding.named);
        status.Update(sizes.Apply(absl::StrCat(instruction->name(), ": the sharding's mesh"), named->mesh));
        sharding.named = std::move(named);
      });
      RETURN_IF_ERROR(status);
      if (!IsCutByNumbers(*instruction->annotations().sharding)) continue;
      if (FollowsNames(*instruction)) {
        instruction->mutable_annotations().sharding.reset();
      } else {
        ++by_numbers;
      }
    }
  }
  RETURN_IF_ERROR(sizes.CheckAllUsed());
  if (by_numbers > 0) {
    result.warnings.push_back(absl::StrCat(by_numbers, by_numbers == 1 ? " instruction is" : " instructions are",
                                           " cut by numbers of tiles, which are the same on every mesh"));
  }
  return result;
}

}  // namespace xla
