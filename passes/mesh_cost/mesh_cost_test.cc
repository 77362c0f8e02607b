#include "passes/mesh_cost/mesh_cost.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/analyses/parsed_module.h"
#include "passes/mesh_cost/chosen_mesh.h"
#include "passes/mesh_cost/mesh_cost_text.h"
#include "xla_core/support/json.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace {

using ::testing::HasSubstr;

constexpr char kTwoLayers[] = R"(
HloModule two_layers, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["data"=2, "model"=4]>}}
ENTRY main {
  x = f32[64,128] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"data\"}, {}]>"}
  up = f32[128,256] parameter(1), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{}, {\"model\"}]>"}
  down = f32[256,128] parameter(2), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"model\"}, {}]>"}
  hidden = f32[64,256] dot(x, up), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT y = f32[64,128] dot(hidden, down), lhs_contracting_dims={1}, rhs_contracting_dims={0}, frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"data\"}, {}]>"}
})";

Topology ThousandsOfDevices() {
  Topology topology;
  topology.hosts = 1024;
  topology.devices_per_host = 4;
  topology.flops = 1e12;
  topology.memory_bandwidth = 1e11;
  topology.devices = {1e-6, 1e10, false};
  topology.between_hosts = {1e-5, 1e9, false};
  return topology;
}

TEST(MeshCost, IsThatOfTheProgramOfADevice) {
  const ParsedModule module(kTwoLayers);
  const auto cost = EstimateMeshCost(*module, ThousandsOfDevices(), nullptr);
  ASSERT_TRUE(cost.ok()) << cost.status();
  EXPECT_TRUE(cost->is_partitioned);
  EXPECT_EQ(cost->devices, "8 devices, mesh data=2, model=4");
  ASSERT_EQ(cost->step.axes.size(), 1u);
  EXPECT_EQ(cost->step.axes[0].along, "model");
  EXPECT_EQ(cost->step.axes[0].bytes, 32 * 128 * 4);
  // Shards of x, up and down.
  EXPECT_EQ(cost->step.memory.arguments, 4 * (32 * 128 + 128 * 64 + 64 * 128));
}

TEST(MeshCost, OfAnotherMeshIsThatOfItsShards) {
  const ParsedModule module(kTwoLayers);
  for (const int64_t model : {1, 8, 64}) {
    const auto cost = EstimateCostOnMesh(*module, {{"data", 64}, {"model", model}}, ThousandsOfDevices(), nullptr);
    ASSERT_TRUE(cost.ok()) << cost.status();
    EXPECT_EQ(cost->step.devices, 64 * model);
    EXPECT_EQ(cost->step.axes.size(), model > 1 ? 1u : 0u);
    EXPECT_EQ(cost->step.memory.arguments, 4.0 * (128 + 2 * 128 * 256 / model));
  }
}

// The second operand is cut along the axis that the rows of the result are cut along, too.
constexpr char kGathered[] = R"(
HloModule gathered, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["data"=4]>}}
ENTRY main {
  x = f32[4096,512] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"data\"}, {}]>"}
  w = f32[512,1024] parameter(1), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{}, {\"data\"}]>"}
  ROOT y = f32[4096,1024] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"data\"}, {}]>"}
})";

TEST(MeshCost, TakesRingsWhereProductsHideWhatTheySend) {
  const ParsedModule module(kGathered);
  Topology topology = ThousandsOfDevices();
  const auto hidden = EstimateMeshCost(*module, topology, nullptr);
  ASSERT_TRUE(hidden.ok()) << hidden.status();
  ASSERT_EQ(hidden->step.collectives.size(), 3u);
  EXPECT_EQ(hidden->step.axes[0].along, "data");
  EXPECT_EQ(hidden->step.axes[0].bytes, 3 * 512 * 256 * 4);
  EXPECT_LT(hidden->step.waited(), 0.1 * hidden->step.axes[0].seconds);
  // Devices that compute faster than that wait for one all-gather.
  topology.flops = 1e15;
  topology.memory_bandwidth = 1e14;
  const auto waited = EstimateMeshCost(*module, topology, nullptr);
  ASSERT_TRUE(waited.ok()) << waited.status();
  ASSERT_EQ(waited->step.collectives.size(), 1u);
  EXPECT_EQ(waited->step.collectives[0].opcode, "all-gather");
}

TEST(MeshCost, RanksMeshes) {
  const ParsedModule module(kTwoLayers);
  Topology topology = ThousandsOfDevices();
  const auto trials = RankMeshes(*module, 16, topology, nullptr);
  ASSERT_TRUE(trials.ok()) << trials.status();
  ASSERT_EQ(trials->size(), 5u);
  for (size_t i = 1; i < trials->size(); ++i) {
    EXPECT_LE((*trials)[i - 1].cost.step.seconds(), (*trials)[i].cost.step.seconds());
  }
  // Without collectives it is quickest; but whole weights need the most memory.
  EXPECT_EQ(MeshText((*trials)[0].axes), "data=16, model=1");
  topology.memory = 200e3;
  const auto in_memory = RankMeshes(*module, 16, topology, nullptr);
  ASSERT_TRUE(in_memory.ok()) << in_memory.status();
  EXPECT_FALSE(NeedsTooMuchMemory((*in_memory)[0].cost, topology));
  EXPECT_EQ(MeshText(in_memory->back().axes), "data=16, model=1");
  EXPECT_THAT(DescribeTrials(*module, *in_memory, topology), HasSubstr("data=16, model=1; most of it is memory; a "
                                                                       "device has too little memory"));
}

TEST(MeshCost, ListsMeshesThatAreNotPossible) {
  const ParsedModule module(absl::StrReplaceAll(
      kTwoLayers, {{"ROOT y", "z = f32[64,128] negate(x), sharding={devices=[8,1]1,0,2,3,4,5,6,7}\n  ROOT y"}}));
  const auto trials = RankMeshes(*module, 8, ThousandsOfDevices(), nullptr);
  ASSERT_TRUE(trials.ok()) << trials.status();
  EXPECT_EQ((*trials)[0].cost.warnings,
            std::vector<std::string>{"1 sharding is by numbers of tiles, which are the same on every mesh"});
  EXPECT_EQ(RankMeshes(*module, 4, ThousandsOfDevices(), nullptr).status().message(),
            "z: the sharding is for 8 devices, expected all of the program's 4; write it over all of them, or change "
            "the number of partitions");
}

TEST(MeshCost, NamesWhatDoesNotFitTheMesh) {
  const auto error = [](const std::string& text, const std::string& mesh) {
    const ParsedModule module(text);
    const auto axes = ParseChosenMesh(mesh);
    EXPECT_TRUE(axes.ok()) << axes.status();
    return std::string(EstimateCostOnMesh(*module, *axes, ThousandsOfDevices(), nullptr).status().message());
  };
  EXPECT_EQ(error(kTwoLayers, "8,names=data"),
            "mesh @mesh has the axis 'model', expected only axes of the chosen mesh data=8; name it there, too");
  EXPECT_EQ(error(kTwoLayers, "2x2x2,names=data:model:modell"),
            "the program's meshes have no axis 'modell'; did you mean 'model'?; expected data, model");
  EXPECT_EQ(
      error(absl::StrReplaceAll(kTwoLayers, {{"4]>", "4], device_ids=[7,6,5,4,3,2,1,0]>"}}), "4x2,names=data:model"),
      "mesh @mesh lists its devices, expected a mesh in the order of their numbers where sizes change; remove "
      "the list");
  std::string own_mesh = kTwoLayers;
  own_mesh.replace(own_mesh.rfind("@mesh"), 5, "mesh<[\\\"data\\\"=8]>");
  EXPECT_EQ(error(own_mesh, "4x2,names=data:model"),
            "y: xla.sdy.sharding has a mesh of its own, expected the name of one of xla.sdy.meshes, as in <@mesh, "
            "[{}]>; write it there");
  EXPECT_EQ(error("HloModule m, num_partitions=2\nENTRY e { ROOT x = f32[] parameter(0) }", "2,names=a"),
            "the program's shardings name no axes of a mesh, expected meshes in the header's xla.sdy.meshes or "
            "shardings like {mesh['x'=2], [{'x'}]}; only sizes of named axes can be tried");
  EXPECT_EQ(error(kTwoLayers, "128x64,names=data:model"),
            "the mesh is for 8192 devices, expected at most the 4096 devices of the topology (1024 hosts of 4 devices, "
            "direct); give it more hosts or devices_per_host");
}

TEST(MeshCost, ChangesShardingsOverAMesh) {
  const ParsedModule module(R"(HloModule m, num_partitions=2
ENTRY e {
  x = f32[8,8] parameter(0), sharding={mesh['x'=2], [{'x'}, {}]}
  ROOT n = f32[8,8] negate(x), sharding={mesh['x'=2], [{'x'}, {}]}
})");
  const auto cost = EstimateCostOnMesh(*module, {{"x", 4}}, ThousandsOfDevices(), nullptr);
  ASSERT_TRUE(cost.ok()) << cost.status();
  EXPECT_EQ(cost->step.memory.arguments, 64);
}

// As programs from StableHLO have it: by names, and the same by numbers.
TEST(MeshCost, FollowsNamesWhereNumbersSayTheSame) {
  const ParsedModule module(
      R"(HloModule m, num_partitions=2, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=2]>}}
ENTRY e {
  a = f32[8,8] parameter(0), sharding={devices=[2,1]<=[2]}, frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"x\"}, {}]>"}
  b = f32[8,8] custom-call(a), custom_call_target="xla.sdy.FuncResultSharding", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{\"x\"}, {}]>]>"}
  ROOT t = (f32[8,8]) tuple(b), sharding={{devices=[2,1]<=[2]}}
})");
  const auto cost = EstimateCostOnMesh(*module, {{"x", 4}}, ThousandsOfDevices(), nullptr);
  ASSERT_TRUE(cost.ok()) << cost.status();
  EXPECT_EQ(cost->step.memory.arguments, 64);
  EXPECT_TRUE(cost->step.axes.empty());
  EXPECT_TRUE(cost->warnings.empty());
}

// As JAX writes it: parameters by numbers and by names, results by numbers.
TEST(MeshCost, KnowsAxesOfShardingsByNumbers) {
  const ParsedModule module(
      R"(HloModule m, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["data"=2, "model"=4]>}}
ENTRY e {
  x = f32[64,64] parameter(0), sharding={devices=[2,4]<=[8]}, frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"data\"}, {\"model\"}]>"}
  n = f32[64,64] negate(x), sharding={devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}
  ROOT r = (f32[64,64], f32[64,64]) tuple(n, x), sharding={{devices=[8,1]<=[2,4]T(1,0)}, {devices=[2,4]<=[8]}}
})");
  const auto cost = EstimateCostOnMesh(*module, {{"data", 4}, {"model", 16}}, ThousandsOfDevices(), nullptr);
  ASSERT_TRUE(cost.ok()) << cost.status();
  EXPECT_EQ(cost->warnings, std::vector<std::string>());
  EXPECT_EQ(cost->step.devices, 64);
  EXPECT_EQ(cost->step.memory.arguments, 16 * 4 * 4);
  const auto named = WithMesh(*module, {{"data", 4}, {"model", 16}});
  ASSERT_TRUE(named.ok()) << named.status();
  EXPECT_THAT(ModuleToString(*named->module, PrintOptions::Short()),
              HasSubstr("sharding={{mesh['data'=4,'model'=16], [{'model', 'data'}, {}]}, {mesh['data'=4,'model'=16], "
                        "[{'data'}, {'model'}]}}"));
}

TEST(MeshCost, WarnsOfAxesThatNumbersDoNotShow) {
  const ParsedModule module(
      R"(HloModule m, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["data"=1, "model"=2]>}}
ENTRY e {
  x = f32[64,64] parameter(0)
  ROOT n = f32[64,64] negate(x), sharding={devices=[2,1]<=[2]}
})");
  const auto cost = EstimateCostOnMesh(*module, {{"data", 2}, {"model", 2}}, ThousandsOfDevices(), nullptr);
  ASSERT_TRUE(cost.ok()) << cost.status();
  EXPECT_EQ(cost->warnings,
            std::vector<std::string>{"1 sharding is by numbers of tiles, which do not show axes of one device"});
}

TEST(MeshCost, IsTakenAsItIsForAProgramOfADevice) {
  const ParsedModule module(R"(HloModule m, num_partitions=2
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY e {
  x = f32[8] parameter(0), sharding={devices=[2]<=[2]}
  ROOT s = f32[8] all-reduce(x), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=add
})");
  const auto cost = EstimateMeshCost(*module, ThousandsOfDevices(), nullptr);
  ASSERT_TRUE(cost.ok()) << cost.status();
  EXPECT_FALSE(cost->is_partitioned);
  EXPECT_EQ(cost->step.memory.arguments, 32);
}

TEST(MeshCost, IsTakenAsItIsForAProgramWithReplicas) {
  const ParsedModule module(R"(HloModule m, replica_count=2, num_partitions=4
ENTRY e {
  ROOT id = u32[] replica-id()
})");
  const auto cost = EstimateMeshCost(*module, ThousandsOfDevices(), nullptr);
  ASSERT_TRUE(cost.ok()) << cost.status();
  EXPECT_FALSE(cost->is_partitioned);
  EXPECT_EQ(cost->devices, "8 devices");
}

TEST(MeshCost, IsNotRankedForTooManyMeshes) {
  const auto error = [](int axes, int64_t devices) {
    std::string mesh;
    for (int i = 0; i < axes; ++i) absl::StrAppend(&mesh, i == 0 ? "" : ", ", "\"a", i, "\"=1");
    const ParsedModule module(absl::StrCat("HloModule m, frontend_attributes={xla.sdy.meshes={m = #sdy.mesh<[", mesh,
                                           "]>}}\nENTRY e { ROOT x = f32[] parameter(0) }"));
    return std::string(RankMeshes(*module, devices, ThousandsOfDevices(), nullptr).status().message());
  };
  EXPECT_EQ(error(17, 2), "the program's meshes have 17 axes, expected at most 16; try single meshes");
  EXPECT_EQ(error(9, 4096),
            "there are more than 2000 meshes of 4096 devices along 9 axes, which is the most that are tried; try "
            "single meshes");
  EXPECT_EQ(error(1, 8192),
            "the mesh is for 8192 devices, expected at most the 4096 devices of the topology (1024 hosts of 4 devices, "
            "direct); give it more hosts or devices_per_host");
}

TEST(MeshCost, NeedsNoMoreForThousandsOfDevices) {
  std::string text = absl::StrReplaceAll(kTwoLayers, {{"  ROOT y", "  y"}});
  text.resize(text.rfind('}'));
  for (int i = 0; i < 300; ++i) {
    absl::StrAppend(&text, "n", i, " = f32[64,128] negate(", i == 0 ? "y" : absl::StrCat("n", i - 1), ")\n");
  }
  const ParsedModule module(text + "ROOT z = f32[64,128] negate(n299)\n}");
  const auto cost = EstimateCostOnMesh(*module, {{"data", 64}, {"model", 64}}, ThousandsOfDevices(), nullptr);
  ASSERT_TRUE(cost.ok()) << cost.status();
  EXPECT_EQ(cost->step.devices, 4096);
}

TEST(ChosenMesh, IsReadFromTheCommandLine) {
  const auto axes = ParseChosenMesh("2x4,names=data:model");
  ASSERT_TRUE(axes.ok()) << axes.status();
  EXPECT_EQ(MeshText(*axes), "data=2, model=4");
  const auto error = [](const char* text) { return std::string(ParseChosenMesh(text).status().message()); };
  EXPECT_EQ(error("2x4"), "expected a mesh as 2x4,names=data:model, got '2x4', which has no ',names='");
  EXPECT_THAT(error("2x4,names=data"), HasSubstr("which has 2 sizes and 1 names"));
  EXPECT_THAT(error("2x0,names=a:b"), HasSubstr("in which '0' is not a positive number"));
  EXPECT_THAT(error("2x2,names=a:a"), HasSubstr("which has 'a' twice"));
  EXPECT_THAT(error("2x2,names=a:"), HasSubstr("in which a name is empty"));
  EXPECT_THAT(error("65536x65536,names=a:b"), HasSubstr("which has more than 65536 devices"));
}

TEST(MeshCostText, SaysWhatAStepIsMadeOf) {
  const ParsedModule module(kTwoLayers);
  const Topology topology = ThousandsOfDevices();
  const auto cost = EstimateMeshCost(*module, topology, nullptr);
  ASSERT_TRUE(cost.ok()) << cost.status();
  EXPECT_EQ(DescribeMeshCost(*module, *cost, topology),
            R"(two_layers on 8 devices, mesh data=2, model=4, partitioned; 1024 hosts of 4 devices, direct
predicted step: 7.88 us, most of it is collectives along model
  arithmetic                     0 s    0 %
  memory                     1.15 us   15 %
  along model                6.73 us   85 %  1 collective, 16.4 KB
memory of a device: 114.7 KB: arguments 81.9 KB, constants 0 bytes, values 32.8 KB
collectives that take longest:
  all-reduce: all-reduce of 16.4 KB along model: 6.73 us
)");
  const auto json = ParseJson(MeshCostToJson(*module, *cost, topology), "cost");
  ASSERT_TRUE(json.ok()) << json.status();
  EXPECT_EQ(json->Find("devices")->AsInt64(), 8);
  EXPECT_EQ(*json->Find("axes")->AsArray()->at(0).Find("along")->AsString(), "model");
  EXPECT_NEAR(*json->Find("seconds")->AsDouble(),
              *json->Find("arithmetic_seconds")->AsDouble() + *json->Find("memory_seconds")->AsDouble() +
                  *json->Find("waited_seconds")->AsDouble(),
              1e-12);
}

}  // namespace
}  // namespace xla
