#include "tools/shared/command_line.h"

#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using testing::ElementsAre;

struct Outcome {
  absl::optional<int> ended;
  std::vector<std::string> others;
  bool flag = false;
  std::string out;
  std::string err;
};

// Of a program with one flag, or with as many topics as asked for; `takes_others`: with arguments that are no flags.
Outcome Read(std::vector<std::string> arguments, bool takes_others = true, int topics = 1) {
  Outcome outcome;
  FlagTable table("tool", "Does things.");
  for (int i = 0; i < topics; ++i) table.Topic("topic" + std::to_string(i), "flags");
  table.Switch("flag", &outcome.flag, "on or off");
  table.Version("tool 1\n", "which one this is");
  arguments.insert(arguments.begin(), "tool");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(&argument[0]);
  const auto argc = static_cast<int>(argv.size());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  outcome.ended = takes_others ? ReadCommandLine("tool", argc, argv.data(), table, &outcome.others)
                               : ReadCommandLine("tool", argc, argv.data(), table);
  outcome.out = testing::internal::GetCapturedStdout();
  outcome.err = testing::internal::GetCapturedStderr();
  return outcome;
}

TEST(CommandLine, SetsFlagsAndGivesTheRest) {
  const Outcome outcome = Read({"file", "--flag", "-"});
  EXPECT_FALSE(outcome.ended.has_value());
  EXPECT_TRUE(outcome.flag);
  EXPECT_THAT(outcome.others, ElementsAre("file", "-"));
  EXPECT_EQ(outcome.out + outcome.err, "");
}

TEST(CommandLine, EndsAfterHelp) {
  const std::string overview =
      "usage: tool\n\nDoes things.\n\n  --help topic0           flags\n  --version               which one this is\n";
  const std::string topic = "topic0: flags\n\n  --flag                  on or off\n";
  const Outcome all = Read({"--help"});
  EXPECT_EQ(all.ended, 0);
  EXPECT_EQ(all.out, overview + "\n" + topic);
  EXPECT_EQ(Read({"--help", "topic0"}).out, topic);
  EXPECT_EQ(Read({"-h"}, /*takes_others=*/true, /*topics=*/2).out,
            "usage: tool\n\nDoes things.\n\n  --help topic0           flags\n  --help topic1           flags\n"
            "  --version               which one this is\n");
  const Outcome unknown = Read({"--help", "topics"});
  EXPECT_EQ(unknown.ended, 2);
  EXPECT_EQ(unknown.err, "tool: no help on 'topics'; the topics are topic0\n");
}

TEST(CommandLine, EndsAfterVersion) {
  const Outcome outcome = Read({"--version"});
  EXPECT_EQ(outcome.ended, 0);
  EXPECT_EQ(outcome.out, "tool 1\n");
}

TEST(CommandLine, TellsBadUsage) {
  const Outcome unknown = Read({"--flga"});
  EXPECT_EQ(unknown.ended, 2);
  EXPECT_EQ(unknown.err, "tool: unknown flag '--flga'; did you mean '--flag'?\n");
  const Outcome argument = Read({"file"}, /*takes_others=*/false);
  EXPECT_EQ(argument.ended, 2);
  EXPECT_EQ(argument.err, "tool: unexpected argument 'file'; --help lists the flags\n");
  EXPECT_FALSE(Read({"--flag"}, /*takes_others=*/false).ended.has_value());
}

}  // namespace
}  // namespace xla
