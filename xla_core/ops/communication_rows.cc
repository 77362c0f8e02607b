#include "xla_core/ops/op_definition.h"

namespace xla {

OpDefinition Define_kAfterAll() {
  OpDefinition op;
  op.min_operands = 0;
  op.max_operands = -1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kReplicaId() {
  OpDefinition op;
  op.min_operands = 0;
  op.max_operands = 0;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kPartitionId() {
  OpDefinition op;
  op.min_operands = 0;
  op.max_operands = 0;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kAllReduce() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<AllReduceAttributes>;
  op.called_computations = {"to_apply"};
  return op;
}

OpDefinition Define_kAllReduceStart() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<AllReduceAttributes>;
  op.called_computations = {"to_apply"};
  return op;
}

OpDefinition Define_kAllReduceDone() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  return op;
}

OpDefinition Define_kAllGather() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<ShardingCollectiveAttributes>;
  return op;
}

OpDefinition Define_kAllGatherStart() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<ShardingCollectiveAttributes>;
  return op;
}

OpDefinition Define_kAllGatherDone() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  return op;
}

OpDefinition Define_kReduceScatter() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<ShardingCollectiveAttributes>;
  op.called_computations = {"to_apply"};
  return op;
}

OpDefinition Define_kAllToAll() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<AllToAllAttributes>;
  return op;
}

OpDefinition Define_kRaggedAllToAll() {
  OpDefinition op;
  op.min_operands = 6;
  op.max_operands = 6;
  op.make_attributes = &MakeAttributes<RaggedAllToAllAttributes>;
  return op;
}

OpDefinition Define_kCollectivePermute() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<CollectivePermuteAttributes>;
  return op;
}

OpDefinition Define_kCollectivePermuteStart() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<CollectivePermuteAttributes>;
  return op;
}

OpDefinition Define_kCollectivePermuteDone() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  return op;
}

OpDefinition Define_kCollectiveBroadcast() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<CollectiveBroadcastAttributes>;
  return op;
}

OpDefinition Define_kSend() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.make_attributes = &MakeAttributes<SendRecvAttributes>;
  op.has_side_effect = true;
  return op;
}

OpDefinition Define_kSendDone() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.make_attributes = &MakeAttributes<SendRecvAttributes>;
  op.has_side_effect = true;
  return op;
}

OpDefinition Define_kRecv() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.make_attributes = &MakeAttributes<SendRecvAttributes>;
  op.has_side_effect = true;
  return op;
}

OpDefinition Define_kRecvDone() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.make_attributes = &MakeAttributes<SendRecvAttributes>;
  op.has_side_effect = true;
  return op;
}

OpDefinition Define_kInfeed() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.make_attributes = &MakeAttributes<InfeedAttributes>;
  op.has_side_effect = true;
  return op;
}

OpDefinition Define_kOutfeed() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.make_attributes = &MakeAttributes<OutfeedAttributes>;
  op.has_side_effect = true;
  return op;
}

}  // namespace xla
