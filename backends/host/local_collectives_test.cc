// Meetings of calls, apart from programs: who waits for whom, what errors are, and that the evaluator may meet here.
#include "backends/host/local_collectives.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backends/host/evaluated_program.h"
#include "backends/host/scripted_client.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

absl::Status KeepWaiting() { return absl::OkStatus(); }

class Sum : public CollectiveReducer {
 public:
  PrimitiveType type() const override { return F32; }
  void Combine(int64_t count, const void* a, const void* b, void* result) const override {
    for (int64_t i = 0; i < count; ++i) {
      static_cast<float*>(result)[i] = static_cast<const float*>(a)[i] + static_cast<const float*>(b)[i];
    }
  }
};

class Difference : public CollectiveReducer {
 public:
  PrimitiveType type() const override { return F32; }
  void Combine(int64_t count, const void* a, const void* b, void* result) const override {
    for (int64_t i = 0; i < count; ++i) {
      static_cast<float*>(result)[i] = static_cast<const float*>(a)[i] - static_cast<const float*>(b)[i];
    }
  }
};

// Goes on once two threads are there.
class SumOfTwoThreads : public Sum {
 public:
  void Combine(int64_t count, const void* a, const void* b, void* result) const override {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      threads_.insert(std::this_thread::get_id());
      if (threads_.size() == 2) second_came_.notify_all();
      second_came_.wait_for(lock, std::chrono::seconds(20), [this] { return threads_.size() == 2; });
    }
    Sum::Combine(count, a, b, result);
  }
  size_t thread_count() const { return threads_.size(); }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable second_came_;
  mutable std::set<std::thread::id> threads_;
};

// Takes its time for each run of elements.
class SlowSum : public Sum {
 public:
  void Combine(int64_t count, const void* a, const void* b, void* result) const override {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    Sum::Combine(count, a, b, result);
    combined_ += count;
  }
  int64_t combined() const { return combined_; }

 private:
  mutable std::atomic<int64_t> combined_{0};
};

// Two devices, and an instruction for each kind of call.
class Meetings : public ::testing::Test {
 protected:
  Meetings() : pool_(2), local_(2, &pool_, &memory_) {
    auto module = ParseHloModule(R"(HloModule m, replica_count=2
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e { x = f32[2] parameter(0) tok = token[] after-all()
  r = f32[2] all-reduce(x), replica_groups={}, to_apply=sum
  g = f32[4] all-gather(x), replica_groups={}, dimensions={0}
  recv = (f32[2], u32[], token[]) recv(tok), channel_id=3
  ROOT done = (f32[2], token[]) recv-done(recv), channel_id=3 })");
    CHECK(module.ok());
    module_ = *std::move(module);
  }

  const HloInstruction& Named(absl::string_view name) {
    for (const auto& instruction : module_->entry()->instructions()) {
      if (instruction->name() == name) return *instruction;
    }
    CHECK(false);
    return *module_->entry()->root();
  }

  std::shared_ptr<StartedCollective> Reduce(int64_t device, std::vector<float>& x, std::vector<float>& result) {
    return Reduce(device, pair_, x, result, sum_);
  }
  std::shared_ptr<StartedCollective> Reduce(int64_t device, const Shape& shape, std::vector<float>& x,
                                            std::vector<float>& result, const CollectiveReducer& reducer) {
    return ReduceIn(local_, device, shape, x, result, reducer);
  }
  std::shared_ptr<StartedCollective> ReduceIn(LocalCollectives& local, int64_t device, const Shape& shape,
                                              std::vector<float>& x, std::vector<float>& result,
                                              const CollectiveReducer& reducer) {
    CollectiveCall call;
    call.action = CollectiveCall::Action::kReduce;
    call.instruction = &Named("r");
    call.group = {0, 1};
    call.position = device;
    call.operands = {{&shape, x.data()}};
    call.results = {{&shape, result.data()}};
    call.reducer = &reducer;
    return local.Start(std::move(call));
  }

  std::shared_ptr<StartedCollective> Transfer(bool sends, std::vector<float>& x, const Shape& shape) {
    CollectiveCall call;
    call.action = sends ? CollectiveCall::Action::kSend : CollectiveCall::Action::kReceive;
    call.instruction = sends ? nullptr : &Named("recv");
    call.channel = 3;
    call.group = {0, 1};
    call.position = sends ? 0 : 1;
    (sends ? call.operands : call.results) = {{&shape, x.data()}};
    return local_.Start(std::move(call));
  }

  const Shape pair_ = Shape::Array(F32, {2});
  const Shape triple_ = Shape::Array(F32, {3});
  const Sum sum_;
  const Difference difference_;
  ThreadPool no_pool_{1};
  ThreadPool pool_;
  MemoryBudget memory_;
  std::unique_ptr<HloModule> module_;
  LocalCollectives local_;
};

TEST_F(Meetings, BeginWithoutWaiting) {
  std::vector<float> a = {1, 2}, b = {10, 20}, ra(2), rb(2);
  const auto first = Reduce(0, a, ra);
  EXPECT_FALSE(first->done().IsReady());
  const auto second = Reduce(1, b, rb);
  EXPECT_TRUE(first->done().IsReady());
  EXPECT_EQ(first->Await(&KeepWaiting), absl::OkStatus());
  EXPECT_EQ(second->done().status(), absl::OkStatus());
  EXPECT_THAT(ra, ElementsAre(11, 22));
  EXPECT_THAT(rb, ElementsAre(11, 22));
}

TEST_F(Meetings, TellWhenTheLastOneCame) {
  std::vector<float> a = {1, 2}, b = {10, 20}, ra(2), rb(2);
  const auto first = Reduce(0, a, ra);
  EXPECT_EQ(first->met(), absl::InfinitePast());
  const absl::Time before = absl::Now();
  const auto second = Reduce(1, b, rb);
  EXPECT_GE(first->met(), before);
  EXPECT_LE(first->met(), absl::Now());
  EXPECT_EQ(second->met(), first->met());
}

TEST_F(Meetings, MayPutResultsInPlaceOfOperands) {
  for (const int64_t size : {2, 300'001, 8'000'000}) {
    const Shape shape = Shape::Array(F32, {size});
    std::vector<float> a(size), b(size, 10);
    std::iota(a.begin(), a.end(), 0.0f);
    std::vector<float> expected(size);
    std::iota(expected.begin(), expected.end(), 10.0f);
    const auto first = Reduce(0, shape, a, a, sum_);
    Reduce(1, shape, b, b, sum_);
    EXPECT_EQ(first->Await(&KeepWaiting), absl::OkStatus());
    EXPECT_TRUE(a == expected);
    EXPECT_TRUE(b == expected);
  }
}

// Nothing is written before both reducers have read it.
TEST_F(Meetings, ByTwoReducersMayBeInPlace) {
  std::vector<float> a = {1, 2}, b = {10, 20};
  const auto first = Reduce(0, pair_, a, a, sum_);
  Reduce(1, pair_, b, b, difference_);
  EXPECT_EQ(first->Await(&KeepWaiting), absl::OkStatus());
  EXPECT_THAT(a, ElementsAre(11, 22));
  EXPECT_THAT(b, ElementsAre(-9, -18));
}

// Ctrl-C, or a deadline, while a large array is folded.
TEST_F(Meetings, EndEarlyWhenAMemberThatHelpsIsToldTo) {
  LocalCollectives alone(2, &no_pool_, &memory_);
  constexpr int64_t kSize = 8 << 20;
  const Shape shape = Shape::Array(F32, {kSize});
  const SlowSum sum;
  std::vector<float> x[2] = {std::vector<float>(kSize, 1), std::vector<float>(kSize, 2)};
  const auto run = [&](int64_t device) {
    const auto started = ReduceIn(alone, device, shape, x[device], x[device], sum);
    const absl::Status status =
        started->Await([&] { return sum.combined() == 0 ? absl::OkStatus() : absl::CancelledError("enough"); });
    alone.DeviceEnded(device, status);
    return status;
  };
  absl::Status of_first;
  std::thread other([&] { of_first = run(1); });
  absl::SleepFor(absl::Milliseconds(50));
  EXPECT_EQ(run(0), absl::CancelledError("enough"));
  other.join();
  EXPECT_EQ(of_first, absl::CancelledError("enough"));
  EXPECT_LT(sum.combined(), kSize / 2);
}

TEST_F(Meetings, AreHelpedByWhoWaits) {
  LocalCollectives alone(2, &no_pool_, &memory_);
  constexpr int64_t kSize = 1 << 20;
  const Shape shape = Shape::Array(F32, {kSize});
  const SumOfTwoThreads sum;
  std::vector<float> x[2] = {std::vector<float>(kSize, 1), std::vector<float>(kSize, 2)};
  const auto run = [&](int64_t device) {
    EXPECT_EQ(ReduceIn(alone, device, shape, x[device], x[device], sum)->Await(&KeepWaiting), absl::OkStatus());
    alone.DeviceEnded(device, absl::OkStatus());
  };
  std::thread other([&] { run(1); });
  // Asleep or not.
  absl::SleepFor(absl::Milliseconds(10));
  run(0);
  other.join();
  EXPECT_EQ(sum.thread_count(), 2u);
  EXPECT_EQ(x[0], std::vector<float>(kSize, 3));
  EXPECT_EQ(x[1], x[0]);
}

TEST_F(Meetings, AreCountedByMember) {
  std::vector<float> a = {1, 2}, a2 = {3, 4}, b = {10, 20}, b2 = {30, 40}, r1(2), r2(2), r3(2), r4(2);
  const auto first = Reduce(0, a, r1);
  const auto ahead = Reduce(0, a2, r2);
  const auto second = Reduce(1, b, r3);
  EXPECT_TRUE(first->done().IsReady());
  EXPECT_FALSE(ahead->done().IsReady());
  Reduce(1, b2, r4);
  EXPECT_TRUE(ahead->done().IsReady());
  EXPECT_THAT(r1, ElementsAre(11, 22));
  EXPECT_THAT(r2, ElementsAre(33, 44));
}

TEST_F(Meetings, GiveValuesWithoutCopies) {
  Contributions got[2];
  std::shared_ptr<const std::vector<Literal>> brought[2];
  std::vector<CollectiveArray> arrays[2];
  const auto gather = [&](int64_t device) {
    brought[device] = std::make_shared<const std::vector<Literal>>(1, Literal::Vector<float>({1, 2}));
    const Literal& value = (*brought[device])[0];
    CollectiveCall call;
    call.action = CollectiveCall::Action::kGatherAll;
    call.instruction = &Named("r");
    call.group = {0, 1};
    call.position = device;
    call.operands = {{&value.shape(), const_cast<void*>(value.untyped_data())}};
    call.value = brought[device];
    call.values = &got[device];
    return local_.Start(std::move(call));
  };
  ASSERT_TRUE(local_.shares_values());
  const auto first = gather(0);
  gather(1);
  EXPECT_EQ(first->Await(&KeepWaiting), absl::OkStatus());
  EXPECT_THAT(got[0], ElementsAre(brought[0], brought[1]));
  EXPECT_EQ(got[1], got[0]);
  EXPECT_EQ(memory_.used(), 0);
  // One who brings no value is copied, and counted.
  std::vector<float> a(1000, 3), ra(1000);
  const Shape shape = Shape::Array(F32, {1000});
  CollectiveCall call;
  call.action = CollectiveCall::Action::kGatherAll;
  call.instruction = &Named("r");
  call.group = {0, 1};
  call.position = 1;
  call.operands = {{&shape, ra.data()}};
  call.value = std::make_shared<const std::vector<Literal>>();
  call.values = &got[1];
  Reduce(0, shape, a, ra, sum_);
  EXPECT_EQ(local_.Start(std::move(call))->Await(&KeepWaiting), absl::OkStatus());
  EXPECT_THAT((*got[1][0])[0].span<float>(), ElementsAreArray(a));
  EXPECT_EQ(memory_.used(), 4000);
  got[1].clear();
  EXPECT_EQ(memory_.used(), 0);
}

TEST_F(Meetings, LetASenderGoOn) {
  for (const int64_t size : {2, 1000}) {
    const Shape shape = Shape::Array(F32, {size});
    std::vector<float> x(size, 1), y(size);
    EXPECT_EQ(Transfer(true, x, shape)->done().status(), absl::OkStatus());
    if (size == 1000) {
      EXPECT_EQ(memory_.used(), 4000);
    }
    x.assign(size, 5);
    EXPECT_EQ(Transfer(false, y, shape)->Await(&KeepWaiting), absl::OkStatus());
    EXPECT_EQ(y, std::vector<float>(size, 1));
    EXPECT_EQ(memory_.used(), 0);
  }
}

TEST_F(Meetings, OfOtherShapesAreNotReceived) {
  std::vector<float> x = {7, 8, 9}, y(2);
  Transfer(true, x, triple_);
  EXPECT_EQ(Transfer(false, y, pair_)->Await(&KeepWaiting),
            absl::InvalidArgumentError("recv: expected f32[2], but device 0 sent f32[3]"));
}

TEST_F(Meetings, ThatCannotBeAreReported) {
  std::vector<float> a = {1, 2}, ra(2);
  const auto started = Reduce(0, a, ra);
  local_.DeviceEnded(1, absl::OkStatus());
  EXPECT_FALSE(local_.failed());
  const absl::Status status = started->Await(&KeepWaiting);
  EXPECT_EQ(status, absl::FailedPreconditionError("deadlock: no device can go on; device 0 waits at r with devices "
                                                  "{0,1}; device 1 has ended"));
  EXPECT_EQ(started->done().status(), status);
  EXPECT_TRUE(local_.failed());
  // So is whatever begins later.
  EXPECT_EQ(Reduce(1, a, ra)->done().status(), status);
}

TEST_F(Meetings, FailWithADeviceThatFails) {
  std::vector<float> a = {1, 2}, ra(2);
  const auto started = Reduce(0, a, ra);
  local_.DeviceEnded(1, absl::InternalError("broken"));
  EXPECT_EQ(started->done().status(), absl::AbortedError("stopped because device 1 failed: broken"));
  EXPECT_EQ(started->Await(&KeepWaiting), started->done().status());
}

TEST_F(Meetings, EndAtALimit) {
  std::vector<float> a = {1, 2}, ra(2);
  const auto started = Reduce(0, a, ra);
  EXPECT_EQ(started->Await([] { return absl::CancelledError("enough"); }), absl::CancelledError("enough"));
  EXPECT_EQ(started->done().status(), absl::CancelledError("enough"));
}

// Many small meetings from threads that race.
TEST_F(Meetings, HappenManyTimes) {
  constexpr int kTurns = 2000;
  bool right[2] = {true, true};
  const auto run = [&](int64_t device) {
    std::vector<float> x(2), r(2);
    for (int turn = 0; turn < kTurns; ++turn) {
      x = {static_cast<float>(turn), static_cast<float>(device)};
      if (!Reduce(device, x, r)->Await(&KeepWaiting).ok()) right[device] = false;
      if (r[0] != 2 * turn || r[1] != 1) right[device] = false;
    }
    local_.DeviceEnded(device, absl::OkStatus());
  };
  std::thread other([&] { run(1); });
  run(0);
  other.join();
  EXPECT_TRUE(right[0]);
  EXPECT_TRUE(right[1]);
}

// The evaluator brings tuples and arrays with dynamic dimensions, too.
TEST(Evaluator, MeetsWhereItIsTold) {
  auto parsed = ParseHloModule(R"(HloModule m, replica_count=2
sum { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
ENTRY e { x = s32[4] parameter(0) id = u32[] replica-id() i = s32[] convert(id) n = s32[] add(i, s32[] constant(2))
  y = s32[<=4] set-dimension-size(x, n), dimensions={0}
  p = s32[<=4] collective-permute(y), source_target_pairs={{0,1},{1,0}}
  size = s32[] get-dimension-size(p), dimensions={0}
  s = s32[4] all-reduce(x), replica_groups={}, to_apply=sum tok = token[] after-all()
  recv = (s32[4], u32[], token[]) recv(tok), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs={{0,1}}}
  send = (s32[4], u32[], token[]) send(s, tok), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs={{0,1}}}
  sent = token[] send-done(send), channel_id=1
  done = (s32[4], token[]) recv-done(recv), channel_id=1 z = s32[4] get-tuple-element(done), index=0
  ROOT r = (s32[], s32[4], s32[4]) tuple(size, s, z) })");
  ASSERT_EQ(parsed.status(), absl::OkStatus());
  const std::shared_ptr<const HloModule> module = *std::move(parsed);
  const auto client = ScriptedClient::Make([](const HostLaunch&) { return std::vector<Literal>(); }, 2);
  std::vector<HostDevice*> devices;
  for (Device* device : client->devices()) devices.push_back(static_cast<HostDevice*>(device));
  const auto program = MakeEvaluatedProgram(*client, module, OwnDevices(2, 1), devices);
  ASSERT_EQ(program.status(), absl::OkStatus());
  ThreadPool pool(2);
  MemoryBudget memory;
  LocalCollectives local(2, &pool, &memory);
  ExecuteOptions options;
  options.collectives = &local;
  std::vector<HostValues> arguments(2);
  for (int32_t d = 0; d < 2; ++d) {
    auto value = HostValue::Make(client->memory(), Literal::Vector<int32_t>({d, 1, 2, 3 * d}));
    ASSERT_TRUE(value.ok());
    arguments[d].push_back(*std::move(value));
  }
  const ResourceContext resources(nullptr, "running");
  std::vector<ValueMemories> result_memory;
  const auto results = (*program)->Run({arguments, Donations(), options, resources, result_memory});
  ASSERT_EQ(results.status(), absl::OkStatus());
  EXPECT_EQ(*(*results)[0].element(0).data<int32_t>(), 3);
  EXPECT_EQ(*(*results)[1].element(0).data<int32_t>(), 2);
  EXPECT_THAT((*results)[1].element(1).span<int32_t>(), ElementsAre(1, 2, 4, 3));
  EXPECT_THAT((*results)[0].element(2).span<int32_t>(), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT((*results)[1].element(2).span<int32_t>(), ElementsAre(1, 2, 4, 3));
}

}  // namespace
}  // namespace xla
