// Reductions, scans, maps, sorts, and batch normalisation.
#include <numeric>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/computation_builder.h"
#include "builders/computation_builder/scalar_computations.h"

namespace xla {

// ---- Reduce

XlaOp ComputationBuilder::Reduce(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
                                 ArraySlice<int64_t> dimensions, SourceLocation loc) {
  return Reduce(absl::MakeConstSpan(&operand, 1), absl::MakeConstSpan(&init_value, 1), computation, dimensions, loc);
}

XlaOp ComputationBuilder::Reduce(ArraySlice<XlaOp> operands, ArraySlice<XlaOp> init_values,
                                 const XlaComputation& computation, ArraySlice<int64_t> dimensions,
                                 SourceLocation loc) {
  std::vector<XlaOp> all(operands.begin(), operands.end());
  all.insert(all.end(), init_values.begin(), init_values.end());
  ActiveCall call(this, "Reduce", loc, all);
  if (!call || !CheckCount("init_values", init_values.size(), "operand", operands.size())) return Invalid();
  auto attributes = std::make_unique<DimensionsAttributes>();
  attributes->dimensions.assign(dimensions.begin(), dimensions.end());
  return Append(HloOpcode::kReduce, all, std::move(attributes), {computation});
}

XlaOp ComputationBuilder::ReduceAll(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
                                    SourceLocation loc) {
  ActiveCall call(this, "ReduceAll", loc, {operand, init_value});
  if (!call || !CheckArray("the operand", ShapeOf(operand))) return Invalid();
  DimensionVector dimensions(ShapeOf(operand).rank());
  std::iota(dimensions.begin(), dimensions.end(), 0);
  return Reduce(operand, init_value, computation, dimensions, loc);
}

// ---- Scan

XlaOp ComputationBuilder::Scan(ArraySlice<XlaOp> inputs, ArraySlice<XlaOp> initial_carries,
                               const XlaComputation& computation, int64_t dimension, bool is_reverse,
                               SourceLocation loc) {
  std::vector<XlaOp> all(inputs.begin(), inputs.end());
  all.insert(all.end(), initial_carries.begin(), initial_carries.end());
  ActiveCall call(this, "Scan", loc, all);
  if (!call) return Invalid();
  auto attributes = std::make_unique<ScanAttributes>();
  attributes->dimension = dimension;
  attributes->num_carries = static_cast<int64_t>(initial_carries.size());
  attributes->is_reverse = is_reverse;
  return Append(HloOpcode::kScan, all, std::move(attributes), {computation});
}

// ---- Map

XlaOp ComputationBuilder::Map(ArraySlice<XlaOp> operands, const XlaComputation& computation,
                              ArraySlice<XlaOp> static_operands, SourceLocation loc) {
  std::vector<XlaOp> all(operands.begin(), operands.end());
  all.insert(all.end(), static_operands.begin(), static_operands.end());
  ActiveCall call(this, "Map", loc, all);
  if (!call || !CheckCalled({computation})) return Invalid();
  if (operands.empty()) return FailInvalid("expected at least one operand to map over");
  for (const XlaOp operand : operands) {
    if (!CheckArray("each operand", ShapeOf(operand))) return Invalid();
  }
  for (size_t i = operands.size(); i < all.size(); ++i) {
    const Shape& shape = ShapeOf(all[i]);
    if (!shape.IsScalar()) return MapWithArrays(operands, computation, static_operands);
    if (ShapeOf(operands[0]).rank() > 0) all[i] = Stretch(all[i], ShapeOf(operands[0]).dimensions(), {});
  }
  auto attributes = std::make_unique<MapAttributes>();
  attributes->dimensions.resize(ShapeOf(operands[0]).rank());
  std::iota(attributes->dimensions.begin(), attributes->dimensions.end(), 0);
  return Append(HloOpcode::kMap, all, std::move(attributes), {computation});
}

namespace {

// "(f32[], f32[2])"
absl::Status CheckMapSignature(const XlaComputation& computation, const std::vector<Shape>& arguments) {
  const absl::StatusOr<ProgramShape> program = computation.GetProgramShape();
  if (!program.ok()) return program.status();
  bool fits = program->parameters.size() == arguments.size() && program->result.IsScalar();
  for (size_t i = 0; fits && i < arguments.size(); ++i) fits = program->parameters[i].Compatible(arguments[i]);
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the computation ", computation.name(), " must take ", Shape::Tuple(arguments).ToString(),
      " and return a scalar, got ", Shape::Tuple(program->parameters).ToString(), " -> ", program->result.ToString()));
}

// The loop of MapWithArrays: a state (index, result, flat operands.., static operands..) and what one step does to it.
class MapLoop {
 public:
  MapLoop(Shape state, int64_t count, size_t operand_count, const XlaComputation& computation)
      : state_(std::move(state)), count_(count), operand_count_(operand_count), computation_(computation) {}

  XlaComputation Condition() const {
    ComputationBuilder b("map_condition");
    const XlaOp state = b.Parameter(0, state_, "state");
    b.Lt(b.GetTupleElement(state, 0), b.ConstantR0<int64_t>(count_));
    return b.BuildOrError();
  }

  // The body of the loop that maps one element an iteration: takes the elements of mapped operands, calls the
  // function, and writes its value.
  XlaComputation Body() const {
    ComputationBuilder b("map_body");
    const XlaOp state = b.Parameter(0, state_, "state");
    std::vector<XlaOp> elements;
    for (int i = 0; i < state_.tuple_size(); ++i) elements.push_back(b.GetTupleElement(state, i));
    const XlaOp index = elements[0];
    std::vector<XlaOp> arguments(elements.begin() + 2, elements.end());
    for (size_t i = 0; i < operand_count_; ++i)
      arguments[i] = b.Reshape(b.DynamicSlice(arguments[i], {index}, {1}), {});
    const XlaOp value = b.Reshape(b.Call(computation_, arguments), {1});
    elements[0] = b.Add(index, b.ConstantR0<int64_t>(1));
    elements[1] = b.DynamicUpdateSlice(elements[1], value, {index});
    b.Tuple(elements);
    return b.BuildOrError();
  }

 private:
  const Shape state_;
  const int64_t count_;
  const size_t operand_count_;
  const XlaComputation& computation_;
};

}  // namespace

// HLO's map hands scalars to its function, so for a static operand that is not one the elements are walked one by one.
XlaOp ComputationBuilder::MapWithArrays(ArraySlice<XlaOp> operands, const XlaComputation& computation,
                                        ArraySlice<XlaOp> static_operands) {
  const Shape first = ShapeOf(operands[0]);
  std::vector<Shape> arguments;
  for (const XlaOp operand : operands) {
    const Shape& shape = ShapeOf(operand);
    if (!shape.SameDimensions(first)) return FailInvalid("the operands to map over must have the same dimensions");
    if (shape.IsDynamic()) {
      return FailInvalid("operands with dynamic dimensions can be mapped with scalars as static operands only");
    }
    arguments.push_back(Shape::Scalar(shape.element_type()));
  }
  for (const XlaOp operand : static_operands) arguments.push_back(ShapeOf(operand));
  const absl::Status signature = CheckMapSignature(computation, arguments);
  if (!signature.ok()) return Fail(signature);

  const int64_t count = first.ElementCount();
  const PrimitiveType type = computation.GetProgramShape()->result.element_type();
  const XlaOp zero = ConstantLiteral(LiteralUtil::Zero(type));
  std::vector<XlaOp> state = {ConstantR0<int64_t>(0), Broadcast(zero, {count})};
  for (const XlaOp operand : operands) state.push_back(Reshape(operand, {count}));
  state.insert(state.end(), static_operands.begin(), static_operands.end());
  const XlaOp init = Tuple(state);
  if (!init.valid()) return Invalid();
  const MapLoop loop(ShapeOf(init), count, operands.size(), computation);
  return Reshape(GetTupleElement(While(loop.Condition(), loop.Body(), init), 1), first.dimensions());
}

// ---- Sort

XlaOp ComputationBuilder::Sort(XlaOp operand, SourceLocation loc) {
  ActiveCall call(this, "Sort", loc, {operand});
  if (!call || !CheckArray("the operand", ShapeOf(operand))) return Invalid();
  const Shape& shape = ShapeOf(operand);
  if (shape.rank() == 0) return FailInvalid("a scalar has no dimension to sort along");
  if (IsComplex(shape.element_type())) return FailInvalid("complex numbers have no order to sort by");
  return Sort({operand}, CreateScalarLtComputation(shape.element_type()), -1, /*is_stable=*/false, loc);
}

XlaOp ComputationBuilder::Sort(ArraySlice<XlaOp> operands, const XlaComputation& comparator, int64_t dimension,
                               bool is_stable, SourceLocation loc) {
  ActiveCall call(this, "Sort", loc, operands);
  if (!call) return Invalid();
  auto attributes = std::make_unique<SortAttributes>();
  const int rank = operands.empty() ? 0 : ShapeOf(operands[0]).rank();
  attributes->dimension = dimension == -1 && rank > 0 ? rank - 1 : dimension;
  attributes->is_stable = is_stable;
  return Append(HloOpcode::kSort, operands, std::move(attributes), {comparator});
}

XlaOp ComputationBuilder::TopK(XlaOp operand, int64_t k, bool largest, SourceLocation loc) {
  ActiveCall call(this, "TopK", loc, {operand});
  if (!call) return Invalid();
  auto attributes = std::make_unique<TopKAttributes>();
  attributes->k = k;
  attributes->largest = largest;
  return Append(HloOpcode::kTopK, {operand}, std::move(attributes));
}

// ---- Batch normalisation

namespace {
std::unique_ptr<Attributes> NormAttributes(float epsilon, int64_t feature_index) {
  auto attributes = std::make_unique<BatchNormAttributes>();
  attributes->epsilon = epsilon;
  attributes->feature_index = feature_index;
  return attributes;
}
}  // namespace

XlaOp ComputationBuilder::BatchNormTraining(XlaOp operand, XlaOp scale, XlaOp offset, float epsilon,
                                            int64_t feature_index, SourceLocation loc) {
  ActiveCall call(this, "BatchNormTraining", loc, {operand, scale, offset});
  if (!call) return Invalid();
  return Append(HloOpcode::kBatchNormTraining, {operand, scale, offset}, NormAttributes(epsilon, feature_index));
}

XlaOp ComputationBuilder::BatchNormInference(XlaOp operand, XlaOp scale, XlaOp offset, XlaOp mean, XlaOp variance,
                                             float epsilon, int64_t feature_index, SourceLocation loc) {
  ActiveCall call(this, "BatchNormInference", loc, {operand, scale, offset, mean, variance});
  if (!call) return Invalid();
  return Append(HloOpcode::kBatchNormInference, {operand, scale, offset, mean, variance},
                NormAttributes(epsilon, feature_index));
}

XlaOp ComputationBuilder::BatchNormGrad(XlaOp operand, XlaOp scale, XlaOp mean, XlaOp variance, XlaOp grad_output,
                                        float epsilon, int64_t feature_index, SourceLocation loc) {
  ActiveCall call(this, "BatchNormGrad", loc, {operand, scale, mean, variance, grad_output});
  if (!call) return Invalid();
  return Append(HloOpcode::kBatchNormGrad, {operand, scale, mean, variance, grad_output},
                NormAttributes(epsilon, feature_index));
}

}  // namespace xla
