#include "tests/random_modules/random_module.h"

#include <cstdlib>
#include <map>
#include <string>

#include "gmock/gmock.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/proto/hlo_proto.h"
#include "xla_core/testing/printed_form.h"
#include "xla_core/text/parser.h"
#include "xla_core/text/printer.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

// HALO_RANDOM_MODULES in the environment tries more.
uint64_t SeedCount(uint64_t usual) {
  const char* const wanted = std::getenv("HALO_RANDOM_MODULES");
  return wanted == nullptr ? usual : std::strtoull(wanted, nullptr, 10);
}

std::string ReadAndPrint(const std::string& text) {
  const auto module = ParseHloModule(text);
  return module.ok() ? ModuleToString(**module) : module.status().ToString();
}

std::string ThroughProto(const HloModule& module) {
  const auto bytes = WriteHloProto(module, ProtoEncoding::kBinary);
  if (!bytes.ok()) return bytes.status().ToString();
  const auto contents = ReadHloProto(*bytes);
  return contents.ok() ? ModuleToString(*contents->module) : contents.status().ToString();
}

TEST(RandomModule, IsValidAndSurvivesRoundTrips) {
  for (uint64_t seed = 0; seed < SeedCount(1500); ++seed) {
    const RandomModule random = GenerateRandomModule(seed);
    const std::string text = ModuleToString(*random.module);
    const absl::Status status = VerifyModule(*random.module);
    ASSERT_TRUE(status.ok()) << "seed " << seed << ": " << status << "\n" << text;
    ASSERT_EQ(ReadAndPrint(text), text) << "seed " << seed;
    ASSERT_EQ(ThroughProto(*random.module), text) << "seed " << seed;
    for (const PrintOptions& form : {PrintOptions::Short(), PrintOptions::Canonical()}) {
      const absl::Status same = CheckPrintedForm(*random.module, form);
      ASSERT_TRUE(same.ok()) << "seed " << seed << ": " << same << "\n" << text;
    }
  }
}

TEST(RandomModule, RunsWithoutErrors) {
  for (uint64_t seed = 0; seed < SeedCount(1500); ++seed) {
    const RandomModule random = GenerateRandomModule(seed);
    EvaluatorOptions options;
    options.replica_count = random.module->config().replica_count;
    options.partition_count = random.module->config().num_partitions;
    const auto evaluator = Evaluator::Create(*random.module, options);
    ASSERT_TRUE(evaluator.ok()) << "seed " << seed << ": " << evaluator.status();
    FeedQueues queues;
    queues.infeed = RandomInfeeds(*random.module, seed);
    const auto results = (*evaluator)->Run(RandomInputs(*random.module, seed), &queues);
    ASSERT_TRUE(results.ok()) << "seed " << seed << ": " << results.status() << "\n" << ModuleToString(*random.module);
  }
}

TEST(RandomModule, SaysOfEachLeafWhetherItIsExact) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const RandomModule random = GenerateRandomModule(seed);
    EXPECT_EQ(LeafCount(random.module->entry()->root()->shape()), static_cast<int64_t>(random.exact_leaves.size()));
  }
}

TEST(RandomModule, IsTheSameForTheSameSeed) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(ModuleToString(*GenerateRandomModule(seed).module), ModuleToString(*GenerateRandomModule(seed).module));
  }
}

// Instructions of each opcode in the first thousand modules.
std::map<std::string, int> CountOpcodes() {
  std::map<std::string, int> counts;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const RandomModule random = GenerateRandomModule(seed);
    for (const auto& computation : random.module->computations()) {
      for (const auto& instruction : computation->instructions()) ++counts[std::string(instruction->opcode_name())];
    }
  }
  return counts;
}

TEST(RandomModule, CoversOpcodes) {
  const std::map<std::string, int> counts = CountOpcodes();
  for (const auto& [name, count] : counts) RecordProperty(name, count);
  EXPECT_GE(counts.size(), 90);
}

}  // namespace
}  // namespace xla
