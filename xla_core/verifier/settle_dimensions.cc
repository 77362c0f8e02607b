// A walk over the computations in the order of calls. Everything follows its operands, so that one pass over the
// instructions of a computation settles them: called computations first, as copies of their own, then the shape, by the
// rule of the op table.
#include "xla_core/verifier/settle_dimensions.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Calls nest no deeper, for the sake of the stack, and copies have no more instructions in all.
constexpr int kMaxDepth = 200;
constexpr int64_t kMaxInstructions = 1'000'000;

bool IsUnbounded(const HloComputation& computation) {
  for (const auto& instruction : computation.instructions()) {
    if (instruction->shape().IsUnboundedDynamic()) return true;
  }
  return false;
}

// `settled` is `written` but for `?`, layouts and what is dynamic.
bool Fits(const Shape& written, const Shape& settled) {
  if (written.element_type() != settled.element_type() || written.rank() != settled.rank() ||
      written.tuple_size() != settled.tuple_size()) {
    return false;
  }
  for (int i = 0; i < written.tuple_size(); ++i) {
    if (!Fits(written.tuple_shape(i), settled.tuple_shape(i))) return false;
  }
  for (int d = 0; d < written.rank(); ++d) {
    if (written.dimension(d) != Shape::kUnboundedSize && written.dimension(d) != settled.dimension(d)) return false;
  }
  return true;
}

void SetDimension(int64_t size, bool is_dynamic, int d, Shape* shape) {
  shape->set_dimension(d, size);
  shape->set_dynamic_dimension(d, is_dynamic);
}

// What is broadcast is as large before as after.
void FillInBroadcast(const HloInstruction& broadcast, Shape* shape) {
  const Shape& operand = broadcast.operand(0)->shape();
  const DimensionVector& dimensions = broadcast.attributes<BroadcastAttributes>().dimensions;
  for (int i = 0; i < operand.rank() && i < static_cast<int>(dimensions.size()); ++i) {
    const int d = static_cast<int>(dimensions[i]);
    if (d < 0 || d >= shape->rank() || shape->dimension(d) != Shape::kUnboundedSize) continue;
    SetDimension(operand.dimension(i), operand.is_dynamic_dimension(i), d, shape);
  }
}

// One `?` takes the elements that the other dimensions leave.
void FillInReshape(const HloInstruction& reshape, Shape* shape) {
  const Shape& operand = reshape.operand(0)->shape();
  int open = -1;
  int64_t others = 1;
  for (int d = 0; d < shape->rank(); ++d) {
    if (shape->dimension(d) != Shape::kUnboundedSize) {
      if (!CheckedMul(others, shape->dimension(d), &others)) return;
    } else if (open >= 0) {
      return;
    } else {
      open = d;
    }
  }
  if (open < 0 || others == 0 || !operand.IsArray() || operand.IsDynamic()) return;
  if (operand.ElementCount() % others == 0) SetDimension(operand.ElementCount() / others, false, open, shape);
}

// Gives the `?` of a written shape the sizes of another one of the same structure.
void SettleWritten(const Shape& settled, Shape* written) {
  if (!written->IsUnboundedDynamic() || !Fits(*written, settled)) return;
  if (written->IsTuple()) {
    std::vector<Shape> elements(written->tuple_shapes().begin(), written->tuple_shapes().end());
    for (size_t i = 0; i < elements.size(); ++i) SettleWritten(settled.tuple_shape(static_cast<int>(i)), &elements[i]);
    *written = Shape::Tuple(std::move(elements));
    return;
  }
  for (int d = 0; d < written->rank(); ++d) {
    if (written->dimension(d) != Shape::kUnboundedSize) continue;
    SetDimension(settled.dimension(d), settled.is_dynamic_dimension(d), d, written);
  }
}

class Settler {
 public:
  explicit Settler(HloModule& module) : module_(module) {
    // Callees precede their callers.
    for (const auto& computation : module.computations()) {
      bool is_open = IsUnbounded(*computation);
      for (const auto& instruction : computation->instructions()) {
        for (const HloComputation* callee : instruction->called_computations()) is_open |= open_.contains(callee);
      }
      if (is_open) open_.insert(computation.get());
    }
  }

  absl::Status Settle(HloComputation& computation, absl::Span<const Shape> arguments, int depth) {
    settled_ += computation.instruction_count();
    if (depth > kMaxDepth || settled_ > kMaxInstructions) {
      return absl::InvalidArgumentError(
          "the program calls too much for its dimensions to be settled; write their sizes");
    }
    RETURN_IF_ERROR(SettleParameters(computation, arguments));
    const std::vector<HloInstruction*> instructions = computation.LiveInstructions();
    for (HloInstruction* instruction : instructions) {
      RETURN_IF_ERROR(SettleCallees(*instruction, depth));
      if (instruction->shape().IsUnboundedDynamic()) RETURN_IF_ERROR(SettleShape(*instruction));
    }
    return absl::OkStatus();
  }

 private:
  static absl::Status SettleParameters(HloComputation& computation, absl::Span<const Shape> arguments) {
    const std::vector<HloInstruction*> parameters = computation.parameters();
    if (parameters.size() != arguments.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat(computation.name(), " takes ", parameters.size(), " arguments, but gets ", arguments.size()));
    }
    for (size_t i = 0; i < parameters.size(); ++i) {
      HloInstruction& parameter = *parameters[i];
      if (arguments[i].IsUnboundedDynamic()) {
        return absl::InvalidArgumentError(absl::StrCat("parameter ", parameter.name(), " is ",
                                                       parameter.shape().ToString(),
                                                       ": only an argument tells its sizes; give one"));
      }
      if (!Fits(parameter.shape(), arguments[i])) {
        return absl::InvalidArgumentError(absl::StrCat("parameter ", parameter.name(), " is ",
                                                       parameter.shape().ToString(), ", but its argument ",
                                                       arguments[i].ToString()));
      }
      SettleWritten(arguments[i], &parameter.mutable_shape());
    }
    return absl::OkStatus();
  }

  // What callee number `i` is given; false if that is not a matter of whole operands.
  static bool ArgumentsOf(const HloInstruction& call, int i, std::vector<Shape>* arguments) {
    const HloOpcode opcode = call.opcode();
    if (opcode == HloOpcode::kCall || opcode == HloOpcode::kFusion || opcode == HloOpcode::kAsyncStart) {
      for (const HloInstruction* operand : call.operands()) arguments->push_back(operand->shape());
      return true;
    }
    if (opcode == HloOpcode::kWhile) {
      arguments->push_back(call.operand(0)->shape());
      return true;
    }
    if (opcode != HloOpcode::kConditional || i + 1 >= call.operand_count()) return false;
    arguments->push_back(call.operand(i + 1)->shape());
    return true;
  }

  // Gives each call a copy of its callee with the dimensions of its arguments, since other calls may have others. The
  // later steps of an asynchronous operation take the copy of the first.
  absl::Status SettleCallees(HloInstruction& call, int depth) {
    for (size_t k = 0; k < call.called_computations().size(); ++k) {
      const int i = static_cast<int>(k);
      HloComputation* const callee = call.called_computation(i);
      if (!open_.contains(callee)) continue;
      if (call.opcode() == HloOpcode::kAsyncUpdate || call.opcode() == HloOpcode::kAsyncDone) {
        if (!call.operand(0)->called_computations().empty()) {
          call.ReplaceCalledComputation(i, call.operand(0)->called_computation(0));
        }
        continue;
      }
      std::vector<Shape> arguments;
      if (!ArgumentsOf(call, i, &arguments)) return Open(call);
      HloComputation* const copy = AddCloneOfComputation(*callee, &module_);
      copy->set_execution_thread(callee->execution_thread());
      copy->set_is_fusion_computation(callee->is_fusion_computation());
      RETURN_IF_ERROR(Settle(*copy, arguments, depth + 1));
      call.ReplaceCalledComputation(i, copy);
    }
    return absl::OkStatus();
  }

  static absl::Status SettleShape(HloInstruction& instruction) {
    const OpDefinition& op = GetOp(instruction.opcode());
    Shape& shape = instruction.mutable_shape();
    if (instruction.opcode() == HloOpcode::kBroadcast) FillInBroadcast(instruction, &shape);
    if (instruction.opcode() == HloOpcode::kReshape) FillInReshape(instruction, &shape);
    if (op.infer_shape != nullptr) {
      const absl::StatusOr<Shape> inferred = op.infer_shape(instruction);
      if (inferred.ok()) SettleWritten(*inferred, &shape);
    }
    return shape.IsUnboundedDynamic() ? Open(instruction) : absl::OkStatus();
  }

  static absl::Status Open(const HloInstruction& instruction) {
    return absl::InvalidArgumentError(absl::StrCat(instruction.name(), ": a dimension of ",
                                                   instruction.shape().ToString(),
                                                   " does not follow from the operands; write its size"));
  }

  HloModule& module_;
  absl::flat_hash_set<const HloComputation*> open_;  // those with a `?` in them or in what they call
  int64_t settled_ = 0;
};

}  // namespace

bool HasUnboundedDimensions(const HloModule& module) {
  for (const auto& computation : module.computations()) {
    if (IsUnbounded(*computation)) return true;
  }
  return false;
}

absl::Status SettleDimensions(HloModule& module, absl::Span<const Shape> arguments) {
  RETURN_IF_ERROR(Settler(module).Settle(*module.entry(), arguments, 0));
  module.RemoveUnreachableComputations();
  module.Tidy();
  // The layout of the entry repeats its shapes, with layouts that have as many dimensions as before.
  absl::optional<ProgramShape>& layout = module.mutable_config().entry_computation_layout;
  if (!layout.has_value()) return absl::OkStatus();
  const std::vector<HloInstruction*> parameters = module.entry()->parameters();
  for (size_t i = 0; i < parameters.size() && i < layout->parameters.size(); ++i) {
    SettleWritten(parameters[i]->shape(), &layout->parameters[i]);
  }
  SettleWritten(module.entry()->root()->shape(), &layout->result);
  return absl::OkStatus();
}

}  // namespace xla
