// collective-permute and its start/done pair: each source device sends its operands to its target; devices that are not
// a target get zeros. The result for one array may be written as a tuple of it.
//
// In-place form, with slice_sizes and exactly four operands (input, output, input offsets, output offsets): slices of
// the source's input are written over slices of the target's output. Input and output are arrays or tuples of the same
// length; the offsets are a tuple of one s32 for each dimension or, with several slices, a tuple of such tuples, nested
// once more for tuples.
#include <algorithm>
#include <cstring>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/ops/callee_rules.h"
#include "xla_core/ops/collective_groups.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/start_context.h"
#include "xla_core/ops/variadic_result.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

bool IsInPlace(const HloInstruction& permute) {
  return !permute.attributes<CollectivePermuteAttributes>().slice_sizes.empty();
}

// A device may send to one device and receive from one, and both lists may leave devices out, which then get zeros.
void VerifySourceTargetPairs(const HloInstruction& permute, Violations& violations) {
  const auto& attributes = permute.attributes<CollectivePermuteAttributes>();
  const HloModuleConfig& config = permute.parent()->parent()->config();
  const bool cross_partition = attributes.channel_id.has_value();
  const int64_t limit = cross_partition ? config.num_partitions : config.replica_count;
  VerifyChannelId(attributes.channel_id, violations);
  absl::flat_hash_set<int64_t> sources;
  absl::flat_hash_set<int64_t> targets;
  for (const auto& pair : attributes.source_target_pairs) {
    for (int64_t id : {pair.first, pair.second}) {
      if (id < 0 || (limit > 1 && id >= limit)) {
        violations.Add(absl::StrCat("source_target_pairs names ", cross_partition ? "partition " : "replica ", id,
                                    ", expected 0 <= id < ", limit));
      }
    }
    if (!sources.insert(pair.first).second) {
      violations.Add(absl::StrCat("source ", pair.first, " occurs in two pairs; a device can send to one target only"));
    }
    if (!targets.insert(pair.second).second) {
      violations.Add(
          absl::StrCat("target ", pair.second, " occurs in two pairs; a device can receive from one source only"));
    }
  }
}

// The form that updates slices of an output in place: see CollectivePermuteAttributes::slice_sizes.
absl::Status CheckInPlaceOperands(const HloInstruction& permute) {
  if (permute.operand_count() != 4) {
    return absl::InvalidArgumentError(
        absl::StrCat("the form with slice_sizes has 4 operands (input, output, input offsets, output "
                     "offsets), found ",
                     permute.operand_count()));
  }
  const Shape& input = permute.operand(0)->shape();
  const Shape& output = permute.operand(1)->shape();
  if (input.IsTuple() != output.IsTuple() || input.tuple_size() != output.tuple_size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("input and output must both be arrays or tuples of the same length, found ", input.ToString(),
                     " and ", output.ToString()));
  }
  return absl::OkStatus();
}

// The shape of what a device receives.
absl::StatusOr<Shape> ReceivedShape(const HloInstruction& permute) {
  if (IsInPlace(permute)) {
    RETURN_IF_ERROR(CheckInPlaceOperands(permute));
    return permute.operand(1)->shape();
  }
  return ArrayOrTuple(OperandShapes(permute));
}

bool WrapsTheOneArray(const HloInstruction& permute) { return IsWrittenAsTupleOfOne(permute, permute.operand_count()); }

absl::StatusOr<Shape> InferPermute(const HloInstruction& permute) {
  ASSIGN_OR_RETURN(Shape received, ReceivedShape(permute));
  return WrapsTheOneArray(permute) ? Shape::Tuple({std::move(received)}) : received;
}

void VerifyPermute(const HloInstruction& permute, Violations& violations) {
  VerifySourceTargetPairs(permute, violations);
  WarnOfTupleOfOne(permute, permute.operand_count(), violations);
}

// Start: (operands, result, context...).
void VerifyPermuteStart(const HloInstruction& start, Violations& violations) {
  VerifySourceTargetPairs(start, violations);
  const auto result = ReceivedShape(start);
  if (!result.ok()) return violations.Add(result.status());
  const Shape& shape = start.shape();
  std::vector<Shape> operands = OperandShapes(start);
  const Shape operand = ArrayOrTuple(operands);
  const bool matches_operand =
      shape.tuple_size() >= 2 &&
      (shape.tuple_shape(0).Compatible(operand) || (IsInPlace(start) && shape.tuple_shape(0).Compatible(operands[0])));
  if (!matches_operand || !shape.tuple_shape(1).Compatible(*result)) {
    violations.Add(absl::StrCat("expected a shape of the form (operand, result, context...) with operand ",
                                operand.ToString(), " and result ", result->ToString(), ", found ", shape.ToString()));
  }
}

// The offsets of slice number `slice`: scalars, one for each dimension.
absl::StatusOr<DimensionVector> ReadOffsets(const HloInstruction& permute, const Literal& offsets, int slice,
                                            int rank) {
  const bool several = offsets.tuple_size() > 0 && offsets.element(0).IsTuple();
  if (several && slice >= offsets.tuple_size()) {
    return absl::InvalidArgumentError(absl::StrCat(permute.name(), ": no offsets for slice ", slice));
  }
  const Literal& scalars = several ? offsets.element(slice) : offsets;
  if (scalars.tuple_size() != rank) {
    return absl::InvalidArgumentError(absl::StrCat(permute.name(), ": expected ", rank,
                                                   " offsets, one for each dimension, found ", scalars.tuple_size()));
  }
  DimensionVector values;
  for (int d = 0; d < rank; ++d) {
    if (!scalars.element(d).shape().IsScalarOf(S32)) {
      return absl::InvalidArgumentError(absl::StrCat(permute.name(), ": offsets must be s32 scalars"));
    }
    values.push_back(*scalars.element(d).data<int32_t>());
  }
  return values;
}

// Copies a box of `sizes` from one array to another, row by row.
void CopyBox(const Literal& from, const DimensionVector& from_start, Literal* to, const DimensionVector& to_start,
             const std::vector<int64_t>& sizes, int dim, int64_t from_offset, int64_t to_offset) {
  const int rank = from.shape().rank();
  const int width = ByteWidth(from.shape().element_type());
  if (dim == rank) {
    std::memcpy(to->mutable_data<char>() + to_offset * width, from.data<char>() + from_offset * width, width);
    return;
  }
  for (int64_t i = 0; i < sizes[dim]; ++i) {
    CopyBox(from, from_start, to, to_start, sizes, dim + 1,
            from_offset * from.shape().dimension(dim) + from_start[dim] + i,
            to_offset * to->shape().dimension(dim) + to_start[dim] + i);
  }
}

absl::Status CheckBox(const HloInstruction& permute, const Shape& shape, const DimensionVector& start,
                      const std::vector<int64_t>& sizes) {
  for (int d = 0; d < shape.rank(); ++d) {
    if (sizes[d] < 0 || start[d] < 0 || sizes[d] > shape.dimension(d) || start[d] > shape.dimension(d) - sizes[d]) {
      return absl::InvalidArgumentError(absl::StrCat(permute.name(), ": a slice of size ", sizes[d], " at ", start[d],
                                                     " lies outside of dimension ", d, " of ", shape.ToString()));
    }
  }
  return absl::OkStatus();
}

// Writes the slices of one array; returns how many entries of slice_sizes it used.
absl::StatusOr<int> ReceiveSlices(const HloInstruction& permute, const Literal& input, const Literal& input_offsets,
                                  const Literal& output_offsets, int first_slice, Literal* output,
                                  EvalContext& context) {
  const auto& slice_sizes = permute.attributes<CollectivePermuteAttributes>().slice_sizes;
  const bool several = input_offsets.tuple_size() > 0 && input_offsets.element(0).IsTuple();
  const int count = several ? input_offsets.tuple_size() : 1;
  RETURN_IF_ERROR(output->MakeWritable(context.memory_budget()));
  for (int s = 0; s < count; ++s) {
    const size_t entry = static_cast<size_t>(first_slice + s);
    const int rank = input.shape().rank();
    if (entry >= slice_sizes.size() || static_cast<int>(slice_sizes[entry].size()) != rank ||
        output->shape().rank() != rank || output->shape().element_type() != input.shape().element_type()) {
      return absl::InvalidArgumentError(absl::StrCat(permute.name(), ": slice_sizes do not fit input ",
                                                     input.shape().ToString(), " and output ",
                                                     output->shape().ToString()));
    }
    ASSIGN_OR_RETURN(const DimensionVector from, ReadOffsets(permute, input_offsets, s, rank));
    ASSIGN_OR_RETURN(const DimensionVector to, ReadOffsets(permute, output_offsets, s, rank));
    RETURN_IF_ERROR(CheckBox(permute, input.shape(), from, slice_sizes[entry]));
    RETURN_IF_ERROR(CheckBox(permute, output->shape(), to, slice_sizes[entry]));
    CopyBox(input, from, output, to, slice_sizes[entry], 0, 0, 0);
  }
  return count;
}

// Each element of a tuple has as many slices as its offsets name; `slice` counts on through slice_sizes.
absl::StatusOr<Literal> ReceiveInPlace(const HloInstruction& permute, const std::vector<Literal>& source,
                                       const std::vector<Literal>& mine, EvalContext& context) {
  Literal output = mine[1];
  if (!output.IsTuple()) {
    RETURN_IF_ERROR(ReceiveSlices(permute, source[0], source[2], mine[3], 0, &output, context).status());
    return output;
  }
  std::vector<Literal> elements = output.TakeElements();
  int slice = 0;
  for (size_t k = 0; k < elements.size(); ++k) {
    const int i = static_cast<int>(k);
    if (source[2].tuple_size() <= i || mine[3].tuple_size() <= i) {
      return absl::InvalidArgumentError(absl::StrCat(permute.name(), ": expected a tuple of offsets for each array"));
    }
    ASSIGN_OR_RETURN(const int used, ReceiveSlices(permute, source[0].element(i), source[2].element(i),
                                                   mine[3].element(i), slice, &elements[k], context));
    slice += used;
  }
  return Literal::Tuple(std::move(elements));
}

absl::StatusOr<Literal> Zeros(const HloInstruction& permute, EvalContext& context) {
  ASSIGN_OR_RETURN(const Shape shape, ReceivedShape(permute));
  return context.AllocateZeros(shape);
}

// Devices that neither send nor receive do not take part in the exchange; who is no target gets zeros, or keeps its
// output.
absl::StatusOr<Literal> Receive(const HloInstruction& permute, OperandValues& operands, EvalContext& context) {
  const auto& attributes = permute.attributes<CollectivePermuteAttributes>();
  const DeviceInfo device = context.device();
  const auto pairs = DevicePairs(attributes.source_target_pairs, attributes.channel_id.has_value(), device);
  if (!pairs.ok()) return absl::InvalidArgumentError(absl::StrCat(permute.name(), ": ", pairs.status().message()));

  std::vector<Literal> mine;
  for (int i = 0; i < operands.size(); ++i) mine.push_back(operands.Take(i));
  // All senders and receivers meet; the others need not wait.
  std::vector<int64_t> members;
  int64_t source = -1;
  for (const auto& pair : *pairs) {
    members.push_back(pair.first);
    members.push_back(pair.second);
    if (pair.second == device.id()) source = pair.first;
  }
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  if (!std::binary_search(members.begin(), members.end(), device.id())) {
    return IsInPlace(permute) ? mine[1] : Zeros(permute, context);
  }
  ASSIGN_OR_RETURN(const Contributions contributions, context.Exchange(permute, members, mine));
  if (source < 0) return IsInPlace(permute) ? mine[1] : Zeros(permute, context);
  const std::vector<Literal>& sent =
      *contributions[std::lower_bound(members.begin(), members.end(), source) - members.begin()];
  if (IsInPlace(permute)) return ReceiveInPlace(permute, sent, mine, context);
  return ArrayOrTuple(std::vector<Literal>(sent));
}

absl::StatusOr<Literal> EvaluatePermute(const HloInstruction& permute, OperandValues& operands, EvalContext& context) {
  ASSIGN_OR_RETURN(Literal received, Receive(permute, operands, context));
  if (!WrapsTheOneArray(permute)) return received;
  std::vector<Literal> elements;
  elements.push_back(std::move(received));
  return Literal::Tuple(std::move(elements));
}

absl::StatusOr<Literal> EvaluatePermuteStart(const HloInstruction& start, OperandValues& operands,
                                             EvalContext& context) {
  std::vector<Literal> inputs;
  for (int i = 0; i < operands.size(); ++i) inputs.push_back(operands[i]);
  std::vector<Literal> elements(2);
  ASSIGN_OR_RETURN(elements[1], Receive(start, operands, context));
  elements[0] =
      inputs.size() == 1 || !start.shape().tuple_shape(0).IsTuple() ? inputs[0] : Literal::Tuple(std::move(inputs));
  RETURN_IF_ERROR(AppendContext(start.shape(), context, &elements));
  return Literal::Tuple(std::move(elements));
}

absl::StatusOr<Shape> InferPermuteDone(const HloInstruction& done) {
  const HloInstruction& start = *done.operand(0);
  if (start.opcode() != HloOpcode::kCollectivePermuteStart || start.shape().tuple_size() < 2) {
    return absl::InvalidArgumentError(absl::StrCat("the operand must be a collective-permute-start, but ", start.name(),
                                                   " is a ", start.opcode_name()));
  }
  return start.shape().tuple_shape(1);
}

absl::StatusOr<Literal> EvaluatePermuteDone(const HloInstruction&, OperandValues& operands, EvalContext&) {
  return operands[0].element(1);
}

}  // namespace

OpDefinition Define_kCollectivePermute() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<CollectivePermuteAttributes>;
  op.infer_shape = &InferPermute;
  op.verify = &VerifyPermute;
  op.evaluate = &EvaluatePermute;
  return op;
}

OpDefinition Define_kCollectivePermuteStart() {
  OpDefinition op = Define_kCollectivePermute();
  op.infer_shape = nullptr;
  op.verify = &VerifyPermuteStart;
  op.evaluate = &EvaluatePermuteStart;
  return op;
}

OpDefinition Define_kCollectivePermuteDone() {
  OpDefinition op;
  op.min_operands = op.max_operands = 1;
  op.infer_shape = &InferPermuteDone;
  op.evaluate = &EvaluatePermuteDone;
  return op;
}

}  // namespace xla
