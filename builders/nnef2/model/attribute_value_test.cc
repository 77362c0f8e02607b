#include "builders/nnef2/diagnostics.h"
#include "builders/nnef2/model/model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace nnef2 {
namespace {

std::string Parsed(absl::string_view text) {
  const absl::StatusOr<Value> value = ParseAttributeValue(text);
  return value.ok() ? value->ToString() : std::string(value.status().message());
}

TEST(AttributeValue, IsAnExpression) {
  EXPECT_EQ(Parsed("3"), "3");
  EXPECT_EQ(Parsed(" -1.5e0 "), "-1.5");
  EXPECT_EQ(Parsed("true"), "true");
  EXPECT_EQ(Parsed("'same'"), "'same'");
  EXPECT_EQ(Parsed("[1, 2 ..(2)]"), "[1, 2, 2]");
  EXPECT_EQ(Parsed("[]"), "[]");
}

TEST(AttributeValue, SaysWhatIsWrong) {
  EXPECT_THAT(Parsed("SAME"), testing::HasSubstr("value:1:1: name: "));
  EXPECT_THAT(Parsed("1 2"), testing::HasSubstr("value:1:3: syntax: expected the end of the value"));
  EXPECT_THAT(Parsed(""), testing::HasSubstr("syntax: "));
  EXPECT_THAT(Parsed("'a"), testing::HasSubstr("lex: "));
  EXPECT_THAT(Parsed("1 / 0"), testing::HasSubstr("value: "));
}

}  // namespace
}  // namespace nnef2
}  // namespace xla
