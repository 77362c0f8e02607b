// The examples of the pages about the tools are true: files are blocks marked `hlo`, `skriptnd` or `json` whose first
// line is a comment with their name (and, of JSON, no part of the file), commands are lines of blocks marked `console`
// that begin with `$ `, and what they print follows them.
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/support/files.h"

namespace xla {
namespace {

std::string Contents(const std::string& path) {
  const auto file = ReadFile(path);
  EXPECT_TRUE(file.ok()) << file.status();
  return file.ok() ? std::string(file->data()) : "";
}

struct Block {
  std::string language;
  std::vector<std::string> lines;
};

std::vector<Block> BlocksOf(const std::string& page) {
  std::vector<Block> blocks;
  bool inside = false;
  for (absl::string_view line : absl::StrSplit(page, '\n')) {
    if (absl::ConsumePrefix(&line, "```")) {
      inside = !inside;
      if (inside) blocks.push_back({std::string(line), {}});
    } else if (inside) {
      blocks.back().lines.emplace_back(line);
    }
  }
  return blocks;
}

// What the command prints on both outputs, run in the folder of the examples.
std::string Run(const std::string& command) {
  const std::string out = testing::TempDir() + "/printed";
  const int status = std::system(
      absl::StrCat("PATH=$PWD/tools:$PATH; cd ", testing::TempDir(), "; (", command, ") >", out, " 2>&1 </dev/null")
          .c_str());
  EXPECT_NE(status, -1);
  return Contents(out);
}

void RunExamples(const Block& block) {
  std::string command, expected;
  const auto check = [&] {
    if (!command.empty()) {
      EXPECT_EQ(Run(command), expected) << command;
    }
    expected.clear();
  };
  for (const std::string& line : block.lines) {
    if (absl::StartsWith(line, "$ ")) {
      check();
      command = line.substr(2);
    } else {
      absl::StrAppend(&expected, line, "\n");
    }
  }
  check();
}

void ExpectTrueExamples(const std::string& page, int minimum = 6) {
  int examples = 0;
  for (const Block& block : BlocksOf(Contents(page))) {
    const bool is_json = block.language == "json";
    if (block.language == "hlo" || block.language == "skriptnd" || is_json) {
      const std::string name = block.lines[0].substr(block.lines[0].find_first_not_of("/# "));
      std::string text;
      for (size_t i = is_json ? 1 : 0; i < block.lines.size(); ++i) absl::StrAppend(&text, block.lines[i], "\n");
      ASSERT_TRUE(WriteFile(absl::StrCat(testing::TempDir(), "/", name), text).ok());
    } else if (block.language == "console") {
      RunExamples(block);
      ++examples;
    }
  }
  EXPECT_GE(examples, minimum);
}

TEST(Docs, OfHloOptHaveTrueExamples) { ExpectTrueExamples("docs/hlo_opt.md"); }
TEST(Docs, OfDevicesHaveTrueExamples) { ExpectTrueExamples("docs/devices.md", 3); }
TEST(Docs, OfShardingHaveTrueExamples) { ExpectTrueExamples("docs/sharding.md", 2); }
TEST(Docs, OfSkriptndHaveTrueExamples) { ExpectTrueExamples("docs/skriptnd.md"); }
TEST(Docs, OfWrongNumbersHaveTrueExamples) { ExpectTrueExamples("docs/wrong_numbers.md"); }

}  // namespace
}  // namespace xla
