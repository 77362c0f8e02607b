// Programs for each processor that can be tested here have the interpreter's results; products and convolutions on the
// emulated matrix unit are really done by it.
#include "backends/cpu/testing/tested_processor.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "backends/backend.h"
#include "backends/literal_execution.h"
#include "backends/testing/test_programs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/evaluator/run_text.h"
#include "xla_core/literal_io/compare_literals.h"
#include "xla_core/literal_io/input_spec.h"

namespace xla {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

bool IsTestable(TestedProcessor processor) {
  const std::vector<TestedProcessor> testable = TestableProcessors();
  return std::find(testable.begin(), testable.end(), processor) != testable.end();
}

#define SKIP_UNLESS_TESTABLE(PROCESSOR)                                                                         \
  if (!IsTestable(PROCESSOR)) {                                                                                 \
    GTEST_SKIP() << "this machine cannot test the processor " << TestedProcessorName(PROCESSOR); \
  }

// Gives the processor back at the end of a test.
class OnProcessor {
 public:
  explicit OnProcessor(TestedProcessor processor) { TestOnProcessor(processor); }
  ~OnProcessor() { TestOnProcessor(TestedProcessor::kHost); }
};

std::vector<Literal> ArgumentsFor(const std::string& text) {
  std::vector<Literal> arguments;
  const auto module = OrDie(ParseHloModule(text));
  for (const HloInstruction* parameter : module->entry()->parameters()) {
    InputSpec spec = DefaultInputSpec(parameter->shape(), arguments.size() + 1);
    // Whole numbers, of which sums are the same in any order; all of the 8-bit ones.
    if (IsInt(parameter->shape().element_type())) {
      spec.int_low = parameter->shape().element_type() == S8 ? ~uint64_t{127} : 0;
      spec.int_count = 256;
    } else {
      spec.low = 1;
      spec.high = 2;
    }
    arguments.push_back(OrDie(MakeInput(spec)));
  }
  return arguments;
}

// Which kinds of steps the program has; its results are compared with the evaluator's.
std::vector<std::string> Check(const std::string& text) {
  SCOPED_TRACE(text);
  const std::vector<Literal> arguments = ArgumentsFor(text);
  const Literal want = OrDie(RunText(text, arguments));
  std::vector<std::string> kinds;
  for (const int threads : {1, 3}) {
    ClientOptions client_options;
    client_options.threads = threads;
    const auto program = CompileText(*OrDie(GetClient(kBackend, client_options)), text);
    for (const PlannedStep& step : program->planned_steps()) kinds.push_back(step.kind);
    const Literal got = OrDie(ExecuteOnLiterals(*program, arguments));
    const Comparison comparison = CompareArrays(got, want, DefaultTolerance(want.shape().element_type()));
    EXPECT_TRUE(comparison.matches()) << DescribeComparison("the result", comparison, got, want);
  }
  return kinds;
}

struct Types {
  const char* lhs;
  const char* rhs;
  const char* result;
};

constexpr Types kIntegers[] = {{"s8", "s8", "s32"}, {"s8", "u8", "s32"}, {"u8", "s8", "s32"}, {"u8", "u8", "u32"}};
constexpr Types kAll[] = {{"s8", "s8", "s32"},    {"s8", "u8", "s32"},    {"u8", "s8", "s32"},
                          {"u8", "u8", "u32"},    {"bf16", "bf16", "f32"}, {"bf16", "bf16", "bf16"}};

TEST(MatrixUnit, MultipliesMatricesOfAllTypes) {
  SKIP_UNLESS_TESTABLE(TestedProcessor::kMatrixUnit);
  const OnProcessor processor(TestedProcessor::kMatrixUnit);
  struct Sizes {
    int m, k, n;
  };
  for (const Types& types : kAll) {
    for (const Sizes& s : {Sizes{64, 64, 64}, Sizes{70, 67, 65}, Sizes{33, 200, 50}, Sizes{130, 96, 161}}) {
      EXPECT_THAT(Check(absl::Substitute(R"(HloModule m
ENTRY e { x = $0[$3,$4] parameter(0) y = $1[$4,$5] parameter(1)
  ROOT r = $2[$3,$5] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} })",
                                         types.lhs, types.rhs, types.result, s.m, s.k, s.n)),
                  Contains("amx"));
      // Both the other way round.
      EXPECT_THAT(Check(absl::Substitute(R"(HloModule m
ENTRY e { x = $0[$4,$3] parameter(0) y = $1[$5,$4] parameter(1)
  ROOT r = $2[$3,$5] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={1} })",
                                         types.lhs, types.rhs, types.result, s.m, s.k, s.n)),
                  Contains("amx"));
    }
  }
}

TEST(MatrixUnit, MultipliesBatches) {
  SKIP_UNLESS_TESTABLE(TestedProcessor::kMatrixUnit);
  const OnProcessor processor(TestedProcessor::kMatrixUnit);
  for (const Types& types : kAll) {
    EXPECT_THAT(Check(absl::Substitute(R"(HloModule m
ENTRY e { x = $0[3,66,72] parameter(0) y = $1[3,72,80] parameter(1)
  ROOT r = $2[3,66,80] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1} })",
                                       types.lhs, types.rhs, types.result)),
                Contains("amx"));
  }
}

// More bytes along k than are added up at once, and than a chunk has.
TEST(MatrixUnit, MultipliesLongRows) {
  SKIP_UNLESS_TESTABLE(TestedProcessor::kMatrixUnit);
  const OnProcessor processor(TestedProcessor::kMatrixUnit);
  for (const Types& types : {kAll[0], kAll[4], kAll[5]}) {
    for (const char* lhs : {"x = $0[20,40000] parameter(0)", "p = $0[40000,20] parameter(0) x = $0[20,40000] transpose(p), dimensions={1,0}"}) {
      const std::string x = absl::Substitute(lhs, types.lhs);
      EXPECT_THAT(Check(absl::Substitute(R"(HloModule m
ENTRY e { $0 y = $1[40000,24] parameter(1)
  ROOT r = $2[20,24] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} })",
                                         x, types.rhs, types.result)),
                  Contains("amx"));
    }
  }
}

TEST(MatrixUnit, ConvolvesIntegers) {
  SKIP_UNLESS_TESTABLE(TestedProcessor::kMatrixUnit);
  const OnProcessor processor(TestedProcessor::kMatrixUnit);
  struct Layer {
    const char* input;
    const char* kernel;
    const char* result;
    const char* window;
    const char* labels;
  };
  const Layer layers[] = {
      {"2,9,11,16", "3,3,16,33", "2,7,9,33", "size=3x3", "b01f_01io->b01f"},
      {"2,9,11,16", "3,3,16,40", "2,9,11,40", "size=3x3 pad=1_1x1_1", "b01f_01io->b01f"},
      {"2,9,11,16", "40,3,3,16", "2,5,6,40", "size=3x3 pad=1_1x1_1 stride=2x2", "b01f_o01i->b01f"},
      {"2,9,11,70", "1,1,70,17", "2,9,11,17", "size=1x1", "b01f_01io->b01f"},
      {"1,16,16,3", "5,5,3,20", "1,12,12,20", "size=5x5", "b01f_01io->b01f"},
      {"3,30,16", "4,16,16", "3,9,16", "size=4 pad=1_2 stride=3 rhs_dilate=2", "b0f_0io->b0f"},
      {"3,10,16", "3,16,16", "3,19,16", "size=3 pad=1_1 lhs_dilate=2", "b0f_0io->b0f"},
  };
  for (const Types& types : kIntegers) {
    for (const Layer& layer : layers) {
      EXPECT_THAT(Check(absl::Substitute(R"(HloModule m
ENTRY e { x = $0[$3] parameter(0) y = $1[$4] parameter(1)
  ROOT r = $2[$5] convolution(x, y), $6 })",
                                         types.lhs, types.rhs, types.result, layer.input, layer.kernel, layer.result,
                                         absl::StrCat("window={", layer.window, "}, dim_labels=", layer.labels))),
                  Contains("amx"));
    }
  }
}

// Vectors of all widths, halves and the library's innermost loops.
TEST(TestedProcessors, HaveTheSameResults) {
  for (const TestedProcessor tested : TestableProcessors()) {
    SCOPED_TRACE(TestedProcessorName(tested));
    const OnProcessor processor(tested);
    Check(R"(HloModule m
ENTRY e { x = f16[37] parameter(0) y = f16[37] parameter(1) a = f16[37] add(x, y) b = f16[37] multiply(a, x)
  c = f16[37] subtract(b, y) d = f16[37] divide(c, a) ROOT r = f16[37] tanh(d) })");
    Check(R"(HloModule m
ENTRY e { x = f32[67,70] parameter(0) y = f32[70,35] parameter(1)
  ROOT r = f32[67,35] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} })");
    Check(R"(HloModule m
ENTRY e { x = c64[5,60] parameter(0) ROOT r = c64[5,60] fft(x), fft_type=FFT, fft_length={60} })");
  }
}

}  // namespace
}  // namespace xla
