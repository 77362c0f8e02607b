// The prose of the tree is free of the phrases in phrases.txt and names no file that is not there.
#include <gmock/gmock.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tests/words/file_names.h"
#include "tests/words/phrases.h"
#include "tests/words/prose.h"
#include "xla_core/support/files.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Contents(const std::string& path) {
  const absl::StatusOr<FileContents> file = ReadFile(path);
  EXPECT_TRUE(file.ok()) << file.status();
  return file.ok() ? std::string(file->data()) : "";
}

// Bazel passes the test a link to the file; the sources are next to it.
std::string Root() { return std::filesystem::canonical("WORKSPACE").parent_path().string(); }

bool IsOfOthers(absl::string_view path) { return absl::StartsWith(path, "third_party/"); }

std::vector<std::string> TextsOf(absl::string_view path, absl::string_view content) {
  std::vector<std::string> texts;
  for (const Prose& prose : ProseOf(path, content)) texts.push_back(prose.text);
  return texts;
}

TEST(Words, ProseOfTheTreeHasNoneOfThePhrases) {
  const absl::StatusOr<std::vector<Phrase>> phrases = ReadPhrases(Contents("tests/words/phrases.txt"));
  ASSERT_TRUE(phrases.ok()) << phrases.status();
  EXPECT_GE(phrases->size(), 60u);
  std::vector<std::string> found;
  for (const std::string& path : SourceTree(Root())) {
    if (IsOfOthers(path)) continue;
    const std::vector<Prose> prose = ProseOf(path, Contents(Root() + "/" + path));
    for (std::string& line : FindPhrases(path, prose, *phrases)) found.push_back(std::move(line));
  }
  EXPECT_TRUE(found.empty()) << absl::StrJoin(found, "\n") << "\n(tests/words/phrases.txt)";
}

TEST(Words, CommentsAndPagesNameFilesThatExist) {
  const std::vector<std::string> tree = SourceTree(Root());
  std::vector<std::string> others;
  for (absl::string_view row : absl::StrSplit(Contents("tests/words/other_files.txt"), '\n')) {
    if (!row.empty() && row[0] != '#') others.emplace_back(row.substr(0, row.find(' ')));
  }
  const FileNames names(tree, others);
  std::vector<std::string> found;
  for (const std::string& path : tree) {
    if (IsOfOthers(path)) continue;
    for (std::string& line : names.FindUnknown(path, ProseOf(path, Contents(Root() + "/" + path)))) {
      found.push_back(std::move(line));
    }
  }
  EXPECT_TRUE(found.empty()) << absl::StrJoin(found, "\n") << "\n(exceptions: tests/words/other_files.txt)";
}

TEST(Prose, JoinsCommentsAndStringsOfNeighbouringLines) {
  EXPECT_THAT(TextsOf("a.cc", R"(// One sentence
//   on two lines.
int x;  // behind code
const char* y = "two "
                "parts";
auto z = Raw(R"x(// not this "nor this")x");
// Last.

/* A block
 * of two lines. */
)"),
              ElementsAre("One sentence on two lines.", "behind code", "two parts", "Last.",
                          "A block of two lines."));
}

TEST(Prose, ReadsMarkdownWithoutCode) {
  EXPECT_THAT(TextsOf("a.md", "# Title\nOne\ntwo.\n\n```\ncode\n```\n| row |\n| row 2 |\n"),
              ElementsAre("# Title", "One two.", "| row |", "| row 2 |"));
}

TEST(Prose, ReadsScriptsAndTitlesOfCases) {
  EXPECT_THAT(TextsOf("BUILD.bazel", "# A rule\n# of two lines.\nrule(\n    # Why.\n)\n"),
              ElementsAre("A rule of two lines.", "Why."));
  EXPECT_THAT(TextsOf("passes/x/cases/y.hlo", "// CASE a title\n// RULES no\n"), ElementsAre("a title"));
  EXPECT_THAT(TextsOf("data.npz", "// no"), IsEmpty());
}

TEST(Phrases, AreFoundInAnyCaseUnlessWhatTheyAreInIsCorrect) {
  const absl::StatusOr<std::vector<Phrase>> phrases = ReadPhrases(R"(# comment
no pear => not a pear
  matches: \bno (pear|plum)s?\b
  not in: no pears at all
)");
  ASSERT_TRUE(phrases.ok()) << phrases.status();
  const auto found = [&](std::string text) {
    return FindPhrases("x.cc", {{Prose::Kind::kComment, 7, std::move(text)}}, *phrases);
  };
  EXPECT_THAT(found("That is No plum."),
              ElementsAre("x.cc:7: \"No plum\": write as for \"no pear\": \"not a pear\""));
  EXPECT_THAT(found("there are no pears at all"), IsEmpty());
}

TEST(Phrases, RefusesMistakesInTheList) {
  const auto error = [](absl::string_view text) { return std::string(ReadPhrases(text).status().message()); };
  EXPECT_THAT(error("no arrow\n"), HasSubstr("line 1: expected 'phrase => replacement'"));
  EXPECT_THAT(error("a => b\n  matches: (\n"), HasSubstr("line 2: (: "));
  EXPECT_EQ(error("a => b\n  matches: c\n"), "'a' is not matched by its own expression c");
  EXPECT_EQ(error("a => b\na => c\n"), "'a' occurs twice");
}

TEST(FileNames, AreKnownByPathByEndOrFromTheFolder) {
  const FileNames names({"x/a.h", "x/y/b.cc"}, {"other.h"});
  const auto unknown = [&](std::string text) {
    return names.FindUnknown("x/y/b.cc", {{Prose::Kind::kComment, 1, std::move(text)}});
  };
  EXPECT_THAT(unknown("See a.h, x/a.h, y/b.cc, ../a.h, other.h and *_rules.cc."), IsEmpty());
  EXPECT_THAT(unknown("See c.h, or z/a.h."),
              ElementsAre("x/y/b.cc:1: there is no file 'c.h'", "x/y/b.cc:1: there is no file 'z/a.h'"));
}

}  // namespace
}  // namespace xla
