#include "tools/frontends/frontend_set.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/frontends/registry.h"

namespace xla {
namespace {

// Recognizes text that begins with its name and, by name, files that end in it.
class FakeFrontend : public Frontend {
 public:
  FakeFrontend(FrontendDescription description, Recognition other) : Frontend(std::move(description)), other_(other) {}

  void AddFlags(Tool /*tool*/, FlagTable* table) override {
    const std::string& name = description().name;
    table->Text(absl::StrCat("of-", name), "X", &value_, "a flag of its own");
    table->Text("size", "N", &value_, "a flag of all");
    table->Topic(name, "its topic");
    table->Text(absl::StrCat("also-of-", name), "X", &value_, "another one");
  }

  Recognition Recognize(const ProgramSource& source) const override {
    if (source.is_folder()) return description().name == "cat" ? Recognition::kNot : Recognition::kByContent;
    const absl::StatusOr<absl::string_view> contents = source.Contents();
    if (contents.ok() && absl::StartsWith(*contents, description().name)) return Recognition::kByContent;
    return absl::EndsWith(source.path(), description().name) ? Recognition::kByName : other_;
  }

  absl::StatusOr<LoadedProgram> Load(const ProgramSource& /*source*/, const LoadRequest& /*request*/) override {
    return absl::UnimplementedError(description().name);
  }

 private:
  const Recognition other_;
  std::string value_;
};

std::unique_ptr<Frontend> Make(const std::string& name, Recognition other) {
  FrontendDescription description;
  description.name = name;
  description.program = absl::StrCat("a program in ", name);
  description.file = absl::StrCat(name, " in text");
  description.has_weights = name == "bee";
  description.array_suffix = name == "bee" ? ".hive" : "";
  description.output_forms = {{absl::StrCat("short-", name), ""}};
  return std::make_unique<FakeFrontend>(std::move(description), other);
}

// Not in the order of the names.
const bool kRegistered = [] {
  RegisterFrontend([] { return Make("cat", Recognition::kByDefault); });
  RegisterFrontend([] { return Make("bee", Recognition::kNot); });
  RegisterFrontend([] { return Make("ant", Recognition::kNot); });
  return true;
}();

std::string ReaderOf(const FrontendSet& frontends, absl::string_view text, const std::string& path) {
  const absl::StatusOr<Frontend*> reader = frontends.ReaderOf(ProgramSource::PartOf(ProgramSource(path), text));
  return reader.ok() ? (*reader)->description().name : std::string(reader.status().message());
}

TEST(FrontendSet, FindsTheSurestReader) {
  const FrontendSet frontends;
  EXPECT_EQ(ReaderOf(frontends, "ant 1", "file"), "ant");
  EXPECT_EQ(ReaderOf(frontends, "ant 1", "file.bee"), "ant");
  EXPECT_EQ(ReaderOf(frontends, "dog 1", "file.bee"), "bee");
  EXPECT_EQ(ReaderOf(frontends, "dog 1", "file"), "cat");
}

TEST(FrontendSet, AsksWhichProgramOfAFolderToRead) {
  FrontendSet frontends;
  const ProgramSource folder(::testing::TempDir());
  EXPECT_EQ(frontends.ReaderOf(folder).status().message(),
            absl::StrCat(::testing::TempDir(),
                         ": both a program in ant and a program in bee; say which one to read "
                         "with --frontend ant or --frontend bee"));
  FlagTable table("tool", "");
  table.Topic("input", "");
  frontends.AddFrontendFlag(&table);
  ASSERT_TRUE(table.Parse({"--frontend=bee"}).ok());
  EXPECT_EQ(*frontends.ReaderOf(folder), frontends.all()[1].get());
}

TEST(FrontendSet, FindsTheReaderThatTheUserNames) {
  FrontendSet frontends;
  FlagTable table("tool", "");
  table.Topic("input", "");
  frontends.AddFrontendFlag(&table);
  EXPECT_EQ(table.Parse({"--frontend=dog"}).status().message(), "--frontend: 'dog' is none of auto, ant, bee, cat");
  ASSERT_TRUE(table.Parse({"--frontend=bee"}).ok());
  EXPECT_EQ(ReaderOf(frontends, "ant 1", "file"), "bee");
}

TEST(FrontendSet, TellsWhatThereIs) {
  const FrontendSet frontends;
  EXPECT_EQ(frontends.Programs(), "a program in ant, a program in bee or a program in cat");
  EXPECT_EQ(frontends.Files(), "ant in text, bee in text or cat in text");
  EXPECT_EQ(frontends.WriterOf("short-ant"), frontends.all()[0].get());
  EXPECT_EQ(frontends.WriterOf("text"), nullptr);
  EXPECT_EQ(frontends.FrontendOfArrays("x.hive"), frontends.all()[1].get());
  EXPECT_EQ(frontends.FrontendOfArrays("x.npy"), nullptr);
  // One that read the program comes first, if it has such files.
  const std::unique_ptr<Frontend> other = Make("bee", Recognition::kNot), without = Make("ant", Recognition::kNot);
  EXPECT_EQ(frontends.FrontendOfArrays("x.hive", other.get()), other.get());
  EXPECT_EQ(frontends.FrontendOfArrays("x.hive", without.get()), frontends.all()[1].get());
}

TEST(FrontendSet, RefusesFlagsForOtherPrograms) {
  FrontendSet frontends;
  FlagTable table("tool", "");
  table.Topic("input", "");
  frontends.AddFlags(Tool::kHloOpt, &table);
  EXPECT_EQ(table.topic(), "input");
  ASSERT_TRUE(table.Parse({"--of-ant=1", "--size=2", "--also-of-ant=3", "--of-bee=4"}).ok());
  const Frontend* const ant = frontends.all()[0].get();
  const Frontend* const bee = frontends.all()[1].get();
  const Frontend* const cat = frontends.all()[2].get();
  const auto error = [&](absl::string_view weights, std::vector<const Frontend*> readers) {
    return std::string(frontends.CheckFlags(table.given_flags(), weights, readers).message());
  };
  EXPECT_EQ(error("", {ant, bee}), "");
  EXPECT_EQ(error("", {cat}), "--of-ant and --also-of-ant are for a program in ant, not for a program in cat");
  EXPECT_EQ(error("", {ant, cat}), "--of-bee is for a program in bee, not for a program in ant or a program in cat");
  EXPECT_EQ(error("parameter", {ant, bee}), "");
  EXPECT_EQ(std::string(frontends.CheckFlags({}, "constant", {ant}).message()),
            "--weights constant is for a program in bee, not for a program in ant");
  EXPECT_TRUE(frontends.CheckFlags({}, "role", {ant}).ok());
}

}  // namespace
}  // namespace xla
