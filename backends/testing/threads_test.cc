// Many threads at once: compiling, running the same and different executables, sharing buffers. Most of what it says
// it says under ThreadSanitizer: bazel test --config=tsan //backends/...
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/backend.h"
#include "backends/literal_execution.h"
#include "backends/testing/test_programs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

constexpr int kThreads = 8;
constexpr int kRounds = 25;

template <typename Work>
void OnThreads(const Work& work) {
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back([&work, t] { work(t); });
  for (std::thread& thread : threads) thread.join();
}

// Loops, a reduction with an odd reducer, a sort: what plans, scalar functions and frames are made for.
constexpr char kMixed[] = R"(HloModule mixed
odd { a = f32[] parameter(0) b = f32[] parameter(1) m = f32[] multiply(a, b) ROOT s = f32[] subtract(m, b) }
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT l = pred[] compare(a, b), direction=LT }
condition { s = (s32[], f32[64]) parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant(5) ROOT go = pred[] compare(i, n), direction=LT }
body {
  s = (s32[], f32[64]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  v = f32[64] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  w = f32[64] add(v, v)
  ROOT r = (s32[], f32[64]) tuple(j, w)
}
ENTRY main {
  x = f32[64] parameter(0)
  zero = s32[] constant(0)
  start = (s32[], f32[64]) tuple(zero, x)
  loop = (s32[], f32[64]) while(start), condition=condition, body=body
  v = f32[64] get-tuple-element(loop), index=1
  sorted = f32[64] sort(v), dimensions={0}, to_apply=less
  one = f32[] constant(1)
  reduced = f32[] reduce(sorted, one), dimensions={0}, to_apply=odd
  ROOT r = (f32[64], f32[]) tuple(sorted, reduced)
})";

Literal Argument(int t) {
  std::vector<float> values(64);
  for (int i = 0; i < 64; ++i) values[i] = static_cast<float>((i * 37 + t) % 64) / 64;
  return Literal::FromValues<float>({64}, values);
}

TEST(Threads, RunOneExecutable) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, kMixed);
  std::vector<Literal> expected;
  for (int t = 0; t < kThreads; ++t) {
    expected.push_back(OrDie(ExecuteOnLiterals(*CompileText(*client, kMixed), {Argument(t)})));
  }
  OnThreads([&](int t) {
    for (int round = 0; round < kRounds; ++round) {
      ExecuteOptions options;
      options.mode = round % 2 == 0 ? ExecutionMode::kInline : ExecutionMode::kAsync;
      EXPECT_TRUE(OrDie(ExecuteOnLiterals(*program, {Argument(t)}, options)).BitwiseEquals(expected[t]));
    }
  });
}

TEST(Threads, CompileAndRunDifferentExecutables) {
  const auto client = MakeClient(2);
  OnThreads([&](int t) {
    for (int round = 0; round < kRounds; ++round) {
      const std::string text = absl::StrCat("HloModule m", t, "\nENTRY e { x = f32[] parameter(0) c = f32[] constant(",
                                            t, ") ROOT s = f32[] add(x, c) }");
      const auto own = CompileText(*client, text);
      const Literal sum = OrDie(ExecuteOnLiterals(*own, {Literal::Scalar(static_cast<float>(round))}));
      EXPECT_EQ(*sum.data<float>(), static_cast<float>(t + round));
      if (IsInterpreter()) {
        const auto replicas = CompileText(*client, kSumOfReplicas);
        const auto results = OrDie(ExecuteOnLiterals(
            *replicas, std::vector<std::vector<Literal>>{{Literal::Scalar(1.0f)}, {Literal::Scalar(2.0f)}}));
        EXPECT_EQ(*results[0].element(0).data<float>(), 3.0f);
      }
      EXPECT_FALSE(own->fingerprint().empty());
      EXPECT_TRUE(client->Deserialize(OrDie(own->Serialize())).ok());
    }
  });
}

TEST(Threads, ShareBuffers) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, kMixed);
  const auto x = OrDie(client->BufferFromLiteral(Argument(0)));
  const Literal expected = OrDie(ExecuteOnLiterals(*program, {Argument(0)}));
  OnThreads([&](int) {
    for (int round = 0; round < kRounds; ++round) {
      const BufferList results = OrDie(program->Execute({x.get()}));
      EXPECT_TRUE(OrDie(results[0]->ToLiteral()).BitwiseEquals(expected.element(0)));
      EXPECT_TRUE(OrDie(x->ToLiteral()).BitwiseEquals(Argument(0)));
      const auto reference = OrDie(x->AcquireExternalReference());
      EXPECT_NE(reference->data(), nullptr);
      EXPECT_GT(client->default_device().memory().bytes_in_use, 0);
    }
  });
}

TEST(Threads, OnlyOneGetsADonatedBuffer) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, kDouble);
  for (int round = 0; round < kRounds; ++round) {
    const auto x = OrDie(client->BufferFromLiteral(Literal::FromValues<float>({8}, std::vector<float>(8, 1))));
    std::atomic<int> winners{0};
    OnThreads([&](int t) {
      if (t == 0) x->ToLiteral().status().IgnoreError();
      const auto results = program->Execute({x.get()});
      if (!results.ok()) {
        EXPECT_EQ(results.status().code(), absl::StatusCode::kFailedPrecondition);
        return;
      }
      ++winners;
      EXPECT_EQ(Floats(*(*results)[0])[0], 2);
    });
    EXPECT_EQ(winners, 1);
  }
}

TEST(Threads, ManyExecutionsInFlight) {
  const auto client = MakeClient();
  const auto add = CompileText(*client, kAdd);
  ExecuteOptions options;
  options.mode = ExecutionMode::kAsync;
  OnThreads([&](int) {
    const auto one = Scalar(*client, 1);
    auto sum = Scalar(*client, 0);
    for (int round = 0; round < 4 * kRounds; ++round) {
      sum = std::move(OrDie(add->Execute({sum.get(), one.get()}, options))[0]);
    }
    EXPECT_EQ(Floats(*sum)[0], 4 * kRounds);
  });
}

TEST(Threads, FeedAndReadWhileProgramsRun) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, kFeeds);
  Device& device = client->default_device();
  std::atomic<int> received{0};
  OnThreads([&](int t) {
    for (int round = 0; round < kRounds; ++round) {
      if (t % 4 == 0) {
        EXPECT_EQ(device.TransferToInfeed(Literal::Vector<float>({1, 2})), absl::OkStatus());
      } else if (t % 4 == 1) {
        EXPECT_TRUE(program->Execute({}).ok());
      } else if (t % 4 == 2) {
        EXPECT_EQ(Floats(OrDie(device.TransferFromOutfeed(Shape::Array(F32, {2}))))[1], 4);
        ++received;
      } else {
        EXPECT_GE(device.memory().bytes_in_use, 0);
      }
    }
  });
  EXPECT_EQ(received, 2 * kRounds);
}

}  // namespace
}  // namespace xla
