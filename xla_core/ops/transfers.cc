// Tokens, ids and point-to-point transfers: after-all, replica-id, partition-id, send, recv, their dones, infeed,
// outfeed.
//
// A send matches the recv of the same channel; transfer_peers.h says which device sends to which. A recv waits at its
// done, so that a program may post it before the send it depends on. The done need not stand at its recv: a loop may
// carry what a recv gives, so that one iteration begins and the next one finishes. The value itself, (data, u32[],
// token[]), therefore says in the u32 from which device to receive: its id plus 1, or 0 for none. Host transfers
// (is_host_transfer=true) go through the outfeed and infeed queues.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "xla_core/ops/callee_rules.h"
#include "xla_core/ops/collective_groups.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/transfer_peers.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// ---- after-all(tokens...): a token that comes after all of them

absl::StatusOr<Shape> InferAfterAll(const HloInstruction& after_all) {
  for (const HloInstruction* operand : after_all.operands()) {
    if (!operand->shape().IsToken()) {
      return absl::InvalidArgumentError(
          absl::StrCat("operands must be tokens, but ", operand->name(), " is ", operand->shape().ToString()));
    }
  }
  return Shape::Token();
}

absl::StatusOr<Literal> EvaluateAfterAll(const HloInstruction&, OperandValues&, EvalContext&) {
  return Literal::Token();
}

// ---- replica-id, partition-id: u32[]

absl::StatusOr<Shape> InferId(const HloInstruction&) { return Shape::Scalar(U32); }

absl::StatusOr<Literal> EvaluateReplicaId(const HloInstruction&, OperandValues&, EvalContext& context) {
  return Literal::Scalar<uint32_t>(static_cast<uint32_t>(context.device().replica));
}

absl::StatusOr<Literal> EvaluatePartitionId(const HloInstruction&, OperandValues&, EvalContext& context) {
  return Literal::Scalar<uint32_t>(static_cast<uint32_t>(context.device().partition));
}

// ---- Who sends to whom

// With each device in at most one pair as source and in one as target, pairs form chains and rings; a ring of several
// devices, each of which waits for the one before, cannot begin.
bool HasRing(const TransferPairs& pairs) {
  const absl::flat_hash_map<int64_t, int64_t> next(pairs.begin(), pairs.end());
  absl::flat_hash_set<int64_t> known;  // not in a ring
  for (const auto& pair : pairs) {
    int64_t device = pair.first;
    for (auto it = next.find(device); it != next.end() && known.insert(device).second; it = next.find(device)) {
      if (it->second == device) break;
      device = it->second;
      if (device == pair.first) return true;
    }
  }
  return false;
}

// Rings are refused: every device of one would wait for its source before it sends.
void VerifyPairs(const HloInstruction& transfer, Violations& violations) {
  const std::string* const text = TransferPairsText(transfer);
  if (text == nullptr) return;
  const auto pairs = ParseTransferPairs(transfer, *text);
  if (!pairs.ok()) return violations.Add(pairs.status());
  absl::flat_hash_set<int64_t> sources, targets;
  for (const auto& pair : *pairs) {
    const bool new_source = sources.insert(pair.first).second;
    const bool new_target = targets.insert(pair.second).second;
    if (new_source && new_target) continue;
    return violations.Add(absl::StrCat(kTransferPairsAttribute, " names device ", new_source ? pair.second : pair.first,
                                       " twice as a ", new_source ? "target" : "source",
                                       "; expected each at most once"));
  }
  if (HasRing(*pairs)) {
    violations.Add(absl::StrCat(kTransferPairsAttribute, " ", *text,
                                " has a ring, in which every device waits for another; cut it into two transfers"));
  }
}

// ---- send(data, token) -> (data, u32[], token); send-done -> token; recv(token) -> (data, u32[], token); recv-done ->
// (data, token)

absl::Status CheckToken(const HloInstruction& operand) {
  if (operand.shape().IsToken()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("expected a token, but ", operand.name(), " is ", operand.shape().ToString()));
}

absl::StatusOr<Shape> InferSend(const HloInstruction& send) {
  RETURN_IF_ERROR(CheckToken(*send.operand(1)));
  return Shape::Tuple({send.operand(0)->shape(), Shape::Scalar(U32), Shape::Token()});
}

// Whether this may be what a send or recv gives, passed on by whatever instruction.
bool HasTransferShape(const Shape& shape) {
  return shape.IsTuple() && shape.tuple_size() == 3 && shape.tuple_shape(1).IsScalarOf(U32) &&
         shape.tuple_shape(2).IsToken();
}

absl::Status CheckBegun(const HloInstruction& done, HloOpcode begin) {
  const HloInstruction& operand = *done.operand(0);
  // Whether the module has a send or recv that this one may finish, the verifier looks at.
  const bool passes_on = operand.opcode() != HloOpcode::kSend && operand.opcode() != HloOpcode::kRecv;
  if (operand.opcode() == begin || passes_on) {
    if (HasTransferShape(operand.shape())) return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("the operand must be a ", HloOpcodeName(begin), ", or the (data, u32[], token[]) of one, but ",
                   operand.name(), " is a ", operand.opcode_name(), " of shape ", operand.shape().ToString()));
}

absl::StatusOr<Shape> InferSendDone(const HloInstruction& done) {
  RETURN_IF_ERROR(CheckBegun(done, HloOpcode::kSend));
  return Shape::Token();
}

void VerifyRecv(const HloInstruction& recv, Violations& violations) {
  VerifyPairs(recv, violations);
  violations.Add(CheckToken(*recv.operand(0)));
  if (!HasTransferShape(recv.shape())) {
    violations.Add(
        absl::StrCat("expected a shape of the form (data, u32[], token[]), found ", recv.shape().ToString()));
  }
}

absl::StatusOr<Shape> InferRecvDone(const HloInstruction& done) {
  RETURN_IF_ERROR(CheckBegun(done, HloOpcode::kRecv));
  return Shape::Tuple({done.operand(0)->shape().tuple_shape(0), Shape::Token()});
}

// The result is (data, context, token), as in XLA; the context word is unused by a send.
absl::StatusOr<Literal> EvaluateSend(const HloInstruction& send, OperandValues& operands, EvalContext& context) {
  const auto& attributes = send.attributes<SendRecvAttributes>();
  Literal data = operands.Take(0);
  if (attributes.is_host_transfer) {
    RETURN_IF_ERROR(context.Outfeed(send, data));
  } else {
    ASSIGN_OR_RETURN(const TransferPeers peers, PeersOfDevice(send, context.device()));
    if (peers.target >= 0) RETURN_IF_ERROR(context.Send(attributes.channel_id.value_or(0), peers.target, data));
  }
  std::vector<Literal> elements;
  elements.push_back(std::move(data));
  elements.push_back(Literal::Scalar<uint32_t>(0));
  elements.push_back(Literal::Token());
  return Literal::Tuple(std::move(elements));
}

absl::StatusOr<Literal> EvaluateRecv(const HloInstruction& recv, OperandValues&, EvalContext& context) {
  ASSIGN_OR_RETURN(Literal value, context.AllocateZeros(recv.shape()));
  if (recv.attributes<SendRecvAttributes>().is_host_transfer) return value;
  ASSIGN_OR_RETURN(const TransferPeers peers, PeersOfDevice(recv, context.device()));
  value.mutable_element(1) = Literal::Scalar<uint32_t>(static_cast<uint32_t>(peers.source + 1));
  return value;
}

// The word in the context tells the source, which recv has found: device + 1, or 0 if nothing is sent here.
absl::StatusOr<Literal> EvaluateRecvDone(const HloInstruction& done, OperandValues& operands, EvalContext& context) {
  const auto& attributes = done.attributes<SendRecvAttributes>();
  Literal data = operands[0].element(0);
  const HloInstruction& begin = *done.operand(0);
  const HloInstruction& named = begin.opcode() == HloOpcode::kRecv ? begin : done;  // in messages
  if (attributes.is_host_transfer) {
    ASSIGN_OR_RETURN(data, context.Infeed(named, data.shape()));
  } else if (const uint32_t peer = *operands[0].element(1).data<uint32_t>(); peer > 0) {
    const int64_t source = int64_t{peer} - 1;
    const DeviceInfo device = context.device();
    if (source >= device.replica_count * device.partition_count) {
      return absl::InvalidArgumentError(
          absl::StrCat(done.name(), ": the operand is not the value of a recv, for its ", "u32[] is ", peer));
    }
    ASSIGN_OR_RETURN(Literal received, context.Receive(attributes.channel_id.value_or(0), source, named));
    if (!received.shape().Compatible(data.shape())) {
      return absl::InvalidArgumentError(absl::StrCat(named.name(), ": expected ", data.shape().ToString(),
                                                     ", but device ", source, " sent ", received.shape().ToString()));
    }
    data = std::move(received);
  }
  std::vector<Literal> elements;
  elements.push_back(std::move(data));
  elements.push_back(Literal::Token());
  return Literal::Tuple(std::move(elements));
}

// ---- infeed(token) -> (data, token): the next value of the device's infeed queue

void VerifyInfeed(const HloInstruction& infeed, Violations& violations) {
  violations.Add(CheckToken(*infeed.operand(0)));
  const Shape& shape = infeed.shape();
  if (!shape.IsTuple() || shape.tuple_size() != 2 || !shape.tuple_shape(1).IsToken()) {
    violations.Add(absl::StrCat("expected a shape of the form (data, token[]), found ", shape.ToString()));
  }
}

absl::StatusOr<Literal> EvaluateInfeed(const HloInstruction& infeed, OperandValues&, EvalContext& context) {
  std::vector<Literal> elements(1);
  ASSIGN_OR_RETURN(elements[0], context.Infeed(infeed, infeed.shape().tuple_shape(0)));
  elements.push_back(Literal::Token());
  return Literal::Tuple(std::move(elements));
}

// ---- outfeed(data, token) -> token

absl::StatusOr<Shape> InferOutfeed(const HloInstruction& outfeed) {
  RETURN_IF_ERROR(CheckToken(*outfeed.operand(1)));
  return Shape::Token();
}

void VerifyOutfeed(const HloInstruction& outfeed, Violations& violations) {
  const Shape& written = outfeed.attributes<OutfeedAttributes>().outfeed_shape;
  if (written.element_type() != PRIMITIVE_TYPE_INVALID && !written.Compatible(outfeed.operand(0)->shape())) {
    violations.Add(absl::StrCat("outfeed_shape is ", written.ToString(), ", but the operand has shape ",
                                outfeed.operand(0)->shape().ToString()));
  }
}

absl::StatusOr<Literal> EvaluateOutfeed(const HloInstruction& outfeed, OperandValues& operands, EvalContext& context) {
  RETURN_IF_ERROR(context.Outfeed(outfeed, operands.Take(0)));
  return Literal::Token();
}

OpDefinition Transfer(int operands, std::unique_ptr<Attributes> (*make_attributes)()) {
  OpDefinition op;
  op.min_operands = op.max_operands = operands;
  op.make_attributes = make_attributes;
  return op;
}

}  // namespace

OpDefinition Define_kAfterAll() {
  OpDefinition op;
  op.max_operands = -1;
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferAfterAll;
  op.evaluate = &EvaluateAfterAll;
  return op;
}

OpDefinition Define_kReplicaId() {
  OpDefinition op;
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferId;
  op.evaluate = &EvaluateReplicaId;
  return op;
}

OpDefinition Define_kPartitionId() {
  OpDefinition op = Define_kReplicaId();
  op.evaluate = &EvaluatePartitionId;
  return op;
}

OpDefinition Define_kSend() {
  OpDefinition op = Transfer(2, &MakeAttributes<SendRecvAttributes>);
  op.infer_shape = &InferSend;
  op.verify = &VerifyPairs;
  op.evaluate = &EvaluateSend;
  return op;
}

OpDefinition Define_kSendDone() {
  OpDefinition op = Transfer(1, &MakeAttributes<SendRecvAttributes>);
  op.infer_shape = &InferSendDone;
  op.evaluate = &EvaluateAfterAll;
  return op;
}

OpDefinition Define_kRecv() {
  OpDefinition op = Transfer(1, &MakeAttributes<SendRecvAttributes>);
  op.verify = &VerifyRecv;
  op.evaluate = &EvaluateRecv;
  return op;
}

OpDefinition Define_kRecvDone() {
  OpDefinition op = Transfer(1, &MakeAttributes<SendRecvAttributes>);
  op.infer_shape = &InferRecvDone;
  op.evaluate = &EvaluateRecvDone;
  return op;
}

OpDefinition Define_kInfeed() {
  OpDefinition op = Transfer(1, &MakeAttributes<InfeedAttributes>);
  op.verify = &VerifyInfeed;
  op.evaluate = &EvaluateInfeed;
  return op;
}

OpDefinition Define_kOutfeed() {
  OpDefinition op = Transfer(2, &MakeAttributes<OutfeedAttributes>);
  op.infer_shape = &InferOutfeed;
  op.verify = &VerifyOutfeed;
  op.evaluate = &EvaluateOutfeed;
  return op;
}

}  // namespace xla
