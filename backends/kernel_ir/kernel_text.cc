// Kernels as text, in the form of the example in kernel.h. One printer serves people and the recognition of equal
// kernels: values are numbered in the order of their definition, so kernels that do the same in the same way have one
// anonymous text, by which a code generator compiles them once.
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "backends/kernel_ir/kernel.h"
#include "xla_core/text/element_text.h"

namespace xla {
namespace {

absl::string_view UseName(KernelBuffer::Use use) {
  switch (use) {
    case KernelBuffer::Use::kRead:
      return "read";
    case KernelBuffer::Use::kWrite:
      return "write";
    case KernelBuffer::Use::kReadWrite:
      return "read write";
    case KernelBuffer::Use::kScratch:
      return "scratch";
  }
  return "";
}

class Printer {
 public:
  Printer(const Kernel& kernel, bool with_names) : kernel_(kernel), with_names_(with_names) {}

  // First finds the values that are printed where they are used, because that happens once; then prints buffers and
  // phases.
  std::string Print() {
    NameBuffers();
    is_inline_.resize(kernel_.value_types.size(), true);
    definition_.resize(kernel_.value_types.size());
    number_.resize(kernel_.value_types.size(), -1);
    for (const KernelPhase& phase : kernel_.phases) FindInline(phase.body);

    absl::StrAppend(&text_, "kernel ", with_names_ ? kernel_.name : "", "(");
    bool is_first = true;
    for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
      if (kernel_.buffers[i].use == KernelBuffer::Use::kScratch) continue;
      absl::StrAppend(&text_, is_first ? "" : ", ", BufferText(i));
      is_first = false;
    }
    text_ += ") {\n";
    indent_ = 1;
    for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
      if (kernel_.buffers[i].use == KernelBuffer::Use::kScratch) Line(BufferText(i));
    }
    for (const KernelPhase& phase : kernel_.phases) PrintPhase(phase);
    text_ += "}\n";
    return std::move(text_);
  }

 private:
  // ---- Names.

  // The names that the kernel gives, where they tell its buffers apart.
  void NameBuffers() {
    absl::flat_hash_set<std::string> taken;
    for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
      const std::string& name = kernel_.buffers[i].name;
      const bool is_usable = with_names_ && !name.empty() && taken.insert(name).second;
      buffer_names_.push_back(is_usable ? name : absl::StrCat(with_names_ ? name : "b", "#", i));
    }
  }

  std::string BufferText(size_t i) const {
    const KernelBuffer& buffer = kernel_.buffers[i];
    const bool shares = buffer.same_memory_as >= 0;
    return absl::StrCat(buffer_names_[i], ": ", PrimitiveTypeName(buffer.type), "[", buffer.element_count, "] ",
                        UseName(buffer.use), shares ? " of " : "",
                        shares ? buffer_names_[buffer.same_memory_as] : std::string());
  }

  // A value for whose definition there is a place of its own.
  std::string Define(KernelValue value) {
    number_[value] = next_number_++;
    return absl::StrCat("%", number_[value], kernel_.IsNarrow(value) ? ":32" : "");
  }
  std::string DefineTyped(KernelValue value) {
    return absl::StrCat(Define(value), ": ", PrimitiveTypeName(kernel_.TypeOf(value)));
  }
  std::string Name(KernelValue value) const {
    if (definition_[value] != nullptr && is_inline_[value]) return InlineText(*definition_[value]);
    return absl::StrCat("%", number_[value]);
  }
  template <typename Values>
  std::string Names(const Values& values) const {
    std::string names;
    for (const KernelValue value : values) absl::StrAppend(&names, names.empty() ? "" : ", ", Name(value));
    return names;
  }

  // ---- Index expressions that stand where they are used.

  // Where it is shown which sums are narrow, those that are not have a place of their own.
  bool CanBeInline(const KernelInstruction& instruction) const {
    if (instruction.op == KernelOp::kConstant) return kernel_.TypeOf(instruction.results[0]) == S64;
    return instruction.op == KernelOp::kAffine && (kernel_.narrow.empty() || kernel_.IsNarrow(instruction.results[0]));
  }

  // Those that all users have in a place where an expression can stand.
  void FindInline(const KernelRegion& region) {
    for (const KernelInstruction& instruction : region.instructions) {
      for (const KernelValue result : instruction.results) {
        definition_[result] = &instruction;
        if (!CanBeInline(instruction)) is_inline_[result] = false;
      }
      const bool shows_first =
          instruction.op == KernelOp::kLoad || instruction.op == KernelOp::kStore || instruction.op == KernelOp::kFor;
      for (size_t i = shows_first ? 1 : 0; i < instruction.operands.size(); ++i) {
        is_inline_[instruction.operands[i]] = false;
      }
      for (const KernelRegion& nested : instruction.regions) FindInline(nested);
    }
    for (const KernelValue result : region.results) is_inline_[result] = false;
  }

  std::string InlineText(const KernelInstruction& instruction) const {
    return instruction.op == KernelOp::kConstant ? ConstantText(instruction) : AffineText(instruction);
  }

  static std::string ConstantText(const KernelInstruction& instruction) {
    std::string text;
    AppendScalar(instruction.literal.shape().element_type(), instruction.literal.untyped_data(), &text);
    return text;
  }

  // "8*%0 - %1 + 3"
  std::string AffineText(const KernelInstruction& instruction) const {
    std::string text;
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      const int64_t coefficient = instruction.coefficients[i];
      AppendSigned(coefficient, /*shows_magnitude=*/coefficient != 1 && coefficient != -1, &text);
      absl::StrAppend(&text, coefficient != 1 && coefficient != -1 ? "*" : "", Name(instruction.operands[i]));
    }
    if (instruction.constant != 0 || text.empty()) AppendSigned(instruction.constant, true, &text);
    return text;
  }

  static void AppendSigned(int64_t number, bool shows_magnitude, std::string* text) {
    const bool is_first = text->empty();
    const uint64_t magnitude = number < 0 ? -static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
    text->append(number < 0 ? (is_first ? "-" : " - ") : (is_first ? "" : " + "));
    if (shows_magnitude) absl::StrAppend(text, magnitude);
  }

  // ---- Lines.

  void Line(absl::string_view line) { absl::StrAppend(&text_, std::string(2 * indent_, ' '), line, "\n"); }

  void Open(absl::string_view line) {
    Line(absl::StrCat(line, " {"));
    ++indent_;
  }
  // Ends a region, and begins the next one if `next` is not empty.
  void Close(const KernelRegion& region, absl::string_view next = "") {
    if (!region.results.empty()) Line(absl::StrCat("yield ", Names(region.results)));
    --indent_;
    if (next.empty()) {
      Line("}");
    } else {
      Line(absl::StrCat("} ", next, " {"));
      ++indent_;
    }
  }

  void PrintPhase(const KernelPhase& phase) {
    const std::string invocations =
        phase.invocations > 1 ? absl::StrCat(" invocations=", phase.invocations) : std::string();
    Open(absl::StrCat("phase tiles=", phase.tile_count, invocations, " (", DefineAllTyped(phase.body.arguments), ")"));
    PrintInstructions(phase.body);
    Close(phase.body);
  }

  template <typename Values>
  std::string DefineAllTyped(const Values& values) {
    std::string text;
    for (const KernelValue value : values) absl::StrAppend(&text, text.empty() ? "" : ", ", DefineTyped(value));
    return text;
  }

  void PrintInstructions(const KernelRegion& region) {
    for (const KernelInstruction& instruction : region.instructions) PrintInstruction(instruction);
  }

  // Instructions with regions have forms of their own; all others are `name = ...`, or nothing if they are printed
  // where they are used.
  void PrintInstruction(const KernelInstruction& instruction) {
    switch (instruction.op) {
      case KernelOp::kStore:
        return PrintStore(instruction);
      case KernelOp::kBarrier:
        return Line("barrier");
      case KernelOp::kFor:
        return PrintFor(instruction);
      case KernelOp::kReduce:
        return PrintReduce(instruction);
      case KernelOp::kIf:
        return PrintIf(instruction);
      case KernelOp::kWhile:
        return PrintWhile(instruction);
      default:
        break;
    }
    if (is_inline_[instruction.results[0]]) return;
    const std::string text = ValueText(instruction);
    Line(absl::StrCat(Define(instruction.results[0]), " = ", text));
  }

  // An instruction with one result and no regions.
  std::string ValueText(const KernelInstruction& instruction) const {
    const auto& operands = instruction.operands;
    const absl::string_view type = PrimitiveTypeName(kernel_.TypeOf(instruction.results[0]));
    switch (instruction.op) {
      case KernelOp::kConstant:
        return absl::StrCat("constant ", type, " ", ConstantText(instruction));
      case KernelOp::kMultiplyAdd:
        return absl::StrCat("multiply-add ", type, " ", Names(operands));
      case KernelOp::kAffine:
        return absl::StrCat("affine ", AffineText(instruction));
      case KernelOp::kQuotient:
        return absl::StrCat("quotient ", Name(operands[0]), " / ", instruction.constant);
      case KernelOp::kRemainder:
        return absl::StrCat("remainder ", Name(operands[0]), " mod ", instruction.constant);
      case KernelOp::kInRange:
        return absl::StrCat("in-range ", instruction.constant, " <= ", Name(operands[0]),
                            " <= ", instruction.constant2);
      case KernelOp::kLoad: {
        const std::string condition =
            operands.size() == 3 ? absl::StrCat(" if ", Name(operands[1]), " else ", Name(operands[2])) : "";
        return absl::StrCat("load ", type, " ", buffer_names_[instruction.buffer], "[", Name(operands[0]), "]",
                            condition);
      }
      default:
        return absl::StrCat(HloOpcodeName(instruction.opcode), " ", type, " ", Names(operands),
                            ElementwiseAttributes(instruction));
    }
  }

  static std::string ElementwiseAttributes(const KernelInstruction& instruction) {
    if (instruction.opcode == HloOpcode::kCompare) {
      return absl::StrCat(", ", ComparisonDirectionNames().names[static_cast<int>(instruction.direction)],
                          instruction.total_order ? ", total order" : "");
    }
    if (instruction.opcode == HloOpcode::kReducePrecision) {
      return absl::StrCat(", e", instruction.exponent_bits, "m", instruction.mantissa_bits);
    }
    return "";
  }

  void PrintStore(const KernelInstruction& instruction) {
    const auto& operands = instruction.operands;
    const std::string condition = operands.size() == 3 ? absl::StrCat(" if ", Name(operands[2])) : "";
    Line(absl::StrCat("store ", buffer_names_[instruction.buffer], "[", Name(operands[0]), "], ", Name(operands[1]),
                      condition));
  }

  // Results are defined after the regions, so that they are numbered there.
  void DefineResults(const KernelInstruction& instruction) {
    if (instruction.results.empty()) return;
    std::string names;
    for (const KernelValue result : instruction.results) {
      absl::StrAppend(&names, names.empty() ? "" : ", ", DefineTyped(result));
    }
    Line(absl::StrCat("-> ", names));
  }

  // "%3: f32 = %1, %4: f32 = %2"
  std::string DefineState(absl::Span<const KernelValue> arguments, absl::Span<const KernelValue> initial) {
    std::string text;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const std::string value = Name(initial[i]);
      absl::StrAppend(&text, i == 0 ? "" : ", ", DefineTyped(arguments[i]), " = ", value);
    }
    return text;
  }

  // `for i in 0..n with x = x0 independent vector {`.
  void PrintFor(const KernelInstruction& instruction) {
    const KernelRegion& body = instruction.regions[0];
    const absl::Span<const KernelValue> initial = absl::MakeConstSpan(instruction.operands).subspan(1);
    std::string head = absl::StrCat("for ", Define(body.arguments[0]), " in 0..", Name(instruction.operands[0]));
    if (!initial.empty()) {
      absl::StrAppend(&head, " with ", DefineState(absl::MakeConstSpan(body.arguments).subspan(1), initial));
    }
    if (instruction.independent) head += " independent";
    if (instruction.schedule == LoopSchedule::kVector) head += " vector";
    if (instruction.schedule == LoopSchedule::kUnroll) head += " unroll";
    if (instruction.schedule == LoopSchedule::kInvocations) head += " invocations";
    Open(head);
    PrintInstructions(body);
    Close(body);
    DefineResults(instruction);
  }

  // `reduce i in 0..n from init lanes 8 of neutral {`, then the region for an element, then the one that combines
  // two.
  void PrintReduce(const KernelInstruction& instruction) {
    const KernelRegion& element = instruction.regions[0];
    const KernelRegion& combine = instruction.regions[1];
    std::string head = "reduce";
    for (size_t i = 0; i < instruction.extents.size(); ++i) {
      absl::StrAppend(&head, i == 0 ? " " : ", ", Define(element.arguments[i]), " in 0..", instruction.extents[i]);
    }
    const size_t n = instruction.results.size();
    absl::StrAppend(&head, " from ", Names(absl::MakeConstSpan(instruction.operands).subspan(0, n)));
    if (instruction.lanes != 1) {
      absl::StrAppend(&head, " lanes ", instruction.lanes, " of ",
                      Names(absl::MakeConstSpan(instruction.operands).subspan(n)));
    }
    if (instruction.schedule == LoopSchedule::kInvocations) head += " invocations";
    Open(head);
    PrintInstructions(element);
    Close(element, absl::StrCat("combine ", DefineAllTyped(combine.arguments)));
    PrintInstructions(combine);
    Close(combine);
    DefineResults(instruction);
  }

  void PrintIf(const KernelInstruction& instruction) {
    Open(absl::StrCat("if ", Name(instruction.operands[0])));
    PrintInstructions(instruction.regions[0]);
    Close(instruction.regions[0], "else");
    PrintInstructions(instruction.regions[1]);
    Close(instruction.regions[1]);
    DefineResults(instruction);
  }

  void PrintWhile(const KernelInstruction& instruction) {
    const KernelRegion& condition = instruction.regions[0];
    const KernelRegion& body = instruction.regions[1];
    Open(absl::StrCat("while ", DefineState(condition.arguments, instruction.operands)));
    PrintInstructions(condition);
    Close(condition, absl::StrCat("do ", DefineAllTyped(body.arguments)));
    PrintInstructions(body);
    Close(body);
    DefineResults(instruction);
  }

  const Kernel& kernel_;
  const bool with_names_;
  std::vector<std::string> buffer_names_;
  std::vector<bool> is_inline_;                       // by value
  std::vector<const KernelInstruction*> definition_;  // by value; nullptr: an argument
  std::vector<int32_t> number_;                       // by value
  int32_t next_number_ = 0;
  int indent_ = 0;
  std::string text_;
};

}  // namespace

std::string KernelToString(const Kernel& kernel) { return Printer(kernel, /*with_names=*/true).Print(); }
std::string AnonymousKernelToString(const Kernel& kernel) { return Printer(kernel, /*with_names=*/false).Print(); }

}  // namespace xla
