#include "xla_core/proto/annotation_conversion.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

namespace pb = ::halo::hlo;

template <typename Repeated>
auto ToVector(const Repeated& values) {
  return std::vector<typename Repeated::value_type>(values.begin(), values.end());
}

// ---- Metadata

// The bytes of a payload, which may be kept in the module.
std::string PayloadFromProto(const pb::Payload& payload, const pb::HloModuleProto& module, ProtoWarnings& warnings) {
  if (payload.payload_case() != pb::Payload::kId) return payload.value();
  if (payload.id() >= 0 && payload.id() < module.payloads_size()) {
    return module.payloads(static_cast<int>(payload.id()));
  }
  warnings.Add(
      absl::StrCat("dropped a reference to payload ", payload.id(), "; the module has ", module.payloads_size()));
  return "";
}

// The metadata of one instruction. Its payload may refer to the module's table of payloads, hence the module.
OpMetadata MetadataFromProto(const pb::OpMetadata& proto, const pb::HloModuleProto& module, ProtoWarnings& warnings) {
  warnings.NoteUnknownFields(proto);
  OpMetadata metadata;
  metadata.op_type = proto.op_type();
  metadata.op_name = proto.op_name();
  metadata.source_file = proto.source_file();
  metadata.source_line = proto.source_line();
  metadata.source_end_line = proto.source_end_line();
  metadata.source_column = proto.source_column();
  metadata.source_end_column = proto.source_end_column();
  metadata.profile_type.assign(proto.profile_type().begin(), proto.profile_type().end());
  metadata.deduplicated_name = proto.deduplicated_name();
  metadata.scheduling_name = proto.scheduling_name();
  metadata.stack_frame_id = proto.stack_frame_id();
  if (proto.has_metadata_payload()) {
    metadata.metadata_payload = PayloadFromProto(proto.metadata_payload(), module, warnings);
  }
  return metadata;
}

void MetadataToProto(const OpMetadata& metadata, pb::OpMetadata* proto) {
  proto->set_op_type(metadata.op_type);
  proto->set_op_name(metadata.op_name);
  proto->set_source_file(metadata.source_file);
  proto->set_source_line(metadata.source_line);
  proto->set_source_end_line(metadata.source_end_line);
  proto->set_source_column(metadata.source_column);
  proto->set_source_end_column(metadata.source_end_column);
  for (int64_t type : metadata.profile_type) proto->add_profile_type(static_cast<pb::ProfileType>(type));
  proto->set_deduplicated_name(metadata.deduplicated_name);
  proto->set_scheduling_name(metadata.scheduling_name);
  proto->set_stack_frame_id(metadata.stack_frame_id);
  if (!metadata.metadata_payload.empty()) {
    proto->mutable_metadata_payload()->set_value(metadata.metadata_payload);
  }
}

// ---- Devices

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

// ---- Origin

// The tree in which the leaf at `index` stands, made on the way.
OriginalValue* NodeAt(OriginalValue* root, absl::Span<const int64_t> index) {
  OriginalValue* node = root;
  for (int64_t i : index) {
    node->is_tuple = true;
    if (node->elements.size() <= static_cast<size_t>(i)) node->elements.resize(static_cast<size_t>(i) + 1);
    node = &node->elements[static_cast<size_t>(i)];
  }
  return node;
}

// Gives every tuple of `shape` its node with all its elements: the message only lists leaves.
void CompleteTuples(const Shape& shape, OriginalValue* node) {
  if (!shape.IsTuple()) return;
  node->is_tuple = true;
  if (node->elements.size() > static_cast<size_t>(shape.tuple_size())) return;
  node->elements.resize(static_cast<size_t>(shape.tuple_size()));
  for (int i = 0; i < shape.tuple_size(); ++i) CompleteTuples(shape.tuple_shape(i), &node->elements[i]);
}

// nullopt, with a warning, if the value does not fit the shape.
absl::optional<OriginalValue> OriginalValueFromProto(const pb::OriginalValueProto& proto, const Shape& shape,
                                                     ProtoWarnings& warnings) {
  warnings.NoteUnknownFields(proto);
  OriginalValue value;
  value.is_synthetic_call = proto.is_synthetic_call();
  if (value.is_synthetic_call) return value;
  if (proto.elements_size() == 0) {
    value.is_tuple = true;
    return value;
  }
  for (const pb::OriginalValueElementProto& element : proto.elements()) {
    const auto& index = element.shape_index();
    if (SubshapeAt(shape, absl::MakeConstSpan(index.data(), index.size())) == nullptr) {
      warnings.Add(absl::StrCat("dropped an original value with an element ", ShapeIndexToString(ToVector(index)),
                                ", which ", shape.ToString(), " does not have"));
      return absl::nullopt;
    }
    OriginalValue* node = NodeAt(&value, ToVector(index));
    if (element.has_original_array()) node->array = OriginalArrayFromProto(element.original_array());
  }
  CompleteTuples(shape, &value);
  return value;
}

void OriginalValueToProto(const OriginalValue& value, ShapeIndex* index, pb::OriginalValueProto* proto) {
  if (value.is_tuple) {
    for (size_t i = 0; i < value.elements.size(); ++i) {
      index->push_back(static_cast<int64_t>(i));
      OriginalValueToProto(value.elements[i], index, proto);
      index->pop_back();
    }
    return;
  }
  pb::OriginalValueElementProto* element = proto->add_elements();
  element->mutable_shape_index()->Add(index->begin(), index->end());
  if (value.array.has_value()) OriginalArrayToProto(*value.array, element->mutable_original_array());
}

// ---- Statistics and accuracy

absl::optional<Statistics> StatisticsFromProto(const pb::StatisticsViz& proto) {
  if (proto.statistics_size() == 0) return absl::nullopt;
  Statistics statistics;
  statistics.visualizing_index = proto.stat_index_to_visualize();
  for (const pb::Statistic& s : proto.statistics()) statistics.values.emplace_back(s.stat_name(), s.stat_val());
  return statistics;
}

void StatisticsToProto(const Statistics& statistics, pb::StatisticsViz* proto) {
  proto->set_stat_index_to_visualize(statistics.visualizing_index);
  for (const auto& [name, value] : statistics.values) {
    pb::Statistic* added = proto->add_statistics();
    added->set_stat_name(name);
    added->set_stat_val(value);
  }
}

absl::StatusOr<ResultAccuracy> AccuracyFromProto(const pb::ResultAccuracy& proto) {
  ResultAccuracy accuracy;
  if (proto.has_tolerance()) {
    accuracy.mode = ResultAccuracy::Mode::kTolerance;
    accuracy.atol = proto.tolerance().atol();
    accuracy.rtol = proto.tolerance().rtol();
    accuracy.ulps = proto.tolerance().ulps();
    return accuracy;
  }
  if (proto.mode() != pb::ResultAccuracy::DEFAULT && proto.mode() != pb::ResultAccuracy::HIGHEST) {
    return absl::InvalidArgumentError(absl::StrCat("unknown mode ", proto.mode(), " of result_accuracy"));
  }
  accuracy.mode = static_cast<ResultAccuracy::Mode>(proto.mode());
  return accuracy;
}

void AccuracyToProto(const ResultAccuracy& accuracy, pb::ResultAccuracy* proto) {
  if (accuracy.mode != ResultAccuracy::Mode::kTolerance) {
    proto->set_mode(static_cast<pb::ResultAccuracy::Mode>(accuracy.mode));
    return;
  }
  proto->mutable_tolerance()->set_atol(accuracy.atol);
  proto->mutable_tolerance()->set_rtol(accuracy.rtol);
  proto->mutable_tolerance()->set_ulps(accuracy.ulps);
}

// Without its address, the message with all fields at their defaults.
bool IsEmpty(const pb::OpMetadata& metadata) {
  return &metadata == &pb::OpMetadata::default_instance() || metadata.ByteSizeLong() == 0;
}

}  // namespace

OriginalValue::Array OriginalArrayFromProto(const pb::OriginalArrayProto& proto) {
  OriginalValue::Array array;
  array.instruction_name = proto.instruction_name();
  array.shape_index.assign(proto.shape_index().begin(), proto.shape_index().end());
  return array;
}

void OriginalArrayToProto(const OriginalValue::Array& array, pb::OriginalArrayProto* proto) {
  proto->set_instruction_name(array.instruction_name);
  proto->mutable_shape_index()->Add(array.shape_index.begin(), array.shape_index.end());
}

FrontendAttributes FrontendAttributesFromProto(const pb::FrontendAttributes& proto) {
  return FrontendAttributes(proto.map().begin(), proto.map().end());
}

void FrontendAttributesToProto(const FrontendAttributes& attributes, pb::FrontendAttributes* proto) {
  for (const auto& [key, value] : attributes) (*proto->mutable_map())[key] = value;
}

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

// Reads what an instruction carries besides its semantics. The backend configuration is either text or a payload;
// text wins if both are there.
absl::Status ReadAnnotations(const pb::HloInstructionProto& proto, const pb::HloModuleProto& module,
                             ProtoWarnings& warnings, HloInstruction* instruction) {
  if (proto.has_metadata() && !IsEmpty(proto.metadata())) {
    instruction->mutable_annotations().metadata = MetadataFromProto(proto.metadata(), module, warnings);
  }
  if (proto.has_sharding()) {
    ASSIGN_OR_RETURN(instruction->mutable_annotations().sharding, ShardingFromProto(proto.sharding(), warnings));
  }
  if (!proto.frontend_attributes().map().empty()) {
    instruction->mutable_annotations().frontend_attributes = FrontendAttributesFromProto(proto.frontend_attributes());
  }
  if (!proto.backend_config().empty()) instruction->mutable_annotations().backend_config = proto.backend_config();
  if (proto.has_backend_config_payload() && proto.backend_config().empty()) {
    std::string config = PayloadFromProto(proto.backend_config_payload(), module, warnings);
    if (!config.empty()) instruction->mutable_annotations().backend_config = std::move(config);
  }
  if (proto.statistics_viz().statistics_size() > 0) {
    instruction->mutable_annotations().statistics = StatisticsFromProto(proto.statistics_viz());
  }
  if (proto.has_result_accuracy()) {
    ASSIGN_OR_RETURN(const ResultAccuracy accuracy, AccuracyFromProto(proto.result_accuracy()));
    if (!(accuracy == ResultAccuracy())) instruction->mutable_annotations().result_accuracy = accuracy;
  }
  if (proto.has_original_value()) {
    instruction->mutable_annotations().original_value =
        OriginalValueFromProto(proto.original_value(), instruction->shape(), warnings);
  }
  return absl::OkStatus();
}

// Writes annotations that are set. Fields at their defaults stay absent, so that messages of modules without
// annotations stay small.
void WriteAnnotations(const HloInstruction& instruction, pb::HloInstructionProto* proto) {
  if (!instruction.has_annotations()) return;
  const InstructionAnnotations& annotations = instruction.annotations();
  if (!annotations.metadata.empty()) MetadataToProto(annotations.metadata, proto->mutable_metadata());
  if (annotations.sharding.has_value()) ShardingToProto(*annotations.sharding, proto->mutable_sharding());
  if (!annotations.frontend_attributes.empty()) {
    FrontendAttributesToProto(annotations.frontend_attributes, proto->mutable_frontend_attributes());
  }
  proto->set_backend_config(annotations.backend_config);
  if (annotations.statistics.has_value()) StatisticsToProto(*annotations.statistics, proto->mutable_statistics_viz());
  if (!(annotations.result_accuracy == ResultAccuracy())) {
    AccuracyToProto(annotations.result_accuracy, proto->mutable_result_accuracy());
  }
  if (annotations.original_value.has_value()) {
    pb::OriginalValueProto* original = proto->mutable_original_value();
    original->set_is_synthetic_call(annotations.original_value->is_synthetic_call);
    ShapeIndex index;
    if (!original->is_synthetic_call()) OriginalValueToProto(*annotations.original_value, &index, original);
  }
}

}  // namespace xla
