#include "xla_core/text/instruction_rules.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/ops/op_definition.h"

namespace xla {
namespace {

constexpr absl::string_view kUseGlobalDeviceIds = "use_global_device_ids";
constexpr absl::string_view kChannelId = "channel_id";

using Seen = std::function<bool(absl::string_view)>;

std::string CompleteBroadcast(HloInstruction* instruction, bool, const Seen& seen) {
  if (seen("dimensions") || instruction->operand(0)->shape().rank() == 0) return "";
  return "broadcast of an array needs dimensions=";
}

std::string CompleteMap(HloInstruction* instruction, bool shape_written, const Seen& seen) {
  if (seen("dimensions")) return "";
  if (!shape_written) return "map needs dimensions= if its result shape is left out";
  auto& dimensions = instruction->mutable_attributes<MapAttributes>().dimensions;
  for (int i = 0; i < instruction->shape().rank(); ++i) dimensions.push_back(i);
  return "";
}

std::string CompleteCompare(HloInstruction* instruction, bool, const Seen& seen) {
  if (!seen("type")) {
    instruction->mutable_attributes<CompareAttributes>().type =
        DefaultComparisonType(instruction->operand(0)->shape().element_type());
  }
  return "";
}

std::string CompleteWindow(HloInstruction* instruction, bool, const Seen& seen) {
  if (seen("window") || instruction->operand(0)->shape().rank() == 0) return "";
  return absl::StrCat(instruction->opcode_name(), " of an array needs window=");
}

std::string CompleteConvolution(HloInstruction* instruction, bool, const Seen& seen) {
  if (seen("window") || instruction->attributes<ConvolutionAttributes>().dim_labels.input_spatial.empty()) return "";
  return "convolution with spatial dimensions needs window=";
}

// A negative number stands for no channel, as in protobufs.
void DropNegativeChannel(HloInstruction* instruction) {
  Attributes& attributes = *instruction->mutable_raw_attributes();
  for (const AttributeField& field : attributes.schema().fields) {
    if (field.name != kChannelId) continue;
    auto& channel = field.Get<absl::optional<int64_t>>(attributes);
    if (channel.has_value() && *channel < 0) channel = absl::nullopt;
  }
}

bool UsesGlobalDeviceIds(const HloInstruction& instruction) {
  for (const AttributeField& field : instruction.raw_attributes()->schema().fields) {
    if (field.name == kUseGlobalDeviceIds) return field.Get<bool>(*instruction.raw_attributes());
  }
  return false;
}

std::string CompleteCollective(HloInstruction* instruction, bool, const Seen& seen) {
  if (!UsesGlobalDeviceIds(*instruction) || seen(kChannelId)) return "";
  return absl::StrCat(kUseGlobalDeviceIds, "= needs channel_id=");
}

std::string CompletePermute(HloInstruction* instruction, bool, const Seen& seen) {
  constexpr int kInPlaceOperands = 4;
  if (!seen("slice_sizes") || instruction->operand_count() == kInPlaceOperands) return "";
  return absl::StrCat("slice_sizes= needs ", kInPlaceOperands, " operands, found ", instruction->operand_count());
}

std::string CompleteConditional(HloInstruction* instruction, bool, const Seen&) {
  const auto branches = static_cast<int>(instruction->called_computations().size());
  if (branches == 0) return "conditional needs at least one branch";
  if (instruction->operand_count() == branches + 1) return "";
  return absl::StrCat("conditional with ", branches, " branches needs ", branches + 1, " operands, found ",
                      instruction->operand_count());
}

std::string CompleteParameter(HloInstruction* instruction, bool, const Seen& seen) {
  const auto written =
      static_cast<int64_t>(instruction->attributes<ParameterAttributes>().parameter_replication.size());
  const int64_t leaves = LeafCount(instruction->shape());
  if (!seen("parameter_replication") || written == leaves) return "";
  return absl::StrCat("parameter_replication= needs one entry for each of ", leaves, " leaves, found ", written);
}

// Checks what only custom calls have: at most one way to name computations, and layout constraints that fit the
// operands.
std::string CompleteCustomCall(HloInstruction* instruction, bool, const Seen& seen) {
  const auto& constraints = instruction->attributes<CustomCallAttributes>().operand_layout_constraints;
  if (seen("to_apply") && seen("called_computations"))
    return "custom-call has only one of to_apply= and called_computations=";
  if (!constraints.has_value()) return "";
  if (static_cast<int>(constraints->size()) != instruction->operand_count()) {
    return absl::StrCat("operand_layout_constraints= needs one shape for each of ", instruction->operand_count(),
                        " operands, found ", constraints->size());
  }
  for (int i = 0; i < instruction->operand_count(); ++i) {
    const Shape& operand = instruction->operand(i)->shape();
    if (!(*constraints)[i].Compatible(operand)) {
      return absl::StrCat("operand_layout_constraints= has ", (*constraints)[i].ToString(), " for operand ", i,
                          ", which is ", operand.ToString());
    }
  }
  return "";
}

std::string CompleteInfeed(HloInstruction* instruction, bool, const Seen&) {
  if (instruction->shape().IsTuple() && instruction->shape().tuple_size() > 0) return "";
  return absl::StrCat("infeed must have a tuple (data, token[]) as its shape, found ", instruction->shape().ToString());
}

struct CompletionRule {
  HloOpcode opcode;
  std::string (*complete)(HloInstruction*, bool shape_written, const Seen&);
};
constexpr CompletionRule kCompletionRules[] = {
    {HloOpcode::kBroadcast, &CompleteBroadcast},
    {HloOpcode::kMap, &CompleteMap},
    {HloOpcode::kCompare, &CompleteCompare},
    {HloOpcode::kReduceWindow, &CompleteWindow},
    {HloOpcode::kSelectAndScatter, &CompleteWindow},
    {HloOpcode::kConvolution, &CompleteConvolution},
    {HloOpcode::kAllReduce, &CompleteCollective},
    {HloOpcode::kAllReduceStart, &CompleteCollective},
    {HloOpcode::kReduceScatter, &CompleteCollective},
    {HloOpcode::kAllGather, &CompleteCollective},
    {HloOpcode::kAllGatherStart, &CompleteCollective},
    {HloOpcode::kCollectivePermute, &CompletePermute},
    {HloOpcode::kCollectivePermuteStart, &CompletePermute},
    {HloOpcode::kConditional, &CompleteConditional},
    {HloOpcode::kParameter, &CompleteParameter},
    {HloOpcode::kCustomCall, &CompleteCustomCall},
    {HloOpcode::kInfeed, &CompleteInfeed},
};

// ---- Old attributes

bool SkipWord(TokenReader& reader, HloInstruction*) {
  switch (reader.token().kind) {
    case TokenKind::kIdentifier:
    case TokenKind::kName:
    case TokenKind::kKeyword:
    case TokenKind::kInteger:
    case TokenKind::kString:
      reader.Next();
      return true;
    default:
      return reader.ErrorExpected("a value");
  }
}

bool SkipIntList(TokenReader& reader, HloInstruction*) {
  DimensionVector dropped;
  return reader.ParseIntList(&dropped);
}

bool ParseOpaque(TokenReader& reader, HloInstruction* instruction) {
  return reader.ParseString(&instruction->mutable_annotations().backend_config);
}

bool ParseIsCrossProgramPrefetch(TokenReader& reader, HloInstruction* instruction) {
  bool prefetch;
  if (!reader.ParseBool(&prefetch)) return false;
  auto& index = instruction->mutable_attributes<CopyStartAttributes>().cross_program_prefetch_index;
  if (prefetch && !index.has_value()) index = 0;
  return true;
}

bool RefuseSparsity(TokenReader& reader, HloInstruction*) {
  return reader.Error("sparse dots are gone from HLO; this module needs an older release of XLA");
}

struct OldAttribute {
  HloOpcode opcode;
  absl::string_view name;
  bool (*parse)(TokenReader&, HloInstruction*);
};
constexpr OldAttribute kOldAttributes[] = {
    {HloOpcode::kAllReduce, "all_reduce_id", &SkipWord},
    {HloOpcode::kAllReduce, "barrier", &SkipWord},
    {HloOpcode::kAllReduce, "mode", &SkipWord},
    {HloOpcode::kAllReduceStart, "all_reduce_id", &SkipWord},
    {HloOpcode::kAllReduceStart, "barrier", &SkipWord},
    {HloOpcode::kAllReduceStart, "mode", &SkipWord},
    {HloOpcode::kReduceScatter, "all_reduce_id", &SkipWord},
    {HloOpcode::kReduceScatter, "barrier", &SkipWord},
    {HloOpcode::kReduceScatter, "mode", &SkipWord},
    {HloOpcode::kRaggedAllToAll, "dimensions", &SkipIntList},
    {HloOpcode::kAsyncStart, "async_group_id", &SkipWord},
    {HloOpcode::kAsyncUpdate, "async_group_id", &SkipWord},
    {HloOpcode::kAsyncDone, "async_group_id", &SkipWord},
    {HloOpcode::kCustomCall, "opaque", &ParseOpaque},
    {HloOpcode::kCopyStart, "is_cross_program_prefetch", &ParseIsCrossProgramPrefetch},
    {HloOpcode::kDot, "sparsity", &RefuseSparsity},
};

const OldAttribute* FindOldAttribute(HloOpcode opcode, absl::string_view name) {
  for (const OldAttribute& old : kOldAttributes) {
    if (old.opcode == opcode && old.name == name) return &old;
  }
  return nullptr;
}

}  // namespace

std::vector<std::string> CalledComputationNames(const HloInstruction& instruction, std::string* error) {
  if (instruction.opcode() == HloOpcode::kConditional) {
    const Shape& selector = instruction.operand(0)->shape();
    if (selector.IsScalarOf(PRED)) return {"true_computation", "false_computation"};
    if (selector.IsScalarOf(S32)) return {"branch_computations*"};
    *error = absl::StrCat("the first operand of conditional must be pred[] or s32[], found ", selector.ToString());
    return {};
  }
  const auto& names = GetOp(instruction.opcode()).called_computations;
  return {names.begin(), names.end()};
}

std::string CompleteInstruction(HloInstruction* instruction, bool shape_written, const Seen& seen) {
  if (seen(kChannelId)) DropNegativeChannel(instruction);
  for (const CompletionRule& rule : kCompletionRules) {
    if (rule.opcode == instruction->opcode()) return rule.complete(instruction, shape_written, seen);
  }
  return "";
}

bool ParseOldAttribute(TokenReader& reader, absl::string_view name, HloInstruction* instruction, bool* known) {
  const OldAttribute* const old = FindOldAttribute(instruction->opcode(), name);
  *known = old != nullptr;
  return old == nullptr || old->parse(reader, instruction);
}

bool IsOldAttribute(HloOpcode opcode, absl::string_view name) { return FindOldAttribute(opcode, name) != nullptr; }

bool MayHaveResultAccuracy(HloOpcode opcode) {
  const ElementwiseRow* const row = FindElementwiseRow(opcode);
  return row != nullptr && row->arity == 1 && row->max_ulp > 0;
}

}  // namespace xla
