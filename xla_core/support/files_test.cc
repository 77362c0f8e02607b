#include "xla_core/support/files.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / "files_test";
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  std::string Content(const std::string& name) const {
    const absl::StatusOr<FileContents> contents = ReadFile(Path(name));
    return contents.ok() ? std::string(contents->data()) : contents.status().ToString();
  }
  std::vector<std::string> FileNames() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) names.push_back(entry.path().filename());
    return names;
  }

  std::filesystem::path folder_;
};

TEST_F(Files, ReadBackWhatWasWritten) {
  const std::string data("a\0b\n", 4);
  ASSERT_TRUE(WriteFile(Path("f"), data).ok());
  EXPECT_EQ(Content("f"), data);
  ASSERT_TRUE(WriteFile(Path("f"), "").ok());
  EXPECT_EQ(Content("f"), "");
  EXPECT_THAT(FileNames(), ElementsAre("f"));
}

TEST_F(Files, AreReadUpToTheLimitAndNoFurther) {
  ASSERT_TRUE(WriteFile(Path("f"), "12345").ok());
  EXPECT_TRUE(ReadFile(Path("f"), 5).ok());
  const absl::Status status = ReadFile(Path("f"), 4).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(), Path("f") + ": larger than the limit of 4 bytes");
  EXPECT_EQ(ReadFile("/dev/zero", 1000).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(Files, SayWhyTheyCannotBeRead) {
  const absl::Status missing = ReadFile(Path("none")).status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(missing.message(), Path("none") + ": cannot open: no such file or directory");
  const absl::Status folder = ReadFile(folder_.string()).status();
  EXPECT_EQ(folder.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(folder.message(), folder_.string() + ": cannot read: is a directory");
}

TEST_F(Files, MayBePipes) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  const std::string data(300000, 'x');
  std::thread writer([&] { EXPECT_TRUE(WriteFile(Path("pipe"), data).ok()); });
  EXPECT_EQ(Content("pipe"), data);
  writer.join();
  EXPECT_THAT(FileNames(), ElementsAre("pipe"));
}

TEST_F(Files, MayBeDevices) {
  EXPECT_TRUE(WriteFile("/dev/null", "x").ok());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(Files, SayWhyTheyCannotBeWritten) {
  const absl::Status missing = WriteFile(Path("none/f"), "x");
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(missing.message(), Path("none/f") + ": cannot write: no such file or directory");
  EXPECT_EQ(WriteFile(folder_.string(), "x").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(WriteFile("", "x").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(WriteFile("/dev/full", "x").code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(Files, KeepPermissionsAndLinksWhenReplaced) {
  ASSERT_TRUE(WriteFile(Path("f"), "old").ok());
  ASSERT_EQ(chmod(Path("f").c_str(), 0640), 0);
  ASSERT_EQ(symlink("f", Path("link").c_str()), 0);
  ASSERT_TRUE(WriteFile(Path("link"), "new").ok());
  EXPECT_EQ(Content("f"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(Path("link")));
  struct stat info;
  ASSERT_EQ(stat(Path("f").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0640u);
}

TEST_F(Files, AppearOnlyWhenCommitted) {
  ASSERT_TRUE(WriteFile(Path("f"), "old").ok());
  {
    auto file = AtomicFile::Create(Path("f"));
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE((*file)->Append("new").ok());
    EXPECT_EQ(Content("f"), "old");
  }
  EXPECT_EQ(Content("f"), "old");
  EXPECT_THAT(FileNames(), ElementsAre("f"));
}

using FilesDeathTest = Files;

TEST_F(FilesDeathTest, DisappearOnControlC) {
  EXPECT_EXIT(
      {
        InstallInterruptHandlers();
        auto file = AtomicFile::Create(Path("f"));
        (*file)->Append("half").IgnoreError();
        raise(SIGINT);
      },
      ::testing::ExitedWithCode(130), "");
  EXPECT_THAT(FileNames(), IsEmpty());
}

}  // namespace
}  // namespace xla
