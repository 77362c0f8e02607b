#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/data/model_format.h"
#include "builders/nnef2/data/tensor_file.h"
#include "builders/nnef2/diagnostics.h"
#include "builders/nnef2/model/model.h"
#include "builders/nnef_common/containers/test_archives.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace nnef2 {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kScale[] =
    "import math;\n"
    "graph Scale {\n"
    "    @input { x: real[2]; }\n"
    "    @output { y: real[2]; }\n"
    "    @variable { w: real[2]; }\n"
    "    @compose { y = math.mul(x, w); }\n"
    "}\n";

std::string TensorFile(std::vector<float> values) {
  return *SerializeTensor(Literal::FromValues<float>({static_cast<int64_t>(values.size())}, values));
}

absl::StatusOr<Model> Load(const nnef::TestMembers& members, const LoadOptions& options = {}) {
  const std::string archive = nnef::MakeArchive(members);
  const auto container = nnef::OpenContainerInMemory(archive, "m", Nnef2Format());
  EXPECT_TRUE(container.ok()) << container.status();
  return LoadModel(**container, options);
}

std::string ErrorOf(const nnef::TestMembers& members, const LoadOptions& options = {}) {
  return std::string(Load(members, options).status().message());
}

TEST(LoadModel, ReadsVariables) {
  for (const char* const file : {"main.Scale.w.dat", "Scale.w.dat"}) {
    const absl::StatusOr<Model> model = Load({{"main.sknd", kScale}, {file, TensorFile({3, 4})}});
    ASSERT_TRUE(model.ok()) << model.status();
    EXPECT_THAT(model->variables.at("main.Scale.w")->span<float>(), ElementsAre(3, 4));
    EXPECT_THAT(model->warnings, ElementsAre());
  }
  LoadOptions options;
  options.real_type = F64;
  const absl::StatusOr<Model> model = Load({{"main.sknd", kScale}, {"main.Scale.w.dat", TensorFile({3, 4})}}, options);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(model->variables.at("main.Scale.w")->span<double>(), ElementsAre(3, 4));
}

TEST(LoadModel, SaysWhichDataAreMissingOrWrong) {
  EXPECT_EQ(ErrorOf({{"main.sknd", kScale}, {"main.Scale.v.dat", TensorFile({3, 4})}}),
            "m/main.sknd:5:17: data: variable 'main.Scale.w': m/main.Scale.w.dat: there is no such file; did you mean "
            "'main.Scale.v.dat'? (NNEF 2.0 section 2.7)\n"
            "        @variable { w: real[2]; }\n"
            "                    ^");
  EXPECT_THAT(ErrorOf({{"main.sknd", kScale}, {"main.Scale.w.dat", TensorFile({3})}}),
              HasSubstr("m/main.Scale.w.dat: expected the declared shape [2], got [1]"));
  LoadOptions options;
  options.load_data = false;
  EXPECT_TRUE(Load({{"main.sknd", kScale}}, options).ok());
  // A module alone has no data, and can be looked at.
  const auto bare = nnef::OpenContainerInMemory(kScale, "scale.sknd", Nnef2Format());
  EXPECT_TRUE(LoadModel(**bare, {}).ok());
}

TEST(LoadModel, WarnsOfDataThatNothingReads) {
  const absl::StatusOr<Model> model =
      Load({{"main.sknd", kScale}, {"Scale.u.dat", ""}, {"main.Scale.w.dat", TensorFile({3, 4})}, {"x.dat", ""}});
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(model->warnings, ElementsAre("m/Scale.u.dat is not read: the graph has no variable 'main.Scale.u'; did "
                                           "you mean 'main.Scale.w'?"));
}

TEST(LoadModel, ReadsModulesAndTheirFolders) {
  constexpr char kMain[] =
      "import custom.ops;\n"
      "graph G { @input { x: real[2]; } @output { y: real[2]; } @compose { y = custom.ops.same(x); } }";
  constexpr char kOps[] = "operator same { @input { x: real[s..]; } @output { y: real[s..]; } @compose { y = x; } }";
  EXPECT_TRUE(Load({{"main.sknd", kMain}, {"custom/ops.sknd", kOps}}).ok());
  EXPECT_THAT(ErrorOf({{"main.sknd", kMain}}), HasSubstr("m/main.sknd:1:8: import: there is no module 'custom.ops'"));
  EXPECT_THAT(ErrorOf({{"main.sknd", kMain}, {"custom/ops.sknd", "operator same {"}}),
              HasSubstr("m/custom/ops.sknd:1:"));
}

TEST(LoadModel, WarnsOfModulesThatTheLibraryHides) {
  const absl::StatusOr<Model> model =
      Load({{"main.sknd", kScale}, {"math.sknd", "nonsense"}, {"main.Scale.w.dat", TensorFile({3, 4})}});
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(model->warnings, ElementsAre("m/math.sknd is not read: 'math' is a module of the standard library"));
}

TEST(LoadModel, SaysWhereTheMainModuleIs) {
  EXPECT_EQ(ErrorOf({{"net/main.sknd", kScale}}),
            "data: m: expected main.sknd at the top, got net/main.sknd; open or pack that folder itself");
  EXPECT_EQ(ErrorOf({{"mian.sknd", kScale}}), "data: m: there is no main.sknd; did you mean 'mian.sknd'?");
}

TEST(LoadModel, RefusesVariablesWhoseExtentsVary) {
  constexpr char kMain[] =
      "graph G { @input { x: real[n|4]; } @output { y: real[n]; } @variable { w: real[n]; } @compose { y = x; } }";
  EXPECT_THAT(ErrorOf({{"main.sknd", kMain}, {"main.G.w.dat", TensorFile({3, 4})}}), HasSubstr(": variable: "));
}

}  // namespace
}  // namespace nnef2
}  // namespace xla
