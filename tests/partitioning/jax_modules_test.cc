// Programs on whole arrays as JAX 0.10 writes them for a mesh of 2 x 4 devices, `data` and `model`, without metadata
// (jax.jit(f, in_shardings=..., out_shardings=...).lower(...).as_text('hlo')). Partitioned, they must give what they
// give on one device. A program with manual bodies has none; beside it is one that computes the same on whole arrays.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/analyses/exactness.h"
#include "passes/check/check_inputs.h"
#include "passes/partitioning/partition_module.h"
#include "tests/partitioning/partition_check.h"
#include "xla_core/support/files.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace {

constexpr int64_t kDevices = 8;

std::unique_ptr<HloModule> Read(const std::string& name) {
  const auto text = ReadFile(absl::StrCat("tests/partitioning/modules/", name, ".hlo"));
  return ParseHloModule(text.value().data()).value();
}

class JaxModules : public testing::TestWithParam<const char*> {};

TEST_P(JaxModules, GiveWhatTheyGiveOnOneDevice) {
  const std::string name = GetParam();
  const std::unique_ptr<HloModule> module = Read(name);
  const bool has_manual_bodies = name == "pipeline";
  const std::unique_ptr<HloModule> whole = has_manual_bodies ? Read(name + "_on_one_device") : OnOneDevice(*module);
  for (const char* const before : {"", "propagate-shardings:partitions=8,"}) {
    for (uint64_t seed = 0; seed < 2; ++seed) {
      PartitionCheckOptions options;
      options.passes = absl::StrCat(before, "partition:partitions=8");
      options.devices = kDevices;
      // Sums of the network's gradients are taken in another order.
      options.tolerance = [](int, PrimitiveType) {
        Tolerance tolerance;
        tolerance.rtol = tolerance.atol = 2e-5;
        return tolerance;
      };
      CheckInputOptions inputs;
      inputs.seed = seed;
      MemoryBudget budget(int64_t{1} << 30);
      const auto arguments = MakeCheckInputs(*whole, inputs, &budget);
      ASSERT_TRUE(arguments.ok()) << arguments.status();
      const auto result = CheckPartition(*module, *whole, options, (*arguments)[0], FindExactOutputs(*whole));
      ASSERT_TRUE(result.ok()) << result.status();
      EXPECT_TRUE(result->was_compared);
      EXPECT_EQ(result->difference, "") << options.passes << ", seed " << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, JaxModules,
                         testing::Values("convolutions", "indices_and_sorting", "mixture_of_experts", "pipeline",
                                         "scanned_layers", "sharded_optimizer", "transformer_step"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace xla
