// No sequence of calls brings the builder down, and what it builds is a program: it passes the verifier, and running it
// on the interpreter gives a value or an error that is not a fault of ours.
#include "builders/computation_builder/tests/random_calls.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "builders/computation_builder/computation_builder.h"
#include "gtest/gtest.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/text/printer.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

constexpr int kPrograms = 500;
constexpr int kCallsPerProgram = 40;
// Larger values are built, but not kept, so that all runs are short.
constexpr int64_t kMaxBytes = 1 << 14;

// Builds one program. A call that fails spoils its builder, so the ones before are made again without it: each depends
// on its seed and on the values before.
class ProgramMaker {
 public:
  explicit ProgramMaker(std::map<std::string, int>* successes) : successes_(successes) { Restart(); }

  void Try(uint64_t seed) {
    const RandomCall& call = Make(seed);
    if (b_->ok() && Fits()) {
      seeds_.push_back(seed);
      ++(*successes_)[call.name];
    } else {
      EXPECT_TRUE(b_->ok() || b_->first_error().code() != absl::StatusCode::kInternal) << b_->first_error();
      Restart();
      for (const uint64_t earlier : seeds_) Make(earlier);
    }
  }
  ComputationBuilder& builder() { return *b_; }

 private:
  void Restart() {
    b_ = std::make_unique<ComputationBuilder>("random");
    calls_ = std::make_unique<RandomCalls>(b_.get(), 0);
  }

  const RandomCall& Make(uint64_t seed) {
    calls_->Reseed(seed);
    const absl::Span<const RandomCall> all = AllRandomCalls();
    const RandomCall& call = all[calls_->Below(static_cast<int>(all.size()))];
    calls_->Keep(call.make(*calls_));
    return call;
  }

  bool Fits() {
    const Shape shape = b_->ShapeOrInvalid(calls_->values().back());
    return shape.ByteSize() <= kMaxBytes;
  }

  std::map<std::string, int>* successes_;
  std::vector<uint64_t> seeds_;
  std::unique_ptr<ComputationBuilder> b_;
  std::unique_ptr<RandomCalls> calls_;
};

// Runs on zeros; an infinite loop or an empty infeed is the program's own fault.
void ExpectRuns(const HloModule& module) {
  EvaluatorOptions options;
  options.max_steps = 20000;
  options.max_memory_bytes = 1 << 26;
  options.timeout = absl::Milliseconds(100);
  absl::StatusOr<std::unique_ptr<Evaluator>> evaluator = Evaluator::Create(module, options);
  ASSERT_TRUE(evaluator.ok()) << evaluator.status() << "\n" << ModuleToString(module);
  std::vector<Literal> arguments;
  for (const HloInstruction* parameter : module.entry()->parameters()) {
    arguments.push_back(Literal::Zeros(parameter->shape()).value());
  }
  const absl::StatusOr<Literal> result = (*evaluator)->RunOne(std::move(arguments));
  EXPECT_NE(result.status().code(), absl::StatusCode::kInternal) << result.status() << "\n" << ModuleToString(module);
  EXPECT_NE(result.status().code(), absl::StatusCode::kUnknown) << result.status() << "\n" << ModuleToString(module);
}

TEST(RandomPrograms, NeverCrashAndBuildProgramsThatRun) {
  std::map<std::string, int> successes;
  int built = 0;
  for (int program = 0; program < kPrograms; ++program) {
    SCOPED_TRACE(program);
    ProgramMaker maker(&successes);
    for (int call = 0; call < kCallsPerProgram; ++call) maker.Try(static_cast<uint64_t>(program) * 1000 + call);
    const absl::StatusOr<XlaComputation> computation = maker.builder().Build();
    if (!computation.ok()) continue;  // parameter numbers with a gap, or no calls
    const absl::StatusOr<std::unique_ptr<HloModule>> module = computation->ToModule();
    // Rules about a whole program: the body of a fusion, the chain of an asynchronous operation.
    EXPECT_TRUE(module.ok() || module.status().code() == absl::StatusCode::kInvalidArgument) << module.status();
    if (!module.ok()) continue;
    EXPECT_TRUE(VerifyModule(**module).ok());
    ExpectRuns(**module);
    ++built;
  }
  EXPECT_GT(built, kPrograms / 4);
  // The test would be idle if calls hardly ever went well.
  EXPECT_GT(successes.size(), AllRandomCalls().size() * 2 / 3);
}

}  // namespace
}  // namespace xla
