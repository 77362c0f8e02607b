// PartitionModule on programs that are wrong, and on large ones.
#include "passes/partitioning/partition_module.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/text/parser.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

using ::testing::HasSubstr;

constexpr char kMesh[] = R"(mesh = #sdy.mesh<["a"=2, "b"=4]>)";

// What is said of a program whose parameter f32[16,8] has the annotation, by whoever finds it first: the parser, the
// verifier, or partitioning over 8 devices.
std::string ErrorOf(const std::string& annotation, const std::string& meshes = kMesh) {
  const auto module = ParseHloModule(absl::StrCat("HloModule m, frontend_attributes={xla.sdy.meshes={", meshes,
                                                  "}}\nENTRY e {\n  p = f32[16,8] parameter(0), ", annotation,
                                                  "\n  ROOT n = f32[16,8] negate(p)\n}\n"));
  if (!module.ok()) return std::string(module.status().message());
  const absl::Status verified = VerifyModule(**module);
  if (!verified.ok()) return std::string(verified.message());
  return std::string(PartitionModule(**module, 8, nullptr).status().message());
}

std::string ErrorOfSdy(const std::string& sharding, const std::string& meshes = kMesh) {
  return ErrorOf(absl::StrCat("frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<", sharding, ">\"}"), meshes);
}

TEST(PartitionModule, NamesWhatHasShardingsThatDoNotFit) {
  EXPECT_THAT(ErrorOf("sharding={devices=[8]<=[8]}"), HasSubstr("p = f32[16,8] parameter(): the sharding has 1 "));
  EXPECT_THAT(ErrorOf("sharding={devices=[2,2,2]<=[8]}"), HasSubstr("p = f32[16,8] parameter(): the sharding has 3 "));
  EXPECT_THAT(ErrorOf("sharding={devices=[2,4]0,1,2,3,4,5,6,6}"), HasSubstr("p = f32[16,8] parameter(): the sharding "
                                                                            "lists device 6 twice"));
  EXPECT_EQ(ErrorOf("sharding={devices=[2,4]0,1,2,3,4,5,6,99}"),
            "p: the sharding lists device 99, expected each of 0 to 7 once");
  EXPECT_EQ(ErrorOf("sharding={maximal device=99}"), "p: the sharding is on device 99, expected one of 0 to 7");
  EXPECT_THAT(ErrorOf("sharding={{replicated}, {replicated}}"), HasSubstr("p = f32[16,8] parameter(): the sharding of "
                                                                          "a tuple has 2 elements, expected 1"));
  EXPECT_EQ(ErrorOf("sharding={devices=[2,8]<=[16]}"),
            "p: the sharding is for 16 devices, expected all of the program's 8; write it over all of them, or change "
            "the number of partitions");
}

TEST(PartitionModule, NamesManualAxesThatAreManualAlready) {
  const auto boundary = [](const char* shape, const char* operand, bool begins, const char* axes) {
    return absl::StrCat(shape, " custom-call(", operand, "), custom_call_target=\"xla.sdy.",
                        begins ? "GlobalToLocalShape" : "LocalToGlobalShape", "\", frontend_attributes={xla.sdy.",
                        begins ? "in" : "out",
                        "_shardings=\"#sdy.sharding_per_value<[<@mesh, [{\\\"a\\\"}, {}]>]>\",xla.sdy.manual_axes="
                        "\"#sdy<manual_axes{\\\"",
                        axes, "\\\"}>\"}\n");
  };
  const std::string text = absl::StrCat(
      "HloModule m, frontend_attributes={xla.sdy.meshes={", kMesh, "}}\ninner {\n  ROOT p = f32[4,8] parameter(0)\n}\n",
      "outer {\n  p = f32[8,8] parameter(0)\n  begin = ", boundary("f32[4,8]", "p", true, "a"),
      "  c = f32[4,8] call(begin), to_apply=inner\n  ROOT end = ", boundary("f32[8,8]", "c", false, "a"), "}\n",
      "ENTRY e {\n  p = f32[16,8] parameter(0)\n  l = ", boundary("f32[8,8]", "p", true, "a"),
      "  c = f32[8,8] call(l), to_apply=outer\n  ROOT g = ", boundary("f32[16,8]", "c", false, "a"), "}\n");
  const auto module = ParseHloModule(text);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(PartitionModule(**module, 8, nullptr).status().message(),
            "begin: xla.sdy.manual_axes lists axes over which the body around it is manual already; list those that "
            "are free in it");
}

TEST(PartitionModule, NamesWhatHasHugeTiles) {
  EXPECT_THAT(ErrorOf("sharding={devices=[1073741824,1073741824]<=[8]}"), HasSubstr("3:41: error: the sharding has "));
  EXPECT_THAT(ErrorOf("sharding={devices=[9223372036854775807,1]<=[8]}"), HasSubstr("3:41: error: the sharding has "));
  EXPECT_THAT(ErrorOf("sharding={devices=[2,4]<=[4611686018427387904,2]}"), HasSubstr("does not fit in 63 bits"));
  EXPECT_THAT(ErrorOf("sharding={devices=[0,8]<=[8]}"), HasSubstr("the tile sizes of a sharding must be positive"));
  EXPECT_THAT(ErrorOf("sharding={devices=[65536,1]<=[65536]}"),
              HasSubstr("p: the sharding is for 65536 devices, expected all of the program's 8"));
}

TEST(PartitionModule, NamesWhatHasMeshesThatDoNotFit) {
  EXPECT_EQ(ErrorOfSdy("@mesh, [{\\\"a\\\"}]"),
            "p: the sharding cuts 1 dimensions, expected 2 of f32[16,8]; give each dimension an entry");
  EXPECT_EQ(ErrorOfSdy("@mesh, [{\\\"a\\\"}, {\\\"a\\\"}]"),
            "p: the sharding uses an axis of its mesh twice; each may cut one dimension");
  EXPECT_THAT(ErrorOfSdy("@mesh, [{\\\"c\\\"}, {}]"),
              HasSubstr("p: expected an axis of the mesh, which has none of the "
                        "name \"c\", at column"));
  EXPECT_EQ(ErrorOfSdy("@mesh, [{\\\"b\\\":(4611686018427387904)4}, {}]"),
            "p: the part (4611686018427387904)4 of axis 'b' does not divide its size 4");
  EXPECT_EQ(ErrorOfSdy("@mesh, [{\\\"a\\\"}, {}]", "mesh = #sdy.mesh<[\"a\"=4611686018427387904, \"b\"=4]>"),
            "p: the axes of the sharding's mesh up to 'b' have more than 2^63 - 1 devices, expected 8");
  EXPECT_EQ(ErrorOfSdy("@mesh, [{\\\"a\\\"}, {}]", "mesh = #sdy.mesh<[\"a\"=0]>"),
            "p: axis 'a' of the sharding's mesh has size 0, expected at least 1");
  EXPECT_EQ(ErrorOfSdy("@mesh, [{\\\"a\\\"}, {}]", "mesh = #sdy.mesh<[\"a\"=8], device_ids=[0,1,2,3,4,5,6,6]>"),
            "p: the sharding lists device 6, expected each of 0 to 7 once");
  EXPECT_EQ(ErrorOfSdy("@mesh, []", "mesh = #sdy.mesh<[], device_ids=[8]>"),
            "p: the sharding is on device 8, expected one of 0 to 7");
  EXPECT_THAT(ErrorOfSdy("@mesh, [{\\\"a\\\"}, {}]", "mesh = #sdy.mesh<[\"a\"="), HasSubstr("expected "));
  EXPECT_THAT(ErrorOfSdy("@mesh, [{\\\"a\\\"}, {}]", "mesh = #sdy.mesh<[\"a\"=2, \"a\"=4]>"),
              HasSubstr("expected another name than \"a\", which an axis of the mesh has already, at column 30"));
  EXPECT_THAT(ErrorOfSdy("@mesh, [{\\\"a\\\"}, {}]", "mesh = #sdy.mesh<[\"a\"=2]>, mesh = #sdy.mesh<[\"a\"=4]>"),
              HasSubstr("expected another name than @mesh, which a mesh has already, at column"));
}

// Takes less than a second; what looked at pairs of instructions would not get by with this.
TEST(PartitionModule, CutsTenThousandInstructions) {
  std::string text = R"(HloModule m, num_partitions=8
ENTRY e {
  x0 = f32[64,128] parameter(0), sharding={devices=[8,1]<=[8]}
  w = f32[128,128] parameter(1)
)";
  constexpr int kLayers = 2500;
  for (int i = 1; i <= kLayers; ++i) {
    absl::StrAppend(&text, "  y", i, " = f32[64,128] dot(x", i - 1, ", w), lhs_contracting_dims={1}, ",
                    "rhs_contracting_dims={0}\n  t", i, " = f32[128,64] transpose(y", i, "), dimensions={1,0}\n  n", i,
                    " = f32[128,64] negate(t", i, ")\n  x", i, " = f32[64,128] transpose(n", i,
                    "), dimensions={1,0}\n");
  }
  const auto module = ParseHloModule(absl::StrCat(text, "  ROOT r = f32[64,128] negate(x", kLayers, ")\n}\n"));
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::Time start = absl::Now();
  const auto partitioned = PartitionModule(**module, 8, nullptr);
  EXPECT_LT(absl::Now() - start, absl::Seconds(30));
  ASSERT_TRUE(partitioned.ok()) << partitioned.status();
  EXPECT_EQ(partitioned->module->entry()->instructions()[2]->shape().dimension(0), 8);
}

TEST(AnnotateFreeResults, SaysHowResultsAreCutAndClearsTheHeader) {
  const auto module = ParseHloModule(R"(HloModule m, allow_spmd_sharding_propagation_to_output={true}
ENTRY e {
  p = f32[16,8] parameter(0), sharding={devices=[8,1]<=[8]}
  ROOT n = f32[16,8] negate(p)
})");
  ASSERT_TRUE(module.ok()) << module.status();
  // The result is whole for those who do not ask.
  const auto whole = PartitionModule(**module, 8, nullptr);
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_EQ(whole->module->entry()->root()->shape().ToString(), "f32[16,8]");
  EXPECT_TRUE(AnnotateFreeResults(**module, 8, nullptr).ok());
  EXPECT_TRUE((*module)->config().allow_spmd_sharding_propagation_to_output.empty());
  const auto cut = PartitionModule(**module, 8, nullptr);
  ASSERT_TRUE(cut.ok()) << cut.status();
  EXPECT_EQ(cut->module->entry()->root()->shape().ToString(), "f32[2,8]");
}

}  // namespace
}  // namespace xla
