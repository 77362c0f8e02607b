#include "passes/base/analysis_cache.h"

#include <memory>
#include <utility>

#include "gtest/gtest.h"
#include "passes/analyses/dataflow.h"
#include "xla_core/support/resource_context.h"

namespace xla {
namespace {

// Counts how often it is made.
struct Counted {
  explicit Counted(const HloModule& module) : number(++made), instructions(module.instruction_count()) {}
  bool operator==(const Counted& o) const { return instructions == o.instructions; }
  static int made;
  int number;
  int64_t instructions;
};
int Counted::made = 0;

struct Lazy {
  bool StillHolds(const HloModule& module) const { return asked <= module.instruction_count(); }
  int asked = 0;
};

struct OnDataflow {
  OnDataflow(const HloModule&, std::shared_ptr<const Dataflow> made) : dataflow(std::move(made)) {}
  bool operator==(const OnDataflow& o) const { return *dataflow == *o.dataflow; }
  std::shared_ptr<const Dataflow> dataflow;
};

class AnalysisCacheTest : public ::testing::Test {
 protected:
  AnalysisCacheTest() : module_("m"), entry_(module_.AddComputation(std::make_unique<HloComputation>("entry"))) {}
  HloInstruction* Add() {
    return entry_->AddInstruction(std::make_unique<HloInstruction>(HloOpcode::kReplicaId, "", Shape::Scalar(U32)));
  }

  HloModule module_;
  HloComputation* entry_;
  AnalysisCache cache_;
};

TEST_F(AnalysisCacheTest, MakesAnAnalysisAgainAfterAChange) {
  const auto first = cache_.Get<Counted>(module_);
  EXPECT_EQ(cache_.Get<Counted>(module_), first);
  Add();
  const auto second = cache_.Get<Counted>(module_);
  EXPECT_NE(second, first);
  EXPECT_EQ(first->instructions, 0) << "what a pass holds stays as it is";
  EXPECT_EQ(second->instructions, 1);
  cache_.Forget();
  EXPECT_NE(cache_.Get<Counted>(module_)->number, second->number);
}

TEST_F(AnalysisCacheTest, KeepsAnalysesOfOtherClassesAndModulesApart) {
  cache_.Get<Lazy>(module_)->asked = 1;
  const auto counted = cache_.Get<Counted>(module_);
  EXPECT_EQ(cache_.Get<Lazy>(module_)->asked, 1);
  EXPECT_EQ(cache_.Get<Counted>(module_), counted);
  const HloModule other("m");
  EXPECT_EQ(cache_.Get<Lazy>(other)->asked, 0);
}

TEST_F(AnalysisCacheTest, FindsWhatTheVersionDoesNotCount) {
  HloInstruction* const instruction = Add();
  Shape& shape = instruction->mutable_shape();
  struct TypeOfFirst {
    explicit TypeOfFirst(const HloModule& module)
        : type(module.computations()[0]->instructions()[0]->shape().element_type()) {}
    bool operator==(const TypeOfFirst& o) const { return type == o.type; }
    PrimitiveType type;
  };
  cache_.CheckHits();
  cache_.Get<TypeOfFirst>(module_);
  cache_.Get<TypeOfFirst>(module_);
  EXPECT_FALSE(cache_.found_stale());
  shape.set_element_type(S32);
  cache_.Get<TypeOfFirst>(module_);
  EXPECT_TRUE(cache_.found_stale());
}

TEST_F(AnalysisCacheTest, AsksWhatLearnsLaterWhetherItStillHolds) {
  cache_.CheckHits();
  cache_.Get<Lazy>(module_);
  cache_.Get<Lazy>(module_);
  EXPECT_FALSE(cache_.found_stale());
  cache_.Get<Lazy>(module_)->asked = 1;
  cache_.Get<Lazy>(module_);
  EXPECT_TRUE(cache_.found_stale());
}

TEST_F(AnalysisCacheTest, SharesTheDataflow) {
  Add();
  const auto on_dataflow = *cache_.Get<OnDataflow>(module_, /*resources=*/nullptr);
  EXPECT_EQ(on_dataflow->dataflow, *cache_.Get<Dataflow>(module_, /*resources=*/nullptr));
  cache_.CheckHits();
  EXPECT_EQ(*cache_.Get<OnDataflow>(module_, /*resources=*/nullptr), on_dataflow);
  EXPECT_FALSE(cache_.found_stale());
}

TEST_F(AnalysisCacheTest, KeepsNothingOnceALimitHasBeenReached) {
  Add();
  ResourceLimits limits;
  const auto cancellation = std::make_shared<Cancellation>();
  limits.cancellation = cancellation;
  const ResourceContext resources(limits, "analyzing");
  cancellation->Cancel();
  EXPECT_EQ(cache_.Get<OnDataflow>(module_, &resources).status(), absl::CancelledError("cancelled while analyzing"));
  EXPECT_EQ(cache_.Get<Dataflow>(module_, &resources).status(), absl::CancelledError("cancelled while analyzing"));
  const auto dataflow = *cache_.Get<Dataflow>(module_, /*resources=*/nullptr);
  EXPECT_EQ(dataflow->position_count(), 1);
  // What was made before is there.
  EXPECT_EQ(*cache_.Get<Dataflow>(module_, &resources), dataflow);
}

}  // namespace
}  // namespace xla
