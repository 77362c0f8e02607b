// Control flow, calls, custom calls and transfers.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/text/parser.h"
#include "builders/stablehlo/writing/hlo_converter.h"
#include "xla_core/ir/opcode_map.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

constexpr OpcodeSet kAwaiting = {
    HloOpcode::kAllGatherDone,         HloOpcode::kAllReduceDone, HloOpcode::kAsyncDone, HloOpcode::kAsyncUpdate,
    HloOpcode::kCollectivePermuteDone, HloOpcode::kCopyDone,      HloOpcode::kRecvDone,  HloOpcode::kSendDone};

std::vector<int64_t> ToVector(const ShapeIndex& index) { return std::vector<int64_t>(index.begin(), index.end()); }

}  // namespace

bool HloConverter::IsOnlyAwaited(const HloInstruction& instruction) const {
  const bool is_root = instruction.parent()->root() == &instruction;
  return !is_root && std::all_of(instruction.users().begin(), instruction.users().end(),
                                 [](const HloInstruction* user) { return kAwaiting.Has(user->opcode()); });
}

absl::Status HloConverter::ConvertAfterAll(const HloInstruction& instruction, Body* body) {
  Draft draft;
  draft.operands = AllOperands(instruction, *body);
  draft.name = draft.operands.empty() ? "stablehlo.create_token" : "stablehlo.after_all";
  return Emit(instruction, std::move(draft), body);
}

absl::Status HloConverter::ConvertBarrier(const HloInstruction& instruction, Body* body) {
  Draft draft;
  draft.name = "stablehlo.optimization_barrier";
  draft.operands = AllOperands(instruction, *body);
  if (draft.operands.empty()) return PassOn(instruction, body);
  return Emit(instruction, std::move(draft), body);
}

absl::Status HloConverter::ConvertWhile(const HloInstruction& instruction, Body* body) {
  Draft draft;
  draft.name = "stablehlo.while";
  draft.operands = AllOperands(instruction, *body);
  RETURN_IF_ERROR(AppendRegion(instruction, 0, *body, &draft));
  RETURN_IF_ERROR(AppendRegion(instruction, 1, *body, &draft));
  return Emit(instruction, std::move(draft), body);
}

// Branches have no arguments: they use the operands from outside.
absl::Status HloConverter::ConvertConditional(const HloInstruction& instruction, Body* body) {
  const bool is_if = instruction.operand(0)->shape().element_type() == PRED;
  Draft draft;
  draft.name = is_if ? "stablehlo.if" : "stablehlo.case";
  draft.operands = LeavesOf(*instruction.operand(0), *body);
  for (size_t i = 0; i < instruction.called_computations().size(); ++i) {
    const std::vector<Leaves> operands = {LeavesOf(*instruction.operand(static_cast<int>(i) + 1), *body)};
    ASSIGN_OR_RETURN(const RegionId region,
                     ConvertRegion(*instruction.called_computation(static_cast<int>(i)), *body, &operands));
    draft.regions.push_back(region);
  }
  return Emit(instruction, std::move(draft), body);
}

// call and fusion
absl::Status HloConverter::ConvertCall(const HloInstruction& instruction, Body* body) {
  Draft draft;
  draft.name = "func.call";
  draft.operands = AllOperands(instruction, *body);
  draft.attributes = {{"callee", module_.Symbol(FunctionOf(*instruction.called_computation(0)))}};
  return Emit(instruction, std::move(draft), body);
}

// What happens in the background here may as well happen at once.
absl::Status HloConverter::ConvertAsyncStart(const HloInstruction& instruction, Body* body) {
  if (!IsOnlyAwaited(instruction)) return Unsupported(instruction, "something else than its end uses it");
  std::vector<Leaves> parameters;
  for (const HloInstruction* operand : instruction.operands()) parameters.push_back(LeavesOf(*operand, *body));
  Body inner;
  inner.depth = body->depth + 1;
  inner.parameters = parameters;
  std::swap(inner.operations, body->operations);
  absl::StatusOr<Leaves> results = ConvertBody(*instruction.called_computation(0), &inner);
  std::swap(inner.operations, body->operations);
  RETURN_IF_ERROR(results.status());
  body->values[instruction.place()] = *std::move(results);
  return absl::OkStatus();
}

absl::Status HloConverter::ConvertCustomCall(const HloInstruction& instruction, Body* body) {
  const auto& attributes = instruction.attributes<CustomCallAttributes>();
  if (attributes.literal != nullptr || attributes.window.has_value() || attributes.dim_labels.has_value()) {
    return Unsupported(instruction, "custom calls of StableHLO have no literal, window or dimension labels");
  }
  Draft draft;
  draft.name = "stablehlo.custom_call";
  draft.operands = AllOperands(instruction, *body);
  // The options of a typed call are a dictionary, those of others any text.
  const std::string& options = instruction.annotations().backend_config;
  const bool is_typed = attributes.api_version == CustomCallApiVersion::kTypedFfi;
  draft.attributes = {{"call_target_name", module_.String(attributes.custom_call_target)},
                      {"api_version", Int32(static_cast<int64_t>(attributes.api_version))},
                      {"has_side_effect", Bool(attributes.custom_call_has_side_effect)}};
  if (is_typed) {
    ASSIGN_OR_RETURN(const AttributeId dictionary, TypedOptions(instruction, options));
    draft.attributes.push_back({"backend_config", dictionary});
  } else if (!options.empty()) {
    draft.attributes.push_back({"backend_config", module_.String(options)});
  }
  if (!instruction.called_computations().empty()) {
    std::vector<AttributeId> called;
    for (const HloComputation* callee : instruction.called_computations()) {
      called.push_back(module_.Symbol(FunctionOf(*callee)));
    }
    draft.attributes.push_back({"called_computations", Array(called)});
  }
  if (attributes.operand_layout_constraints.has_value()) {
    std::vector<AttributeId> operands;
    for (const Shape& shape : *attributes.operand_layout_constraints) AppendLayouts(shape, &operands);
    std::vector<AttributeId> results;
    AppendLayouts(instruction.shape(), &results);
    draft.attributes.push_back({"operand_layouts", Array(operands)});
    draft.attributes.push_back({"result_layouts", Array(results)});
  }
  std::vector<AttributeId> aliases;
  for (const OutputOperandAlias& alias : attributes.output_to_operand_aliasing) {
    aliases.push_back(module_.Struct("stablehlo.output_operand_alias",
                                     {{"output_tuple_indices", Ints(ToVector(alias.output_index))},
                                      {"operand_index", Int(alias.operand)},
                                      {"operand_tuple_indices", Ints(ToVector(alias.operand_index))}}));
  }
  if (!aliases.empty()) draft.attributes.push_back({"output_operand_aliases", Array(aliases)});
  return Emit(instruction, std::move(draft), body);
}

// `{mode = 86 : ui8}`
absl::StatusOr<AttributeId> HloConverter::TypedOptions(const HloInstruction& instruction, const std::string& options) {
  if (options.empty()) return module_.Dictionary({});
  absl::StatusOr<AttributeId> dictionary = ParseAttribute(options, &module_);
  if (dictionary.ok() && module_.attribute(*dictionary).kind == AttributeKind::kDictionary) return dictionary;
  return Unsupported(instruction, "its backend_config is not a dictionary of MLIR's attributes");
}

// The layout of each leaf, minor to major.
void HloConverter::AppendLayouts(const Shape& shape, std::vector<AttributeId>* layouts) {
  if (shape.IsTuple()) {
    for (const Shape& element : shape.tuple_shapes()) AppendLayouts(element, layouts);
    return;
  }
  std::vector<int64_t> minor_to_major;
  if (shape.has_layout()) {
    for (const int64_t dimension : shape.layout()->minor_to_major) minor_to_major.push_back(dimension);
  } else {
    for (int64_t i = shape.rank(); i > 0; --i) minor_to_major.push_back(i - 1);
  }
  layouts->push_back(Indices(minor_to_major));
}

absl::Status HloConverter::ConvertInfeed(const HloInstruction& instruction, Body* body) {
  Draft draft;
  draft.name = "stablehlo.infeed";
  draft.operands = AllOperands(instruction, *body);
  draft.attributes = {{"infeed_config", module_.String(instruction.attributes<InfeedAttributes>().infeed_config)}};
  return Emit(instruction, std::move(draft), body);
}

absl::Status HloConverter::ConvertOutfeed(const HloInstruction& instruction, Body* body) {
  Draft draft;
  draft.name = "stablehlo.outfeed";
  draft.operands = AllOperands(instruction, *body);
  draft.attributes = {{"outfeed_config", module_.String(instruction.attributes<OutfeedAttributes>().outfeed_config)}};
  return Emit(instruction, std::move(draft), body);
}

// The channel of send and recv: from device to device, to the host or from it.
AttributeId HloConverter::TransferChannel(const HloInstruction& instruction) {
  const auto& attributes = instruction.attributes<SendRecvAttributes>();
  const int64_t type = !attributes.is_host_transfer ? 1 : instruction.opcode() == HloOpcode::kSend ? 2 : 3;
  return module_.Struct("stablehlo.channel_handle",
                        {{"handle", Int(attributes.channel_id.value_or(0))}, {"type", Int(type)}});
}

// The result is the token that the end of the transfer has in HLO.
absl::Status HloConverter::ConvertSend(const HloInstruction& instruction, Body* body) {
  if (!IsOnlyAwaited(instruction)) return Unsupported(instruction, "something else than its end uses it");
  Draft draft;
  draft.name = "stablehlo.send";
  draft.operands = AllOperands(instruction, *body);
  draft.attributes = {{"channel_handle", TransferChannel(instruction)},
                      {"is_host_transfer", Bool(instruction.attributes<SendRecvAttributes>().is_host_transfer)}};
  draft.result_types = {module_.Intern(SimpleType(TypeKind::kToken))};
  return Emit(instruction, std::move(draft), body);
}

// HLO's recv is a tuple of the data, the number of the transfer and a token; the data and the token are results.
absl::Status HloConverter::ConvertRecv(const HloInstruction& instruction, Body* body) {
  if (!IsOnlyAwaited(instruction)) return Unsupported(instruction, "something else than its end uses it");
  Draft draft;
  draft.name = "stablehlo.recv";
  draft.operands = AllOperands(instruction, *body);
  draft.attributes = {{"channel_handle", TransferChannel(instruction)},
                      {"is_host_transfer", Bool(instruction.attributes<SendRecvAttributes>().is_host_transfer)}};
  RETURN_IF_ERROR(AppendTypes(instruction.shape().tuple_shape(0), &draft.result_types));
  draft.result_types.push_back(module_.Intern(SimpleType(TypeKind::kToken)));
  return Emit(instruction, std::move(draft), body);
}

}  // namespace stablehlo
}  // namespace xla
