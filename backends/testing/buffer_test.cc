// Buffers: how they are made, read, shared and ended.
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "absl/time/clock.h"
#include "backends/backend.h"
#include "backends/testing/test_programs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using ::testing::ElementsAre;

constexpr char kDeletedMessage[] = "the buffer of shape f32[8] was deleted and cannot be used any more";

Literal Iota(int64_t count) {
  std::vector<float> values(count);
  for (int64_t i = 0; i < count; ++i) values[i] = static_cast<float>(i);
  return Literal::FromValues<float>({count}, values);
}

TEST(Buffer, DescribesItself) {
  const auto client = MakeClient(2);
  const auto buffer = OrDie(client->BufferFromLiteral(Iota(8), *client->devices()[1]));
  EXPECT_EQ(buffer->shape().ToString(), "f32[8]");
  EXPECT_EQ(&buffer->device(), client->devices()[1]);
  EXPECT_EQ(buffer->size_bytes(), 32);
  EXPECT_TRUE(buffer->ready().IsReady());
  EXPECT_EQ(buffer->state(), Buffer::State::kLive);
  EXPECT_TRUE(buffer->is_live());
}

TEST(Buffer, ReadsBack) {
  const auto client = MakeClient();
  const auto buffer = OrDie(client->BufferFromLiteral(Iota(3)));
  EXPECT_THAT(Floats(*buffer), ElementsAre(0, 1, 2));
  float copy[3];
  EXPECT_EQ(buffer->CopyToHost(copy, sizeof(copy)), absl::OkStatus());
  EXPECT_THAT(copy, ElementsAre(0, 1, 2));
  EXPECT_EQ(buffer->CopyToHost(copy, 8),
            absl::InvalidArgumentError("a buffer of shape f32[3] has 12 bytes on the host, the destination 8"));
  const auto tuple = OrDie(client->BufferFromLiteral(Literal::Tuple({Iota(1), Literal::Token()})));
  EXPECT_EQ(
      tuple->CopyToHost(copy, 4),
      absl::InvalidArgumentError("only an array can be copied to memory, the buffer has shape (f32[1], token[])"));
  EXPECT_EQ(OrDie(tuple->ToLiteral()).tuple_size(), 2);
}

TEST(Buffer, KeepsDynamicSizes) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, R"(HloModule m
ENTRY e { x = f32[<=4] parameter(0) ROOT n = f32[<=4] negate(x) })");
  Literal literal = Iota(4);
  const bool dynamic[] = {true};
  literal.ResetShape(Shape::Array(F32, {4}, dynamic));
  literal.SetDynamicSize(0, 2);
  const auto x = OrDie(client->BufferFromLiteral(std::move(literal)));
  const Literal result = OrDie(OrDie(program->Execute({x.get()}))[0]->ToLiteral());
  EXPECT_EQ(result.dynamic_size(0), 2);
  EXPECT_EQ(result.size_bytes(), 16);
}

TEST(Buffer, WritingToTheLiteralDoesNotReachIt) {
  const auto client = MakeClient();
  Literal literal = Iota(8);
  const auto buffer = OrDie(client->BufferFromLiteral(literal));
  literal.mutable_data<float>()[0] = 100;
  Literal out = OrDie(buffer->ToLiteral());
  out.mutable_data<float>()[1] = 100;
  EXPECT_EQ(Floats(*buffer)[0], 0);
  EXPECT_EQ(Floats(*buffer)[1], 1);
}

TEST(Buffer, EndsWhenDeleted) {
  const auto client = MakeClient();
  const auto buffer = OrDie(client->BufferFromLiteral(Iota(8)));
  buffer->Delete();
  buffer->Delete();
  EXPECT_EQ(buffer->state(), Buffer::State::kDeleted);
  EXPECT_EQ(buffer->size_bytes(), 0);
  EXPECT_EQ(buffer->ToLiteral().status(), absl::FailedPreconditionError(kDeletedMessage));
  float copy[8];
  EXPECT_EQ(buffer->CopyToHost(copy, 32), absl::FailedPreconditionError(kDeletedMessage));
  EXPECT_EQ(buffer->CopyToDevice(client->default_device()).status(), absl::FailedPreconditionError(kDeletedMessage));
  EXPECT_EQ(buffer->AcquireExternalReference().status(), absl::FailedPreconditionError(kDeletedMessage));
}

TEST(Buffer, GoesToAnotherDevice) {
  const auto client = MakeClient(2);
  const auto buffer = OrDie(client->BufferFromLiteral(Iota(2)));
  const auto copy = OrDie(buffer->CopyToDevice(*client->devices()[1]));
  EXPECT_EQ(&copy->device(), client->devices()[1]);
  buffer->Delete();
  EXPECT_THAT(Floats(*copy), ElementsAre(0, 1));
  EXPECT_EQ(copy->CopyToDevice(MakeClient()->default_device()).status(),
            absl::InvalidArgumentError("the device belongs to another client; copy through the host: ToLiteral, then "
                                       "BufferFromLiteral of that client"));
  Promised promised(*client, Shape::Array(F32, {2}));
  const auto pending = OrDie(promised.buffer->CopyToDevice(*client->devices()[1]));
  EXPECT_FALSE(pending->ready().IsReady());
  promised.Fill(Iota(2));
  EXPECT_THAT(Floats(*pending), ElementsAre(0, 1));
}

TEST(Buffer, KeepsItsClientAlive) {
  auto client = MakeClient();
  const auto buffer = Scalar(*client, 3);
  client.reset();
  EXPECT_EQ(buffer->device().client().platform_name(), kBackend);
  EXPECT_THAT(Floats(*buffer), ElementsAre(3));
}

TEST(BufferFromHost, CopiesDuringTheCall) {
  const auto client = MakeClient();
  float data[6] = {0, 1, 2, 3, 4, 5};
  int released = 0;
  const auto release = [&released] { ++released; };
  for (const HostMemoryUse use : {HostMemoryUse::kCopyNow, HostMemoryUse::kCopyLater}) {
    released = 0;
    const auto buffer = OrDie(client->BufferFromHost(data, Shape::Array(F32, {2, 3}), use, release));
    EXPECT_EQ(buffer->ready().Await(), absl::OkStatus());
    EXPECT_EQ(released, 1);
    data[0] += 10;
    EXPECT_EQ(Floats(*buffer)[0], data[0] - 10);
  }
  EXPECT_THAT(Floats(*OrDie(client->BufferFromHost(data, Shape::Scalar(F32)))), ElementsAre(20));
}

TEST(BufferFromHost, FollowsStrides) {
  const auto client = MakeClient();
  const int16_t data[6] = {0, 1, 2, 3, 4, 5};
  Device& device = client->default_device();
  // A transposed matrix, a reversed vector, one element repeated.
  const auto transposed =
      OrDie(client->BufferFromHost(data, Shape::Array(S16, {3, 2}), {2, 6}, HostMemoryUse::kBorrow, nullptr, device));
  EXPECT_THAT(OrDie(transposed->ToLiteral()).span<int16_t>(), ElementsAre(0, 3, 1, 4, 2, 5));
  const auto reversed =
      OrDie(client->BufferFromHost(data + 5, Shape::Array(S16, {6}), {-2}, HostMemoryUse::kCopyNow, nullptr, device));
  EXPECT_THAT(OrDie(reversed->ToLiteral()).span<int16_t>(), ElementsAre(5, 4, 3, 2, 1, 0));
  const auto repeated =
      OrDie(client->BufferFromHost(data + 2, Shape::Array(S16, {3}), {0}, HostMemoryUse::kCopyNow, nullptr, device));
  EXPECT_THAT(OrDie(repeated->ToLiteral()).span<int16_t>(), ElementsAre(2, 2, 2));
  EXPECT_EQ(
      client->BufferFromHost(data, Shape::Array(S16, {6}), {2, 2}, HostMemoryUse::kCopyNow, nullptr, device).status(),
      absl::InvalidArgumentError("got 2 strides for an array of shape s16[6]"));
}

TEST(BufferFromHost, MakesValuesOfBytesThatAreNone) {
  const auto client = MakeClient();
  for (const HostMemoryUse use : {HostMemoryUse::kCopyNow, HostMemoryUse::kBorrow}) {
    const uint8_t data[4] = {0, 1, 2, 0xF9};
    const auto pred = OrDie(client->BufferFromHost(data, Shape::Array(PRED, {4}), use));
    EXPECT_THAT(OrDie(pred->ToLiteral()).span<uint8_t>(), ElementsAre(0, 1, 1, 1));
    const auto s4 = OrDie(client->BufferFromHost(data, Shape::Array(S4, {4}), use));
    EXPECT_THAT(OrDie(s4->ToLiteral()).span<int8_t>(), ElementsAre(0, 1, 2, -7));
    const auto u4 = OrDie(client->BufferFromHost(data, Shape::Array(U4, {4}), use));
    EXPECT_THAT(OrDie(u4->ToLiteral()).span<uint8_t>(), ElementsAre(0, 1, 2, 9));
  }
}

TEST(BufferFromHost, CopiesMemoryThatIsNotAligned) {
  const auto client = MakeClient();
  std::vector<char> bytes(33 * 4, 0);
  char* const data = bytes.data() + 1;
  const float one = 1;
  std::memcpy(data + 4, &one, 4);
  const auto buffer = OrDie(client->BufferFromHost(data, Shape::Array(F32, {32}), HostMemoryUse::kBorrow));
  EXPECT_NE(OrDie(buffer->AcquireExternalReference())->data(), data);
  EXPECT_EQ(Floats(*buffer)[1], 1);
}

TEST(BufferFromHost, ReleasesAlsoIfItFails) {
  const auto client = MakeClient();
  int released = 0;
  const auto error = [&](const void* data, const Shape& shape) {
    return client->BufferFromHost(data, shape, HostMemoryUse::kBorrow, [&released] { ++released; }).status();
  };
  EXPECT_EQ(error(nullptr, Shape::Array(F32, {2})),
            absl::InvalidArgumentError("there is no memory (nullptr) to make an array of shape f32[2] from"));
  EXPECT_EQ(error(&released, Shape::Tuple({})),
            absl::InvalidArgumentError("only an array can be made from memory, asked for shape ()"));
  EXPECT_FALSE(error(&released, Shape::Array(F32, {-1})).ok());
  EXPECT_FALSE(error(&released, Shape::Array(F32, {int64_t{1} << 40, int64_t{1} << 40})).ok());
  EXPECT_EQ(released, 4);
}

TEST(BufferFromHost, BorrowsUntilNobodyNeedsTheMemory) {
  const auto client = MakeClient();
  std::vector<float> data(8, 1);
  bool released = false;
  auto buffer = OrDie(client->BufferFromHost(data.data(), Shape::Array(F32, {8}), HostMemoryUse::kBorrow,
                                             [&released] { released = true; }));
  auto reference = OrDie(buffer->AcquireExternalReference());
  if (kBackend == absl::string_view("vulkan")) {
    EXPECT_NE(reference->data(), data.data()) << "a device has memory of its own";
    EXPECT_TRUE(released);
    return;
  }
  EXPECT_EQ(reference->data(), data.data());
  const Literal literal = OrDie(buffer->ToLiteral());
  EXPECT_NE(literal.untyped_data(), data.data());
  buffer.reset();
  EXPECT_FALSE(released);
  reference.reset();
  EXPECT_TRUE(released);
  data.assign(8, 7);
  EXPECT_EQ(Floats(literal)[0], 1);
}

TEST(BufferFromHost, ResultsDoNotReferToBorrowedMemory) {
  const auto client = MakeClient();
  const auto identity = CompileText(*client, R"(HloModule m
ENTRY e { x = f32[8] parameter(0) t = (f32[8]) tuple(x) ROOT r = (f32[8], (f32[8])) tuple(x, t) })");
  std::vector<float> data(8, 1);
  bool released = false;
  for (const HostMemoryUse use : {HostMemoryUse::kBorrow, HostMemoryUse::kBorrowMutable}) {
    for (const bool donate : {false, true}) {
      data.assign(8, 1);
      released = false;
      auto buffer =
          OrDie(client->BufferFromHost(data.data(), Shape::Array(F32, {8}), use, [&released] { released = true; }));
      ExecuteOptions options;
      if (donate) options.donated_parameters = {0};
      const BufferList results = OrDie(identity->Execute({buffer.get()}, options));
      buffer.reset();
      EXPECT_TRUE(released);
      data.assign(8, 9);
      EXPECT_EQ(Floats(*results[0])[0], 1);
      EXPECT_EQ(Floats(OrDie(results[1]->ToLiteral()).element(0))[0], 1);
    }
  }
}

TEST(BufferFromFuture, ComesLater) {
  const auto client = MakeClient();
  Promised promised(*client, Shape::Scalar(F32));
  EXPECT_FALSE(promised.buffer->ready().IsReady());
  EXPECT_EQ(promised.buffer->ToLiteral(absl::Now()).status().code(), absl::StatusCode::kDeadlineExceeded);
  const Future<Literal> literal = promised.buffer->ToLiteralAsync();
  float copied = 0;
  const Event copy = promised.buffer->CopyToHostAsync(&copied, 4);
  const Event too_large = promised.buffer->CopyToHostAsync(&copied, 5);
  promised.buffer->Delete();
  promised.Fill(Literal::Scalar(3.0f));
  EXPECT_THAT(Floats(*literal.Await()), ElementsAre(3));
  EXPECT_EQ(copy.Await(), absl::OkStatus());
  EXPECT_EQ(copied, 3);
  EXPECT_EQ(too_large.Await().code(), absl::StatusCode::kInvalidArgument);
}

TEST(BufferFromFuture, FailsAsTheFutureDoes) {
  const auto client = MakeClient();
  const Shape shape = Shape::Scalar(F32);
  const auto failed =
      OrDie(client->BufferFromFuture(Future<Literal>(absl::DataLossError("torn")), shape, client->default_device()));
  EXPECT_EQ(failed->ready().Await(), absl::DataLossError("torn"));
  EXPECT_EQ(failed->ToLiteral().status(), absl::DataLossError("torn"));
  EXPECT_EQ(failed->AcquireExternalReference().status(), absl::DataLossError("torn"));
  const auto wrong = OrDie(client->BufferFromFuture(Future<Literal>(Iota(2)), shape, client->default_device()));
  EXPECT_EQ(wrong->ready().Await(),
            absl::InvalidArgumentError("a value of shape f32[2] came for a buffer of shape f32[]"));
  std::unique_ptr<Buffer> abandoned;
  {
    Promised promised(*client, shape);
    abandoned = std::move(promised.buffer);
  }
  EXPECT_EQ(abandoned->ready().Await().code(), absl::StatusCode::kAborted);
}

TEST(Buffer, RefusesWhatIsNoPlaceOrNoShape) {
  const auto client = MakeClient();
  const auto other = MakeClient();
  EXPECT_EQ(client->BufferFromLiteral(Iota(1), other->default_device()).status(),
            absl::InvalidArgumentError(
                OfBackend("cannot make a buffer on interpreter device 0, which belongs to another client")));
  EXPECT_FALSE(client->BufferFromLiteral(Literal()).ok());
  EXPECT_FALSE(client->UninitializedBuffer(Shape(), client->default_device()).ok());
  const bool dynamic[] = {true};
  EXPECT_FALSE(
      client->UninitializedBuffer(Shape::Array(F32, {Shape::kUnboundedSize}, dynamic), client->default_device()).ok());
}

TEST(UninitializedBuffer, HasItsShape) {
  const auto client = MakeClient();
  const auto buffer = OrDie(client->UninitializedBuffer(Shape::Array(S8, {100}), client->default_device()));
  EXPECT_EQ(OrDie(buffer->ToLiteral()).size_bytes(), 100);
}

TEST(Device, CountsMemory) {
  ClientOptions options;
  options.max_memory_bytes = 1000;
  const auto client = OrDie(GetClient(kBackend, options));
  const Device& device = client->default_device();
  EXPECT_EQ(device.memory().bytes_in_use, 0);
  EXPECT_EQ(device.memory().bytes_limit, 1000);
  auto buffer = OrDie(client->BufferFromLiteral(Iota(200)));
  EXPECT_EQ(device.memory().bytes_in_use, 800);
  EXPECT_EQ(client->BufferFromLiteral(Iota(200)).status().code(), absl::StatusCode::kResourceExhausted);
  buffer.reset();
  EXPECT_EQ(device.memory().bytes_in_use, 0);
  EXPECT_EQ(device.memory().peak_bytes_in_use, 800);
  const auto program = CompileText(
      *client, "HloModule m\nENTRY e { z = f32[] constant(0) ROOT b = f32[300] broadcast(z), dimensions={} }");
  EXPECT_EQ(program->Execute({}).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(ExternalReference, KeepsTheMemoryAndForbidsDonation) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, kDouble);
  auto buffer = OrDie(client->BufferFromLiteral(Iota(8)));
  auto reference = OrDie(buffer->AcquireExternalReference());
  EXPECT_EQ(reference->memory(), ExternalReference::Memory::kHost);
  EXPECT_EQ(static_cast<const float*>(reference->data())[7], 7);
  EXPECT_EQ(program->Execute({buffer.get()}).status(),
            absl::FailedPreconditionError("double: argument 0: the buffer of shape f32[8] cannot be donated while "
                                          "a caller holds a reference to its memory"));
  EXPECT_TRUE(buffer->is_live());
  reference.reset();
  EXPECT_TRUE(program->Execute({buffer.get()}).ok());
  const auto tuple = OrDie(client->BufferFromLiteral(Literal::Tuple({})));
  EXPECT_EQ(tuple->AcquireExternalReference().status(),
            absl::UnimplementedError("only the memory of an array can be shared, the buffer has shape ()"));
}

}  // namespace
}  // namespace xla
