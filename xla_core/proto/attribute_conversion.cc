// Each AttributeField names the field of HloInstructionProto that stores it, as a dotted path. The descriptors along
// the paths are looked up once per process; reading and writing then go through reflection by the kind of the field.
//
// Missing fields are protobuf's zero values, except that a missing number, enumerator or string leaves the struct's own
// default (feature_group_count 0 means 1, an unspecified API version is the original one, no thread is "main").
#include "xla_core/proto/attribute_conversion.h"

#include <google/protobuf/descriptor.h>

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "xla_core/ir/opcode_map.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/proto/device_conversion.h"
#include "xla_core/proto/value_conversion.h"
#include "xla_core/support/check.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

namespace pb = ::halo::hlo;
using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

struct BoundField {
  const AttributeField* field;
  std::vector<const FieldDescriptor*> parents;  // the messages on the way
  const FieldDescriptor* descriptor;
};

BoundField Bind(const AttributeField& field) {
  BoundField bound{&field, {}, nullptr};
  const Descriptor* message = pb::HloInstructionProto::descriptor();
  for (absl::string_view name : absl::StrSplit(field.proto, '.')) {
    if (bound.descriptor != nullptr) bound.parents.push_back(bound.descriptor);
    bound.descriptor = message->FindFieldByName(std::string(name));
    CHECK(bound.descriptor != nullptr);
    message = bound.descriptor->message_type();
  }
  return bound;
}

// The bound fields of the attributes of `opcode`.
const std::vector<BoundField>& FieldsOf(HloOpcode opcode) {
  static const auto& table = *[] {
    auto* fields = new std::vector<std::vector<BoundField>>(AllOpcodes().size());
    for (HloOpcode op : AllOpcodes()) {
      if (GetOp(op).make_attributes == nullptr) continue;
      const std::unique_ptr<Attributes> attributes = GetOp(op).make_attributes();
      for (const AttributeField& field : attributes->schema().fields) {
        if (field.proto != nullptr) (*fields)[static_cast<size_t>(op)].push_back(Bind(field));
      }
    }
    return fields;
  }();
  return table[static_cast<size_t>(opcode)];
}

absl::Status FieldError(const BoundField& bound, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat("field ", bound.field->proto, ": ", message));
}

// ---- Reading

DimensionVector ToDimensions(const google::protobuf::RepeatedField<int64_t>& values) {
  return DimensionVector(values.begin(), values.end());
}

Window WindowFromProto(const pb::Window& proto) {
  Window window;
  for (const pb::WindowDimension& d : proto.dimensions()) {
    window.dimensions.push_back({d.size(), d.stride(), d.padding_low(), d.padding_high(), d.base_dilation(),
                                 d.window_dilation(), d.window_reversal()});
  }
  return window;
}

ConvolutionDimensionNumbers DimLabelsFromProto(const pb::ConvolutionDimensionNumbers& proto) {
  ConvolutionDimensionNumbers labels;
  labels.input_batch = proto.input_batch_dimension();
  labels.input_feature = proto.input_feature_dimension();
  labels.kernel_input_feature = proto.kernel_input_feature_dimension();
  labels.kernel_output_feature = proto.kernel_output_feature_dimension();
  labels.output_batch = proto.output_batch_dimension();
  labels.output_feature = proto.output_feature_dimension();
  labels.input_spatial = ToDimensions(proto.input_spatial_dimensions());
  labels.kernel_spatial = ToDimensions(proto.kernel_spatial_dimensions());
  labels.output_spatial = ToDimensions(proto.output_spatial_dimensions());
  return labels;
}

absl::optional<ConvolutionSparsity::Side> SparsityFromProto(bool present, const pb::SparsityConfig::Side& proto) {
  if (!present) return absl::nullopt;
  return ConvolutionSparsity::Side{proto.num_non_zero(), proto.block_size(), proto.dimension(), proto.stride()};
}

// Calls fn(shape) for each array in the operand or, if it is a tuple, in its elements.
template <typename Fn>
void ForEachArray(const Shape& shape, Fn&& fn) {
  if (!shape.IsTuple()) fn(shape);
  for (const Shape& element : shape.tuple_shapes()) fn(element);
}

// Reads the fields of one instruction.
class AttributeReader {
 public:
  AttributeReader(const pb::HloInstructionProto& proto, const EncodedElements& elements,
                  const HloInstruction& instruction, ProtoWarnings& warnings)
      : proto_(proto), elements_(elements), instruction_(instruction), warnings_(warnings) {}

  absl::Status Read(const BoundField& bound, Attributes& attributes) {
    // The message that has the field, or nullptr if the field cannot be there.
    message_ = &proto_;
    for (const FieldDescriptor* parent : bound.parents) {
      const google::protobuf::Reflection& reflection = *message_->GetReflection();
      if (!reflection.HasField(*message_, parent)) return absl::OkStatus();
      message_ = &reflection.GetMessage(*message_, parent);
      warnings_.NoteUnknownFields(*message_);
    }
    reflection_ = message_->GetReflection();
    descriptor_ = bound.descriptor;
    return ReadKind(bound, attributes);
  }

 private:
  // Reads one attribute through protobuf's reflection. The schema in xla_core/ir binds each attribute to the field of
  // hlo.proto that it is stored in; its kind says how.
  absl::Status ReadKind(const BoundField& bound, Attributes& attributes) {
    const AttributeField& field = *bound.field;
    switch (field.kind) {
      case FieldKind::kBool:
        field.Get<bool>(attributes) = reflection_->GetBool(*message_, descriptor_);
        return absl::OkStatus();
      case FieldKind::kTriState:
        field.Get<int32_t>(attributes) = reflection_->GetEnumValue(*message_, descriptor_);
        return field.Get<int32_t>(attributes) < 0 || field.Get<int32_t>(attributes) > 2
                   ? FieldError(bound, "must be 0, 1 or 2")
                   : absl::OkStatus();
      case FieldKind::kInt:
      case FieldKind::kOneDimension:
        return ReadInt(bound, &field.Get<int64_t>(attributes));
      case FieldKind::kOptionalInt:
      case FieldKind::kOptionalDimension:
        return ReadOptionalInt(bound, &field.Get<absl::optional<int64_t>>(attributes));
      case FieldKind::kFloat:
        field.Get<float>(attributes) = reflection_->GetFloat(*message_, descriptor_);
        return absl::OkStatus();
      case FieldKind::kString: {
        std::string value = reflection_->GetString(*message_, descriptor_);
        if (!value.empty()) field.Get<std::string>(attributes) = std::move(value);
        return absl::OkStatus();
      }
      case FieldKind::kIntList: {
        DimensionVector& list = field.Get<DimensionVector>(attributes);
        const int count = reflection_->FieldSize(*message_, descriptor_);
        list.reserve(count);
        for (int i = 0; i < count; ++i) list.push_back(reflection_->GetRepeatedInt64(*message_, descriptor_, i));
        return absl::OkStatus();
      }
      case FieldKind::kIntLists:
        return ReadSliceSizes(bound, &field.Get<std::vector<std::vector<int64_t>>>(attributes));
      case FieldKind::kBoolList: {
        for (int i = 0; i < reflection_->FieldSize(*message_, descriptor_); ++i) {
          field.Get<std::vector<bool>>(attributes).push_back(reflection_->GetRepeatedBool(*message_, descriptor_, i));
        }
        return absl::OkStatus();
      }
      case FieldKind::kEnum:
        return ReadEnum(bound, &field.Get<int32_t>(attributes));
      case FieldKind::kPrecisionList:
        return ReadPrecisions(bound, &field.Get<std::vector<Precision>>(attributes));
      case FieldKind::kWindow:
        field.Get<Window>(attributes) = WindowFromProto(proto_.window());
        return absl::OkStatus();
      case FieldKind::kOptionalWindow:
        if (proto_.has_window()) field.Get<absl::optional<Window>>(attributes) = WindowFromProto(proto_.window());
        return absl::OkStatus();
      case FieldKind::kDimLabels:
        field.Get<ConvolutionDimensionNumbers>(attributes) = DimLabelsFromProto(proto_.convolution_dimension_numbers());
        return absl::OkStatus();
      case FieldKind::kOptionalDimLabels:
        if (proto_.has_convolution_dimension_numbers()) {
          field.Get<absl::optional<ConvolutionDimensionNumbers>>(attributes) =
              DimLabelsFromProto(proto_.convolution_dimension_numbers());
        }
        return absl::OkStatus();
      case FieldKind::kPadding:
        for (const auto& d : proto_.padding_config().dimensions()) {
          field.Get<PaddingConfig>(attributes)
              .push_back({d.edge_padding_low(), d.edge_padding_high(), d.interior_padding()});
        }
        return absl::OkStatus();
      case FieldKind::kSlice:
        for (const auto& d : proto_.slice_dimensions()) {
          field.Get<std::vector<SliceRange>>(attributes).push_back({d.start(), d.limit(), d.stride()});
        }
        return absl::OkStatus();
      case FieldKind::kReplicaGroups:
        field.Get<ReplicaGroups>(attributes) = ReplicaGroupsFromProto(proto_);
        return absl::OkStatus();
      case FieldKind::kSourceTargetPairs:
        for (const pb::SourceTarget& pair : proto_.source_target_pairs()) {
          field.Get<std::vector<std::pair<int64_t, int64_t>>>(attributes).emplace_back(pair.source(), pair.target());
        }
        return absl::OkStatus();
      case FieldKind::kShape:
        return ReadShape(bound, &field.Get<Shape>(attributes));
      case FieldKind::kShapeList:
        return ReadShapes(bound, &field.Get<std::vector<Shape>>(attributes));
      case FieldKind::kOptionalShapeList:
        // An empty list says something only if the layout is constrained.
        if (!proto_.constrain_layout() && reflection_->FieldSize(*message_, descriptor_) == 0) return absl::OkStatus();
        return ReadShapes(bound, &field.Get<absl::optional<std::vector<Shape>>>(attributes).emplace());
      case FieldKind::kAliasing:
        for (const pb::OutputOperandAliasing& a : proto_.output_operand_aliasing()) {
          field.Get<std::vector<OutputOperandAlias>>(attributes)
              .push_back(
                  {ToShapeIndex(a.output_shape_index()), a.operand_index(), ToShapeIndex(a.operand_shape_index())});
        }
        return absl::OkStatus();
      case FieldKind::kLiteral:
        return ReadLiteral(bound, &field.Get<std::shared_ptr<const Literal>>(attributes));
      case FieldKind::kDomain:
        return ReadDomain(&field.Get<Domain>(attributes));
      case FieldKind::kSparsity: {
        const pb::SparsityConfig& config = proto_.sparsity_config();
        field.Get<ConvolutionSparsity>(attributes) = {SparsityFromProto(config.has_lhs(), config.lhs()),
                                                      SparsityFromProto(config.has_rhs(), config.rhs())};
        return absl::OkStatus();
      }
    }
    return absl::OkStatus();
  }

  int64_t SingularInt() const {
    return descriptor_->cpp_type() == FieldDescriptor::CPPTYPE_INT32 ? reflection_->GetInt32(*message_, descriptor_)
                                                                     : reflection_->GetInt64(*message_, descriptor_);
  }

  absl::Status ReadInt(const BoundField& bound, int64_t* value) {
    if (!descriptor_->is_repeated()) {
      const int64_t stored = SingularInt();
      if (stored != 0) *value = stored;
      return absl::OkStatus();
    }
    const int count = reflection_->FieldSize(*message_, descriptor_);
    if (count != 1) return FieldError(bound, absl::StrCat("has ", count, " entries, expected one"));
    *value = reflection_->GetRepeatedInt64(*message_, descriptor_, 0);
    return absl::OkStatus();
  }

  // An optional number is either a repeated field of at most one entry, or a singular one where some value stands for
  // "none": -1 for inferred dimensions, and 0 or less for channels.
  absl::Status ReadOptionalInt(const BoundField& bound, absl::optional<int64_t>* value) {
    if (descriptor_->is_repeated()) {
      const int count = reflection_->FieldSize(*message_, descriptor_);
      if (count > 1) return FieldError(bound, absl::StrCat("has ", count, " entries, expected at most one"));
      if (count == 1) {
        const int64_t stored = reflection_->GetRepeatedInt64(*message_, descriptor_, 0);
        // -1 stands for "not inferred" in old reshapes.
        if (stored != -1) *value = stored;
      }
      return absl::OkStatus();
    }
    // Of channels, a negative number means none, and XLA neither writes nor knows 0.
    const bool is_given = reflection_->HasField(*message_, descriptor_);
    const bool may_be_negative = descriptor_->real_containing_oneof() != nullptr;
    if (is_given && (SingularInt() >= 0 || may_be_negative)) *value = SingularInt();
    return absl::OkStatus();
  }

  absl::Status ReadEnum(const BoundField& bound, int32_t* value) {
    const EnumTable& names = *bound.field->enums;
    if (descriptor_->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      const std::string name = reflection_->GetString(*message_, descriptor_);
      if (name.empty() && bound.field->presence != Presence::kRequired) return absl::OkStatus();
      *value = names.Find(name);
      return *value < 0 ? FieldError(bound, absl::StrCat("unknown ", names.what, " '", name, "'")) : absl::OkStatus();
    }
    const int stored = reflection_->GetEnumValue(*message_, descriptor_);
    if (stored == 0 && bound.field->presence != Presence::kRequired) return absl::OkStatus();
    if (stored < 0 || stored >= static_cast<int>(names.names.size()) || names.names[stored] == nullptr) {
      return FieldError(bound, absl::StrCat("unknown ", names.what, " ", stored));
    }
    *value = stored;
    return absl::OkStatus();
  }

  // All defaults say the same as no list.
  absl::Status ReadPrecisions(const BoundField& bound, std::vector<Precision>* precisions) {
    bool any = false;
    for (int i = 0; i < reflection_->FieldSize(*message_, descriptor_); ++i) {
      const int value = reflection_->GetRepeatedEnumValue(*message_, descriptor_, i);
      if (value < 0 || value > static_cast<int>(Precision::kHighest)) {
        return FieldError(bound, absl::StrCat("unknown precision ", value));
      }
      any |= value != 0;
      precisions->push_back(static_cast<Precision>(value));
    }
    if (!any) precisions->clear();
    return absl::OkStatus();
  }

  absl::Status ReadShape(const BoundField& bound, Shape* shape) {
    if (!reflection_->HasField(*message_, descriptor_)) return absl::OkStatus();
    const auto& stored = static_cast<const pb::ShapeProto&>(reflection_->GetMessage(*message_, descriptor_));
    // Outfeeds of 2017 left an empty message there.
    if (stored.element_type() == pb::PRIMITIVE_TYPE_INVALID) return absl::OkStatus();
    absl::StatusOr<Shape> read = ShapeFromProto(stored, warnings_);
    if (!read.ok()) return FieldError(bound, read.status().message());
    *shape = *std::move(read);
    return absl::OkStatus();
  }

  absl::Status ReadShapes(const BoundField& bound, std::vector<Shape>* shapes) {
    for (int i = 0; i < reflection_->FieldSize(*message_, descriptor_); ++i) {
      const Message& stored = reflection_->GetRepeatedMessage(*message_, descriptor_, i);
      absl::StatusOr<Shape> read = ShapeFromProto(static_cast<const pb::ShapeProto&>(stored), warnings_);
      if (!read.ok()) return FieldError(bound, read.status().message());
      shapes->push_back(*std::move(read));
    }
    return absl::OkStatus();
  }

  absl::Status ReadLiteral(const BoundField& bound, std::shared_ptr<const Literal>* literal) {
    if (!proto_.has_literal()) return absl::OkStatus();
    absl::StatusOr<Literal> read = LiteralFromProto(proto_.literal(), warnings_, elements_);
    if (!read.ok()) return FieldError(bound, read.status().message());
    *literal = std::make_shared<const Literal>(*std::move(read));
    return absl::OkStatus();
  }

  absl::Status ReadDomain(Domain* domain) {
    if (proto_.has_domain_entry_sharding()) {
      ASSIGN_OR_RETURN(domain->entry, ShardingFromProto(proto_.domain_entry_sharding(), warnings_));
    }
    if (proto_.has_domain_exit_sharding()) {
      ASSIGN_OR_RETURN(domain->exit, ShardingFromProto(proto_.domain_exit_sharding(), warnings_));
    }
    return absl::OkStatus();
  }

  // The sizes of all slices that a collective-permute moves, one after the other; each has the rank of the array it is
  // cut from. Arrays of a tuple may have several slices, as many for each.
  absl::Status ReadSliceSizes(const BoundField& bound, std::vector<std::vector<int64_t>>* slices) {
    const int count = reflection_->FieldSize(*message_, descriptor_);
    if (count == 0) return absl::OkStatus();
    int64_t ranks = 0;
    if (instruction_.operand_count() > 0) {
      ForEachArray(instruction_.operand(0)->shape(), [&](const Shape& array) { ranks += array.rank(); });
    }
    if (ranks == 0 || count % ranks != 0) {
      return FieldError(bound,
                        absl::StrCat("has ", count, " sizes, expected a multiple of the operand's rank ", ranks));
    }
    const int64_t slices_of_each = count / ranks;
    int next = 0;
    ForEachArray(instruction_.operand(0)->shape(), [&](const Shape& array) {
      for (int64_t s = 0; s < slices_of_each; ++s) {
        std::vector<int64_t>& slice = slices->emplace_back();
        for (int d = 0; d < array.rank(); ++d) {
          slice.push_back(reflection_->GetRepeatedInt64(*message_, descriptor_, next++));
        }
      }
    });
    return absl::OkStatus();
  }

  const pb::HloInstructionProto& proto_;
  const EncodedElements& elements_;
  const HloInstruction& instruction_;
  ProtoWarnings& warnings_;
  const Message* message_ = nullptr;
  const google::protobuf::Reflection* reflection_ = nullptr;
  const FieldDescriptor* descriptor_ = nullptr;
};

// Products of 2017 had no dimension numbers: the last dimension of lhs meets the last but one (or only one) of rhs.
void FillDotDimensions(const HloInstruction& instruction, DotAttributes* dot) {
  if (instruction.operand_count() < 2) return;
  const int lhs_rank = instruction.operand(0)->shape().rank();
  const int rhs_rank = instruction.operand(1)->shape().rank();
  if (lhs_rank == 0 || rhs_rank == 0) return;
  dot->lhs_contracting_dims = {lhs_rank - 1};
  dot->rhs_contracting_dims = {rhs_rank == 1 ? 0 : rhs_rank - 2};
}

// ---- What old files store elsewhere or leave out

void ApplyOldCompare(const pb::HloInstructionProto& proto, HloInstruction* compare) {
  if (!proto.comparison_type().empty() || compare->operand_count() == 0) return;
  compare->mutable_attributes<CompareAttributes>().type =
      DefaultComparisonType(compare->operand(0)->shape().element_type());
}

void ApplyOldDot(const pb::HloInstructionProto& proto, HloInstruction* dot) {
  if (!proto.has_dot_dimension_numbers()) FillDotDimensions(*dot, &dot->mutable_attributes<DotAttributes>());
}

void ApplyOldAllReduce(const pb::HloInstructionProto& proto, HloInstruction* all_reduce) {
  if (proto.channel_id() > 0 || proto.all_reduce_id() <= 0) return;
  all_reduce->mutable_attributes<AllReduceAttributes>().channel_id = proto.all_reduce_id();
}

void ApplyOldCopyStart(const pb::HloInstructionProto& proto, HloInstruction* start) {
  auto& copy = start->mutable_attributes<CopyStartAttributes>();
  if (proto.is_cross_program_prefetch() && !copy.cross_program_prefetch_index.has_value()) {
    copy.cross_program_prefetch_index = 0;
  }
}

void ApplyOldForms(const pb::HloInstructionProto& proto, HloInstruction* instruction) {
  using Apply = void (*)(const pb::HloInstructionProto& proto, HloInstruction* instruction);
  static constexpr OpcodeMap<Apply> kOldForms(/*otherwise=*/nullptr, {{HloOpcode::kCompare, &ApplyOldCompare},
                                                                      {HloOpcode::kDot, &ApplyOldDot},
                                                                      {HloOpcode::kAllReduce, &ApplyOldAllReduce},
                                                                      {HloOpcode::kCopyStart, &ApplyOldCopyStart}});
  if (const Apply apply = kOldForms[instruction->opcode()]) apply(proto, instruction);
}

// ---- Writing

void WindowToProto(const Window& window, pb::Window* proto) {
  for (const WindowDimension& d : window.dimensions) {
    pb::WindowDimension* added = proto->add_dimensions();
    added->set_size(d.size);
    added->set_stride(d.stride);
    added->set_padding_low(d.padding_low);
    added->set_padding_high(d.padding_high);
    added->set_base_dilation(d.base_dilation);
    added->set_window_dilation(d.window_dilation);
    added->set_window_reversal(d.window_reversal);
  }
}

void DimLabelsToProto(const ConvolutionDimensionNumbers& labels, pb::ConvolutionDimensionNumbers* proto) {
  proto->set_input_batch_dimension(labels.input_batch);
  proto->set_input_feature_dimension(labels.input_feature);
  proto->set_kernel_input_feature_dimension(labels.kernel_input_feature);
  proto->set_kernel_output_feature_dimension(labels.kernel_output_feature);
  proto->set_output_batch_dimension(labels.output_batch);
  proto->set_output_feature_dimension(labels.output_feature);
  proto->mutable_input_spatial_dimensions()->Add(labels.input_spatial.begin(), labels.input_spatial.end());
  proto->mutable_kernel_spatial_dimensions()->Add(labels.kernel_spatial.begin(), labels.kernel_spatial.end());
  proto->mutable_output_spatial_dimensions()->Add(labels.output_spatial.begin(), labels.output_spatial.end());
}

void SparsityToProto(const ConvolutionSparsity::Side& side, pb::SparsityConfig::Side* proto) {
  proto->set_num_non_zero(side.num_non_zero);
  proto->set_block_size(side.block_size);
  proto->set_dimension(side.dimension);
  proto->set_stride(side.stride);
}

class AttributeWriter {
 public:
  explicit AttributeWriter(pb::HloInstructionProto* proto) : proto_(*proto) {}

  absl::Status Write(const BoundField& bound, const Attributes& attributes) {
    if (IsLeftOut(bound, attributes)) return absl::OkStatus();
    message_ = &proto_;
    for (const FieldDescriptor* parent : bound.parents) {
      message_ = message_->GetReflection()->MutableMessage(message_, parent);
    }
    reflection_ = message_->GetReflection();
    descriptor_ = bound.descriptor;
    return WriteKind(bound, attributes);
  }

 private:
  // PrecisionConfig and ParameterReplication come into being only if they say something; the other messages on the way
  // to a field (dimension numbers, options) say by their presence that this is not a file of 2017.
  static bool IsLeftOut(const BoundField& bound, const Attributes& attributes) {
    if (bound.parents.empty()) return false;
    switch (bound.field->kind) {
      case FieldKind::kPrecisionList:
        return bound.field->Get<std::vector<Precision>>(attributes).empty();
      case FieldKind::kBoolList:
        return bound.field->Get<std::vector<bool>>(attributes).empty();
      case FieldKind::kEnum:
        return bound.field->Get<int32_t>(attributes) == 0;
      default:
        return false;
    }
  }

  // The inverse of ReadKind: writes one attribute to the field that its schema names. Optional values that are absent
  // write nothing.
  absl::Status WriteKind(const BoundField& bound, const Attributes& attributes) {
    const AttributeField& field = *bound.field;
    switch (field.kind) {
      case FieldKind::kBool:
        reflection_->SetBool(message_, descriptor_, field.Get<bool>(attributes));
        return absl::OkStatus();
      case FieldKind::kTriState:
        reflection_->SetEnumValue(message_, descriptor_, field.Get<int32_t>(attributes));
        return absl::OkStatus();
      case FieldKind::kInt:
      case FieldKind::kOneDimension:
        return WriteInt(bound, field.Get<int64_t>(attributes));
      case FieldKind::kOptionalInt:
      case FieldKind::kOptionalDimension: {
        const auto& value = field.Get<absl::optional<int64_t>>(attributes);
        return value.has_value() ? WriteInt(bound, *value) : absl::OkStatus();
      }
      case FieldKind::kFloat:
        reflection_->SetFloat(message_, descriptor_, field.Get<float>(attributes));
        return absl::OkStatus();
      case FieldKind::kString:
        reflection_->SetString(message_, descriptor_, field.Get<std::string>(attributes));
        return absl::OkStatus();
      case FieldKind::kIntList:
        for (int64_t v : field.Get<DimensionVector>(attributes)) reflection_->AddInt64(message_, descriptor_, v);
        return absl::OkStatus();
      case FieldKind::kIntLists:
        for (const std::vector<int64_t>& list : field.Get<std::vector<std::vector<int64_t>>>(attributes)) {
          for (int64_t v : list) reflection_->AddInt64(message_, descriptor_, v);
        }
        return absl::OkStatus();
      case FieldKind::kBoolList:
        for (bool v : field.Get<std::vector<bool>>(attributes)) reflection_->AddBool(message_, descriptor_, v);
        return absl::OkStatus();
      case FieldKind::kEnum:
        WriteEnum(bound, field.Get<int32_t>(attributes));
        return absl::OkStatus();
      case FieldKind::kPrecisionList:
        for (Precision p : field.Get<std::vector<Precision>>(attributes)) {
          reflection_->AddEnumValue(message_, descriptor_, static_cast<int>(p));
        }
        return absl::OkStatus();
      case FieldKind::kWindow:
        WindowToProto(field.Get<Window>(attributes), proto_.mutable_window());
        return absl::OkStatus();
      case FieldKind::kOptionalWindow: {
        const auto& window = field.Get<absl::optional<Window>>(attributes);
        if (window.has_value()) WindowToProto(*window, proto_.mutable_window());
        return absl::OkStatus();
      }
      case FieldKind::kDimLabels:
        DimLabelsToProto(field.Get<ConvolutionDimensionNumbers>(attributes),
                         proto_.mutable_convolution_dimension_numbers());
        return absl::OkStatus();
      case FieldKind::kOptionalDimLabels: {
        const auto& labels = field.Get<absl::optional<ConvolutionDimensionNumbers>>(attributes);
        if (labels.has_value()) DimLabelsToProto(*labels, proto_.mutable_convolution_dimension_numbers());
        return absl::OkStatus();
      }
      case FieldKind::kPadding:
        for (const PaddingDimension& d : field.Get<PaddingConfig>(attributes)) {
          auto* added = proto_.mutable_padding_config()->add_dimensions();
          added->set_edge_padding_low(d.low);
          added->set_edge_padding_high(d.high);
          added->set_interior_padding(d.interior);
        }
        return absl::OkStatus();
      case FieldKind::kSlice:
        for (const SliceRange& range : field.Get<std::vector<SliceRange>>(attributes)) {
          auto* added = proto_.add_slice_dimensions();
          added->set_start(range.start);
          added->set_limit(range.limit);
          added->set_stride(range.stride);
        }
        return absl::OkStatus();
      case FieldKind::kReplicaGroups:
        ReplicaGroupsToProto(field.Get<ReplicaGroups>(attributes), &proto_);
        return absl::OkStatus();
      case FieldKind::kSourceTargetPairs:
        for (const auto& [source, target] : field.Get<std::vector<std::pair<int64_t, int64_t>>>(attributes)) {
          pb::SourceTarget* added = proto_.add_source_target_pairs();
          added->set_source(source);
          added->set_target(target);
        }
        return absl::OkStatus();
      case FieldKind::kShape:
        if (field.Get<Shape>(attributes).element_type() != PRIMITIVE_TYPE_INVALID) {
          ShapeToProto(field.Get<Shape>(attributes),
                       static_cast<pb::ShapeProto*>(reflection_->MutableMessage(message_, descriptor_)));
        }
        return absl::OkStatus();
      case FieldKind::kShapeList:
        WriteShapes(field.Get<std::vector<Shape>>(attributes));
        return absl::OkStatus();
      case FieldKind::kOptionalShapeList: {
        const auto& shapes = field.Get<absl::optional<std::vector<Shape>>>(attributes);
        if (!shapes.has_value()) return absl::OkStatus();
        proto_.set_constrain_layout(true);
        WriteShapes(*shapes);
        return absl::OkStatus();
      }
      case FieldKind::kAliasing:
        for (const OutputOperandAlias& alias : field.Get<std::vector<OutputOperandAlias>>(attributes)) {
          pb::OutputOperandAliasing* added = proto_.add_output_operand_aliasing();
          added->mutable_output_shape_index()->Add(alias.output_index.begin(), alias.output_index.end());
          added->set_operand_index(alias.operand);
          added->mutable_operand_shape_index()->Add(alias.operand_index.begin(), alias.operand_index.end());
        }
        return absl::OkStatus();
      case FieldKind::kLiteral: {
        const auto& literal = field.Get<std::shared_ptr<const Literal>>(attributes);
        return literal == nullptr ? absl::OkStatus() : LiteralToProto(*literal, proto_.mutable_literal());
      }
      case FieldKind::kDomain: {
        const Domain& domain = field.Get<Domain>(attributes);
        if (domain.entry.has_value()) ShardingToProto(*domain.entry, proto_.mutable_domain_entry_sharding());
        if (domain.exit.has_value()) ShardingToProto(*domain.exit, proto_.mutable_domain_exit_sharding());
        return absl::OkStatus();
      }
      case FieldKind::kSparsity: {
        const auto& sparsity = field.Get<ConvolutionSparsity>(attributes);
        if (sparsity.lhs.has_value()) SparsityToProto(*sparsity.lhs, proto_.mutable_sparsity_config()->mutable_lhs());
        if (sparsity.rhs.has_value()) SparsityToProto(*sparsity.rhs, proto_.mutable_sparsity_config()->mutable_rhs());
        return absl::OkStatus();
      }
    }
    return absl::OkStatus();
  }

  absl::Status WriteInt(const BoundField& bound, int64_t value) {
    if (descriptor_->is_repeated()) {
      reflection_->AddInt64(message_, descriptor_, value);
      return absl::OkStatus();
    }
    if (descriptor_->cpp_type() == FieldDescriptor::CPPTYPE_INT64) {
      reflection_->SetInt64(message_, descriptor_, value);
      return absl::OkStatus();
    }
    if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max()) {
      return FieldError(bound, absl::StrCat(value, " does not fit in 32 bits"));
    }
    reflection_->SetInt32(message_, descriptor_, static_cast<int32_t>(value));
    return absl::OkStatus();
  }

  void WriteEnum(const BoundField& bound, int32_t value) {
    if (descriptor_->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      reflection_->SetString(message_, descriptor_, bound.field->enums->names[value]);
    } else {
      reflection_->SetEnumValue(message_, descriptor_, value);
    }
  }

  void WriteShapes(const std::vector<Shape>& shapes) {
    for (const Shape& shape : shapes) {
      ShapeToProto(shape, static_cast<pb::ShapeProto*>(reflection_->AddMessage(message_, descriptor_)));
    }
  }

  pb::HloInstructionProto& proto_;
  Message* message_ = nullptr;
  const google::protobuf::Reflection* reflection_ = nullptr;
  const FieldDescriptor* descriptor_ = nullptr;
};

}  // namespace

absl::Status ReadAttributes(const pb::HloInstructionProto& proto, const EncodedElements& elements,
                            ProtoWarnings& warnings, HloInstruction* instruction) {
  const OpDefinition& op = GetOp(instruction->opcode());
  if (op.make_attributes == nullptr) return absl::OkStatus();
  std::unique_ptr<Attributes> attributes = op.make_attributes();
  AttributeReader reader(proto, elements, *instruction, warnings);
  for (const BoundField& bound : FieldsOf(instruction->opcode())) RETURN_IF_ERROR(reader.Read(bound, *attributes));
  instruction->set_attributes(std::move(attributes));
  ApplyOldForms(proto, instruction);
  return absl::OkStatus();
}

absl::Status WriteAttributes(const HloInstruction& instruction, pb::HloInstructionProto* proto) {
  const Attributes* attributes = instruction.raw_attributes();
  if (attributes == nullptr) return absl::OkStatus();
  AttributeWriter writer(proto);
  for (const BoundField& bound : FieldsOf(instruction.opcode())) RETURN_IF_ERROR(writer.Write(bound, *attributes));
  return absl::OkStatus();
}

}  // namespace xla
