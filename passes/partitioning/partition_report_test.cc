// What is told of a partitioned program.
#include "passes/partitioning/partition_report.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace {

using ::testing::HasSubstr;

constexpr char kLayer[] = R"(
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT l = pred[] compare(a, b), direction=LT }
ENTRY e {
  x = f32[8,12] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"data\"}, {}]>"}
  w = f32[12,16] parameter(1), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"model\"}, {}]>"}
  y = f32[8,16] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  t = f32[8,16] tanh(y)
  ROOT s = f32[8,16] sort(t), dimensions={0}, to_apply=less
})";

std::unique_ptr<HloModule> Layer() {
  return ParseHloModule(absl::StrCat("HloModule m, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<[\"data\"=2, "
                                     "\"model\"=4]>}}\n",
                                     kLayer))
      .value();
}

TEST(PartitionReport, TellsHowEachValueIsCutAndWhatMoves) {
  EXPECT_EQ(PrintShardings(*Layer(), nullptr), R"(8 devices, mesh data=2, model=4
e:
  x = f32[8,12] parameter: [{data}, {}], written
  w = f32[12,16] parameter: [{model}, {}], written
  y = f32[8,16] dot: [{data}, {}], from its operands
  t = f32[8,16] tanh: [{data}, {}], from its operands
  s = f32[8,16] sort: whole
moved, with the bytes that a device receives each time:
  x for y: [{data}, {}] -> [{data}, {model}], nothing is sent; dimension 1 is cut as the result, or another operand, is
  y: all-reduce of 384 bytes along model; each device has a part of the sum
  t for s: [{data}, {}] -> whole, all-gather of 256 bytes along data; sort needs dimension 0 whole
bytes along each axis, each collective counted once:
  data: 256 bytes; all-gather 1
  model: 384 bytes; all-reduce 1
)");
}

TEST(PartitionReport, ExplainsOneInstruction) {
  EXPECT_EQ(*ExplainShardingIn(*Layer(), "t", nullptr), R"(in e, 8 devices, mesh data=2, model=4
  t = f32[8,16] tanh: [{data}, {}], from its operands
  t for s: [{data}, {}] -> whole, all-gather of 256 bytes along data; sort needs dimension 0 whole
)");
  EXPECT_EQ(ExplainShardingIn(*Layer(), "tanh", nullptr).status(),
            absl::InvalidArgumentError("no instruction 'tanh' is partitioned; --print-analysis "
                                       "shardings lists them"));
}

TEST(PartitionReport, TellsDirectionsByNumbersWithoutAMesh) {
  const auto module = ParseHloModule(R"(HloModule m, num_partitions=8
ENTRY e {
  x = f32[8,6] parameter(0), sharding={devices=[4,2]<=[8]}
  n = f32[8,6] negate(x)
  ROOT r = f32[8,6] cosine(n), sharding={devices=[4,1,2]<=[8] last_tile_dim_replicate}
})");
  const std::string text = PrintShardings(**module, nullptr);
  EXPECT_THAT(text, HasSubstr("8 devices\n"));
  EXPECT_THAT(text, HasSubstr("x = f32[8,6] parameter: [4:2,2:1], written\n"));
  EXPECT_THAT(text,
              HasSubstr("[4:2,2:1] -> [4:2,1], all-gather of 24 bytes along 2 devices, 1 apart; the result is not "
                        "cut along dimension 1\n"));
}

TEST(PartitionReport, SaysWhyThereIsNone) {
  const auto report = [](const std::string& text) { return PrintShardings(**ParseHloModule(text), nullptr); };
  EXPECT_EQ(report("HloModule m ENTRY e { ROOT x = f32[] parameter(0) }"),
            "the program is for one device: its num_partitions is 1, and it has no mesh\n");
  EXPECT_EQ(report("HloModule m, num_partitions=2, frontend_attributes={halo.partitions=\"2\"} ENTRY e { ROOT x = "
                   "f32[] parameter(0) }"),
            "the program is for each device already\n");
  EXPECT_THAT(report("HloModule m, num_partitions=2 ENTRY e { ROOT x = f32[4] parameter(0), "
                     "sharding={devices=[4]<=[4]} }"),
              HasSubstr("the program cannot be partitioned: x: the sharding is for 4 devices"));
}

}  // namespace
}  // namespace xla
