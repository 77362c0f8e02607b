#include "builders/webnn/tensor_json.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace webnn {
namespace {

using testing::HasSubstr;

absl::StatusOr<Literal> Read(const std::string& json, const Shape& shape) {
  const absl::StatusOr<JsonValue> value = ParseJson(json, "test");
  EXPECT_TRUE(value.ok()) << value.status();
  return ReadJsonElements(*value, shape, "inputs.w");
}

std::string Message(const std::string& json, const Shape& shape) {
  return std::string(Read(json, shape).status().message());
}

std::string Write(const Literal& array) {
  JsonWriter json;
  json.BeginObject();
  WriteJsonElements(array, json);
  json.EndObject();
  return json.TakeText();
}

TEST(TensorJson, ReadsNumbersOfEachKind) {
  const auto floats = Read(R"({"data": [1, 0.1, "NaN", "-Infinity", "-0"]})", Shape::Array(F32, {5}));
  ASSERT_TRUE(floats.ok()) << floats.status();
  const float* const values = floats->data<float>();
  EXPECT_EQ(values[1], 0.1f);
  EXPECT_TRUE(std::isnan(values[2]));
  EXPECT_EQ(values[3], -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(values[4] == 0 && std::signbit(values[4]));
  const auto longs = Read(R"({"data": ["-9223372036854775808", 7]})", Shape::Array(S64, {2}));
  ASSERT_TRUE(longs.ok()) << longs.status();
  EXPECT_EQ(longs->data<int64_t>()[0], std::numeric_limits<int64_t>::min());
  EXPECT_TRUE(Read(R"({"data": [-8, 7]})", Shape::Array(S4, {2})).ok());
  const auto filled = Read(R"({"fill": 3})", Shape::Array(U8, {2, 2}));
  ASSERT_TRUE(filled.ok()) << filled.status();
  EXPECT_EQ(filled->data<uint8_t>()[3], 3);
  EXPECT_TRUE(Read(R"({"data": []})", Shape::Array(F16, {0})).ok());
}

TEST(TensorJson, RefusesWhatIsNoSuchNumber) {
  EXPECT_THAT(Message("{}", Shape::Scalar(F32)), HasSubstr("inputs.w: expected its elements"));
  EXPECT_THAT(Message(R"({"data": 1})", Shape::Scalar(F32)), HasSubstr("data: expected an array, got 1"));
  EXPECT_THAT(Message(R"({"data": [1]})", Shape::Array(F32, {2})), HasSubstr("f32[2] has 2 elements, got 1"));
  EXPECT_THAT(Message(R"({"data": ["inf"]})", Shape::Array(F32, {1})),
              HasSubstr("data[0]: expected a number of type f32, got 'inf'; NaN"));
  EXPECT_THAT(Message(R"({"data": [0, 8]})", Shape::Array(S4, {2})),
              HasSubstr("data[1]: expected a number of type s4"));
  EXPECT_THAT(Message(R"({"data": [1.5]})", Shape::Array(S32, {1})), HasSubstr("of type s32, got 1.5"));
  EXPECT_THAT(Message(R"({"data": ["18446744073709551616"]})", Shape::Array(U64, {1})), HasSubstr("of type u64"));
  EXPECT_THAT(Message(R"({"fill": -1})", Shape::Array(U8, {3})), HasSubstr("fill: expected a number of type u8"));
}

TEST(TensorJson, WritesTheShortestNumbers) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(Write(Literal::Vector<float>({1, -0.0f, 0.1f, 16777216, 1e30f, infinity})),
            R"({"data":[1,"-0",0.1,16777216,1e+30,"Infinity"]})");
  EXPECT_EQ(Write(Literal::Vector<int64_t>({-1})), R"({"data":["-1"]})");
  EXPECT_EQ(Write(Literal::Vector<int64_t>({7, 7, 7, 7, 7})), R"({"fill":"7"})");
  EXPECT_EQ(Write(Literal::Vector<uint8_t>({255})), R"({"data":[255]})");
}

TEST(TensorJson, GivesEveryHalfBack) {
  uint16_t bits[0x7C00];
  for (uint16_t i = 0; i < 0x7C00; ++i) bits[i] = i;
  const Literal halves = Literal::Borrow(Shape::Array(F16, {0x7C00}), bits);
  const auto again = Read(Write(halves), halves.shape());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(again->BitwiseEquals(halves));
}

TEST(TensorJson, GivesFloatsBack) {
  std::vector<float> values;
  uint32_t bits = 12345;
  for (int i = 0; i < 5000; ++i) {
    bits = bits * 1664525 + 1013904223;
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    if (value == value) values.push_back(value);
  }
  const Literal floats = Literal::FromValues<float>({static_cast<int64_t>(values.size())}, values);
  const auto again = Read(Write(floats), floats.shape());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(again->BitwiseEquals(floats));
}

}  // namespace
}  // namespace webnn
}  // namespace xla
