// Instructions that compute and move elements.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/writing/hlo_converter.h"
#include "xla_core/ir/opcode_map.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
HloConverter::Handler HloConverter::FindHandler(HloOpcode opcode) {
  using C = HloConverter;
  static constexpr OpcodeMap<Handler> kHandlers(
      /*otherwise=*/nullptr, {{HloOpcode::kAbs, &C::ConvertPlain},
                              {HloOpcode::kAcos, &C::ConvertPlain},
                              {HloOpcode::kAcosh, &C::ConvertPlain},
                              {HloOpcode::kAdd, &C::ConvertPlain},
                              {HloOpcode::kAddDependency, &C::PassOn},
                              {HloOpcode::kAfterAll, &C::ConvertAfterAll},
                              {HloOpcode::kAllGather, &C::ConvertShardingCollective},
                              {HloOpcode::kAllGatherDone, &C::PassOn},
                              {HloOpcode::kAllGatherStart, &C::ConvertShardingCollective},
                              {HloOpcode::kAllReduce, &C::ConvertAllReduce},
                              {HloOpcode::kAllReduceDone, &C::PassOn},
                              {HloOpcode::kAllReduceStart, &C::ConvertAllReduce},
                              {HloOpcode::kAllToAll, &C::ConvertAllToAll},
                              {HloOpcode::kAnd, &C::ConvertPlain},
                              {HloOpcode::kAsin, &C::ConvertPlain},
                              {HloOpcode::kAsinh, &C::ConvertPlain},
                              {HloOpcode::kAsyncDone, &C::PassOn},
                              {HloOpcode::kAsyncStart, &C::ConvertAsyncStart},
                              {HloOpcode::kAsyncUpdate, &C::PassOn},
                              {HloOpcode::kAtan2, &C::ConvertPlain},
                              {HloOpcode::kAtanh, &C::ConvertPlain},
                              {HloOpcode::kBatchNormGrad, &C::ConvertBatchNorm},
                              {HloOpcode::kBatchNormInference, &C::ConvertBatchNorm},
                              {HloOpcode::kBatchNormTraining, &C::ConvertBatchNorm},
                              {HloOpcode::kBitcastConvert, &C::ConvertPlain},
                              {HloOpcode::kBroadcast, &C::ConvertBroadcast},
                              {HloOpcode::kCall, &C::ConvertCall},
                              {HloOpcode::kCbrt, &C::ConvertPlain},
                              {HloOpcode::kCeil, &C::ConvertPlain},
                              {HloOpcode::kCholesky, &C::ConvertCholesky},
                              {HloOpcode::kClamp, &C::ConvertPlain},
                              {HloOpcode::kCollectiveBroadcast, &C::ConvertCollectiveBroadcast},
                              {HloOpcode::kCollectivePermute, &C::ConvertCollectivePermute},
                              {HloOpcode::kCollectivePermuteDone, &C::PassOn},
                              {HloOpcode::kCollectivePermuteStart, &C::ConvertCollectivePermute},
                              {HloOpcode::kCompare, &C::ConvertCompare},
                              {HloOpcode::kComplex, &C::ConvertPlain},
                              {HloOpcode::kConcatenate, &C::ConvertDimension},
                              {HloOpcode::kConditional, &C::ConvertConditional},
                              {HloOpcode::kConstant, &C::ConvertConstant},
                              {HloOpcode::kConvert, &C::ConvertPlain},
                              {HloOpcode::kConvolution, &C::ConvertConvolution},
                              {HloOpcode::kCopy, &C::PassOn},
                              {HloOpcode::kCopyDone, &C::PassOn},
                              {HloOpcode::kCopyStart, &C::PassOn},
                              {HloOpcode::kCos, &C::ConvertPlain},
                              {HloOpcode::kCosh, &C::ConvertPlain},
                              {HloOpcode::kCountLeadingZeros, &C::ConvertPlain},
                              {HloOpcode::kCustomCall, &C::ConvertCustomCall},
                              {HloOpcode::kDivide, &C::ConvertPlain},
                              {HloOpcode::kDomain, &C::PassOn},
                              {HloOpcode::kDot, &C::ConvertDot},
                              {HloOpcode::kDynamicSlice, &C::ConvertDynamicSlice},
                              {HloOpcode::kDynamicUpdateSlice, &C::ConvertPlain},
                              {HloOpcode::kErf, &C::ConvertPlain},
                              {HloOpcode::kExp, &C::ConvertPlain},
                              {HloOpcode::kExpm1, &C::ConvertPlain},
                              {HloOpcode::kFft, &C::ConvertFft},
                              {HloOpcode::kFloor, &C::ConvertPlain},
                              {HloOpcode::kFusion, &C::ConvertCall},
                              {HloOpcode::kGather, &C::ConvertGather},
                              {HloOpcode::kGetDimensionSize, &C::ConvertDimension},
                              {HloOpcode::kGetTupleElement, &C::ConvertGetTupleElement},
                              {HloOpcode::kImag, &C::ConvertPlain},
                              {HloOpcode::kInfeed, &C::ConvertInfeed},
                              {HloOpcode::kIota, &C::ConvertIota},
                              {HloOpcode::kIsFinite, &C::ConvertPlain},
                              {HloOpcode::kLog, &C::ConvertPlain},
                              {HloOpcode::kLog1p, &C::ConvertPlain},
                              {HloOpcode::kLogistic, &C::ConvertPlain},
                              {HloOpcode::kMap, &C::ConvertDimensions},
                              {HloOpcode::kMaximum, &C::ConvertPlain},
                              {HloOpcode::kMinimum, &C::ConvertPlain},
                              {HloOpcode::kMulhi, &C::ConvertPlain},
                              {HloOpcode::kMultiply, &C::ConvertPlain},
                              {HloOpcode::kNegate, &C::ConvertPlain},
                              {HloOpcode::kNot, &C::ConvertPlain},
                              {HloOpcode::kOptBarrier, &C::ConvertBarrier},
                              {HloOpcode::kOr, &C::ConvertPlain},
                              {HloOpcode::kOutfeed, &C::ConvertOutfeed},
                              {HloOpcode::kPad, &C::ConvertPad},
                              {HloOpcode::kParameter, &C::ConvertParameter},
                              {HloOpcode::kPartitionId, &C::ConvertPlain},
                              {HloOpcode::kPopulationCount, &C::ConvertPlain},
                              {HloOpcode::kPower, &C::ConvertPlain},
                              {HloOpcode::kRaggedDot, &C::ConvertRaggedDot},
                              {HloOpcode::kReal, &C::ConvertPlain},
                              {HloOpcode::kRecv, &C::ConvertRecv},
                              {HloOpcode::kRecvDone, &C::PassOn},
                              {HloOpcode::kReduce, &C::ConvertDimensions},
                              {HloOpcode::kReducePrecision, &C::ConvertReducePrecision},
                              {HloOpcode::kReduceScatter, &C::ConvertShardingCollective},
                              {HloOpcode::kReduceWindow, &C::ConvertReduceWindow},
                              {HloOpcode::kRemainder, &C::ConvertPlain},
                              {HloOpcode::kReplicaId, &C::ConvertPlain},
                              {HloOpcode::kReshape, &C::ConvertPlain},
                              {HloOpcode::kReverse, &C::ConvertDimensions},
                              {HloOpcode::kRng, &C::ConvertRng},
                              {HloOpcode::kRngBitGenerator, &C::ConvertRngBitGenerator},
                              {HloOpcode::kRoundNearestAfz, &C::ConvertPlain},
                              {HloOpcode::kRoundNearestEven, &C::ConvertPlain},
                              {HloOpcode::kRsqrt, &C::ConvertPlain},
                              {HloOpcode::kScatter, &C::ConvertScatter},
                              {HloOpcode::kSelect, &C::ConvertPlain},
                              {HloOpcode::kSelectAndScatter, &C::ConvertSelectAndScatter},
                              {HloOpcode::kSend, &C::ConvertSend},
                              {HloOpcode::kSendDone, &C::PassOn},
                              {HloOpcode::kSetDimensionSize, &C::ConvertDimension},
                              {HloOpcode::kShiftLeft, &C::ConvertPlain},
                              {HloOpcode::kShiftRightArithmetic, &C::ConvertPlain},
                              {HloOpcode::kShiftRightLogical, &C::ConvertPlain},
                              {HloOpcode::kSign, &C::ConvertPlain},
                              {HloOpcode::kSin, &C::ConvertPlain},
                              {HloOpcode::kSinh, &C::ConvertPlain},
                              {HloOpcode::kSlice, &C::ConvertSlice},
                              {HloOpcode::kSort, &C::ConvertSort},
                              {HloOpcode::kSqrt, &C::ConvertPlain},
                              {HloOpcode::kSubtract, &C::ConvertPlain},
                              {HloOpcode::kTan, &C::ConvertPlain},
                              {HloOpcode::kTanh, &C::ConvertPlain},
                              {HloOpcode::kTopK, &C::ConvertTopK},
                              {HloOpcode::kTranspose, &C::ConvertDimensions},
                              {HloOpcode::kTriangularSolve, &C::ConvertTriangularSolve},
                              {HloOpcode::kTuple, &C::ConvertTuple},
                              {HloOpcode::kWhile, &C::ConvertWhile},
                              {HloOpcode::kXor, &C::ConvertPlain}});
  return kHandlers[opcode];
}

// Operations that differ from the instruction in nothing but the name. Those that only CHLO has are listed; the others
// are called as in HLO, with underscores.
absl::Status HloConverter::ConvertPlain(const HloInstruction& instruction, Body* body) {
  static constexpr OpcodeSet kOfChlo = {HloOpcode::kAcos,  HloOpcode::kAcosh, HloOpcode::kAsin,
                                        HloOpcode::kAsinh, HloOpcode::kAtanh, HloOpcode::kCosh,
                                        HloOpcode::kErf,   HloOpcode::kMulhi, HloOpcode::kSinh};
  Draft draft;
  std::string name(instruction.opcode_name());
  std::replace(name.begin(), name.end(), '-', '_');
  name.insert(0, kOfChlo.Has(instruction.opcode()) ? "chlo." : "stablehlo.");
  draft.name = name;
  draft.operands = AllOperands(instruction, *body);
  return Emit(instruction, std::move(draft), body);
}

// Instructions whose value is that of their first operand.
absl::Status HloConverter::PassOn(const HloInstruction& instruction, Body* body) {
  const bool begins = instruction.opcode() == HloOpcode::kCopyStart || instruction.opcode() == HloOpcode::kAsyncUpdate;
  if (begins && !IsOnlyAwaited(instruction)) {
    return Unsupported(instruction, "something else than its end uses it");
  }
  body->values[instruction.place()] = LeavesOf(*instruction.operand(0), *body);
  return absl::OkStatus();
}

absl::Status HloConverter::ConvertParameter(const HloInstruction& instruction, Body* body) {
  body->values[instruction.place()] = body->parameters[instruction.attributes<ParameterAttributes>().number];
  return absl::OkStatus();
}

absl::Status HloConverter::ConvertConstant(const HloInstruction& instruction, Body* body) {
  const std::shared_ptr<const Literal>& literal = instruction.attributes<ConstantAttributes>().literal;
  if (literal == nullptr) return Unsupported(instruction, "the elements of this constant were left out");
  module_.KeepAlive(literal);
  Leaves leaves;
  std::vector<const Literal*> to_convert = {literal.get()};
  while (!to_convert.empty()) {
    const Literal& part = *to_convert.back();
    to_convert.pop_back();
    for (int i = part.tuple_size(); i > 0; --i) to_convert.push_back(&part.element(i - 1));
    if (part.IsTuple()) continue;
    Draft draft;
    if (part.shape().IsToken()) {
      draft.name = "stablehlo.create_token";
      draft.result_types = {module_.Intern(SimpleType(TypeKind::kToken))};
    } else {
      ASSIGN_OR_RETURN(const AttributeId value, ConstantOf(part));
      draft.name = "stablehlo.constant";
      draft.attributes = {{"value", value}};
      draft.result_types = {module_.attribute(value).type};
    }
    RETURN_IF_ERROR(Emit(instruction, std::move(draft), body));
    leaves.push_back(body->values[instruction.place()][0]);
  }
  body->values[instruction.place()] = std::move(leaves);
  return absl::OkStatus();
}

absl::Status HloConverter::ConvertTuple(const HloInstruction& instruction, Body* body) {
  body->values[instruction.place()] = AllOperands(instruction, *body);
  return absl::OkStatus();
}

absl::Status HloConverter::ConvertGetTupleElement(const HloInstruction& instruction, Body* body) {
  const Shape& tuple = instruction.operand(0)->shape();
  const int64_t index = instruction.attributes<GetTupleElementAttributes>().index;
  int64_t first = 0;
  for (int64_t i = 0; i < index; ++i) first += tuple.tuple_shape(static_cast<int>(i)).leaf_count();
  const Leaves& leaves = LeavesOf(*instruction.operand(0), *body);
  const int64_t count = instruction.shape().leaf_count();
  body->values[instruction.place()] = Leaves(leaves.begin() + first, leaves.begin() + first + count);
  return absl::OkStatus();
}

absl::Status HloConverter::ConvertCompare(const HloInstruction& instruction, Body* body) {
  constexpr absl::string_view kDirections[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
  constexpr absl::string_view kTypes[] = {"FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};
  const auto& attributes = instruction.attributes<CompareAttributes>();
  Draft draft;
  draft.name = "stablehlo.compare";
  draft.operands = AllOperands(instruction, *body);
  draft.attributes = {
      {"comparison_direction", Enum("comparison_direction", kDirections[static_cast<int>(attributes.direction)])},
      {"compare_type", Enum("comparison_type", kTypes[static_cast<int>(attributes.type)])}};
  return Emit(instruction, std::move(draft), body);
}

absl::Status HloConverter::ConvertIota(const HloInstruction& instruction, Body* body) {
  Draft draft;
  draft.name = "stablehlo.iota";
  draft.attributes = {{"iota_dimension", Int(instruction.attributes<IotaAttributes>().iota_dimension)}};
  return Emit(instruction, std::move(draft), body);
}

absl::Status HloConverter::ConvertBroadcast(const HloInstruction& instruction, Body* body) {
  Draft draft;
  draft.name = "stablehlo.broadcast_in_dim";
  draft.operands = AllOperands(instruction, *body);
  draft.attributes = {{"broadcast_dimensions", Ints(instruction.attributes<BroadcastAttributes>().dimensions)}};
  return Emit(instruction, std::move(draft), body);
}

// transpose, reverse, reduce, map
absl::Status HloConverter::ConvertDimensions(const HloInstruction& instruction, Body* body) {
  Draft draft;
  draft.operands = AllOperands(instruction, *body);
  const HloOpcode opcode = instruction.opcode();
  if (opcode == HloOpcode::kMap) {
    std::vector<int64_t> all(instruction.shape().rank());
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
    draft.name = "stablehlo.map";
    draft.attributes = {{"dimensions", Ints(all)}};
  } else {
    const bool is_transpose = opcode == HloOpcode::kTranspose;
    draft.name = is_transpose                    ? "stablehlo.transpose"
                 : opcode == HloOpcode::kReverse ? "stablehlo.reverse"
                                                 : "stablehlo.reduce";
    draft.attributes = {
        {is_transpose ? "permutation" : "dimensions", Ints(instruction.attributes<DimensionsAttributes>().dimensions)}};
  }
  if (!instruction.called_computations().empty()) RETURN_IF_ERROR(AppendRegion(instruction, 0, *body, &draft));
  return Emit(instruction, std::move(draft), body);
}

// concatenate, get-dimension-size, set-dimension-size
absl::Status HloConverter::ConvertDimension(const HloInstruction& instruction, Body* body) {
  Draft draft;
  draft.name = instruction.opcode() == HloOpcode::kConcatenate        ? "stablehlo.concatenate"
               : instruction.opcode() == HloOpcode::kGetDimensionSize ? "stablehlo.get_dimension_size"
                                                                      : "stablehlo.set_dimension_size";
  draft.operands = AllOperands(instruction, *body);
  draft.attributes = {{"dimension", Int(instruction.attributes<DimensionAttributes>().dimension)}};
  return Emit(instruction, std::move(draft), body);
}

absl::Status HloConverter::ConvertSlice(const HloInstruction& instruction, Body* body) {
  std::vector<int64_t> starts;
  std::vector<int64_t> limits;
  std::vector<int64_t> strides;
  for (const SliceRange& range : instruction.attributes<SliceAttributes>().ranges) {
    starts.push_back(range.start);
    limits.push_back(range.limit);
    strides.push_back(range.stride);
  }
  Draft draft;
  draft.name = "stablehlo.slice";
  draft.operands = AllOperands(instruction, *body);
  draft.attributes = {{"start_indices", Ints(starts)}, {"limit_indices", Ints(limits)}, {"strides", Ints(strides)}};
  return Emit(instruction, std::move(draft), body);
}

absl::Status HloConverter::ConvertDynamicSlice(const HloInstruction& instruction, Body* body) {
  Draft draft;
  draft.name = "stablehlo.dynamic_slice";
  draft.operands = AllOperands(instruction, *body);
  draft.attributes = {{"slice_sizes", Ints(instruction.attributes<DynamicSliceAttributes>().slice_sizes)}};
  return Emit(instruction, std::move(draft), body);
}

absl::Status HloConverter::ConvertPad(const HloInstruction& instruction, Body* body) {
  std::vector<int64_t> low;
  std::vector<int64_t> high;
  std::vector<int64_t> interior;
  for (const PaddingDimension& dimension : instruction.attributes<PadAttributes>().padding) {
    low.push_back(dimension.low);
    high.push_back(dimension.high);
    interior.push_back(dimension.interior);
  }
  Draft draft;
  draft.name = "stablehlo.pad";
  draft.operands = AllOperands(instruction, *body);
  draft.attributes = {
      {"edge_padding_low", Ints(low)}, {"edge_padding_high", Ints(high)}, {"interior_padding", Ints(interior)}};
  return Emit(instruction, std::move(draft), body);
}

absl::Status HloConverter::ConvertGather(const HloInstruction& instruction, Body* body) {
  const auto& attributes = instruction.attributes<GatherAttributes>();
  Draft draft;
  draft.name = "stablehlo.gather";
  draft.operands = AllOperands(instruction, *body);
  draft.attributes = {{"dimension_numbers",
                       module_.Struct("stablehlo.gather",
                                      {{"offset_dims", Ints(attributes.offset_dims)},
                                       {"collapsed_slice_dims", Ints(attributes.collapsed_slice_dims)},
                                       {"operand_batching_dims", Ints(attributes.operand_batching_dims)},
                                       {"start_indices_batching_dims", Ints(attributes.start_indices_batching_dims)},
                                       {"start_index_map", Ints(attributes.start_index_map)},
                                       {"index_vector_dim", Int(attributes.index_vector_dim)}})},
                      {"slice_sizes", Ints(attributes.slice_sizes)},
                      {"indices_are_sorted", Bool(attributes.indices_are_sorted)}};
  return Emit(instruction, std::move(draft), body);
}

absl::Status HloConverter::ConvertScatter(const HloInstruction& instruction, Body* body) {
  const auto& attributes = instruction.attributes<ScatterAttributes>();
  Draft draft;
  draft.name = "stablehlo.scatter";
  draft.operands = AllOperands(instruction, *body);
  draft.attributes = {
      {"scatter_dimension_numbers",
       module_.Struct("stablehlo.scatter",
                      {{"update_window_dims", Ints(attributes.update_window_dims)},
                       {"inserted_window_dims", Ints(attributes.inserted_window_dims)},
                       {"input_batching_dims", Ints(attributes.input_batching_dims)},
                       {"scatter_indices_batching_dims", Ints(attributes.scatter_indices_batching_dims)},
                       {"scatter_dims_to_operand_dims", Ints(attributes.scatter_dims_to_operand_dims)},
                       {"index_vector_dim", Int(attributes.index_vector_dim)}})},
      {"indices_are_sorted", Bool(attributes.indices_are_sorted)},
      {"unique_indices", Bool(attributes.unique_indices)}};
  RETURN_IF_ERROR(AppendRegion(instruction, 0, *body, &draft));
  return Emit(instruction, std::move(draft), body);
}

absl::Status HloConverter::ConvertReducePrecision(const HloInstruction& instruction, Body* body) {
  const auto& attributes = instruction.attributes<ReducePrecisionAttributes>();
  Draft draft;
  draft.name = "stablehlo.reduce_precision";
  draft.operands = AllOperands(instruction, *body);
  draft.attributes = {{"exponent_bits", Int32(attributes.exponent_bits)},
                      {"mantissa_bits", Int32(attributes.mantissa_bits)}};
  return Emit(instruction, std::move(draft), body);
}

absl::Status HloConverter::ConvertSort(const HloInstruction& instruction, Body* body) {
  const auto& attributes = instruction.attributes<SortAttributes>();
  Draft draft;
  draft.name = "stablehlo.sort";
  draft.operands = AllOperands(instruction, *body);
  draft.attributes = {{"dimension", Int(attributes.dimension)}, {"is_stable", Bool(attributes.is_stable)}};
  RETURN_IF_ERROR(AppendRegion(instruction, 0, *body, &draft));
  return Emit(instruction, std::move(draft), body);
}

absl::Status HloConverter::ConvertTopK(const HloInstruction& instruction, Body* body) {
  const auto& attributes = instruction.attributes<TopKAttributes>();
  if (!attributes.largest) return Unsupported(instruction, "chlo.top_k finds the largest elements only");
  Draft draft;
  draft.name = "chlo.top_k";
  draft.operands = AllOperands(instruction, *body);
  draft.attributes = {{"k", Int(attributes.k)}};
  return Emit(instruction, std::move(draft), body);
}

}  // namespace stablehlo
}  // namespace xla
