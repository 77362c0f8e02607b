#include "builders/nnef1/containers/container.h"

#include "builders/nnef1/diagnostics.h"
#include "builders/nnef_common/containers/test_archives.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace nnef1 {
namespace {

using nnef::MakeArchive;
using nnef::TarFormat;
using ::testing::HasSubstr;

TEST(Container, LooksLikeAModelByItsContents) {
  EXPECT_TRUE(LooksLikeNnef1InMemory("version 1.0;"));
  EXPECT_TRUE(LooksLikeNnef1InMemory("\n# a licence\n\t version\n1.0;"));
  EXPECT_FALSE(LooksLikeNnef1InMemory("version 2.0;"));
  EXPECT_FALSE(LooksLikeNnef1InMemory("version1.0;"));
  EXPECT_FALSE(LooksLikeNnef1InMemory("HloModule m"));
  EXPECT_FALSE(LooksLikeNnef1InMemory("# only a comment"));
  for (const char* member : {"graph.nnef", "conv1/filter.dat"}) {
    EXPECT_TRUE(LooksLikeNnef1InMemory(MakeArchive({{member, ""}}, {TarFormat::kUstar, true}))) << member;
  }
  EXPECT_FALSE(LooksLikeNnef1InMemory(MakeArchive({{"readme.txt", ""}}, {TarFormat::kUstar, true})));
  EXPECT_FALSE(LooksLikeNnef1InMemory(MakeArchive({{"G.w.dat", ""}, {"main.sknd", ""}})));
  EXPECT_FALSE(LooksLikeNnef1InMemory(MakeArchive({{"main.G.w.dat", ""}})));
  EXPECT_FALSE(LooksLikeNnef1("/nowhere/m"));
}

TEST(Container, KeepsWhatBelongsToTheModel) {
  const std::string bytes = MakeArchive(
      {{"graph.nnef", "a"}, {"graph.quant", "b"}, {"w.dat", "c"}, {"vendor.bin", "d"}}, {TarFormat::kUstar, true});
  const auto container = OpenContainerInMemory(bytes, "m");
  ASSERT_TRUE(container.ok()) << container.status();
  for (const char* member : {"graph.nnef", "graph.quant", "w.dat"}) {
    EXPECT_TRUE((*container)->ReadAll(member, 10).ok()) << member;
  }
  const absl::Status status = (*container)->ReadAll("vendor.bin", 10).status();
  EXPECT_EQ(status.message(),
            "E0: m/vendor.bin: only graph.nnef, graph.quant and *.dat are kept of a compressed archive");
  EXPECT_EQ(ErrorClassOf(status), ErrorClass::kContainer);
}

TEST(Container, TellsOtherFormats) {
  EXPECT_THAT(std::string(OpenContainerInMemory("a text", "m.tgz").status().message()),
              HasSubstr("got a text of another kind"));
  EXPECT_TRUE(OpenContainerInMemory("version 1.0;", "m.tgz").ok());
  EXPECT_EQ(OpenContainer("/nowhere/m").status().message(),
            "E0: /nowhere/m: cannot be opened: No such file or directory");
}

}  // namespace
}  // namespace nnef1
}  // namespace xla
