#include "passes/mesh_cost/step_cost.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/analyses/parsed_module.h"

namespace xla {
namespace {

constexpr char kAdd[] = "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }\n";
// Arrays have 64 KB: memory moves two of them in a second, the link one.
constexpr double kArray = 65536;

Topology OneHost(int64_t devices) {
  Topology topology;
  topology.devices_per_host = devices;
  topology.flops = 1e30;
  topology.memory_bandwidth = 2 * kArray;
  topology.devices = {1, kArray, false};
  return topology;
}

StepCost StepOf(const std::string& text, const Topology& topology) {
  const ParsedModule module(absl::StrCat(text));
  const auto step = EstimateStep(*module, DeviceAxes::Without(topology.device_count()), topology, nullptr);
  EXPECT_TRUE(step.ok()) << step.status();
  return step.ok() ? *step : StepCost();
}

// Two latencies, half of an array twice, and three halves of one in memory.
constexpr double kSum = 2 + 1 + 0.75;

TEST(StepCost, WaitsForACollective) {
  const StepCost step = StepOf(absl::StrCat("HloModule m, num_partitions=2\n", kAdd, R"(
ENTRY e {
  x = f32[16384] parameter(0)
  s = f32[16384] all-reduce(x), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=add
  ROOT n = f32[16384] negate(s)
})"),
                               OneHost(2));
  EXPECT_EQ(step.devices, 2);
  EXPECT_DOUBLE_EQ(step.waited(), kSum);
  EXPECT_DOUBLE_EQ(step.memory_seconds, 1);
  EXPECT_DOUBLE_EQ(step.seconds(), kSum + 1);
  EXPECT_EQ(step.Bottleneck(), "collectives along 2 devices, 1 apart");
  ASSERT_EQ(step.collectives.size(), 1u);
  EXPECT_EQ(step.collectives[0].instruction, "s");
  EXPECT_EQ(step.collectives[0].opcode, "all-reduce");
  EXPECT_EQ(step.collectives[0].bytes, kArray);
}

TEST(StepCost, WaitsOnlyForWhatIsLeftOfACollectiveThatIsTakenApart) {
  const StepCost step = StepOf(absl::StrCat("HloModule m, num_partitions=2\n", kAdd, R"(
ENTRY e {
  x = f32[16384] parameter(0)
  s = f32[16384] all-reduce-start(x), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=add
  n = f32[16384] negate(x)
  d = f32[16384] all-reduce-done(s)
  ROOT r = f32[16384] add(d, n)
})"),
                               OneHost(2));
  EXPECT_DOUBLE_EQ(step.axes.at(0).seconds, kSum);
  EXPECT_DOUBLE_EQ(step.waited(), kSum - 1);
  EXPECT_DOUBLE_EQ(step.seconds(), kSum + 1.5);
  // The argument; the sum, what is added to it and the result.
  EXPECT_EQ(step.memory.arguments, kArray);
  EXPECT_EQ(step.memory.values, 3 * kArray);
}

TEST(StepCost, CountsTheStartOfAnyCollective) {
  const StepCost step = StepOf(absl::StrCat("HloModule m, num_partitions=2\n", kAdd, R"(
scatter {
  p = f32[16384] parameter(0)
  ROOT r = f32[8192] reduce-scatter(p), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, dimensions={0}, to_apply=add
}
ENTRY e {
  x = f32[16384] parameter(0)
  s = ((f32[16384]), f32[8192], s32[]) async-start(x), calls=scatter
  n = f32[16384] negate(x)
  d = f32[8192] async-done(s), calls=scatter
  ROOT r = (f32[8192], f32[16384]) tuple(d, n)
})"),
                               OneHost(2));
  ASSERT_EQ(step.collectives.size(), 1u);
  EXPECT_EQ(step.collectives[0].opcode, "reduce-scatter");
  // A latency, half of an array, and three halves in memory; a second of it is beside the negation.
  EXPECT_DOUBLE_EQ(step.collectives[0].seconds, 1 + 0.5 + 0.75);
  EXPECT_DOUBLE_EQ(step.waited(), 1.25);
}

TEST(StepCost, CountsIterations) {
  const StepCost step = StepOf(absl::StrCat("HloModule m, num_partitions=2\n", kAdd, R"(
condition {
  s = (s32[], f32[16384]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(10)
  ROOT c = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], f32[16384]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  j = s32[] add(i, one)
  x = f32[16384] get-tuple-element(s), index=1
  y = f32[16384] all-reduce(x), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=add
  ROOT r = (s32[], f32[16384]) tuple(j, y)
}
ENTRY e {
  x = f32[16384] parameter(0)
  zero = s32[] constant(0)
  s = (s32[], f32[16384]) tuple(zero, x)
  w = (s32[], f32[16384]) while(s), condition=condition, body=body
  ROOT r = f32[16384] get-tuple-element(w), index=1
})"),
                               OneHost(2));
  EXPECT_EQ(step.collectives.at(0).runs, 10);
  EXPECT_DOUBLE_EQ(step.waited(), 10 * kSum);
  EXPECT_EQ(step.unknown_loops, 0);
  // Besides the argument the loop has a new array and a new counter.
  EXPECT_EQ(step.memory.values, kArray + 4);
}

TEST(StepCost, UpdatesInPlaceWhatNothingElseNeeds) {
  const StepCost step = StepOf(R"(HloModule m
ENTRY e {
  x = f32[16384] parameter(0)
  u = f32[4] parameter(1)
  i = s32[] parameter(2)
  n = f32[16384] negate(x)
  ROOT r = f32[16384] dynamic-update-slice(n, u, i)
})",
                               OneHost(1));
  EXPECT_EQ(step.memory.values, kArray);
  EXPECT_EQ(step.Bottleneck(), "memory");
}

TEST(StepCost, NamesAxesOfAPermutation) {
  const StepCost step = StepOf(R"(HloModule m, num_partitions=4
ENTRY e {
  x = f32[16384] parameter(0)
  ROOT r = f32[16384] collective-permute(x), channel_id=1, source_target_pairs={{0,1},{1,2},{2,3},{3,0}}
})",
                               OneHost(4));
  EXPECT_EQ(step.axes.at(0).along, "4 devices, 1 apart");
  EXPECT_DOUBLE_EQ(step.waited(), 2);
}

TEST(StepCost, ReadsIdsOfReplicas) {
  // Two groups of two hosts share the link between these.
  Topology topology = OneHost(2);
  topology.hosts = 2;
  topology.between_hosts = {1, kArray, false};
  const StepCost step = StepOf(absl::StrCat("HloModule m, replica_count=2, num_partitions=2\n", kAdd, R"(
ENTRY e {
  x = f32[16384] parameter(0)
  ROOT s = f32[16384] all-reduce(x), replica_groups={}, to_apply=add
})"),
                               topology);
  EXPECT_EQ(step.devices, 4);
  EXPECT_DOUBLE_EQ(step.waited(), kSum + 1);
}

TEST(StepCost, IsRefusedWhereThereAreTooFewDevices) {
  const ParsedModule module("HloModule m, num_partitions=4\nENTRY e { ROOT x = f32[] parameter(0) }");
  EXPECT_EQ(EstimateStep(*module, DeviceAxes::Without(4), OneHost(2), nullptr).status().message(),
            "the program is for 1 replicas of 4 partitions, expected at most the 2 devices of the topology (1 host of "
            "2 devices, direct); give it more hosts or devices_per_host");
}

}  // namespace
}  // namespace xla
