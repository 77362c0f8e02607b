// Products in rings of devices: of random shapes, cut in random ways, they are those of one device.
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "passes/analyses/exactness.h"
#include "passes/check/check_inputs.h"
#include "tests/partitioning/partition_check.h"
#include "tests/partitioning/random_shardings.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace {

// A product with a batch dimension or without, of sizes that 2, 4 and 8 divide or do not.
std::string RandomProduct(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto size = [&] { return static_cast<int64_t>(1 + random() % 20); };
  const int64_t b = size(), m = size(), k = size(), n = size();
  const char* const type = std::vector<const char*>{"s32", "f32", "bf16", "s8"}[random() % 4];
  const bool has_batch = random() % 2 == 0;
  const bool is_transposed = random() % 2 == 0;
  const std::string batch = has_batch ? absl::StrCat(b, ",") : "";
  const std::string rhs = is_transposed ? absl::StrCat(n, ",", k) : absl::StrCat(k, ",", n);
  const int first = has_batch ? 1 : 0;
  return absl::StrCat("HloModule product\nENTRY e {\n  x = ", type, "[", batch, m, ",", k,
                      "] parameter(0)\n  w = ", type, "[", batch, rhs, "] parameter(1)\n  ROOT y = ", type, "[", batch,
                      m, ",", n, "] dot(x, w), ", has_batch ? "lhs_batch_dims={0}, rhs_batch_dims={0}, " : "",
                      "lhs_contracting_dims={", first + 1, "}, rhs_contracting_dims={",
                      is_transposed ? first + 1 : first, "}\n}\n");
}

TEST(RingProducts, AreThoseOfOneDevice) {
  RewriteCounts counts;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const auto parsed = ParseHloModule(RandomProduct(seed));
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    HloModule& module = **parsed;
    PartitionCheckOptions options;
    options.devices = std::vector<int64_t>{2, 4, 8}[seed % 3];
    options.passes = absl::StrCat("partition:partitions=", options.devices, ":ring-bytes=0");
    CheckInputOptions inputs;
    inputs.kind = CheckInputKind::kWholeNumbers;
    inputs.seed = seed;
    MemoryBudget budget(int64_t{1} << 30);
    const auto arguments = MakeCheckInputs(module, inputs, &budget);
    ASSERT_TRUE(arguments.ok()) << arguments.status();
    // Sums of few small numbers.
    ExactOutputs exact = FindExactOutputs(module);
    exact.results.assign(exact.results.size(), true);
    const std::unique_ptr<HloModule> whole = ParseHloModule(RandomProduct(seed)).value();
    AnnotateRandomly(module, options.devices, seed);
    const auto result = CheckPartition(module, *whole, options, (*arguments)[0], exact);
    ASSERT_TRUE(result.ok()) << "seed " << seed << ": " << result.status();
    EXPECT_TRUE(result->was_compared);
    EXPECT_EQ(result->difference, "") << "seed " << seed << ", " << options.devices << " devices\n"
                                      << RandomProduct(seed);
    for (const auto& [name, count] : result->counts) counts[name] += count;
  }
  EXPECT_GT(counts["ring-of-parts"], 40);
  EXPECT_GT(counts["ring-of-sums"], 10);
}

}  // namespace
}  // namespace xla
