// The grouped collectives: all-reduce, all-gather, reduce-scatter, all-to-all, ragged-all-to-all, collective-broadcast
// and the start/done pairs of the first two.
//
// Each device hands its operands to the others of its group (EvalContext::Exchange shares storage, it copies nothing)
// and computes its own result from all of them, always in group order, so that every device gets the same bits in every
// run.
#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/callee_rules.h"
#include "xla_core/ops/collective_groups.h"
#include "xla_core/ops/convert_elements.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/scalar_function.h"
#include "xla_core/ops/start_context.h"
#include "xla_core/ops/variadic_result.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Blocks of an array along one dimension: `outer` runs of `run_bytes`, of which a slice takes a part.
struct DimensionBlocks {
  int64_t outer = 1;
  int64_t row_bytes = 1;  // bytes of one index of the dimension
  int64_t size = 0;

  DimensionBlocks(const Shape& shape, int64_t dimension)
      : row_bytes(ByteWidth(shape.element_type())), size(shape.dimension(dimension)) {
    for (int d = 0; d < dimension; ++d) outer *= shape.dimension(d);
    for (int d = static_cast<int>(dimension) + 1; d < shape.rank(); ++d) row_bytes *= shape.dimension(d);
  }
};

// to[to_start : to_start + count] = from[from_start : from_start + count] along the dimension.
void CopyBlock(const Literal& from, int64_t from_start, Literal* to, int64_t to_start, int64_t count,
               int64_t dimension) {
  // Beside a dimension of size 0, the others may be of sizes whose product overflows.
  if (count == 0 || from.size_bytes() == 0 || to->size_bytes() == 0) return;
  const DimensionBlocks source(from.shape(), dimension);
  const DimensionBlocks target(to->shape(), dimension);
  const char* in = from.data<char>();
  char* out = to->mutable_data<char>();
  for (int64_t o = 0; o < source.outer; ++o) {
    std::memcpy(out + (o * target.size + to_start) * target.row_bytes,
                in + (o * source.size + from_start) * source.row_bytes, count * source.row_bytes);
  }
}

absl::StatusOr<Literal> SliceAlong(const Literal& from, int64_t start, int64_t count, int64_t dimension,
                                   EvalContext& context) {
  Shape shape = from.shape();
  shape.set_dimension(static_cast<int>(dimension), count);
  ASSIGN_OR_RETURN(Literal slice, context.Allocate(shape));
  CopyBlock(from, start, &slice, 0, count, dimension);
  return slice;
}

// The shapes of the results, whether there is one or a tuple of them.
absl::Span<const Shape> ResultShapes(const Shape& shape) {
  return shape.IsTuple() ? shape.tuple_shapes() : absl::MakeConstSpan(&shape, 1);
}

struct Meeting {
  DeviceGroup group;
  int64_t position = 0;  // of this device
  Contributions contributions;
};

// Waits for the group of this device.
absl::StatusOr<Meeting> Meet(const HloInstruction& collective, OperandValues& operands, EvalContext& context) {
  Meeting meeting;
  const DeviceInfo device = context.device();
  auto group = GroupOfDevice(collective, device);
  if (!group.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(collective.name(), ": ", group.status().message()));
  }
  meeting.group = *std::move(group);
  const auto at = std::find(meeting.group.begin(), meeting.group.end(), device.id());
  if (at == meeting.group.end()) return meeting;
  meeting.position = at - meeting.group.begin();
  std::vector<Literal> mine;
  for (int i = 0; i < operands.size(); ++i) mine.push_back(operands.Take(i));
  ASSIGN_OR_RETURN(meeting.contributions, context.Exchange(collective, meeting.group, std::move(mine)));
  return meeting;
}

absl::Status RequireMember(const HloInstruction& collective, const Meeting& meeting, const DeviceInfo& device) {
  if (!meeting.contributions.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(collective.name(), ": device ", device.id(), " (replica ",
                                                 device.replica, ", partition ", device.partition,
                                                 ") is in none of the replica_groups"));
}

// `array` in another element type; shares storage if it has that type.
absl::StatusOr<Literal> ConvertArray(const Literal& array, PrimitiveType to, EvalContext& context) {
  const PrimitiveType from = array.shape().element_type();
  if (from == to) return array;
  Shape shape = array.shape().WithoutLayout();
  shape.set_element_type(to);
  ASSIGN_OR_RETURN(Literal converted, context.Allocate(shape));
  ConvertElements(from, to, array.element_count(), array.untyped_data(), converted.untyped_mutable_data());
  return converted;
}

// Operand k of all members, combined in group order: in the type of the reducer, which may be another than the
// operand's; the result is then rounded once.
absl::StatusOr<Literal> ReduceGroup(std::vector<Literal> values, const HloComputation& reducer, EvalContext& context) {
  ASSIGN_OR_RETURN(const ScalarFunction* function, context.GetScalarFunction(reducer));
  const Shape shape = values[0].shape();
  const PrimitiveType type = reducer.root()->shape().element_type();
  for (Literal& value : values) {
    ASSIGN_OR_RETURN(value, ConvertArray(value, type, context));
  }
  Literal result = std::move(values[0]);
  // What a device reduces alone is not written to.
  if (values.size() > 1) RETURN_IF_ERROR(result.MakeWritable(context.memory_budget()));
  const int64_t width = ByteWidth(type);
  for (size_t m = 1; m < values.size(); ++m) {
    RETURN_IF_ERROR(context.CheckDeadline());
    const LaneInput inputs[2] = {{result.untyped_data(), width}, {values[m].untyped_data(), width}};
    void* const results[1] = {result.untyped_mutable_data()};
    RETURN_IF_ERROR(function->Apply(result.element_count(), inputs, results, context));
  }
  if (type == shape.element_type()) return result;
  ASSIGN_OR_RETURN(Literal rounded, ConvertArray(result, shape.element_type(), context));
  rounded.ResetShape(shape);
  return rounded;
}

// ---- all-reduce: every device gets the combination of the group's operands. The result for one of them may be written
// as a tuple of it.

// Whether a value of one type can be reduced in the other and converted back.
bool AreOfOneKind(PrimitiveType a, PrimitiveType b) {
  return a == b || (IsFloat(a) && IsFloat(b)) || (IsComplex(a) && IsComplex(b)) || (IsInt(a) && IsInt(b));
}

// The reducer works on scalars of the operand's type, or of a wider or narrower one of its kind.
void CheckReducer(const HloInstruction& collective, Violations& violations) {
  const HloComputation& reducer = *collective.called_computation(0);
  const Shape& reduced = reducer.root()->shape();
  for (const HloInstruction* operand : collective.operands()) {
    if (!operand->shape().IsArray()) {
      return violations.Add(
          absl::StrCat("operands must be arrays, but ", operand->name(), " is ", operand->shape().ToString()));
    }
    const PrimitiveType type = operand->shape().element_type();
    const bool converts = reduced.IsScalar() && reduced.element_type() != type;
    const Shape scalar =
        converts && AreOfOneKind(type, reduced.element_type()) ? reduced.WithoutLayout() : Shape::Scalar(type);
    const absl::Status parameters = CheckCalleeParameters("to_apply", reducer, {scalar, scalar});
    const absl::Status result = CheckCalleeResult("to_apply", reducer, scalar);
    violations.Add(parameters);
    violations.Add(result);
    if (!parameters.ok() || !result.ok()) return;
    if (!converts) continue;
    violations.Warn(absl::StrCat("to_apply ", reducer.name(), " works in ", PrimitiveTypeName(reduced.element_type()),
                                 ", but ", operand->name(), " is ", operand->shape().ToString(),
                                 "; it is converted, and the result is rounded once"));
  }
}

absl::StatusOr<Shape> InferAllReduce(const HloInstruction& all_reduce) {
  return ArrayOrTuple(OperandShapes(all_reduce), IsWrittenAsTuple(all_reduce, all_reduce.operand_count()));
}

void VerifyAllReduceStart(const HloInstruction& start, Violations& violations) {
  VerifyGroups(start, GroupRules::kAnySizes, violations);
  CheckReducer(start, violations);
}

void VerifyAllReduce(const HloInstruction& all_reduce, Violations& violations) {
  VerifyAllReduceStart(all_reduce, violations);
  WarnOfTupleOfOne(all_reduce, all_reduce.operand_count(), violations);
}

// One for each operand.
absl::StatusOr<std::vector<Literal>> ReduceOperands(const HloInstruction& all_reduce, OperandValues& operands,
                                                    EvalContext& context) {
  const int count = operands.size();
  ASSIGN_OR_RETURN(Meeting meeting, Meet(all_reduce, operands, context));
  RETURN_IF_ERROR(RequireMember(all_reduce, meeting, context.device()));
  std::vector<Literal> results;
  for (int k = 0; k < count; ++k) {
    std::vector<Literal> values;
    for (const auto& member : meeting.contributions) values.push_back((*member)[k]);
    ASSIGN_OR_RETURN(Literal result, ReduceGroup(std::move(values), *all_reduce.called_computation(0), context));
    results.push_back(std::move(result));
  }
  return results;
}

absl::StatusOr<Literal> EvaluateAllReduce(const HloInstruction& all_reduce, OperandValues& operands,
                                          EvalContext& context) {
  ASSIGN_OR_RETURN(std::vector<Literal> results, ReduceOperands(all_reduce, operands, context));
  return ArrayOrTuple(std::move(results), IsWrittenAsTuple(all_reduce, all_reduce.operand_count()));
}

// all-reduce-start has the shape of an all-reduce, perhaps with context values: those of one operand make a tuple of
// it, those of several follow the results.
bool HasContext(const HloInstruction& start) {
  const Shape& shape = start.shape();
  return shape.IsTuple() && (start.operand_count() == 1 || shape.tuple_size() > start.operand_count());
}

// The part of the value of a start that is the result.
Shape ResultOfStart(const HloInstruction& start) {
  if (!HasContext(start)) return start.shape();
  const auto results = start.shape().tuple_shapes().subspan(0, start.operand_count());
  return ArrayOrTuple(std::vector<Shape>(results.begin(), results.end()));
}

// The written shape tells whether there are context values.
absl::StatusOr<Shape> InferAllReduceStart(const HloInstruction& start) {
  const Shape result = ArrayOrTuple(OperandShapes(start));
  return HasContext(start) && ResultOfStart(start).Compatible(result) ? start.shape().WithoutLayout() : result;
}

absl::StatusOr<Literal> EvaluateAllReduceStart(const HloInstruction& start, OperandValues& operands,
                                               EvalContext& context) {
  ASSIGN_OR_RETURN(std::vector<Literal> elements, ReduceOperands(start, operands, context));
  if (!HasContext(start)) return ArrayOrTuple(std::move(elements));
  RETURN_IF_ERROR(AppendContext(start.shape(), context, &elements));
  return Literal::Tuple(std::move(elements));
}

absl::StatusOr<Shape> InferAllReduceDone(const HloInstruction& done) {
  if (done.operand(0)->opcode() != HloOpcode::kAllReduceStart) {
    return absl::InvalidArgumentError(absl::StrCat("the operand must be an all-reduce-start, but ",
                                                   done.operand(0)->name(), " is a ", done.operand(0)->opcode_name()));
  }
  return ResultOfStart(*done.operand(0));
}

absl::StatusOr<Literal> EvaluateAllReduceDone(const HloInstruction& done, OperandValues& operands, EvalContext&) {
  Literal value = operands.Take(0);
  const HloInstruction& start = *done.operand(0);
  if (!HasContext(start)) return value;
  std::vector<Literal> elements = value.TakeElements();
  elements.resize(start.operand_count());
  return ArrayOrTuple(std::move(elements));
}

// ---- all-gather: the group's operands one after the other along `dimensions`.

// One rule for all-gather (result = operand * group) and, with the roles swapped, reduce-scatter.
void CheckShardedShapes(const HloInstruction& collective, absl::Span<const Shape> shards,
                        absl::Span<const Shape> wholes, Violations& violations) {
  const auto& attributes = collective.attributes<ShardingCollectiveAttributes>();
  const int64_t group_size = StaticGroupSize(collective);
  if (shards.size() != wholes.size()) {
    return violations.Add(absl::StrCat("expected one result for each of the ", collective.operand_count(),
                                       " operands, found the shape ", collective.shape().ToString()));
  }
  for (size_t k = 0; k < shards.size(); ++k) {
    const Shape& shard = shards[k];
    const Shape& whole = wholes[k];
    const int64_t d = attributes.dimension;
    if (!shard.IsArray() || d < 0 || d >= shard.rank()) {
      return violations.Add(absl::StrCat("dimension ", d, " is out of range for ", shard.ToString()));
    }
    Shape expected = shard;
    if (!whole.IsArray() || whole.rank() != shard.rank()) {
      return violations.Add(absl::StrCat("operand and result must have the same rank, found ", shard.ToString(),
                                         " and ", whole.ToString()));
    }
    expected.set_dimension(static_cast<int>(d), whole.dimension(static_cast<int>(d)));
    if (!expected.Compatible(whole)) {
      return violations.Add(absl::StrCat("operand and result may differ in dimension ", d, " only, found ",
                                         shard.ToString(), " and ", whole.ToString()));
    }
    int64_t times;
    const int64_t size = shard.dimension(static_cast<int>(d));
    if (group_size > 0 && (!CheckedMul(size, group_size, &times) || times != whole.dimension(static_cast<int>(d)))) {
      violations.Add(absl::StrCat("dimension ", d, " must be ", group_size, " times as large in ", whole.ToString(),
                                  " as in ", shard.ToString(), ", because a group has ", group_size, " devices"));
    }
  }
}

void VerifyAllGather(const HloInstruction& all_gather, Violations& violations) {
  VerifyGroups(all_gather, GroupRules::kEqualSizes, violations);
  CheckShardedShapes(all_gather, OperandShapes(all_gather), ResultShapes(all_gather.shape()), violations);
  WarnOfTupleOfOne(all_gather, all_gather.operand_count(), violations);
}

void VerifyAllGatherStart(const HloInstruction& start, Violations& violations) {
  VerifyGroups(start, GroupRules::kEqualSizes, violations);
  const Shape operands = ArrayOrTuple(OperandShapes(start));
  if (!start.shape().IsTuple() || start.shape().tuple_size() < 2 ||
      !start.shape().tuple_shape(0).Compatible(operands)) {
    return violations.Add(absl::StrCat("expected a shape of the form (operands, results, context...) with operands ",
                                       operands.ToString(), ", found ", start.shape().ToString()));
  }
  CheckShardedShapes(start, OperandShapes(start), ResultShapes(start.shape().tuple_shape(1)), violations);
}

// The shards of all members side by side along the dimension. Errors: the group has another size than the result
// shape says, as the module was written for another number of devices.
absl::StatusOr<Literal> Gathered(const HloInstruction& instruction, const Shape& result_shape, OperandValues& operands,
                                 EvalContext& context) {
  const int count = operands.size();
  const int64_t dimension = instruction.attributes<ShardingCollectiveAttributes>().dimension;
  ASSIGN_OR_RETURN(const Meeting meeting, Meet(instruction, operands, context));
  RETURN_IF_ERROR(RequireMember(instruction, meeting, context.device()));
  std::vector<Literal> results;
  for (int k = 0; k < count; ++k) {
    const Shape& shape = ResultShapes(result_shape)[k];
    const int64_t shard = (*meeting.contributions[0])[k].shape().dimension(static_cast<int>(dimension));
    const int64_t members = static_cast<int64_t>(meeting.group.size());
    if (shard * members != shape.dimension(static_cast<int>(dimension))) {
      return absl::InvalidArgumentError(absl::StrCat(
          instruction.name(), ": the result ", shape.ToString(), " has no room for ", members, " shards of ", shard,
          " in dimension ", dimension, "; run it with the number of devices it was written for"));
    }
    ASSIGN_OR_RETURN(Literal result, context.Allocate(shape));
    for (int64_t m = 0; m < members; ++m)
      CopyBlock((*meeting.contributions[m])[k], 0, &result, m * shard, shard, dimension);
    results.push_back(std::move(result));
  }
  return ArrayOrTuple(std::move(results), result_shape.IsTuple());
}

absl::StatusOr<Literal> EvaluateAllGather(const HloInstruction& all_gather, OperandValues& operands,
                                          EvalContext& context) {
  return Gathered(all_gather, all_gather.shape(), operands, context);
}

absl::StatusOr<Literal> EvaluateAllGatherStart(const HloInstruction& start, OperandValues& operands,
                                               EvalContext& context) {
  std::vector<Literal> inputs;
  for (int i = 0; i < operands.size(); ++i) inputs.push_back(operands[i]);
  std::vector<Literal> elements(2);
  ASSIGN_OR_RETURN(elements[1], Gathered(start, start.shape().tuple_shape(1), operands, context));
  elements[0] = ArrayOrTuple(std::move(inputs));
  RETURN_IF_ERROR(AppendContext(start.shape(), context, &elements));
  return Literal::Tuple(std::move(elements));
}

absl::StatusOr<Shape> InferAllGatherDone(const HloInstruction& done) {
  const HloInstruction& start = *done.operand(0);
  if (start.opcode() != HloOpcode::kAllGatherStart || start.shape().tuple_size() < 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("the operand must be an all-gather-start, but ", start.name(), " is a ", start.opcode_name()));
  }
  return start.shape().tuple_shape(1);
}

absl::StatusOr<Literal> EvaluateAllGatherDone(const HloInstruction&, OperandValues& operands, EvalContext&) {
  return operands[0].element(1);
}

// ---- reduce-scatter: all-reduce, of which each device keeps the slice of its position.

void VerifyReduceScatter(const HloInstruction& reduce_scatter, Violations& violations) {
  VerifyGroups(reduce_scatter, GroupRules::kEqualSizes, violations);
  CheckReducer(reduce_scatter, violations);
  CheckShardedShapes(reduce_scatter, ResultShapes(reduce_scatter.shape()), OperandShapes(reduce_scatter), violations);
  WarnOfTupleOfOne(reduce_scatter, reduce_scatter.operand_count(), violations);
}

// Reduces only the slice that this device keeps: the same result as an all-reduce and a slice, for less work.
absl::StatusOr<Literal> EvaluateReduceScatter(const HloInstruction& instruction, OperandValues& operands,
                                              EvalContext& context) {
  const int count = operands.size();
  const int64_t dimension = instruction.attributes<ShardingCollectiveAttributes>().dimension;
  ASSIGN_OR_RETURN(const Meeting meeting, Meet(instruction, operands, context));
  RETURN_IF_ERROR(RequireMember(instruction, meeting, context.device()));
  std::vector<Literal> results;
  for (int k = 0; k < count; ++k) {
    const int64_t shard = ResultShapes(instruction.shape())[k].dimension(static_cast<int>(dimension));
    const int64_t members = static_cast<int64_t>(meeting.group.size());
    const int64_t whole = (*meeting.contributions[0])[k].shape().dimension(static_cast<int>(dimension));
    if (shard * members != whole) {
      return absl::InvalidArgumentError(absl::StrCat(instruction.name(), ": dimension ", dimension, " of size ", whole,
                                                     " cannot be cut into ", members, " shards of ", shard,
                                                     "; run it with the number of devices it was written for"));
    }
    std::vector<Literal> slices;
    for (const auto& member : meeting.contributions) {
      ASSIGN_OR_RETURN(Literal slice, SliceAlong((*member)[k], meeting.position * shard, shard, dimension, context));
      slices.push_back(std::move(slice));
    }
    ASSIGN_OR_RETURN(Literal result, ReduceGroup(std::move(slices), *instruction.called_computation(0), context));
    result.ResetShape(ResultShapes(instruction.shape())[k]);
    results.push_back(std::move(result));
  }
  return ArrayOrTuple(std::move(results), instruction.shape().IsTuple());
}

// ---- all-to-all: the device at position i gets the i-th block (or operand) of every device.

// Two forms: n operands for n devices and a tuple of what arrived; or one array, of which block i goes to device i.
void VerifyAllToAll(const HloInstruction& all_to_all, Violations& violations) {
  VerifyGroups(all_to_all, GroupRules::kEqualSizes, violations);
  const auto& attributes = all_to_all.attributes<AllToAllAttributes>();
  const int64_t group_size = StaticGroupSize(all_to_all);
  if (!attributes.split_dimension.has_value()) {
    if (group_size > 0 && all_to_all.operand_count() != group_size) {
      violations.Add(absl::StrCat("the tuple form needs one operand for each device of a group: a group has ",
                                  group_size, " devices, found ", all_to_all.operand_count(), " operands"));
    }
    for (const HloInstruction* operand : all_to_all.operands()) {
      if (!operand->shape().Compatible(all_to_all.operand(0)->shape())) {
        violations.Add(absl::StrCat("all operands must have the same shape, found ",
                                    all_to_all.operand(0)->shape().ToString(), " and ", operand->shape().ToString()));
      }
    }
    if (!all_to_all.shape().Compatible(Shape::Tuple(OperandShapes(all_to_all))) &&
        !all_to_all.shape().Compatible(ArrayOrTuple(OperandShapes(all_to_all)))) {
      violations.Add(absl::StrCat("expected the result shape ", Shape::Tuple(OperandShapes(all_to_all)).ToString(),
                                  ", found ", all_to_all.shape().ToString()));
    }
    return;
  }
  const Shape& operand = all_to_all.operand(0)->shape();
  const int64_t d = *attributes.split_dimension;
  if (all_to_all.operand_count() != 1) {
    return violations.Add(
        absl::StrCat("the form with dimensions={d} has one operand, found ", all_to_all.operand_count()));
  }
  if (!operand.IsArray() || d < 0 || d >= operand.rank()) {
    return violations.Add(absl::StrCat("dimension ", d, " is out of range for ", operand.ToString()));
  }
  if (!operand.Compatible(all_to_all.shape())) {
    violations.Add(absl::StrCat("the result has the shape of the operand: expected ", operand.ToString(), ", found ",
                                all_to_all.shape().ToString()));
  }
  if (group_size > 0 && operand.dimension(static_cast<int>(d)) % group_size != 0) {
    violations.Add(absl::StrCat("dimension ", d, " of size ", operand.dimension(static_cast<int>(d)),
                                " cannot be cut into ", group_size, " equal blocks, one for each device of a group"));
  }
}

// Device p gets block p of every member, in the order of the group.
absl::StatusOr<Literal> EvaluateAllToAll(const HloInstruction& instruction, OperandValues& operands,
                                         EvalContext& context) {
  const int count = operands.size();
  const auto& attributes = instruction.attributes<AllToAllAttributes>();
  ASSIGN_OR_RETURN(Meeting meeting, Meet(instruction, operands, context));
  RETURN_IF_ERROR(RequireMember(instruction, meeting, context.device()));
  const int64_t members = static_cast<int64_t>(meeting.group.size());
  if (!attributes.split_dimension.has_value()) {
    if (count != members) {
      return absl::InvalidArgumentError(absl::StrCat(instruction.name(), ": has ", count,
                                                     " operands, but its group has ", members,
                                                     " devices; run it with the number of devices it was written for"));
    }
    std::vector<Literal> results;
    for (const auto& member : meeting.contributions) results.push_back((*member)[meeting.position]);
    return instruction.shape().IsTuple() ? Literal::Tuple(std::move(results)) : std::move(results[0]);
  }
  const int64_t dimension = *attributes.split_dimension;
  const int64_t size = instruction.shape().dimension(static_cast<int>(dimension));
  if (size % members != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(instruction.name(), ": dimension ", dimension, " of size ", size, " cannot be cut into ", members,
                     " equal blocks; run it with the number of devices it was written for"));
  }
  const int64_t block = size / members;
  ASSIGN_OR_RETURN(Literal result, context.Allocate(instruction.shape()));
  for (int64_t m = 0; m < members; ++m) {
    CopyBlock((*meeting.contributions[m])[0], meeting.position * block, &result, m * block, block, dimension);
  }
  return result;
}

// ---- ragged-all-to-all(input, output, input_offsets, send_sizes, output_offsets, recv_sizes): rows of the outermost
// dimension. Member i gets input[input_offsets[i] : + send_sizes[i]] at output_offsets[i] of its own result; other rows
// keep those of `output`.

// Operands: input, output, and for each device of a group input offset, size to send, output offset, size to receive.
void VerifyRaggedAllToAll(const HloInstruction& instruction, Violations& violations) {
  VerifyGroups(instruction, GroupRules::kEqualSizes, violations);
  const Shape& input = instruction.operand(0)->shape();
  const Shape& output = instruction.operand(1)->shape();
  if (!input.IsArray() || !output.IsArray() || input.rank() < 1 || input.rank() != output.rank()) {
    return violations.Add(absl::StrCat("input and output must be arrays of the same rank of at least 1, found ",
                                       input.ToString(), " and ", output.ToString()));
  }
  Shape rows = input;
  rows.set_dimension(0, output.dimension(0));
  if (!rows.Compatible(output)) {
    violations.Add(absl::StrCat("input and output may differ in dimension 0 only, found ", input.ToString(), " and ",
                                output.ToString()));
  }
  const Shape& offsets = instruction.operand(2)->shape();
  for (int i = 2; i < 6; ++i) {
    const Shape& shape = instruction.operand(i)->shape();
    if (!IsInt(shape.element_type()) || shape.rank() < 1 || shape.rank() > 2 ||
        !shape.Equal(offsets, Shape::kIgnoreLayout)) {
      violations.Add(
          absl::StrCat("offsets and sizes must be integer arrays of the same shape and of rank 1 or 2, found ",
                       shape.ToString(), " for operand ", i));
    }
  }
  if (!instruction.shape().Compatible(output)) {
    violations.Add(absl::StrCat("the result has the shape of operand 1: expected ", output.ToString(), ", found ",
                                instruction.shape().ToString()));
  }
  const int64_t group_size = StaticGroupSize(instruction);
  if (group_size > 0 && offsets.rank() >= 1 && offsets.dimension(0) % group_size != 0) {
    violations.Add(absl::StrCat("offsets and sizes need an entry for each of the ", group_size,
                                " devices of a group, found ", offsets.ToString()));
  }
}

int64_t IntegerAt(const Literal& values, int64_t i) {
  const PrimitiveType type = values.shape().element_type();
  int64_t result = 0;
  std::memcpy(&result, values.data<char>() + i * ByteWidth(type), ByteWidth(type));
  const int shift = 64 - 8 * ByteWidth(type);
  return IsSignedInt(type) ? static_cast<int64_t>(static_cast<uint64_t>(result) << shift) >> shift : result;
}

// Each sender's offsets say where its rows go in the *receiver's* output; sizes to receive (operand 5) are not
// needed.
absl::StatusOr<Literal> EvaluateRaggedAllToAll(const HloInstruction& instruction, OperandValues& operands,
                                               EvalContext& context) {
  ASSIGN_OR_RETURN(Meeting meeting, Meet(instruction, operands, context));
  RETURN_IF_ERROR(RequireMember(instruction, meeting, context.device()));
  const int64_t members = static_cast<int64_t>(meeting.group.size());
  Literal result = (*meeting.contributions[meeting.position])[1];
  RETURN_IF_ERROR(result.MakeWritable(context.memory_budget()));
  for (const auto& member : meeting.contributions) {
    const std::vector<Literal>& sender = *member;
    const int64_t entries = sender[2].element_count();
    const int64_t per_member = entries / members;  // more than one with offsets of rank 2
    for (int64_t u = 0; u < per_member; ++u) {
      const int64_t entry = meeting.position * per_member + u;
      const int64_t from = IntegerAt(sender[2], entry);
      const int64_t rows = IntegerAt(sender[3], entry);
      const int64_t to = IntegerAt(sender[4], entry);
      if (rows <= 0) continue;
      const int64_t have = sender[0].shape().dimension(0);
      const int64_t room = result.shape().dimension(0);
      if (from < 0 || to < 0 || rows > have || from > have - rows || rows > room || to > room - rows) {
        return absl::InvalidArgumentError(absl::StrCat(instruction.name(), ": ", rows, " rows at offset ", from, " of ",
                                                       have, " cannot go to offset ", to, " of ", room, " rows"));
      }
      CopyBlock(sender[0], from, &result, to, rows, 0);
    }
  }
  return result;
}

// ---- collective-broadcast: the operands of the first device of each group; zeros for devices in no group. With
// has_dynamic_root the last operand, s32, says for each of the others which position of the group it comes from (one
// entry: for all of them).

int BroadcastCount(const HloInstruction& broadcast) {
  return broadcast.operand_count() - (broadcast.attributes<CollectiveBroadcastAttributes>().has_dynamic_root ? 1 : 0);
}

absl::StatusOr<Shape> InferCollectiveBroadcast(const HloInstruction& broadcast) {
  std::vector<Shape> shapes = OperandShapes(broadcast);
  shapes.resize(BroadcastCount(broadcast));
  if (shapes.empty()) return absl::InvalidArgumentError("expected an operand besides the root");
  return ArrayOrTuple(std::move(shapes));
}

void VerifyCollectiveBroadcast(const HloInstruction& broadcast, Violations& violations) {
  VerifyGroups(broadcast, GroupRules::kEqualSizesPartial, violations);
  const int count = BroadcastCount(broadcast);
  if (count == broadcast.operand_count() || count == 0) return;
  const Shape& root = broadcast.operand(count)->shape();
  if (root.element_type() != S32 || root.rank() > 1 || (root.ElementCount() != 1 && root.ElementCount() != count)) {
    violations.Add(absl::StrCat("the dynamic root must be s32 with one entry or one for each of the ", count,
                                " operands, found ", root.ToString()));
  }
}

// Without a dynamic root the first device of the group sends. A device in no group gets zeros.
absl::StatusOr<Literal> EvaluateCollectiveBroadcast(const HloInstruction& broadcast, OperandValues& operands,
                                                    EvalContext& context) {
  const int count = BroadcastCount(broadcast);
  const bool dynamic_root = count != operands.size();
  ASSIGN_OR_RETURN(Meeting meeting, Meet(broadcast, operands, context));
  std::vector<Literal> results;
  for (int k = 0; k < count; ++k) {
    if (meeting.contributions.empty()) {
      ASSIGN_OR_RETURN(Literal zeros, context.AllocateZeros(broadcast.operand(k)->shape()));
      results.push_back(std::move(zeros));
      continue;
    }
    int64_t root = 0;
    if (dynamic_root) {
      const Literal& roots = (*meeting.contributions[meeting.position])[count];
      root = IntegerAt(roots, roots.element_count() == 1 ? 0 : k);
      if (root < 0 || root >= static_cast<int64_t>(meeting.group.size())) {
        return absl::InvalidArgumentError(absl::StrCat(
            broadcast.name(), ": root ", root, " is out of range for a group of ", meeting.group.size(), " devices"));
      }
    }
    results.push_back((*meeting.contributions[root])[k]);
  }
  return ArrayOrTuple(std::move(results));
}

}  // namespace

OpDefinition Define_kAllReduce() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<AllReduceAttributes>;
  op.called_computations = {"to_apply"};
  op.infer_shape = &InferAllReduce;
  op.verify = &VerifyAllReduce;
  op.evaluate = &EvaluateAllReduce;
  return op;
}

OpDefinition Define_kAllReduceStart() {
  OpDefinition op = Define_kAllReduce();
  op.infer_shape = &InferAllReduceStart;
  op.verify = &VerifyAllReduceStart;
  op.evaluate = &EvaluateAllReduceStart;
  return op;
}

OpDefinition Define_kAllReduceDone() {
  OpDefinition op;
  op.min_operands = op.max_operands = 1;
  op.infer_shape = &InferAllReduceDone;
  op.evaluate = &EvaluateAllReduceDone;
  return op;
}

OpDefinition Define_kAllGather() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<ShardingCollectiveAttributes>;
  op.verify = &VerifyAllGather;
  op.evaluate = &EvaluateAllGather;
  return op;
}

OpDefinition Define_kAllGatherStart() {
  OpDefinition op = Define_kAllGather();
  op.verify = &VerifyAllGatherStart;
  op.evaluate = &EvaluateAllGatherStart;
  return op;
}

OpDefinition Define_kAllGatherDone() {
  OpDefinition op;
  op.min_operands = op.max_operands = 1;
  op.infer_shape = &InferAllGatherDone;
  op.evaluate = &EvaluateAllGatherDone;
  return op;
}

OpDefinition Define_kReduceScatter() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<ShardingCollectiveAttributes>;
  op.called_computations = {"to_apply"};
  op.verify = &VerifyReduceScatter;
  op.evaluate = &EvaluateReduceScatter;
  return op;
}

OpDefinition Define_kAllToAll() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<AllToAllAttributes>;
  op.verify = &VerifyAllToAll;
  op.evaluate = &EvaluateAllToAll;
  return op;
}

OpDefinition Define_kRaggedAllToAll() {
  OpDefinition op;
  op.min_operands = op.max_operands = 6;
  op.make_attributes = &MakeAttributes<RaggedAllToAllAttributes>;
  op.verify = &VerifyRaggedAllToAll;
  op.evaluate = &EvaluateRaggedAllToAll;
  return op;
}

OpDefinition Define_kCollectiveBroadcast() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<CollectiveBroadcastAttributes>;
  op.infer_shape = &InferCollectiveBroadcast;
  op.verify = &VerifyCollectiveBroadcast;
  op.evaluate = &EvaluateCollectiveBroadcast;
  return op;
}

}  // namespace xla
