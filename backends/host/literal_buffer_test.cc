#include "backends/host/literal_buffer.h"

#include "backends/exported_memory.h"
#include "backends/host/scripted_client.h"
#include "gmock/gmock.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A buffer whose value the test holds too.
class LiteralBufferTest : public testing::Test {
 protected:
  // 24 bytes.
  static Literal SixNumbers() { return Literal::FromValues<float>({6}, {1, 2, 3, 4, 5, 6}); }
  LiteralBuffer BufferOf(std::shared_ptr<HostValue> value, const Shape& shape) {
    return LiteralBuffer(client_, client_->default_device(), shape, std::move(value));
  }
  LiteralBuffer PendingBuffer(const EventSource& source) {
    return BufferOf(*HostValue::MakePending(memory_, Shape::Array(F32, {6}), source.event()), Shape::Array(F32, {6}));
  }

  const std::shared_ptr<ScriptedClient> client_ = ScriptedClient::Make(nullptr, 2);
  const std::shared_ptr<MemoryBudget> memory_ = std::make_shared<MemoryBudget>();
  std::shared_ptr<HostValue> value_ = *HostValue::Make(memory_, SixNumbers());
  LiteralBuffer buffer_ = BufferOf(value_, Shape::Array(F32, {6}));
};

TEST_F(LiteralBufferTest, SharesItsValueWithExecutions) {
  EXPECT_EQ(buffer_.state(), Buffer::State::kLive);
  EXPECT_EQ(*buffer_.Share(), value_);
  EXPECT_EQ(buffer_.size_bytes(), 24);
}

TEST_F(LiteralBufferTest, ADeletedBufferKeepsItsMemoryWhileAnExecutionReadsIt) {
  std::shared_ptr<HostValue> shared = *buffer_.Share();
  value_.reset();
  buffer_.Delete();
  EXPECT_EQ(buffer_.state(), Buffer::State::kDeleted);
  EXPECT_EQ(buffer_.size_bytes(), 0);
  EXPECT_EQ(memory_->used(), 24);
  shared.reset();
  EXPECT_EQ(memory_->used(), 0);
  EXPECT_EQ(buffer_.Share().status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(buffer_.Share().status().message()), HasSubstr("was deleted"));
  EXPECT_FALSE(buffer_.Donate().ok());
  buffer_.Delete();
  EXPECT_EQ(buffer_.state(), Buffer::State::kDeleted);
}

TEST_F(LiteralBufferTest, ADonatedBufferGivesItsReferenceAway) {
  std::shared_ptr<HostValue> donated = *buffer_.Donate();
  EXPECT_EQ(buffer_.state(), Buffer::State::kDonated);
  value_.reset();
  EXPECT_EQ(donated.use_count(), 1) << "the execution may write into it";
  EXPECT_EQ(buffer_.size_bytes(), 0);
  EXPECT_THAT(std::string(buffer_.Share().status().message()), HasSubstr("was donated"));
  buffer_.Delete();
  EXPECT_EQ(buffer_.state(), Buffer::State::kDonated) << "both ends are final";
  buffer_.UndoDonation(std::move(donated));
  EXPECT_EQ(buffer_.state(), Buffer::State::kLive);
  EXPECT_THAT(buffer_.ToLiteral()->span<float>(), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST_F(LiteralBufferTest, IsNotDonatedWhileItsMemoryIsReferredTo) {
  auto first = *buffer_.AcquireExternalReference();
  auto second = *buffer_.AcquireExternalReference();
  EXPECT_EQ(first->data(), value_->literal().untyped_data());
  first.reset();
  EXPECT_EQ(buffer_.Donate().status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(buffer_.state(), Buffer::State::kLive);
  second.reset();
  EXPECT_TRUE(buffer_.Donate().ok());
}

TEST_F(LiteralBufferTest, AReferenceKeepsTheMemoryOfADeletedBuffer) {
  const auto reference = *buffer_.AcquireExternalReference();
  value_.reset();
  buffer_.Delete();
  EXPECT_EQ(memory_->used(), 24);
  EXPECT_EQ(static_cast<const float*>(reference->data())[5], 6);
  EXPECT_FALSE(buffer_.AcquireExternalReference().ok());
}

absl::StatusOr<ExportedMemory> ExportedFrom(LiteralBuffer& buffer) {
  const auto reference = *buffer.AcquireExternalReference();
  return dynamic_cast<const ExportsMemory&>(*reference).Export();
}

TEST_F(LiteralBufferTest, GivesMemoryOfADeviceAwayAndNotTheHosts) {
  EXPECT_EQ(ExportedFrom(buffer_).status().code(), absl::StatusCode::kUnimplemented);
  LiteralBuffer on_device =
      BufferOf(*HostValue::Make(memory_, SixNumbers(), {std::make_shared<CountedMemory>()}), Shape::Array(F32, {6}));
  EXPECT_EQ(ExportedFrom(on_device)->bytes, 24u);
}

TEST_F(LiteralBufferTest, ReadsAPendingValueWhenItComesAlsoIfTheBufferIsDeletedFirst) {
  EventSource source;
  LiteralBuffer pending = PendingBuffer(source);
  const std::shared_ptr<HostValue> value = *pending.Share();
  const Future<Literal> literal = pending.ToLiteralAsync();
  float numbers[6] = {};
  const Event copied = pending.CopyToHostAsync(numbers, sizeof(numbers));
  pending.Delete();
  EXPECT_FALSE(literal.IsReady());
  EXPECT_FALSE(copied.IsReady());
  value->Fill(SixNumbers());
  source.Set(absl::OkStatus());
  EXPECT_THAT(literal.Await()->span<float>(), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_TRUE(copied.status().ok());
  EXPECT_THAT(numbers, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST_F(LiteralBufferTest, PassesTheErrorOfItsValueOn) {
  EventSource source;
  const LiteralBuffer pending = PendingBuffer(source);
  const Future<Literal> before = pending.ToLiteralAsync();
  const auto copy = *pending.CopyToDevice(*client_->devices()[1]);
  source.Set(absl::DataLossError("broken"));
  EXPECT_EQ(before.Await().status(), absl::DataLossError("broken"));
  EXPECT_EQ(pending.ToLiteral().status(), absl::DataLossError("broken"));
  EXPECT_EQ(pending.CopyToHost(nullptr, 24), absl::DataLossError("broken"));
  EXPECT_EQ(copy->ToLiteral().status(), absl::DataLossError("broken"));
}

TEST_F(LiteralBufferTest, CopiesToHostOnlyWhatFits) {
  float numbers[6];
  EXPECT_TRUE(buffer_.CopyToHost(numbers, 24).ok());
  EXPECT_THAT(numbers, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(buffer_.CopyToHost(numbers, 20),
            absl::InvalidArgumentError("a buffer of shape f32[6] has 24 bytes on the host, the destination 20"));
  const Literal tuple = Literal::Tuple({Literal::Scalar(1.0f)});
  const LiteralBuffer of_tuple = BufferOf(*HostValue::Make(memory_, tuple), tuple.shape());
  EXPECT_EQ(of_tuple.CopyToHost(numbers, 4).code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(LiteralBufferTest, WhatLeavesItDoesNotReferToBorrowedMemory) {
  std::vector<float> data = {1, 2, 3, 4, 5, 6};
  const Shape shape = Shape::Array(F32, {6});
  auto value = *HostValue::Make(memory_, Literal::Borrow(shape, data.data()));
  value->SetBorrowed(nullptr);
  const LiteralBuffer borrowed = BufferOf(std::move(value), shape);
  const Literal literal = *borrowed.ToLiteral();
  data.assign(6, 0);
  EXPECT_THAT(literal.span<float>(), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST_F(LiteralBufferTest, GoesToDevicesOfItsClientOnly) {
  const auto copy = *buffer_.CopyToDevice(*client_->devices()[1]);
  EXPECT_EQ(&copy->device(), client_->devices()[1]);
  EXPECT_THAT(copy->ToLiteral()->span<float>(), ElementsAre(1, 2, 3, 4, 5, 6));
  const auto other = ScriptedClient::Make(nullptr);
  EXPECT_EQ(buffer_.CopyToDevice(other->default_device()).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace xla
