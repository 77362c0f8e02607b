// Many threads at once: one executable, several, and compilations, on one client whose pool they share.
#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "backends/backend.h"
#include "backends/literal_execution.h"
#include "backends/testing/test_programs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

constexpr int kCallers = 4;
constexpr int kTurns = 8;
constexpr int64_t kCount = 20000;  // enough for several tiles

// Kernels with several tiles and phases, temporaries in an arena, a sort and a product of loops of our own.
constexpr char kMixture[] = R"(HloModule mixture
plus { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT l = pred[] compare(a, b), direction=LT }
ENTRY e {
  x = f32[20000] parameter(0)
  zero = f32[] constant(0)
  e = f32[20000] exponential(x)
  sorted = f32[20000] sort(e), dimensions={0}, to_apply=less
  m = f32[100,200] reshape(sorted)
  t = f32[200,100] transpose(m), dimensions={1,0}
  p = f32[100,100] dot(m, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  rows = f32[100] reduce(p, zero), dimensions={1}, to_apply=plus
  total = f32[] reduce(rows, zero), dimensions={0}, to_apply=plus
  all = f32[20000] broadcast(total), dimensions={}
  ROOT r = f32[20000] add(e, all)
})";

std::shared_ptr<Client> ClientWithThreads() {
  ClientOptions options;
  options.threads = 3;
  return OrDie(GetClient("cpu", options));
}

// Calls fn(number of the caller) on several threads at once.
void OnAllCallers(const std::function<void(int)>& fn) {
  std::vector<std::thread> callers;
  for (int i = 0; i < kCallers; ++i) callers.emplace_back([&fn, i] { fn(i); });
  for (std::thread& caller : callers) caller.join();
}

TEST(Concurrency, OneExecutableServesManyCallers) {
  const auto client = ClientWithThreads();
  const auto program = CompileText(*client, kMixture);
  const std::vector<float> want = Floats(OrDie(ExecuteOnLiterals(*program, {Ones(kCount)})));
  std::atomic<int> wrong{0};
  OnAllCallers([&](int) {
    for (int turn = 0; turn < kTurns; ++turn) {
      const auto got = ExecuteOnLiterals(*program, {Ones(kCount)});
      if (!got.ok() || Floats(*got) != want) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
}

// What is computed from weights alone is computed by whoever comes first, and used by all.
TEST(Concurrency, KeptValuesServeManyCallers) {
  const auto client = ClientWithThreads();
  CompileOptions options;
  options.weights = {1};
  const auto program = CompileText(*client, R"(HloModule kept
ENTRY e {
  x = f32[64,64] parameter(0)
  w = f32[64,64] parameter(1)
  half = f32[64,64] logistic(w)
  ROOT p = f32[64,64] dot(x, half), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})",
                                   options);
  const Literal x = Literal::FromValues<float>({64, 64}, std::vector<float>(64 * 64, 1));
  const Literal w = Literal::FromValues<float>({64, 64}, std::vector<float>(64 * 64, 0));
  const auto weights = OrDie(client->BufferFromLiteral(w));
  std::atomic<int> wrong{0};
  OnAllCallers([&](int) {
    for (int turn = 0; turn < kTurns; ++turn) {
      const auto argument = OrDie(client->BufferFromLiteral(x));
      const auto results = OrDie(program->Execute({argument.get(), weights.get()}));
      for (const float value : Floats(*results[0])) wrong += value != 32;
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(Concurrency, CompilesWhileOthersRun) {
  const auto client = ClientWithThreads();
  const auto shared = CompileText(*client, kMixture);
  const std::vector<float> want = Floats(OrDie(ExecuteOnLiterals(*shared, {Ones(kCount)})));
  std::atomic<int> wrong{0};
  OnAllCallers([&](int caller) {
    for (int turn = 0; turn < 2; ++turn) {
      const auto own = CompileText(*client, kMixture);
      const auto got = ExecuteOnLiterals(caller % 2 == 0 ? *own : *shared, {Ones(kCount)});
      if (!got.ok() || Floats(*got) != want) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
}

// Runs that are under way when others are cancelled.
TEST(Concurrency, StopsOneOfManyRuns) {
  const auto client = ClientWithThreads();
  const auto endless = CompileText(*client, kForever);
  const auto program = CompileText(*client, kMixture);
  const std::vector<float> want = Floats(OrDie(ExecuteOnLiterals(*program, {Ones(kCount)})));
  auto cancellation = std::make_shared<Cancellation>();
  std::atomic<int> wrong{0};
  std::thread stopped([&] {
    ExecuteOptions options;
    options.cancellation = cancellation;
    const auto got = ExecuteOnLiterals(*endless, {Literal::Vector<float>({0, 0, 0, 0})}, options);
    if (!absl::IsCancelled(got.status())) ++wrong;
  });
  OnAllCallers([&](int) {
    const auto got = ExecuteOnLiterals(*program, {Ones(kCount)});
    if (!got.ok() || Floats(*got) != want) ++wrong;
  });
  cancellation->Cancel();
  stopped.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace xla
