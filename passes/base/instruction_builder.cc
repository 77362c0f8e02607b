#include "passes/base/instruction_builder.h"

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "xla_core/ops/literal_util.h"
#include "xla_core/ops/op_definition.h"

namespace xla {
namespace {

template <typename T>
std::unique_ptr<T> New() {
  return std::make_unique<T>();
}

DimensionVector ToDimensions(absl::Span<const int64_t> values) { return DimensionVector(values.begin(), values.end()); }

}  // namespace

InstructionBuilder::InstructionBuilder(HloComputation* computation, const HloInstruction* origin)
    : computation_(computation), origin_(origin) {}

// Adds the instruction in any case, also after an error, so that rules need not check each step: they check status()
// in the end. Metadata comes from the instruction that is being rewritten.
HloInstruction* InstructionBuilder::Append(std::unique_ptr<HloInstruction> instruction,
                                           const absl::StatusOr<Shape>& shape) {
  if (shape.ok()) {
    instruction->mutable_shape() = *shape;
  } else if (status_.ok()) {
    status_ = absl::InternalError(absl::StrCat("a pass made an operation that is not allowed, ",
                                               instruction->ToShortString(), " in computation ", computation_->name(),
                                               ": ", shape.status().message(), "; please report this with the module"));
  }
  if (origin_ != nullptr && origin_->has_annotations() && !origin_->annotations().metadata.empty()) {
    instruction->mutable_annotations().metadata = origin_->annotations().metadata;
  }
  return computation_->AddInstruction(std::move(instruction));
}

// Does not infer or check the shape: for operations whose shape does not follow from their operands.
HloInstruction* InstructionBuilder::MakeOfShape(HloOpcode opcode, const Shape& shape,
                                                absl::Span<HloInstruction* const> operands,
                                                std::unique_ptr<Attributes> attributes,
                                                absl::Span<HloComputation* const> called) {
  auto instruction = std::make_unique<HloInstruction>(opcode, "", shape);
  for (HloInstruction* operand : operands) instruction->AddOperand(operand);
  for (HloComputation* callee : called) instruction->AddCalledComputation(callee);
  const OpDefinition& op = GetOp(opcode);
  if (attributes == nullptr && op.make_attributes != nullptr) attributes = op.make_attributes();
  instruction->set_attributes(std::move(attributes));
  return Append(std::move(instruction), shape);
}

// Infers the shape of the result from operands and attributes by the same rule that the verifier uses, so that a
// rewrite cannot make a wrong one. A failure is kept as the builder's status, see Append.
HloInstruction* InstructionBuilder::Make(HloOpcode opcode, absl::Span<HloInstruction* const> operands,
                                         std::unique_ptr<Attributes> attributes,
                                         absl::Span<HloComputation* const> called) {
  const OpDefinition& op = GetOp(opcode);
  if (attributes == nullptr && op.make_attributes != nullptr) attributes = op.make_attributes();
  auto instruction = std::make_unique<HloInstruction>(opcode, "", Shape::Scalar(PRED));
  // Some operations on arrays look at the shape that was chosen so far. None looks at tuples, which are taken as they
  // are: removing their layouts takes time for each leaf.
  if (!operands.empty()) {
    const Shape& first = operands[0]->shape();
    instruction->mutable_shape() = first.IsTuple() ? first : first.WithoutLayout();
  }
  for (HloInstruction* operand : operands) instruction->AddOperand(operand);
  for (HloComputation* callee : called) instruction->AddCalledComputation(callee);
  instruction->set_attributes(std::move(attributes));
  absl::StatusOr<Shape> shape =
      op.infer_shape == nullptr
          ? absl::StatusOr<Shape>(absl::InternalError("the shape of this operation has to be given"))
          : op.infer_shape(*instruction);
  return Append(std::move(instruction), shape);
}

HloInstruction* InstructionBuilder::MakeLike(const HloInstruction& like, absl::Span<HloInstruction* const> operands) {
  auto attributes = like.raw_attributes() == nullptr ? nullptr : like.raw_attributes()->Clone();
  const OpDefinition& op = GetOp(like.opcode());
  if (op.infer_shape == nullptr || !op.shape_may_be_omitted) {
    return MakeOfShape(like.opcode(), like.shape(), operands, std::move(attributes), like.called_computations());
  }
  return Make(like.opcode(), operands, std::move(attributes), like.called_computations());
}

HloInstruction* InstructionBuilder::Parameter(int64_t number, const Shape& shape) {
  auto attributes = New<ParameterAttributes>();
  attributes->number = number;
  return MakeOfShape(HloOpcode::kParameter, shape, {}, std::move(attributes));
}

HloInstruction* InstructionBuilder::Constant(Literal literal) {
  auto attributes = New<ConstantAttributes>();
  attributes->literal = std::make_shared<const Literal>(std::move(literal));
  const Shape shape = attributes->literal->shape();
  return MakeOfShape(HloOpcode::kConstant, shape, {}, std::move(attributes));
}

HloInstruction* InstructionBuilder::Scalar(PrimitiveType type, int64_t value) {
  absl::StatusOr<Literal> literal = LiteralUtil::Number(type, value);
  if (literal.ok()) return Constant(*std::move(literal));
  if (status_.ok()) status_ = absl::InternalError(literal.status().message());
  return Constant(Literal::Scalar<bool>(false));
}

HloInstruction* InstructionBuilder::ScalarFloat(PrimitiveType type, double value) {
  absl::StatusOr<Literal> literal = LiteralUtil::Number(type, value);
  if (literal.ok()) return Constant(*std::move(literal));
  if (status_.ok()) status_ = absl::InternalError(literal.status().message());
  return Constant(Literal::Scalar<bool>(false));
}

HloInstruction* InstructionBuilder::Splat(const Shape& shape, int64_t value) {
  return BroadcastScalar(Scalar(shape.element_type(), value), shape);
}

HloInstruction* InstructionBuilder::SplatFloat(const Shape& shape, double value) {
  return BroadcastScalar(ScalarFloat(shape.element_type(), value), shape);
}

HloInstruction* InstructionBuilder::Splat(const Shape& shape, Literal scalar) {
  return BroadcastScalar(Constant(std::move(scalar)), shape);
}

HloInstruction* InstructionBuilder::Iota(const Shape& shape, int64_t dimension) {
  auto attributes = New<IotaAttributes>();
  attributes->iota_dimension = dimension;
  return MakeOfShape(HloOpcode::kIota, shape.WithoutLayout(), {}, std::move(attributes));
}

HloInstruction* InstructionBuilder::Compare(ComparisonDirection direction, HloInstruction* x, HloInstruction* y) {
  return CompareAs(direction, DefaultComparisonType(x->shape().element_type()), x, y);
}

HloInstruction* InstructionBuilder::CompareAs(ComparisonDirection direction, ComparisonType type, HloInstruction* x,
                                              HloInstruction* y) {
  auto attributes = New<CompareAttributes>();
  attributes->direction = direction;
  attributes->type = type;
  return Make(HloOpcode::kCompare, {x, y}, std::move(attributes));
}

HloInstruction* InstructionBuilder::Select(HloInstruction* predicate, HloInstruction* on_true,
                                           HloInstruction* on_false) {
  return Make(HloOpcode::kSelect, {predicate, on_true, on_false});
}

HloInstruction* InstructionBuilder::Clamp(HloInstruction* low, HloInstruction* x, HloInstruction* high) {
  return Make(HloOpcode::kClamp, {low, x, high});
}

HloInstruction* InstructionBuilder::Convert(HloInstruction* x, PrimitiveType type) {
  if (x->shape().element_type() == type) return x;
  Shape shape = x->shape().WithoutLayout();
  shape.set_element_type(type);
  return MakeOfShape(HloOpcode::kConvert, shape, {x});
}

HloInstruction* InstructionBuilder::BitcastConvert(HloInstruction* x, const Shape& shape) {
  return MakeOfShape(HloOpcode::kBitcastConvert, shape.WithoutLayout(), {x});
}

HloInstruction* InstructionBuilder::Broadcast(HloInstruction* x, absl::Span<const int64_t> result_dimensions,
                                              absl::Span<const int64_t> dimensions) {
  auto attributes = New<BroadcastAttributes>();
  attributes->dimensions = ToDimensions(dimensions);
  return MakeOfShape(HloOpcode::kBroadcast, Shape::Array(x->shape().element_type(), result_dimensions), {x},
                     std::move(attributes));
}

HloInstruction* InstructionBuilder::BroadcastScalar(HloInstruction* scalar, const Shape& shape) {
  return shape.rank() == 0 ? scalar : Broadcast(scalar, shape.dimensions(), {});
}

HloInstruction* InstructionBuilder::Reshape(HloInstruction* x, absl::Span<const int64_t> dimensions) {
  if (x->shape().dimensions() == dimensions) return x;
  return MakeOfShape(HloOpcode::kReshape, Shape::Array(x->shape().element_type(), dimensions), {x},
                     New<ReshapeAttributes>());
}

HloInstruction* InstructionBuilder::Transpose(HloInstruction* x, absl::Span<const int64_t> permutation) {
  auto attributes = New<DimensionsAttributes>();
  attributes->dimensions = ToDimensions(permutation);
  return Make(HloOpcode::kTranspose, {x}, std::move(attributes));
}

HloInstruction* InstructionBuilder::Reverse(HloInstruction* x, absl::Span<const int64_t> dimensions) {
  auto attributes = New<DimensionsAttributes>();
  attributes->dimensions = ToDimensions(dimensions);
  return Make(HloOpcode::kReverse, {x}, std::move(attributes));
}

HloInstruction* InstructionBuilder::Slice(HloInstruction* x, absl::Span<const int64_t> starts,
                                          absl::Span<const int64_t> limits, absl::Span<const int64_t> strides) {
  auto attributes = New<SliceAttributes>();
  for (size_t i = 0; i < starts.size(); ++i) {
    attributes->ranges.push_back({starts[i], limits[i], strides.empty() ? 1 : strides[i]});
  }
  return Make(HloOpcode::kSlice, {x}, std::move(attributes));
}

HloInstruction* InstructionBuilder::SliceInDim(HloInstruction* x, int64_t dimension, int64_t start, int64_t limit,
                                               int64_t stride) {
  auto attributes = New<SliceAttributes>();
  for (int64_t size : x->shape().dimensions()) attributes->ranges.push_back({0, size, 1});
  attributes->ranges[dimension] = {start, limit, stride};
  return Make(HloOpcode::kSlice, {x}, std::move(attributes));
}

HloInstruction* InstructionBuilder::Pad(HloInstruction* x, HloInstruction* value, PaddingConfig padding) {
  auto attributes = New<PadAttributes>();
  attributes->padding = std::move(padding);
  return Make(HloOpcode::kPad, {x, value}, std::move(attributes));
}

HloInstruction* InstructionBuilder::Concatenate(absl::Span<HloInstruction* const> operands, int64_t dimension) {
  auto attributes = New<DimensionAttributes>();
  attributes->dimension = dimension;
  return Make(HloOpcode::kConcatenate, operands, std::move(attributes));
}

HloInstruction* InstructionBuilder::DynamicSlice(HloInstruction* x, absl::Span<HloInstruction* const> starts,
                                                 absl::Span<const int64_t> sizes) {
  auto attributes = New<DynamicSliceAttributes>();
  attributes->slice_sizes = ToDimensions(sizes);
  std::vector<HloInstruction*> operands = {x};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return Make(HloOpcode::kDynamicSlice, operands, std::move(attributes));
}

HloInstruction* InstructionBuilder::DynamicUpdateSlice(HloInstruction* x, HloInstruction* update,
                                                       absl::Span<HloInstruction* const> starts) {
  std::vector<HloInstruction*> operands = {x, update};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return Make(HloOpcode::kDynamicUpdateSlice, operands);
}

HloInstruction* InstructionBuilder::Reduce(HloInstruction* x, HloInstruction* init,
                                           absl::Span<const int64_t> dimensions, HloComputation* reducer) {
  auto attributes = New<DimensionsAttributes>();
  attributes->dimensions = ToDimensions(dimensions);
  return Make(HloOpcode::kReduce, {x, init}, std::move(attributes), {reducer});
}

HloInstruction* InstructionBuilder::Reduce(HloInstruction* x, HloInstruction* init,
                                           absl::Span<const int64_t> dimensions, HloOpcode opcode) {
  return Reduce(x, init, dimensions, ScalarComputation(module(), opcode, x->shape().element_type()));
}

namespace {

std::vector<HloInstruction*> Joined(absl::Span<HloInstruction* const> first, absl::Span<HloInstruction* const> second) {
  std::vector<HloInstruction*> all(first.begin(), first.end());
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

}  // namespace

HloInstruction* InstructionBuilder::ReduceAll(absl::Span<HloInstruction* const> arrays,
                                              absl::Span<HloInstruction* const> inits,
                                              absl::Span<const int64_t> dimensions, HloComputation* reducer) {
  auto attributes = New<DimensionsAttributes>();
  attributes->dimensions = ToDimensions(dimensions);
  return Make(HloOpcode::kReduce, Joined(arrays, inits), std::move(attributes), {reducer});
}

HloInstruction* InstructionBuilder::ReduceWindow(absl::Span<HloInstruction* const> arrays,
                                                 absl::Span<HloInstruction* const> inits, Window window,
                                                 HloComputation* reducer) {
  auto attributes = New<WindowAttributes>();
  attributes->window = std::move(window);
  return Make(HloOpcode::kReduceWindow, Joined(arrays, inits), std::move(attributes), {reducer});
}

HloInstruction* InstructionBuilder::Convolution(const Shape& shape, HloInstruction* lhs, HloInstruction* rhs,
                                                ConvolutionAttributes attributes) {
  return MakeOfShape(HloOpcode::kConvolution, shape.WithoutLayout(), {lhs, rhs},
                     std::make_unique<ConvolutionAttributes>(std::move(attributes)));
}

HloInstruction* InstructionBuilder::Sort(absl::Span<HloInstruction* const> arrays, int64_t dimension, bool is_stable,
                                         HloComputation* comparator) {
  auto attributes = New<SortAttributes>();
  attributes->dimension = dimension;
  attributes->is_stable = is_stable;
  return Make(HloOpcode::kSort, arrays, std::move(attributes), {comparator});
}

HloInstruction* InstructionBuilder::Gather(HloInstruction* x, HloInstruction* indices, GatherAttributes attributes) {
  return Make(HloOpcode::kGather, {x, indices}, std::make_unique<GatherAttributes>(std::move(attributes)));
}

HloInstruction* InstructionBuilder::Scatter(absl::Span<HloInstruction* const> arrays, HloInstruction* indices,
                                            absl::Span<HloInstruction* const> updates, ScatterAttributes attributes,
                                            HloComputation* combiner) {
  std::vector<HloInstruction*> operands = Joined(arrays, {indices});
  operands.insert(operands.end(), updates.begin(), updates.end());
  return Make(HloOpcode::kScatter, operands, std::make_unique<ScatterAttributes>(std::move(attributes)), {combiner});
}

HloInstruction* InstructionBuilder::Dot(HloInstruction* lhs, HloInstruction* rhs, DotAttributes attributes) {
  return Make(HloOpcode::kDot, {lhs, rhs}, std::make_unique<DotAttributes>(std::move(attributes)));
}

HloInstruction* InstructionBuilder::Tuple(absl::Span<HloInstruction* const> elements) {
  return Make(HloOpcode::kTuple, elements);
}

HloInstruction* InstructionBuilder::GetTupleElement(HloInstruction* tuple, int64_t index) {
  auto attributes = New<GetTupleElementAttributes>();
  attributes->index = index;
  return Make(HloOpcode::kGetTupleElement, {tuple}, std::move(attributes));
}

HloInstruction* InstructionBuilder::Call(HloComputation* callee, absl::Span<HloInstruction* const> operands) {
  return MakeOfShape(HloOpcode::kCall, callee->root()->shape(), operands, New<CallAttributes>(), {callee});
}

HloInstruction* InstructionBuilder::While(HloComputation* condition, HloComputation* body, HloInstruction* init) {
  return MakeOfShape(HloOpcode::kWhile, init->shape(), {init}, nullptr, {condition, body});
}

namespace {

// Whether the computation is (x T[], y T[]) -> opcode(x, y). One that is under construction has no root yet.
bool IsScalarComputation(const HloComputation& computation, HloOpcode opcode, PrimitiveType type) {
  if (computation.instruction_count() != 3 || computation.is_fusion_computation()) return false;
  const HloInstruction* root = computation.root();
  if (root == nullptr || root->opcode() != opcode || !root->shape().IsScalarOf(type) || root->operand_count() != 2)
    return false;
  for (int i = 0; i < 2; ++i) {
    const HloInstruction* operand = root->operand(i);
    if (operand->opcode() != HloOpcode::kParameter || !operand->shape().IsScalarOf(type) ||
        operand->attributes<ParameterAttributes>().number != i) {
      return false;
    }
  }
  return true;
}

}  // namespace

HloComputation* NewComputation(HloModule* module, absl::string_view name) {
  return module->AddComputation(std::make_unique<HloComputation>(module->NewName(name)));
}

// Finds such a computation in the module or adds one, so that reductions share it.
HloComputation* ScalarComputation(HloModule* module, HloOpcode opcode, PrimitiveType type) {
  for (const auto& computation : module->computations()) {
    if (IsScalarComputation(*computation, opcode, type)) return computation.get();
  }
  HloComputation* const computation =
      NewComputation(module, absl::StrCat(HloOpcodeName(opcode), "_", PrimitiveTypeName(type)));
  InstructionBuilder builder(computation);
  HloInstruction* const x = builder.Parameter(0, Shape::Scalar(type));
  HloInstruction* const y = builder.Parameter(1, Shape::Scalar(type));
  computation->set_root(builder.Binary(opcode, x, y));
  return computation;
}

}  // namespace xla
