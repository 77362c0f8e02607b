#include "builders/nnef2/recognition/index_pieces.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace xla {
namespace nnef2 {
namespace {

// "4-1*2 0+1*3": first, stride and count of each.
std::string PiecesText(const std::vector<int64_t>& numbers) {
  std::string text;
  for (const IndexPiece& piece : PiecesOf(numbers)) {
    absl::StrAppend(&text, text.empty() ? "" : " ", piece.first, piece.stride < 0 ? "" : "+", piece.stride, "*",
                    piece.count);
  }
  return text;
}

TEST(IndexPiecesTest, TakesRisingRunsWhole) {
  EXPECT_EQ(PiecesText({0, 1, 2, 3}), "0+1*4");
  EXPECT_EQ(PiecesText({2, 1, 0, 1, 2, 3, 2, 1}), "2-1*2 0+1*4 2-1*2");  // reflected
  EXPECT_EQ(PiecesText({1, 0, 0, 1, 2, 2, 1}), "1-1*2 0+1*3 2-1*2");     // symmetric
  EXPECT_EQ(PiecesText({0, 0, 0, 1, 2, 2}), "0+0*2 0+1*3 2+1*1");        // replicated
}

TEST(IndexPiecesTest, TakesOtherStepsAsTheyCome) {
  EXPECT_EQ(PiecesText({0, 0, 2, 4, 6, 6}), "0+0*2 2+2*3 6+1*1");
  EXPECT_EQ(PiecesText({5}), "5+1*1");
  EXPECT_EQ(PiecesText({1, 0, 1, 2}), "1+1*1 0+1*3");
}

TEST(IndexPiecesTest, FindsNoneWhereThereAreMany) {
  EXPECT_EQ(PiecesText({0, 5, 1, 7, 2, 9, 3, 8, 6, 6, 0, 4, 4}), "");
}

}  // namespace
}  // namespace nnef2
}  // namespace xla
