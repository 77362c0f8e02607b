#include "xla_core/ops/scalar_function.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/scalar_program.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/type_dispatch.h"

namespace xla {
namespace {

void AppendLeafTypes(const Shape& shape, std::vector<PrimitiveType>& types) {
  if (!shape.IsTuple()) {
    types.push_back(shape.element_type());
    return;
  }
  for (const Shape& element : shape.tuple_shapes()) AppendLeafTypes(element, types);
}

// Copies n elements of `width` bytes to dense memory. The source may be the same memory.
void CopyLanes(int width, int64_t n, const void* src, int64_t stride, void* dst) {
  if (stride == width || n == 1) {
    std::memmove(dst, src, n * width);
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    std::memcpy(static_cast<char*>(dst) + i * width, static_cast<const char*>(src) + i * stride, width);
  }
}

// ---- Run by calling

// Takes the leaves of `shape` from `leaf` on; `leaf` is the number of the next one.
Literal AssembleArgument(const Shape& shape, absl::Span<const LaneInput> inputs, int64_t element, size_t& leaf) {
  if (!shape.IsTuple()) {
    const LaneInput& input = inputs[leaf++];
    return Literal::ScalarOf(shape.element_type(), static_cast<const char*>(input.data) + element * input.stride);
  }
  std::vector<Literal> elements;
  for (const Shape& part : shape.tuple_shapes()) elements.push_back(AssembleArgument(part, inputs, element, leaf));
  return Literal::Tuple(std::move(elements));
}

void StoreResult(const Literal& result, absl::Span<void* const> results, int64_t element, size_t& leaf) {
  if (!result.IsTuple()) {
    const int64_t width = result.size_bytes();
    std::memcpy(static_cast<char*>(results[leaf++]) + element * width, result.untyped_data(), width);
    return;
  }
  for (int i = 0; i < result.tuple_size(); ++i) StoreResult(result.element(i), results, element, leaf);
}

class CalledFunction : public ScalarFunction {
 public:
  explicit CalledFunction(const HloComputation& computation)
      : computation_(computation), parameters_(computation.parameters()) {
    for (const HloInstruction* parameter : parameters_) AppendLeafTypes(parameter->shape(), parameter_types_);
    AppendLeafTypes(computation.root()->shape(), result_types_);
  }

  absl::Status Apply(int64_t n, absl::Span<const LaneInput> inputs, absl::Span<void* const> results,
                     EvalContext& context) const override {
    for (int64_t i = 0; i < n; ++i) {
      std::vector<Literal> arguments;
      size_t leaf = 0;
      for (const HloInstruction* parameter : parameters_) {
        arguments.push_back(AssembleArgument(parameter->shape(), inputs, i, leaf));
      }
      ASSIGN_OR_RETURN(const Literal result, context.Call(computation_, std::move(arguments)));
      leaf = 0;
      StoreResult(result, results, i, leaf);
    }
    return absl::OkStatus();
  }

 private:
  const HloComputation& computation_;
  const std::vector<HloInstruction*> parameters_;
};

// ---- Run as a straight line of kernels

class CompiledFunction : public ScalarFunction {
 public:
  // Registers of all steps lie in one block of scratch, each at an offset times the number of lanes.
  explicit CompiledFunction(ScalarProgram program) : program_(std::move(program)) {
    parameter_types_ = program_.parameters;
    result_types_ = program_.result_types;
    step_count_ = program_.instruction_count;
    is_compiled_ = true;
    known_ = Recognize();
    for (const PrimitiveType type : program_.registers) {
      register_offset_.push_back(bytes_per_lane_);
      bytes_per_lane_ += ByteWidth(type);
    }
    // The last step may write the only result itself: nothing reads an input after it.
    const Ref last = {Ref::Kind::kRegister, program_.steps.empty() ? -1 : program_.steps.back().output};
    writes_result_directly_ = program_.results.size() == 1 && program_.results[0] == last;
  }

  absl::Status Apply(int64_t n, absl::Span<const LaneInput> inputs, absl::Span<void* const> results,
                     EvalContext&) const override {
    if (program_.steps.size() == 1 && writes_result_directly_) {
      // Nothing is kept in between.
      RunBlock({0, n, n, inputs, results, nullptr});
      return absl::OkStatus();
    }
    const int64_t lanes = std::min(n, MaxLanes());
    alignas(kAlignment) char small[kSmallScratch];
    std::unique_ptr<char[]> large;
    const int64_t bytes = bytes_per_lane_ * lanes + kAlignment * static_cast<int64_t>(program_.registers.size());
    if (bytes > kSmallScratch) large.reset(new char[bytes]);
    char* const scratch = large == nullptr ? small : large.get();
    for (int64_t begin = 0; begin < n; begin += lanes) {
      RunBlock({begin, std::min(lanes, n - begin), lanes, inputs, results, scratch});
    }
    return absl::OkStatus();
  }

 private:
  using Ref = ScalarProgram::Ref;
  using Step = ScalarProgram::Step;

  static constexpr int64_t kAlignment = 16;
  // On the stack: enough for some 100 instructions on one element.
  static constexpr int64_t kSmallScratch = 4096;
  // What all registers may take together: about half a second-level cache.
  static constexpr int64_t kLargestScratch = 256 << 10;

  struct Block {
    int64_t begin;  // of the elements
    int64_t count;
    int64_t lanes;  // that a register has room for
    absl::Span<const LaneInput> inputs;
    absl::Span<void* const> results;
    char* scratch;
  };

  int64_t MaxLanes() const {
    const int64_t lanes = kLargestScratch / std::max<int64_t>(bytes_per_lane_, 1);
    return std::max<int64_t>(1, std::min(lanes, ElementwiseKernel::kChunk));
  }

  char* Register(const Block& block, int32_t index) const {
    const int64_t offset = register_offset_[index] * block.lanes + index * kAlignment;
    return block.scratch + offset / kAlignment * kAlignment;
  }

  LaneInput Resolve(const Block& block, const Ref& ref) const {
    switch (ref.kind) {
      case Ref::Kind::kParameter: {
        const LaneInput& input = block.inputs[ref.index];
        return {static_cast<const char*>(input.data) + block.begin * input.stride, input.stride};
      }
      case Ref::Kind::kConstant:
        return {program_.constants[ref.index].untyped_data(), 0};
      case Ref::Kind::kRegister:
        break;
    }
    return {Register(block, ref.index), ByteWidth(program_.registers[ref.index])};
  }

  char* ResultAddress(const Block& block, size_t k) const {
    return static_cast<char*>(block.results[k]) + block.begin * ByteWidth(result_types_[k]);
  }

  void RunBlock(const Block& block) const {
    for (const Step& step : program_.steps) {
      LaneInput inputs[ElementwiseKernel::kMaxArity];
      for (int i = 0; i < step.kernel.arity(); ++i) inputs[i] = Resolve(block, step.inputs[i]);
      const bool direct = writes_result_directly_ && &step == &program_.steps.back();
      step.kernel.Run(block.count, inputs, direct ? ResultAddress(block, 0) : Register(block, step.output));
    }
    if (writes_result_directly_) return;
    for (size_t k = 0; k < program_.results.size(); ++k) {
      const LaneInput value = Resolve(block, program_.results[k]);
      CopyLanes(ByteWidth(result_types_[k]), block.count, value.data, value.stride, ResultAddress(block, k));
    }
  }

  // Finds the shapes of function that callers have shortcuts for: one binary operation of the parameters, or one of
  // them.
  Known Recognize() const {
    Known known;
    if (program_.results.size() != 1) return known;
    const Ref& result = program_.results[0];
    if (program_.steps.empty() && result.kind == Ref::Kind::kParameter && parameter_types_.size() == 2) {
      known.kind = result.index == 0 ? Known::Kind::kFirst : Known::Kind::kSecond;
      return known;
    }
    if (program_.steps.size() != 1 || result.kind != Ref::Kind::kRegister) return known;
    const Step& step = program_.steps[0];
    const Ref first = {Ref::Kind::kParameter, 0};
    const Ref second = {Ref::Kind::kParameter, 1};
    const bool in_order = step.inputs[0] == first && step.inputs[1] == second;
    const bool exchanged = step.inputs[0] == second && step.inputs[1] == first;
    const HloOpcode op = step.instruction->opcode();
    if (step.kernel.arity() != 2 || !(in_order || (exchanged && Commutes(op)))) return known;
    if (op == HloOpcode::kCompare) {
      known.compare = step.instruction;
    } else if (parameter_types_.size() != 2) {
      return known;
    }
    known.kind = Known::Kind::kBinary;
    known.op = op;
    return known;
  }

  static bool Commutes(HloOpcode op) {
    // mulhi commutes too, but is not recognized with its operands exchanged.
    return HasTrait(op, opcode_trait::kCommutative) && op != HloOpcode::kMulhi;
  }

  const ScalarProgram program_;
  std::vector<int64_t> register_offset_;  // bytes per lane before this register
  int64_t bytes_per_lane_ = 0;
  bool writes_result_directly_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ScalarFunction>> ScalarFunction::Compile(const HloComputation& computation) {
  absl::optional<ScalarProgram> program = CompileScalarProgram(computation);
  if (!program.has_value()) return std::unique_ptr<ScalarFunction>(std::make_unique<CalledFunction>(computation));
  return std::unique_ptr<ScalarFunction>(std::make_unique<CompiledFunction>(*std::move(program)));
}

}  // namespace xla
