#include "xla_core/literal_io/input_spec.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/literal_io/format_literal.h"

namespace xla {
namespace {

InputSpecs ParseOrDie(const std::string& text) {
  const auto json = ParseJson(text, "case.json");
  EXPECT_TRUE(json.ok()) << json.status();
  const auto specs = ParseInputSpecs(*json, "case.json");
  EXPECT_TRUE(specs.ok()) << specs.status();
  return *specs;
}

std::string ErrorOf(const std::string& text) {
  const auto json = ParseJson(text, "case.json");
  EXPECT_TRUE(json.ok()) << json.status();
  const auto specs = ParseInputSpecs(*json, "case.json");
  EXPECT_FALSE(specs.ok());
  return std::string(specs.status().message());
}

std::string Made(const std::string& dtype, const std::string& shape, const std::string& fill) {
  const InputSpecs specs =
      ParseOrDie(absl::StrCat("[{\"dtype\": \"", dtype, "\", \"shape\": ", shape, ", \"fill\": ", fill, "}]"));
  const auto literal = MakeInput(specs.devices[0][0]);
  EXPECT_TRUE(literal.ok()) << literal.status();
  return FormatLiteral(*literal);
}

// The raw numbers are the published first outputs of splitmix64 from seed 0.
TEST(InputSpec, UniformFollowsSplitMix64) {
  EXPECT_EQ(Made("u64", "[3]", R"("uniform", "seed": 0, "low": 0, "high": 18446744073709551615)"),
            "u64[3] {16294208416658607535, 7960286522194355700, 487617019471545679}");
  EXPECT_EQ(Made("f64", "[2]", R"("uniform", "seed": 0, "low": 0, "high": 1)"),
            "f64[2] {0.8833108082136426, 0.43152799704850997}");
  EXPECT_EQ(Made("f32", "[2]", R"("uniform", "seed": 0)"), "f32[2] {0.7666216, -0.13694401}");
  EXPECT_EQ(Made("c64", "[1]", R"("uniform", "seed": 0)"), "c64[1] {(0.7666216, -0.13694401)}");
  EXPECT_EQ(Made("s8", "[3]", R"("uniform", "seed": 0, "low": -8, "high": 8)"), "s8[3] {4, 4, 1}");
  EXPECT_EQ(Made("pred", "[3]", R"("uniform", "seed": 0)"), "pred[3] {true, false, true}");
}

// 1 + 2^-8 + 2^-40 is above the middle of two bf16, but not once it is an f32; f16 takes no such detour.
TEST(InputSpec, NarrowFloatsAreRoundedAsNumPyDoes) {
  EXPECT_EQ(Made("bf16", "[1]", R"("constant", "value": 1.0039062500009095)"), "bf16[1] {1}");
  EXPECT_EQ(Made("f8e4m3fn", "[1]", R"("constant", "value": 1.0625000000009095)"), "f8e4m3fn[1] {1}");
  EXPECT_EQ(Made("f16", "[1]", R"("constant", "value": 1.0004882812509095)"), "f16[1] {1.001}");
}

TEST(InputSpec, IotaWrapsToTheType) {
  const std::string text = Made("u4", "[18]", R"("iota")");
  EXPECT_EQ(text, "u4[18] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1}");
  EXPECT_EQ(Made("s1", "[3]", R"("iota")"), "s1[3] {0, -1, 0}");
  EXPECT_EQ(Made("bf16", "[2,2]", R"("iota")"), "bf16[2,2] {\n  {0, 1},\n  {2, 3}\n}");
  EXPECT_EQ(Made("c64", "[2]", R"("iota")"), "c64[2] {(0, 0), (1, 0)}");
}

TEST(InputSpec, ConstantsOfEveryKind) {
  EXPECT_EQ(Made("f16", "[2]", R"("constant", "value": 0.1)"), "f16[2] {0.1, 0.1}");
  EXPECT_EQ(Made("f32", "[]", R"("constant", "value": "-inf")"), "f32[] -inf");
  EXPECT_EQ(Made("s64", "[]", R"("constant", "value": -9223372036854775808)"), "s64[] -9223372036854775808");
  EXPECT_EQ(Made("u8", "[]", R"("constant", "value": -1)"), "u8[] 255");
  EXPECT_EQ(Made("pred", "[]", R"("constant", "value": true)"), "pred[] true");
  EXPECT_EQ(Made("c128", "[]", R"("constant", "value": [1, -2])"), "c128[] (1, -2)");
}

TEST(InputSpec, BytesAreLittleEndian) {
  EXPECT_EQ(Made("s16", "[2]", R"("bytes", "base64": "AQD//w==")"), "s16[2] {1, -1}");
  EXPECT_EQ(Made("s4", "[2]", R"("bytes", "base64": "DwE=")"), "s4[2] {-1, 1}");
  EXPECT_EQ(Made("f32", "[0,2]", R"("bytes", "base64": "")"), "f32[0,2] {}");
}

TEST(InputSpec, DefaultsDependOnTheType) {
  const auto floats = MakeInput(DefaultInputSpec(Shape::Array(F32, {1000}), 7));
  const auto spec = ParseOrDie(R"([{"dtype": "f32", "shape": [1000], "fill": "uniform", "seed": 7}])").devices[0][0];
  EXPECT_TRUE(floats->BitwiseEquals(*MakeInput(spec)));
  const Literal integers = *MakeInput(DefaultInputSpec(Shape::Array(S32, {1000}), 7));
  const Literal counts = *MakeInput(DefaultInputSpec(Shape::Array(U8, {1000}), 7));
  EXPECT_EQ(*std::min_element(integers.span<int32_t>().begin(), integers.span<int32_t>().end()), -8);
  EXPECT_EQ(*std::max_element(integers.span<int32_t>().begin(), integers.span<int32_t>().end()), 8);
  EXPECT_EQ(*std::min_element(counts.span<uint8_t>().begin(), counts.span<uint8_t>().end()), 0);
  EXPECT_EQ(*std::max_element(counts.span<uint8_t>().begin(), counts.span<uint8_t>().end()), 8);
}

TEST(InputSpec, ThreadsDoNotChangeTheBits) {
  ThreadPool pool(3);
  for (const PrimitiveType type : {F32, BF16, C64, S8, PRED}) {
    const InputSpec spec = DefaultInputSpec(Shape::Array(type, {300001}), 3);
    EXPECT_TRUE(MakeInput(spec, &pool)->BitwiseEquals(*MakeInput(spec)));
  }
}

TEST(InputSpec, ReadsAWholeCase) {
  const InputSpecs specs = ParseOrDie(R"({"name": "x", "replicas": 2, "partitions": 1, "inputs": [
      [{"dtype": "f32", "shape": [], "fill": "iota", "role": "weight"}], [{"dtype": "f32", "shape": [], "fill": "iota"}]]})");
  EXPECT_EQ(specs.devices.size(), 2u);
  EXPECT_EQ(specs.replica_count, 2);
  EXPECT_EQ(specs.partition_count, 1);
}

TEST(InputSpec, SaysWhatIsWrong) {
  EXPECT_EQ(ErrorOf("{}"), "case.json: expected a list \"inputs\" with one spec for each parameter");
  EXPECT_EQ(ErrorOf("[3]"), "case.json: inputs[0]: expected an object {\"dtype\", \"shape\", \"fill\"}, got a number");
  EXPECT_EQ(ErrorOf(R"([[], [{"dtype": "f31"}]])"),
            "case.json: inputs[1][0]: unknown dtype \"f31\", expected f32, s32, pred, ...");
  EXPECT_EQ(ErrorOf(R"([{"dtype": "f32", "shape": [2], "fill": "random"}])"),
            "case.json: inputs[0]: unknown \"fill\" \"random\", expected uniform, iota, constant or bytes");
  EXPECT_EQ(ErrorOf(R"([{"dtype": "f32", "shape": [2], "fill": "uniform"}])"),
            "case.json: inputs[0]: expected a number \"seed\"");
  EXPECT_EQ(ErrorOf(R"([{"dtype": "s32", "shape": [], "fill": "uniform", "seed": 1, "low": 3, "high": 2}])"),
            "case.json: inputs[0]: \"high\" is below \"low\"");
  EXPECT_EQ(ErrorOf(R"([{"dtype": "f32", "shape": [2], "fill": "bytes", "base64": "AAAA"}])"),
            "case.json: inputs[0]: \"base64\" holds 3 bytes, expected 8 for f32[2]");
  EXPECT_EQ(ErrorOf(R"([{"dtype": "f32", "shape": [-1], "fill": "iota"}])"),
            "case.json: inputs[0]: expected whole numbers of at least 0 in \"shape\"");
  EXPECT_THAT(ErrorOf(R"([{"dtype": "f32", "shape": [4611686018427387904, 16], "fill": "iota"}])"),
              testing::StartsWith("case.json: inputs[0]: "));
}

TEST(InputSpec, RefusesMemoryBeyondTheBudget) {
  MemoryBudget budget(1000);
  const auto literal = MakeInput(DefaultInputSpec(Shape::Array(F32, {1000}), 1), nullptr, &budget);
  EXPECT_EQ(literal.status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(InputSpec, IsNotFilledBeyondTheDeadline) {
  ResourceLimits limits;
  limits.deadline = absl::InfinitePast();
  const ResourceContext late(limits, "making the inputs");
  const InputSpec spec = DefaultInputSpec(Shape::Array(F32, {1000}), 1);
  EXPECT_EQ(MakeInput(spec, nullptr, nullptr, &late).status(),
            absl::DeadlineExceededError("the deadline passed while making the inputs"));
}

}  // namespace
}  // namespace xla
