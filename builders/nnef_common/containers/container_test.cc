#include "builders/nnef_common/containers/container.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "builders/nnef_common/containers/member_name.h"
#include "builders/nnef_common/containers/test_archives.h"
#include "builders/nnef_common/diagnostics.h"
#include "builders/nnef_common/model_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/support/files.h"
#include "xla_core/support/resource_context.h"

namespace xla {
namespace nnef {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A format of its own, whose descriptions begin with "recipe".
constexpr Standard kStandard = {"NNEF 7", "recipe"};

const ModelFormat& Format() {
  static const auto* const format = [] {
    auto* const made = new ModelFormat;
    made->description = "graph.nnef";
    made->begins_description = [](absl::string_view text) { return absl::StartsWith(text, "recipe"); };
    made->is_kept = [](absl::string_view member) { return member != "vendor.bin" && member != "vendor"; };
    made->kept = "files that are not of a vendor";
    made->hint_of = [](absl::string_view member) {
      if (member == "graph.nnef") return MemberHint::kModel;
      if (member == "other") return MemberHint::kOther;
      return absl::EndsWith(member, ".dat") ? MemberHint::kLikely : MemberHint::kNone;
    };
    made->container_error = ErrorClass("K0", &kStandard);
    return made;
  }();
  return *format;
}

absl::StatusOr<std::unique_ptr<Container>> OpenContainer(const std::string& path) {
  return nnef::OpenContainer(path, Format());
}

absl::StatusOr<std::unique_ptr<Container>> OpenContainerInMemory(absl::string_view contents, const std::string& name,
                                                                 int64_t max_bytes = DefaultMaxContainerBytes(),
                                                                 const ResourceContext* resources = nullptr) {
  return nnef::OpenContainerInMemory(contents, name, Format(), max_bytes, resources);
}

// Text of an error of the class of containers.
std::string ContainerError(const absl::Status& status) {
  EXPECT_EQ(ErrorCodeOf(status), "K0") << status;
  return std::string(status.message());
}

std::string ErrorOfOpening(const std::string& contents, int64_t max_bytes = DefaultMaxContainerBytes()) {
  const auto container = OpenContainerInMemory(contents, "m", max_bytes);
  return container.ok() ? "opened" : ContainerError(container.status());
}

std::string TestFolder(const std::string& name) {
  const std::string folder = absl::StrCat(::testing::TempDir(), "/", name, "_", getpid());
  mkdir(folder.c_str(), 0755);
  return folder;
}

void Write(const std::string& path, const std::string& contents) { ASSERT_TRUE(WriteFile(path, contents).ok()); }

// Bytes that do not compress to nothing.
std::string Noise(int64_t size) {
  std::string noise;
  uint32_t state = 1;
  for (int64_t i = 0; i < size; ++i) {
    state = state * 1664525 + 1013904223;
    noise.push_back(static_cast<char>(state >> 24));
  }
  return noise;
}

TEST(MemberName, LosesDotsAndDoubledSlashes) {
  EXPECT_EQ(NormalizeMemberName("./conv1//filter.dat"), "conv1/filter.dat");
  EXPECT_EQ(NormalizeMemberName("./"), "");
  EXPECT_EQ(NormalizeMemberName("a..b/..c"), "a..b/..c");
}

TEST(MemberName, NeverLeadsOutside) {
  for (const char* name : {"/etc/passwd", "../w.dat", "a/../../w.dat", "a/..", ".."}) {
    EXPECT_EQ(NormalizeMemberName(name), absl::nullopt) << name;
  }
}

TEST(Archive, GivesItsMembersWhateverWroteIt) {
  const std::string long_name = absl::StrCat(std::string(90, 'a'), "/", std::string(90, 'b'), ".dat");
  const std::string large = Noise(100000);
  for (TarFormat format : {TarFormat::kUstar, TarFormat::kGnu, TarFormat::kPax}) {
    for (bool compress : {false, true}) {
      const std::string bytes =
          MakeArchive({{"./graph.nnef", "text"}, {"conv1/filter.dat", large}, {long_name, "long"}, {"empty.dat", ""}},
                      {format, compress});
      const auto container = OpenContainerInMemory(bytes, "m.tgz");
      ASSERT_TRUE(container.ok()) << container.status();
      EXPECT_THAT((*container)->Members(), ElementsAre(long_name, "conv1/filter.dat", "empty.dat", "graph.nnef"));
      EXPECT_EQ(*(*container)->ReadAll("graph.nnef", 100), "text");
      EXPECT_EQ(*(*container)->ReadAll(long_name, 100), "long");
      EXPECT_EQ(*(*container)->ReadAll("empty.dat", 100), "");
      EXPECT_EQ(*(*container)->ReadAll("conv1/filter.dat", 100000), large);
      EXPECT_EQ((*container)->NameOf("graph.nnef"), "m.tgz/graph.nnef");
      // Ranges that begin in, cross and follow a header.
      for (int64_t begin : {0, 100, 127, 128, 129, 5000}) {
        std::string piece(200, '?');
        ASSERT_TRUE((*container)->Read("conv1/filter.dat", begin, 200, piece.data()).ok());
        EXPECT_EQ(piece, large.substr(begin, 200));
      }
    }
  }
}

TEST(Archive, RefusesToReadBeyondAMember) {
  for (bool compress : {false, true}) {
    const std::string bytes =
        MakeArchive({{"a.dat", "0123456789"}, {"b.dat", "secret"}}, {TarFormat::kUstar, compress});
    const auto container = OpenContainerInMemory(bytes, "m");
    char buffer[100];
    EXPECT_EQ(ContainerError((*container)->Read("a.dat", 5, 6, buffer)),
              "K0: m/a.dat: expected 6 bytes from byte 5 on, got 5");
    EXPECT_EQ(ContainerError((*container)->Read("c.dat", 0, 1, buffer)), "K0: m: there is no 'c.dat'");
    EXPECT_EQ(ContainerError((*container)->ReadAll("a.dat", 9).status()),
              "K0: m/a.dat: expected at most 9 bytes, got 10");
  }
}

TEST(Archive, IsReadFromAFileToo) {
  for (bool compress : {false, true}) {
    const std::string path = absl::StrCat(TestFolder("archive"), "/m");
    const std::string large = Noise(300000);
    Write(path, MakeArchive({{"w.dat", large}, {"graph.nnef", "text"}}, {TarFormat::kPax, compress}));
    const auto container = OpenContainer(path);
    ASSERT_TRUE(container.ok()) << container.status();
    EXPECT_EQ(*(*container)->ReadAll("w.dat", 300000), large);
    EXPECT_EQ(*(*container)->ReadAll("graph.nnef", 100), "text");
    EXPECT_TRUE(LooksLikeModel(path, Format()));
  }
}

TEST(Archive, SharesTheMemoryOfWhatItInflated) {
  const std::string bytes = MakeArchive({{"w.dat", Noise(128 + 4000)}}, {TarFormat::kUstar, true});
  auto container = OpenContainerInMemory(bytes, "m");
  const auto a = (*container)->ReadArray("w.dat", 128, Shape::Array(F32, {10, 100}));
  const auto b = (*container)->ReadArray("w.dat", 128, Shape::Array(F32, {1000}));
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(a->untyped_data(), b->untyped_data());
  EXPECT_EQ(a->shape().ToString(), "f32[10,100]");
  container->reset();
  EXPECT_EQ(std::string(a->data<char>(), 4000), Noise(4128).substr(128));
}

TEST(Archive, DoesNotKeepWhatIsIgnored) {
  const std::string bytes = MakeArchive({{"vendor.bin", "x"}, {"graph.nnef", "text"}}, {TarFormat::kUstar, true});
  const auto container = OpenContainerInMemory(bytes, "m");
  EXPECT_TRUE((*container)->Has("vendor.bin"));
  EXPECT_THAT(ContainerError((*container)->ReadAll("vendor.bin", 10).status()), HasSubstr("are kept"));
}

TEST(Archive, RefusesNamesAndKindsThatLeadOutside) {
  EXPECT_EQ(ErrorOfOpening(MakeArchive({{"../w.dat", ""}})), "K0: m: member '../w.dat' leads out of the archive");
  EXPECT_EQ(ErrorOfOpening(MakeArchive({{"/w.dat", ""}})), "K0: m: member '/w.dat' leads out of the archive");
  EXPECT_EQ(ErrorOfOpening(MakeArchive({{"a/../w.dat", ""}})), "K0: m: member 'a/../w.dat' leads out of the archive");
  EXPECT_EQ(ErrorOfOpening(MakeArchiveWithLink({}, "w.dat", "/etc/passwd")),
            "K0: m: member 'w.dat' is a link or a device; expected only files and folders");
  EXPECT_EQ(ErrorOfOpening(MakeArchive({{"w.dat", "1"}, {"./w.dat", "2"}})), "K0: m: member 'w.dat' occurs twice");
}

TEST(Archive, RefusesWhatIsCutAnywhere) {
  for (bool compress : {false, true}) {
    const std::string bytes =
        MakeArchive({{"graph.nnef", "text"}, {"w.dat", Noise(3000)}}, {TarFormat::kUstar, compress});
    // Without the blocks of zeros at its end a tar archive is whole; without its second member too.
    const size_t whole = compress ? bytes.size() : 512 + 512 + 512 + 3000;
    for (size_t size = 513; size < whole; size += 61) {
      if (!compress && size == 1024) continue;
      EXPECT_THAT(ErrorOfOpening(bytes.substr(0, size)), HasSubstr("damaged")) << size;
    }
  }
}

TEST(Archive, RefusesACompressedOneWithAnyByteChanged) {
  const std::string bytes = MakeArchive({{"graph.nnef", "text"}, {"w.dat", Noise(3000)}}, {TarFormat::kUstar, true});
  // From the position after the header of gzip, whose fields (time, system) mean nothing, to the end of its checksum
  // and length.
  for (size_t i = 10; i < bytes.size(); i += 7) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    EXPECT_NE(ErrorOfOpening(damaged), "opened") << i;
  }
}

TEST(Archive, BoundsWhatComesOutOfIt) {
  const std::string bomb = MakeArchive({{"w.dat", std::string(10 << 20, '\0')}}, {TarFormat::kUstar, true});
  EXPECT_LT(bomb.size(), 20000);
  EXPECT_EQ(ErrorOfOpening(bomb), "opened");
  EXPECT_THAT(ErrorOfOpening(bomb, 1 << 20), HasSubstr("more than the archive can hold"));
  const std::string ignored = MakeArchive({{"vendor", std::string(10 << 20, '\0')}}, {TarFormat::kUstar, true});
  EXPECT_THAT(ErrorOfOpening(ignored, 1 << 20), HasSubstr("inflates to more than the 1048576 bytes allowed"));
}

TEST(Archive, KeepsToTheLimitsOfItsReader) {
  const std::string bomb = MakeArchive({{"w.dat", std::string(10 << 20, '\0')}}, {TarFormat::kUstar, true});
  const std::string ignored = MakeArchive({{"vendor", std::string(10 << 20, '\0')}}, {TarFormat::kUstar, true});
  const auto error = [](const std::string& archive, const ResourceLimits& limits) {
    const ResourceContext resources(limits, "testing");
    return OpenContainerInMemory(archive, "m", DefaultMaxContainerBytes(), &resources).status();
  };
  ResourceLimits little_memory;
  little_memory.max_memory_bytes = 1 << 20;
  EXPECT_EQ(error(bomb, little_memory),
            absl::ResourceExhaustedError("m: a member of 10485760 bytes is more than the archive can hold (member "
                                         "'w.dat'); the memory limit leaves 1048576 bytes (while testing)"));
  EXPECT_EQ(error(ignored, little_memory).code(), absl::StatusCode::kResourceExhausted);
  ResourceLimits no_time;
  no_time.timeout = absl::ZeroDuration();
  for (const std::string& archive : {bomb, ignored}) {
    EXPECT_EQ(error(archive, no_time), absl::DeadlineExceededError("the time limit of 0 passed while testing"));
  }
  EXPECT_EQ(error(bomb, ResourceLimits()), absl::OkStatus());
}

TEST(Archive, AllocatesNothingOnAHeadersWord) {
  std::string tar = MakeArchive({{"w.dat", "x"}});
  tar.replace(124, 12, "77777777777 ");  // 8 GiB
  tar.replace(148, 8, "        ");
  int sum = 0;
  for (int i = 0; i < 512; ++i) sum += static_cast<uint8_t>(tar[i]);
  char checksum[9];
  std::snprintf(checksum, sizeof(checksum), "%06o", sum);
  tar.replace(148, 7, checksum, 7);
  EXPECT_THAT(ErrorOfOpening(tar), HasSubstr("it ends within a member: expected 8589934591 bytes"));
}

TEST(Container, TellsOtherFormats) {
  EXPECT_THAT(ErrorOfOpening("PK\x03\x04 and so on"), HasSubstr("got a zip archive"));
  EXPECT_THAT(ErrorOfOpening(std::string("ab\0c", 4)), HasSubstr("got a binary file of another format"));
  EXPECT_THAT(ErrorOfOpening("\x1F\x8B garbage"), HasSubstr("damaged gzip file"));
  EXPECT_THAT(ErrorOfOpening(""), HasSubstr("got an empty file"));
  EXPECT_EQ(ErrorOfOpening("a text"), "opened");  // the parser says what is wrong with it
  EXPECT_THAT(ContainerError(OpenContainerInMemory("a text", "m.tgz").status()),
              HasSubstr("got a text of another kind"));
  EXPECT_TRUE(OpenContainerInMemory("recipe 1", "m.tgz").ok());
  EXPECT_EQ(ContainerError(OpenContainer("/nowhere/m").status()),
            "K0: /nowhere/m: cannot be opened: No such file or directory");
}

TEST(Container, TakesATextForTheDescription) {
  const auto container = OpenContainerInMemory("recipe 1", "m.nnef");
  ASSERT_TRUE(container.ok());
  EXPECT_TRUE((*container)->is_bare_description());
  EXPECT_EQ((*container)->NameOf("graph.nnef"), "m.nnef");
  EXPECT_EQ(*(*container)->ReadAll("graph.nnef", 100), "recipe 1");
  EXPECT_FALSE((*container)->Has("w.dat"));
}

TEST(Container, LooksLikeAModelByItsContents) {
  const std::string folder = TestFolder("looks");
  const auto looks = [&](const std::string& contents) {
    Write(folder + "/m", contents);
    EXPECT_EQ(LooksLikeModelInMemory(contents, Format()), LooksLikeModel(folder + "/m", Format()));
    return LooksLikeModel(folder + "/m", Format());
  };
  EXPECT_TRUE(looks("recipe 1"));
  EXPECT_FALSE(looks("HloModule m"));
  EXPECT_FALSE(looks(""));
  EXPECT_TRUE(looks(MakeArchive({{"graph.nnef", ""}}, {TarFormat::kUstar, true})));
  EXPECT_FALSE(looks(MakeArchive({{"readme.txt", ""}}, {TarFormat::kUstar, true})));
  // A tensor file may belong to a model of another version.
  EXPECT_TRUE(looks(MakeArchive({{"w.dat", "data"}, {"readme.txt", ""}})));
  EXPECT_TRUE(looks(MakeArchive({{"w.dat", "data"}, {"graph.nnef", ""}})));
  EXPECT_FALSE(looks(MakeArchive({{"w.dat", "data"}, {"other", ""}})));
  EXPECT_TRUE(looks(MakeArchive({{"w.dat", std::string(17 << 20, 'x')}, {"other", ""}})));
  EXPECT_TRUE(looks("\x1F\x8B damaged"));  // so that opening it says what is wrong
  EXPECT_FALSE(LooksLikeModel(folder, Format()));
  Write(folder + "/graph.nnef", "");
  EXPECT_TRUE(LooksLikeModel(folder, Format()));
  EXPECT_FALSE(LooksLikeModel(folder + "/nothing", Format()));
}

TEST(Folder, GivesItsFiles) {
  const std::string folder = TestFolder("folder");
  mkdir((folder + "/conv1").c_str(), 0755);
  Write(folder + "/graph.nnef", "text");
  Write(folder + "/conv1/filter.dat", "0123456789");
  const auto container = OpenContainer(folder + "/");
  ASSERT_TRUE(container.ok());
  EXPECT_EQ((*container)->NameOf("graph.nnef"), folder + "/graph.nnef");
  EXPECT_THAT((*container)->Members(), ElementsAre("conv1/filter.dat", "graph.nnef"));
  EXPECT_EQ((*container)->Members(1).size(), 1);
  EXPECT_EQ(*(*container)->ReadAll("conv1/filter.dat", 10), "0123456789");
  EXPECT_EQ(*(*container)->SizeOf("graph.nnef"), 4);
  EXPECT_TRUE((*container)->Has("conv1/filter.dat"));
  EXPECT_FALSE((*container)->Has("filter.dat"));
  EXPECT_FALSE((*container)->Has("../" + folder.substr(folder.rfind('/') + 1) + "/graph.nnef"));
  char buffer[20];
  EXPECT_THAT(ContainerError((*container)->Read("conv1/filter.dat", 5, 6, buffer)),
              HasSubstr("/conv1/filter.dat: expected 6 bytes from byte 5 on, got 5"));
  EXPECT_THAT(ContainerError((*container)->ReadAll("conv1", 10).status()), HasSubstr("expected a regular file"));
}

TEST(Folder, FollowsLinksOnlyWithinIt) {
  const std::string outside = TestFolder("outside");
  Write(outside + "/w.dat", "secret");
  const std::string folder = TestFolder("links");
  Write(folder + "/v1.dat", "inside");
  ASSERT_EQ(symlink("v1.dat", (folder + "/v.dat").c_str()), 0);
  ASSERT_EQ(symlink((outside + "/w.dat").c_str(), (folder + "/w.dat").c_str()), 0);
  ASSERT_EQ(symlink(outside.c_str(), (folder + "/sub").c_str()), 0);
  ASSERT_EQ(symlink("nowhere", (folder + "/lost.dat").c_str()), 0);
  const auto container = OpenContainer(folder);
  EXPECT_EQ(*(*container)->ReadAll("v.dat", 100), "inside");
  EXPECT_THAT(ContainerError((*container)->ReadAll("w.dat", 100).status()), HasSubstr("leads out of the folder"));
  EXPECT_THAT(ContainerError((*container)->ReadAll("sub/w.dat", 100).status()), HasSubstr("leads out of the folder"));
  EXPECT_THAT(ContainerError((*container)->ReadAll("lost.dat", 100).status()), HasSubstr("cannot be opened"));
}

TEST(Folder, DoesNotWaitForAPipe) {
  const std::string folder = TestFolder("pipe");
  ASSERT_EQ(mkfifo((folder + "/graph.nnef").c_str(), 0600), 0);
  const auto container = OpenContainer(folder);
  EXPECT_THAT(ContainerError((*container)->ReadAll("graph.nnef", 100).status()), HasSubstr("expected a regular file"));
}

}  // namespace
}  // namespace nnef
}  // namespace xla
