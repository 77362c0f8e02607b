#include "builders/stablehlo/lowering/replica_groups.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/lowering/computation_lowering.h"
#include "builders/stablehlo/lowering/program_lowering.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

absl::StatusOr<ReplicaGroups> GroupsOfMesh(const OperationCall& call, const Attribute& attribute) {
  const AttributeReader fields(call.module(), attribute.fields);
  const Attribute* const mesh = fields.Find("mesh");
  if (mesh == nullptr) return absl::InvalidArgumentError("the attribute 'replica_groups' must name a mesh");
  ReplicaGroups groups;
  groups.form = ReplicaGroups::Form::kMesh;
  ASSIGN_OR_RETURN(groups.mesh, MeshOf(call.scope().program(), *mesh));
  ASSIGN_OR_RETURN(const absl::Span<const AttributeId> axes, fields.Elements("axes"));
  for (const AttributeId axis : axes) {
    ASSIGN_OR_RETURN(AxisRef ref, AxisRefOf(call.module(), groups.mesh, call.module().attribute(axis)));
    groups.axes.push_back(std::move(ref));
  }
  return groups;
}

const char* WordOf(GroupIds ids) {
  switch (ids) {
    case GroupIds::kReplicas:
      return "replica";
    case GroupIds::kPartitions:
      return "partition";
    case GroupIds::kDevices:
      return "device";
  }
  return "";
}

// How many ids the groups list, and the largest one; of 0 to N - 1 by construction without listing them.
struct ListedIds {
  int64_t count = 0;
  int64_t largest = -1;
};

absl::StatusOr<ListedIds> ListedIdsOf(const ReplicaGroups& groups) {
  ListedIds ids;
  if (groups.NamesEachIdOnce()) {
    ASSIGN_OR_RETURN(const ReplicaGroups::Counts counts, groups.Count());
    ids.count = counts.groups * counts.group_size;
    ids.largest = ids.count - 1;
    return ids;
  }
  ASSIGN_OR_RETURN(const std::vector<std::vector<int64_t>> lists, groups.Expand());
  for (const std::vector<int64_t>& list : lists) {
    ids.count += static_cast<int64_t>(list.size());
    for (const int64_t id : list) ids.largest = std::max(ids.largest, id);
  }
  return ids;
}

}  // namespace

absl::Status CheckGroupIds(const ProgramLowering& program, const ReplicaGroups& groups, GroupIds ids,
                           absl::string_view range_constraint, absl::string_view count_constraint) {
  const int64_t replicas = program.replica_count(), partitions = program.partition_count();
  const int64_t limit = ids == GroupIds::kReplicas     ? replicas
                        : ids == GroupIds::kPartitions ? partitions
                                                       : replicas * partitions;
  if (groups.empty() || limit <= 1) return absl::OkStatus();
  ASSIGN_OR_RETURN(const ListedIds listed, ListedIdsOf(groups));
  if (listed.largest >= limit) {
    return Broken(range_constraint, absl::StrCat("replica_groups has the ", WordOf(ids), " ", listed.largest,
                                                 ", but the program has ", limit, " ", WordOf(ids), "s"));
  }
  if (count_constraint.empty() || listed.count == limit) return absl::OkStatus();
  return Broken(count_constraint, absl::StrCat("replica_groups must list each of the ", limit, " ", WordOf(ids),
                                               "s once, got ", listed.count));
}

absl::StatusOr<Mesh> MeshOf(const ProgramLowering& program, const Attribute& attribute) {
  const Attribute* definition = &attribute;
  if (attribute.kind == AttributeKind::kSymbol || attribute.kind == AttributeKind::kString) {
    ASSIGN_OR_RETURN(definition, program.FindMesh(attribute.text));
  }
  if (definition->kind != AttributeKind::kStruct) {
    return absl::InvalidArgumentError("expected a mesh, such as <[\"x\"=2, \"y\"=4]>, or the name of one");
  }
  const AttributeReader fields(program.module(), definition->fields);
  Mesh mesh;
  ASSIGN_OR_RETURN(const absl::Span<const AttributeId> axes, fields.Elements("axes"));
  if (axes.size() > kMostAxes) {
    return absl::InvalidArgumentError(absl::StrCat("a mesh may have ", kMostAxes, " axes, got ", axes.size()));
  }
  int64_t device_count = 1;
  for (const AttributeId id : axes) {
    const AttributeReader axis(program.module(), program.module().attribute(id).fields);
    MeshAxis read;
    ASSIGN_OR_RETURN(read.name, axis.TextOr("name", ""));
    ASSIGN_OR_RETURN(read.size, axis.Int("size"));
    if (read.size < 1 || !CheckedMul(device_count, read.size, &device_count)) {
      return absl::InvalidArgumentError(absl::StrCat("axis \"", read.name, "\" of a mesh has the size ", read.size));
    }
    mesh.axes.push_back(std::move(read));
  }
  ASSIGN_OR_RETURN(const DimensionVector ids, fields.IntsOr("device_ids", {}));
  mesh.device_ids.assign(ids.begin(), ids.end());
  if (mesh.axes.empty() && mesh.device_ids.size() == 1) {
    mesh.maximal_device = mesh.device_ids[0];
    mesh.device_ids.clear();
  }
  return mesh;
}

absl::Status CheckMesh(const ProgramLowering& program, const Attribute& attribute) {
  ASSIGN_OR_RETURN(const Mesh mesh, MeshOf(program, attribute));
  if (mesh.maximal_device.has_value()) {
    if (*mesh.maximal_device >= 0) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("the device of a mesh must be at least 0, got ", *mesh.maximal_device));
  }
  std::set<std::string> names;
  int64_t devices = 1;
  for (const MeshAxis& axis : mesh.axes) {
    devices *= axis.size;
    if (!names.insert(axis.name).second) {
      return absl::InvalidArgumentError(absl::StrCat("the mesh has two axes \"", axis.name, "\""));
    }
  }
  if (mesh.device_ids.empty()) return absl::OkStatus();
  std::set<int64_t> ids(mesh.device_ids.begin(), mesh.device_ids.end());
  const bool are_all = static_cast<int64_t>(mesh.device_ids.size()) == devices &&
                       static_cast<int64_t>(ids.size()) == devices && *ids.begin() == 0 && *ids.rbegin() == devices - 1;
  if (are_all) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("device_ids must have each of the ", devices, " devices once"));
}

absl::StatusOr<AxisRef> AxisRefOf(const Module& module, const Mesh& mesh, const Attribute& attribute) {
  const AttributeReader fields(module, attribute.fields);
  std::string name(attribute.text);
  if (attribute.kind == AttributeKind::kStruct) {
    ASSIGN_OR_RETURN(name, fields.TextOr("name", ""));
  }
  AxisRef ref;
  ref.axis = -1;
  for (size_t i = 0; i < mesh.axes.size(); ++i) {
    if (mesh.axes[i].name == name) ref.axis = static_cast<int64_t>(i);
  }
  if (ref.axis < 0) return absl::InvalidArgumentError(absl::StrCat("the mesh has no axis \"", name, "\""));
  // sdy and stablehlo call it differently.
  ASSIGN_OR_RETURN(const AttributeReader part,
                   fields.StructOrEmpty(fields.Has("sub_axis") ? "sub_axis" : "sub_axis_info"));
  if (part.all().empty()) return ref;
  AxisRef::SubAxis sub_axis;
  ASSIGN_OR_RETURN(sub_axis.pre_size, part.Int("pre_size"));
  ASSIGN_OR_RETURN(sub_axis.size, part.Int("size"));
  ref.sub_axis = sub_axis;
  return ref;
}

absl::StatusOr<ReplicaGroups> ReplicaGroupsOf(const OperationCall& call, absl::string_view unique_constraint,
                                              absl::string_view range_constraint, bool pads) {
  ReplicaGroups groups;
  const Attribute* const attribute = call.attributes().Find("replica_groups");
  if (attribute == nullptr) return absl::InvalidArgumentError("requires attribute 'replica_groups'");
  if (attribute->kind == AttributeKind::kStruct) return GroupsOfMesh(call, *attribute);
  ASSIGN_OR_RETURN(const DimensionVector ids, call.attributes().Ints("replica_groups"));
  if (ids.empty()) return groups;
  const absl::Span<const int64_t> sizes = attribute->kind == AttributeKind::kDenseElements
                                              ? call.module().type(attribute->type).dimensions
                                              : absl::Span<const int64_t>();
  if (sizes.size() != 2) {
    return absl::InvalidArgumentError("the attribute 'replica_groups' must be a tensor with a row for each group");
  }
  std::set<int64_t> seen;
  for (int64_t row = 0; row < sizes[0]; ++row) {
    std::vector<int64_t> group;
    for (int64_t i = row * sizes[1]; i < (row + 1) * sizes[1]; ++i) {
      if (pads && ids[i] == -1) continue;
      if (ids[i] < 0) {
        return Broken(range_constraint, absl::StrCat("replica_groups must have ids of at least 0, got ", ids[i]));
      }
      if (!seen.insert(ids[i]).second) {
        return Broken(unique_constraint, absl::StrCat("replica id #", ids[i], " seen more than once"));
      }
      group.push_back(ids[i]);
    }
    if (!group.empty()) groups.groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace stablehlo
}  // namespace xla
