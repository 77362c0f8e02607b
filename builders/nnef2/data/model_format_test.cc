#include "builders/nnef2/data/model_format.h"

#include "builders/nnef2/diagnostics.h"
#include "builders/nnef_common/containers/container.h"
#include "builders/nnef_common/containers/test_archives.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace nnef2 {
namespace {

bool Looks(absl::string_view contents) { return nnef::LooksLikeModelInMemory(contents, Nnef2Format()); }

TEST(Nnef2Format, RecognizesDocuments) {
  EXPECT_TRUE(Looks("import math;\n"));
  EXPECT_TRUE(Looks("# a licence\n\n graph G {\n    # nothing yet\n    @input {\n"));
  EXPECT_TRUE(Looks("operator f{@dtype {"));
  EXPECT_TRUE(Looks("public operator f { }"));
  EXPECT_FALSE(Looks("graph G { a -> b }"));
  EXPECT_FALSE(Looks("version 1.0;\ngraph g(x) -> (y) {"));
  EXPECT_FALSE(Looks("HloModule m"));
  EXPECT_FALSE(Looks("import"));
  EXPECT_FALSE(Looks("operator"));
  EXPECT_FALSE(Looks("# only a comment"));
  EXPECT_FALSE(Looks(""));
}

TEST(Nnef2Format, RecognizesArchivesByTheirModules) {
  EXPECT_TRUE(Looks(nnef::MakeArchive({{"main.G.w.dat", ""}, {"main.sknd", ""}})));
  EXPECT_TRUE(Looks(nnef::MakeArchive({{"main.G.w.dat", ""}})));
  EXPECT_FALSE(Looks(nnef::MakeArchive({{"graph.nnef", ""}, {"w.dat", ""}})));
  EXPECT_FALSE(Looks(nnef::MakeArchive({{"w.dat", ""}})));
}

TEST(Nnef2Format, KeepsModulesAndData) {
  const std::string bytes =
      nnef::MakeArchive({{"main.sknd", "a"}, {"custom/ops.sknd", "b"}, {"main.G.w.dat", "c"}, {"readme", "d"}},
                        {nnef::TarFormat::kUstar, /*compress=*/true});
  const auto container = nnef::OpenContainerInMemory(bytes, "m", Nnef2Format());
  ASSERT_TRUE(container.ok()) << container.status();
  for (const char* member : {"main.sknd", "custom/ops.sknd", "main.G.w.dat"}) {
    EXPECT_TRUE((*container)->ReadAll(member, 10).ok()) << member;
  }
  const absl::Status status = (*container)->ReadAll("readme", 10).status();
  EXPECT_EQ(status.message(), "data: m/readme: only *.sknd and *.dat are kept of a compressed archive");
  EXPECT_EQ(ErrorClassOf(status), ErrorClass::kData);
}

}  // namespace
}  // namespace nnef2
}  // namespace xla
