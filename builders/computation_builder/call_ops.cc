// Operations that run other computations or functions outside, at once or asynchronously.
#include "absl/strings/str_cat.h"
#include "builders/computation_builder/computation_builder.h"

namespace xla {

// ---- Calls

XlaOp ComputationBuilder::Call(const XlaComputation& computation, ArraySlice<XlaOp> args, SourceLocation loc) {
  ActiveCall call(this, "Call", loc, args);
  if (!call) return Invalid();
  return Append(HloOpcode::kCall, args, nullptr, {computation});
}

XlaOp ComputationBuilder::CompositeCall(const XlaComputation& computation, ArraySlice<XlaOp> args,
                                        const CompositeOptions& options, SourceLocation loc) {
  ActiveCall call(this, "CompositeCall", loc, args);
  if (!call) return Invalid();
  auto attributes = std::make_unique<CallAttributes>();
  attributes->is_composite = true;
  const ScopedFrontendAttributes composite(this, {{"composite.name", options.name},
                                                  {"composite.attributes", options.attributes},
                                                  {"composite.version", absl::StrCat(options.version)}});
  return Append(HloOpcode::kCall, args, std::move(attributes), {computation});
}

XlaOp ComputationBuilder::Fusion(FusionKind kind, const XlaComputation& computation, ArraySlice<XlaOp> args,
                                 SourceLocation loc) {
  ActiveCall call(this, "Fusion", loc, args);
  if (!call) return Invalid();
  auto attributes = std::make_unique<FusionAttributes>();
  attributes->kind = kind;
  return Append(HloOpcode::kFusion, args, std::move(attributes), {computation});
}

XlaOp ComputationBuilder::While(const XlaComputation& condition, const XlaComputation& body, XlaOp init,
                                SourceLocation loc) {
  ActiveCall call(this, "While", loc, {init});
  if (!call) return Invalid();
  return Append(HloOpcode::kWhile, {init}, nullptr, {condition, body});
}

XlaOp ComputationBuilder::Conditional(XlaOp predicate, XlaOp true_operand, const XlaComputation& true_computation,
                                      XlaOp false_operand, const XlaComputation& false_computation,
                                      SourceLocation loc) {
  ActiveCall call(this, "Conditional", loc, {predicate, true_operand, false_operand});
  if (!call) return Invalid();
  if (!ShapeOf(predicate).IsScalarOf(PRED)) {
    return FailInvalid("the predicate must be pred[]; with an index, give lists of computations and operands");
  }
  return Append(HloOpcode::kConditional, {predicate, true_operand, false_operand}, nullptr,
                {true_computation, false_computation});
}

XlaOp ComputationBuilder::Conditional(XlaOp branch_index, ArraySlice<XlaComputation> branch_computations,
                                      ArraySlice<XlaOp> branch_operands, SourceLocation loc) {
  std::vector<XlaOp> operands = {branch_index};
  operands.insert(operands.end(), branch_operands.begin(), branch_operands.end());
  ActiveCall call(this, "Conditional", loc, operands);
  if (!call || !CheckCount("branch_operands", branch_operands.size(), "branch", branch_computations.size())) {
    return Invalid();
  }
  return Append(HloOpcode::kConditional, operands, nullptr, branch_computations);
}

XlaOp ComputationBuilder::OptimizationBarrier(XlaOp operand, SourceLocation loc) {
  ActiveCall call(this, "OptimizationBarrier", loc, {operand});
  if (!call) return Invalid();
  return Append(HloOpcode::kOptBarrier, {operand});
}

// ---- Functions outside

XlaOp ComputationBuilder::CustomCall(absl::string_view target_name, ArraySlice<XlaOp> args, const Shape& shape,
                                     const CustomCallOptions& options, SourceLocation loc) {
  ActiveCall call(this, "CustomCall", loc, args);
  if (!call) return Invalid();
  if (target_name.empty()) return FailInvalid("the target of a custom call needs a name");
  auto attributes = std::make_unique<CustomCallAttributes>();
  attributes->custom_call_has_side_effect = options.has_side_effect;
  attributes->api_version = options.api_version;
  attributes->operand_layout_constraints = options.operand_layouts;
  attributes->output_to_operand_aliasing = options.output_operand_aliasing;
  attributes->literal = options.literal;
  attributes->schedule = options.schedule;
  attributes->window = options.window;
  attributes->dim_labels = options.convolution_dimension_numbers;
  attributes->feature_group_count = options.feature_group_count;
  attributes->batch_group_count = options.batch_group_count;
  attributes->operand_precision = options.precision;
  attributes->padding_type = options.padding_type;
  const XlaOp result = Append(HloOpcode::kCustomCall, args, std::move(attributes), options.called_computations, shape);
  if (!result.valid()) return result;
  // The rules of a target may depend on its configuration, so the call gets its name when it has that.
  HloInstruction& custom_call = *result.instruction_;
  if (!options.backend_config.empty()) custom_call.mutable_annotations().backend_config = options.backend_config;
  custom_call.mutable_attributes<CustomCallAttributes>().custom_call_target = std::string(target_name);
  const absl::Status valid = InferAndVerify(custom_call);
  return valid.ok() ? result : Fail(valid);
}

// ---- Asynchronous operations

namespace {

std::unique_ptr<AsyncAttributes> OnThread(absl::string_view execution_thread) {
  auto attributes = std::make_unique<AsyncAttributes>();
  attributes->async_execution_thread = std::string(execution_thread);
  return attributes;
}

bool IsInAsyncChain(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kAsyncStart || instruction.opcode() == HloOpcode::kAsyncUpdate;
}

}  // namespace

XlaOp ComputationBuilder::AsyncStart(const XlaComputation& computation, ArraySlice<XlaOp> args,
                                     absl::string_view execution_thread, SourceLocation loc) {
  ActiveCall call(this, "AsyncStart", loc, args);
  if (!call || !CheckCalled({computation})) return Invalid();
  const absl::StatusOr<ProgramShape> program = computation.GetProgramShape();
  if (!program.ok()) return Fail(program.status());
  std::vector<Shape> bound;
  for (const XlaOp arg : args) bound.push_back(ShapeOf(arg));
  return Append(HloOpcode::kAsyncStart, args, OnThread(execution_thread), {computation},
                Shape::Tuple({Shape::Tuple(std::move(bound)), program->result}));
}

XlaOp ComputationBuilder::AsyncUpdate(XlaOp start_or_update, ArraySlice<XlaOp> further_args, SourceLocation loc) {
  std::vector<XlaOp> operands = {start_or_update};
  operands.insert(operands.end(), further_args.begin(), further_args.end());
  ActiveCall call(this, "AsyncUpdate", loc, operands);
  if (!call) return Invalid();
  const HloInstruction& chain = *start_or_update.instruction_;
  if (!IsInAsyncChain(chain)) return FailInvalid("operand 0 must be the result of AsyncStart or AsyncUpdate");
  Shape shape = chain.shape();
  std::vector<Shape> bound(shape.tuple_shape(0).tuple_shapes().begin(), shape.tuple_shape(0).tuple_shapes().end());
  for (const XlaOp arg : further_args) bound.push_back(ShapeOf(arg));
  shape.SetTupleShape(0, Shape::Tuple(std::move(bound)));
  return Append(HloOpcode::kAsyncUpdate, operands, OnThread(chain.attributes<AsyncAttributes>().async_execution_thread),
                {}, shape);
}

XlaOp ComputationBuilder::AsyncDone(XlaOp start_or_update, SourceLocation loc) {
  ActiveCall call(this, "AsyncDone", loc, {start_or_update});
  if (!call) return Invalid();
  const HloInstruction& chain = *start_or_update.instruction_;
  if (!IsInAsyncChain(chain)) return FailInvalid("the operand must be the result of AsyncStart or AsyncUpdate");
  return Append(HloOpcode::kAsyncDone, {start_or_update},
                OnThread(chain.attributes<AsyncAttributes>().async_execution_thread), {}, chain.shape().tuple_shape(1));
}

XlaOp ComputationBuilder::CopyStart(XlaOp operand, SourceLocation loc) {
  ActiveCall call(this, "CopyStart", loc, {operand});
  if (!call) return Invalid();
  const Shape& shape = ShapeOf(operand);
  return Append(HloOpcode::kCopyStart, {operand}, nullptr, {}, Shape::Tuple({shape, shape, Shape::Scalar(U32)}));
}

XlaOp ComputationBuilder::CopyDone(XlaOp start, SourceLocation loc) {
  ActiveCall call(this, "CopyDone", loc, {start});
  if (!call) return Invalid();
  return Append(HloOpcode::kCopyDone, {start});
}

}  // namespace xla
