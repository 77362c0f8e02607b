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
#include "passes/pass_runner.h"
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

// What a device receives in all collectives of the module, each counted once: of an array of B bytes among n devices,
// 2 B (n-1)/n in an all-reduce, B (n-1)/n where parts of it are exchanged, and B from one other device.
double BytesReceived(const HloModule& module) {
  double all = 0;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const auto bytes = static_cast<double>(instruction->shape().ByteSize());
      if (instruction->opcode() == HloOpcode::kCollectivePermute) all += bytes;
      const auto* const attributes = dynamic_cast<const CollectiveAttributes*>(instruction->raw_attributes());
      if (attributes == nullptr) continue;
      const auto groups = attributes->replica_groups.Expand();
      const auto n = static_cast<double>(groups->empty() ? kDevices : static_cast<int64_t>((*groups)[0].size()));
      switch (instruction->opcode()) {
        case HloOpcode::kAllReduce:
          all += 2 * bytes * (n - 1) / n;
          break;
        case HloOpcode::kReduceScatter:  // of which this is a part
          all += bytes * (n - 1);
          break;
        default:
          all += bytes * (n - 1) / n;
      }
    }
  }
  return all;
}

struct JaxModule {
  const char* name;
  // BytesReceived after XLA's partitioner and passes (jaxlib 0.10.2 on the CPU; of the text by GSPMD, but of programs
  // with manual bodies as JAX compiles them).
  double xla_bytes;
  bool has_manual_bodies = false;
};

const JaxModule kModules[] = {{"convolutions", 2364},
                              {"indices_and_sorting", 878},
                              {"mixture_of_experts", 3904},
                              {"nested_manual", 80, /*has_manual_bodies=*/true},
                              {"partly_manual", 1664, /*has_manual_bodies=*/true},
                              {"pipeline", 528, /*has_manual_bodies=*/true},
                              {"scanned_layers", 140},
                              {"sharded_optimizer", 648},
                              {"transformer_step", 21902}};

class JaxModules : public testing::TestWithParam<JaxModule> {};

TEST_P(JaxModules, GiveWhatTheyGiveOnOneDevice) {
  const std::string name = GetParam().name;
  const std::unique_ptr<HloModule> module = Read(name);
  const std::unique_ptr<HloModule> whole =
      GetParam().has_manual_bodies ? Read(name + "_on_one_device") : OnOneDevice(*module);
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

INSTANTIATE_TEST_SUITE_P(All, JaxModules, testing::ValuesIn(kModules),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(JaxModulesBesideXla, MoveNoMore) {
  const auto passes = ParsePasses(
      "propagate-shardings:partitions=8,partition:partitions=8,merge-equal,remove-dead-code,form-reduce-scatter,"
      "sink-collectives,combine-collectives");
  ASSERT_TRUE(passes.ok()) << passes.status();
  for (const JaxModule& row : kModules) {
    const std::unique_ptr<HloModule> module = Read(row.name);
    PassContext context;
    const auto ran = RunPasses(*passes, PassRunnerOptions(), context, *module);
    ASSERT_TRUE(ran.ok()) << row.name << ": " << ran.status();
    EXPECT_LE(BytesReceived(*module), 1.1 * row.xla_bytes) << row.name;
    EXPECT_GT(BytesReceived(*module), 0) << row.name;
  }
}

}  // namespace
}  // namespace xla
