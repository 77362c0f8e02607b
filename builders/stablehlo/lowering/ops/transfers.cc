// Tokens, and what comes from outside of the program or goes there.
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/lowering/computation_lowering.h"
#include "builders/stablehlo/lowering/operation_table.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

absl::Status CheckToken(const OperationCall& call, int i) {
  if (i >= 0 && call.shape(i).IsToken()) return absl::OkStatus();
  return absl::InvalidArgumentError("the last operand must be a token");
}

absl::Status LowerCreateToken(OperationCall& call) { return call.Return(call.builder().CreateToken(), ""); }

absl::Status LowerAfterAll(OperationCall& call) {
  for (int i = 0; i < call.operand_count(); ++i) {
    if (!call.shape(i).IsToken()) {
      return absl::InvalidArgumentError(
          absl::StrCat("operand #", i, " must be a token, got ", call.shape(i).ToString()));
    }
  }
  return call.Return(call.builder().AfterAll(call.operands()), "");
}

// Shapes of the results before the token, which comes last.
absl::StatusOr<std::vector<Shape>> DataShapes(const OperationCall& call, absl::string_view count_constraint,
                                              absl::string_view data_constraint, absl::string_view token_constraint) {
  if (call.result_count() == 0) return Broken(count_constraint, "expected at least a token as result");
  std::vector<Shape> shapes;
  for (int i = 0; i + 1 < call.result_count(); ++i) {
    ASSIGN_OR_RETURN(Shape shape, call.StaticResultShape(i));
    if (!shape.IsArray()) {
      return Broken(data_constraint, absl::StrCat("result ", i, " must be a tensor, because only the last one is a ",
                                                  "token, got ", shape.ToString()));
    }
    shapes.push_back(std::move(shape));
  }
  if (!call.result_shape(call.result_count() - 1).IsToken()) {
    return Broken(token_constraint, "the last result must be a token");
  }
  return shapes;
}

absl::Status LowerInfeed(OperationCall& call) {
  RETURN_IF_ERROR(CheckToken(call, 0));
  ASSIGN_OR_RETURN(const std::vector<Shape> shapes, DataShapes(call, "infeed_c1", "infeed_c2", "infeed_c3"));
  ASSIGN_OR_RETURN(const std::string config, call.attributes().TextOr("infeed_config", ""));
  ComputationBuilder& b = call.builder();
  const XlaOp infeed = b.InfeedWithToken(call.operand(0), Shape::Tuple(shapes), config);
  call.set_bundle(infeed);
  const XlaOp data = b.GetTupleElement(infeed, 0);
  std::vector<XlaOp> results;
  for (size_t i = 0; i < shapes.size(); ++i) results.push_back(b.GetTupleElement(data, static_cast<int64_t>(i)));
  results.push_back(b.GetTupleElement(infeed, 1));
  return call.ReturnAll(results, "infeed_c2");
}

absl::Status LowerOutfeed(OperationCall& call) {
  const int count = call.operand_count() - 1;
  RETURN_IF_ERROR(CheckToken(call, count));
  ASSIGN_OR_RETURN(const std::string config, call.attributes().TextOr("outfeed_config", ""));
  const XlaOp data = call.builder().Tuple(call.operands().subspan(0, count));
  return call.Return(call.builder().OutfeedWithToken(data, call.operand(count), Shape(), config), "");
}

// A channel that is not positive is none. `host_type`: the type of channels to or from the host.
absl::StatusOr<SendRecvOptions> TransferOptions(const OperationCall& call, int64_t host_type) {
  ASSIGN_OR_RETURN(const AttributeReader channel, call.attributes().Struct("channel_handle"));
  SendRecvOptions options;
  ASSIGN_OR_RETURN(const int64_t handle, channel.IntOr("handle", 0));
  ASSIGN_OR_RETURN(const int64_t type, channel.IntOr("type", 0));
  if (handle > 0) options.channel_id = handle;
  ASSIGN_OR_RETURN(options.is_host_transfer, call.attributes().Flag("is_host_transfer"));
  if (type != (options.is_host_transfer ? host_type : 1)) {
    return Broken(
        call.Constraint("c1"),
        absl::StrCat("the channel's type must be ", options.is_host_transfer ? host_type : 1, ", got ", type,
                     options.is_host_transfer ? " for a transfer with the host" : " for one between devices"));
  }
  ASSIGN_OR_RETURN(options.source_target_pairs, call.attributes().PairsOr("source_target_pairs", {}));
  return options;
}

absl::Status LowerSend(OperationCall& call) {
  const int count = call.operand_count() - 1;
  RETURN_IF_ERROR(CheckToken(call, count));
  ASSIGN_OR_RETURN(const SendRecvOptions options, TransferOptions(call, 2));
  const XlaOp data = Bundle(call.builder(), call.operands().subspan(0, count));
  return call.Return(call.builder().SendWithToken(data, call.operand(count), options), "");
}

absl::Status LowerRecv(OperationCall& call) {
  RETURN_IF_ERROR(CheckToken(call, 0));
  ASSIGN_OR_RETURN(std::vector<Shape> shapes, DataShapes(call, "recv_c2", "recv_c3", "recv_c4"));
  ASSIGN_OR_RETURN(const SendRecvOptions options, TransferOptions(call, 3));
  const int count = static_cast<int>(shapes.size());
  const Shape shape = count == 1 ? shapes[0] : Shape::Tuple(shapes);
  ComputationBuilder& b = call.builder();
  const XlaOp received = b.RecvWithToken(call.operand(0), shape, options);
  call.set_bundle(received);
  std::vector<XlaOp> results = Unbundle(b, b.GetTupleElement(received, 0), count);
  results.push_back(b.GetTupleElement(received, 1));
  return call.ReturnAll(results, "recv_c3");
}

}  // namespace

std::vector<OperationRow> TransferOperations() {
  constexpr int kAny = OperationRow::kAny;
  return {
      Row("stablehlo.create_token", 0, LowerCreateToken),
      Row("stablehlo.after_all", kAny, LowerAfterAll),
      Row("stablehlo.infeed", 1, LowerInfeed).WithResults(kAny),
      Row("stablehlo.outfeed", kAny, LowerOutfeed).OnStorage(),
      Row("stablehlo.send", kAny, LowerSend).OnStorage(),
      Row("stablehlo.recv", 1, LowerRecv).WithResults(kAny),
  };
}

}  // namespace stablehlo
}  // namespace xla
