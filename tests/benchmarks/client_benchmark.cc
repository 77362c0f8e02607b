// What a call through the client costs beyond the work itself: x + y on two scalars, buffers in and buffers out.
#include <ctime>
#include <memory>
#include <utility>

#include "backends/backend.h"
#include "tests/benchmarks/figures.h"
#include "xla_core/support/check.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace {

constexpr char kAddScalars[] = R"(HloModule add_scalars
ENTRY main {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT sum = f32[] add(x, y)
})";

template <typename T>
T OrDie(absl::StatusOr<T> value) {
  CHECK(value.ok());
  return *std::move(value);
}

// Microseconds of CPU time per call; `wanted` of them at most.
void BM_AddScalars(benchmark::State& state, const char* backend, ExecutionMode mode, bool to_literal, double wanted) {
  ClientOptions client_options;
  client_options.threads = 1;
  const std::shared_ptr<Client> client = OrDie(GetClient(backend, client_options));
  const auto program = OrDie(client->Compile(OrDie(ParseHloModule(kAddScalars))));
  const auto x = OrDie(client->BufferFromLiteral(Literal::Scalar(1.0f)));
  const auto y = OrDie(client->BufferFromLiteral(Literal::Scalar(2.0f)));
  ExecuteOptions options;
  options.mode = mode;
  const double cpu_before = static_cast<double>(std::clock());
  for (auto _ : state) {
    const auto results = program->Execute({x.get(), y.get()}, options);
    if (!results.ok()) return state.SkipWithError(results.status().ToString().c_str());
    if (to_literal) {
      const auto sum = (*results)[0]->ToLiteral();
      CHECK(sum.ok() && *sum->data<float>() == 3.0f);
    }
  }
  const double seconds = (static_cast<double>(std::clock()) - cpu_before) / CLOCKS_PER_SEC;
  ReportAmount(state, seconds * 1e6 / static_cast<double>(state.iterations()), "us per call", wanted);
}

const bool kClientRegistered = [] {
  const auto add = [](const char* name, const char* backend, ExecutionMode mode, bool to_literal, double wanted) {
    benchmark::RegisterBenchmark(name, BM_AddScalars, backend, mode, to_literal, wanted)->MeasureProcessCPUTime();
  };
  add("client: x + y of scalars, inline", "interpreter", ExecutionMode::kInline, false, 5);
  add("client: the same, result as a literal", "interpreter", ExecutionMode::kInline, true, 5);
  add("client: the same, asynchronous", "interpreter", ExecutionMode::kAsync, true, 0);
  add("client: x + y of scalars on cpu, inline", "cpu", ExecutionMode::kInline, false, 2);
  // At most a microsecond more than that.
  add("client: the same through replicated", "replicated", ExecutionMode::kInline, false, 3);
  return true;
}();

}  // namespace
}  // namespace xla
