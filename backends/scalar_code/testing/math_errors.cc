#include "backends/scalar_code/testing/math_errors.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "backends/kernel_ir/kernel_builder.h"
#include "gtest/gtest.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/types/ordered_index.h"

namespace xla {
namespace {

constexpr int64_t kChunk = kMathChunk;

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
bool IsDenormal(T x) {
  return x != 0 && std::fabs(x) < std::numeric_limits<T>::min();
}

template <typename T>
struct Worst {
  double ulp = 0;
  T x = 0;
  T y = 0;
  T got = 0;

  void Take(T at, T second, T computed, long double exact, bool keeps_denormals) {
    const T want = static_cast<T>(exact);
    if (!keeps_denormals && (IsDenormal(at) || IsDenormal(second) || IsDenormal(want))) return;
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

template <typename T>
void Report(HloOpcode opcode, const char* type, const Worst<T>& worst) {
  const std::string name(HloOpcodeName(opcode));
  std::printf("%-10s %s  %4g ulp at %.17g, %.17g: %.17g\n", name.c_str(), type, worst.ulp, static_cast<double>(worst.x),
              static_cast<double>(worst.y), static_cast<double>(worst.got));
  EXPECT_LE(worst.ulp, FindElementwiseRow(opcode)->max_ulp) << name << " of " << type;
}

template <typename T>
void CheckPairsOf(PrimitiveType type, const char* name, const MathCompile& compile, const MathErrorOptions& options) {
  const std::vector<T>& corners = Corners<T>();
  for (const HloOpcode opcode : {HloOpcode::kPower, HloOpcode::kAtan2}) {
    if (!options.only.empty() && options.only != HloOpcodeName(opcode)) continue;
    const MathRun run = compile(MakeKernel(opcode, type, 2));
    if (run == nullptr) continue;
    std::vector<T> x(kChunk);
    std::vector<T> y(kChunk);
    std::vector<T> z(kChunk);
    Worst<T> worst;
    std::mt19937_64 random(7);
    std::normal_distribution<T> normal(0, 10);
    for (int64_t round = 0; round < 4 * options.double_rounds; ++round) {
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
      run(x.data(), y.data(), z.data());
      for (int64_t i = 0; i < kChunk; ++i) {
        worst.Take(x[i], y[i], z[i], opcode == HloOpcode::kPower ? powl(x[i], y[i]) : atan2l(x[i], y[i]),
                   options.keeps_denormals);
      }
    }
    Report(opcode, name, worst);
  }
}

}  // namespace

void CheckMathOfSingles(const MathCompile& compile, const MathErrorOptions& options) {
  for (const Function& function : Functions()) {
    if (!options.only.empty() && options.only != HloOpcodeName(function.opcode)) continue;
    const MathRun run = compile(MakeKernel(function.opcode, F32, 1));
    if (run == nullptr) continue;
    std::vector<float> x(kChunk);
    std::vector<float> z(kChunk);
    Worst<float> worst;
    for (uint64_t bits = 0; bits < (uint64_t{1} << 32);) {
      for (float& value : x) {
        const uint32_t pattern = static_cast<uint32_t>(bits);
        std::memcpy(&value, &pattern, sizeof(value));
        bits += static_cast<uint64_t>(options.every);
      }
      run(x.data(), x.data(), z.data());
      for (int64_t i = 0; i < kChunk; ++i) {
        if (IsSame(z[i], static_cast<float>(function.near(x[i])))) continue;
        worst.Take(x[i], 0, z[i], function.value(x[i]), options.keeps_denormals);
      }
    }
    Report(function.opcode, "f32", worst);
  }
}

void CheckMathOfDoubles(const MathCompile& compile, const MathErrorOptions& options) {
  for (const Function& function : Functions()) {
    if (!options.only.empty() && options.only != HloOpcodeName(function.opcode)) continue;
    const MathRun run = compile(MakeKernel(function.opcode, F64, 1));
    if (run == nullptr) continue;
    std::vector<double> x(kChunk);
    std::vector<double> z(kChunk);
    Worst<double> worst;
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> near_one(-2, 2);
    std::uniform_real_distribution<double> wide(-750, 750);
    std::uniform_int_distribution<int> exponent(-60, 34);
    for (int64_t round = 0; round < options.double_rounds; ++round) {
      for (size_t i = 0; i < x.size(); ++i) {
        x[i] = RandomBits<double>(random);
        if (i % 4 == 1) x[i] = near_one(random);
        if (i % 4 == 2) x[i] = wide(random);
        if (i % 4 == 3) x[i] = std::ldexp(near_one(random), exponent(random));
      }
      if (round == 0) std::copy_n(Corners<double>().data(), Corners<double>().size(), x.data());
      run(x.data(), x.data(), z.data());
      for (int64_t i = 0; i < kChunk; ++i) worst.Take(x[i], 0, z[i], function.value(x[i]), options.keeps_denormals);
    }
    Report(function.opcode, "f64", worst);
  }
}

void CheckMathOfPairs(const MathCompile& compile, const MathErrorOptions& options) {
  CheckPairsOf<float>(F32, "f32", compile, options);
  CheckPairsOf<double>(F64, "f64", compile, options);
}

}  // namespace xla
