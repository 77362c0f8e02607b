#include "tools/views/html_view.h"

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "passes/partitioning/annotated_shardings.h"
#include "passes/partitioning/device_axes.h"
#include "tools/views/html_assets.h"
#include "tools/views/instruction_text.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/support/json.h"
#include "xla_core/support/resource_poll.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace {

constexpr size_t kMaxTextBytes = 2000;
constexpr size_t kMaxHtmlShapeBytes = 200;
// A constant of so few elements is shown beside its users.
constexpr int64_t kMaxFoldedElements = 1;

// What viewer.js reads: computations of nodes, which refer to each other by their places.
class DataWriter {
 public:
  DataWriter(const HloModule& module, const CostFunction& cost, const ResourceContext* resources)
      : module_(module),
        cost_(cost),
        poll_(resources),
        devices_(DevicesOfProgram(module).value_or(1)),
        shardings_(AnnotatedShardings::Of(module, devices_)),
        axes_(DeviceAxes::Of(module, devices_)) {}

  absl::StatusOr<std::string> Write() {
    for (const auto& computation : module_.computations()) {
      computation_places_[computation.get()] = static_cast<int64_t>(computation_places_.size());
    }
    json_.BeginObject();
    json_.Key("name").String(module_.name());
    json_.Key("entry").Int(computation_places_.at(module_.entry()));
    json_.Key("computations").BeginArray();
    for (const auto& computation : module_.computations()) RETURN_IF_ERROR(WriteComputation(*computation));
    json_.EndArray().EndObject();
    return json_.TakeText();
  }

 private:
  absl::Status WriteComputation(const HloComputation& computation) {
    places_.clear();
    for (const auto& instruction : computation.instructions()) {
      places_[instruction.get()] = static_cast<int64_t>(places_.size());
    }
    json_.BeginObject();
    json_.Key("name").String(computation.name());
    json_.Key("root").Int(places_.at(computation.root()));
    json_.Key("nodes").BeginArray();
    for (const auto& instruction : computation.instructions()) {
      RETURN_IF_ERROR(poll_.Check(1 + instruction->operand_count()));
      WriteNode(*instruction);
    }
    json_.EndArray().EndObject();
    return absl::OkStatus();
  }

  void WriteNode(const HloInstruction& instruction) {
    json_.BeginObject();
    json_.Key("name").String(instruction.name());
    json_.Key("opcode").String(instruction.opcode_name());
    json_.Key("shape").String(Cut(instruction.shape().ToString(), kMaxHtmlShapeBytes));
    WritePlaces("operands", instruction.operands());
    if (!instruction.control_predecessors().empty()) WritePlaces("control", instruction.control_predecessors());
    WriteCalls(instruction);
    WriteSpecial(instruction);
    WriteSharding(instruction);
    json_.Key("text").String(Cut(LongText(instruction), kMaxTextBytes));
    WriteMetadata(instruction.annotations().metadata);
    WriteCost(cost_(instruction));
    json_.EndObject();
  }

  void WritePlaces(absl::string_view key, absl::Span<HloInstruction* const> instructions) {
    json_.Key(key).BeginArray();
    for (const HloInstruction* instruction : instructions) json_.Int(places_.at(instruction));
    json_.EndArray();
  }

  void WriteCalls(const HloInstruction& instruction) {
    const std::vector<const char*>& roles = GetOp(instruction.opcode()).called_computations;
    json_.Key("calls").BeginArray();
    for (const HloComputation* callee : instruction.called_computations()) json_.Int(computation_places_.at(callee));
    json_.EndArray();
    if (instruction.called_computations().empty()) return;
    json_.Key("roles").BeginArray();
    for (size_t i = 0; i < instruction.called_computations().size() && !roles.empty(); ++i) {
      absl::string_view role = roles[std::min(i, roles.size() - 1)];
      absl::ConsumeSuffix(&role, "*");
      absl::ConsumeSuffix(&role, "?");
      json_.String(role);
    }
    json_.EndArray();
  }

  // What a few opcodes show instead of their attributes.
  void WriteSpecial(const HloInstruction& instruction) {
    if (instruction.opcode() == HloOpcode::kParameter) {
      const int64_t number = instruction.attributes<ParameterAttributes>().number;
      json_.Key("detail").String(absl::StrCat(number));
      json_.Key("parameter").Int(number);
    } else if (instruction.opcode() == HloOpcode::kConstant) {
      const auto& literal = instruction.attributes<ConstantAttributes>().literal;
      if (literal == nullptr || !literal->shape().IsArray() || literal->element_count() > kMaxFoldedElements) return;
      const std::string value = absl::StrReplaceAll(LiteralValueToString(*literal), {{"{", ""}, {"}", ""}, {" ", ""}});
      json_.Key("detail").String(value);
      json_.Key("value").String(value);
    } else if (instruction.opcode() == HloOpcode::kGetTupleElement) {
      json_.Key("detail").String(absl::StrCat(instruction.attributes<GetTupleElementAttributes>().index));
    } else if (instruction.opcode() == HloOpcode::kCustomCall) {
      json_.Key("detail").String(instruction.attributes<CustomCallAttributes>().custom_call_target);
    } else if (instruction.opcode() == HloOpcode::kCompare) {
      const auto direction = instruction.attributes<CompareAttributes>().direction;
      json_.Key("detail").String(ComparisonDirectionNames().names[static_cast<size_t>(direction)]);
    }
  }

  // By the axes of the mesh where that can be said, else as it is written.
  void WriteSharding(const HloInstruction& instruction) {
    if (!instruction.has_annotations()) return;
    const InstructionAnnotations& annotations = instruction.annotations();
    const auto sdy = annotations.frontend_attributes.find(kSdySharding);
    if (!annotations.sharding.has_value() && sdy == annotations.frontend_attributes.end()) return;
    std::string text = annotations.sharding.has_value() ? ShardingToString(*annotations.sharding) : sdy->second;
    const auto read = shardings_.ok() ? shardings_->OfResult(instruction) : shardings_.status();
    if (read.ok() && read->has_value()) {
      std::vector<ArrayTiling> leaves;
      for (const ArraySharding& leaf : **read) leaves.push_back(leaf.tiling);
      text = axes_.TextOf(leaves);
    }
    json_.Key("sharding").String(Cut(std::move(text), kMaxHtmlShapeBytes));
  }

  void WriteMetadata(const OpMetadata& metadata) {
    if (!metadata.op_name.empty()) json_.Key("op_name").String(metadata.op_name);
    if (metadata.source_file.empty()) return;
    json_.Key("source").String(absl::StrCat(metadata.source_file.view(), ":", metadata.source_line));
  }

  void WriteCost(const InstructionCost& cost) {
    json_.Key("cost").BeginObject();
    json_.Key("bytes").Double(cost.bytes);
    json_.Key("flops").Double(cost.flops);
    json_.Key("transcendentals").Double(cost.transcendentals);
    json_.Key("runs").Double(cost.runs);
    json_.EndObject();
  }

  const HloModule& module_;
  const CostFunction& cost_;
  ResourcePoll poll_;
  const int64_t devices_;
  const absl::StatusOr<AnnotatedShardings> shardings_;
  const DeviceAxes axes_;
  JsonWriter json_;
  absl::flat_hash_map<const HloComputation*, int64_t> computation_places_;
  absl::flat_hash_map<const HloInstruction*, int64_t> places_;
};

}  // namespace

absl::StatusOr<std::string> ModuleToHtml(const HloModule& module, const CostFunction& cost,
                                         const ResourceContext* resources) {
  ASSIGN_OR_RETURN(std::string data, DataWriter(module, cost, resources).Write());
  // A `<` stands in JSON within strings only, where it may be escaped.
  absl::StrReplaceAll({{"<", "\\u003c"}}, &data);
  // One replacement over the template, so that a mark within the data is nothing but data.
  return absl::StrReplaceAll(kViewerHtml, {{"@STYLE@", kViewerCss}, {"@SCRIPT@", kViewerScript}, {"@DATA@", data}});
}

}  // namespace xla
