#include "backends/host/host_value.h"

#include "backends/host/scripted_client.h"
#include "gmock/gmock.h"

namespace xla {
namespace {

using ::testing::ElementsAre;

TEST(HostValue, CountsItsMemoryAsLongAsItLives) {
  const auto memory = std::make_shared<MemoryBudget>(100);
  std::shared_ptr<HostValue> value = *HostValue::Make(memory, *Literal::Zeros(Shape::Array(F32, {15})));
  EXPECT_EQ(value->size_bytes(), 60);
  EXPECT_EQ(memory->used(), 60);
  EXPECT_EQ(HostValue::Make(memory, *Literal::Zeros(Shape::Array(F32, {11}))).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(HostValue::MakePending(memory, Shape::Array(F32, {11}), Event()).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(memory->used(), 60);
  std::shared_ptr<HostValue> other = value;
  value.reset();
  EXPECT_EQ(memory->used(), 60) << "another reference";
  other.reset();
  EXPECT_EQ(memory->used(), 0);
}

TEST(HostValue, IsThereAtOnceUnlessItIsPending) {
  const auto memory = std::make_shared<MemoryBudget>();
  EXPECT_TRUE((*HostValue::Make(memory, Literal::Scalar(1.0f)))->ready().IsReady());
  EventSource source;
  const auto pending = *HostValue::MakePending(memory, Shape::Scalar(F32), source.event());
  EXPECT_FALSE(pending->ready().IsReady());
  EXPECT_EQ(memory->used(), 4) << "memory is reserved before the value comes";
  pending->Fill(Literal::Scalar(2.0f));
  source.Set(absl::OkStatus());
  EXPECT_TRUE(pending->ready().IsReady());
  EXPECT_EQ(*pending->literal().data<float>(), 2);
}

TEST(HostValue, GivesBorrowedMemoryBackOnceAndLast) {
  const auto memory = std::make_shared<MemoryBudget>();
  const std::vector<float> data = {1, 2, 3, 4, 5, 6};
  int64_t used_at_release = -1;
  int releases = 0;
  auto value = *HostValue::Make(memory, Literal::Borrow(Shape::Array(F32, {6}), data.data()));
  EXPECT_FALSE(value->is_borrowed());
  value->SetBorrowed([&] {
    ++releases;
    used_at_release = memory->used();
  });
  EXPECT_TRUE(value->is_borrowed());
  std::shared_ptr<HostValue> other = value;
  value.reset();
  EXPECT_EQ(releases, 0);
  other.reset();
  EXPECT_EQ(releases, 1);
  EXPECT_EQ(used_at_release, 0);
}

TEST(HostValue, BringsWhatADeviceHoldsToTheHost) {
  const auto memory = std::make_shared<MemoryBudget>();
  const std::vector<float> data = {1, 2, 3, 4, 5, 6};
  const Literal borrowed = Literal::Borrow(Shape::Array(F32, {6}), data.data());
  const auto leaf = std::make_shared<CountedMemory>();
  auto value = *HostValue::Make(memory, Literal::Tuple({borrowed, Literal::Token()}), {leaf, nullptr});
  EXPECT_FALSE(value->owns_elements());
  EXPECT_FALSE(value->is_borrowed());
  EXPECT_TRUE(value->BringToHost().ok());
  EXPECT_EQ(leaf->calls, 1);
  leaf->status = absl::AbortedError("the device was reset");
  EXPECT_EQ(value->BringToHost(), leaf->status);
  value.reset();
  EXPECT_EQ(leaf.use_count(), 1);
}

TEST(HostValue, HasAnIdOfItsOwn) {
  const auto memory = std::make_shared<MemoryBudget>();
  uint64_t first = 0;
  { first = (*HostValue::Make(memory, Literal::Scalar(1.0f)))->id(); }
  const auto second = *HostValue::Make(memory, Literal::Scalar(1.0f));
  const auto third = *HostValue::MakePending(memory, Shape::Scalar(F32), Event());
  EXPECT_NE(second->id(), first) << "also after the first has ended";
  EXPECT_NE(third->id(), second->id());
}

TEST(CopyElements, SharesNoMemory) {
  std::vector<float> data = {1, 2, 3, 4, 5, 6};
  const Literal borrowed = Literal::Borrow(Shape::Array(F32, {6}), data.data());
  const Literal own = Literal::FromValues<float>({6}, data);
  const Literal nested = Literal::Tuple({own, Literal::Tuple({borrowed})});
  const absl::StatusOr<Literal> copy = CopyElements(nested);
  ASSERT_TRUE(copy.ok()) << copy.status();
  EXPECT_TRUE(copy->BitwiseEquals(nested));
  EXPECT_NE(copy->element(0).untyped_data(), own.untyped_data());
  EXPECT_NE(copy->element(1).element(0).untyped_data(), borrowed.untyped_data());
  data[0] = 9;
  EXPECT_THAT(copy->element(1).element(0).span<float>(), ElementsAre(1, 2, 3, 4, 5, 6));
}

}  // namespace
}  // namespace xla
