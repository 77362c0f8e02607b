#include "builders/nnef2/library/library.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace nnef2 {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// The names of the operators of a module. What precedes a definition must be its comment.
std::vector<std::string> OperatorsOf(const LibraryModule& module) {
  std::vector<std::string> names;
  absl::string_view previous;
  for (absl::string_view line : absl::StrSplit(module.text, '\n')) {
    const bool has_comment = absl::StartsWith(previous, "# ") && !absl::StartsWith(previous, "# ----");
    previous = line;
    if (!absl::ConsumePrefix(&line, "operator ")) continue;
    names.emplace_back(line.substr(0, line.find(' ')));
    EXPECT_TRUE(has_comment) << module.name << "." << names.back() << " has no comment";
  }
  return names;
}

TEST(StandardLibrary, HasTheOperatorsOfTheStandard) {
  std::vector<std::pair<std::string, size_t>> counts;
  for (const LibraryModule& module : StandardLibrary()) {
    const std::vector<std::string> names = OperatorsOf(module);
    counts.emplace_back(module.name, names.size());
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size()) << module.name;
  }
  EXPECT_THAT(counts, ElementsAre(Pair("layout", 27), Pair("math", 70), Pair("linalg", 4), Pair("nn", 28),
                                  Pair("image", 11), Pair("quant", 2), Pair("algo", 2)));
}

TEST(StandardLibrary, ImportsOnlyWhatPrecedes) {
  std::set<std::string> before;
  for (const LibraryModule& module : StandardLibrary()) {
    for (absl::string_view line : absl::StrSplit(module.text, '\n')) {
      if (!absl::ConsumePrefix(&line, "import ")) continue;
      EXPECT_EQ(before.count(std::string(absl::StripSuffix(line, ";"))), 1) << module.name << " imports " << line;
    }
    before.insert(std::string(module.name));
  }
}

TEST(StandardLibrary, FindsModules) {
  ASSERT_NE(FindLibraryModule("nn"), nullptr);
  EXPECT_TRUE(absl::StrContains(FindLibraryModule("nn")->text, "\noperator conv {"));
  EXPECT_EQ(FindLibraryModule("main"), nullptr);
}

}  // namespace
}  // namespace nnef2
}  // namespace xla
