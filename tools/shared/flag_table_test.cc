#include "tools/shared/flag_table.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/shared/measure_runs.h"

namespace xla {
namespace {

using ::testing::ElementsAre;

struct Values {
  bool flag = false;
  std::string text, choice = "a", own;
  std::vector<std::string> list;
  int64_t number = 1, bytes = 0;
  uint64_t seed = 0;
  absl::optional<double> real;
  absl::Duration duration;
};

FlagTable MakeTable(Values& values) {
  FlagTable table("tool FILE", "Does things.");
  table.Topic("all", "everything");
  table.Switch("flag", &values.flag, "on or off");
  table.Text("text", "T", &values.text, "any text");
  table.Alias("-t");
  table.Choice("choice", {"a", "bee"}, &values.choice, "one of two");
  table.List("list", "L", &values.list, "several");
  table.Value(
      "own", "V",
      [&values](absl::string_view value) {
        values.own = std::string(value);
        return value == "wrong" ? absl::InvalidArgumentError("not that") : absl::OkStatus();
      },
      "a value that the program reads");
  table.Number("number", "N", &values.number, 1, "a number");
  table.Seed("seed", &values.seed, "a seed");
  table.Bytes("bytes", "SIZE", &values.bytes, "a size");
  table.Real("real", "X", &values.real, "a real number");
  table.Duration("duration", "TIME", &values.duration,
                 "a time with a rather long explanation that does not fit a line");
  return table;
}

std::string ErrorOf(std::vector<const char*> arguments) {
  Values values;
  FlagTable table = MakeTable(values);
  const auto others = table.Parse(arguments);
  return others.ok() ? "" : std::string(others.status().message());
}

TEST(FlagTable, SetsValuesOfEveryKind) {
  Values values;
  FlagTable table = MakeTable(values);
  const auto others =
      table.Parse({"file",    "--flag",   "--text=x=y", "--choice", "bee",        "--list",
                   "1",       "--list=2", "--number",   "7",        "--seed",     "18446744073709551615",
                   "--bytes", "1.5K",     "--real",     "1e-3",     "--duration", "2m",
                   "--own",   "mine",     "-",          "--",       "--flag"});
  ASSERT_TRUE(others.ok()) << others.status();
  EXPECT_THAT(*others, ElementsAre("file", "-", "--flag"));
  EXPECT_TRUE(values.flag);
  EXPECT_EQ(values.text, "x=y");
  EXPECT_EQ(values.own, "mine");
  EXPECT_EQ(values.choice, "bee");
  EXPECT_THAT(values.list, ElementsAre("1", "2"));
  EXPECT_EQ(values.number, 7);
  EXPECT_EQ(values.seed, std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(values.bytes, 1536);
  EXPECT_EQ(values.real, 1e-3);
  EXPECT_EQ(values.duration, absl::Minutes(2));
  EXPECT_FALSE(table.help_topic().has_value());
}

TEST(FlagTable, OtherSpellings) {
  Values values;
  FlagTable table = MakeTable(values);
  ASSERT_TRUE(table.Parse({"--flag=false", "-t", "-5", "--duration", "1.5", "--bytes", "2g"}).ok());
  EXPECT_FALSE(values.flag);
  EXPECT_EQ(values.text, "-5");
  EXPECT_EQ(values.duration, absl::Milliseconds(1500));
  EXPECT_EQ(values.bytes, int64_t{2} << 30);
}

TEST(FlagTable, SaysWhatIsWrong) {
  EXPECT_EQ(ErrorOf({"--numbr", "3"}), "unknown flag '--numbr'; did you mean '--number'?");
  EXPECT_EQ(ErrorOf({"--text"}), "--text needs a value: --text T");
  EXPECT_EQ(ErrorOf({"--text", "--flag"}),
            "--text needs a value, and '--flag' is a flag; a value like that is written --text=--flag");
  EXPECT_EQ(ErrorOf({"--text", "-t"}),
            "--text needs a value, and '-t' is a flag; a value like that is written --text=-t");
  EXPECT_EQ(ErrorOf({"--number", "0"}), "--number: '0' is not a whole number of at least 1");
  EXPECT_EQ(ErrorOf({"--flag=maybe"}), "--flag: 'maybe' is not true or false");
  EXPECT_EQ(ErrorOf({"--choice", "be"}), "--choice: 'be' is none of a, bee; did you mean 'bee'?");
  EXPECT_EQ(ErrorOf({"--seed", "-1"}), "--seed: '-1' is not a whole number from 0 to 2^64 - 1");
  EXPECT_EQ(ErrorOf({"--own", "wrong"}), "--own: not that");
  EXPECT_EQ(ErrorOf({"--real", "-1"}), "--real: '-1' is not a number of at least 0");
  EXPECT_EQ(ErrorOf({"--bytes", "9e30"}), "--bytes: '9e30' is not a size such as 512M or 2G");
  EXPECT_EQ(ErrorOf({"--duration", "0"}), "--duration: '0' is not a duration of more than zero");
}

TEST(FlagTable, HelpComesFromTheTable) {
  Values values;
  FlagTable table = MakeTable(values);
  ASSERT_TRUE(table.Parse({"--flag", "--help", "all", "--nonsense"}).ok());
  EXPECT_EQ(table.help_topic(), "all");
  EXPECT_EQ(*table.Help(""), "usage: tool FILE\n\nDoes things.\n\n  --help all              everything\n");
  EXPECT_EQ(*table.Help("all"), R"(all: everything

  --flag                  on or off
  --text T, -t            any text
  --choice a|bee          one of two
  --list L                several
  --own V                 a value that the program reads
  --number N              a number
  --seed S                a seed
  --bytes SIZE            a size
  --real X                a real number
  --duration TIME         a time with a rather long explanation that does not
                          fit a line
)");
  EXPECT_FALSE(table.version_asked());
  EXPECT_EQ(table.Help("none").status().message(), "no help on 'none'; the topics are all");
}

TEST(FlagTable, BreaksLongChoices) {
  std::string chosen;
  FlagTable table("tool", "");
  table.Topic("topic", "choices");
  std::vector<std::string> values;
  for (int i = 0; i < 12; ++i) values.push_back("choice-" + std::to_string(i));
  table.Choice("to", values, &chosen, "choose");
  EXPECT_EQ(*table.Help("topic"),
            "topic: choices\n\n"
            "  --to choice-0|choice-1|choice-2|choice-3|choice-4|choice-5|choice-6|choice-7|\n"
            "      choice-8|choice-9|choice-10|choice-11\n"
            "                          choose\n");
}

TEST(FlagTable, KnowsWhoOwnsAFlag) {
  Values values;
  FlagTable table = MakeTable(values);
  std::string of_a, of_b, other_of_b;
  table.Owner("a");
  table.Text("shape", "S", &of_a, "the shape");
  table.Owner("b");
  table.Topic("more", "of b");
  table.Text("shape", "B", &of_b, "another shape");
  table.Text("size", "N", &other_of_b, "the size");
  table.ContinueTopic("all");
  EXPECT_EQ(table.topic(), "all");
  table.Owner("");
  table.Switch("last", &values.flag, "the last one");
  ASSERT_TRUE(table.Parse({"--shape=3", "--last", "--shape", "4"}).ok());
  EXPECT_EQ(of_a, "4");
  EXPECT_EQ(of_b, "4");
  EXPECT_TRUE(values.flag);
  EXPECT_TRUE(table.IsGiven("--shape") && table.IsGiven("--last"));
  EXPECT_FALSE(table.IsGiven("--size"));
  const std::vector<FlagTable::OwnedFlag> given = table.given_flags();
  ASSERT_EQ(given.size(), 1u);
  EXPECT_EQ(given[0].name, "--shape");
  EXPECT_THAT(given[0].owners, ElementsAre("a", "b"));
  EXPECT_EQ(*table.Help("more"), "more: of b\n\n  --size N                the size\n");
  EXPECT_THAT(*table.Help("all"), ::testing::EndsWith("  --shape S               the shape\n"
                                                      "  --last                  the last one\n"));
}

TEST(FlagTable, HasAVersionWhereOneIsAdded) {
  EXPECT_EQ(ErrorOf({"--version"}), "unknown flag '--version'");
  Values values;
  FlagTable table = MakeTable(values);
  table.Version("tool 1\n", "which one this is");
  EXPECT_EQ(table.Parse({"--versoin"}).status().message(), "unknown flag '--versoin'; did you mean '--version'?");
  EXPECT_EQ(table.Parse({"--version=2"}).status().message(), "--version takes no value");
  EXPECT_FALSE(table.version_asked());
  ASSERT_TRUE(table.Parse({"--flag", "--version", "--nonsense"}).ok());
  EXPECT_TRUE(table.version_asked());
  EXPECT_EQ(table.version_text(), "tool 1\n");
  EXPECT_EQ(*table.Help(""),
            "usage: tool FILE\n\nDoes things.\n\n  --help all              everything\n"
            "  --version               which one this is\n");
}

TEST(MeasureRuns, SummarizesRuns) {
  const RunTimes times = SummarizeRuns({4, 1, 3, 2, 5, 6, 7, 8, 9, 10});
  EXPECT_EQ(times.min_ms, 1);
  EXPECT_EQ(times.median_ms, 5.5);
  EXPECT_EQ(times.p90_ms, 9);
  EXPECT_EQ(times.n, 10);
  EXPECT_EQ(SummarizeRuns({3}).p90_ms, 3);
}

TEST(MeasureRuns, SlowRunsAreFew) {
  int runs = 0;
  const auto times = MeasureRuns(
      [&] {
        ++runs;
        return absl::OkStatus();
      },
      /*first_run_ms=*/2000);
  EXPECT_EQ(runs, 3);
  EXPECT_EQ(times->n, 3);
  EXPECT_FALSE(MeasureRuns([] { return absl::InternalError("x"); }, 1).ok());
}

TEST(MeasureRuns, AreAsManyAsAllAgree) {
  // The first answer says that runs are slow, the others whether to go on.
  int asked = 0;
  const auto times = MeasureRuns([] { return absl::OkStatus(); }, /*first_run_ms=*/1,
                                 [&](bool) -> absl::StatusOr<bool> { return ++asked <= 3; });
  ASSERT_TRUE(times.ok()) << times.status();
  EXPECT_EQ(times->n, 2);
}

}  // namespace
}  // namespace xla
