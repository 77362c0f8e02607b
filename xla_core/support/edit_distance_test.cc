#include "xla_core/support/edit_distance.h"

#include <gmock/gmock.h>

#include <string>

namespace xla {
namespace {

constexpr absl::string_view kOpcodes[] = {"add",    "all-gather", "all-reduce", "and",
                                          "reduce", "transpose",  "tan",        "tanh"};

TEST(EditDistance, CountsEachKindOfSlip) {
  EXPECT_EQ(EditDistance("", ""), 0);
  EXPECT_EQ(EditDistance("abc", ""), 3);
  EXPECT_EQ(EditDistance("abc", "abxc"), 1);
  EXPECT_EQ(EditDistance("abc", "ac"), 1);
  EXPECT_EQ(EditDistance("abc", "axc"), 1);
  EXPECT_EQ(EditDistance("abcd", "acbd"), 1);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3);
  EXPECT_EQ(EditDistance("ABC", "abc"), 0);
}

TEST(NearestWord, FindsTheLikelyOne) {
  EXPECT_EQ(NearestWord("trnaspose", kOpcodes), "transpose");
  EXPECT_EQ(NearestWord("all_reduce", kOpcodes), "all-reduce");
  EXPECT_EQ(NearestWord("Add", kOpcodes), "add");
  EXPECT_EQ(NearestWord("tah", kOpcodes), "tan");
}

TEST(NearestWord, FindsNothingWhenNothingIsNear) {
  EXPECT_EQ(NearestWord("convolution", kOpcodes), "");
  EXPECT_EQ(NearestWord("", kOpcodes), "");
  EXPECT_EQ(NearestWord("x", {}), "");
  EXPECT_EQ(NearestWord(std::string(100000000, 'x'), kOpcodes), "");
}

TEST(DidYouMean, IsASentenceOrNothing) {
  EXPECT_EQ(DidYouMean("reduse", kOpcodes), "; did you mean 'reduce'?");
  EXPECT_EQ(DidYouMean("sort", kOpcodes), "");
}

}  // namespace
}  // namespace xla
