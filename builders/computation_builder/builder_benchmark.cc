// How fast computations are built: all of an operation's checks, and a verified module in the end.
//   bazel run //builders/computation_builder:builder_benchmark
#include "benchmark/benchmark.h"
#include "builders/computation_builder/computation_builder.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

// A chain of `count` operations on small arrays, half of them with a scalar to broadcast.
void AddChain(ComputationBuilder& builder, int64_t count) {
  const XlaOp first = builder.Parameter(0, Shape::Array(F32, {16, 16}), "x");
  XlaOp x = first;
  for (int64_t i = 1; i < count; ++i) x = i % 2 == 0 ? builder.Tanh(x) : builder.Add(x, first);
}

void BM_AddOperations(benchmark::State& state) {
  for (auto _ : state) {
    ComputationBuilder builder("chain");
    AddChain(builder, state.range(0));
    benchmark::DoNotOptimize(builder.Build().ok());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_AddOperations)->Arg(1000)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);

void BM_BuildVerifiedModule(benchmark::State& state) {
  for (auto _ : state) {
    ComputationBuilder builder("chain");
    AddChain(builder, state.range(0));
    benchmark::DoNotOptimize(builder.BuildModule().ok());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_BuildVerifiedModule)->Arg(1000)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);

// How much of that is the verifier's.
void BM_Verify(benchmark::State& state) {
  ComputationBuilder builder("chain");
  AddChain(builder, state.range(0));
  const auto module = builder.BuildModule();
  for (auto _ : state) benchmark::DoNotOptimize(VerifyModule(**module).ok());
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_Verify)->Arg(100000)->Unit(benchmark::kMillisecond);

// One computation called from a chain of others, each of which also calls the one before.
void BM_NestedComputations(benchmark::State& state) {
  for (auto _ : state) {
    ComputationBuilder leaf("leaf");
    leaf.Neg(leaf.Parameter(0, Shape::Scalar(F32), "x"));
    const XlaComputation shared = *leaf.Build();
    XlaComputation inner = shared;
    for (int64_t i = 0; i < state.range(0); ++i) {
      ComputationBuilder builder("nested");
      const XlaOp x = builder.Parameter(0, Shape::Scalar(F32), "x");
      builder.Call(shared, {builder.Call(inner, {x})});
      inner = *builder.Build();
    }
    benchmark::DoNotOptimize(inner.ToModule().ok());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_NestedComputations)->Arg(1000)->Arg(10000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace xla

BENCHMARK_MAIN();
