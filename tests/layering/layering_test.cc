// The project's includes respect its layers, and the check that says so would notice if they did not.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/layering/layering_check.h"
#include "tests/layering/layers.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<Layer>& SmallTable() {
  static const auto* const layers = new std::vector<Layer>{
      {"core/low", {}}, {"core/mid", {"core/low"}}, {"core/mid/door.h", {"core/low"}}, {"top", {"core/mid"}}};
  return *layers;
}

// What is wrong with a tree of these files (path, content), by SmallTable.
std::vector<std::string> ViolationsOf(const std::vector<std::pair<std::string, std::string>>& files) {
  const std::filesystem::path root = std::filesystem::path(testing::TempDir()) / "planted";
  std::filesystem::remove_all(root);
  for (const auto& [name, content] : files) {
    std::filesystem::create_directories((root / name).parent_path());
    std::ofstream(root / name) << content;
  }
  return LayeringViolations(root.string(), SmallTable());
}

TEST(Layering, HoldsInTheWholeProject) {
  // Bazel hands the test a link to the file; the sources lie beside it.
  const std::filesystem::path root = std::filesystem::canonical("WORKSPACE").parent_path();
  ASSERT_TRUE(std::filesystem::exists(root / "xla_core/support"));
  EXPECT_THAT(LayeringViolations(root.string(), ProjectLayers()), IsEmpty());
}

TEST(Layering, TableHasNoCycle) { EXPECT_THAT(LayerTableErrors(ProjectLayers()), IsEmpty()); }

TEST(LayeringCheck, AllowsWhatIsBelow) {
  EXPECT_THAT(ViolationsOf({{"core/low/a.h", "#include \"core/low/b.h\"\n#include <vector>\n#include \"absl/x.h\"\n"},
                            {"core/mid/a.cc", "#include \"core/low/a.h\"\n"},
                            {"top/a.cc", "#include \"core/low/a.h\"\n#include \"core/mid/a.h\"\n"}}),
              IsEmpty());
}

TEST(LayeringCheck, FindsAnIncludeThatPointsUpwards) {
  EXPECT_THAT(ViolationsOf({{"core/low/a.h", "\n #  include \"core/mid/b.h\" // why\n"}}),
              ElementsAre("core/low/a.h:2: core/low must not include core/mid/b.h, which is not in a layer below it "
                          "(tests/layering/layers.cc)"));
  EXPECT_EQ(
      ViolationsOf({{"core/low/a.def", "#include \"top/x.h\""}, {"core/mid/a.inc", "#include \"top/x.h\""}}).size(),
      2u);
}

TEST(LayeringCheck, KnowsAFileThatIsALayer) {
  EXPECT_EQ(ViolationsOf({{"core/mid/door.h", "#include \"core/mid/a.h\"\n"}}).size(), 1u);
}

TEST(LayeringCheck, LetsUnitTestsUseTheirTopFolder) {
  EXPECT_THAT(ViolationsOf({{"core/low/a_test.cc", "#include \"core/mid/b.h\"\n"}}), IsEmpty());
  EXPECT_EQ(ViolationsOf({{"core/low/a_test.cc", "#include \"top/b.h\"\n"}}).size(), 1u);
}

TEST(LayeringCheck, FindsAFolderInNoLayer) {
  EXPECT_THAT(ViolationsOf({{"side/a.h", ""}, {".git/a.h", ""}, {"bazel-out/a.h", ""}, {"side/readme.md", ""}}),
              ElementsAre("side/a.h: in no layer; add its folder to tests/layering/layers.cc"));
  EXPECT_THAT(ViolationsOf({{"core/mid/sub/a.h", ""}}),
              ElementsAre("core/mid/sub/a.h: in no layer; add its folder to tests/layering/layers.cc"));
  EXPECT_EQ(ViolationsOf({{"top/a.cc", "#include \"core/none/a.h\"\n"}}).size(), 1u);
}

TEST(LayeringCheck, FindsCyclesAndWrongNamesInTheTable) {
  EXPECT_THAT(LayerTableErrors({{"a", {"b"}}, {"b", {"a"}}}), ElementsAre("a: is below itself", "b: is below itself"));
  EXPECT_THAT(LayerTableErrors({{"a", {"b"}}}), ElementsAre("a: there is no layer b"));
}

}  // namespace
}  // namespace xla
