// Runs programs of this folder on literals, tile by tile, for tests.
#ifndef BACKENDS_CPU_LIBRARY_PROGRAM_TESTING_H_
#define BACKENDS_CPU_LIBRARY_PROGRAM_TESTING_H_

#include <memory>
#include <string>
#include <thread>
#include <vector>

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

// run(tile, scratch) for all tiles: the last first, or by turns on so many threads.
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

// A module of parameters and a root, the arguments that it is tried with, and what the evaluator makes of it.
struct TestRun {
  explicit TestRun(const std::string& text) : module(ModuleFromText(text)) {
    uint64_t seed = 1;
    for (const HloInstruction* parameter : module->entry()->parameters()) {
      auto input = MakeInput(DefaultInputSpec(parameter->shape(), seed++));
      EXPECT_TRUE(input.ok()) << input.status();
      arguments.push_back(*std::move(input));
    }
    auto value = RunText(text, arguments);
    EXPECT_TRUE(value.ok()) << value.status();
    expected = *std::move(value);
  }

  const HloInstruction& root() const { return *module->entry()->root(); }
  // Where the value of an operand of the root is, which is a parameter.
  const void* DataOf(int operand) const {
    const auto& attributes = root().operand(operand)->attributes<ParameterAttributes>();
    return arguments[attributes.number].untyped_data();
  }

  void ExpectResult(char* data, const std::string& what) const {
    const Literal got = Literal::Borrow(expected.shape(), data);
    const Comparison comparison = CompareArrays(got, expected, DefaultTolerance(expected.shape().element_type()));
    EXPECT_TRUE(comparison.matches()) << what << "\n" << DescribeComparison("result", comparison, got, expected);
  }

  std::unique_ptr<HloModule> module;
  std::vector<Literal> arguments;
  Literal expected;
};

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_PROGRAM_TESTING_H_
