// Programs with loops and branches, as the kernels of a few sequences on the kernel interpreter, against the evaluator.
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backends/kernel_ir/kernel_interpreter.h"
#include "backends/kernel_ir/lowering/lower_sequence.h"
#include "backends/testing/loop_programs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/base/pass_context.h"
#include "passes/check/check_inputs.h"
#include "passes/memory/buffer_assignment.h"
#include "passes/pass_runner.h"
#include "passes/pipelines.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/literal_io/compare_literals.h"
#include "xla_core/support/check.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace {

using ::testing::HasSubstr;

template <typename T>
T OrDie(absl::StatusOr<T> value) {
  if (!value.ok()) ADD_FAILURE() << value.status();
  CHECK(value.ok());
  return *std::move(value);
}

std::unique_ptr<HloModule> Compiled(const HloModule& module) {
  auto copy = CloneModule(module);
  PassContext context;
  OrDie(RunPasses(*PipelineByName("cpu"), PassRunnerOptions(), context, *copy));
  return copy;
}

// A program in memory: each buffer of the assignment has bytes of its own.
class Machine {
 public:
  explicit Machine(const HloModule& module) : module_(module), assignment_(OrDie(AssignBuffers(module))) {
    for (const AssignedBuffer& buffer : assignment_.buffers()) memory_.emplace_back(buffer.bytes + 8);
  }

  void Run(const std::vector<Literal>& arguments, int64_t turns) {
    SequenceLowerer lowerer(assignment_);
    PutConstants();
    std::vector<const HloInstruction*> run;
    for (const auto& instruction : module_.entry()->instructions()) {
      if (instruction->opcode() == HloOpcode::kParameter) {
        Put(*instruction, {}, arguments[instruction->attributes<ParameterAttributes>().number]);
      } else if (IsLargeCopy(*instruction)) {
        RunSequence(lowerer, run, turns);
        run.clear();
        std::memcpy(MemoryOf(*instruction, {}), MemoryOf(*instruction->operand(0), {}), BytesOf(*instruction));
      } else if (instruction->opcode() == HloOpcode::kWhile) {
        RunSequence(lowerer, run, turns);
        run.clear();
        RunSequence(lowerer, {instruction.get()}, turns);
      } else {
        run.push_back(instruction.get());
      }
    }
    RunSequence(lowerer, run, turns);
  }

  void ExpectResult(const Literal& want, const ShapeIndex& leaf = {}) {
    if (want.shape().IsTuple()) {
      for (int i = 0; i < want.shape().tuple_size(); ++i) {
        ShapeIndex element = leaf;
        element.push_back(i);
        ExpectResult(want.element(i), element);
      }
      return;
    }
    Literal got = OrDie(Literal::Zeros(want.shape()));
    ASSERT_TRUE(got.MakeWritable(nullptr).ok());
    std::memcpy(got.untyped_mutable_data(), MemoryOf(*module_.entry()->root(), leaf), got.size_bytes());
    Tolerance exact;
    exact.zero_sign = true;
    const Comparison comparison = CompareArrays(got, want, exact);
    EXPECT_TRUE(comparison.matches()) << DescribeComparison("result", comparison, got, want);
  }

 private:
  static size_t BytesOf(const HloInstruction& array) {
    return static_cast<size_t>(array.shape().ElementCount() * ByteWidth(array.shape().element_type()));
  }

  // Work for several threads, which is not part of a sequence. All layouts are row-major here.
  static bool IsLargeCopy(const HloInstruction& instruction) {
    return instruction.opcode() == HloOpcode::kCopy && instruction.shape().IsArray() && BytesOf(instruction) > 64 << 10;
  }

  char* MemoryOf(const HloInstruction& instruction, const ShapeIndex& leaf) {
    return memory_[assignment_.BufferAt(instruction, leaf)->id].data();
  }

  void PutConstants() {
    for (const auto& computation : module_.computations()) {
      for (const auto& constant : computation->instructions()) {
        if (constant->opcode() != HloOpcode::kConstant) continue;
        Put(*constant, {}, *constant->attributes<ConstantAttributes>().literal);
      }
    }
  }

  void Put(const HloInstruction& instruction, const ShapeIndex& leaf, const Literal& value) {
    if (assignment_.BufferAt(instruction, leaf) == nullptr) return;
    std::memcpy(MemoryOf(instruction, leaf), value.untyped_data(), value.size_bytes());
  }

  void RunSequence(SequenceLowerer& lowerer, const std::vector<const HloInstruction*>& instructions, int64_t turns) {
    bool is_idle = true;
    for (const HloInstruction* instruction : instructions) is_idle = is_idle && assignment_.IsIdle(*instruction);
    if (is_idle) return;
    const absl::StatusOr<LoweredSequence> lowered = lowerer.Lower(instructions);
    ASSERT_TRUE(lowered.ok()) << lowered.status();
    const absl::Status valid = VerifyKernel(lowered->kernel);
    ASSERT_TRUE(valid.ok()) << valid << "\n" << KernelToString(lowered->kernel);
    ExpectSharedBuffers(lowerer, instructions, lowered->buffers);
    int64_t turns_left = 0;
    std::vector<void*> addresses;
    for (const LoweredSequence::Buffer& buffer : lowered->buffers) {
      if (buffer.value == nullptr) {
        addresses.push_back(&turns_left);
      } else if (buffer.is_literal) {
        addresses.push_back(const_cast<void*>(buffer.value->attributes<ConstantAttributes>().literal->untyped_data()));
      } else {
        addresses.push_back(MemoryOf(*buffer.value, buffer.leaf));
      }
    }
    const auto interpreter = OrDie(KernelInterpreter::Create(lowered->kernel));
    KernelRunOptions options;
    options.check_independence = true;
    do {
      turns_left = turns;
      const absl::Status status = interpreter->Run(addresses, options);
      ASSERT_TRUE(status.ok()) << status << "\n" << KernelToString(lowered->kernel);
    } while (lowered->is_resumed && turns_left == 0);
  }

  // What is told without lowering is what lowering tells.
  static void ExpectSharedBuffers(const SequenceLowerer& lowerer,
                                  const std::vector<const HloInstruction*>& instructions,
                                  const std::vector<LoweredSequence::Buffer>& buffers) {
    for (const HloInstruction* instruction : instructions) {
      if (HasTrait(instruction->opcode(), opcode_trait::kControlFlow)) return;
    }
    const std::vector<LoweredSequence::Buffer> shared = OrDie(lowerer.SharedBuffers(instructions));
    size_t next = 0;
    for (const LoweredSequence::Buffer& buffer : buffers) {
      if (buffer.is_literal) continue;
      ASSERT_LT(next, shared.size());
      EXPECT_EQ(shared[next].value, buffer.value);
      EXPECT_EQ(shared[next].leaf, buffer.leaf);
      EXPECT_EQ(shared[next].is_written, buffer.is_written);
      ++next;
    }
    EXPECT_EQ(next, shared.size());
  }

  const HloModule& module_;
  const BufferAssignment assignment_;
  std::vector<std::vector<char>> memory_;
};

TEST(Sequences, AgreeWithTheEvaluator) {
  for (const LoopProgram& program : kLoopPrograms) {
    SCOPED_TRACE(program.name);
    const auto module = OrDie(ParseHloModule(program.text));
    const auto compiled = Compiled(*module);
    const auto evaluator = OrDie(Evaluator::Create(*module));
    for (const uint64_t seed : {1, 2, 3}) {
      CheckInputOptions options;
      options.kind = CheckInputKind::kWholeNumbers;
      options.seed = seed;
      MemoryBudget budget;
      const std::vector<Literal> arguments = OrDie(MakeCheckInputs(*module, options, &budget))[0];
      const Literal want = OrDie(evaluator->RunOne(arguments));
      // In slices of one iteration, of three, and all at once.
      for (const int64_t turns : {1, 3, 1000}) {
        Machine machine(*compiled);
        machine.Run(arguments, turns);
        machine.ExpectResult(want);
      }
    }
  }
}

absl::StatusOr<LoweredSequence> LowerLoop(const char* text, const SequenceOptions& options = {}) {
  const auto module = OrDie(ParseHloModule(text));
  const auto compiled = Compiled(*module);
  const BufferAssignment assignment = OrDie(AssignBuffers(*compiled));
  for (const auto& instruction : compiled->entry()->instructions()) {
    if (instruction->opcode() != HloOpcode::kWhile) continue;
    const HloInstruction* const loop = instruction.get();
    return SequenceLowerer(assignment).Lower({&loop, 1}, options);
  }
  return absl::NotFoundError("there is no loop");
}

std::string WhyNot(const char* text) { return std::string(LowerLoop(text).status().message()); }

TEST(Sequences, NotWithEffectsOrMuchWork) {
  EXPECT_THAT(WhyNot(R"(HloModule m
body { p = (s32[], token[]) parameter(0) i = s32[] get-tuple-element(p), index=0 t = token[] get-tuple-element(p), index=1
  in = (s32[], token[]) infeed(t) j = s32[] get-tuple-element(in), index=0 u = token[] get-tuple-element(in), index=1
  k = s32[] add(i, j) ROOT r = (s32[], token[]) tuple(k, u) }
cond { p = (s32[], token[]) parameter(0) i = s32[] get-tuple-element(p), index=0
  ROOT l = pred[] compare(i, s32[] constant(5)), direction=LT }
ENTRY e { i = s32[] parameter(0) t = token[] after-all() s = (s32[], token[]) tuple(i, t)
  w = (s32[], token[]) while(s), condition=cond, body=body ROOT r = s32[] get-tuple-element(w), index=0 })"),
              HasSubstr("side effects"));
  EXPECT_THAT(WhyNot(R"(HloModule m
body { p = (s32[], f32[500,500]) parameter(0) i = s32[] get-tuple-element(p), index=0
  x = f32[500,500] get-tuple-element(p), index=1 y = f32[500,500] transpose(x), dimensions={1,0}
  z = f32[500,500] add(x, y) j = s32[] add(i, s32[] constant(1)) ROOT r = (s32[], f32[500,500]) tuple(j, z) }
cond { p = (s32[], f32[500,500]) parameter(0) i = s32[] get-tuple-element(p), index=0
  ROOT l = pred[] compare(i, s32[] constant(500)), direction=LT }
ENTRY e { i = s32[] parameter(0) x = f32[500,500] parameter(1) s = (s32[], f32[500,500]) tuple(i, x)
  w = (s32[], f32[500,500]) while(s), condition=cond, body=body ROOT r = f32[500,500] get-tuple-element(w), index=1 })"),
              HasSubstr("several threads"));
}

// The lines of a loop's kernel that multiply or add floats, without the names of values.
std::string Arithmetic(const char* text, bool contract_recurrences) {
  SequenceOptions options;
  options.contract_recurrences = contract_recurrences;
  const LoweredSequence lowered = OrDie(LowerLoop(text, options));
  const absl::Status valid = VerifyKernel(lowered.kernel);
  EXPECT_TRUE(valid.ok()) << valid;
  std::string found;
  for (const absl::string_view line : absl::StrSplit(KernelToString(lowered.kernel), '\n')) {
    for (const char* operation : {"multiply", "add", "subtract", "negate", "multiply-add"}) {
      for (const char* type : {"f32", "f64", "bf16", "c64"}) {
        const std::string wanted = absl::StrCat(" = ", operation, " ", type, " ");
        if (absl::StrContains(line, wanted)) absl::StrAppend(&found, found.empty() ? "" : " ", operation);
      }
    }
  }
  return found;
}

// A loop of 1000 iterations over `state`, x and y first of it, whose body computes a and b from them.
std::string LoopOver(const std::string& type, const std::string& body) {
  const std::string state = absl::StrCat("(s32[], ", type, ", ", type, ")");
  return absl::StrCat("HloModule m\nbody { p = ", state,
                      " parameter(0) i = s32[] get-tuple-element(p), index=0\n  x = ", type,
                      " get-tuple-element(p), index=1 y = ", type, " get-tuple-element(p), index=2\n",
                      "  n = s32[] add(i, s32[] constant(1)) ", body, "\n  ROOT t = ", state, " tuple(n, a, b) }\n",
                      "cond { p = ", state, " parameter(0) i = s32[] get-tuple-element(p), index=0\n",
                      "  ROOT l = pred[] compare(i, s32[] constant(1000)), direction=LT }\n", "ENTRY e { x = ", type,
                      " parameter(0) y = ", type, " parameter(1) t = ", state, " tuple(s32[] constant(0), x, y)\n",
                      "  ROOT w = ", state, " while(t), condition=cond, body=body }");
}

TEST(Sequences, ContractWhatTurnsWaitFor) {
  const std::string scalars = LoopOver("f32[]", R"(
    c = f32[] constant(0.75) d = f32[] multiply(x, c) e = f32[] multiply(y, c)
    a = f32[] add(d, e) f = f32[] multiply(x, x) b = f32[] subtract(c, f))");
  EXPECT_EQ(Arithmetic(scalars.c_str(), false), "multiply multiply add multiply subtract");
  EXPECT_EQ(Arithmetic(scalars.c_str(), true), "multiply multiply-add negate multiply-add");
  // Through memory, and through branches.
  const std::string arrays = LoopOver("f64[4]", R"(
    c = f64[4] constant({1, 2, 3, 4}) d = f64[4] multiply(y, c) r = f64[4] reverse(x), dimensions={0}
    e = f64[4] subtract(d, r) s = f64[1] slice(e), slice={[0:1]} z = f64[] reshape(s)
    q = pred[] compare(z, f64[] constant(3)), direction=LT v = pred[4] broadcast(q), dimensions={}
    a = f64[4] select(v, e, x) b = f64[4] select(v, x, y))");
  EXPECT_EQ(Arithmetic(arrays.c_str(), true), "negate multiply-add negate multiply-add");
}

TEST(Sequences, KeepTheRoundingOfEverythingElse) {
  // The product does not wait for the sum.
  const std::string sum = LoopOver("f32[]", R"(
    c = f32[] constant(0.75) u = f32[] convert(i) d = f32[] multiply(u, c) a = f32[] add(x, d) b = f32[] add(y, x))");
  EXPECT_EQ(Arithmetic(sum.c_str(), true), "add multiply add");
  // Nothing waits for the sum.
  const std::string output = LoopOver("f32[]", R"(
    c = f32[] constant(0.75) d = f32[] multiply(x, c) b = f32[] add(d, c) a = f32[] negate(x))");
  EXPECT_EQ(Arithmetic(output.c_str(), true), "negate multiply add");
  // The product is needed as it is.
  const std::string twice = LoopOver("f32[]", R"(
    c = f32[] constant(0.75) d = f32[] multiply(x, c) a = f32[] add(d, d) b = f32[] negate(y))");
  EXPECT_EQ(Arithmetic(twice.c_str(), true), "negate multiply add");
  const std::string complex = LoopOver("c64[]", R"(
    c = c64[] constant((0.75, 1)) d = c64[] multiply(x, c) a = c64[] add(d, y) b = c64[] negate(a))");
  EXPECT_EQ(Arithmetic(complex.c_str(), true), "multiply add negate");
  const std::string narrow = LoopOver("bf16[]", R"(
    c = bf16[] constant(0.75) d = bf16[] multiply(x, c) a = bf16[] add(d, y) b = bf16[] negate(a))");
  EXPECT_EQ(Arithmetic(narrow.c_str(), true), "multiply add negate");
}

}  // namespace
}  // namespace xla
