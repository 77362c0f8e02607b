// No class of the project is defined twice, and the check that says so would notice if one were.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/layering/definitions_check.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// What is wrong with a tree of these files (path, content).
std::vector<std::string> RepeatedIn(const std::vector<std::pair<std::string, std::string>>& files) {
  const std::filesystem::path root = std::filesystem::path(testing::TempDir()) / "planted";
  std::filesystem::remove_all(root);
  for (const auto& [name, content] : files) {
    std::filesystem::create_directories((root / name).parent_path());
    std::ofstream(root / name) << content;
  }
  return RepeatedDefinitions(root.string());
}

std::string InNamespace(const std::string& name, const std::string& content) {
  return "namespace " + name + " {\n" + content + "\n}  // namespace " + name + "\n";
}

TEST(Definitions, AreOfDifferentNamesInTheWholeProject) {
  // Bazel hands the test a link to the file; the sources lie beside it.
  const std::filesystem::path root = std::filesystem::canonical("WORKSPACE").parent_path();
  ASSERT_TRUE(std::filesystem::exists(root / "xla_core/support"));
  EXPECT_THAT(RepeatedDefinitions(root.string()), IsEmpty());
}

TEST(DefinitionsCheck, FindsWhatTwoFilesDefine) {
  EXPECT_THAT(RepeatedIn({{"a/a.h", InNamespace("xla", "struct Axis {\n  int x;\n};")},
                          {"b/b.h", InNamespace("xla", "class Axis final : public Base,\n  public Other {\n};")},
                          {"b/c.cc", InNamespace("xla", "enum class Kind { kOne };\nunion alignas(8) Both { int x; };")},
                          {"b/d.cc", InNamespace("xla", "template <typename T>\nclass Kind {};")}}),
              ElementsAre("xla::Axis: defined in a/a.h and b/b.h; rename all but one",
                          "xla::Kind: defined in b/c.cc and b/d.cc; rename all but one"));
}

TEST(DefinitionsCheck, LeavesWhatIsAlone) {
  EXPECT_THAT(RepeatedIn({{"a/a.h", InNamespace("xla", "class Axis {\n};\nenum class Kind { kOne };")},
                          {"a/declared.h", InNamespace("xla", "class Axis;\nenum class Kind : int;")},
                          {"a/nested.cc", InNamespace("xla", "struct Axis::Kind {\n};")},
                          {"a/special.cc", InNamespace("xla", "template <>\nstruct Axis<int> {\n};")},
                          {"b/other.h", InNamespace("xla", InNamespace("vulkan", "class Axis {\n};"))},
                          {"b/unnamed.cc", "namespace xla {\nnamespace {\nclass Axis {\n};\n}  // namespace\n}\n"}}),
              IsEmpty());
}

}  // namespace
}  // namespace xla
