// The table of errors of mathematical functions: the largest distance, in units in the last place, of compiled code
// from the value computed in a wider type, by function, and where it is.
//
//   bazel test :math_errors_test                 a sample: one in 4099 of all f32
//   bazel run :math_errors_test -- --every=1 --function=tanh     all of them, of one function: a minute or more
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "backends/cpu/codegen/kernel_compiler.h"
#include "backends/kernel_ir/kernel_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/types/ordered_index.h"

namespace xla {
namespace {

constexpr int64_t kChunk = 1 << 14;

int64_t every = 4099;
std::string only;

struct Function {
  HloOpcode opcode;
  long double (*value)(long double);
  // The same, quickly: an f32 that it rounds to is right except for near-ties.
  double (*near)(double);
};

template <typename T>
T Logistic(T x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}

template <typename T>
T Rsqrt(T x) {
  return 1 / std::sqrt(x);
}

const std::vector<Function>& Functions() {
  static const auto* const functions = new std::vector<Function>{
      {HloOpcode::kExp, expl, exp},       {HloOpcode::kExpm1, expm1l, expm1},
      {HloOpcode::kLog, logl, log},       {HloOpcode::kLog1p, log1pl, log1p},
      {HloOpcode::kTanh, tanhl, tanh},    {HloOpcode::kLogistic, Logistic<long double>, Logistic<double>},
      {HloOpcode::kErf, erfl, erf},       {HloOpcode::kSin, sinl, sin},
      {HloOpcode::kCos, cosl, cos},       {HloOpcode::kTan, tanl, tan},
      {HloOpcode::kAsin, asinl, asin},    {HloOpcode::kAcos, acosl, acos},
      {HloOpcode::kSinh, sinhl, sinh},    {HloOpcode::kCosh, coshl, cosh},
      {HloOpcode::kAsinh, asinhl, asinh}, {HloOpcode::kAcosh, acoshl, acosh},
      {HloOpcode::kAtanh, atanhl, atanh}, {HloOpcode::kCbrt, cbrtl, cbrt},
      {HloOpcode::kSqrt, sqrtl, sqrt},    {HloOpcode::kRsqrt, Rsqrt<long double>, Rsqrt<double>},
  };
  return *functions;
}

Kernel MakeKernel(HloOpcode opcode, PrimitiveType type, int arity) {
  KernelBuilder b(std::string(HloOpcodeName(opcode)));
  const int x = b.AddBuffer("x", type, kChunk, KernelBuffer::Use::kRead);
  const int y = b.AddBuffer("y", type, kChunk, KernelBuffer::Use::kRead);
  const int z = b.AddBuffer("z", type, kChunk, KernelBuffer::Use::kWrite);
  b.Phase(1, [&](KernelValue) {
    b.For(b.Index(kChunk), LoopSchedule::kVector, true, [&](KernelValue i) {
      b.Store(z, i, arity == 1 ? b.Unary(opcode, b.Load(x, i)) : b.Binary(opcode, b.Load(x, i), b.Load(y, i)));
    });
  });
  return std::move(b).Finish();
}

template <typename T>
struct Worst {
  double ulp = 0;
  T x = 0;
  T y = 0;
  T got = 0;

  void Take(T at, T second, T computed, long double exact) {
    const T want = static_cast<T>(exact);
    double distance = 0;
    if (std::isnan(want) != std::isnan(computed)) {
      distance = INFINITY;
    } else if (!std::isnan(want)) {
      if (want == 0 && computed == 0 && std::signbit(want) != std::signbit(computed)) distance = INFINITY;
      if (distance == 0) distance = static_cast<double>(UlpDistance(OrderedIndex(want), OrderedIndex(computed)));
    }
    if (distance > ulp) *this = {distance, at, second, computed};
  }
};

bool IsSame(float a, float b) { return std::memcmp(&a, &b, sizeof(a)) == 0 || (std::isnan(a) && std::isnan(b)); }

template <typename T>
T RandomBits(std::mt19937_64& random) {
  const uint64_t pattern = random();
  T value;
  std::memcpy(&value, reinterpret_cast<const char*>(&pattern) + sizeof(pattern) - sizeof(T), sizeof(T));
  return value;
}

template <typename T>
const std::vector<T>& Corners() {
  using Limits = std::numeric_limits<T>;
  static const auto* const corners = new std::vector<T>{0,
                                                        T(-0.0),
                                                        1,
                                                        -1,
                                                        T(0.5),
                                                        T(-0.5),
                                                        2,
                                                        -2,
                                                        3,
                                                        -3,
                                                        T(1e30),
                                                        T(1e-30),
                                                        T(NAN),
                                                        T(1e10),
                                                        T(2.5),
                                                        T(-2.5),
                                                        T(16777217),
                                                        T(9007199254740991),
                                                        T(-1e300),
                                                        T(1e-42),
                                                        Limits::infinity(),
                                                        -Limits::infinity(),
                                                        Limits::max(),
                                                        Limits::min(),
                                                        Limits::denorm_min(),
                                                        -Limits::denorm_min()};
  return *corners;
}

// How many chunks of f64, of which there are too many to take every one.
int64_t DoubleRounds() { return every == 1 ? 2048 : 12; }

class MathErrors : public testing::Test {
 protected:
  KernelFunction Compile(const Kernel& kernel) {
    auto compiler = KernelCompiler::Create(HostTarget(), {});
    EXPECT_TRUE(compiler.ok()) << compiler.status();
    const Kernel* const kernels[] = {&kernel};
    auto compiled = (*compiler)->Compile(kernels, RunInOrder);
    EXPECT_TRUE(compiled.ok()) << compiled.status();
    compiled_.push_back(*std::move(compiled));
    return compiled_.back().Function(0, 0);
  }

  template <typename T>
  void OfPairs(PrimitiveType type, const char* name) {
    const std::vector<T>& corners = Corners<T>();
    for (const HloOpcode opcode : {HloOpcode::kPower, HloOpcode::kAtan2}) {
      if (!only.empty() && only != HloOpcodeName(opcode)) continue;
      const KernelFunction run = Compile(MakeKernel(opcode, type, 2));
      std::vector<T> x(kChunk);
      std::vector<T> y(kChunk);
      std::vector<T> z(kChunk);
      void* buffers[] = {x.data(), y.data(), z.data()};
      Worst<T> worst;
      std::mt19937_64 random(7);
      std::normal_distribution<T> normal(0, 10);
      for (int64_t round = 0; round < 4 * DoubleRounds(); ++round) {
        for (size_t i = 0; i < x.size(); ++i) {
          x[i] = normal(random);
          y[i] = normal(random);
          if (i % 5 == 1) x[i] = RandomBits<T>(random);
          if (i % 5 == 2) y[i] = RandomBits<T>(random);
          if (i % 5 == 3) y[i] = std::trunc(y[i]);
          if (i % 5 == 4) x[i] = 1 + y[i] / 8192;
          if (i % 5 == 4) y[i] *= 4096;
        }
        for (size_t i = 0; round == 0 && i < corners.size() * corners.size(); ++i) {
          x[i] = corners[i / corners.size()];
          y[i] = corners[i % corners.size()];
        }
        run(buffers, nullptr, 0, 1, &kNeverStop);
        for (int64_t i = 0; i < kChunk; ++i) {
          worst.Take(x[i], y[i], z[i], opcode == HloOpcode::kPower ? powl(x[i], y[i]) : atan2l(x[i], y[i]));
        }
      }
      Report(opcode, name, worst);
    }
  }

  template <typename T>
  void Report(HloOpcode opcode, const char* type, const Worst<T>& worst) {
    const std::string name(HloOpcodeName(opcode));
    std::printf("%-10s %s  %4g ulp at %.17g, %.17g: %.17g\n", name.c_str(), type, worst.ulp,
                static_cast<double>(worst.x), static_cast<double>(worst.y), static_cast<double>(worst.got));
    EXPECT_LE(worst.ulp, FindElementwiseRow(opcode)->max_ulp) << name << " of " << type;
  }

 private:
  std::vector<CompiledKernels> compiled_;
};

TEST_F(MathErrors, OfSingles) {
  for (const Function& function : Functions()) {
    if (!only.empty() && only != HloOpcodeName(function.opcode)) continue;
    const KernelFunction run = Compile(MakeKernel(function.opcode, F32, 1));
    std::vector<float> x(kChunk);
    std::vector<float> z(kChunk);
    void* buffers[] = {x.data(), x.data(), z.data()};
    Worst<float> worst;
    for (uint64_t bits = 0; bits < (uint64_t{1} << 32);) {
      for (float& value : x) {
        const uint32_t pattern = static_cast<uint32_t>(bits);
        std::memcpy(&value, &pattern, sizeof(value));
        bits += static_cast<uint64_t>(every);
      }
      run(buffers, nullptr, 0, 1, &kNeverStop);
      for (int64_t i = 0; i < kChunk; ++i) {
        if (!IsSame(z[i], static_cast<float>(function.near(x[i])))) worst.Take(x[i], 0, z[i], function.value(x[i]));
      }
    }
    Report(function.opcode, "f32", worst);
  }
}

TEST_F(MathErrors, OfDoubles) {
  for (const Function& function : Functions()) {
    if (!only.empty() && only != HloOpcodeName(function.opcode)) continue;
    const KernelFunction run = Compile(MakeKernel(function.opcode, F64, 1));
    std::vector<double> x(kChunk);
    std::vector<double> z(kChunk);
    void* buffers[] = {x.data(), x.data(), z.data()};
    Worst<double> worst;
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> near_one(-2, 2);
    std::uniform_real_distribution<double> wide(-750, 750);
    std::uniform_int_distribution<int> exponent(-60, 34);
    for (int64_t round = 0; round < DoubleRounds(); ++round) {
      for (size_t i = 0; i < x.size(); ++i) {
        x[i] = RandomBits<double>(random);
        if (i % 4 == 1) x[i] = near_one(random);
        if (i % 4 == 2) x[i] = wide(random);
        if (i % 4 == 3) x[i] = std::ldexp(near_one(random), exponent(random));
      }
      if (round == 0) std::copy_n(Corners<double>().data(), Corners<double>().size(), x.data());
      run(buffers, nullptr, 0, 1, &kNeverStop);
      for (int64_t i = 0; i < kChunk; ++i) worst.Take(x[i], 0, z[i], function.value(x[i]));
    }
    Report(function.opcode, "f64", worst);
  }
}

TEST_F(MathErrors, OfPairs) {
  OfPairs<float>(F32, "f32");
  OfPairs<double>(F64, "f64");
}

void ReadFlags(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    absl::string_view flag = argv[i];
    if (absl::ConsumePrefix(&flag, "--every=") && (!absl::SimpleAtoi(flag, &every) || every < 1)) {
      std::fprintf(stderr, "--every takes a positive number\n");
      std::exit(2);
    }
    if (absl::ConsumePrefix(&flag, "--function=")) only = std::string(flag);
  }
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  xla::ReadFlags(argc, argv);
  return RUN_ALL_TESTS();
}
