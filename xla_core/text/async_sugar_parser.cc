// `custom-call-start(...)` and its like: one word for an async-start and the computation that it wraps.
#include "absl/strings/str_cat.h"
#include "xla_core/text/attribute_parser.h"
#include "xla_core/text/module_parser.h"

namespace xla {
namespace {

// What of an asynchronous instruction also holds for the one that it wraps.
void CopyAnnotations(const HloInstruction& from, HloInstruction* to) {
  if (!from.has_annotations()) return;
  const InstructionAnnotations& a = from.annotations();
  InstructionAnnotations& copy = to->mutable_annotations();
  copy.metadata = a.metadata;
  copy.original_value = a.original_value;
  copy.frontend_attributes = a.frontend_attributes;
  copy.statistics = a.statistics;
  if (!a.backend_config.empty()) copy.backend_config = a.backend_config;
}

}  // namespace

// For the start of async sugar: makes the wrapped instruction, which then receives the attributes.
bool ModuleParser::BeginAsync(Draft* draft) {
  if (!draft->opcode.wrapped.has_value() || draft->opcode.opcode != HloOpcode::kAsyncStart) return true;
  if (!draft->has_shape) return InferShape(draft);
  const Shape& shape = draft->instruction->shape();
  if (!shape.IsTuple() || shape.tuple_size() < 2 || !shape.tuple_shape(0).IsTuple()) {
    return reader_.ErrorAt(
        draft->at, absl::StrCat("an async start has the shape ((operands), result, ...), found ", shape.ToString()));
  }
  draft->wrapped = std::make_unique<HloInstruction>(*draft->opcode.wrapped, "", shape.tuple_shape(1));
  if (const auto make_attributes = GetOp(*draft->opcode.wrapped).make_attributes) {
    draft->wrapped->set_attributes(make_attributes());
  }
  auto computation = std::make_unique<HloComputation>("");
  for (int i = 0; i < draft->instruction->operand_count(); ++i) {
    auto parameter =
        std::make_unique<HloInstruction>(HloOpcode::kParameter, "", draft->instruction->operand(i)->shape());
    auto attributes = std::make_unique<ParameterAttributes>();
    attributes->number = i;
    parameter->set_attributes(std::move(attributes));
    nameless_instructions_.emplace_back(parameter.get(), "async_param");
    draft->wrapped->AddOperand(computation->AddInstruction(std::move(parameter)));
  }
  draft->typed = draft->wrapped.get();
  draft->wrapped_computation = std::move(computation);
  return true;
}

bool ModuleParser::ParseAsyncAttribute(Draft* draft, bool* known) {
  if (!draft->opcode.wrapped.has_value()) return true;
  auto& async = draft->instruction->mutable_attributes<AsyncAttributes>();
  if (reader_.IsAttribute("async_execution_thread")) {
    *known = true;
    reader_.Next();
    return reader_.ParseString(&async.async_execution_thread);
  }
  if (reader_.IsAttribute("output_to_operand_aliasing") && draft->wrapped != nullptr) {
    *known = true;
    reader_.Next();
    return ParseOutputOperandAliasing(reader_, &async.output_to_operand_aliasing);
  }
  return true;
}

// Puts the wrapped computation of sugar into the module; for both spellings, sees that no other start calls it.
bool ModuleParser::FinishAsyncStart(Draft* draft) {
  HloInstruction& start = *draft->instruction;
  if (start.opcode() != HloOpcode::kAsyncStart) return true;
  const std::string& thread = start.attributes<AsyncAttributes>().async_execution_thread;
  if (draft->wrapped != nullptr) {
    CopyAnnotations(start, draft->wrapped.get());
    nameless_instructions_.emplace_back(draft->wrapped.get(), "async_op");
    HloComputation& computation = *draft->wrapped_computation;
    computation.set_root(computation.AddInstruction(std::move(draft->wrapped)));
    computation.set_execution_thread(thread);
    start.AddCalledComputation(module_->AddComputation(std::move(draft->wrapped_computation)));
    nameless_computations_.emplace_back(start.called_computation(0), "async_wrapped");
  }
  const HloComputation* const callee = start.called_computation(0);
  return async_callees_.insert(callee).second ||
         reader_.ErrorAt(draft->at,
                         absl::StrCat("computation ", callee->name(), " is called by more than one async op"));
}

HloInstruction* ModuleParser::AsyncStartOf(HloInstruction* continuation) const {
  HloInstruction* at = continuation;
  while (at->opcode() == HloOpcode::kAsyncUpdate && at->operand_count() > 0) {
    const auto known = async_starts_.find(at);
    if (known != async_starts_.end()) return known->second;
    at = at->operand(0);
  }
  return at->opcode() == HloOpcode::kAsyncStart ? at : nullptr;
}

// async-update and async-done, in both spellings.
bool ModuleParser::FinishAsyncContinuation(Draft* draft) {
  HloInstruction& instruction = *draft->instruction;
  const HloOpcode opcode = instruction.opcode();
  if (opcode != HloOpcode::kAsyncUpdate && opcode != HloOpcode::kAsyncDone) return true;
  HloInstruction* const start = AsyncStartOf(instruction.operand(0));
  if (start == nullptr) {
    return reader_.ErrorAt(draft->operands_at, "async-update and async-done expect a single async op as their operand");
  }
  if (opcode == HloOpcode::kAsyncUpdate) async_starts_.emplace(&instruction, start);
  const HloComputation* const callee = start->called_computation(0);
  if (draft->opcode.wrapped.has_value() && callee->root()->opcode() != *draft->opcode.wrapped) {
    return reader_.ErrorAt(
        draft->at, absl::StrCat("this continues an asynchronous ", HloOpcodeName(*draft->opcode.wrapped), ", but ",
                                start->name(), " starts ", callee->root()->opcode_name()));
  }
  const std::string& thread = start->attributes<AsyncAttributes>().async_execution_thread;
  auto& attributes = instruction.mutable_attributes<AsyncAttributes>();
  if (!draft->Seen("async_execution_thread")) attributes.async_execution_thread = thread;
  if (attributes.async_execution_thread != thread) {
    return reader_.ErrorAt(draft->at, absl::StrCat("async_execution_thread must be that of ", start->name(),
                                                   ", which is \"", thread, "\""));
  }
  if (!instruction.called_computations().empty() && instruction.called_computation(0) != callee) {
    return reader_.ErrorAt(draft->at, absl::StrCat("calls= must name the computation of ", start->name()));
  }
  // One that binds further operands lists more of them.
  if (instruction.opcode() == HloOpcode::kAsyncUpdate && instruction.operand_count() == 1 &&
      !instruction.shape().Compatible(instruction.operand(0)->shape())) {
    return reader_.ErrorAt(draft->at, absl::StrCat("an async update must have the shape of its operand, ",
                                                   instruction.operand(0)->shape().ToString()));
  }
  return true;
}

}  // namespace xla
