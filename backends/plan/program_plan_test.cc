#include "backends/plan/program_plan.h"

#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "backends/plan/verify_plan.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/text/parser.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

// Reads its operands, and is not for running.
class ReadingThunk : public Thunk {
 public:
  using Thunk::Thunk;
  absl::Status Execute(ExecuteContext&) const override { return absl::UnimplementedError("it is not for running"); }
};

// Where the thunks of the plan read.
std::vector<BufferSlice> ReadsOf(const ProgramPlan& plan) {
  std::vector<BufferSlice> reads;
  for (const auto& thunk : plan.program.thunks) {
    reads.insert(reads.end(), thunk->info().reads.begin(), thunk->info().reads.end());
  }
  return reads;
}

absl::StatusOr<ProgramPlan> PlanBy(absl::Span<const ThunkMaker> makers, absl::string_view text) {
  std::shared_ptr<HloModule> module = *ParseHloModule(text);
  EXPECT_TRUE(VerifyModule(*module).ok());
  PlanOptions options;
  options.keeps_trace = true;
  CompileReport report;
  return PlanProgram(module, makers, nullptr, options, &report);
}

absl::StatusOr<ProgramPlan> Plan(absl::string_view text) {
  const std::vector<ThunkMaker> makers = {
      {"test", [](const HloInstruction& instruction, PlanContext& context) -> absl::StatusOr<std::unique_ptr<Thunk>> {
         ThunkInfo info;
         info.instruction = &instruction;
         for (const HloInstruction* operand : instruction.operands()) info.reads.push_back(context.SliceOf(*operand));
         info.writes.push_back(context.SliceOf(instruction));
         return std::make_unique<ReadingThunk>(std::move(info));
       }}};
  return PlanBy(makers, text);
}

TEST(ProgramPlan, NumbersConstantsInTheOrderOfTheirLayouts) {
  const absl::StatusOr<ProgramPlan> plan = Plan(R"(HloModule m
ENTRY e {
  a = f32[2,2]{0,1} constant({{1, 2}, {3, 4}})
  b = f32[2,2]{0,1} negate(a)
  c = f32[3] constant({5, 6, 7})
  d = f32[3] reverse(c), dimensions={0}
  ROOT r = (f32[2,2]{0,1}, f32[3]) tuple(b, d)
})");
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->constants.size(), 2);
  const std::vector<BufferSlice> reads = ReadsOf(*plan);
  ASSERT_EQ(reads.size(), 2);
  const auto elements = [&](const BufferSlice& slice) {
    EXPECT_TRUE(slice.IsConstant());
    const ProgramPlan::Constant& constant = plan->constants[slice.constant()];
    EXPECT_EQ(constant.bytes, slice.bytes);
    const auto* const data = static_cast<const float*>(constant.data);
    return std::vector<float>(data, data + slice.bytes / sizeof(float));
  };
  EXPECT_THAT(elements(reads[0]), testing::ElementsAre(1, 3, 2, 4));
  EXPECT_THAT(elements(reads[1]), testing::ElementsAre(5, 6, 7));
}

// Starts repeat operands, which may be constants and arguments; dones give what starts have written.
TEST(ProgramPlan, LetsTheEvaluatorWriteOnlyWhatIsNew) {
  const absl::StatusOr<ProgramPlan> plan = PlanBy({}, R"(HloModule m
sum { l = f32[] parameter(0) m = f32[] parameter(1) ROOT n = f32[] add(l, m) }
ENTRY e {
  x = f32[2] parameter(0)
  c = f32[2] constant({1, 2})
  g = (f32[2], f32[2]) all-gather-start(c), replica_groups={{0}}, dimensions={0}
  p = (f32[2], f32[2], u32[], u32[]) collective-permute-start(x), source_target_pairs={{0,0}}
  a = (f32[2], f32[2]) all-reduce-start(x, c), replica_groups={{0}}, to_apply=sum
  o = (f32[2], f32[2], u32[]) copy-start(c)
  gd = f32[2] all-gather-done(g)
  pd = f32[2] collective-permute-done(p)
  ad = (f32[2], f32[2]) all-reduce-done(a)
  od = f32[2] copy-done(o)
  ROOT r = (f32[2], f32[2], (f32[2], f32[2]), f32[2]) tuple(gd, pd, ad, od)
})");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(VerifyPlan(*plan), absl::OkStatus());
  std::vector<size_t> writes;
  for (const auto& thunk : plan->program.thunks) writes.push_back(thunk->info().writes.size());
  EXPECT_THAT(writes, testing::ElementsAre(1, 3, 2, 2, 0, 0, 0));
}

}  // namespace
}  // namespace xla
