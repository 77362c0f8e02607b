// Wrong calls of collectives, tokens and transfers.
#include "builders/computation_builder/tests/misuse.h"

namespace xla {
namespace {

XlaComputation Add(Misuse& m) { return m.Function("f32[], f32[]", "f32[]"); }

CollectiveOptions Groups(std::vector<std::vector<int64_t>> groups) {
  return CollectiveOptions::Groups(std::move(groups));
}
CollectiveOptions Channel(int64_t id) {
  CollectiveOptions options;
  options.channel_id = id;
  return options;
}
SendRecvOptions TransferChannel(int64_t id) {
  SendRecvOptions options;
  options.channel_id = id;
  return options;
}

// Two replicas, for what depends on how many there are.
ComputationBuilder& OnTwo(Misuse& m, SourceLocation loc = SourceLocation::Current()) {
  m.fine().SetDeviceCounts(2);
  return m.b(loc);
}

const ErrorCase kDeviceCases[] = {
    // ---- Sums over devices
    {"CrossReplicaSum of a tuple", [](Misuse& m) { m.b().CrossReplicaSum(m("(f32[2])")); },
     "CrossReplicaSum((f32[2])): the operand must be an array, got (f32[2])"},
    {"CrossReplicaSum of a token", [](Misuse& m) { m.b().CrossReplicaSum(m.fine().CreateToken()); },
     "CrossReplicaSum(token[]): the operand must be an array, got token[]"},
    {"CrossReplicaSum over a replica twice",
     [](Misuse& m) {
       OnTwo(m).CrossReplicaSum(m("f32[2]"), Groups({{0, 0}}));
     },
     "CrossReplicaSum(f32[2]): replica_groups names replica 0 twice"},
    {"CrossReplicaSum over a replica that does not exist",
     [](Misuse& m) {
       OnTwo(m).CrossReplicaSum(m("f32[2]"), Groups({{0, 2}}));
     },
     "CrossReplicaSum(f32[2]): replica_groups names replica 2, but there are 2 of them: expected 0 <= id < 2"},
    {"CrossReplicaSum without a replica", [](Misuse& m) { OnTwo(m).CrossReplicaSum(m("f32[2]"), Groups({{0}})); },
     "CrossReplicaSum(f32[2]): replica_groups must name each of the 2 replicas once, but names 1"},
    {"CrossReplicaSum over a negative replica",
     [](Misuse& m) {
       OnTwo(m).CrossReplicaSum(m("f32[2]"), Groups({{0, -1}}));
     },
     "CrossReplicaSum(f32[2]): replica_groups names replica -1, but there are 2 of them: expected 0 <= id < 2"},
    {"CrossReplicaSum over an empty group",
     [](Misuse& m) {
       OnTwo(m).CrossReplicaSum(m("f32[2]"), Groups({{0, 1}, {}}));
     },
     "CrossReplicaSum(f32[2]): replica_groups has an empty group"},
    {"CrossReplicaSum on channel 0", [](Misuse& m) { m.b().CrossReplicaSum(m("f32[2]"), Channel(0)); },
     "CrossReplicaSum(f32[2]): channel_id should be positive; 0 counts as a channel like others"},
    {"CrossReplicaSum over global ids without a channel",
     [](Misuse& m) {
       CollectiveOptions options;
       options.use_global_device_ids = true;
       m.b().CrossReplicaSum(m("f32[2]"), options);
     },
     "CrossReplicaSum(f32[2]): use_global_device_ids=true needs a channel_id"},
    {"AllReduce with a function of another type", [](Misuse& m) { m.b().AllReduce(m("s32[2]"), Add(m)); },
     "AllReduce(s32[2]): parameter 0 of to_apply function has shape f32[], expected s32[] as of the value it is given; "
     "to_apply function returns f32[], expected s32[]"},
    {"AllReduce with a function of one parameter",
     [](Misuse& m) { m.b().AllReduce(m("f32[2]"), m.Function("f32[]", "f32[]")); },
     "AllReduce(f32[2]): to_apply function has 1 parameters, expected 2, one for each value it is given"},
    {"AllReduce without a function", [](Misuse& m) { m.b().AllReduce(m("f32[2]"), Computation()); },
     "AllReduce(f32[2]): the XlaComputation is empty; give it the result of a Build() that succeeded"},
    {"AllReduce of nothing", [](Misuse& m) { m.b().AllReduce(ArraySlice<XlaOp>(), Add(m)); },
     "AllReduce(): expected at least 1 operand, got 0"},
    {"AllReduce of a tuple among arrays",
     [](Misuse& m) {
       m.b().AllReduce({m("f32[2]"), m("(f32[2])")}, Add(m));
     },
     "AllReduce(f32[2], (f32[2])): operands must be arrays, but p1 is (f32[2])"},
    {"AllReduceStart with a function of another type", [](Misuse& m) { m.b().AllReduceStart({m("s32[2]")}, Add(m)); },
     "AllReduceStart(s32[2]): parameter 0 of to_apply function has shape f32[], expected s32[] as of the value it is "
     "given; to_apply function returns f32[], expected s32[]"},
    {"AllReduceDone of an array that was not started", [](Misuse& m) { m.b().AllReduceDone(m("f32[2]")); },
     "AllReduceDone(f32[2]): the operand must be an all-reduce-start, but p0 is a parameter"},

    // ---- Gathering and scattering
    {"AllGather out of range", [](Misuse& m) { m.b().AllGather(m("f32[2,3]"), 2, 2); },
     "AllGather(f32[2,3]): the dimension of shards must be a dimension of f32[2,3], that is at least 0 and less than "
     "2, got 2"},
    {"AllGather of a negative dimension", [](Misuse& m) { m.b().AllGather(m("f32[2,3]"), -1, 2); },
     "AllGather(f32[2,3]): the dimension of shards must be a dimension of f32[2,3], that is at least 0 and less than "
     "2, got -1"},
    {"AllGather of no shards", [](Misuse& m) { m.b().AllGather(m("f32[2,3]"), 0, 0); },
     "AllGather(f32[2,3]): shard_count must be at least 1, got 0"},
    {"AllGather of too many shards", [](Misuse& m) { m.b().AllGather(m("f32[2,3]"), 0, INT64_MAX); },
     "AllGather(f32[2,3]): dimension 0 of f32[2,3] times 9223372036854775807 does not fit in 63 bits"},
    {"AllGather of shards that are not the group",
     [](Misuse& m) {
       OnTwo(m).AllGather(m("f32[2,3]"), 0, 3, Groups({{0, 1}}));
     },
     "AllGather(f32[2,3]): dimension 0 must be 2 times as large in f32[6,3] as in f32[2,3], because a group has 2 "
     "devices"},
    {"AllGather of a scalar", [](Misuse& m) { m.b().AllGather(m("f32[]"), 0, 2); },
     "AllGather(f32[]): the dimension of shards must be a dimension of f32[], that is at least 0 and less than 0, got "
     "0"},
    {"AllGather of groups of different sizes",
     [](Misuse& m) {
       m.fine().SetDeviceCounts(3);
       m.b().AllGather(m("f32[2,3]"), 0, 2, Groups({{0, 1}, {2}}));
     },
     "AllGather(f32[2,3]): all groups must have the same size, found sizes 2 and 1"},
    {"AllGather of nothing", [](Misuse& m) { m.b().AllGather(ArraySlice<XlaOp>(), 0, 2); },
     "AllGather(): expected at least one operand"},
    {"AllGatherStart out of range", [](Misuse& m) { m.b().AllGatherStart({m("f32[2]")}, 1, 2); },
     "AllGatherStart(f32[2]): the dimension of shards must be a dimension of f32[2], that is at least 0 and less than "
     "1, got 1"},
    {"AllGatherDone of an array", [](Misuse& m) { m.b().AllGatherDone(m("f32[2]")); },
     "AllGatherDone(f32[2]): the operand must be an all-gather-start, but p0 is a parameter"},
    {"ReduceScatter of a size that does not divide", [](Misuse& m) { m.b().ReduceScatter(m("f32[5]"), Add(m), 0, 2); },
     "ReduceScatter(f32[5]): dimension 0 of f32[5] must be divisible by shard_count 2, got 5"},
    {"ReduceScatter out of range", [](Misuse& m) { m.b().ReduceScatter(m("f32[4]"), Add(m), 1, 2); },
     "ReduceScatter(f32[4]): the dimension of shards must be a dimension of f32[4], that is at least 0 and less than "
     "1, got 1"},
    {"ReduceScatter to no shards", [](Misuse& m) { m.b().ReduceScatter(m("f32[4]"), Add(m), 0, 0); },
     "ReduceScatter(f32[4]): shard_count must be at least 1, got 0"},
    {"ReduceScatter with a function of another type", [](Misuse& m) { m.b().ReduceScatter(m("s32[4]"), Add(m), 0, 2); },
     "ReduceScatter(s32[4]): parameter 0 of to_apply function has shape f32[], expected s32[] as of the value it is "
     "given; to_apply function returns f32[], expected s32[]"},
    {"ReduceScatter of shards that are not the group",
     [](Misuse& m) {
       OnTwo(m).ReduceScatter(m("f32[12]"), Add(m), 0, 3, Groups({{0, 1}}));
     },
     "ReduceScatter(f32[12]): dimension 0 must be 2 times as large in f32[12] as in f32[4], because a group has 2 "
     "devices"},
    {"AllToAll of a size that does not divide", [](Misuse& m) { m.b().AllToAll(m("f32[5,4]"), 0, 1, 2); },
     "AllToAll(f32[5,4]): split_count must be at least 1 and divide dimension 0 of f32[5,4], 5, got 2"},
    {"AllToAll to no blocks", [](Misuse& m) { m.b().AllToAll(m("f32[4,4]"), 0, 1, 0); },
     "AllToAll(f32[4,4]): split_count must be at least 1 and divide dimension 0 of f32[4,4], 4, got 0"},
    {"AllToAll split out of range", [](Misuse& m) { m.b().AllToAll(m("f32[4,4]"), 2, 1, 2); },
     "AllToAll(f32[4,4]): split_dimension must be a dimension of f32[4,4], that is at least 0 and less than 2, got 2"},
    {"AllToAll put together out of range", [](Misuse& m) { m.b().AllToAll(m("f32[4,4]"), 0, -1, 2); },
     "AllToAll(f32[4,4]): concat_dimension must be a dimension of f32[4,4], that is at least 0 and less than 2, got "
     "-1"},
    {"AllToAll of blocks that are not the group",
     [](Misuse& m) {
       OnTwo(m).AllToAll(m("f32[4,4]"), 0, 0, 4, Groups({{0, 1}}));
     },
     "AllToAll(f32[4,4]): split_count must be the number of devices of a group, 2, got 4"},
    {"AllToAll of a tuple", [](Misuse& m) { m.b().AllToAll(m("(f32[4])"), 0, 0, 2); },
     "AllToAll((f32[4])): the operand must be an array, got (f32[4])"},
    {"AllToAllTuple of different shapes",
     [](Misuse& m) {
       m.b().AllToAllTuple({m("f32[4]"), m("f32[5]")});
     },
     "AllToAllTuple(f32[4], f32[5]): all operands must have the same shape, found f32[4] and f32[5]"},
    {"AllToAllTuple of nothing", [](Misuse& m) { m.b().AllToAllTuple({}); },
     "AllToAllTuple(): expected at least 1 operand, got 0"},
    {"AllToAllTuple of fewer values than members",
     [](Misuse& m) {
       OnTwo(m).AllToAllTuple({m("f32[4]")}, Groups({{0, 1}}));
     },
     "AllToAllTuple(f32[4]): the tuple form needs one operand for each device of a group: a group has 2 devices, found "
     "1 operands"},
    {"RaggedAllToAll of rows of other sizes",
     [](Misuse& m) {
       m.b().RaggedAllToAll(m("f32[4,2]"), m("f32[4,3]"), m("s32[1]"), m("s32[1]"), m("s32[1]"), m("s32[1]"));
     },
     "RaggedAllToAll(f32[4,2], f32[4,3], s32[1], s32[1], s32[1], s32[1]): input and output may differ in dimension 0 "
     "only, found f32[4,2] and f32[4,3]"},
    {"RaggedAllToAll with float sizes",
     [](Misuse& m) {
       m.b().RaggedAllToAll(m("f32[4,2]"), m("f32[4,2]"), m("s32[1]"), m("f32[1]"), m("s32[1]"), m("s32[1]"));
     },
     "RaggedAllToAll(f32[4,2], f32[4,2], s32[1], f32[1], s32[1], s32[1]): offsets and sizes must be integer arrays of "
     "the same shape and of rank 1 or 2, found f32[1] for operand 3"},
    {"RaggedAllToAll with offsets of different lengths",
     [](Misuse& m) {
       m.b().RaggedAllToAll(m("f32[4,2]"), m("f32[4,2]"), m("s32[1]"), m("s32[2]"), m("s32[1]"), m("s32[1]"));
     },
     "RaggedAllToAll(f32[4,2], f32[4,2], s32[1], s32[2], s32[1], s32[1]): offsets and sizes must be integer arrays of "
     "the same shape and of rank 1 or 2, found s32[2] for operand 3"},

    // ---- From one to another
    {"CollectivePermute to a device twice",
     [](Misuse& m) {
       m.b().CollectivePermute(m("f32[2]"), {{0, 1}, {2, 1}});
     },
     "CollectivePermute(f32[2]): target 1 occurs in two pairs; a device can receive from one source only"},
    {"CollectivePermute from a device twice",
     [](Misuse& m) {
       m.b().CollectivePermute(m("f32[2]"), {{0, 1}, {0, 2}});
     },
     "CollectivePermute(f32[2]): source 0 occurs in two pairs; a device can send to one target only"},
    {"CollectivePermute to a negative device",
     [](Misuse& m) {
       m.b().CollectivePermute(m("f32[2]"), {{0, -1}});
     },
     "CollectivePermute(f32[2]): source_target_pairs names replica -1, expected 0 <= id < 1"},
    {"CollectivePermute to a device that does not exist",
     [](Misuse& m) {
       OnTwo(m).CollectivePermute(m("f32[2]"), {{0, 2}});
     },
     "CollectivePermute(f32[2]): source_target_pairs names replica 2, expected 0 <= id < 2"},
    {"CollectivePermute on channel -1",
     [](Misuse& m) {
       m.b().CollectivePermute(m("f32[2]"), {{0, 1}}, -1);
     },
     "CollectivePermute(f32[2]): channel_id must be positive, found -1"},
    {"CollectivePermute of nothing",
     [](Misuse& m) {
       m.b().CollectivePermute(ArraySlice<XlaOp>(), {{0, 1}});
     },
     "CollectivePermute(): expected at least 1 operand, got 0"},
    {"CollectivePermuteStart from a device twice",
     [](Misuse& m) {
       m.b().CollectivePermuteStart(m("f32[2]"), {{0, 1}, {0, 2}});
     },
     "CollectivePermuteStart(f32[2]): source 0 occurs in two pairs; a device can send to one target only"},
    {"CollectivePermuteDone of an array", [](Misuse& m) { m.b().CollectivePermuteDone(m("f32[2]")); },
     "CollectivePermuteDone(f32[2]): the operand must be a collective-permute-start, but p0 is a parameter"},
    {"CollectiveBroadcast of a tuple", [](Misuse& m) { m.b().CollectiveBroadcast(m("(f32[2])")); },
     "CollectiveBroadcast((f32[2])): each operand must be an array, got (f32[2])"},
    {"CollectiveBroadcast in a group with a member twice",
     [](Misuse& m) {
       OnTwo(m).CollectiveBroadcast(m("f32[2]"), Groups({{1, 1}}));
     },
     "CollectiveBroadcast(f32[2]): replica_groups names replica 1 twice"},
    {"CollectiveBroadcast of nothing", [](Misuse& m) { m.b().CollectiveBroadcast(ArraySlice<XlaOp>()); },
     "CollectiveBroadcast(): expected at least 1 operand, got 0"},
    {"CollectiveBroadcastFrom a float", [](Misuse& m) { m.b().CollectiveBroadcastFrom({m("f32[2]")}, m("f32[]")); },
     "CollectiveBroadcastFrom(f32[2], f32[]): the dynamic root must be s32 with one entry or one for each of the 1 "
     "operands, found f32[]"},
    {"CollectiveBroadcastFrom too many roots",
     [](Misuse& m) { m.b().CollectiveBroadcastFrom({m("f32[2]")}, m("s32[3]")); },
     "CollectiveBroadcastFrom(f32[2], s32[3]): the dynamic root must be s32 with one entry or one for each of the 1 "
     "operands, found s32[3]"},
    {"ReplicaId after Build",
     [](Misuse& m) {
       m("f32[2]");
       (void)m.fine().Build();
       m.b().ReplicaId();
     },
     "ReplicaId(): the computation misuse is finished, because Build() was called; add operations before, or to a new "
     "builder"},
    {"PartitionId after Build",
     [](Misuse& m) {
       m("f32[2]");
       (void)m.fine().Build();
       m.b().PartitionId();
     },
     "PartitionId(): the computation misuse is finished, because Build() was called; add operations before, or to a "
     "new builder"},

    // ---- Tokens
    {"CreateToken after Build",
     [](Misuse& m) {
       m("f32[2]");
       (void)m.fine().Build();
       m.b().CreateToken();
     },
     "CreateToken(): the computation misuse is finished, because Build() was called; add operations before, or to a "
     "new builder"},
    {"AfterAll of an array",
     [](Misuse& m) {
       m.b().AfterAll({m.fine().CreateToken(), m("f32[2]")});
     },
     "AfterAll(token[], f32[2]): operands must be tokens, but p0 is f32[2]"},
    {"AddDependency on an array", [](Misuse& m) { m.b().AddDependency(m("f32[2]"), m("f32[2]")); },
     "AddDependency(f32[2], f32[2]): operand 1 must be a token, got f32[2]"},

    // ---- Queues
    {"Infeed of a tuple in a tuple", [](Misuse& m) { m.b().Infeed(m.ShapeOf("((f32[2]))")); },
     "Infeed(): expected an array or a tuple of arrays, got ((f32[2])); nested tuples cannot be fed, nor tokens"},
    {"Infeed of a token", [](Misuse& m) { m.b().Infeed(Shape::Token()); },
     "Infeed(): expected an array or a tuple of arrays, got token[]"},
    {"Infeed of no shape", [](Misuse& m) { m.b().Infeed(Shape()); },
     "Infeed(): expected an array or a tuple of arrays, got invalid[]"},
    {"Infeed of a negative size", [](Misuse& m) { m.b().Infeed(Shape::Array(F32, {-1})); },
     "Infeed(): dimension 0 of an array has the negative size -1"},
    {"Infeed without an order",
     [](Misuse& m) {
       ComputationBuilder condition("condition");
       condition.Parameter(0, m.ShapeOf("f32[]"), "x");
       condition.ConstantR0<bool>(false);
       ComputationBuilder body("body");
       body.Parameter(0, m.ShapeOf("f32[]"), "x");
       body.Infeed(m.ShapeOf("f32[]"));
       const XlaOp init = m("f32[]");
       const Computation end = condition.Build().value(), read = body.Build().value();
       m.fine().set_keep_source_locations(false);
       m.fine().While(end, read, init);
       m.fine().While(end, read, init);
       (void)m.b().Build();
     },
     "Build(): there is no order between while.1 and while.2, which both read the infeed: let the second depend on a "
     "result of the first"},
    {"InfeedWithToken without a token", [](Misuse& m) { m.b().InfeedWithToken(m("f32[]"), m.ShapeOf("f32[2]")); },
     "InfeedWithToken(f32[]): expected a token, but p0 is f32[]"},
    {"Outfeed of another shape", [](Misuse& m) { m.b().Outfeed(m("f32[2]"), m.ShapeOf("f32[3]")); },
     "Outfeed(f32[2]): outfeed_shape is f32[3], but the operand has shape f32[2]"},
    {"Outfeed of a token", [](Misuse& m) { m.b().Outfeed(m.fine().CreateToken()); },
     "Outfeed(token[]): expected an array or a tuple of arrays, got token[]"},
    {"OutfeedWithToken without a token", [](Misuse& m) { m.b().OutfeedWithToken(m("f32[]"), m("f32[]")); },
     "OutfeedWithToken(f32[], f32[]): expected a token, but p0 is f32[]"},

    // ---- Transfers
    {"Send without a token", [](Misuse& m) { m.b().Send(m("f32[2]"), m("f32[2]"), TransferChannel(1)); },
     "Send(f32[2], f32[2]): expected a token, but p0 is f32[2]"},
    {"Send on channel 0", [](Misuse& m) { m.b().Send(m("f32[2]"), m.fine().CreateToken(), TransferChannel(0)); },
     "Send(f32[2], token[]): channel_id must be positive, got 0"},
    {"Send from a device twice",
     [](Misuse& m) {
       SendRecvOptions options = TransferChannel(1);
       options.source_target_pairs = {{0, 1}, {0, 2}};
       m.b().Send(m("f32[2]"), m.fine().CreateToken(), options);
     },
     "Send(f32[2], token[]): _xla_send_recv_source_target_pairs names device 0 twice as a source; expected each at "
     "most once"},
    {"SendDone of an array", [](Misuse& m) { m.b().SendDone(m("f32[2]")); },
     "SendDone(f32[2]): the operand must be a send, or the (data, u32[], token[]) of one, but p0 is a parameter of "
     "shape f32[2]"},
    {"Recv without a token", [](Misuse& m) { m.b().Recv(m("f32[]"), m.ShapeOf("f32[2]"), TransferChannel(1)); },
     "Recv(f32[]): expected a token, but p0 is f32[]"},
    {"Recv of no shape", [](Misuse& m) { m.b().Recv(m.fine().CreateToken(), Shape(), TransferChannel(1)); },
     "Recv(token[]): shape without an element type"},
    {"RecvDone of an array", [](Misuse& m) { m.b().RecvDone(m("f32[2]")); },
     "RecvDone(f32[2]): the operand must be a recv, or the (data, u32[], token[]) of one, but p0 is a parameter of "
     "shape f32[2]"},
    {"RecvDone of a send",
     [](Misuse& m) {
       const XlaOp send = m.fine().Send(m("f32[2]"), m.fine().CreateToken(), TransferChannel(1));
       m.b().RecvDone(send);
     },
     "RecvDone((f32[2], u32[], token[])): the operand must be a recv, or the (data, u32[], token[]) of one, but send.2 "
     "is a send of shape (f32[2], u32[], token[])"},
    {"SendWithToken without a token",
     [](Misuse& m) { m.b().SendWithToken(m("f32[2]"), m("s32[]"), TransferChannel(1)); },
     "SendWithToken(f32[2], s32[]): expected a token, but p0 is s32[]"},
    {"RecvWithToken on channel -1",
     [](Misuse& m) { m.b().RecvWithToken(m.fine().CreateToken(), m.ShapeOf("f32[2]"), TransferChannel(-1)); },
     "RecvWithToken(token[]): channel_id must be positive, got -1"},
};

}  // namespace

absl::Span<const ErrorCase> DeviceErrors() { return kDeviceCases; }

}  // namespace xla
