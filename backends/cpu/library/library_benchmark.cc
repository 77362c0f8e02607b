// How fast the library's products and convolutions are, as a share of what the innermost loop reaches in the first
// cache, on one thread and two.
//
//   bazel run //backends/cpu/library:library_benchmark -- --benchmark_filter=512
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cpu/library/convolution/convolution_program.h"
#include "backends/cpu/library/product/product_kernels.h"
#include "backends/cpu/library/product/product_program.h"
#include "backends/cpu/library/program_testing.h"
#include "xla_core/support/thread_pool.h"

namespace xla {
namespace {

// f32 operations per second of one thread.
double MeasurePeak() {
  const ProductKernels& kernels = HostProductKernels();
  std::vector<float> a(8 * 256, 1), b(256 * 32, 1), c(8 * 32);
  const int columns = 2 * kernels.vector_bytes / 4;
  TileProduct<float> tile = {256,          a.data(), 1,     8, b.data(), columns, c.data(), columns,
                             kernels.rows, columns,  false, 0, 0,        0};
  constexpr int kTurns = 2000;
  double best = 0;
  for (int round = 0; round < 20; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kTurns; ++i) kernels.f32.wide(tile);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    best = std::max(best, 2.0 * 256 * columns * kernels.rows * kTurns / time.count());
  }
  return best;
}

void Run(benchmark::State& state, const std::string& text, int threads, bool prepared) {
  static const double peak = MeasurePeak();
  const auto module = ModuleFromText(text);
  const HloInstruction& root = *module->entry()->root();
  std::unique_ptr<TiledProgram> program;
  if (root.opcode() == HloOpcode::kDot) {
    FixedOperands fixed;
    fixed.rhs = prepared;
    program = std::move(*MakeDotProgram(root, fixed));
  } else {
    auto made = MakeConvolutionProgram(root);
    if (!made.ok()) return state.SkipWithError(std::string(made.status().message()).c_str());
    program = *std::move(made);
  }
  const Literal lhs = *MakeInput(DefaultInputSpec(root.operand(0)->shape(), 1));
  const Literal rhs = *MakeInput(DefaultInputSpec(root.operand(1)->shape(), 2));
  TestMemory result(root.shape().ByteSize()), workspace(program->workspace_bytes());
  TestMemory kernel(program->prepared_rhs_bytes());
  TiledProgram::Buffers buffers;
  buffers.lhs = lhs.untyped_data();
  buffers.rhs = rhs.untyped_data();
  buffers.result = result.data();
  buffers.workspace = workspace.data();
  if (prepared && program->prepared_rhs_bytes() > 0) {
    program->PrepareRhs(program->prepared_operand() == 0 ? buffers.lhs : buffers.rhs, kernel.data());
    buffers.prepared_rhs = kernel.data();
  }
  ThreadPool pool(threads);
  const int64_t scratch_bytes = program->scratch_bytes();
  double best = 1e9;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    for (int phase = 0; phase < program->phase_count(); ++phase) {
      pool.ParallelFor(program->tile_count(phase), 1, [&](int64_t begin, int64_t end) {
        static thread_local std::unique_ptr<TestMemory> scratch;
        static thread_local int64_t bytes = -1;
        if (bytes < scratch_bytes) {
          scratch = std::make_unique<TestMemory>(scratch_bytes);
          bytes = scratch_bytes;
        }
        for (int64_t tile = begin; tile < end; ++tile) program->RunTile(phase, tile, buffers, scratch->data());
      });
    }
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count());
  }
  state.counters["best_ms"] = best * 1e3;
  state.counters["GFLOP/s"] = program->FlopCount() / best * 1e-9;
  state.counters["peak%"] = program->FlopCount() / best / (peak * threads) * 100;
  state.counters["GB/s"] = static_cast<double>(root.operand(0)->shape().ByteSize() +
                                               root.operand(1)->shape().ByteSize() + root.shape().ByteSize()) /
                           best * 1e-9;
  state.SetLabel(absl::StrCat(program->kind(), " ", program->tile_count(program->phase_count() - 1), " tiles"));
}

void Add(const std::string& name, const std::string& lhs, const std::string& rhs, const std::string& root) {
  const std::string text = absl::StrCat("HloModule m\nENTRY e {\n  x = ", lhs, " parameter(0)\n  y = ", rhs,
                                        " parameter(1)\n  ROOT r = ", root, "\n}\n");
  for (const int threads : {1, 2}) {
    benchmark::RegisterBenchmark(absl::StrCat(name, "/threads:", threads).c_str(),
                                 [=](benchmark::State& state) { Run(state, text, threads, true); })
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
  }
}

void AddProduct(const std::string& name, const std::string& lhs, const std::string& rhs, const std::string& result,
                const std::string& dims = "lhs_contracting_dims={1}, rhs_contracting_dims={0}") {
  Add(name, lhs, rhs, absl::StrCat(result, " dot(x, y), ", dims));
}

void AddConvolution(const std::string& name, const std::string& lhs, const std::string& rhs, const std::string& result,
                    const std::string& window, const std::string& labels = "b01f_01io->b01f",
                    const std::string& more = "") {
  Add(name, lhs, rhs, absl::StrCat(result, " convolution(x, y), window={", window, "}, dim_labels=", labels, more));
}

void AddAll() {
  const std::string batched =
      "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}";
  for (const int64_t n : {16, 32, 64, 96, 128, 256, 512, 1024, 2048}) {
    const std::string square = absl::StrCat("f32[", n, ",", n, "]");
    AddProduct(absl::StrCat("matmul_", n), square, square, square);
  }
  AddProduct("matmul_f64_512", "f64[512,512]", "f64[512,512]", "f64[512,512]");
  AddProduct("matmul_f16_512", "f16[512,512]", "f16[512,512]", "f16[512,512]");
  AddProduct("matmul_s32_512", "s32[512,512]", "s32[512,512]", "s32[512,512]");
  AddProduct("matmul_c64_512", "c64[512,512]", "c64[512,512]", "c64[512,512]");
  AddProduct("matmul_bf16_1024", "bf16[1024,1024]", "bf16[1024,1024]", "bf16[1024,1024]");
  AddProduct("matmul_s8_1024", "s8[1024,1024]", "s8[1024,1024]", "s32[1024,1024]");
  AddProduct("dense_512x768x3072", "f32[512,768]", "f32[768,3072]", "f32[512,3072]");
  AddProduct("matmul_tall_65536x64", "f32[65536,64]", "f32[64,64]", "f32[65536,64]");
  AddProduct("matmul_deep_64x65536", "f32[64,65536]", "f32[65536,64]", "f32[64,64]");
  AddProduct("matmul_batched_64x128", "f32[64,128,128]", "f32[64,128,128]", "f32[64,128,128]", batched);
  AddProduct("matmul_batched_1024x16", "f32[1024,16,16]", "f32[1024,16,16]", "f32[1024,16,16]", batched);
  AddProduct("matmul_c128_batched_4096x4", "c128[4096,4,4]", "c128[4096,4,4]", "c128[4096,4,4]", batched);
  AddProduct("attention_scores", "f32[8,512,12,64]", "f32[8,512,12,64]", "f32[8,12,512,512]",
             "lhs_batch_dims={0,2}, rhs_batch_dims={0,2}, lhs_contracting_dims={3}, rhs_contracting_dims={3}");
  AddProduct("gemv_4096_columns", "f32[4096]", "f32[4096,4096]", "f32[4096]",
             "lhs_contracting_dims={0}, rhs_contracting_dims={0}");
  AddProduct("gemv_4096_rows", "f32[4096,4096]", "f32[4096]", "f32[4096]",
             "lhs_contracting_dims={1}, rhs_contracting_dims={0}");
  AddProduct("gemv_bf16_4096", "bf16[4096]", "bf16[4096,4096]", "bf16[4096]",
             "lhs_contracting_dims={0}, rhs_contracting_dims={0}");
  AddConvolution("conv1d_16000_64", "f32[1,16000,64]", "f32[5,64,64]", "f32[1,16000,64]", "size=5 pad=2_2",
                 "b0f_0io->b0f");
  AddConvolution("conv1x1_56_64_256", "f32[1,56,56,64]", "f32[1,1,64,256]", "f32[1,56,56,256]", "size=1x1");
  AddConvolution("conv3x3_56_64", "f32[1,56,56,64]", "f32[3,3,64,64]", "f32[1,56,56,64]", "size=3x3 pad=1_1x1_1");
  AddConvolution("conv3x3_14_256", "f32[1,14,14,256]", "f32[3,3,256,256]", "f32[1,14,14,256]", "size=3x3 pad=1_1x1_1");
  AddConvolution("conv3x3_7_512", "f32[1,7,7,512]", "f32[3,3,512,512]", "f32[1,7,7,512]", "size=3x3 pad=1_1x1_1");
  AddConvolution("conv3x3_dilated", "f32[1,56,56,64]", "f32[3,3,64,64]", "f32[1,56,56,64]",
                 "size=3x3 pad=2_2x2_2 rhs_dilate=2x2");
  AddConvolution("conv7x7s2_224", "f32[1,224,224,3]", "f32[7,7,3,64]", "f32[1,112,112,64]",
                 "size=7x7 stride=2x2 pad=3_3x3_3");
  AddConvolution("conv_transpose4x4s2_64", "f32[1,64,64,64]", "f32[4,4,64,64]", "f32[1,128,128,64]",
                 "size=4x4 pad=2_2x2_2 lhs_dilate=2x2");
  AddConvolution("depthwise3x3_112_32", "f32[1,112,112,32]", "f32[3,3,1,32]", "f32[1,112,112,32]",
                 "size=3x3 pad=1_1x1_1", "b01f_01io->b01f", ", feature_group_count=32");
  AddConvolution("conv3d_16x56", "f32[1,16,56,56,32]", "f32[3,3,3,32,32]", "f32[1,16,56,56,32]",
                 "size=3x3x3 pad=1_1x1_1x1_1", "b012f_012io->b012f");
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  xla::AddAll();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
