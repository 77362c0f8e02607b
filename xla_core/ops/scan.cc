// Runs a function along one dimension, handing carries from step to step:
//   scan(x0 .. xm-1, c0 .. ck-1), dimensions={d}, num_carries=k, to_apply=f  ->  (y0 .. yn-1, c'0 .. c'k-1)
//   f: (m slices of x with dimension d removed, k carries) -> (n outputs, k carries)
// Step i takes slice i of every x and the carries of the step before (first: the operands); its outputs are slice i of
// every y, which has d with the same size; the last carries are the last results. With is_reverse the steps run from
// the last slice to the first. The result is a tuple where f's is one, else (n + k = 1) an array.
// Errors: InvalidArgument if there are not at least one x and k carries, if d is out of range, if the x have different
// sizes along d, or if f has another signature.
// Source: XLA's HloScanInstruction.
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/callee_signature.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/operand_checks.h"
#include "xla_core/ops/variadic_result.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Operands that are scanned, before the carries.
int ScannedCount(const HloInstruction& scan) {
  return scan.operand_count() - static_cast<int>(scan.attributes<ScanAttributes>().num_carries);
}

absl::Status CheckOperands(const HloInstruction& scan) {
  const ScanAttributes& attributes = scan.attributes<ScanAttributes>();
  if (attributes.num_carries < 0 || attributes.num_carries >= scan.operand_count()) {
    return absl::InvalidArgumentError(absl::StrCat("num_carries must leave at least one of the ", scan.operand_count(),
                                                   " operands to scan, got ", attributes.num_carries));
  }
  RETURN_IF_ERROR(CheckArrayOperands(scan, 0, ScannedCount(scan)));
  const Shape& first = scan.operand(0)->shape();
  for (int i = 0; i < ScannedCount(scan); ++i) {
    const Shape& shape = scan.operand(i)->shape();
    RETURN_IF_ERROR(CheckDimension("dimension to scan", attributes.dimension, shape));
    if (shape.dimension(attributes.dimension) != first.dimension(attributes.dimension)) {
      return absl::InvalidArgumentError(absl::StrCat("scanned operands must have equal sizes in dimension ",
                                                     attributes.dimension, ": operand 0 is ", first.ToString(),
                                                     ", operand ", i, " is ", shape.ToString()));
    }
  }
  return absl::OkStatus();
}

// Results of to_apply: the elements of its tuple, or its one array.
absl::StatusOr<std::vector<Shape>> CalleeResults(const HloInstruction& scan) {
  if (scan.called_computations().empty() || scan.called_computation(0)->root() == nullptr) {
    return absl::InvalidArgumentError("scan has no to_apply with a root");
  }
  const Shape& root = scan.called_computation(0)->root()->shape();
  std::vector<Shape> results;
  if (root.IsTuple()) {
    results.assign(root.tuple_shapes().begin(), root.tuple_shapes().end());
  } else {
    results.push_back(root);
  }
  if (static_cast<int64_t>(results.size()) < scan.attributes<ScanAttributes>().num_carries) {
    return absl::InvalidArgumentError(absl::StrCat("to_apply ", scan.called_computation(0)->name(), " must return all ",
                                                   scan.attributes<ScanAttributes>().num_carries, " carries, got ",
                                                   root.ToString()));
  }
  return results;
}

// The outputs of all steps of which one has shape `output`.
absl::StatusOr<Shape> StackedShape(const Shape& output, const Shape& scanned, int64_t dimension) {
  if (!output.IsArray() || dimension > output.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("outputs of to_apply must be arrays of at least ", dimension,
                                                   " dimensions, to be stacked in dimension ", dimension, ", got ",
                                                   output.ToString()));
  }
  Shape stacked = Shape::Scalar(output.element_type());
  for (int i = 0; i <= output.rank(); ++i) {
    if (i == dimension) stacked.AddDimension(scanned.dimension(i), scanned.is_dynamic_dimension(i));
    if (i < output.rank()) stacked.AddDimension(output.dimension(i), output.is_dynamic_dimension(i));
  }
  return stacked;
}

absl::StatusOr<Shape> InferShapeOfScan(const HloInstruction& scan) {
  RETURN_IF_ERROR(CheckOperands(scan));
  ASSIGN_OR_RETURN(std::vector<Shape> results, CalleeResults(scan));
  const ScanAttributes& attributes = scan.attributes<ScanAttributes>();
  for (size_t i = 0; i < results.size() - attributes.num_carries; ++i) {
    ASSIGN_OR_RETURN(results[i], StackedShape(results[i], scan.operand(0)->shape(), attributes.dimension));
  }
  for (Shape& result : results) result = result.WithoutLayout();
  return scan.called_computation(0)->root()->shape().IsTuple() ? Shape::Tuple(std::move(results)) : results[0];
}

void VerifyScan(const HloInstruction& scan, Violations& violations) {
  if (!CheckOperands(scan).ok()) return;
  absl::StatusOr<std::vector<Shape>> results = CalleeResults(scan);
  if (!results.ok()) return;
  std::vector<Shape> parameters;
  for (int i = 0; i < scan.operand_count(); ++i) {
    parameters.push_back(scan.operand(i)->shape().WithoutLayout());
    if (i < ScannedCount(scan)) {
      parameters.back().DeleteDimension(static_cast<int>(scan.attributes<ScanAttributes>().dimension));
    }
  }
  const int num_carries = static_cast<int>(scan.attributes<ScanAttributes>().num_carries);
  for (int i = 0; i < num_carries; ++i) {
    (*results)[results->size() - num_carries + i] = parameters[ScannedCount(scan) + i];
  }
  const bool is_tuple = scan.called_computation(0)->root()->shape().IsTuple();
  CheckCallee("to_apply", *scan.called_computation(0), parameters,
              is_tuple ? Shape::Tuple(*std::move(results)) : (*results)[0], violations);
}

// An array seen as `blocks` runs of `size` slices of `slice_bytes` each along the scanned dimension.
struct Slicing {
  Slicing(const Shape& array, int64_t dimension) : size(array.dimension(static_cast<int>(dimension))) {
    for (int i = 0; i < array.rank(); ++i)
      (i < dimension ? blocks : slice_bytes) *= i == dimension ? 1 : array.dimension(i);
    slice_bytes *= ByteWidth(array.element_type());
  }
  int64_t blocks = 1;
  int64_t size;
  int64_t slice_bytes = 1;
};

absl::StatusOr<Literal> TakeSlice(const Literal& array, int64_t dimension, int64_t step, EvalContext& context) {
  const Slicing slicing(array.shape(), dimension);
  Shape shape = array.shape().WithoutLayout();
  shape.DeleteDimension(static_cast<int>(dimension));
  ASSIGN_OR_RETURN(Literal slice, context.Allocate(shape));
  for (int64_t b = 0; b < slicing.blocks; ++b) {
    std::memcpy(slice.mutable_data<char>() + b * slicing.slice_bytes,
                array.data<char>() + (b * slicing.size + step) * slicing.slice_bytes, slicing.slice_bytes);
  }
  return slice;
}

void PutSlice(const Literal& slice, int64_t dimension, int64_t step, Literal& array) {
  const Slicing slicing(array.shape(), dimension);
  for (int64_t b = 0; b < slicing.blocks; ++b) {
    std::memcpy(array.mutable_data<char>() + (b * slicing.size + step) * slicing.slice_bytes,
                slice.data<char>() + b * slicing.slice_bytes, slicing.slice_bytes);
  }
}

absl::StatusOr<Literal> EvaluateScan(const HloInstruction& scan, OperandValues& operands, EvalContext& context) {
  const ScanAttributes& attributes = scan.attributes<ScanAttributes>();
  const int64_t d = attributes.dimension;
  const int scanned = ScannedCount(scan);
  const bool is_tuple = scan.shape().IsTuple();
  ASSIGN_OR_RETURN(std::vector<Literal> results, AllocateResults(scan, context));
  const int outputs = static_cast<int>(results.size()) - static_cast<int>(attributes.num_carries);
  std::vector<Literal> carries;
  for (int i = scanned; i < operands.size(); ++i) carries.push_back(operands.Take(i));

  const int64_t steps = operands[0].dynamic_size(static_cast<int>(d));
  for (int64_t i = 0; i < steps; ++i) {
    RETURN_IF_ERROR(context.CheckDeadline());
    const int64_t step = attributes.is_reverse ? steps - 1 - i : i;
    std::vector<Literal> arguments;
    for (int k = 0; k < scanned; ++k) {
      ASSIGN_OR_RETURN(Literal slice, TakeSlice(operands[k], d, step, context));
      arguments.push_back(std::move(slice));
    }
    for (Literal& carry : carries) arguments.push_back(std::move(carry));
    ASSIGN_OR_RETURN(Literal returned, context.Call(*scan.called_computation(0), std::move(arguments)));
    std::vector<Literal> values;
    if (is_tuple) {
      values = returned.TakeElements();
    } else {
      values.push_back(std::move(returned));
    }
    for (int k = 0; k < outputs; ++k) PutSlice(values[k], d, step, results[k]);
    for (size_t k = 0; k < carries.size(); ++k) carries[k] = std::move(values[outputs + k]);
  }
  for (int k = 0; k < outputs && operands[0].has_dynamic_sizes(); ++k) {
    results[k].SetDynamicSize(static_cast<int>(d), steps);
  }
  for (size_t k = 0; k < carries.size(); ++k) {
    carries[k].ResetShape(results[outputs + k].shape());
    results[outputs + k] = std::move(carries[k]);
  }
  return is_tuple ? Literal::Tuple(std::move(results)) : std::move(results[0]);
}

}  // namespace

OpDefinition Define_kScan() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<ScanAttributes>;
  op.called_computations = {"to_apply"};
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferShapeOfScan;
  op.verify = &VerifyScan;
  op.evaluate = &EvaluateScan;
  return op;
}

}  // namespace xla
