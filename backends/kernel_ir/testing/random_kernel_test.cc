#include "backends/kernel_ir/testing/random_kernel.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "backends/kernel_ir/jam_loops.h"
#include "backends/kernel_ir/kernel_interpreter.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/ops/elementwise_table.h"

namespace xla {
namespace {

TEST(RandomKernel, KeepsAllPromises) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    const RandomKernel random = MakeRandomKernel({seed});
    std::vector<Literal> arrays = MakeRandomBuffers(random.kernel, seed);
    KernelRunOptions options;
    options.check_independence = true;
    options.step_limit = 10'000'000;
    const absl::Status status = RunKernelOnArrays(random.kernel, absl::MakeSpan(arrays), options);
    ASSERT_TRUE(status.ok()) << status << "\n" << KernelToString(random.kernel);
    ASSERT_EQ(random.max_ulp.size(), arrays.size());
  }
}

TEST(RandomKernel, IsTheSameForTheSameSeed) {
  const RandomKernel random = MakeRandomKernel({5});
  EXPECT_EQ(KernelToString(MakeRandomKernel({5}).kernel), KernelToString(random.kernel));
  EXPECT_NE(AnonymousKernelToString(MakeRandomKernel({6}).kernel), AnonymousKernelToString(random.kernel));
  const std::vector<Literal> arrays = MakeRandomBuffers(random.kernel, 3);
  EXPECT_EQ(DescribeDifferences(random, arrays, MakeRandomBuffers(random.kernel, 3)), "");
  EXPECT_NE(DescribeDifferences(random, arrays, MakeRandomBuffers(random.kernel, 4)), "");
}

struct Seen {
  std::set<KernelOp> ops;
  std::set<std::pair<HloOpcode, PrimitiveType>> operations;
  std::set<PrimitiveType> types;
  std::set<int64_t> lanes;
};

void Look(const Kernel& kernel, const KernelRegion& region, Seen& seen) {
  for (const KernelInstruction& instruction : region.instructions) {
    seen.ops.insert(instruction.op);
    if (instruction.op == KernelOp::kElementwise) {
      seen.operations.emplace(instruction.opcode, kernel.TypeOf(instruction.operands[0]));
    }
    if (instruction.op == KernelOp::kReduce) seen.lanes.insert(instruction.lanes);
    for (const KernelRegion& nested : instruction.regions) Look(kernel, nested, seen);
  }
}

TEST(RandomKernel, HasEverything) {
  Seen seen;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    const RandomKernel random = MakeRandomKernel({seed});
    for (const KernelBuffer& buffer : random.kernel.buffers) seen.types.insert(buffer.type);
    for (const KernelPhase& phase : random.kernel.phases) Look(random.kernel, phase.body, seen);
  }
  EXPECT_EQ(seen.ops.size(), static_cast<size_t>(KernelOp::kWhile) + 1);
  EXPECT_THAT(seen.lanes, testing::ElementsAre(1, 2, 4, 8, 16, 32, 64));
  std::set<HloOpcode> opcodes;
  for (const auto& [opcode, type] : seen.operations) opcodes.insert(opcode);
  for (const HloOpcode opcode : AllOpcodes()) {
    if (!IsElementwise(opcode) || opcode == HloOpcode::kCopy) continue;
    EXPECT_EQ(opcodes.count(opcode), 1) << HloOpcodeName(opcode);
  }
  for (int i = 0; i < kNumPrimitiveTypes; ++i) {
    const auto type = static_cast<PrimitiveType>(i);
    EXPECT_EQ(seen.types.count(type), IsArrayType(type) ? 1 : 0) << PrimitiveTypeName(type);
  }
}

TEST(RandomKernel, HasNothingThatIsNotAdmitted) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    RandomKernelOptions options;
    options.seed = seed;
    options.admits_type = [](PrimitiveType type) { return type == F32 || type == S32; };
    options.admits_operation = [](HloOpcode opcode, PrimitiveType) { return opcode != HloOpcode::kDivide; };
    const RandomKernel random = MakeRandomKernel(options);
    for (const PrimitiveType type : random.kernel.value_types) {
      EXPECT_TRUE(type == F32 || type == S32 || type == S64 || type == PRED) << PrimitiveTypeName(type);
    }
    EXPECT_THAT(KernelToString(random.kernel), testing::Not(testing::HasSubstr(" divide ")));
  }
}

void UnrollIndependentLoops(KernelRegion& region) {
  for (KernelInstruction& instruction : region.instructions) {
    if (instruction.op == KernelOp::kFor && instruction.independent) instruction.schedule = LoopSchedule::kUnroll;
    for (KernelRegion& nested : instruction.regions) UnrollIndependentLoops(nested);
  }
}

TEST(JamLoops, ChangesNoRandomKernelsResults) {
  int jammed_count = 0;
  for (uint64_t seed = 0; seed < 120; ++seed) {
    const RandomKernel random = MakeRandomKernel({seed});
    if (random.kernel.phases[0].invocations > 1) continue;
    Kernel jammed = random.kernel;
    for (KernelPhase& phase : jammed.phases) UnrollIndependentLoops(phase.body);
    const std::string before = KernelToString(jammed);
    JamLoops(jammed, /*most_iterations=*/4);
    if (KernelToString(jammed) != before) ++jammed_count;
    ASSERT_EQ(VerifyKernel(jammed), absl::OkStatus()) << "seed " << seed << "\n" << before;
    std::vector<Literal> want = MakeRandomBuffers(random.kernel, seed);
    std::vector<Literal> got = want;
    ASSERT_EQ(RunKernelOnArrays(random.kernel, absl::MakeSpan(want)), absl::OkStatus());
    ASSERT_EQ(RunKernelOnArrays(jammed, absl::MakeSpan(got)), absl::OkStatus()) << KernelToString(jammed);
    EXPECT_EQ(DescribeDifferences(random, got, want), "") << "seed " << seed << "\n" << before;
  }
  EXPECT_GE(jammed_count, 20);
}

}  // namespace
}  // namespace xla
