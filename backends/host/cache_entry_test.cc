#include "backends/host/cache_entry.h"

#include "absl/strings/str_cat.h"
#include "backends/host/packed_bytes.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/support/files.h"

namespace xla {
namespace {

using testing::HasSubstr;

std::string Folder(const char* name) { return absl::StrCat(testing::TempDir(), "/cache_entry_test_", name); }

TEST(CacheEntry, ComesBackAsItWasWritten) {
  const std::string folder = Folder("back");
  const auto before = ReadCacheEntry(folder, "key");
  ASSERT_TRUE(before.ok()) << before.status();
  EXPECT_FALSE(before->has_value());
  const std::string bytes("a\0b", 3);
  ASSERT_TRUE(WriteCacheEntry(folder, "key", bytes).ok());
  const auto after = ReadCacheEntry(folder, "key");
  ASSERT_TRUE(after.ok()) << after.status();
  EXPECT_EQ(*after, bytes);
  EXPECT_FALSE(ReadCacheEntry(folder, "other key")->has_value());
}

TEST(CacheEntry, IsNotUsedIfItIsDamagedOrForeign) {
  const std::string folder = Folder("damaged");
  ASSERT_TRUE(WriteCacheEntry(folder, "key", "bytes").ok());
  const std::string path = absl::StrCat(folder, "/", DigestOfKey("key"), ".halo");
  const std::string good(ReadFile(path)->data());
  const auto why = [&](const std::string& contents) {
    EXPECT_TRUE(WriteFile(path, contents).ok());
    const absl::Status status = ReadCacheEntry(folder, "key").status();
    EXPECT_TRUE(absl::IsDataLoss(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(absl::StrCat("the cache entry ", path, " is ignored: ")));
    return std::string(status.message());
  };
  std::string changed = good;
  changed.back() ^= 1;
  EXPECT_THAT(why(changed), HasSubstr("it is damaged"));
  EXPECT_THAT(why(good.substr(0, good.size() - 1)), HasSubstr("it is damaged"));
  EXPECT_THAT(why("#!/bin/sh\n"), HasSubstr("it is not a file of this cache"));
  std::string of_other = good;
  of_other.replace(of_other.find("key"), 3, "kex");
  EXPECT_THAT(why(of_other), HasSubstr("it belongs to another program or processor"));
}

TEST(CacheEntry, SaysThatTheFolderCannotBeMade) {
  EXPECT_THAT(std::string(WriteCacheEntry("/proc/no such folder", "key", "").message()),
              HasSubstr("cannot make the cache folder /proc/no such folder: "));
}

TEST(PackedReader, ReadsWhatWasWrittenAndNothingElse) {
  PackedWriter writer;
  writer.Number(7);
  writer.Text("seven");
  const std::string bytes = writer.Take();
  PackedReader reader(bytes);
  EXPECT_EQ(reader.Number(), 7u);
  EXPECT_EQ(reader.Text(), "seven");
  EXPECT_TRUE(reader.IsDone());
  PackedReader cut(absl::string_view(bytes).substr(0, bytes.size() - 1));
  cut.Number();
  EXPECT_EQ(cut.Text(), "");
  EXPECT_FALSE(cut.IsDone());
}

}  // namespace
}  // namespace xla
