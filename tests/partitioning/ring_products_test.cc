// Products in rings of devices: of random shapes, cut in random ways, they are those of one device.
#include <cstdint>
#include <functional>
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

// Compares the program, annotated by `annotate`, on `devices` with the one on whole arrays, bit by bit: sums of few
// small numbers are exact.
void ExpectSame(const std::string& text, int64_t devices, uint64_t seed,
                const std::function<void(HloModule& module)>& annotate, RewriteCounts* counts) {
  const std::unique_ptr<HloModule> whole = ParseHloModule(text).value();
  const std::unique_ptr<HloModule> module = ParseHloModule(text).value();
  PartitionCheckOptions options;
  options.devices = devices;
  options.passes = absl::StrCat("partition:partitions=", devices, ":ring-bytes=0");
  CheckInputOptions inputs;
  inputs.kind = CheckInputKind::kWholeNumbers;
  inputs.seed = seed;
  MemoryBudget budget(int64_t{1} << 30);
  const auto arguments = MakeCheckInputs(*module, inputs, &budget);
  ASSERT_TRUE(arguments.ok()) << arguments.status();
  ExactOutputs exact = FindExactOutputs(*module);
  exact.results.assign(exact.results.size(), true);
  annotate(*module);
  const auto result = CheckPartition(*module, *whole, options, (*arguments)[0], exact);
  ASSERT_TRUE(result.ok()) << "seed " << seed << ": " << result.status();
  EXPECT_TRUE(result->was_compared);
  EXPECT_EQ(result->difference, "") << "seed " << seed << ", " << devices << " devices\n" << text;
  for (const auto& [name, count] : result->counts) (*counts)[name] += count;
}

TEST(RingProducts, AreThoseOfOneDevice) {
  RewriteCounts counts;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const int64_t devices = std::vector<int64_t>{2, 4, 8}[seed % 3];
    ExpectSame(
        RandomProduct(seed), devices, seed, [&](HloModule& module) { AnnotateRandomly(module, devices, seed); },
        &counts);
  }
  EXPECT_GT(counts["ring-of-parts"], 40);
}

// Both operands are cut along what is added up, and the result along one of its dimensions.
TEST(RingProducts, GiveEachDeviceItsPartOfTheSum) {
  RewriteCounts counts;
  for (uint64_t seed = 0; seed < 120; ++seed) {
    std::mt19937_64 random(seed);
    const int64_t devices = std::vector<int64_t>{2, 4, 8}[seed % 3];
    const auto size = [&] { return static_cast<int64_t>(1 + random() % 20); };
    const int64_t m = size(), k = 8 * size(), n = size();
    const char* const type = std::vector<const char*>{"s32", "f32", "bf16"}[random() % 3];
    const bool by_rows = random() % 2 == 0;
    const auto sharding = [&](bool rows) {
      return absl::StrCat("sharding={devices=[", rows ? devices : 1, ",", rows ? 1 : devices, "]<=[", devices, "]}");
    };
    const std::string text = absl::StrCat(
        "HloModule product\nENTRY e {\n  x = ", type, "[", m, ",", k, "] parameter(0), ", sharding(false),
        "\n  w = ", type, "[", k, ",", n, "] parameter(1), ", sharding(true), "\n  ROOT y = ", type, "[", m, ",", n,
        "] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, ", sharding(by_rows), "\n}\n");
    ExpectSame(
        text, devices, seed, [](HloModule&) {}, &counts);
  }
  EXPECT_GT(counts["ring-of-sums"], 30);
}

}  // namespace
}  // namespace xla
