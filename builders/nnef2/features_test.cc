// The table of features in docs/nnef2_features.md tells the truth: it has a row for each feature, in order, whose
// sources and tests exist.
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "re2/re2.h"
#include "xla_core/support/files.h"

namespace xla {
namespace nnef2 {
namespace {

constexpr int kNumFeatures = 109;

std::string TextOf(const std::filesystem::path& path) {
  const absl::StatusOr<FileContents> file = ReadFile(path.string());
  EXPECT_TRUE(file.ok()) << file.status();
  return file.ok() ? std::string(file->data()) : "";
}

// Bazel passes the test a link to the file; the sources are next to it.
std::filesystem::path Root() { return std::filesystem::canonical("WORKSPACE").parent_path(); }

// "LoadModel.ReadsVariables" of all tests below builders/nnef2.
std::set<std::string> Tests() {
  static const RE2* const test = new RE2(R"((?m)^TEST(?:_F)?\((\w+), (\w+)\))");
  std::set<std::string> tests;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(Root() / "builders/nnef2")) {
    if (!absl::EndsWith(entry.path().string(), "_test.cc")) continue;
    const std::string text = TextOf(entry.path());
    re2::StringPiece rest(text);
    std::string suite, name;
    while (RE2::FindAndConsume(&rest, *test, &suite, &name)) tests.insert(absl::StrCat(suite, ".", name));
  }
  return tests;
}

std::vector<std::string> CodeWords(const std::string& cell) {
  static const RE2* const word = new RE2("`([^`]+)`");
  std::vector<std::string> words;
  re2::StringPiece rest(cell);
  std::string found;
  while (RE2::FindAndConsume(&rest, *word, &found)) words.push_back(found);
  return words;
}

TEST(FeatureTable, HasAllFeaturesWithSourcesAndTestsThatExist) {
  static const RE2* const row = new RE2(R"((?m)^\| F(\d+) \| (?:[^|]|\\\|)+ \| ([^|]+) \| ([^|]+) \|$)");
  const std::set<std::string> tests = Tests();
  const std::string table = TextOf(Root() / "docs/nnef2_features.md");
  re2::StringPiece rest(table);
  int number = 0, last = 0;
  std::string sources, names;
  while (RE2::FindAndConsume(&rest, *row, &number, &sources, &names)) {
    SCOPED_TRACE(absl::StrCat("F", number));
    EXPECT_EQ(number, ++last);
    EXPECT_FALSE(CodeWords(sources).empty());
    EXPECT_FALSE(CodeWords(names).empty());
    for (const std::string& source : CodeWords(sources)) {
      EXPECT_TRUE(std::filesystem::exists(Root() / "builders/nnef2" / source)) << source;
    }
    for (const std::string& name : CodeWords(names)) EXPECT_EQ(tests.count(name), 1u) << name;
  }
  EXPECT_EQ(last, kNumFeatures);
}

}  // namespace
}  // namespace nnef2
}  // namespace xla
