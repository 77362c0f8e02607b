// Shardings as text, tilings, and the steps between them.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/partitioning/annotated_shardings.h"
#include "passes/partitioning/array_tiling.h"
#include "passes/partitioning/entry_shards.h"
#include "passes/partitioning/read_sharding.h"
#include "passes/partitioning/reshard_plan.h"
#include "passes/partitioning/sdy_text.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<HloModule> WithParameter(const std::string& shape, const std::string& annotation) {
  return ParseHloModule(absl::StrCat("HloModule m, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<[\"a\"=2, "
                                     "\"b\"=4]>, other = #sdy.mesh<[\"q\"=8], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>}}\n"
                                     "ENTRY e { ROOT p = ",
                                     shape, " parameter(0), ", annotation, " }"))
      .value();
}

absl::StatusOr<ArrayTiling> Read(const std::string& shape, const std::string& annotation, int64_t devices = 8) {
  const std::unique_ptr<HloModule> module = WithParameter(shape, annotation);
  const auto shardings = AnnotatedShardings::Of(*module, devices);
  if (!shardings.ok()) return shardings.status();
  const auto result = shardings->OfResult(*module->entry()->root());
  if (!result.ok()) return result.status();
  return (**result)[0].tiling;
}

std::string Text(const std::string& annotation) {
  const auto tiling = Read("f32[16,8]", annotation);
  return tiling.ok() ? TilingText(*tiling) : std::string(tiling.status().message());
}

std::string Sdy(const std::string& text) {
  return Text(absl::StrCat("frontend_attributes={xla.sdy.sharding=\"", text, "\"}"));
}

TEST(Shardings, ReadsEveryForm) {
  EXPECT_EQ(Text("sharding={replicated}"), "whole");
  EXPECT_EQ(Text("sharding={maximal device=3}"), "whole");
  EXPECT_EQ(Text("sharding={devices=[2,4]<=[8]}"), "[2:4,4:1]");
  EXPECT_EQ(Text("sharding={devices=[4,2]<=[2,4]T(1,0)}"), "[4:1,2:4]");
  EXPECT_EQ(Text("sharding={devices=[2,1,4]<=[8] last_tile_dim_replicate}"), "[2:4,1]");
  EXPECT_EQ(Text("sharding={devices=[1,2,2,2]<=[8] last_tile_dims={manual, replicated}}"), "[1,2:4]");
  EXPECT_EQ(Text("sharding={devices=[2,1,4]0,2,4,6,1,3,5,7 last_tile_dim_replicate}"), "[2:1,1]");
  EXPECT_EQ(Text("sharding={devices=[2,1,4]0,3,5,6,1,2,4,7 last_tile_dim_replicate}"), "[2:0/1/1/0/1/0/0/1,1]");
  EXPECT_EQ(Text("sharding={mesh['x'=2,'y'=4], [{'y'}, {'x', ?}]}"), "[4:1,2:4]");
  EXPECT_EQ(Text("sharding={mesh['x'=2,'y'=4], [{'y':(2)2}, {}]}"), "[2:1,1]");
  EXPECT_EQ(Text("sharding={mesh['x'=2,'y'=4], replicated}"), "whole");
  EXPECT_EQ(Sdy("#sdy.sharding<@mesh, [{\\\"a\\\", \\\"b\\\"}p1, {?}], replicated={}>"), "[8:1,1]");
  EXPECT_EQ(Sdy("#sdy.sharding_per_value<[<@mesh, [{\\\"b\\\":(1)2}, {\\\"a\\\"}]>]>"), "[2:2,2:4]");
  EXPECT_EQ(Sdy("#sdy.sharding<mesh<[\\\"q\\\"=8]>, [{}, {\\\"q\\\"}]>"), "[1,8:1]");
  EXPECT_EQ(Sdy("#sdy.sharding<@other, [{\\\"q\\\"}, {}]>"), "[8:7/6/5/4/3/2/1/0,1]");
}

TEST(Shardings, RefusesWhatDoesNotFit) {
  EXPECT_EQ(
      Text("sharding={devices=[2,2]<=[4]}"),
      "p: the sharding is for 4 devices, expected all of the program's 8; write it over all of them, or change the "
      "number of partitions");
  EXPECT_THAT(Text("sharding={mesh['x'=2,'y'=4], [{'y'}]}"),
              HasSubstr("p: the sharding cuts 1 dimensions, expected 2 of f32[16,8]"));
  EXPECT_THAT(Text("sharding={mesh['x'=1000000000,'y'=1000000000], [{'y'}, {}]}"), HasSubstr("devices, expected"));
  EXPECT_THAT(Sdy("#sdy.sharding<@mesh, [{\\\"a\\\"}, {\\\"a\\\"}]>"), HasSubstr("uses an axis of its mesh twice"));
  EXPECT_THAT(Sdy("#sdy.sharding<@mesh, [{\\\"c\\\"}, {}]>"), HasSubstr("has none of the name \"c\""));
  EXPECT_THAT(Sdy("#sdy.sharding<@nowhere, []>"), HasSubstr("which has no @nowhere"));
  EXPECT_THAT(Sdy("#sdy.sharding<@mesh, [{\\\"b\\\":(3)2}, {}]>"), HasSubstr("does not divide its size 4"));
  EXPECT_THAT(Sdy("#sdy.sharding<@mesh, [{"), HasSubstr("expected '\"' at column"));
  EXPECT_THAT(std::string(Read("f32[4]", "sharding={replicated}", 0).status().message()),
              HasSubstr("partitioned over 1 to 65536 devices, got 0"));
}

TEST(Shardings, WritesWhatItReads) {
  for (const char* const text :
       {"{devices=[2,4]<=[8]}", "{devices=[4,2]<=[2,4]T(1,0)}", "{devices=[2,1,4]<=[8] last_tile_dim_replicate}",
        "{devices=[1,2,4]<=[2,2,2]T(1,0,2) last_tile_dim_replicate}",
        "{devices=[2,1,4]0,3,5,6,1,2,4,7 last_tile_dim_replicate}", "{replicated}"}) {
    const ArrayTiling tiling = Read("f32[16,8]", absl::StrCat("sharding=", text)).value();
    const Sharding written = WriteSharding(tiling, 8);
    EXPECT_EQ(TilingText(ReadSharding(written, Shape::Array(PrimitiveType::F32, {16, 8}), 8)->tiling),
              TilingText(tiling))
        << text;
  }
}

std::string Plan(const std::string& from, const std::string& to, const std::string& shape = "f32[16,8]") {
  const ArrayTiling before = Read(shape, absl::StrCat("sharding=", from)).value();
  const ArrayTiling after = Read(shape, absl::StrCat("sharding=", to)).value();
  const std::unique_ptr<HloModule> module = WithParameter(shape, "sharding={replicated}");
  constexpr const char* kNames[] = {"cut", "gather", "exchange", "permute"};
  const auto append = [&](std::string* out, const ReshardStep& step) {
    absl::StrAppend(out, kNames[static_cast<int>(step.kind)], " ", TilingText(step.after));
  };
  return absl::StrJoin(PlanReshard(before, after, module->entry()->root()->shape(), {8, {}}), ", ", append);
}

TEST(Shardings, ReadsEachAnnotationOnce) {
  const auto module =
      ParseHloModule(R"(HloModule m, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["a"=2, "b"=4]>}}
ENTRY e {
  p = f32[16,8] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"a\"}, {}]>"}
  q = f32[6,4] parameter(1), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"a\"}, {}]>"}
  r = f32[16,8] parameter(2), sharding={devices=[2,4]<=[8]}
  s = (f32[8], f32[4,8]) parameter(3), sharding={{replicated}, {devices=[2,4]<=[8]}}
  ROOT t = f32[8] parameter(4), sharding={devices=[2,4]<=[8]}
})");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto shardings = AnnotatedShardings::Of(**module, 8);
  ASSERT_TRUE(shardings.ok()) << shardings.status();
  const auto leaf_of = [&](int parameter, size_t leaf) {
    return (**shardings->OfResult(*(*module)->entry()->parameters()[parameter]))[leaf].tiling;
  };
  EXPECT_EQ(leaf_of(0, 0)[0].coordinates, leaf_of(1, 0)[0].coordinates);
  EXPECT_EQ(leaf_of(2, 0)[1].coordinates, leaf_of(3, 1)[1].coordinates);
  EXPECT_TRUE(IsWhole(leaf_of(3, 0)));
  // Of another rank, it is another one.
  EXPECT_THAT(std::string(shardings->OfResult(*(*module)->entry()->root()).status().message()),
              HasSubstr("t: the sharding cuts 2 dimensions, expected 1"));
}

TEST(ArrayTiling, IsEvenIfEachTileHasAsManyDevices) {
  const auto dimension = [](int64_t tiles, std::vector<int64_t> coordinates) {
    return MakeDimensionTiling(tiles, std::move(coordinates));
  };
  const DimensionTiling high = dimension(2, {0, 0, 0, 0, 1, 1, 1, 1}), low = dimension(2, {0, 1, 0, 1, 0, 1, 0, 1});
  const DimensionTiling wide = dimension(4, {0, 0, 1, 1, 2, 2, 3, 3}), mixed = dimension(2, {0, 1, 1, 0, 1, 0, 0, 1});
  EXPECT_TRUE(IsEven({high, low}, {8, {}}));
  EXPECT_TRUE(IsEven({low, DimensionTiling(), wide}, {8, {}}));
  EXPECT_TRUE(IsEven({mixed, low}, {8, {}}));
  EXPECT_FALSE(IsEven({high, high}, {8, {}}));
  EXPECT_FALSE(IsEven({wide, high}, {8, {}}));
  EXPECT_FALSE(IsEven({mixed, high, low, wide}, {8, {}}));
  EXPECT_EQ(high, dimension(2, {0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_NE(high, low);
  EXPECT_NE(mixed, low);
}

TEST(ReshardPlan, MovesAsLittleAsItCan) {
  EXPECT_EQ(Plan("{devices=[8,1]<=[8]}", "{devices=[8,1]<=[8]}"), "");
  EXPECT_EQ(Plan("{replicated}", "{devices=[2,4]<=[8]}"), "cut [2:4,1], cut [2:4,4:1]");
  EXPECT_EQ(Plan("{devices=[2,1,4]<=[8] last_tile_dim_replicate}", "{devices=[2,4]<=[8]}"), "cut [2:4,4:1]");
  EXPECT_EQ(Plan("{devices=[2,4]<=[8]}", "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"), "gather [2:4,1]");
  EXPECT_EQ(Plan("{devices=[8,1]<=[8]}", "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"), "gather [2:4,1]");
  EXPECT_EQ(Plan("{devices=[8,1]<=[8]}", "{devices=[1,8]<=[8]}"), "exchange [1,8:1]");
  EXPECT_EQ(Plan("{devices=[8,1]<=[8]}", "{devices=[8,1]7,6,5,4,3,2,1,0}"), "permute [8:7/6/5/4/3/2/1/0,1]");
}

TEST(ReshardPlan, GathersPaddingWhole) {
  // Three of nine rows each and two of nine rows each do not nest.
  EXPECT_EQ(Plan("{devices=[8,1]<=[8]}", "{devices=[2,1,4]<=[8] last_tile_dim_replicate}", "f32[9,8]"),
            "gather whole, cut [2:4,1]");
}

TEST(ReshardPlan, WeighsBytesByWhoExchangesThem) {
  const Shape shape = Shape::Array(PrimitiveType::F32, {16, 8});
  const ArrayTiling cut = Read("f32[16,8]", "sharding={devices=[2,4]<=[8]}").value();
  const ArrayTiling rows = Read("f32[16,8]", "sharding={devices=[2,1,4]<=[8] last_tile_dim_replicate}").value();
  const ArrayTiling columns =
      Read("f32[16,8]", "sharding={devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}").value();
  // Devices 0 to 3 are on one host, the others on another one.
  const ByteCost cost = [](const std::vector<std::vector<int64_t>>& groups) {
    return groups[0].front() / 4 == groups[0].back() / 4 ? 1 : 10;
  };
  EXPECT_EQ(ReshardBytes(cut, rows, shape, {8, {}}), 3 * 64);
  EXPECT_EQ(ReshardCost(cut, rows, shape, {8, {}}, cost), 3 * 64);
  EXPECT_EQ(ReshardBytes(cut, columns, shape, {8, {}}), 64);
  EXPECT_EQ(ReshardCost(cut, columns, shape, {8, {}}, cost), 640);
  EXPECT_EQ(ReshardCost(cut, columns, shape, {8, {}}, nullptr), 64);
}

TEST(ReshardPlan, StaysInTheScopeOfAManualBody) {
  const std::unique_ptr<HloModule> module = WithParameter("f32[16,8]", "sharding={replicated}");
  const DeviceScope scope = {8, Read("f32[16]", "sharding={devices=[2,4]<=[8] last_tile_dim_replicate}").value()[0]};
  const ArrayTiling rows = Read("f32[16,8]", "sharding={devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}").value();
  EXPECT_TRUE(IsEven(rows, scope));
  EXPECT_EQ(GroupsAlong(rows, {0}, scope), (std::vector<std::vector<int64_t>>{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  // The place along the axes of the body is taken.
  EXPECT_FALSE(IsEven(Read("f32[16,8]", "sharding={devices=[8,1]<=[8]}").value(), scope));
}

TEST(EntryShards, CutsArgumentsAndJoinsResults) {
  const std::unique_ptr<HloModule> module =
      ParseHloModule("HloModule m\nENTRY e { ROOT p = s32[5] parameter(0), sharding={devices=[2]<=[2]} }").value();
  const EntryShards shards = EntryShards::Of(*module, 2).value();
  const Literal whole = Literal::Vector<int32_t>({1, 2, 3, 4, 5});
  const std::vector<Literal> second = shards.ArgumentsOf(1, {whole}).value();
  EXPECT_TRUE(second[0].BitwiseEquals(Literal::Vector<int32_t>({4, 5, 0})));
  const std::vector<Literal> padded = shards.ArgumentsOf(1, {whole}, ShardPadding::kAllBits).value();
  EXPECT_TRUE(padded[0].BitwiseEquals(Literal::Vector<int32_t>({4, 5, -1})));
  const std::vector<Literal> first = shards.ArgumentsOf(0, {whole}).value();
  EXPECT_TRUE(shards.JoinResults({first[0], padded[0]})->BitwiseEquals(whole));
}

}  // namespace
}  // namespace xla
