// Programs on several devices: who meets whom in each reading of the groups, what every collective gives, transfers,
// and how programs that cannot go on end.
#include <functional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/evaluator/run_text.h"

namespace xla {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// The s32 values of each device. `body` is the entry computation after `id`, u32[] replica * 10 + partition as s32[],
// and `sum`, a computation that adds two s32.
std::string WithIds(absl::string_view body, absl::string_view more_computations = "") {
  return absl::StrCat("HloModule m\n", more_computations, R"(
    sum { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
    difference { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] subtract(a, b) }
    ENTRY main {
      replica = u32[] replica-id()
      partition = u32[] partition-id()
      ten = u32[] constant(10)
      tens = u32[] multiply(replica, ten)
      both = u32[] add(tens, partition)
      id = s32[] convert(both)
)",
                      body, "}\n");
}

using Values = std::vector<int32_t>;

std::vector<Values> ValuesOn(int64_t replicas, int64_t partitions, const std::string& text) {
  const auto results = RunTextOnDevices(text, replicas, partitions);
  EXPECT_EQ(results.status(), absl::OkStatus());
  std::vector<Values> values;
  if (results.ok()) {
    for (const Literal& result : *results) values.push_back(ValuesOf<int32_t>(result));
  }
  return values;
}

std::string ErrorOn(int64_t replicas, int64_t partitions, const std::string& text) {
  return RunTextOnDevices(text, replicas, partitions).status().ToString();
}

TEST(Devices, KnowWhoTheyAre) {
  EXPECT_THAT(ValuesOn(2, 3, WithIds("ROOT r = s32[] copy(id)")),
              ElementsAre(Values{0}, Values{1}, Values{2}, Values{10}, Values{11}, Values{12}));
}

// ---- Groups

TEST(AllReduce, WithoutChannelJoinsReplicasOfAPartition) {
  EXPECT_THAT(ValuesOn(2, 2, WithIds("ROOT r = s32[] all-reduce(id), replica_groups={}, to_apply=sum")),
              ElementsAre(Values{10}, Values{12}, Values{10}, Values{12}));
  EXPECT_THAT(ValuesOn(2, 2, WithIds("ROOT r = s32[] all-reduce(id), replica_groups={{0},{1}}, to_apply=sum")),
              ElementsAre(Values{0}, Values{1}, Values{10}, Values{11}));
}

TEST(AllReduce, WithChannelJoinsReplicasAndAllTheirPartitions) {
  EXPECT_THAT(
      ValuesOn(2, 2, WithIds("ROOT r = s32[] all-reduce(id), channel_id=1, replica_groups={{0},{1}}, to_apply=sum")),
      ElementsAre(Values{1}, Values{1}, Values{21}, Values{21}));
  EXPECT_THAT(ValuesOn(2, 2, WithIds("ROOT r = s32[] all-reduce(id), channel_id=1, replica_groups={}, to_apply=sum")),
              ElementsAre(Values{22}, Values{22}, Values{22}, Values{22}));
}

TEST(AllReduce, WithGlobalIdsJoinsTheListedDevices) {
  EXPECT_THAT(ValuesOn(2, 2,
                       WithIds("ROOT r = s32[] all-reduce(id), channel_id=1, replica_groups={{0,3},{1,2}}, "
                               "use_global_device_ids=true, to_apply=sum")),
              ElementsAre(Values{11}, Values{11}, Values{11}, Values{11}));
  EXPECT_THAT(ValuesOn(2, 2,
                       WithIds("ROOT r = s32[] all-reduce(id), channel_id=1, replica_groups=[2,2]<=[4], "
                               "use_global_device_ids=true, to_apply=sum")),
              ElementsAre(Values{1}, Values{1}, Values{21}, Values{21}));
}

TEST(AllReduce, CombinesInGroupOrder) {
  EXPECT_THAT(ValuesOn(3, 1, WithIds("ROOT r = s32[] all-reduce(id), replica_groups={{2,0,1}}, to_apply=difference")),
              ElementsAre(Values{10}, Values{10}, Values{10}));
}

TEST(AllReduce, TakesGroupsOfUnequalSizeAndSeveralOperands) {
  const auto results = RunTextOnDevices(WithIds(R"(
      x = s32[2] broadcast(id), dimensions={}
      ROOT r = (s32[], s32[2]) all-reduce(id, x), replica_groups={{0,2},{1}}, to_apply=sum)"),
                                        3, 1);
  ASSERT_EQ(results.status(), absl::OkStatus());
  EXPECT_THAT(ValuesOf<int32_t>((*results)[0].element(0)), ElementsAre(20));
  EXPECT_THAT(ValuesOf<int32_t>((*results)[2].element(1)), ElementsAre(20, 20));
  EXPECT_THAT(ValuesOf<int32_t>((*results)[1].element(1)), ElementsAre(10, 10));
}

TEST(AllReduce, HasStartAndDone) {
  EXPECT_THAT(ValuesOn(2, 1, WithIds(R"(
      start = s32[] all-reduce-start(id), replica_groups={}, to_apply=sum
      ROOT done = s32[] all-reduce-done(start))")),
              ElementsAre(Values{10}, Values{10}));
}

TEST(AllReduce, LeavesOperandsAlone) {
  EXPECT_THAT(ValuesOn(2, 1, WithIds(R"(
      x = s32[5] broadcast(id), dimensions={}
      y = s32[5] all-reduce(x), replica_groups={}, to_apply=sum
      z = s32[5] all-reduce(y), replica_groups={}, to_apply=sum
      ROOT r = s32[5] add(x, z))")),
              ElementsAre(Values{20, 20, 20, 20, 20}, Values{30, 30, 30, 30, 30}));
}

TEST(Collectives, ADeviceMustBeInAGroup) {
  EXPECT_EQ(ErrorOn(3, 1, WithIds("ROOT r = s32[] all-reduce(id), replica_groups={{0,1}}, to_apply=sum")),
            "INVALID_ARGUMENT: r: device 2 (replica 2, partition 0) is in none of the replica_groups");
}

TEST(Collectives, GroupsMustNameDevicesThatExist) {
  EXPECT_EQ(ErrorOn(2, 1, WithIds("ROOT r = s32[] all-reduce(id), replica_groups={{0,1,2}}, to_apply=sum")),
            "INVALID_ARGUMENT: r: replica_groups names replica 2, but there are 2 of them: expected 0 <= id < 2");
}

// ---- all-gather, reduce-scatter, all-to-all

TEST(AllGather, ConcatenatesInGroupOrder) {
  EXPECT_THAT(ValuesOn(2, 1, WithIds(R"(
      x = s32[2] broadcast(id), dimensions={}
      ROOT r = s32[4] all-gather(x), replica_groups={{1,0}}, dimensions={0})")),
              ElementsAre(Values{10, 10, 0, 0}, Values{10, 10, 0, 0}));
}

TEST(AllGather, JoinsInnerDimensions) {
  EXPECT_THAT(ValuesOn(1, 2, WithIds(R"(
      i = s32[2,1] iota(), iota_dimension=0
      d = s32[2,1] broadcast(id), dimensions={}
      x = s32[2,1] add(i, d)
      ROOT r = s32[2,2] all-gather(x), channel_id=1, replica_groups={{0,1}}, dimensions={1}, use_global_device_ids=true)")),
              ElementsAre(Values{0, 1, 1, 2}, Values{0, 1, 1, 2}));
}

TEST(AllGather, HasStartAndDone) {
  EXPECT_THAT(ValuesOn(2, 1, WithIds(R"(
      x = s32[1] broadcast(id), dimensions={}
      start = (s32[1], s32[2]) all-gather-start(x), replica_groups={}, dimensions={0}
      ROOT done = s32[2] all-gather-done(start))")),
              ElementsAre(Values{0, 10}, Values{0, 10}));
}

TEST(AllGather, NeedsTheRightNumberOfDevices) {
  EXPECT_THAT(ErrorOn(3, 1, WithIds(R"(
      x = s32[1] broadcast(id), dimensions={}
      ROOT r = s32[2] all-gather(x), replica_groups={}, dimensions={0})")),
              HasSubstr("r: the result s32[2] has no room for 3 shards of 1 in dimension 0; run it with the number"));
}

TEST(ReduceScatter, GivesEachDeviceItsPart) {
  EXPECT_THAT(ValuesOn(2, 1, WithIds(R"(
      i = s32[4] iota(), iota_dimension=0
      d = s32[4] broadcast(id), dimensions={}
      x = s32[4] add(i, d)
      ROOT r = s32[2] reduce-scatter(x), replica_groups={{1,0}}, dimensions={0}, to_apply=sum)")),
              ElementsAre(Values{14, 16}, Values{10, 12}));
}

TEST(AllToAll, ExchangesBlocksOfAnArray) {
  EXPECT_THAT(ValuesOn(2, 1, WithIds(R"(
      i = s32[4] iota(), iota_dimension=0
      d = s32[4] broadcast(id), dimensions={}
      x = s32[4] add(i, d)
      ROOT r = s32[4] all-to-all(x), replica_groups={{0,1}}, dimensions={0})")),
              ElementsAre(Values{0, 1, 10, 11}, Values{2, 3, 12, 13}));
}

TEST(AllToAll, WithChannelJoinsPartitions) {
  EXPECT_THAT(ValuesOn(2, 2, WithIds(R"(
      i = s32[2] iota(), iota_dimension=0
      d = s32[2] broadcast(id), dimensions={}
      h = s32[] constant(100)
      hs = s32[2] broadcast(h), dimensions={}
      hi = s32[2] multiply(i, hs)
      x = s32[2] add(hi, d)
      ROOT r = s32[2] all-to-all(x), channel_id=1, replica_groups={{0,1}}, dimensions={0})")),
              ElementsAre(Values{0, 1}, Values{100, 101}, Values{10, 11}, Values{110, 111}));
}

TEST(AllToAll, ExchangesOperands) {
  const auto results = RunTextOnDevices(WithIds(R"(
      x = s32[1] broadcast(id), dimensions={}
      y = s32[1] negate(x)
      ROOT r = (s32[1], s32[1]) all-to-all(x, y), replica_groups={{0,1}})"),
                                        2, 1);
  ASSERT_EQ(results.status(), absl::OkStatus());
  EXPECT_THAT(ValuesOf<int32_t>((*results)[0].element(1)), ElementsAre(10));
  EXPECT_THAT(ValuesOf<int32_t>((*results)[1].element(0)), ElementsAre(0));
  EXPECT_THAT(ValuesOf<int32_t>((*results)[1].element(1)), ElementsAre(-10));
}

TEST(RaggedAllToAll, SendsRowsToOffsetsOfTheReceiver) {
  // Device 0 keeps row 0 and sends rows 1 and 2; device 1 sends row 0 to device 0 and nothing to itself.
  constexpr char kText[] = R"(HloModule m
    ENTRY main { input = s32[3] parameter(0) from = s32[2] parameter(1) rows = s32[2] parameter(2) to = s32[2] parameter(3)
      got = s32[2] parameter(4) output = s32[4] constant({-1, -2, -3, -4})
      ROOT r = s32[4] ragged-all-to-all(input, output, from, rows, to, got), replica_groups={{0,1}} })";
  const auto v = [](std::initializer_list<int32_t> values) { return Literal::Vector<int32_t>(values); };
  const auto results = RunTextOnDevices(kText, 2, 1,
                                        {{v({1, 2, 3}), v({0, 1}), v({1, 2}), v({0, 2}), v({1, 1})},
                                         {v({7, 8, 9}), v({0, 0}), v({1, 0}), v({3, 0}), v({2, 0})}});
  ASSERT_EQ(results.status(), absl::OkStatus());
  EXPECT_THAT(ValuesOf<int32_t>((*results)[0]), ElementsAre(1, -2, -3, 7));
  EXPECT_THAT(ValuesOf<int32_t>((*results)[1]), ElementsAre(-1, -2, 2, 3));
  EXPECT_THAT(RunTextOnDevices(kText, 2, 1,
                               {{v({1, 2, 3}), v({0, 1}), v({1, 2}), v({0, 3}), v({1, 1})},
                                {v({7, 8, 9}), v({0, 0}), v({1, 0}), v({3, 0}), v({2, 0})}})
                  .status()
                  .ToString(),
              HasSubstr("r: 2 rows at offset 1 of 3 cannot go to offset 3 of 4 rows"));
}

// ---- collective-permute, collective-broadcast

TEST(CollectivePermute, SendsToTargetsAndGivesZerosToOthers) {
  EXPECT_THAT(ValuesOn(3, 1, WithIds("ROOT r = s32[] collective-permute(id), source_target_pairs={{1,0},{2,2}}")),
              ElementsAre(Values{10}, Values{0}, Values{20}));
  EXPECT_THAT(ValuesOn(2, 1, WithIds("ROOT r = s32[] collective-permute(id), source_target_pairs={}")),
              ElementsAre(Values{0}, Values{0}));
}

TEST(CollectivePermute, WithChannelJoinsPartitions) {
  EXPECT_THAT(ValuesOn(2, 2,
                       WithIds("ROOT r = s32[] collective-permute(id), channel_id=3, "
                               "source_target_pairs={{0,1},{1,0}}")),
              ElementsAre(Values{1}, Values{0}, Values{11}, Values{10}));
}

TEST(CollectivePermute, HasStartAndDone) {
  EXPECT_THAT(ValuesOn(2, 1, WithIds(R"(
      start = (s32[], s32[], u32[], u32[]) collective-permute-start(id), source_target_pairs={{0,1},{1,0}}
      ROOT done = s32[] collective-permute-done(start))")),
              ElementsAre(Values{10}, Values{0}));
}

TEST(CollectivePermute, WritesSlicesInPlace) {
  EXPECT_THAT(ValuesOn(2, 1, WithIds(R"(
      i = s32[4] iota(), iota_dimension=0
      d = s32[4] broadcast(id), dimensions={}
      x = s32[4] add(i, d)
      y = s32[4] negate(x)
      one = s32[] constant(1) two = s32[] constant(2)
      from = (s32[]) tuple(one)
      to = (s32[]) tuple(two)
      ROOT r = s32[4] collective-permute(x, y, from, to), source_target_pairs={{0,1}}, slice_sizes={{2}})")),
              ElementsAre(Values{0, -1, -2, -3}, Values{-10, -11, 1, 2}));
}

TEST(CollectiveBroadcast, GivesTheFirstDevicesValueAndZerosOutside) {
  EXPECT_THAT(ValuesOn(4, 1, WithIds("ROOT r = s32[] collective-broadcast(id), replica_groups={{2,1}}")),
              ElementsAre(Values{0}, Values{20}, Values{20}, Values{0}));
}

TEST(Collectives, MayGiveATupleOfOne) {
  const std::string text = WithIds(R"(
      x = s32[2] broadcast(id), dimensions={}
      a = (s32[2]) all-reduce(x), replica_groups={}, to_apply=sum
      sums = s32[2] get-tuple-element(a), index=0
      s = (s32[1]) reduce-scatter(sums), replica_groups={{0,1}}, dimensions={0}, to_apply=sum
      part = s32[1] get-tuple-element(s), index=0
      g = (s32[2]) all-gather(part), replica_groups={{0,1}}, dimensions={0}
      whole = s32[2] get-tuple-element(g), index=0
      more = s32[2] add(whole, x)
      p = (s32[2]) collective-permute(more), source_target_pairs={{0,1}}
      ROOT r = s32[2] get-tuple-element(p), index=0)");
  EXPECT_THAT(ValuesOn(2, 1, text), ElementsAre(Values{0, 0}, Values{20, 20}));
}

TEST(Collectives, RunInsideOfAsyncPairs) {
  EXPECT_THAT(ValuesOn(2, 1,
                       WithIds(R"(
      x = s32[2] broadcast(id), dimensions={}
      start = ((s32[2]), s32[1]) async-start(x), calls=scatter
      ROOT done = s32[1] async-done(start))",
                               R"(
    plus { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
    scatter { x = s32[2] parameter(0)
      ROOT r = s32[1] reduce-scatter(x), replica_groups={{0,1}}, dimensions={0}, to_apply=plus })")),
              ElementsAre(Values{10}, Values{10}));
}

// ---- Control flow

// (i, x) -> (i + 1, the sum of x over the devices), as often as the device's `limit` says.
std::string LoopUpTo(absl::string_view limit) {
  return WithIds(absl::StrCat(R"(
      zero = s32[] constant(0) one = s32[] constant(1) three = s32[] constant(3)
      limit = s32[] )",
                              limit, R"(
      t = (s32[], s32[], s32[]) tuple(zero, one, limit)
      w = (s32[], s32[], s32[]) while(t), condition=cond, body=body
      ROOT r = s32[] get-tuple-element(w), index=1)"),
                 R"(
    plus { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
    cond { s = (s32[], s32[], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0
      n = s32[] get-tuple-element(s), index=2 ROOT r = pred[] compare(i, n), direction=LT }
    body { s = (s32[], s32[], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0
      x = s32[] get-tuple-element(s), index=1 n = s32[] get-tuple-element(s), index=2
      one = s32[] constant(1) j = s32[] add(i, one)
      y = s32[] all-reduce(x), replica_groups={}, to_apply=plus
      ROOT t = (s32[], s32[], s32[]) tuple(j, y, n) })");
}

TEST(Collectives, MeetInEveryTurnOfALoop) {
  EXPECT_THAT(ValuesOn(3, 1, LoopUpTo("copy(three)")), ElementsAre(Values{27}, Values{27}, Values{27}));
}

TEST(Collectives, LoopsOfDifferentLengthAreADeadlock) {
  EXPECT_THAT(ErrorOn(2, 1, LoopUpTo("copy(id)")),
              AllOf(HasSubstr("FAILED_PRECONDITION"), HasSubstr("deadlock: no device can go on"),
                    HasSubstr("device 0 has ended"), HasSubstr("device 1 waits at y with devices {0,1}")));
}

TEST(Collectives, BranchesThatDoNotMatchAreADeadlock) {
  EXPECT_THAT(ErrorOn(2, 1,
                      WithIds(R"(
      r = s32[] conditional(id, id, id), branch_computations={first, second})",
                              R"(
    plus { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
    first { x = s32[] parameter(0) ROOT r1 = s32[] all-reduce(x), replica_groups={}, to_apply=plus }
    second { x = s32[] parameter(0) ROOT r2 = s32[] all-reduce(x), replica_groups={}, to_apply=plus })")),
              AllOf(HasSubstr("FAILED_PRECONDITION"), HasSubstr("device 0 waits at r1 with devices {0,1}"),
                    HasSubstr("device 1 waits at r2 with devices {0,1}")));
}

TEST(Collectives, BranchesMayMeetOnAChannel) {
  EXPECT_THAT(ValuesOn(2, 1,
                       WithIds(R"(
      ROOT r = s32[] conditional(id, id, id), branch_computations={first, second})",
                               R"(
    plus { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
    first { x = s32[] parameter(0) ROOT r1 = s32[] all-reduce(x), channel_id=7, replica_groups={}, to_apply=plus }
    second { x = s32[] parameter(0) ROOT r2 = s32[] all-reduce(x), channel_id=7, replica_groups={}, to_apply=plus })")),
              ElementsAre(Values{10}, Values{10}));
}

TEST(Collectives, OperandsThatMeetMustHaveTheSameShape) {
  EXPECT_THAT(ErrorOn(2, 1,
                      WithIds(R"(
      x = s32[2] broadcast(id), dimensions={}
      ROOT r = s32[] conditional(id, id, x), branch_computations={first, second})",
                              R"(
    plus { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
    first { x = s32[] parameter(0) ROOT r1 = s32[] all-reduce(x), channel_id=7, replica_groups={}, to_apply=plus }
    second { x = s32[2] parameter(0) y = s32[2] all-reduce(x), channel_id=7, replica_groups={}, to_apply=plus
      s = s32[1] slice(y), slice={[0:1]} ROOT r2 = s32[] reshape(s) })")),
              HasSubstr("devices 0 and 1 meet on one channel with operands of different shapes"));
}

// ---- Transfers

TEST(SendRecv, GoesAlongAChain) {
  EXPECT_THAT(ValuesOn(3, 1, WithIds(R"(
      tok = token[] after-all()
      recv = (s32[], u32[], token[]) recv(tok), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs={{0,1},{1,2}}}
      send = (s32[], u32[], token[]) send(id, tok), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs={{0,1},{1,2}}}
      sent = token[] send-done(send), channel_id=1
      done = (s32[], token[]) recv-done(recv), channel_id=1
      ROOT r = s32[] get-tuple-element(done), index=0)")),
              ElementsAre(Values{0}, Values{0}, Values{10}));
}

TEST(SendRecv, ADeviceWithoutSourceGetsZeros) {
  EXPECT_THAT(ValuesOn(2, 1, WithIds(R"(
      tok = token[] after-all()
      recv = (s32[], u32[], token[]) recv(tok), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs={{1,0}}}
      send = (s32[], u32[], token[]) send(id, tok), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs={{1,0}}}
      sent = token[] send-done(send), channel_id=1
      done = (s32[], token[]) recv-done(recv), channel_id=1
      ROOT r = s32[] get-tuple-element(done), index=0)")),
              ElementsAre(Values{10}, Values{0}));
}

TEST(SendRecv, ARecvWithoutSendIsADeadlock) {
  EXPECT_THAT(ErrorOn(2, 1, WithIds(R"(
      tok = token[] after-all()
      recv = (s32[], u32[], token[]) recv(tok), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs={{1,0}}}
      done = (s32[], token[]) recv-done(recv), channel_id=1
      ROOT r = s32[] get-tuple-element(done), index=0)")),
              AllOf(HasSubstr("deadlock: no device can go on"),
                    HasSubstr("device 0 waits at recv from device 1 on channel 1"), HasSubstr("device 1 has ended")));
}

// ---- When one device fails

constexpr char kFailOnDevice1[] = R"(HloModule m
    cond { x = s32[] parameter(0) ROOT yes = pred[] constant(true) }
    body { x = s32[] parameter(0) ROOT y = s32[] negate(x) }
    sum { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
    feed { x = s32[] parameter(0) tok = token[] after-all() in = (s32[], token[]) infeed(tok)
      ROOT r = s32[] get-tuple-element(in), index=0 }
    other { x = s32[] parameter(0) OTHER }
    ENTRY main { replica = u32[] replica-id() i = s32[] convert(replica)
      ROOT r = s32[] conditional(i, i, i), branch_computations={other, feed} })";

TEST(Devices, AnErrorOfOneStopsThoseThatWait) {
  const std::string text = absl::StrReplaceAll(
      kFailOnDevice1, {{"OTHER", "ROOT y = s32[] all-reduce(x), channel_id=1, replica_groups={}, to_apply=sum"}});
  for (int repeat = 0; repeat < 20; ++repeat) {
    EXPECT_THAT(ErrorOn(2, 1, text), HasSubstr("FAILED_PRECONDITION: r: in: needs value 1 of device 1's infeed queue"));
  }
}

TEST(Devices, AnErrorOfOneStopsThoseThatRun) {
  const std::string text =
      absl::StrReplaceAll(kFailOnDevice1, {{"OTHER", "ROOT y = s32[] while(x), condition=cond, body=body"}});
  EXPECT_THAT(ErrorOn(2, 1, text), HasSubstr("needs value 1 of device 1's infeed queue"));
}

TEST(Devices, TheTimeLimitStopsThoseThatWait) {
  const auto module = ModuleFromText(absl::StrReplaceAll(
      kFailOnDevice1,
      {{"OTHER", "ROOT y = s32[] all-reduce(x), channel_id=1, replica_groups={}, to_apply=sum"},
       {"ROOT r = s32[] get-tuple-element(in), index=0",
        "g = s32[] get-tuple-element(in), index=0 ROOT r = s32[] while(g), condition=forever, body=turn"},
       {"feed {",
        "forever { x = s32[] parameter(0) ROOT yes = pred[] constant(true) }\n"
        "turn { x = s32[] parameter(0) ROOT y = s32[] negate(x) }\nfeed {"}}));
  EvaluatorOptions options;
  options.replica_count = 2;
  options.timeout = absl::Milliseconds(200);
  const auto evaluator = Evaluator::Create(*module, options);
  ASSERT_TRUE(evaluator.ok());
  FeedQueues queues;
  queues.infeed = {{}, {Literal::Scalar<int32_t>(1)}};
  EXPECT_EQ((*evaluator)->Run({{}, {}}, &queues).status().ToString(),
            "DEADLINE_EXCEEDED: the time limit of 200ms passed while running the program");
}

TEST(Devices, HaveQueuesOfTheirOwn) {
  FeedQueues queues;
  queues.infeed = {{Literal::Scalar<int32_t>(5)}, {Literal::Scalar<int32_t>(6)}};
  const auto results = RunTextOnDevices(R"(HloModule m
    ENTRY main { tok = token[] after-all() in = (s32[], token[]) infeed(tok)
      x = s32[] get-tuple-element(in), index=0 y = s32[] negate(x)
      out = token[] outfeed(y, tok), outfeed_shape=s32[]
      ROOT r = s32[] copy(x) })",
                                        2, 1, {}, &queues);
  ASSERT_EQ(results.status(), absl::OkStatus());
  ASSERT_EQ(queues.outfeed.size(), 2u);
  EXPECT_THAT(ValuesOf<int32_t>(queues.outfeed[0].at(0)), ElementsAre(-5));
  EXPECT_THAT(ValuesOf<int32_t>(queues.outfeed[1].at(0)), ElementsAre(-6));
}

TEST(Devices, AllCollectivesMeetEvenIfNobodyUsesTheirResult) {
  EXPECT_THAT(ValuesOn(2, 1, WithIds(R"(
      unused = s32[] all-reduce(id), replica_groups={}, to_apply=sum
      ROOT r = s32[] copy(id))")),
              ElementsAre(Values{0}, Values{10}));
}

TEST(Devices, ManyRunAtOnce) {
  const auto values =
      ValuesOn(8, 8, WithIds("ROOT r = s32[] all-reduce(id), channel_id=1, replica_groups={}, to_apply=sum"));
  ASSERT_EQ(values.size(), 64u);
  for (const Values& value : values) EXPECT_THAT(value, ElementsAre(8 * 280 + 8 * 28));
}

}  // namespace
}  // namespace xla
