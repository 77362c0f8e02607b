// Attributes are written by their schema: each kind of field has one spelling in JSON, whatever struct it is in.
#include "tools/views/module_json.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/support/json.h"
#include "xla_core/support/resource_poll.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/attribute_printer.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace {

class ModuleJsonWriter {
 public:
  ModuleJsonWriter(const JsonOptions& options) : options_(options), poll_(options.resources), json_(options.indent) {}

  absl::StatusOr<std::string> Write(const HloModule& module) {
    json_.BeginObject();
    json_.Key("format").String("halo-hlo-json");
    json_.Key("version").Int(1);
    json_.Key("name").String(module.name());
    json_.Key("id").Int(module.id());
    WriteHeader(module.config());
    json_.Key("entry").String(module.entry()->name());
    json_.Key("computations").BeginArray();
    for (const auto& computation : module.computations()) RETURN_IF_ERROR(WriteComputation(*computation));
    json_.EndArray().EndObject();
    return json_.TakeText() + "\n";
  }

 private:
  void WriteHeader(const HloModuleConfig& config) {
    json_.Key("is_scheduled").Bool(config.is_scheduled);
    json_.Key("replica_count").Int(config.replica_count);
    json_.Key("num_partitions").Int(config.num_partitions);
    if (config.entry_computation_layout.has_value()) {
      json_.Key("entry_computation_layout").BeginObject();
      json_.Key("parameters").BeginArray();
      for (const Shape& shape : config.entry_computation_layout->parameters) WriteShape(shape);
      json_.EndArray();
      json_.Key("result");
      WriteShape(config.entry_computation_layout->result);
      json_.EndObject();
    }
    if (!config.input_output_alias.empty()) WriteInputOutputAlias(config);
    if (!config.buffer_donors.empty()) {
      json_.Key("buffer_donor").BeginArray();
      for (const BufferDonor& donor : config.buffer_donors) {
        json_.BeginObject();
        json_.Key("parameter").Int(donor.parameter_number);
        json_.Key("parameter_index");
        WriteInts(donor.parameter_index);
        json_.EndObject();
      }
      json_.EndArray();
    }
    WriteFrontendAttributes(config.frontend_attributes);
    if (options_.metadata && !config.stack_frames.empty()) WriteStackFrames(config.stack_frames);
  }

  void WriteInputOutputAlias(const HloModuleConfig& config) {
    json_.Key("input_output_alias").BeginArray();
    for (const InputOutputAlias& alias : config.input_output_alias) {
      json_.BeginObject();
      json_.Key("output_index");
      WriteInts(alias.output_index);
      json_.Key("parameter").Int(alias.parameter_number);
      json_.Key("parameter_index");
      WriteInts(alias.parameter_index);
      json_.Key("must_alias").Bool(alias.must_alias);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void WriteStackFrames(const StackFrameIndex& frames) {
    json_.Key("stack_frames").BeginObject();
    json_.Key("file_names").BeginArray();
    for (const std::string& name : frames.file_names) json_.String(name);
    json_.EndArray();
    json_.Key("function_names").BeginArray();
    for (const std::string& name : frames.function_names) json_.String(name);
    json_.EndArray();
    json_.Key("file_locations").BeginArray();
    for (const StackFrameIndex::FileLocation& location : frames.file_locations) {
      json_.BeginObject();
      json_.Key("file_name_id").Int(location.file_name_id);
      json_.Key("function_name_id").Int(location.function_name_id);
      json_.Key("line").Int(location.line);
      json_.Key("end_line").Int(location.end_line);
      json_.Key("column").Int(location.column);
      json_.Key("end_column").Int(location.end_column);
      json_.EndObject();
    }
    json_.EndArray();
    json_.Key("frames").BeginArray();
    for (const StackFrameIndex::StackFrame& frame : frames.stack_frames) {
      json_.BeginObject();
      json_.Key("file_location_id").Int(frame.file_location_id);
      json_.Key("parent_frame_id").Int(frame.parent_frame_id);
      json_.EndObject();
    }
    json_.EndArray().EndObject();
  }

  absl::Status WriteComputation(const HloComputation& computation) {
    json_.BeginObject();
    json_.Key("name").String(computation.name());
    json_.Key("id").Int(computation.id());
    json_.Key("is_fusion").Bool(computation.is_fusion_computation());
    json_.Key("execution_thread").String(computation.execution_thread());
    json_.Key("root").String(computation.root()->name());
    json_.Key("instructions").BeginArray();
    for (const auto& instruction : computation.instructions()) {
      RETURN_IF_ERROR(poll_.Check(1 + instruction->operand_count()));
      WriteInstruction(*instruction);
    }
    json_.EndArray().EndObject();
    return absl::OkStatus();
  }

  void WriteInstruction(const HloInstruction& instruction) {
    json_.BeginObject();
    json_.Key("name").String(instruction.name());
    json_.Key("id").Int(instruction.id());
    json_.Key("opcode").String(instruction.opcode_name());
    json_.Key("shape");
    WriteShape(instruction.shape());
    WriteNames("operands", instruction.operands());
    if (!instruction.control_predecessors().empty()) {
      WriteNames("control_predecessors", instruction.control_predecessors());
    }
    if (!instruction.called_computations().empty()) WriteCalledComputations(instruction);
    if (instruction.raw_attributes() != nullptr) WriteAttributes(*instruction.raw_attributes());
    if (instruction.has_annotations()) WriteAnnotations(instruction.annotations());
    if (options_.cost) WriteCost(options_.cost(instruction));
    json_.EndObject();
  }

  void WriteNames(absl::string_view key, absl::Span<HloInstruction* const> instructions) {
    json_.Key(key).BeginArray();
    for (const HloInstruction* instruction : instructions) json_.String(instruction->name());
    json_.EndArray();
  }

  void WriteCalledComputations(const HloInstruction& instruction) {
    const std::vector<const char*>& roles = GetOp(instruction.opcode()).called_computations;
    json_.Key("called_computations").BeginArray();
    for (size_t i = 0; i < instruction.called_computations().size(); ++i) {
      absl::string_view role = roles.empty() ? "calls" : roles[std::min(i, roles.size() - 1)];
      absl::ConsumeSuffix(&role, "*");
      absl::ConsumeSuffix(&role, "?");
      json_.BeginObject();
      json_.Key("role").String(role);
      json_.Key("computation").String(instruction.called_computations()[i]->name());
      json_.EndObject();
    }
    json_.EndArray();
  }

  void WriteCost(const InstructionCost& cost) {
    json_.Key("cost").BeginObject();
    json_.Key("flops").Double(cost.flops);
    json_.Key("bytes").Double(cost.bytes);
    json_.Key("transcendentals").Double(cost.transcendentals);
    json_.Key("runs").Double(cost.runs);
    json_.EndObject();
  }

  // ---- Shapes

  void WriteShape(const Shape& shape) {
    json_.BeginObject();
    json_.Key("type").String(PrimitiveTypeName(shape.element_type()));
    if (shape.IsTuple() || shape.IsBuffer()) {
      json_.Key("elements").BeginArray();
      for (const Shape& element : shape.tuple_shapes()) WriteShape(element);
      json_.EndArray();
    } else if (shape.IsArray()) {
      json_.Key("dimensions").BeginArray();
      for (int i = 0; i < shape.rank(); ++i) {
        shape.dimension(i) == Shape::kUnboundedSize ? json_.Null() : json_.Int(shape.dimension(i));
      }
      json_.EndArray();
      if (shape.IsDynamic()) {
        json_.Key("dynamic").BeginArray();
        for (int i = 0; i < shape.rank(); ++i) json_.Bool(shape.is_dynamic_dimension(i));
        json_.EndArray();
      }
      if (shape.has_layout()) WriteLayout(*shape.layout());
    }
    json_.EndObject();
  }

  // The parts that text has beyond the order of dimensions are rare: they stay text.
  void WriteLayout(const Layout& layout) {
    json_.Key("minor_to_major");
    WriteInts(layout.minor_to_major);
    Layout plain;
    plain.minor_to_major = layout.minor_to_major;
    if (layout != plain) json_.Key("layout").String(layout.ToString());
  }

  template <typename List>
  void WriteInts(const List& list) {
    json_.BeginArray();
    for (int64_t value : list) json_.Int(value);
    json_.EndArray();
  }

  // ---- Attributes

  void WriteAttributes(const Attributes& attributes) {
    std::unique_ptr<Attributes> defaults = attributes.MakeDefault();
    json_.Key("attributes").BeginObject();
    for (const AttributeField& field : attributes.schema().fields) {
      if (field.presence == Presence::kOptional && FieldEqual(field, attributes, *defaults)) continue;
      json_.Key(field.name);
      WriteValue(field, attributes);
    }
    json_.EndObject();
  }

  void WriteText(const AttributeField& field, const Attributes& attributes) {
    std::string text;
    AttributePrintOptions print;
    print.elide_large_constants = options_.elide_large_constants;
    AppendAttributeValue(field, attributes, print, &text);
    json_.String(text);
  }

  void WriteEnumName(const EnumTable& table, int32_t value) {
    const bool known = value >= 0 && value < static_cast<int>(table.names.size()) && table.names[value] != nullptr;
    known ? json_.String(table.names[value]) : json_.Int(value);
  }

  void WriteValue(const AttributeField& field, const Attributes& a) {
    switch (field.kind) {
      case FieldKind::kBool:
        json_.Bool(field.Get<bool>(a));
        return;
      case FieldKind::kTriState:
        field.Get<int32_t>(a) == 0 ? json_.Null() : json_.Bool(field.Get<int32_t>(a) == 1);
        return;
      case FieldKind::kInt:
      case FieldKind::kOneDimension:
        json_.Int(field.Get<int64_t>(a));
        return;
      case FieldKind::kOptionalInt:
      case FieldKind::kOptionalDimension: {
        const absl::optional<int64_t>& value = field.Get<absl::optional<int64_t>>(a);
        value.has_value() ? json_.Int(*value) : json_.Null();
        return;
      }
      case FieldKind::kFloat:
        json_.Double(field.Get<float>(a));
        return;
      case FieldKind::kString:
        json_.String(field.Get<std::string>(a));
        return;
      case FieldKind::kIntList:
        return WriteInts(field.Get<DimensionVector>(a));
      case FieldKind::kIntLists:
        return WriteList(field.Get<std::vector<std::vector<int64_t>>>(a),
                         [this](const std::vector<int64_t>& list) { WriteInts(list); });
      case FieldKind::kBoolList:
        return WriteList(field.Get<std::vector<bool>>(a), [this](bool value) { json_.Bool(value); });
      case FieldKind::kEnum:
        return WriteEnumName(*field.enums, field.Get<int32_t>(a));
      case FieldKind::kPrecisionList:
        return WriteList(field.Get<std::vector<Precision>>(a), [this](Precision precision) {
          WriteEnumName(PrecisionNames(), static_cast<int32_t>(precision));
        });
      case FieldKind::kWindow:
        return WriteWindow(field.Get<Window>(a));
      case FieldKind::kOptionalWindow:
        return WriteOptional(field.Get<absl::optional<Window>>(a), [this](const Window& w) { WriteWindow(w); });
      case FieldKind::kPadding:
        return WriteList(field.Get<PaddingConfig>(a), [this](const PaddingDimension& d) {
          WriteObject({{"low", d.low}, {"high", d.high}, {"interior", d.interior}});
        });
      case FieldKind::kSlice:
        return WriteList(field.Get<std::vector<SliceRange>>(a), [this](const SliceRange& range) {
          WriteObject({{"start", range.start}, {"limit", range.limit}, {"stride", range.stride}});
        });
      case FieldKind::kSourceTargetPairs:
        return WriteList(field.Get<std::vector<std::pair<int64_t, int64_t>>>(a),
                         [this](const std::pair<int64_t, int64_t>& pair) {
                           WriteInts(std::vector<int64_t>{pair.first, pair.second});
                         });
      case FieldKind::kShape:
        return WriteShape(field.Get<Shape>(a));
      case FieldKind::kShapeList:
        return WriteList(field.Get<std::vector<Shape>>(a), [this](const Shape& shape) { WriteShape(shape); });
      case FieldKind::kOptionalShapeList:
        return WriteOptional(field.Get<absl::optional<std::vector<Shape>>>(a), [this](const auto& shapes) {
          WriteList(shapes, [this](const Shape& shape) { WriteShape(shape); });
        });
      case FieldKind::kAliasing:
        return WriteList(field.Get<std::vector<OutputOperandAlias>>(a),
                         [this](const OutputOperandAlias& alias) { WriteAlias(alias); });
      case FieldKind::kDimLabels:
        return WriteDimLabels(field.Get<ConvolutionDimensionNumbers>(a));
      case FieldKind::kOptionalDimLabels:
        return WriteOptional(field.Get<absl::optional<ConvolutionDimensionNumbers>>(a),
                             [this](const ConvolutionDimensionNumbers& labels) { WriteDimLabels(labels); });
      case FieldKind::kLiteral:
        if (field.Get<std::shared_ptr<const Literal>>(a) != nullptr) return WriteText(field, a);
        json_.Null();
        return;
      case FieldKind::kReplicaGroups:
      case FieldKind::kDomain:
      case FieldKind::kSparsity:
        return WriteText(field, a);
    }
  }

  template <typename List, typename Fn>
  void WriteList(const List& list, Fn write) {
    json_.BeginArray();
    for (const auto& element : list) write(element);
    json_.EndArray();
  }

  template <typename T, typename Fn>
  void WriteOptional(const absl::optional<T>& value, Fn write) {
    if (value.has_value()) return write(*value);
    json_.Null();
  }

  void WriteObject(std::initializer_list<std::pair<const char*, int64_t>> members) {
    json_.BeginObject();
    for (const auto& [name, value] : members) json_.Key(name).Int(value);
    json_.EndObject();
  }

  void WriteWindow(const Window& window) {
    WriteList(window.dimensions, [this](const WindowDimension& d) {
      json_.BeginObject();
      json_.Key("size").Int(d.size);
      json_.Key("stride").Int(d.stride);
      json_.Key("padding_low").Int(d.padding_low);
      json_.Key("padding_high").Int(d.padding_high);
      json_.Key("base_dilation").Int(d.base_dilation);
      json_.Key("window_dilation").Int(d.window_dilation);
      json_.Key("window_reversal").Bool(d.window_reversal);
      json_.EndObject();
    });
  }

  void WriteDimLabels(const ConvolutionDimensionNumbers& labels) {
    json_.BeginObject();
    json_.Key("text").String(DimLabelsToString(labels));
    json_.Key("input_batch").Int(labels.input_batch);
    json_.Key("input_feature").Int(labels.input_feature);
    json_.Key("input_spatial");
    WriteInts(labels.input_spatial);
    json_.Key("kernel_input_feature").Int(labels.kernel_input_feature);
    json_.Key("kernel_output_feature").Int(labels.kernel_output_feature);
    json_.Key("kernel_spatial");
    WriteInts(labels.kernel_spatial);
    json_.Key("output_batch").Int(labels.output_batch);
    json_.Key("output_feature").Int(labels.output_feature);
    json_.Key("output_spatial");
    WriteInts(labels.output_spatial);
    json_.EndObject();
  }

  void WriteAlias(const OutputOperandAlias& alias) {
    json_.BeginObject();
    json_.Key("output_index");
    WriteInts(alias.output_index);
    json_.Key("operand").Int(alias.operand);
    json_.Key("operand_index");
    WriteInts(alias.operand_index);
    json_.EndObject();
  }

  // ---- Annotations

  void WriteAnnotations(const InstructionAnnotations& annotations) {
    if (options_.metadata && !annotations.metadata.empty()) WriteMetadata(annotations.metadata);
    if (annotations.sharding.has_value()) json_.Key("sharding").String(ShardingToString(*annotations.sharding));
    WriteFrontendAttributes(annotations.frontend_attributes);
    if (!annotations.backend_config.empty()) json_.Key("backend_config").String(annotations.backend_config);
    if (!(annotations.result_accuracy == ResultAccuracy())) WriteAccuracy(annotations.result_accuracy);
    if (annotations.statistics.has_value()) WriteStatistics(*annotations.statistics);
    if (options_.metadata && annotations.original_value.has_value()) {
      json_.Key("origin");
      WriteOrigin(*annotations.original_value);
    }
  }

  void WriteMetadata(const OpMetadata& metadata) {
    json_.Key("metadata").BeginObject();
    const std::pair<const char*, const SharedString*> texts[] = {{"op_type", &metadata.op_type},
                                                                 {"op_name", &metadata.op_name},
                                                                 {"source_file", &metadata.source_file},
                                                                 {"deduplicated_name", &metadata.deduplicated_name},
                                                                 {"scheduling_name", &metadata.scheduling_name},
                                                                 {"metadata_payload", &metadata.metadata_payload}};
    for (const auto& [key, text] : texts) {
      if (!text->empty()) json_.Key(key).String(*text);
    }
    const std::pair<const char*, int32_t> numbers[] = {{"source_line", metadata.source_line},
                                                       {"source_end_line", metadata.source_end_line},
                                                       {"source_column", metadata.source_column},
                                                       {"source_end_column", metadata.source_end_column},
                                                       {"stack_frame_id", metadata.stack_frame_id}};
    for (const auto& [key, number] : numbers) {
      if (number != 0) json_.Key(key).Int(number);
    }
    if (!metadata.profile_type.empty()) {
      json_.Key("profile_type");
      WriteInts(metadata.profile_type);
    }
    json_.EndObject();
  }

  void WriteFrontendAttributes(const FrontendAttributes& attributes) {
    if (attributes.empty()) return;
    json_.Key("frontend_attributes").BeginObject();
    for (const auto& [key, value] : attributes) json_.Key(key).String(value);
    json_.EndObject();
  }

  void WriteAccuracy(const ResultAccuracy& accuracy) {
    constexpr const char* kModes[] = {"default", "highest", "tolerance"};
    json_.Key("result_accuracy").BeginObject();
    json_.Key("mode").String(kModes[static_cast<int>(accuracy.mode)]);
    json_.Key("atol").Double(accuracy.atol);
    json_.Key("rtol").Double(accuracy.rtol);
    json_.Key("ulps").Int(accuracy.ulps);
    json_.EndObject();
  }

  void WriteStatistics(const Statistics& statistics) {
    json_.Key("statistics").BeginObject();
    json_.Key("visualizing_index").Int(statistics.visualizing_index);
    json_.Key("values").BeginArray();
    for (const auto& [name, value] : statistics.values) {
      json_.BeginObject();
      json_.Key("name").String(name);
      json_.Key("value").Double(value);
      json_.EndObject();
    }
    json_.EndArray().EndObject();
  }

  // As deep as the shape it belongs to.
  void WriteOrigin(const OriginalValue& origin) {
    json_.BeginObject();
    if (origin.is_synthetic_call) json_.Key("synthetic_call").Bool(true);
    if (origin.array.has_value()) {
      json_.Key("instruction").String(origin.array->instruction_name);
      json_.Key("index");
      WriteInts(origin.array->shape_index);
    }
    if (origin.is_tuple) {
      json_.Key("elements").BeginArray();
      for (const OriginalValue& element : origin.elements) WriteOrigin(element);
      json_.EndArray();
    }
    json_.EndObject();
  }

  const JsonOptions& options_;
  ResourcePoll poll_;
  JsonWriter json_;
};

}  // namespace

absl::StatusOr<std::string> ModuleToJson(const HloModule& module, const JsonOptions& options) {
  return ModuleJsonWriter(options).Write(module);
}

}  // namespace xla
