#include "backends/testing/expect_same.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "xla_core/literal_io/compare_literals.h"

namespace xla {
namespace {

Tolerance ToleranceOf(Alike alike, PrimitiveType type) {
  if (alike == Alike::kWithinTolerance) return DefaultTolerance(type);
  Tolerance exact;
  exact.zero_sign = true;
  return exact;
}

}  // namespace

void ExpectSame(const Literal& got, const Literal& want, Alike alike, const std::string& where) {
  if (want.IsTuple()) {
    ASSERT_TRUE(got.IsTuple()) << where;
    ASSERT_EQ(got.tuple_size(), want.tuple_size()) << where;
    for (int i = 0; i < want.tuple_size(); ++i) {
      ExpectSame(got.element(i), want.element(i), alike, absl::StrCat(where, "{", i, "}"));
    }
  } else if (alike == Alike::kBits) {
    EXPECT_TRUE(got.BitwiseEquals(want)) << where << " of " << want.shape().ToString();
  } else if (want.shape().IsArray()) {
    const Comparison comparison = CompareArrays(got, want, ToleranceOf(alike, want.shape().element_type()));
    EXPECT_TRUE(comparison.matches()) << DescribeComparison(where, comparison, got, want);
  }
}

}  // namespace xla
