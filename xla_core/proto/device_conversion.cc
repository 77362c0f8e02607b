#include "xla_core/proto/device_conversion.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/proto/annotation_conversion.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

namespace pb = ::halo::hlo;

template <typename Repeated>
auto ToVector(const Repeated& values) {
  return std::vector<typename Repeated::value_type>(values.begin(), values.end());
}

// XLA stores the permutation of a one-dimensional iota, {0}, which says nothing.
template <typename Dims, typename Perm>
IotaTransform IotaFromProto(const Dims& dims, const Perm& perm) {
  IotaTransform iota;
  iota.reshape_dims.assign(dims.begin(), dims.end());
  if (dims.size() > 1) iota.transpose_perm.assign(perm.begin(), perm.end());
  return iota;
}

template <typename Dims, typename Perm>
void IotaToProto(const IotaTransform& iota, Dims* dims, Perm* perm) {
  dims->Add(iota.reshape_dims.begin(), iota.reshape_dims.end());
  if (iota.transpose_perm.empty() && iota.reshape_dims.size() == 1) {
    perm->Add(0);
  } else {
    perm->Add(iota.transpose_perm.begin(), iota.transpose_perm.end());
  }
}

Mesh MeshFromProto(const pb::MeshProto& proto) {
  Mesh mesh;
  for (const pb::MeshProto::MeshAxis& axis : proto.axes()) mesh.axes.push_back({axis.name(), axis.size()});
  if (mesh.axes.empty() && proto.device_ids_size() == 1) {
    mesh.maximal_device = proto.device_ids(0);
    return mesh;
  }
  mesh.device_ids = ToVector(proto.device_ids());
  if (proto.has_iota_transform()) {
    mesh.iota = IotaFromProto(proto.iota_transform().reshape_dims(), proto.iota_transform().transpose_perm());
  }
  return mesh;
}

void MeshToProto(const Mesh& mesh, pb::MeshProto* proto) {
  for (const MeshAxis& axis : mesh.axes) {
    pb::MeshProto::MeshAxis* added = proto->add_axes();
    added->set_name(axis.name);
    added->set_size(axis.size);
  }
  proto->mutable_device_ids()->Add(mesh.device_ids.begin(), mesh.device_ids.end());
  if (mesh.maximal_device.has_value()) proto->add_device_ids(*mesh.maximal_device);
  if (mesh.iota.has_value()) {
    pb::IotaTransformProto* iota = proto->mutable_iota_transform();
    IotaToProto(*mesh.iota, iota->mutable_reshape_dims(), iota->mutable_transpose_perm());
  }
}

using AxisRefProtos = google::protobuf::RepeatedPtrField<pb::AxisRefProto>;

std::vector<AxisRef> AxesFromProto(const AxisRefProtos& protos) {
  std::vector<AxisRef> axes;
  for (const pb::AxisRefProto& proto : protos) {
    AxisRef axis;
    axis.axis = proto.mesh_axis_index();
    if (proto.has_sub_axis_info()) {
      axis.sub_axis = AxisRef::SubAxis{proto.sub_axis_info().pre_size(), proto.sub_axis_info().size()};
    }
    axes.push_back(axis);
  }
  return axes;
}

void AxesToProto(const std::vector<AxisRef>& axes, AxisRefProtos* protos) {
  for (const AxisRef& axis : axes) {
    pb::AxisRefProto* proto = protos->Add();
    proto->set_mesh_axis_index(axis.axis);
    if (axis.sub_axis.has_value()) {
      proto->mutable_sub_axis_info()->set_pre_size(axis.sub_axis->pre_size);
      proto->mutable_sub_axis_info()->set_size(axis.sub_axis->size);
    }
  }
}

using ReplicaGroupProtos = google::protobuf::RepeatedPtrField<pb::ReplicaGroup>;

ReplicaGroups GroupListFromProto(const ReplicaGroupProtos& protos) {
  ReplicaGroups groups;
  for (const pb::ReplicaGroup& group : protos) groups.groups.push_back(ToVector(group.replica_ids()));
  return groups;
}

ReplicaGroups IotaGroupsFromProto(const pb::IotaReplicaGroupListProto& proto) {
  ReplicaGroups groups;
  groups.form = ReplicaGroups::Form::kIota;
  groups.iota_groups = proto.num_replica_groups();
  groups.iota_group_size = proto.num_devices_per_group();
  groups.iota = IotaFromProto(proto.iota_reshape_dims(), proto.iota_transpose_perm());
  return groups;
}

absl::StatusOr<Sharding::Type> ShardingTypeFromProto(int type) {
  if (type >= 0 && type <= static_cast<int>(Sharding::Type::kUnreduced)) return static_cast<Sharding::Type>(type);
  return absl::InvalidArgumentError(absl::StrCat("unknown type ", type, " of a sharding"));
}

// Named shardings refer to axes of a mesh by number, which stay unchecked here; the reduction becomes an enum and is
// checked.
absl::StatusOr<std::shared_ptr<const Sharding::Named>> NamedFromProto(const pb::NamedShardingProto& proto,
                                                                      ProtoWarnings& warnings) {
  warnings.NoteUnknownFields(proto);
  auto named = std::make_shared<Sharding::Named>();
  named->mesh = MeshFromProto(proto.mesh());
  for (const auto& dimension : proto.dim_shardings()) {
    named->dimensions.push_back({AxesFromProto(dimension.axes()), dimension.is_closed()});
  }
  named->replicated_axes = AxesFromProto(proto.replicated_axes());
  named->unreduced_axes = AxesFromProto(proto.unreduced_axes());
  named->manual_axes = AxesFromProto(proto.manual_axes());
  if (proto.reduction_op() < 0 || proto.reduction_op() > static_cast<int>(Sharding::Reduction::kMin)) {
    return absl::InvalidArgumentError(absl::StrCat("unknown reduction ", proto.reduction_op(), " of a named sharding"));
  }
  named->reduction = static_cast<Sharding::Reduction>(proto.reduction_op());
  return std::shared_ptr<const Sharding::Named>(std::move(named));
}

void NamedToProto(const Sharding::Named& named, pb::NamedShardingProto* proto) {
  MeshToProto(named.mesh, proto->mutable_mesh());
  for (const Sharding::Named::Dimension& dimension : named.dimensions) {
    auto* added = proto->add_dim_shardings();
    AxesToProto(dimension.axes, added->mutable_axes());
    added->set_is_closed(dimension.is_closed);
  }
  AxesToProto(named.replicated_axes, proto->mutable_replicated_axes());
  AxesToProto(named.unreduced_axes, proto->mutable_unreduced_axes());
  AxesToProto(named.manual_axes, proto->mutable_manual_axes());
  proto->set_reduction_op(static_cast<pb::NamedShardingProto::ReductionOp>(named.reduction));
}

// One sharding that is not a tuple. Enumerators are checked before they are cast; unknown ones are errors, unlike
// unknown fields, which only warn.
absl::StatusOr<Sharding> LeafShardingFromProto(const pb::OpSharding& proto, ProtoWarnings& warnings) {
  warnings.NoteUnknownFields(proto);
  Sharding sharding;
  ASSIGN_OR_RETURN(sharding.type, ShardingTypeFromProto(proto.type()));
  // The tile of a maximal sharding is always [1].
  if (sharding.type != Sharding::Type::kMaximal) {
    sharding.tile_dimensions = ToVector(proto.tile_assignment_dimensions());
  }
  sharding.devices = ToVector(proto.tile_assignment_devices());
  if (proto.iota_reshape_dims_size() > 0) {
    sharding.iota = IotaFromProto(proto.iota_reshape_dims(), proto.iota_transpose_perm());
  }
  sharding.replicate_on_last_tile_dim = proto.replicate_on_last_tile_dim();
  for (int type : proto.last_tile_dims()) {
    ASSIGN_OR_RETURN(const Sharding::Type checked, ShardingTypeFromProto(type));
    sharding.last_tile_dims.push_back(checked);
  }
  if (proto.is_shard_group()) {
    if (proto.shard_group_type() < 0 || proto.shard_group_type() > static_cast<int>(Sharding::GroupType::kLike)) {
      return absl::InvalidArgumentError(absl::StrCat("unknown type ", proto.shard_group_type(), " of a shard group"));
    }
    sharding.shard_group = {static_cast<Sharding::GroupType>(proto.shard_group_type()), proto.shard_group_id()};
  }
  if (proto.has_named_sharding()) {
    ASSIGN_OR_RETURN(sharding.named, NamedFromProto(proto.named_sharding(), warnings));
  }
  const auto& metadata = sharding.named == nullptr ? proto.metadata() : proto.named_sharding().metadata();
  for (const pb::OpMetadata& m : metadata) {
    sharding.metadata.push_back(MetadataFromProto(m, pb::HloModuleProto::default_instance(), warnings));
  }
  return sharding;
}

}  // namespace

absl::StatusOr<Sharding> ShardingFromProto(const pb::OpSharding& proto, ProtoWarnings& warnings) {
  ASSIGN_OR_RETURN(Sharding sharding, LeafShardingFromProto(proto, warnings));
  for (const pb::OpSharding& element : proto.tuple_shardings()) {
    if (element.type() == pb::OpSharding::TUPLE) {
      return absl::InvalidArgumentError("a tuple sharding within a tuple sharding; list the leaves instead");
    }
    ASSIGN_OR_RETURN(Sharding converted, LeafShardingFromProto(element, warnings));
    sharding.tuple.push_back(std::move(converted));
  }
  return sharding;
}

// The inverse of ShardingFromProto, tuples included. A maximal sharding gets the tile [1] that XLA writes; named
// shardings keep their metadata in the inner message.
void ShardingToProto(const Sharding& sharding, pb::OpSharding* proto) {
  proto->set_type(static_cast<pb::OpSharding::Type>(sharding.type));
  if (sharding.type == Sharding::Type::kMaximal) {
    proto->add_tile_assignment_dimensions(1);
  } else {
    proto->mutable_tile_assignment_dimensions()->Add(sharding.tile_dimensions.begin(), sharding.tile_dimensions.end());
  }
  proto->mutable_tile_assignment_devices()->Add(sharding.devices.begin(), sharding.devices.end());
  if (sharding.iota.has_value()) {
    IotaToProto(*sharding.iota, proto->mutable_iota_reshape_dims(), proto->mutable_iota_transpose_perm());
  }
  proto->set_replicate_on_last_tile_dim(sharding.replicate_on_last_tile_dim);
  for (Sharding::Type type : sharding.last_tile_dims) {
    proto->add_last_tile_dims(static_cast<pb::OpSharding::Type>(type));
  }
  for (const Sharding& element : sharding.tuple) ShardingToProto(element, proto->add_tuple_shardings());
  if (sharding.shard_group.has_value()) {
    proto->set_is_shard_group(true);
    proto->set_shard_group_type(static_cast<pb::OpSharding::ShardGroupType>(sharding.shard_group->first));
    proto->set_shard_group_id(sharding.shard_group->second);
  }
  if (sharding.named != nullptr) NamedToProto(*sharding.named, proto->mutable_named_sharding());
  for (const OpMetadata& metadata : sharding.metadata) {
    MetadataToProto(
        metadata, sharding.named == nullptr ? proto->add_metadata() : proto->mutable_named_sharding()->add_metadata());
  }
}

ReplicaGroups ReplicaGroupsFromProto(const pb::HloInstructionProto& proto) {
  if (proto.has_iota_collective_device_list()) return IotaGroupsFromProto(proto.iota_collective_device_list());
  if (proto.has_mesh_axes_replica_group_list()) {
    ReplicaGroups groups;
    groups.form = ReplicaGroups::Form::kMesh;
    groups.mesh = MeshFromProto(proto.mesh_axes_replica_group_list().mesh());
    groups.axes = AxesFromProto(proto.mesh_axes_replica_group_list().axes());
    return groups;
  }
  if (!proto.has_collective_device_list()) return GroupListFromProto(proto.replica_groups());
  const pb::CollectiveDeviceListProto& list = proto.collective_device_list();
  if (list.has_iota_replica_group_list()) return IotaGroupsFromProto(list.iota_replica_group_list());
  return GroupListFromProto(list.replica_groups());
}

// Writes the message of the form that the groups have, so that a module survives reading and writing unchanged; none
// of them is expanded.
void ReplicaGroupsToProto(const ReplicaGroups& groups, pb::HloInstructionProto* proto) {
  switch (groups.form) {
    case ReplicaGroups::Form::kList:
      for (const std::vector<int64_t>& group : groups.groups) {
        auto* added = proto->mutable_collective_device_list()->add_replica_groups();
        added->mutable_replica_ids()->Add(group.begin(), group.end());
      }
      break;
    case ReplicaGroups::Form::kIota: {
      pb::IotaReplicaGroupListProto* list = proto->mutable_iota_collective_device_list();
      list->set_num_replica_groups(groups.iota_groups);
      list->set_num_devices_per_group(groups.iota_group_size);
      IotaToProto(groups.iota, list->mutable_iota_reshape_dims(), list->mutable_iota_transpose_perm());
      break;
    }
    case ReplicaGroups::Form::kMesh:
      MeshToProto(groups.mesh, proto->mutable_mesh_axes_replica_group_list()->mutable_mesh());
      AxesToProto(groups.axes, proto->mutable_mesh_axes_replica_group_list()->mutable_axes());
      break;
  }
}

}  // namespace xla
