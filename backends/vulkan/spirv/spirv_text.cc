#include "backends/vulkan/spirv/spirv_text.h"

// For HasResultAndType.
#define SPV_ENABLE_UTILITY_CODE
#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "spirv/unified1/GLSL.std.450.h"
#include "spirv/unified1/spirv.hpp11"

namespace xla {
namespace vulkan {
namespace {

constexpr size_t kHeaderWords = 5;

// What the words after type and result are: i an id, n a number, s a string, c a capability, p a storage class,
// d a decoration, m an execution mode, g an instruction of GLSL.std.450; the last one repeats.
struct Row {
  spv::Op op;
  const char* name;
  const char* operands;
};
#define OP(name, operands) \
  { spv::Op::name, #name, operands }
constexpr Row kRows[] = {
    OP(OpUndef, ""),
    OP(OpExtInstImport, "s"),
    OP(OpExtInst, "igi"),
    OP(OpMemoryModel, "n"),
    OP(OpEntryPoint, "nisi"),
    OP(OpExecutionMode, "imn"),
    OP(OpCapability, "c"),
    OP(OpTypeVoid, ""),
    OP(OpTypeBool, ""),
    OP(OpTypeInt, "n"),
    OP(OpTypeFloat, "n"),
    OP(OpTypeVector, "in"),
    OP(OpTypeArray, "i"),
    OP(OpTypeRuntimeArray, "i"),
    OP(OpTypeStruct, "i"),
    OP(OpTypePointer, "pi"),
    OP(OpTypeFunction, "i"),
    OP(OpConstantTrue, ""),
    OP(OpConstantFalse, ""),
    OP(OpConstant, "n"),
    OP(OpConstantComposite, "i"),
    OP(OpFunction, "ni"),
    OP(OpFunctionEnd, ""),
    OP(OpVariable, "pi"),
    OP(OpLoad, "in"),
    OP(OpStore, "iin"),
    OP(OpAccessChain, "i"),
    OP(OpDecorate, "idn"),
    OP(OpMemberDecorate, "indn"),
    OP(OpCompositeExtract, "in"),
    OP(OpConvertFToU, "i"),
    OP(OpConvertFToS, "i"),
    OP(OpConvertSToF, "i"),
    OP(OpConvertUToF, "i"),
    OP(OpUConvert, "i"),
    OP(OpSConvert, "i"),
    OP(OpFConvert, "i"),
    OP(OpBitcast, "i"),
    OP(OpSNegate, "i"),
    OP(OpFNegate, "i"),
    OP(OpIAdd, "i"),
    OP(OpFAdd, "i"),
    OP(OpISub, "i"),
    OP(OpFSub, "i"),
    OP(OpIMul, "i"),
    OP(OpFMul, "i"),
    OP(OpUDiv, "i"),
    OP(OpSDiv, "i"),
    OP(OpFDiv, "i"),
    OP(OpUMod, "i"),
    OP(OpSRem, "i"),
    OP(OpUMulExtended, "i"),
    OP(OpSMulExtended, "i"),
    OP(OpLogicalEqual, "i"),
    OP(OpLogicalNotEqual, "i"),
    OP(OpLogicalOr, "i"),
    OP(OpLogicalAnd, "i"),
    OP(OpLogicalNot, "i"),
    OP(OpSelect, "i"),
    OP(OpIEqual, "i"),
    OP(OpINotEqual, "i"),
    OP(OpUGreaterThan, "i"),
    OP(OpSGreaterThan, "i"),
    OP(OpUGreaterThanEqual, "i"),
    OP(OpSGreaterThanEqual, "i"),
    OP(OpULessThan, "i"),
    OP(OpSLessThan, "i"),
    OP(OpULessThanEqual, "i"),
    OP(OpSLessThanEqual, "i"),
    OP(OpFOrdEqual, "i"),
    OP(OpFUnordNotEqual, "i"),
    OP(OpFOrdLessThan, "i"),
    OP(OpFOrdGreaterThan, "i"),
    OP(OpFOrdLessThanEqual, "i"),
    OP(OpFOrdGreaterThanEqual, "i"),
    OP(OpFUnordEqual, "i"),
    OP(OpShiftRightLogical, "i"),
    OP(OpShiftRightArithmetic, "i"),
    OP(OpShiftLeftLogical, "i"),
    OP(OpBitwiseOr, "i"),
    OP(OpBitwiseXor, "i"),
    OP(OpBitwiseAnd, "i"),
    OP(OpNot, "i"),
    OP(OpBitFieldSExtract, "i"),
    OP(OpBitFieldUExtract, "i"),
    OP(OpBitCount, "i"),
    OP(OpControlBarrier, "i"),
    OP(OpAtomicAnd, "i"),
    OP(OpAtomicOr, "i"),
    OP(OpPhi, "i"),
    OP(OpLoopMerge, "iin"),
    OP(OpSelectionMerge, "in"),
    OP(OpLabel, ""),
    OP(OpBranch, "i"),
    OP(OpBranchConditional, "i"),
    OP(OpReturn, ""),
};
#undef OP

// Numbers that have names.
struct Name {
  uint32_t number;
  const char* name;
};
#define NAME(kind, name) \
  { static_cast<uint32_t>(spv::kind::name), #name }
constexpr Name kCapabilities[] = {
    NAME(Capability, Shader),
    NAME(Capability, Float16),
    NAME(Capability, Float64),
    NAME(Capability, Int64),
    NAME(Capability, Int16),
    NAME(Capability, Int8),
    NAME(Capability, StorageBuffer8BitAccess),
    NAME(Capability, StorageBuffer16BitAccess),
    NAME(Capability, GroupNonUniform),
    NAME(Capability, GroupNonUniformArithmetic),
    NAME(Capability, GroupNonUniformShuffle),
    NAME(Capability, DenormPreserve),
    NAME(Capability, DenormFlushToZero),
    NAME(Capability, SignedZeroInfNanPreserve),
    NAME(Capability, RoundingModeRTE),
};
constexpr Name kStorageClasses[] = {
    NAME(StorageClass, Input),    NAME(StorageClass, Workgroup),    NAME(StorageClass, Private),
    NAME(StorageClass, Function), NAME(StorageClass, PushConstant), NAME(StorageClass, StorageBuffer),
};
constexpr Name kDecorations[] = {
    NAME(Decoration, Block),         NAME(Decoration, Aliased),       NAME(Decoration, Coherent),
    NAME(Decoration, ArrayStride),   NAME(Decoration, BuiltIn),       NAME(Decoration, NonWritable),
    NAME(Decoration, Binding),       NAME(Decoration, DescriptorSet), NAME(Decoration, Offset),
    NAME(Decoration, NoContraction),
};
constexpr Name kModes[] = {
    NAME(ExecutionMode, LocalSize),         NAME(ExecutionMode, DenormPreserve),
    NAME(ExecutionMode, DenormFlushToZero), NAME(ExecutionMode, SignedZeroInfNanPreserve),
    NAME(ExecutionMode, RoundingModeRTE),
};
#undef NAME
constexpr Name kGlsl[] = {
    {GLSLstd450Floor, "Floor"}, {GLSLstd450Ceil, "Ceil"},           {GLSLstd450Trunc, "Trunc"},
    {GLSLstd450Sqrt, "Sqrt"},   {GLSLstd450RoundEven, "RoundEven"}, {GLSLstd450FindUMsb, "FindUMsb"},
    {GLSLstd450SMax, "SMax"},   {GLSLstd450SMin, "SMin"},           {GLSLstd450UMax, "UMax"},
    {GLSLstd450UMin, "UMin"},   {GLSLstd450FAbs, "FAbs"},           {GLSLstd450Fma, "Fma"},
};

std::string NameOf(absl::Span<const Name> names, uint32_t number) {
  for (const Name& row : names) {
    if (row.number == number) return row.name;
  }
  return absl::StrCat(number);
}

std::string OperandText(char kind, uint32_t word) {
  switch (kind) {
    case 'i':
      return absl::StrCat("%", word);
    case 'c':
      return NameOf(kCapabilities, word);
    case 'p':
      return NameOf(kStorageClasses, word);
    case 'd':
      return NameOf(kDecorations, word);
    case 'm':
      return NameOf(kModes, word);
    case 'g':
      return NameOf(kGlsl, word);
    default:
      return absl::StrCat(word);
  }
}

// Takes the words of a string, which ends in a zero byte.
std::string TakeString(absl::Span<const uint32_t>& words) {
  const auto* const bytes = reinterpret_cast<const char*>(words.data());
  const size_t length = strnlen(bytes, 4 * words.size());
  words.remove_prefix(std::min(words.size(), length / 4 + 1));
  return absl::StrCat("\"", absl::string_view(bytes, length), "\"");
}

std::string InstructionText(spv::Op op, absl::Span<const uint32_t> words) {
  static constexpr Row kUnknown = {spv::Op::OpNop, "", "n"};
  const Row* row = &kUnknown;
  for (const Row& known : kRows) {
    if (known.op == op) row = &known;
  }
  bool has_result = false;
  bool has_type = false;
  spv::HasResultAndType(op, &has_result, &has_type);
  std::string text = *row->name != '\0' ? row->name : absl::StrCat("Op", static_cast<uint32_t>(op));
  if (has_type && !words.empty()) {
    absl::StrAppend(&text, " %", words[0]);
    words.remove_prefix(1);
  }
  if (has_result && !words.empty()) {
    text = absl::StrCat("%", words[0], " = ", text);
    words.remove_prefix(1);
  }
  const char* kind = row->operands;
  while (!words.empty()) {
    if (*kind == 's') {
      absl::StrAppend(&text, " ", TakeString(words));
    } else {
      absl::StrAppend(&text, " ", OperandText(*kind == '\0' ? 'n' : *kind, words[0]));
      words.remove_prefix(1);
    }
    if (*kind != '\0' && kind[1] != '\0') ++kind;
  }
  return text;
}

}  // namespace

absl::StatusOr<std::string> SpirvToText(absl::Span<const uint32_t> words) {
  if (words.size() < kHeaderWords || words[0] != spv::MagicNumber) {
    return absl::InvalidArgumentError(absl::StrCat("expected a SPIR-V module, which begins with the word ",
                                                   absl::Hex(spv::MagicNumber), ", got ", words.size(), " words"));
  }
  std::string text =
      absl::StrCat("; SPIR-V ", words[1] >> 16, ".", (words[1] >> 8) & 0xFF, ", ids below ", words[3], "\n");
  for (size_t at = kHeaderWords; at < words.size();) {
    const size_t count = words[at] >> 16;
    if (count == 0 || count > words.size() - at) {
      return absl::InvalidArgumentError(
          absl::StrCat("the instruction at word ", at, " has ", count, " words, expected 1 to ", words.size() - at));
    }
    const auto op = static_cast<spv::Op>(words[at] & 0xFFFF);
    absl::StrAppend(&text, InstructionText(op, words.subspan(at + 1, count - 1)), "\n");
    at += count;
  }
  return text;
}

}  // namespace vulkan
}  // namespace xla
