// Compiled kernels in cache folders and in serialised executables.
#include "backends/vulkan/compiled_pipelines.h"

#include <dirent.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backends/backend.h"
#include "backends/literal_execution.h"
#include "backends/testing/test_programs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace vulkan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr char kSum[] = "HloModule m\nENTRY e { x = f32[70] parameter(0) ROOT y = f32[70] add(x, x) }";

std::string NewFolder(const char* name) { return absl::StrCat(testing::TempDir(), "/compiled_pipelines_", name); }

std::vector<std::string> EntriesOf(const std::string& folder) {
  std::vector<std::string> entries;
  DIR* const open = opendir(folder.c_str());
  if (open == nullptr) return entries;
  while (const dirent* const entry = readdir(open)) {
    if (absl::EndsWith(entry->d_name, ".halo")) entries.push_back(absl::StrCat(folder, "/", entry->d_name));
  }
  closedir(open);
  return entries;
}

std::unique_ptr<Executable> Compiled(Client& client, const std::string& folder) {
  CompileOptions options;
  options.settings["cache"] = folder;
  return CompileText(client, kSum, options);
}

void ExpectRuns(Executable& program) {
  const Literal ones = Literal::FromValues<float>({70}, std::vector<float>(70, 1));
  EXPECT_THAT(OrDie(ExecuteOnLiterals(program, {ones})).span<float>(), testing::Each(2));
}

TEST(CompiledPipelines, AreBytesAndBack) {
  const std::string bytes = EncodePipelines({true, {3, 1}, std::string("a\0b", 3)});
  const CompiledPipelines back = OrDie(DecodePipelines(bytes));
  EXPECT_TRUE(back.fast_math);
  EXPECT_THAT(back.weights, ElementsAre(3, 1));
  EXPECT_EQ(back.data, std::string("a\0b", 3));
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_TRUE(absl::IsDataLoss(DecodePipelines(damaged).status())) << i;
    EXPECT_TRUE(absl::IsDataLoss(DecodePipelines(bytes.substr(0, i)).status())) << i;
  }
}

TEST(CompiledPipelines, AreOfOneDriver) {
  DeviceFacts facts;
  const std::string key = KeyOfPipelines(facts, "words");
  EXPECT_NE(KeyOfPipelines(facts, "other words"), key);
  facts.pipeline_cache_uuid[3] = 1;
  EXPECT_NE(KeyOfPipelines(facts, "words"), key);
}

// Mesa's driver for processors gives nothing away. What is done with what others give, tests with a layer show
// (testing/faults_test.cc).
TEST(CompiledPipelines, AreKeptInAFolderUnlessTheDriverDoesNotGiveThemAway) {
  const std::string folder = NewFolder("kept");
  const auto client = OrDie(GetClient("vulkan"));
  for (int run = 0; run < 2; ++run) {
    const auto program = Compiled(*client, folder);
    ExpectRuns(*program);
    const std::vector<std::string>& notes = program->report().notes;
    if (EntriesOf(folder).empty()) {
      ASSERT_EQ(notes.size(), 1u);
      EXPECT_THAT(notes[0], StartsWith(absl::StrCat("compiled kernels are not kept in ", folder, ": the driver ")));
      EXPECT_THAT(notes[0], HasSubstr(" does not give them away"));
    } else {
      EXPECT_EQ(EntriesOf(folder).size(), 1u);
      EXPECT_THAT(notes, IsEmpty());
    }
  }
}

TEST(CompiledPipelines, GoWithSerialisedExecutables) {
  const auto client = OrDie(GetClient("vulkan"));
  const std::string bytes = OrDie(CompileText(*client, kSum)->Serialize());
  const auto back = OrDie(client->Deserialize(bytes));
  EXPECT_THAT(back->report().notes, IsEmpty());
  ExpectRuns(*back);
  // Of the code, which follows the first line.
  std::string damaged = bytes;
  damaged[bytes.find('\n') + 20] ^= 1;
  const auto made_again = OrDie(client->Deserialize(damaged));
  EXPECT_THAT(made_again->report().notes,
              ElementsAre("the compiled kernels of the executable are ignored: its checksum is wrong"));
  ExpectRuns(*made_again);
  EXPECT_THAT(std::string(client->Deserialize(bytes.substr(0, bytes.size() / 2)).status().message()),
              HasSubstr("damaged executable"));
}

}  // namespace
}  // namespace vulkan
}  // namespace xla
