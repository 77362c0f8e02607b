// Entries of the cache as other processes, and other hands, may leave them.
#include "backends/cpu/object_cache.h"

#include <dirent.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backends/backend.h"
#include "backends/literal_execution.h"
#include "backends/testing/test_programs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/support/files.h"

namespace xla {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string NewFolder(const std::string& name) {
  const char* const folder = std::getenv("TEST_TMPDIR");
  return absl::StrCat(folder == nullptr ? "/tmp" : folder, "/", name);
}

std::vector<std::string> FilesOf(const std::string& folder) {
  std::vector<std::string> files;
  DIR* const directory = opendir(folder.c_str());
  if (directory == nullptr) return files;
  while (const dirent* entry = readdir(directory)) {
    if (entry->d_name[0] != '.' || absl::EndsWith(entry->d_name, ".tmp")) {
      files.push_back(absl::StrCat(folder, "/", entry->d_name));
    }
  }
  closedir(directory);
  return files;
}

std::string ContentsOf(const std::string& path) { return std::string(OrDie(ReadFile(path)).data()); }

CompiledKernels::Image ImageOf(const std::string& object) {
  return {{object, "second"}, {"k0", "k1", "k0"}, {1, 2, 1}};
}

bool Same(const CompiledKernels::Image& a, const CompiledKernels::Image& b) {
  return a.objects == b.objects && a.symbols == b.symbols && a.phase_counts == b.phase_counts;
}

TEST(ObjectCache, FindsWhatWasStored) {
  const ObjectCache cache(NewFolder("found"));
  EXPECT_FALSE(OrDie(cache.Find("key")).has_value());
  ASSERT_TRUE(cache.Store("key", ImageOf("object")).ok());
  EXPECT_TRUE(Same(*OrDie(cache.Find("key")), ImageOf("object")));
  EXPECT_FALSE(OrDie(cache.Find("another key")).has_value());
  ASSERT_TRUE(cache.Store("key", ImageOf("a later object")).ok());
  EXPECT_TRUE(Same(*OrDie(cache.Find("key")), ImageOf("a later object")));
}

TEST(ObjectCache, TellsDamageOfEveryByte) {
  const std::string folder = NewFolder("damaged");
  const ObjectCache cache(folder);
  ASSERT_TRUE(cache.Store("key", ImageOf("object")).ok());
  const std::string path = FilesOf(folder).at(0);
  const std::string whole = ContentsOf(path);
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] ^= 0x10;
    ASSERT_TRUE(WriteFile(path, damaged).ok());
    const auto found = cache.Find("key");
    EXPECT_EQ(found.status().code(), absl::StatusCode::kDataLoss) << i;
    ASSERT_TRUE(WriteFile(path, whole.substr(0, i)).ok());
    EXPECT_EQ(cache.Find("key").status().code(), absl::StatusCode::kDataLoss) << i;
  }
  ASSERT_TRUE(WriteFile(path, whole + "x").ok());
  EXPECT_THAT(std::string(cache.Find("key").status().message()), AllOf(HasSubstr(path), HasSubstr("is ignored: ")));
}

TEST(ObjectCache, TellsForeignFiles) {
  const std::string folder = NewFolder("foreign");
  const ObjectCache cache(folder);
  ASSERT_TRUE(cache.Store("key", ImageOf("object")).ok());
  const std::string path = FilesOf(folder).at(0);
  const std::string entry = ContentsOf(path);
  ASSERT_TRUE(WriteFile(path, "something else").ok());
  EXPECT_THAT(std::string(cache.Find("key").status().message()), HasSubstr("it is not a file of this cache"));
  ASSERT_TRUE(cache.Store("yek", ImageOf("object")).ok());
  // The entry of one key under the name of the other.
  for (const std::string& other : FilesOf(folder)) ASSERT_TRUE(WriteFile(other, entry).ok());
  EXPECT_THAT(std::string(cache.Find("yek").status().message()),
              HasSubstr("it belongs to another program or processor"));
}

TEST(ObjectCache, WritersDoNotDisturbEachOther) {
  const std::string folder = NewFolder("shared");
  constexpr int kThreads = 4;
  constexpr int kTurns = 50;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      // Each has its own, as processes do.
      const ObjectCache cache(folder);
      const std::string object(1000 * (thread + 1), static_cast<char>('a' + thread));
      for (int turn = 0; turn < kTurns; ++turn) {
        if (!cache.Store("key", ImageOf(object)).ok()) ++wrong;
        const auto found = cache.Find("key");
        if (!found.ok() || !found->has_value()) {
          ++wrong;
          continue;
        }
        const std::string& first = (**found).objects[0];
        const size_t writer = first.size() / 1000;
        if (first != std::string(1000 * writer, static_cast<char>('a' + writer - 1))) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(FilesOf(folder).size(), 1u);
}

TEST(ObjectCache, AFolderThatCannotBeMadeIsAnError) {
  const std::string file = NewFolder("a_file");
  ASSERT_TRUE(WriteFile(file, "").ok());
  EXPECT_FALSE(ObjectCache(file + "/folder").Store("key", ImageOf("object")).ok());
}

// ---- Through the client

constexpr char kKernel[] = R"(HloModule m
ENTRY e { x = f32[4] parameter(0) ROOT y = f32[4] negate(x) })";

struct Compiled {
  std::vector<std::string> notes;
  bool was_loaded = false;
  float first = 0;  // of the result for ones
};

Compiled CompileWithCache(const std::string& folder) {
  const auto client = MakeClient();
  CompileOptions options;
  options.settings["cache"] = folder;
  const auto program = CompileText(*client, kKernel, options);
  Compiled compiled;
  compiled.notes = program->report().notes;
  for (const auto& [stage, time] : program->report().stages) {
    if (stage == "of which loading kernels") compiled.was_loaded = true;
  }
  compiled.first = Floats(OrDie(ExecuteOnLiterals(*program, {Literal::Vector<float>({1, 1, 1, 1})})))[0];
  return compiled;
}

TEST(CpuClientWithCache, CompilesOnce) {
  const std::string folder = NewFolder("client");
  EXPECT_FALSE(CompileWithCache(folder).was_loaded);
  const Compiled again = CompileWithCache(folder);
  EXPECT_TRUE(again.was_loaded);
  EXPECT_THAT(again.notes, IsEmpty());
  EXPECT_EQ(again.first, -1);
}

TEST(CpuClientWithCache, MendsADamagedEntry) {
  const std::string folder = NewFolder("mended");
  CompileWithCache(folder);
  const std::string path = FilesOf(folder).at(0);
  std::string damaged = ContentsOf(path);
  damaged[damaged.size() / 2] ^= 1;
  ASSERT_TRUE(WriteFile(path, damaged).ok());
  const Compiled mending = CompileWithCache(folder);
  EXPECT_FALSE(mending.was_loaded);
  ASSERT_EQ(mending.notes.size(), 1u);
  EXPECT_THAT(mending.notes[0], AllOf(HasSubstr(path), HasSubstr("is ignored")));
  EXPECT_EQ(mending.first, -1);
  EXPECT_TRUE(CompileWithCache(folder).was_loaded);
}

// What cannot be stored is compiled all the same.
TEST(CpuClientWithCache, RunsWithoutAFolder) {
  const std::string file = NewFolder("no_folder");
  ASSERT_TRUE(WriteFile(file, "").ok());
  const Compiled compiled = CompileWithCache(file + "/folder");
  EXPECT_EQ(compiled.notes.size(), 1u);
  EXPECT_EQ(compiled.first, -1);
}

}  // namespace
}  // namespace xla
