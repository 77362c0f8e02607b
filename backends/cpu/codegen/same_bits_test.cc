// What is computed in another way where the processor has instructions for it gives the same bits everywhere: 2^n
// exp(r), and quotients by reciprocals.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "backends/cpu/codegen/kernel_compiler.h"
#include "backends/kernel_ir/kernel_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using Use = KernelBuffer::Use;

constexpr int64_t kCount = 20011;

// z[i] = op(x[i], y[0])
Kernel WithScalar(HloOpcode opcode, int arity) {
  KernelBuilder b("k");
  const int x = b.AddBuffer("x", F32, kCount, Use::kRead);
  const int y = b.AddBuffer("y", F32, 1, Use::kRead);
  const int z = b.AddBuffer("z", F32, kCount, Use::kWrite);
  b.Phase(1, [&](KernelValue) {
    const KernelValue scalar = b.Load(y, b.Index(0));
    b.For(b.Index(kCount), LoopSchedule::kVector, true, [&](KernelValue i) {
      const KernelValue value = b.Load(x, i);
      b.Store(z, i, arity == 1 ? b.Unary(opcode, value) : b.Binary(opcode, value, scalar));
    });
  });
  return std::move(b).Finish();
}

// Any bits, numbers of ordinary size, and around the edges of the range of exp.
std::vector<float> Numbers() {
  using Limits = std::numeric_limits<float>;
  std::mt19937 random(5);
  std::uniform_real_distribution<float> ordinary(-20, 20);
  std::uniform_real_distribution<float> edge(86, 106);
  std::vector<float> numbers = {0,
                                -0.0f,
                                1,
                                -1,
                                Limits::infinity(),
                                -Limits::infinity(),
                                Limits::quiet_NaN(),
                                Limits::max(),
                                Limits::min(),
                                -3,
                                3e-42,
                                -1e9,
                                1e-30,
                                Limits::denorm_min()};
  while (static_cast<int64_t>(numbers.size()) < kCount) {
    const uint32_t bits = random();
    float any;
    std::memcpy(&any, &bits, sizeof(any));
    const float wide = edge(random);
    numbers.insert(numbers.end(), {any, ordinary(random), bits % 2 == 0 ? wide : -wide});
  }
  numbers.resize(kCount);
  return numbers;
}

// NaNs are all alike.
std::vector<uint32_t> BitsOf(const std::vector<float>& numbers) {
  std::vector<uint32_t> bits;
  for (const float x : numbers) {
    bits.push_back(0x7fc00000);
    if (!std::isnan(x)) std::memcpy(&bits.back(), &x, sizeof(x));
  }
  return bits;
}

class OnProcessor {
 public:
  OnProcessor(const CodegenTarget& target, const Kernel& kernel) {
    auto compiler = KernelCompiler::Create(target, {});
    EXPECT_TRUE(compiler.ok()) << compiler.status();
    const Kernel* const kernels[] = {&kernel};
    auto compiled = (*compiler)->Compile(kernels, RunInOrder);
    EXPECT_TRUE(compiled.ok()) << compiled.status();
    compiled_ = *std::move(compiled);
  }
  std::vector<float> Run(std::vector<float> x, float scalar) const {
    std::vector<float> z(kCount);
    void* buffers[] = {x.data(), &scalar, z.data()};
    compiled_.Function(0, 0)(buffers, nullptr, 0, 1, &kNeverStop);
    return z;
  }

 private:
  CompiledKernels compiled_;
};

std::vector<CodegenTarget> Targets() {
  std::vector<CodegenTarget> targets;
  for (const CodegenTarget& target : {HostTarget(), Avx2Target(), BaselineTarget()}) {
    if (HostRuns(target)) targets.push_back(target);
  }
  return targets;
}

TEST(SameBits, OfFunctionsMadeOfExp) {
  const std::vector<float> numbers = Numbers();
  for (const HloOpcode opcode : {HloOpcode::kExp, HloOpcode::kTanh, HloOpcode::kErf, HloOpcode::kLogistic}) {
    const Kernel kernel = WithScalar(opcode, 1);
    std::vector<uint32_t> first;
    for (const CodegenTarget& target : Targets()) {
      const std::vector<uint32_t> bits = BitsOf(OnProcessor(target, kernel).Run(numbers, 0));
      if (first.empty()) first = bits;
      EXPECT_EQ(first, bits) << HloOpcodeName(opcode) << " on " << target.cpu;
    }
  }
}

TEST(SameBits, OfQuotientsByOneNumber) {
  using Limits = std::numeric_limits<float>;
  const std::vector<float> numbers = Numbers();
  const Kernel kernel = WithScalar(HloOpcode::kDivide, 2);
  std::vector<float> divisors = {
      1,      -3, 1024.0f / 3, 0x1.fffffep0f,      0x1.000002p0f,       0x1.8p40f,     0x1p-40f,
      7e-13f, 0,  -0.0f,       Limits::infinity(), Limits::quiet_NaN(), Limits::max(), Limits::denorm_min()};
  divisors.insert(divisors.end(), numbers.begin() + 20, numbers.begin() + 60);
  for (const CodegenTarget& target : Targets()) {
    const OnProcessor processor(target, kernel);
    for (const float divisor : divisors) {
      std::vector<float> want;
      for (const float x : numbers) want.push_back(x / divisor);
      EXPECT_EQ(BitsOf(want), BitsOf(processor.Run(numbers, divisor))) << "by " << divisor << " on " << target.cpu;
    }
  }
}

}  // namespace
}  // namespace xla
