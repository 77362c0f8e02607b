// Nanoseconds per element of compiled kernels, beside those of a copy of as many bytes, and milliseconds to compile
// one.
//
//   bazel run :codegen_benchmark [-- LEVEL]     of optimisation, 1 unless said
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "backends/cpu/codegen/kernel_compiler.h"
#include "backends/kernel_ir/kernel_builder.h"

namespace xla {
namespace {

using Values = KernelBuilder::Values;

// Time on the processor, of which other programs take none.
double ThreadSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double SecondsOf(const std::function<void()>& run) {
  double best = 1e9;
  for (int round = 0; round < 15; ++round) {
    const double begin = ThreadSeconds();
    run();
    best = std::min(best, ThreadSeconds() - begin);
  }
  return best;
}

struct Program {
  std::string name;
  Kernel kernel;
};

Program Elementwise(const std::string& name, int64_t n, PrimitiveType type,
                    const std::function<KernelValue(KernelBuilder&, KernelValue, KernelValue)>& value) {
  KernelBuilder b(name);
  const int x = b.AddBuffer("x", type, n, KernelBuffer::Use::kRead);
  const int y = b.AddBuffer("y", type, n, KernelBuffer::Use::kRead);
  const int z = b.AddBuffer("z", type, n, KernelBuffer::Use::kWrite);
  b.Phase(1, [&](KernelValue) {
    b.For(b.Index(n), LoopSchedule::kVector, true,
          [&](KernelValue i) { b.Store(z, i, value(b, b.Load(x, i), b.Load(y, i))); });
  });
  return {name, std::move(b).Finish()};
}

Program RowReductions(const std::string& name, HloOpcode opcode, int64_t n, int64_t row) {
  KernelBuilder b(name);
  const int x = b.AddBuffer("x", F32, n, KernelBuffer::Use::kRead);
  b.AddBuffer("y", F32, n, KernelBuffer::Use::kRead);
  const int z = b.AddBuffer("z", F32, n, KernelBuffer::Use::kWrite);
  b.Phase(1, [&](KernelValue) {
    const KernelValue zero = b.Constant(Literal::Scalar<float>(0));
    b.For(b.Index(n / row), LoopSchedule::kPlain, true, [&](KernelValue i) {
      const Values sum = b.Reduce(
          {row}, 64, {zero}, {zero},
          [&](absl::Span<const KernelValue> at) {
            return Values{b.Load(x, b.Affine({{row, i}, {1, at[0]}}))};
          },
          [&](absl::Span<const KernelValue> l, absl::Span<const KernelValue> r) {
            return Values{b.Binary(opcode, l[0], r[0])};
          });
      b.Store(z, i, sum[0]);
    });
  });
  return {name, std::move(b).Finish()};
}

Program ColumnSums(int64_t n, int64_t row) {
  KernelBuilder b("column sums");
  const int x = b.AddBuffer("x", F32, n, KernelBuffer::Use::kRead);
  b.AddBuffer("y", F32, n, KernelBuffer::Use::kRead);
  const int z = b.AddBuffer("z", F32, n, KernelBuffer::Use::kWrite);
  b.Phase(1, [&](KernelValue) {
    const KernelValue zero = b.Constant(Literal::Scalar<float>(0));
    b.For(b.Index(row), LoopSchedule::kVector, true, [&](KernelValue i) {
      const Values sum = b.Reduce(
          {n / row}, 1, {zero}, {},
          [&](absl::Span<const KernelValue> at) {
            return Values{b.Load(x, b.Affine({{1, i}, {row, at[0]}}))};
          },
          [&](absl::Span<const KernelValue> l, absl::Span<const KernelValue> r) {
            return Values{b.Binary(HloOpcode::kAdd, l[0], r[0])};
          });
      b.Store(z, i, sum[0]);
    });
  });
  return {"column sums", std::move(b).Finish()};
}

std::vector<Program> Programs(int64_t n) {
  std::vector<Program> programs;
  programs.push_back(Elementwise(
      "add", n, F32, [](KernelBuilder& b, KernelValue x, KernelValue y) { return b.Binary(HloOpcode::kAdd, x, y); }));
  programs.push_back(Elementwise("add bf16", n, BF16, [](KernelBuilder& b, KernelValue x, KernelValue y) {
    return b.Binary(HloOpcode::kAdd, x, y);
  }));
  for (const HloOpcode opcode : {HloOpcode::kExp, HloOpcode::kTanh, HloOpcode::kErf, HloOpcode::kLog,
                                 HloOpcode::kLogistic, HloOpcode::kSin, HloOpcode::kExpm1, HloOpcode::kCbrt}) {
    programs.push_back(Elementwise(std::string(HloOpcodeName(opcode)), n, F32,
                                   [&](KernelBuilder& b, KernelValue x, KernelValue) { return b.Unary(opcode, x); }));
  }
  programs.push_back(Elementwise("power", n, F32, [](KernelBuilder& b, KernelValue x, KernelValue y) {
    return b.Binary(HloOpcode::kPower, x, y);
  }));
  programs.push_back(RowReductions("row sums", HloOpcode::kAdd, n, 1024));
  programs.push_back(RowReductions("row maxima", HloOpcode::kMaximum, n, 1024));
  programs.push_back(ColumnSums(n, 1024));
  return programs;
}

int Run(int level) {
  CodegenOptions options;
  options.optimization_level = level;
  auto compiler = KernelCompiler::Create(HostTarget(), options);
  if (!compiler.ok()) {
    std::fprintf(stderr, "%s\n", compiler.status().ToString().c_str());
    return 1;
  }
  std::printf("%s, %d bytes in a vector\n%-22s %10s %12s %12s %10s\n", HostTarget().cpu.c_str(),
              HostTarget().vector_bytes, "kernel", "elements", "ns/element", "copy ns", "compile ms");
  for (const int64_t n : {int64_t{1} << 12, int64_t{1} << 24}) {
    std::vector<float> x(n);
    std::vector<float> y(n);
    std::vector<float> z(n);
    for (int64_t i = 0; i < n; ++i) x[i] = y[i] = static_cast<float>(i % 1000) * 0.01f + 0.01f;
    const int64_t repeats = (int64_t{1} << 20) / n + 1;
    const double copy = SecondsOf([&] {
      for (int64_t r = 0; r < repeats; ++r) std::memcpy(z.data(), x.data(), n * sizeof(float));
    });
    for (const Program& program : Programs(n)) {
      const Kernel* const kernels[] = {&program.kernel};
      absl::StatusOr<CompiledKernels> compiled = absl::UnknownError("");
      const double compile = SecondsOf([&] { compiled = (*compiler)->Compile(kernels, RunInOrder); });
      if (!compiled.ok()) return 1;
      void* buffers[] = {x.data(), y.data(), z.data()};
      const double seconds = SecondsOf([&] {
        for (int64_t r = 0; r < repeats; ++r) compiled->Function(0, 0)(buffers, nullptr, 0, 1, &kNeverStop);
      });
      const double elements = static_cast<double>(n) * static_cast<double>(repeats);
      std::printf("%-22s %10lld %12.3f %12.3f %10.2f\n", program.name.c_str(), static_cast<long long>(n),
                  seconds / elements * 1e9, copy / elements * 1e9, compile * 1e3);
    }
  }
  return 0;
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Run(argc > 1 ? std::atoi(argv[1]) : 1); }
