// Programs that once went wrong (found_programs/): at every level, on several numbers of threads, with and without
// poison, and for other processors than this one.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/backend.h"
#include "backends/cpu/testing/tested_processor.h"
#include "backends/literal_execution.h"
#include "backends/testing/expect_same.h"
#include "backends/testing/test_programs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/analyses/exactness.h"
#include "passes/check/check_inputs.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/literal_io/leaves.h"
#include "xla_core/support/files.h"

namespace xla {
namespace {

constexpr int64_t kMaxSteps = 100'000;

std::vector<std::string> Programs() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator("backends/cpu/found_programs")) {
    if (entry.path().extension() == ".hlo") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// What a run gives: its result, and what it feeds out.
std::vector<Literal> LeavesOf(const Literal& result, const FeedQueues& queues) {
  std::vector<Literal> leaves = FlattenLeaves(result);
  for (const auto& values : queues.outfeed) {
    for (const Literal& value : values) {
      for (Literal& leaf : FlattenLeaves(value)) leaves.push_back(std::move(leaf));
    }
  }
  return leaves;
}

// What a program reads whose loops read until there is a three.
FeedQueues MakeFeeds(const HloModule& module) {
  FeedQueues queues;
  queues.infeed.resize(1);
  queues.outfeed.resize(1);
  std::vector<const HloInstruction*> infeeds;
  for (const auto& computation : module.computations()) {
    for (const HloInstruction* instruction : computation->LiveInstructions()) {
      if (instruction->opcode() == HloOpcode::kInfeed) infeeds.push_back(instruction);
    }
  }
  if (infeeds.empty()) return queues;
  // Of the first one in the text, which may be in a loop, the program reads several.
  const auto numbers = [](const Shape& shape, int value) {
    const auto array = [value](const Shape& part) {
      std::vector<int32_t> values(part.ElementCount(), value);
      return Literal::FromValues<int32_t>(DimensionVector(part.dimensions().begin(), part.dimensions().end()), values);
    };
    if (!shape.IsTuple()) return array(shape);
    std::vector<Literal> elements;
    for (const Shape& part : shape.tuple_shapes()) elements.push_back(array(part));
    return Literal::Tuple(std::move(elements));
  };
  for (int value = 0; value <= 3; ++value) {
    queues.infeed[0].push_back(numbers(infeeds[0]->shape().tuple_shape(0), value));
  }
  for (size_t i = 1; i < infeeds.size(); ++i) {
    queues.infeed[0].push_back(numbers(infeeds[i]->shape().tuple_shape(0), 7));
  }
  return queues;
}

class FoundPrograms : public ::testing::TestWithParam<int> {};

void CheckPrograms(int threads) {
  ClientOptions client_options;
  client_options.threads = threads;
  const auto client = OrDie(GetClient(kBackend, client_options));
  for (const std::string& path : Programs()) {
    const FileContents text = OrDie(ReadFile(path));
    const auto module = OrDie(ParseHloModule(text.data()));
    EvaluatorOptions evaluator_options;
    evaluator_options.max_steps = kMaxSteps;
    const auto evaluator = OrDie(Evaluator::Create(*module, evaluator_options));
    ExactnessOptions rounding;
    rounding.may_round = BackendsMayRound;
    const ExactOutputs exact = FindExactOutputs(*module, rounding);
    for (const int level : {0, 1, 2}) {
      for (const char* poison : {"false", "true"}) {
        const std::string where = absl::StrCat(path, " at level ", level, ", poison ", poison);
        CompileOptions options;
        options.optimization_level = level;
        options.settings = {{"poison-memory", poison}, {"verify-plan", "true"}};
        const auto executable = OrDie(client->Compile(OrDie(ParseHloModule(text.data())), options));
        for (const uint64_t seed : {1, 2, 3}) {
          CheckInputOptions inputs;
          inputs.kind = CheckInputKind::kWholeNumbers;
          inputs.seed = seed;
          MemoryBudget budget;
          const std::vector<Literal> arguments = OrDie(MakeCheckInputs(*module, inputs, &budget))[0];
          FeedQueues wanted_feeds = MakeFeeds(*module);
          FeedQueues feeds = MakeFeeds(*module);
          const std::vector<Literal> want = OrDie(evaluator->Run({arguments}, &wanted_feeds));
          ExecuteOptions run;
          run.feeds = &feeds;
          run.max_steps = kMaxSteps;
          const Literal got = OrDie(ExecuteOnLiterals(*executable, arguments, run));
          const std::vector<Literal> leaves = LeavesOf(got, feeds);
          const std::vector<Literal> wanted = LeavesOf(want[0], wanted_feeds);
          ASSERT_EQ(leaves.size(), wanted.size()) << where;
          for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
            const bool is_exact = leaf < exact.results.size() ? exact.results[leaf] : exact.outfeeds;
            ExpectSame(leaves[leaf], wanted[leaf], is_exact ? Alike::kValues : Alike::kWithinTolerance,
                       absl::StrCat(where, ", seed ", seed, ", leaf ", leaf));
          }
        }
      }
    }
  }
}

TEST_P(FoundPrograms, AgreeWithTheEvaluator) { CheckPrograms(GetParam()); }

TEST(FoundProgramsOfOtherProcessors, AgreeWithTheEvaluator) {
  for (const TestedProcessor processor : TestableProcessors()) {
    SCOPED_TRACE(TestedProcessorName(processor));
    TestOnProcessor(processor);
    CheckPrograms(/*threads=*/1);
  }
  TestOnProcessor(TestedProcessor::kHost);
}

INSTANTIATE_TEST_SUITE_P(Threads, FoundPrograms, ::testing::Values(1, 2, 8));

}  // namespace
}  // namespace xla
