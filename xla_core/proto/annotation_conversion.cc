#include "xla_core/proto/annotation_conversion.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/proto/device_conversion.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

namespace pb = ::halo::hlo;

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
    const std::vector<int64_t> index(element.shape_index().begin(), element.shape_index().end());
    if (SubshapeAt(shape, index) == nullptr) {
      warnings.Add(absl::StrCat("dropped an original value with an element ", ShapeIndexToString(index), ", which ",
                                shape.ToString(), " does not have"));
      return absl::nullopt;
    }
    OriginalValue* node = NodeAt(&value, index);
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
  proto->set_op_type(metadata.op_type.str());
  proto->set_op_name(metadata.op_name.str());
  proto->set_source_file(metadata.source_file.str());
  proto->set_source_line(metadata.source_line);
  proto->set_source_end_line(metadata.source_end_line);
  proto->set_source_column(metadata.source_column);
  proto->set_source_end_column(metadata.source_end_column);
  for (int64_t type : metadata.profile_type) proto->add_profile_type(static_cast<pb::ProfileType>(type));
  proto->set_deduplicated_name(metadata.deduplicated_name.str());
  proto->set_scheduling_name(metadata.scheduling_name.str());
  proto->set_stack_frame_id(metadata.stack_frame_id);
  if (!metadata.metadata_payload.empty()) {
    proto->mutable_metadata_payload()->set_value(metadata.metadata_payload.str());
  }
}

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
