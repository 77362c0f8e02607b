#include "xla_core/support/json.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <string>

namespace xla {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

JsonValue Parse(absl::string_view text) {
  absl::StatusOr<JsonValue> value = ParseJson(text, "x.json");
  EXPECT_TRUE(value.ok()) << value.status();
  return value.ok() ? *std::move(value) : JsonValue();
}

std::string ErrorOf(absl::string_view text) { return std::string(ParseJson(text, "x.json").status().message()); }

TEST(ParseJson, ReadsEveryKindOfValue) {
  const JsonValue value = Parse(R"( {"n": null, "b": true, "i": -3, "d": 2.5, "s": "a\u00e9\n", "a": [1, [], {}]} )");
  ASSERT_NE(value.AsObject(), nullptr);
  EXPECT_EQ(value.AsObject()->size(), 6u);
  EXPECT_TRUE(value.Find("n")->is_null());
  EXPECT_EQ(value.Find("b")->AsBool(), true);
  EXPECT_EQ(value.Find("i")->AsInt64(), -3);
  EXPECT_EQ(value.Find("d")->AsDouble(), 2.5);
  EXPECT_EQ(*value.Find("s")->AsString(), "a\xc3\xa9\n");
  EXPECT_EQ(value.Find("a")->AsArray()->size(), 3u);
  EXPECT_EQ(value.Find("z"), nullptr);
}

TEST(ParseJson, ReadsScalarsAtTheTop) { EXPECT_EQ(Parse(" 7 ").AsInt64(), 7); }

TEST(ParseJson, KeepsWholeNumbersExact) {
  EXPECT_EQ(Parse("9223372036854775807").AsInt64(), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(Parse("-9223372036854775808").AsInt64(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(Parse("18446744073709551615").AsUint64(), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(Parse("18446744073709551615").AsInt64(), absl::nullopt);
  EXPECT_EQ(Parse("18446744073709551616").AsUint64(), absl::nullopt);
  EXPECT_EQ(Parse("1e3").AsInt64(), 1000);
  EXPECT_EQ(Parse("1.5").AsInt64(), absl::nullopt);
  EXPECT_EQ(Parse("-1").AsUint64(), absl::nullopt);
}

TEST(ParseJson, AnswersNothingForAnotherKind) {
  const JsonValue value = Parse("\"text\"");
  EXPECT_EQ(value.AsBool(), absl::nullopt);
  EXPECT_EQ(value.AsInt64(), absl::nullopt);
  EXPECT_EQ(value.AsDouble(), absl::nullopt);
  EXPECT_EQ(value.AsArray(), nullptr);
  EXPECT_EQ(value.Find("x"), nullptr);
  EXPECT_EQ(value.KindName(), "string");
}

TEST(ParseJson, TakesTheLastOfEqualKeys) {
  const JsonValue value = Parse(R"({"a": 1, "b": 2, "a": 3})");
  EXPECT_EQ(value.AsObject()->size(), 2u);
  EXPECT_EQ(value.Find("a")->AsInt64(), 3);
}

TEST(ParseJson, SaysWhereItFailed) {
  EXPECT_EQ(ErrorOf("{\"a\": 1,\n \"b\" 2}"), "x.json:2:6: not valid JSON: unexpected '2'");
  EXPECT_EQ(ErrorOf("[1, 2"), "x.json:1:6: not valid JSON: unexpected the end");
  EXPECT_EQ(ErrorOf(""), "x.json:1:1: not valid JSON: unexpected the end");
  EXPECT_THAT(ErrorOf("[1] x"), StartsWith("x.json:1:5: "));
  EXPECT_THAT(ErrorOf("\"\xff\""), StartsWith("x.json:1:2: "));
  EXPECT_THAT(ErrorOf("[1e999]"), StartsWith("x.json:1:"));
}

TEST(ParseJson, LimitsTheDepth) {
  EXPECT_TRUE(ParseJson(std::string(200, '[') + std::string(200, ']'), "x.json").ok());
  EXPECT_EQ(ErrorOf(std::string(201, '[')), "x.json: nested deeper than 200 levels");
  EXPECT_EQ(ErrorOf(std::string(10000000, '[')), "x.json: nested deeper than 200 levels");
}

TEST(JsonWriter, WritesOneLine) {
  JsonWriter json;
  json.BeginObject().Key("a").Int(-1).Key("b").BeginArray().Double(0.1).Bool(true).Null().EndArray();
  json.Key("c").BeginObject().EndObject().Key("d").Uint(std::numeric_limits<uint64_t>::max()).EndObject();
  EXPECT_EQ(json.text(), R"({"a":-1,"b":[0.1,true,null],"c":{},"d":18446744073709551615})");
}

TEST(ParseJson, EndsAtALimit) {
  ResourceLimits limits;
  limits.deadline = absl::InfinitePast();
  const ResourceContext late(limits, "testing");
  for (const char* text : {"1", "[1, 2]", R"({"a": {"b": null}})"}) {
    EXPECT_EQ(ParseJson(text, "f.json", &late).status(),
              absl::DeadlineExceededError("the deadline passed while testing"));
  }
}

TEST(JsonWriter, Indents) {
  JsonWriter json(2);
  json.BeginObject().Key("a").BeginArray().Int(1).Int(2).EndArray().Key("b").BeginArray().EndArray().EndObject();
  EXPECT_EQ(json.text(), "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": []\n}");
}

TEST(JsonWriter, EscapesAndRepairsStrings) {
  JsonWriter json;
  json.String("\"\\\n\x01 \xc3\xa9 \xff\xed\xa0\x80 \xf0\x9f\x98\x80 \xe2\x82");
  EXPECT_EQ(json.text(),
            "\"\\\"\\\\\\n\\u0001 \xc3\xa9 \\ufffd\\ufffd\\ufffd\\ufffd \xf0\x9f\x98\x80 \\ufffd\\ufffd\"");
}

TEST(JsonWriter, WritesNumbersThatReadBackTheSame) {
  for (double number : {0.1, 1.0 / 3, 1e300, 5e-324, -2.0, 123456789012345680.0}) {
    JsonWriter json;
    json.Double(number);
    EXPECT_EQ(Parse(json.text()).AsDouble(), number) << json.text();
  }
  JsonWriter json;
  json.BeginArray().Double(NAN).Double(INFINITY).EndArray();
  EXPECT_EQ(json.text(), "[null,null]");
}

}  // namespace
}  // namespace xla
