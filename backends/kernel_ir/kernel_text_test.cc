#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "backends/kernel_ir/kernel.h"
#include "backends/kernel_ir/kernel_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using Use = KernelBuffer::Use;
using Values = KernelBuilder::Values;

// Everything that there is.
Kernel MakeLargeKernel() {
  KernelBuilder b("large");
  const int row = b.AddScratch("row", F32, 32);
  const int x = b.AddBuffer("x", F32, 1024, Use::kRead);
  const int n = b.AddBuffer("n", S32, 1, Use::kReadWrite);
  const int z = b.AddBuffer("z", F32, 1024, Use::kWrite, x);
  const KernelValue none = kNoValue;
  b.Phase(32, [&](KernelValue t) {
    const KernelValue zero = b.Constant(Literal::Scalar<float>(0));
    const KernelValue sum = b.Reduce(
        {4, 8}, 4, {zero}, {zero},
        [&](absl::Span<const KernelValue> i) {
          return Values{b.Load(x, b.Affine({{32, t}, {8, i[0]}, {1, i[1]}}))};
        },
        [&](absl::Span<const KernelValue> l, absl::Span<const KernelValue> r) {
          return Values{b.Binary(HloOpcode::kAdd, l[0], r[0])};
        })[0];
    b.For(b.Index(32), LoopSchedule::kVector, true, [&](KernelValue i) {
      const KernelValue before = b.Affine({{32, t}, {1, i}}, -1);
      const KernelValue v = b.Load(x, before, b.InRange(before, 0, 1023), sum);
      const KernelValue rounded =
          b.Select(b.Compare(ComparisonDirection::kLt, v, sum, true), v, b.Unary(HloOpcode::kExp, v));
      b.Store(row, i, rounded, b.InRange(i, 3, 30));
    });
    const KernelValue count = b.AsIndex(b.Load(n, b.Index(0)), 0, 32);
    const Values last = b.ForWithState(count, {zero, count}, [&](KernelValue i, absl::Span<const KernelValue> state) {
      const KernelValue e = b.Remainder(state[1], 31);
      return Values{b.Binary(HloOpcode::kMaximum, state[0], b.Load(row, e)), b.Affine({{1, b.Quotient(e, 2)}, {1, i}})};
    });
    const Values chosen = b.If(
        b.InRange(t, 0, 7), [&] { return Values{last[0]}; }, [&] { return Values{sum}; });
    const Values grown = b.While(
        chosen,
        [&](absl::Span<const KernelValue> state) {
          return b.Compare(ComparisonDirection::kLt, state[0], b.Constant(Literal::Scalar<float>(100)));
        },
        [&](absl::Span<const KernelValue> state) { return Values{b.Binary(HloOpcode::kAdd, state[0], state[0])}; });
    b.Store(z, b.Affine({{32, t}}), grown[0], none);
  });
  b.Phase(1, [&](KernelValue) {
    b.For(b.Index(2), LoopSchedule::kUnroll, false, [&](KernelValue i) { b.Store(n, b.Index(0), b.Convert(i, S32)); });
  });
  return std::move(b).Finish();
}

TEST(KernelText, ShowsEverything) {
  const Kernel kernel = MakeLargeKernel();
  EXPECT_TRUE(VerifyKernel(kernel).ok()) << VerifyKernel(kernel);
  EXPECT_EQ(KernelToString(kernel), R"(kernel large(x: f32[1024] read, n: s32[1] read write, z: f32[1024] write of x) {
  row: f32[32] scratch
  phase tiles=32 (%0: s64) {
    %1 = constant f32 0
    reduce %2 in 0..4, %3 in 0..8 from %1 lanes 4 of %1 {
      %4 = load f32 x[32*%0 + 8*%2 + %3]
      yield %4
    } combine %5: f32, %6: f32 {
      %7 = add f32 %5, %6
      yield %7
    }
    -> %8: f32
    for %9 in 0..32 independent vector {
      %10 = affine 32*%0 + %9 - 1
      %11 = in-range 0 <= %10 <= 1023
      %12 = load f32 x[%10] if %11 else %8
      %13 = exponential f32 %12
      %14 = compare pred %12, %8, LT, total order
      %15 = select f32 %14, %12, %13
      %16 = in-range 3 <= %9 <= 30
      store row[%9], %15 if %16
    }
    %17 = load s32 n[0]
    %18 = convert s64 %17
    for %19 in 0..%18 with %20: f32 = %1, %21: s64 = %18 {
      %22 = remainder %21 mod 31
      %23 = load f32 row[%22]
      %24 = maximum f32 %20, %23
      %25 = quotient %22 / 2
      %26 = affine %19 + %25
      yield %24, %26
    }
    -> %27: f32, %28: s64
    %29 = in-range 0 <= %0 <= 7
    if %29 {
      yield %27
    } else {
      yield %8
    }
    -> %30: f32
    while %31: f32 = %30 {
      %32 = constant f32 100
      %33 = compare pred %31, %32, LT
      yield %33
    } do %34: f32 {
      %35 = add f32 %34, %34
      yield %35
    }
    -> %36: f32
    store z[32*%0], %36
  }
  phase tiles=1 (%37: s64) {
    for %38 in 0..2 unroll {
      %39 = convert s32 %38
      store n[0], %39
    }
  }
}
)");
}

TEST(KernelText, IsTheSameForKernelsThatDifferInNamesOnly) {
  Kernel kernel = MakeLargeKernel();
  const std::string text = AnonymousKernelToString(kernel);
  EXPECT_THAT(text, testing::StartsWith("kernel (b#0: f32[1024] read, b#1: s32[1] read write, "
                                        "b#2: f32[1024] write of b#0) {\n  b#3: f32[32] scratch\n"));
  kernel.name = "other";
  for (KernelBuffer& buffer : kernel.buffers) buffer.name += "2";
  EXPECT_EQ(AnonymousKernelToString(kernel), text);
  kernel.phases[0].body.instructions[0].literal = Literal::Scalar<float>(-0.0f);
  EXPECT_NE(AnonymousKernelToString(kernel), text);
}

TEST(KernelText, TellsBuffersOfEqualNamesApart) {
  KernelBuilder b("k");
  b.AddBuffer("x", F32, 1, Use::kRead);
  b.AddBuffer("x", F32, 1, Use::kRead);
  b.AddBuffer("", F32, 1, Use::kRead);
  EXPECT_EQ(KernelToString(std::move(b).Finish()),
            "kernel k(x: f32[1] read, x#1: f32[1] read, #2: f32[1] read) {\n}\n");
}

// Whatever two different scalars of a type are, they print differently.
TEST(KernelText, ShowsAllBitsOfConstants) {
  const auto print = [](PrimitiveType type, uint64_t low, uint64_t high) {
    KernelBuilder b("k");
    const int z = b.AddBuffer("z", type, 1, Use::kWrite);
    const uint64_t words[] = {low, high};
    b.Phase(1, [&](KernelValue) { b.Store(z, b.Index(0), b.Constant(Literal::ScalarOf(type, words))); });
    return KernelToString(std::move(b).Finish());
  };
  const std::vector<uint64_t> some32 = {0,          1,          0x7f800000, 0xff800000, 0x7fc00000, 0x7fc00001,
                                        0x7f800001, 0xffc00000, 0x80000000, 0x3f800000, 0x3f800001, 0x80000001};
  const std::vector<uint64_t> some64 = {0,
                                        1,
                                        0x7ff0000000000000,
                                        0x7ff8000000000000,
                                        0x7ff8000000000001,
                                        0x7ff0000000000001,
                                        0xfff8000000000000,
                                        0x8000000000000000,
                                        0x3ff0000000000000,
                                        0x3ff0000000000001};
  for (int number = 0; number < kNumPrimitiveTypes; ++number) {
    const PrimitiveType type = static_cast<PrimitiveType>(number);
    if (!IsArrayType(type)) continue;
    std::vector<std::string> texts;
    if (type == PRED) {
      texts = {print(type, 0, 0), print(type, 1, 0)};
    } else if (BitWidth(type) <= 8 && IsSignedInt(type)) {
      const int64_t least = -(int64_t{1} << (BitWidth(type) - 1));
      for (int64_t bits = least; bits < -least; ++bits) texts.push_back(print(type, bits, 0));
    } else if (BitWidth(type) <= 8) {
      for (uint64_t bits = 0; bits < uint64_t{1} << BitWidth(type); ++bits) texts.push_back(print(type, bits, 0));
    } else if (BitWidth(type) == 16) {
      for (uint64_t bits = 0; bits < 1 << 16; bits += 1 + bits % 211) texts.push_back(print(type, bits, 0));
    } else if (type == C64) {
      for (const uint64_t re : some32) {
        for (const uint64_t im : some32) texts.push_back(print(type, re | im << 32, 0));
      }
    } else if (type == C128) {
      for (const uint64_t re : some64) {
        for (const uint64_t im : some64) texts.push_back(print(type, re, im));
      }
    } else {
      for (const uint64_t bits : BitWidth(type) == 32 ? some32 : some64) texts.push_back(print(type, bits, 0));
    }
    const size_t count = texts.size();
    std::sort(texts.begin(), texts.end());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    EXPECT_EQ(texts.size(), count) << PrimitiveTypeName(type);
  }
}

TEST(KernelText, ShowsWorkgroups) {
  KernelBuilder b("k");
  const int x = b.AddBuffer("x", F32, 64, Use::kReadWrite);
  b.Phase(2, [&](KernelValue t) {
    b.For(b.Index(32), LoopSchedule::kInvocations, true, [&](KernelValue i) {
      b.Store(x, b.Affine({{32, t}, {1, i}}), b.Constant(Literal::Scalar<float>(1)));
    });
  });
  Kernel kernel = std::move(b).Finish();
  kernel.phases[0].invocations = 32;
  kernel.phases[0].body.instructions.emplace_back().op = KernelOp::kBarrier;
  EXPECT_EQ(KernelToString(kernel), R"(kernel k(x: f32[64] read write) {
  phase tiles=2 invocations=32 (%0: s64) {
    for %1 in 0..32 independent invocations {
      %2 = constant f32 1
      store x[32*%0 + %1], %2
    }
    barrier
  }
}
)");
}

}  // namespace
}  // namespace xla
