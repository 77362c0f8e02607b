// The frontend of toy programs, for tests: arithmetic on vectors of f32, all of one size.
//
//   toy 3                      the first line: the size
//   double = x 2 *             a name, and words in reverse Polish notation
//   y = double x 1 - +         the last line is the result
//
// Words are numbers, + - * /, names of lines above, and names of inputs; those are parameters, numbered as they occur.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "builders/computation_builder/computation_builder.h"
#include "tools/frontends/registry.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr absl::string_view kHeader = "toy ";

FrontendDescription Description() {
  FrontendDescription description;
  description.name = "toy";
  description.program = "a toy program";
  description.file = "a toy program";
  description.output_forms = {{"toy", "a toy program"}};
  return description;
}

// ---- Reading

class Reader {
 public:
  // `size` replaces that of the first line, unless it is 0.
  Reader(const ProgramSource& source, int64_t size) : source_(source), size_(size) {}

  absl::StatusOr<LoadedProgram> Read() {
    ASSIGN_OR_RETURN(const absl::string_view contents, source_.Contents());
    for (const absl::string_view line : absl::StrSplit(contents, '\n')) {
      ++line_;
      RETURN_IF_ERROR(line_ == 1 ? ReadHeader(line) : ReadLine(line));
    }
    ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, builder_.BuildModule());
    LoadedProgram program;
    program.file.format = "toy program";
    program.file.modules.push_back(std::move(module));
    program.file.input_names = std::move(inputs_);
    program.file.output_names = {last_name_};
    program.details = absl::StrCat(line_, " lines");
    return program;
  }

 private:
  absl::Status Wrong(absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat(source_.name(), ":", line_, ": ", what));
  }

  absl::Status ReadHeader(absl::string_view line) {
    int64_t size = 0;
    if (!absl::ConsumePrefix(&line, kHeader) || !absl::SimpleAtoi(line, &size) || size < 0) {
      return Wrong("expected 'toy' and a size, as in 'toy 3'");
    }
    if (size_ == 0) size_ = size;
    return absl::OkStatus();
  }

  absl::Status ReadLine(absl::string_view line) {
    const std::vector<absl::string_view> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (words.empty()) return absl::OkStatus();
    if (words.size() < 3 || words[1] != "=") return Wrong("expected NAME = WORDS");
    std::vector<XlaOp> stack;
    for (size_t i = 2; i < words.size(); ++i) RETURN_IF_ERROR(ReadWord(words[i], &stack));
    if (stack.size() != 1) return Wrong(absl::StrCat("expected one value at the end of the line, got ", stack.size()));
    last_name_ = std::string(words[0]);
    values_[last_name_] = stack[0];
    return absl::OkStatus();
  }

  absl::Status ReadWord(absl::string_view word, std::vector<XlaOp>* stack) {
    float number = 0;
    if (word.size() == 1 && absl::StrContains("+-*/", word)) return Apply(word[0], stack);
    stack->push_back(absl::SimpleAtof(word, &number) ? builder_.Broadcast(builder_.ConstantR0<float>(number), {size_})
                                                     : Value(std::string(word)));
    return absl::OkStatus();
  }

  XlaOp Value(const std::string& name) {
    const auto found = values_.find(name);
    if (found != values_.end()) return found->second;
    inputs_.push_back(name);
    const auto number = static_cast<int64_t>(inputs_.size()) - 1;
    return values_[name] = builder_.Parameter(number, Shape::Array(F32, {size_}), name);
  }

  absl::Status Apply(char operation, std::vector<XlaOp>* stack) {
    if (stack->size() < 2) {
      return Wrong(absl::StrCat("'", std::string(1, operation), "' needs two values, got ", stack->size()));
    }
    const XlaOp right = stack->back();
    stack->pop_back();
    XlaOp& left = stack->back();
    if (operation == '+') left = builder_.Add(left, right);
    if (operation == '-') left = builder_.Sub(left, right);
    if (operation == '*') left = builder_.Mul(left, right);
    if (operation == '/') left = builder_.Div(left, right);
    return absl::OkStatus();
  }

  const ProgramSource& source_;
  int64_t size_;
  int line_ = 0;
  ComputationBuilder builder_{"toy"};
  std::map<std::string, XlaOp> values_;
  std::vector<std::string> inputs_;
  std::string last_name_;
};

// ---- Writing

// What stands for a scalar constant or one that is broadcast; "": it is something else.
std::string Number(const HloInstruction& instruction) {
  const HloInstruction& value = instruction.opcode() == HloOpcode::kBroadcast ? *instruction.operand(0) : instruction;
  if (value.opcode() != HloOpcode::kConstant || !value.shape().Compatible(Shape::Scalar(F32))) return "";
  return absl::StrCat(value.attributes<ConstantAttributes>().literal->data<float>()[0]);
}

bool IsVector(const Shape& shape) { return shape.IsArray() && shape.element_type() == F32 && shape.rank() == 1; }

absl::StatusOr<std::string> Line(const HloInstruction& instruction, const Shape& shape) {
  static const auto& words = *new std::map<HloOpcode, std::string>{
      {HloOpcode::kAdd, "+"}, {HloOpcode::kSubtract, "-"}, {HloOpcode::kMultiply, "*"}, {HloOpcode::kDivide, "/"}};
  const auto word = words.find(instruction.opcode());
  if (word == words.end() || !IsVector(shape) || !instruction.shape().Compatible(shape)) {
    return absl::UnimplementedError(absl::StrCat(instruction.ToShortString(), ": toy cannot express this"));
  }
  std::string line = absl::StrCat(instruction.name(), " =");
  for (const HloInstruction* operand : instruction.operands()) {
    const std::string number = Number(*operand);
    absl::StrAppend(&line, " ", number.empty() ? operand->name() : number);
  }
  return absl::StrCat(line, " ", word->second, "\n");
}

class ToyFrontend : public Frontend {
 public:
  ToyFrontend() : Frontend(Description()) {}

  void AddFlags(Tool /*tool*/, FlagTable* table) override {
    table->Topic("toy", "toy programs: their size");
    table->Number("toy-size", "N", &size_, 1, "compute vectors of N elements (default: as the first line says)");
  }

  Recognition Recognize(const ProgramSource& source) const override {
    const absl::StatusOr<absl::string_view> contents = source.Contents();
    return contents.ok() && absl::StartsWith(*contents, kHeader) ? Recognition::kByContent : Recognition::kNot;
  }

  absl::StatusOr<LoadedProgram> Load(const ProgramSource& source, const LoadRequest& /*request*/) override {
    return Reader(source, size_).Read();
  }

  absl::StatusOr<ConvertedProgram> Convert(const HloModule& module, absl::string_view /*form*/) const override {
    const Shape& shape = module.entry()->root()->shape();
    std::string lines;
    for (const auto& instruction : module.entry()->instructions()) {
      if (instruction->opcode() == HloOpcode::kParameter || !Number(*instruction).empty()) continue;
      ASSIGN_OR_RETURN(const std::string line, Line(*instruction, shape));
      lines += line;
    }
    if (lines.empty()) return absl::UnimplementedError("toy needs a result that is computed");
    ConvertedProgram converted;
    converted.text = absl::StrCat(kHeader, shape.dimensions()[0], "\n", lines);
    return converted;
  }

 private:
  int64_t size_ = 0;
};

const bool kRegistered = [] {
  RegisterFrontend([] { return std::make_unique<ToyFrontend>(); });
  return true;
}();

}  // namespace
}  // namespace xla
