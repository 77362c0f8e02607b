// Tokens, the infeed and outfeed queues, and transfers from device to device.
//
// HLO of today orders side effects by tokens; the document of 2017 has none and demands that the infeeds of a program
// have one order. Infeed calls of one computation are chained in program order. A computation with infeeds may be
// called by others, whose order must follow from what depends on what: Build checks that each operation that reads the
// infeed comes after the one before it.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/computation_builder/computation_builder.h"
#include "builders/computation_builder/computation_node.h"

namespace xla {

// ---- Tokens

XlaOp ComputationBuilder::CreateToken(SourceLocation loc) {
  ActiveCall call(this, "CreateToken", loc, {});
  return call ? Append(HloOpcode::kAfterAll, {}) : Invalid();
}

XlaOp ComputationBuilder::AfterAll(ArraySlice<XlaOp> tokens, SourceLocation loc) {
  ActiveCall call(this, "AfterAll", loc, tokens);
  return call ? Append(HloOpcode::kAfterAll, tokens) : Invalid();
}

XlaOp ComputationBuilder::AddDependency(XlaOp operand, XlaOp token, SourceLocation loc) {
  ActiveCall call(this, "AddDependency", loc, {operand, token});
  return call ? Append(HloOpcode::kAddDependency, {operand, token}) : Invalid();
}

// ---- Infeed

bool ComputationBuilder::CheckFeedShape(const Shape& shape) {
  const auto fits = [](const Shape& element) { return element.IsArray(); };
  bool valid = shape.IsTuple() || fits(shape);
  for (const Shape& element : shape.tuple_shapes()) valid &= fits(element);
  if (valid) return true;
  FailInvalid(absl::StrCat("expected an array or a tuple of arrays, got ", shape.ToString(),
                           shape.IsTuple() ? "; nested tuples cannot be fed, nor tokens" : ""));
  return false;
}

XlaOp ComputationBuilder::AppendInfeed(XlaOp token, const Shape& shape, absl::string_view config) {
  auto attributes = std::make_unique<InfeedAttributes>();
  attributes->infeed_config = std::string(config);
  return Append(HloOpcode::kInfeed, {token}, std::move(attributes), {}, Shape::Tuple({shape, Shape::Token()}));
}

XlaOp ComputationBuilder::Infeed(const Shape& shape, absl::string_view config, SourceLocation loc) {
  ActiveCall call(this, "Infeed", loc, {});
  if (!call || !CheckFeedShape(shape)) return Invalid();
  if (shape.IsTuple() && shape.tuple_size() == 0) return Tuple({});  // reads nothing
  if (!infeed_token_.valid()) infeed_token_ = CreateToken();
  const XlaOp infeed = AppendInfeed(infeed_token_, shape, config);
  if (!infeed.valid()) return infeed;
  const bool after_call = !ordered_infeeds_.empty() && ordered_infeeds_.back()->opcode() != HloOpcode::kInfeed;
  if (after_call) infeed.instruction_->AddControlPredecessor(ordered_infeeds_.back());
  ordered_infeeds_.push_back(infeed.instruction_);
  infeed_token_ = GetTupleElement(infeed, 1);
  return GetTupleElement(infeed, 0);
}

XlaOp ComputationBuilder::InfeedWithToken(XlaOp token, const Shape& shape, absl::string_view config,
                                          SourceLocation loc) {
  ActiveCall call(this, "InfeedWithToken", loc, {token});
  if (!call || !CheckFeedShape(shape)) return Invalid();
  return AppendInfeed(token, shape, config);
}

// One pass over the instructions, which notes for each how many of the operations that read the infeed come before it
// for certain: as each of these must come after the one before, that is the number of the last one.
absl::Status ComputationBuilder::CheckInfeedOrder() const {
  if (ordered_infeeds_.size() < 2) return absl::OkStatus();
  const auto instructions = ordered_infeeds_[0]->parent()->instructions();
  std::vector<size_t> known(instructions.size(), 0);
  size_t next = 0;
  for (size_t i = 0; i < instructions.size() && next < ordered_infeeds_.size(); ++i) {
    const HloInstruction& instruction = *instructions[i];
    for (const HloInstruction* operand : instruction.operands()) known[i] = std::max(known[i], known[operand->id()]);
    for (const HloInstruction* before : instruction.control_predecessors()) {
      known[i] = std::max(known[i], known[before->id()]);
    }
    if (&instruction != ordered_infeeds_[next]) continue;
    if (known[i] < next) {
      const ComputationNode::CallSite& site = node_->call_sites[i];
      return absl::InvalidArgumentError(
          absl::StrCat("there is no order between ", ordered_infeeds_[next - 1]->name(), " and ", instruction.name(),
                       site.file == nullptr ? "" : absl::StrCat(" (", *site.file, ":", site.line, ")"),
                       ", which both read the infeed: let the second depend on a result of the first"));
    }
    known[i] = ++next;
  }
  return absl::OkStatus();
}

// ---- Outfeed

XlaOp ComputationBuilder::AppendOutfeed(XlaOp operand, XlaOp token, const Shape& shape_with_layout,
                                        absl::string_view config) {
  auto attributes = std::make_unique<OutfeedAttributes>();
  const bool is_given = shape_with_layout.element_type() != PRIMITIVE_TYPE_INVALID;
  attributes->outfeed_shape = is_given ? shape_with_layout : ShapeOf(operand);
  attributes->outfeed_shape.SetMissingLayoutsToDefault();
  attributes->outfeed_config = std::string(config);
  return Append(HloOpcode::kOutfeed, {operand, token}, std::move(attributes));
}

XlaOp ComputationBuilder::Outfeed(XlaOp operand, const Shape& shape_with_layout, absl::string_view outfeed_config,
                                  SourceLocation loc) {
  ActiveCall call(this, "Outfeed", loc, {operand});
  if (!call || !CheckFeedShape(ShapeOf(operand))) return Invalid();
  if (!outfeed_token_.valid()) outfeed_token_ = CreateToken();
  outfeed_token_ = AppendOutfeed(operand, outfeed_token_, shape_with_layout, outfeed_config);
  return outfeed_token_;
}

XlaOp ComputationBuilder::OutfeedWithToken(XlaOp operand, XlaOp token, const Shape& shape_with_layout,
                                           absl::string_view outfeed_config, SourceLocation loc) {
  ActiveCall call(this, "OutfeedWithToken", loc, {operand, token});
  if (!call || !CheckFeedShape(ShapeOf(operand))) return Invalid();
  return AppendOutfeed(operand, token, shape_with_layout, outfeed_config);
}

// ---- Send and receive

namespace {

// "{{0,1},{1,0}}"
std::string PairsToString(const std::vector<std::pair<int64_t, int64_t>>& pairs) {
  const auto append = [](std::string* out, const std::pair<int64_t, int64_t>& pair) {
    absl::StrAppend(out, "{", pair.first, ",", pair.second, "}");
  };
  return absl::StrCat("{", absl::StrJoin(pairs, ",", append), "}");
}

}  // namespace

XlaOp ComputationBuilder::AppendTransfer(HloOpcode opcode, ArraySlice<XlaOp> operands, const SendRecvOptions& options,
                                         const Shape& shape) {
  if (options.channel_id.has_value() && *options.channel_id < 1) {
    return FailInvalid(absl::StrCat("channel_id must be positive, got ", *options.channel_id));
  }
  auto attributes = std::make_unique<SendRecvAttributes>();
  attributes->channel_id = options.channel_id;
  attributes->is_host_transfer = options.is_host_transfer;
  FrontendAttributes pairs;
  if (!options.source_target_pairs.empty()) {
    pairs["_xla_send_recv_source_target_pairs"] = PairsToString(options.source_target_pairs);
  }
  const ScopedFrontendAttributes with_pairs(this, std::move(pairs));
  return Append(opcode, operands, std::move(attributes), {}, shape);
}

// A done says the same as what it finishes.
XlaOp ComputationBuilder::AppendTransferDone(HloOpcode opcode, HloOpcode start_opcode, XlaOp start) {
  const HloInstruction& begun = *start.instruction_;
  const bool fits = begun.opcode() == start_opcode;
  return Append(opcode, {start}, fits ? begun.raw_attributes()->Clone() : nullptr);
}

XlaOp ComputationBuilder::Send(XlaOp operand, XlaOp token, const SendRecvOptions& options, SourceLocation loc) {
  ActiveCall call(this, "Send", loc, {operand, token});
  return call ? AppendTransfer(HloOpcode::kSend, {operand, token}, options) : Invalid();
}

XlaOp ComputationBuilder::SendDone(XlaOp send, SourceLocation loc) {
  ActiveCall call(this, "SendDone", loc, {send});
  return call ? AppendTransferDone(HloOpcode::kSendDone, HloOpcode::kSend, send) : Invalid();
}

XlaOp ComputationBuilder::Recv(XlaOp token, const Shape& shape, const SendRecvOptions& options, SourceLocation loc) {
  ActiveCall call(this, "Recv", loc, {token});
  if (!call) return Invalid();
  return AppendTransfer(HloOpcode::kRecv, {token}, options, Shape::Tuple({shape, Shape::Scalar(U32), Shape::Token()}));
}

XlaOp ComputationBuilder::RecvDone(XlaOp recv, SourceLocation loc) {
  ActiveCall call(this, "RecvDone", loc, {recv});
  return call ? AppendTransferDone(HloOpcode::kRecvDone, HloOpcode::kRecv, recv) : Invalid();
}

XlaOp ComputationBuilder::SendWithToken(XlaOp operand, XlaOp token, const SendRecvOptions& options,
                                        SourceLocation loc) {
  ActiveCall call(this, "SendWithToken", loc, {operand, token});
  if (!call) return Invalid();
  const XlaOp send = Send(operand, token, options);
  return send.valid() ? SendDone(send) : send;
}

XlaOp ComputationBuilder::RecvWithToken(XlaOp token, const Shape& shape, const SendRecvOptions& options,
                                        SourceLocation loc) {
  ActiveCall call(this, "RecvWithToken", loc, {token});
  if (!call) return Invalid();
  const XlaOp recv = Recv(token, shape, options);
  return recv.valid() ? RecvDone(recv) : recv;
}

}  // namespace xla
