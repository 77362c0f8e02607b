#include "backends/replicated/transport/work_in_rounds.h"

#include <atomic>
#include <memory>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace transport {
namespace {

constexpr char kProgram[] = R"(HloModule m, replica_count=2
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e { x = f32[4000000] parameter(0)
  ROOT s = f32[4000000] all-reduce(x), replica_groups={}, to_apply=sum })";
constexpr int64_t kCount = 4000000;

class Sum : public CollectiveReducer {
 public:
  PrimitiveType type() const override { return F32; }
  void Combine(int64_t count, const void* a, const void* b, void* result) const override {
    for (int64_t i = 0; i < count; ++i) {
      static_cast<float*>(result)[i] = static_cast<const float*>(a)[i] + static_cast<const float*>(b)[i];
    }
    combined += count;
  }
  mutable std::atomic<int64_t> combined{0};
};

// An all-reduce of two devices.
class WorkInRoundsTest : public ::testing::Test {
 protected:
  absl::Status Run(absl::FunctionRef<absl::Status()> between) {
    std::vector<CollectiveCall> calls(2);
    for (int64_t m = 0; m < 2; ++m) {
      calls[m].action = CollectiveCall::Action::kReduce;
      calls[m].instruction = module_->entry()->root();
      calls[m].group = {0, 1};
      calls[m].position = m;
      calls[m].operands = {{&shape_, operands_[m].data()}};
      calls[m].results = {{&shape_, results_[m].data()}};
      calls[m].reducer = &sum_;
    }
    const auto work = CollectiveWork::Make({&calls[0], &calls[1]});
    return work.ok() ? RunInRounds(*work, pool_, between) : work.status();
  }

  const std::unique_ptr<HloModule> module_ = *ParseHloModule(kProgram);
  const Shape shape_ = Shape::Array(F32, {kCount});
  std::vector<float> operands_[2] = {std::vector<float>(kCount, 1), std::vector<float>(kCount, 2)};
  std::vector<float> results_[2] = {std::vector<float>(kCount), std::vector<float>(kCount)};
  Sum sum_;
  ThreadPool pool_{2};
};

TEST_F(WorkInRoundsTest, DoesAllAndLooksUpMeanwhile) {
  int times = 0;
  EXPECT_EQ(Run([&] {
              ++times;
              return absl::OkStatus();
            }),
            absl::OkStatus());
  EXPECT_GT(times, 0);
  EXPECT_EQ(results_[0], std::vector<float>(kCount, 3));
  EXPECT_EQ(results_[1], results_[0]);
  EXPECT_EQ(sum_.combined, kCount);
}

TEST_F(WorkInRoundsTest, EndsWithTheErrorOfWhoLooksUp) {
  EXPECT_EQ(Run([] { return absl::AbortedError("enough"); }), absl::AbortedError("enough"));
  EXPECT_GT(sum_.combined, 0);
  EXPECT_LT(sum_.combined, kCount / 2);
}

}  // namespace
}  // namespace transport
}  // namespace xla
