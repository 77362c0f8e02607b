// What compute() and dispatch() add to the execution of a program: x + x for a few sizes, on the CPU backend.
//   bazel run -c opt //builders/webnn:compute_benchmark
#include <memory>
#include <vector>

#include "benchmark/benchmark.h"
#include "builders/webnn/context.h"
#include "builders/webnn/graph_builder.h"
#include "builders/webnn/test_support.h"

namespace xla {
namespace webnn {
namespace {

struct Doubling {
  explicit Doubling(benchmark::State& state, MLEdition edition) : x(Float32({static_cast<uint32_t>(state.range(0))})) {
    MLContextOptions options;
    options.edition = edition;
    options.backend = "cpu";
    context = OrDie(ML().createContext(options));
    MLGraphBuilder builder(context);
    const MLOperand operand = OrDie(builder.input("x", x));
    graph = OrDie(builder.build({{"y", OrDie(builder.add(operand, operand))}}));
  }
  MLOperandDescriptor x;
  std::shared_ptr<MLContext> context;
  std::shared_ptr<MLGraph> graph;
};

// The program alone, on a buffer that is on the device already.
void BM_Execute(benchmark::State& state) {
  Doubling d(state, MLEdition::kDraft);
  const ArrayBufferView x = OrDie(ArrayBufferView::For(d.x));
  const auto buffer = OrDie(d.context->client()->BufferFromHost(x.data(), HloShapeOf(d.x)));
  for (auto _ : state) benchmark::DoNotOptimize(OrDie(d.graph->executable()->Execute({buffer.get()})));
}
BENCHMARK(BM_Execute)->Arg(1)->Arg(1 << 20);

void BM_Compute(benchmark::State& state) {
  Doubling d(state, MLEdition::kDraft);
  MLNamedArrayBufferViews inputs = {{"x", OrDie(ArrayBufferView::For(d.x))}};
  MLNamedArrayBufferViews outputs = {{"y", OrDie(ArrayBufferView::For(d.x))}};
  for (auto _ : state) {
    MLComputeResult result = OrDie(d.context->compute(d.graph, inputs, outputs));
    inputs = std::move(result.inputs);
    outputs = std::move(result.outputs);
  }
}
BENCHMARK(BM_Compute)->Arg(1)->Arg(1 << 20);

// Ten dispatches, and reading what the last one gives.
void BM_TenDispatches(benchmark::State& state) {
  Doubling d(state, MLEdition::kLater);
  const MLTensorDescriptor descriptor(d.x, /*is_readable=*/true, /*is_writable=*/true);
  auto from = OrDie(d.context->createTensor(descriptor));
  auto to = OrDie(d.context->createTensor(descriptor));
  const ArrayBufferView result = OrDie(ArrayBufferView::For(d.x));
  for (auto _ : state) {
    for (int i = 0; i < 10; ++i) {
      if (!d.context->dispatch(d.graph, {{"x", from}}, {{"y", to}}).ok()) state.SkipWithError("dispatch failed");
      std::swap(from, to);
    }
    if (!d.context->readTensor(from, result).ok()) state.SkipWithError("readTensor failed");
  }
}
BENCHMARK(BM_TenDispatches)->Arg(1)->Arg(1 << 20);

}  // namespace
}  // namespace webnn
}  // namespace xla

BENCHMARK_MAIN();
