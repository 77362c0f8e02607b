#include "builders/nnef2/lowering/build_nests.h"

#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "builders/nnef2/lowering/test_support.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace nnef2 {
namespace {

using testing::HasSubstr;

// The statements of StatementText, one a line, or the error. x is %0, k %1, the items of xs %2 and %3, and those of y
// follow.
std::string Nests(absl::string_view output, absl::string_view statements) {
  Diagnostics diagnostics;
  const absl::optional<ComposedGraph> graph = ComposeText(StatementText(output, statements), &diagnostics);
  std::vector<StatementNest> nests;
  if (!graph.has_value() || !BuildNests(*graph, graph->operations[0], &nests)) {
    return std::string(diagnostics.ToStatus().message());
  }
  return absl::StrJoin(nests, "\n", [](std::string* out, const StatementNest& nest) { *out += NestText(nest); });
}

TEST(BuildNestsTest, EvaluatesWhatIsKnown) {
  EXPECT_EQ(Nests("real[n]", "y[i,] = x[n - 1 - i,] * (2.0 + 1.0), i < n;"), "for i < 4 %4[i] = (%0[(3 - i)] * 3.0)");
  EXPECT_EQ(Nests("real[n]", "y[i,] = n > 3 ? x[i,] : x[i + 9,], i < n;"), "for i < 4 %4[i] = %0[i]");
  EXPECT_EQ(Nests("real[]", "y[] = (c ..(2) == 2) ? x[0,] : x[1,];").find("for"), std::string::npos);
}

TEST(BuildNestsTest, KeepsGuardsThatMayFail) {
  EXPECT_EQ(Nests("real[n]", "y[i,] += x[|i + j - 1|,], i < n, j < m;"),
            "for i < 4, j < 3 if 0 <= ((i + j) - 1) < 4 %4[i] += %0[((i + j) - 1)]");
  EXPECT_EQ(Nests("real[n]", "y[i,] = x[|i|,], i < n;"), "for i < 4 %4[i] = %0[i]");
  EXPECT_EQ(Nests("real[n]", "y[i,] = x[|i - 1 <> 0 : 3|,], i < n;"), "for i < 4 %4[i] = %0[|(i - 1) <> 0 : 3|]");
  EXPECT_EQ(Nests("real[n]", "t = [|i - 1|], y[i,] = x[t..,] + 1.0, i < n;"),
            "for i < 4 if 0 <= (i - 1) < 4 %4[i] = (%0[(i - 1)] + 1.0)");
}

TEST(BuildNestsTest, TakesPacksApart) {
  EXPECT_EQ(Nests("real[s]", "y[i,] += xs[j][i,], j < c, i < s;"),
            "for i < 2 %4[i] += %2[i]\nfor i < 2 %4[i] += %3[i]");
  EXPECT_EQ(Nests("real[s]..(c)", "y[i,] = xs[i,] * x[i,], i < s;"),
            "for i < 2 (%4,%5)[i] = (%2[i] * %0[i]), (%3[i] * %0[i])");
  EXPECT_EQ(Nests("real[s, s]", "y[i..] = x[(i * [2, 1]) + ..,], i < [s, s];"),
            "for i:1 < 2, i:2 < 2 %4[i:1,i:2] = %0[((i:1 * 2) + i:2)]");
}

TEST(BuildNestsTest, LeavesOutWhatNeverRuns) {
  EXPECT_EQ(Nests("real[n]", "y[i,] = 1.0, i < n; y[i,] += 2.0, i < n - 4;"), "for i < 4 %4[i] = 1.0");
  EXPECT_EQ(Nests("real[n]", "y[i,] = 1.0, i < n | n < 4;"), "");
  // Of which nothing is evaluated: no division by zero, no item beyond the end.
  EXPECT_EQ(Nests("real[n]", "t = 1 / (n - 4), y[i,] = real(t) + x[i / (n - 4),], i < n | n != 4;"), "");
  EXPECT_EQ(Nests("real[n]", "unroll..(u -> 2) y[i,] = [1.0][u], i < n | u < 1;"), "for i < 4 %4[i] = 1.0");
}

TEST(BuildNestsTest, IntsAreThoseOfRunTime) {
  const std::string error = "the int 3000000000 does not fit the 32 bits that ints have at run time";
  EXPECT_THAT(Nests("int[m]", "y[i,] = k[i,] + 3000000000, i < m;"), HasSubstr(error));
  EXPECT_THAT(Nests("int[m]", "y[i,] = [1, 2, 3000000000][i], i < m;"), HasSubstr(error));
  EXPECT_THAT(Nests("int[m]", "y[i,] = k[i,], i < m | i < 2 => k[i,] < 3000000000;"), HasSubstr(error));
  EXPECT_THAT(Nests("int[m]", "y[i,] = i > 0 ? -3000000000 : 0, i < m;"), HasSubstr("the int -3000000000"));
  EXPECT_EQ(Nests("int[m]", "y[i,] = k[i,] + (3000000000 - 2999999999), i < m;"), "for i < 3 %4[i] = (%1[i] + 1)");
  EXPECT_EQ(Nests("real[m]", "y[i,] = real(3000000000), i < m;"), "for i < 3 %4[i] = 3e+09");
  // Beyond the end, and not computed.
  EXPECT_EQ(Nests("int[m]", "y[i,] = k[|i + 3000000000|,], i < m;"), "");
  EXPECT_EQ(Nests("int[m]", "y[i,] = k[|i - 3000000000 <> 0 : 1|,], i < m;"), "for i < 3 %4[i] = %1[0]");
}

TEST(BuildNestsTest, AnIndexMayBoundAnother) {
  EXPECT_EQ(Nests("real[n]", "y[i,] += x[j,], i < n, j < i;"), "for i < 4, j < 3 if 0 <= j < i %4[i] += %0[j]");
}

TEST(BuildNestsTest, RefusesGuardsOutsideOfIndices) {
  EXPECT_THAT(Nests("int[n]", "t = |i|, y[i,] = t + 1, i < n;"),
              HasSubstr("lower: a guarded index can only be an index of a tensor"));
}

TEST(BuildNestsTest, RefusesKnownIndicesOutOfRange) {
  EXPECT_THAT(Nests("real[n]", "y[i,] = x[i,] + x[n,], i < n;"),
              HasSubstr("value: index 4 is out of range: the extent of dimension 0 is 4"));
  EXPECT_THAT(Nests("real[n]", "y[-1,] = x[0,];"), HasSubstr("value: index -1 is out of range"));
  // What is not chosen may lie anywhere.
  EXPECT_EQ(Nests("real[n]", "y[i,] = k[0,] > 3 ? x[9,] : x[i,], i < n;"),
            "for i < 4 %4[i] = ((%1[0] > 3) ? %0[9] : %0[i])");
}

TEST(BuildNestsTest, RefusesIndicesThatLeaveTheirTensorInSomeIteration) {
  EXPECT_THAT(Nests("real[n]", "y[i,] = x[i + 1,], i < n;"),
              HasSubstr("value: index 4 is out of range: the extent of dimension 0 is 4"));
  EXPECT_THAT(Nests("real[n]", "y[i - 1,] = x[i,], i < n;"), HasSubstr("value: index -1 is out of range"));
  EXPECT_THAT(Nests("real[n]", "y[i,] += x[2 * i - j + 1,], i < m, j < m;"),
              HasSubstr("value: index 5 is out of range"));
  EXPECT_THAT(Nests("real[n]", "y[i,] = x[(i * i) % 7,], i < m;"), HasSubstr("value: index 4 is out of range"));
  EXPECT_THAT(Nests("real[n]", "y[n - i,] = x[i,], i < n;"), HasSubstr("value: index 4 is out of range"));
}

TEST(BuildNestsTest, ProvesIndicesThatDependOnEachOther) {
  EXPECT_EQ(Nests("real[n]", "y[i,] = x[i * i - 3 * i + 2,], i < m;"),
            "for i < 3 %4[i] = %0[(((i * i) - (3 * i)) + 2)]");
  EXPECT_EQ(Nests("real[n]", "y[i,] = x[(3 * i) % 5,], i < m;"), "for i < 3 %4[i] = %0[((3 * i) % 5)]");
}

TEST(BuildNestsTest, CountsIterationsThatTakePlaceOnly) {
  EXPECT_EQ(Nests("real[n]", "y[i,] = x[i - 1,], i < n | i > 0;"), "for i < 4 if (i > 0) %4[i] = %0[(i - 1)]");
  EXPECT_THAT(Nests("real[n]", "y[i,] = x[i - 2,], i < n | i > 0;"), HasSubstr("value: index -1 is out of range"));
  EXPECT_EQ(Nests("real[n]", "y[i,] += x[|i - j|,] * x[i - j,], i < n, j < m;"),
            "for i < 4, j < 3 if 0 <= (i - j) < 4 %4[i] += (%0[(i - j)] * %0[(i - j)])");
  EXPECT_THAT(Nests("real[n]", "y[i,] += x[|i - 1|,] * x[j + 2,], i < n, j < m;"),
              HasSubstr("value: index 4 is out of range"));
  // Data may say that no iteration takes place.
  EXPECT_EQ(Nests("real[n]", "y[i,] = x[i + 1,], i < n | k[0,] > 0;"), "for i < 4 if (%1[0] > 0) %4[i] = %0[(i + 1)]");
}

}  // namespace
}  // namespace nnef2
}  // namespace xla
