#include "backends/vulkan/spirv/spirv_builder.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "backends/vulkan/spirv/spirv_text.h"
#include "backends/vulkan/spirv/testing/validate_spirv.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace vulkan {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr auto kStorageBuffer = spv::StorageClass::StorageBuffer;

std::string Text(const std::vector<uint32_t>& words) {
  const auto text = SpirvToText(words);
  EXPECT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(ValidateSpirv(words), "") << text.value_or("");
  return text.value_or("");
}

int CountOf(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(SpirvBuilder, WritesALoopWithAStateAndABranch) {
  SpirvBuilder b;
  const Id word = b.IntType(32);
  const Id x = b.StorageBuffer(b.RuntimeArrayType(word, 4), 0, 0, SpirvBuilder::BufferUse::kWrite);
  b.BeginMain({64, 1, 1});
  const Id group = b.Op(spv::Op::OpCompositeExtract, word, {b.BuiltIn3(spv::BuiltIn::WorkgroupId), 0});
  const auto loop = b.BeginLoop();
  const Id i = b.Phi(word, {b.Word(0), loop.before});
  const Id sum = b.Phi(word, {group, loop.before});
  b.LoopTest(loop);
  b.LoopBody(loop, b.Op(spv::Op::OpULessThan, b.BoolType(), {i, b.Word(10)}));
  const auto branch = b.BeginIf(b.Op(spv::Op::OpIEqual, b.BoolType(), {i, group}));
  const Id doubled = b.Op(spv::Op::OpIAdd, word, {sum, sum});
  const Id from_true = b.CurrentBlock();
  b.BeginElse(branch);
  const Id from_false = b.CurrentBlock();
  b.EndIf(branch);
  const Id next_sum = b.Phi(word, {doubled, from_true, sum, from_false});
  b.LoopNext(loop);
  const Id next = b.Op(spv::Op::OpIAdd, word, {i, b.Word(1)});
  b.AddIncoming(i, next, b.CurrentBlock());
  b.AddIncoming(sum, next_sum, b.CurrentBlock());
  b.EndLoop(loop);
  b.WorkgroupBarrier();
  b.Store(b.AccessChain(kStorageBuffer, word, x, {b.Word(0), group}), sum);
  const std::string text = Text(b.Finish());
  EXPECT_THAT(text, HasSubstr("OpExecutionMode %2 LocalSize 64 1 1"));
  EXPECT_THAT(text, HasSubstr("OpLoopMerge"));
}

TEST(SpirvBuilder, MakesEqualTypesAndConstantsOnce) {
  SpirvBuilder b;
  EXPECT_EQ(b.IntType(32), b.IntType(32));
  EXPECT_EQ(b.Word(7), b.Constant(b.IntType(32), 7));
  EXPECT_NE(b.Word(7), b.Word(8));
  EXPECT_EQ(b.PointerType(kStorageBuffer, b.FloatType(32)), b.PointerType(kStorageBuffer, b.FloatType(32)));
  b.BeginMain({1, 1, 1});
  EXPECT_EQ(CountOf(Text(b.Finish()), "OpTypeInt 32"), 1);
}

// A byte that is only moved needs storage of bytes, one that is computed with arithmetic on bytes too.
TEST(SpirvBuilder, CollectsCapabilitiesFromWhatIsUsed) {
  for (const bool computes : {false, true}) {
    SpirvBuilder b;
    const Id byte = b.IntType(8);
    const Id x = b.StorageBuffer(b.RuntimeArrayType(byte, 1), 0, 0, SpirvBuilder::BufferUse::kWrite);
    b.BeginMain({1, 1, 1});
    const Id place = b.AccessChain(kStorageBuffer, byte, x, {b.Word(0), b.Word(3)});
    Id value = b.Load(byte, place);
    if (computes) {
      value = b.Op(spv::Op::OpIAdd, byte, {value, value});
    } else {
      value = b.Op(spv::Op::OpUConvert, byte, {b.Op(spv::Op::OpUConvert, b.IntType(32), {value})});
    }
    b.Store(place, value);
    const std::string text = Text(b.Finish());
    EXPECT_THAT(text, HasSubstr("OpCapability StorageBuffer8BitAccess"));
    EXPECT_EQ(CountOf(text, "OpCapability Int8"), computes ? 1 : 0);
    EXPECT_THAT(text, Not(HasSubstr("Int64")));
  }
}

TEST(SpirvBuilder, DecoratesExactOperationsAndControlsFloats) {
  SpirvBuilder b;
  const Id f64 = b.FloatType(64);
  const Id x = b.StorageBuffer(b.RuntimeArrayType(f64, 8), 0, 2, SpirvBuilder::BufferUse::kRead);
  const Id z = b.StorageBuffer(b.RuntimeArrayType(f64, 8), 1, 0, SpirvBuilder::BufferUse::kWrite);
  const Id count = b.PushConstants(2);
  b.FloatControl(spv::ExecutionMode::RoundingModeRTE, 64);
  b.FloatControl(spv::ExecutionMode::SignedZeroInfNanPreserve, 64);
  b.BeginMain({8, 4, 1});
  const Id word = b.IntType(32);
  const Id at = b.Load(word, b.AccessChain(spv::StorageClass::PushConstant, word, count, {b.Word(1)}));
  const Id value = b.Load(f64, b.AccessChain(kStorageBuffer, f64, x, {b.Word(0), at}));
  const Id square = b.Exact(spv::Op::OpFMul, f64, {value, value});
  const Id root =
      b.Extended(GLSLstd450Sqrt, f64, {b.Exact(spv::Op::OpFAdd, f64, {square, b.Constant(f64, 0x3FF0000000000000)})});
  b.Store(b.AccessChain(kStorageBuffer, f64, z, {b.Word(0), at}), root);
  const std::string text = Text(b.Finish());
  EXPECT_EQ(CountOf(text, "NoContraction"), 2);
  EXPECT_THAT(text, HasSubstr("OpCapability Float64"));
  EXPECT_THAT(text, HasSubstr("OpCapability RoundingModeRTE"));
  EXPECT_THAT(text, HasSubstr("NonWritable"));
  EXPECT_THAT(text, HasSubstr("Sqrt"));
}

TEST(SpirvBuilder, HasVariablesOfEachKind) {
  SpirvBuilder b;
  const Id word = b.IntType(32);
  const Id table_type = b.ArrayType(word, 3);
  const Id table = b.PrivateConstant(table_type, b.ConstantArray(table_type, {b.Word(2), b.Word(3), b.Word(5)}));
  const Id shared = b.WorkgroupVariable(b.ArrayType(word, 16));
  b.BeginMain({16, 1, 1});
  const Id local = b.FunctionVariable(b.ArrayType(word, 4));
  const Id lane = b.Op(spv::Op::OpCompositeExtract, word, {b.BuiltIn3(spv::BuiltIn::LocalInvocationId), 0});
  const Id prime = b.Load(word, b.AccessChain(spv::StorageClass::Private, word, table, {b.Word(1)}));
  b.Store(b.AccessChain(spv::StorageClass::Function, word, local, {b.Word(0)}), prime);
  b.Store(b.AccessChain(spv::StorageClass::Workgroup, word, shared, {lane}), prime);
  const std::string text = Text(b.Finish());
  EXPECT_EQ(CountOf(text, "OpVariable"), 4);
}

TEST(SpirvText, RejectsWhatIsNotSpirv) {
  EXPECT_THAT(SpirvToText({1, 2, 3}).status().message(), HasSubstr("expected a SPIR-V module"));
  std::vector<uint32_t> words = {spv::MagicNumber, 0x10500, 0, 5, 0, 0x00050011};
  EXPECT_EQ(SpirvToText(words).status().message(), "the instruction at word 5 has 5 words, expected 1 to 1");
  words.back() = 0x00000011;
  EXPECT_FALSE(SpirvToText(words).ok());
  words.back() = 0x0001FFFF;
  EXPECT_EQ(SpirvToText(words).value_or(""), "; SPIR-V 1.5, ids below 5\nOp65535\n");
}

}  // namespace
}  // namespace vulkan
}  // namespace xla
