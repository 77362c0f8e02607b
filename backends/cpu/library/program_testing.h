// Runs programs of this library on literals, tile by tile, for tests.
#ifndef BACKENDS_CPU_LIBRARY_PROGRAM_TESTING_H_
#define BACKENDS_CPU_LIBRARY_PROGRAM_TESTING_H_

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "backends/cpu/library/base/stepwise_program.h"
#include "backends/cpu/library/product/tiled_program.h"
#include "gtest/gtest.h"
#include "xla_core/evaluator/run_text.h"
#include "xla_core/literal_io/compare_literals.h"
#include "xla_core/literal_io/input_spec.h"

namespace xla {

// Memory at a multiple of 64 bytes, full of bytes that make NaNs.
class TestMemory {
 public:
  explicit TestMemory(int64_t bytes) : memory_(bytes + 64, static_cast<char>(0xff)) {}
  char* data() { return reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(memory_.data()) + 63) & ~uintptr_t{63}); }

 private:
  std::vector<char> memory_;
};

// run(tile, scratch) for all tiles: the last first, or by turns on this many threads.
template <typename Run>
void ForEachTile(int64_t count, int64_t scratch_bytes, int threads, Run run) {
  const auto work = [&](int thread) {
    TestMemory scratch(scratch_bytes);
    for (int64_t tile = count - 1 - thread; tile >= 0; tile -= threads) run(tile, scratch.data());
  };
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(work, i);
  work(0);
  for (std::thread& other : others) other.join();
}

// An array of whole numbers from -largest to largest: sums of products of a few of them are the same in any order.
inline Literal WholeNumbers(const Shape& shape, uint64_t seed, int64_t largest) {
  InputSpec spec = DefaultInputSpec(shape, seed);
  spec.shape.set_element_type(S8);
  spec.int_low = static_cast<uint64_t>(-largest);
  spec.int_count = static_cast<uint64_t>(2 * largest + 1);
  auto bytes = MakeInput(spec);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  auto numbers = RunText(absl::StrCat("HloModule m\nENTRY e {\n  x = ", spec.shape.ToFullString(),
                                      " parameter(0)\n  ROOT c = ", shape.ToFullString(), " convert(x)\n}\n"),
                         {*std::move(bytes)});
  EXPECT_TRUE(numbers.ok()) << numbers.status();
  return *std::move(numbers);
}

// A module of parameters and a root, the arguments that it is tried with, and what the evaluator computes from it.
struct TestRun {
  // change(arguments): what is to be other than random.
  explicit TestRun(const std::string& text, const std::function<void(std::vector<Literal>&)>& change = nullptr)
      : module(ModuleFromText(text)) {
    uint64_t seed = 1;
    for (const HloInstruction* parameter : module->entry()->parameters()) {
      auto input = MakeInput(DefaultInputSpec(parameter->shape(), seed++));
      EXPECT_TRUE(input.ok()) << input.status();
      arguments.push_back(*std::move(input));
    }
    if (change != nullptr) change(arguments);
    auto value = RunText(text, arguments);
    EXPECT_TRUE(value.ok()) << value.status();
    expected = *std::move(value);
  }

  // The same with small whole numbers, for results that must be equal.
  static TestRun OfWholeNumbers(const std::string& text, int64_t largest) {
    TestRun run(text, [&](std::vector<Literal>& arguments) {
      uint64_t seed = 1;
      for (Literal& argument : arguments) argument = WholeNumbers(argument.shape(), seed++, largest);
    });
    run.is_exact = true;
    return run;
  }

  const HloInstruction& root() const { return *module->entry()->root(); }
  // Where the value of an operand of the root is, which is a parameter.
  const void* DataOf(int operand) const {
    const auto& attributes = root().operand(operand)->attributes<ParameterAttributes>();
    return arguments[attributes.number].untyped_data();
  }

  // Runs the program on one thread and on three, and compares. `epilogue`: operands of the root.
  void Check(const TiledProgram& program, const std::vector<int64_t>& epilogue = {}) const {
    Check(program, 0, 1, DataOfAll(epilogue), {});
  }
  // The same for one with a prologue. All numbers are of operands of the root.
  void CheckDequantizing(const TiledProgram& program, int lhs, int rhs, const std::vector<int64_t>& prologue) const {
    Check(program, lhs, rhs, {}, DataOfAll(prologue));
  }

  // The same for all operands of the root. `what` was run, for messages.
  void Check(const StepwiseProgram& program, const std::string& what) const {
    std::vector<const void*> operands;
    for (int i = 0; i < root().operand_count(); ++i) operands.push_back(DataOf(i));
    const int64_t bytes = expected.shape().ByteSize();
    TestMemory first(bytes), second(bytes);
    for (const int threads : {1, 3}) {
      TestMemory workspace(program.workspace_bytes());
      program.Run(operands, (threads == 1 ? first : second).data(), workspace.data(),
                  [&](int64_t tiles, absl::FunctionRef<void(int64_t tile, void* scratch)> body) {
                    ForEachTile(tiles, program.scratch_bytes(), threads, body);
                  });
    }
    ExpectResult(first.data(), what);
    EXPECT_EQ(0, std::memcmp(first.data(), second.data(), bytes)) << "threads matter";
  }

  void ExpectResult(char* data, const std::string& what) const {
    const Literal got = Literal::Borrow(expected.shape(), data);
    const Comparison comparison =
        CompareArrays(got, expected, is_exact ? Tolerance() : DefaultTolerance(expected.shape().element_type()));
    EXPECT_TRUE(comparison.matches()) << what << "\n" << DescribeComparison("result", comparison, got, expected);
  }

  std::unique_ptr<HloModule> module;
  std::vector<Literal> arguments;
  Literal expected;
  bool is_exact = false;  // every bit counts

 private:
  std::vector<const void*> DataOfAll(const std::vector<int64_t>& operands) const {
    std::vector<const void*> data;
    for (const int64_t operand : operands) data.push_back(DataOf(static_cast<int>(operand)));
    return data;
  }

  void Check(const TiledProgram& program, int lhs, int rhs, const std::vector<const void*>& epilogue_arguments,
             const std::vector<const void*>& prologue_arguments) const {
    const int64_t bytes = expected.shape().ByteSize();
    TestMemory first(bytes), second(bytes);
    for (const int threads : {1, 3}) {
      TestMemory workspace(program.workspace_bytes());
      TiledProgram::Buffers buffers;
      buffers.lhs = DataOf(lhs);
      buffers.rhs = DataOf(rhs);
      buffers.result = (threads == 1 ? first : second).data();
      buffers.workspace = workspace.data();
      buffers.epilogue_arguments = epilogue_arguments.data();
      buffers.prologue_arguments = prologue_arguments.data();
      TestMemory prepared(program.prepared_rhs_bytes());
      if (threads == 1 && program.prepared_rhs_bytes() > 0) {
        program.PrepareRhs(program.prepared_operand() == 0 ? buffers.lhs : buffers.rhs, prepared.data());
        buffers.prepared_rhs = prepared.data();
      }
      for (int phase = 0; phase < program.phase_count(); ++phase) {
        ForEachTile(program.tile_count(phase), program.scratch_bytes(), threads,
                    [&](int64_t tile, void* scratch) { program.RunTile(phase, tile, buffers, scratch); });
      }
    }
    ExpectResult(first.data(), program.kind());
    EXPECT_EQ(0, std::memcmp(first.data(), second.data(), bytes)) << "threads matter";
  }
};

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_PROGRAM_TESTING_H_
