#include "backends/kernel_ir/kernel_builder.h"

#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "backends/kernel_ir/kernel_interpreter.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using Use = KernelBuffer::Use;
using Values = KernelBuilder::Values;
using IndexExpression = std::function<KernelValue(KernelBuilder&, KernelValue t, KernelValue i, KernelValue j)>;

// The lines that are left of an index made of a tile number t < 1000, i < 4 and j < 8, which print as %0, %1 and %2,
// and of the store to it.
std::string Simplified(const IndexExpression& expression) {
  KernelBuilder b("k");
  const int z = b.AddBuffer("z", S64, 1 << 20, Use::kWrite);
  b.Phase(1000, [&](KernelValue t) {
    b.For(b.Index(4), LoopSchedule::kPlain, true, [&](KernelValue i) {
      b.For(b.Index(8), LoopSchedule::kPlain, true,
            [&](KernelValue j) { b.Store(z, expression(b, t, i, j), expression(b, t, i, j)); });
    });
  });
  const std::string text = KernelToString(std::move(b).Finish());
  std::string lines;
  const std::string head = "      for %2 in 0..8 independent {\n";
  for (size_t at = text.find(head) + head.size(); text.compare(at, 7, "      }") != 0; at = text.find('\n', at) + 1) {
    const size_t begin = at + 8;
    lines += (lines.empty() ? "" : "; ") + text.substr(begin, text.find('\n', at) - begin);
  }
  return lines;
}

TEST(KernelBuilder, MakesOneSumOfSumsOfSums) {
  EXPECT_EQ(Simplified([](KernelBuilder& b, KernelValue t, KernelValue i, KernelValue j) {
              return b.Affine({{8, b.Affine({{4, t}, {1, i}}, 2)}, {1, j}}, 1);
            }),
            "%3 = affine 32*%0 + 8*%1 + %2 + 17; store z[%3], %3");
  EXPECT_EQ(Simplified([](KernelBuilder& b, KernelValue t, KernelValue i, KernelValue) {
              return b.Affine({{1, t}, {2, b.Affine({{-1, i}}, 3)}, {2, i}});
            }),
            "%3 = affine %0 + 6; store z[%3], %3");
  EXPECT_EQ(Simplified([](KernelBuilder& b, KernelValue, KernelValue i, KernelValue) {
              return b.Affine({{1, i}, {-1, b.Affine({{1, i}}, -5)}});
            }),
            "%3 = constant s64 5; store z[%3], %3");
}

TEST(KernelBuilder, TakesMultiplesOfTheDivisorOutOfAQuotient) {
  EXPECT_EQ(Simplified([](KernelBuilder& b, KernelValue t, KernelValue, KernelValue j) {
              return b.Quotient(b.Affine({{8, t}, {1, j}}), 8);
            }),
            "store z[%0], %0");
  EXPECT_EQ(Simplified([](KernelBuilder& b, KernelValue t, KernelValue i, KernelValue j) {
              return b.Quotient(b.Affine({{16, t}, {2, j}, {1, i}}, 8), 8);
            }),
            "%3 = affine %1 + 2*%2; %4 = quotient %3 / 8; %5 = affine 2*%0 + %4 + 1; store z[%5], %5");
}

TEST(KernelBuilder, DividesByCommonFactors) {
  EXPECT_EQ(Simplified([](KernelBuilder& b, KernelValue t, KernelValue i, KernelValue) {
              return b.Quotient(b.Affine({{4, t}, {1, i}}), 8);
            }),
            "%3 = quotient %0 / 2; store z[%3], %3");
  EXPECT_EQ(Simplified([](KernelBuilder& b, KernelValue t, KernelValue i, KernelValue) {
              return b.Remainder(b.Affine({{4, t}, {1, i}}), 8);
            }),
            "%3 = remainder %0 mod 2; %4 = affine %1 + 4*%3; store z[%4], %4");
}

TEST(KernelBuilder, DropsDivisionsThatChangeNothing) {
  EXPECT_EQ(Simplified([](KernelBuilder& b, KernelValue, KernelValue i, KernelValue) { return b.Remainder(i, 4); }),
            "store z[%1], %1");
  EXPECT_EQ(Simplified([](KernelBuilder& b, KernelValue, KernelValue i, KernelValue) { return b.Quotient(i, 4); }),
            "%3 = constant s64 0; store z[%3], %3");
  EXPECT_EQ(Simplified([](KernelBuilder& b, KernelValue t, KernelValue, KernelValue) {
              return b.Remainder(b.Remainder(t, 24), 8);
            }),
            "%3 = remainder %0 mod 8; store z[%3], %3");
  EXPECT_EQ(Simplified([](KernelBuilder& b, KernelValue t, KernelValue, KernelValue) {
              return b.Quotient(b.Quotient(t, 24), 8);
            }),
            "%3 = quotient %0 / 192; store z[%3], %3");
}

TEST(KernelBuilder, RoundsDownWhatMayBeNegative) {
  EXPECT_EQ(Simplified([](KernelBuilder& b, KernelValue t, KernelValue, KernelValue) {
              return b.Affine({{1, b.Quotient(b.Affine({{1, t}}, -3), 2)}}, 2);
            }),
            "%3 = affine %0 + 1; %4 = quotient %3 / 2; store z[%4], %4");
}

TEST(KernelBuilder, PutsNumbersTogetherAgain) {
  EXPECT_EQ(Simplified([](KernelBuilder& b, KernelValue t, KernelValue, KernelValue) {
              return b.Affine({{21, b.Quotient(t, 21)}, {7, b.Remainder(b.Quotient(t, 7), 3)}, {1, b.Remainder(t, 7)}});
            }),
            "store z[%0], %0");
  // What the reshape of [1000, 4, 8] to [2000, 2, 8] addresses.
  EXPECT_EQ(Simplified([](KernelBuilder& b, KernelValue t, KernelValue i, KernelValue j) {
              const KernelValue e = b.Affine({{32, t}, {8, i}, {1, j}});
              return b.Affine({{16, b.Quotient(e, 16)}, {8, b.Remainder(b.Quotient(e, 8), 2)}, {1, b.Remainder(e, 8)}});
            }),
            "%3 = affine 32*%0 + 8*%1 + %2; store z[%3], %3");
}

TEST(KernelBuilder, FollowsIntegerArithmetic) {
  EXPECT_EQ(Simplified([](KernelBuilder& b, KernelValue, KernelValue i, KernelValue j) {
              const KernelValue narrow = b.Binary(HloOpcode::kAdd, b.Convert(i, S8), b.Convert(j, S8));
              return b.AsIndex(b.Binary(HloOpcode::kMultiply, narrow, b.Constant(Literal::Scalar<int8_t>(3))), 0, 99);
            }),
            "%3 = affine 3*%1 + 3*%2; store z[%3], %3");
  // The sum may wrap around.
  EXPECT_THAT(Simplified([](KernelBuilder& b, KernelValue t, KernelValue i, KernelValue) {
                return b.AsIndex(b.Binary(HloOpcode::kAdd, b.Convert(t, S8), b.Convert(i, S8)), 0, 99);
              }),
              testing::HasSubstr("add s8"));
}

TEST(KernelBuilder, FollowsClampedNumbers) {
  KernelBuilder b("k");
  const int x = b.AddBuffer("x", S32, 1, Use::kRead);
  b.Phase(1, [&](KernelValue) {
    const auto number = [&](int32_t n) { return b.Constant(Literal::Scalar<int32_t>(n)); };
    const KernelValue loaded = b.Load(x, b.Index(0));
    EXPECT_EQ(b.RangeOf(loaded), std::make_pair(int64_t{-2147483648}, int64_t{2147483647}));
    const KernelValue clamped =
        b.Binary(HloOpcode::kMinimum, b.Binary(HloOpcode::kMaximum, loaded, number(2)), number(5));
    EXPECT_EQ(b.RangeOf(b.AsIndex(clamped, 0, 100)), std::make_pair(int64_t{2}, int64_t{5}));
    const KernelValue claimed = b.AsIndex(loaded, 0, 9);
    EXPECT_EQ(b.RangeOf(claimed), std::make_pair(int64_t{0}, int64_t{9}));
    EXPECT_EQ(b.InRange(claimed, 0, 9), kNoValue);
    EXPECT_EQ(b.Remainder(claimed, 10), claimed);
  });
}

TEST(KernelBuilder, ProvesRanges) {
  KernelBuilder b("k");
  b.Phase(10, [&](KernelValue t) {
    EXPECT_EQ(b.InRange(t, 0, 9), kNoValue);
    EXPECT_EQ(b.InRange(b.Affine({{-2, t}}, 18), 0, 18), kNoValue);
    const KernelValue never = b.InRange(t, 10, 20);
    EXPECT_EQ(b.And(never, b.InRange(t, 0, 4)), never);
    EXPECT_EQ(b.And(kNoValue, never), never);
    EXPECT_EQ(b.And(kNoValue, kNoValue), kNoValue);
    EXPECT_EQ(b.InRange(b.Affine({{3, t}}, -4), 0, 12), b.InRange(t, 2, 5));
    EXPECT_EQ(b.InRange(b.Affine({{-3, t}}, 20), 0, 12), b.InRange(t, 3, 6));
    EXPECT_EQ(b.Select(never, t, b.Index(3)), b.Index(3));
  });
}

TEST(KernelBuilder, LeavesOutWhatNobodyUses) {
  KernelBuilder b("k");
  const int s = b.AddScratch("s", F32, 8);
  const int x = b.AddBuffer("x", F32, 16, Use::kRead);
  const int z = b.AddBuffer("z", F32, 16, Use::kWrite);
  b.Phase(1, [&](KernelValue tile) {
    EXPECT_EQ(b.ConstantIndex(tile), 0);
    b.Load(x, b.Index(3));
    b.For(b.Index(16), LoopSchedule::kPlain, false, [&](KernelValue i) { b.Load(x, i); });
    b.For(b.Index(0), LoopSchedule::kPlain, false, [&](KernelValue i) { b.Store(z, i, b.Load(x, i)); });
    b.If(
        b.InRange(tile, 0, 0), [&] { return Values(); }, [&] { return Values{b.Load(x, b.Index(0))}; });
    b.For(b.Index(1), LoopSchedule::kPlain, false, [&](KernelValue i) { b.Store(s, i, b.Load(x, i)); });
    b.Store(z, b.Index(2), b.Load(s, b.Index(0)), b.InRange(tile, 0, 7));
    b.Store(z, b.Index(2), b.Load(s, b.Index(0)), b.InRange(tile, 1, 7));
  });
  EXPECT_EQ(KernelToString(std::move(b).Finish()), R"(kernel k(x: f32[16] read, z: f32[16] write) {
  s: f32[8] scratch
  phase tiles=1 (%0: s64) {
    %1 = load f32 x[0]
    store s[0], %1
    %2 = load f32 s[0]
    store z[2], %2
  }
}
)");
}

TEST(KernelBuilder, PutsScratchBehindTheCallersBuffers) {
  KernelBuilder b("k");
  b.AddScratch("s", F64, 9);
  b.AddBuffer("x", F32, 16, Use::kRead);
  b.AddScratch("t", U8, 1);
  const int y = b.AddBuffer("y", F32, 16, Use::kReadWrite);
  b.AddBuffer("z", F32, 16, Use::kWrite, y);
  const Kernel kernel = std::move(b).Finish();
  std::string names;
  for (const KernelBuffer& buffer : kernel.buffers) names += buffer.name;
  EXPECT_EQ(names, "xyzst");
  EXPECT_EQ(kernel.buffers[2].same_memory_as, 1);
  EXPECT_EQ(kernel.CallerBufferCount(), 3);
  EXPECT_EQ(kernel.ScratchOffset(3), 0);
  EXPECT_EQ(kernel.ScratchOffset(4), 128);
  EXPECT_EQ(kernel.ScratchBytes(), 192);
}

TEST(KernelBuilder, DropsStateThatServesOnlyItself) {
  KernelBuilder b("k");
  const int x = b.AddBuffer("x", S32, 1, Use::kRead);
  const int z = b.AddBuffer("z", S32, 1, Use::kWrite);
  const auto one = [&] { return b.Constant(Literal::Scalar<int32_t>(1)); };
  const auto add = [&](KernelValue l, KernelValue r) { return b.Binary(HloOpcode::kAdd, l, r); };
  b.Phase(1, [&](KernelValue) {
    const KernelValue start = b.Load(x, b.Index(0));
    // A counter that nothing reads; two that only take each other; one that another needs; and what is asked for.
    const Values loop = b.ForWithState(b.Index(9), {start, start, start, start, start},
                              [&](KernelValue, absl::Span<const KernelValue> s) {
                                return Values{add(s[0], one()), s[2], s[1], add(s[3], one()), add(s[4], s[3])};
                              });
    // The condition needs what the result does not.
    const Values turns = b.While(
        {loop[4], start, start},
        [&](absl::Span<const KernelValue> s) {
          return b.Compare(ComparisonDirection::kLt, s[1], one());
        },
        [&](absl::Span<const KernelValue> s) {
          return Values{add(s[0], s[0]), add(s[1], one()), add(s[2], one())};
        });
    b.Store(z, b.Index(0), turns[0]);
  });
  EXPECT_EQ(KernelToString(std::move(b).Finish()), R"(kernel k(x: s32[1] read, z: s32[1] write) {
  phase tiles=1 (%0: s64) {
    %1 = load s32 x[0]
    for %2 in 0..9 with %3: s32 = %1, %4: s32 = %1 {
      %5 = constant s32 1
      %6 = add s32 %3, %5
      %7 = add s32 %4, %3
      yield %6, %7
    }
    -> %8: s32, %9: s32
    while %10: s32 = %9, %11: s32 = %1 {
      %12 = constant s32 1
      %13 = compare pred %11, %12, LT
      yield %13
    } do %14: s32, %15: s32 {
      %16 = add s32 %14, %14
      %17 = constant s32 1
      %18 = add s32 %15, %17
      yield %16, %18
    }
    -> %19: s32, %20: s32
    store z[0], %19
  }
}
)");
}

TEST(KernelBuilder, DropsExtentsOfOneThatSayNothing) {
  KernelBuilder b("k");
  const int x = b.AddBuffer("x", F32, 6, Use::kRead);
  const int z = b.AddBuffer("z", F32, 1, Use::kWrite);
  const auto sum = [&](absl::Span<const int64_t> extents, int64_t lanes) {
    const KernelValue zero = b.Constant(Literal::Scalar<float>(0));
    return b.Reduce(
        extents, lanes, {zero}, lanes == 1 ? Values() : Values{zero},
        [&](absl::Span<const KernelValue> i) {
          return Values{b.Load(x, b.Affine({{3, i[1]}, {1, i[2]}}))};
        },
        [&](absl::Span<const KernelValue> l, absl::Span<const KernelValue> r) {
          return Values{b.Binary(HloOpcode::kAdd, l[0], r[0])};
        })[0];
  };
  b.Phase(1, [&](KernelValue) {
    b.Store(z, b.Index(0), sum({1, 2, 1}, 1));
    b.Store(z, b.Index(0), sum({1, 2, 1}, 4));
    b.Store(z, b.Index(0), sum({1, 1, 1}, 1));
    b.Store(z, b.Index(0), sum({1, 0, 1}, 1));
  });
  EXPECT_EQ(KernelToString(std::move(b).Finish()), R"(kernel k(x: f32[6] read, z: f32[1] write) {
  phase tiles=1 (%0: s64) {
    %1 = constant f32 0
    reduce %2 in 0..2 from %1 {
      %3 = load f32 x[3*%2]
      yield %3
    } combine %4: f32, %5: f32 {
      %6 = add f32 %4, %5
      yield %6
    }
    -> %7: f32
    store z[0], %7
    reduce %8 in 0..2, %9 in 0..1 from %1 lanes 4 of %1 {
      %10 = load f32 x[3*%8]
      yield %10
    } combine %11: f32, %12: f32 {
      %13 = add f32 %11, %12
      yield %13
    }
    -> %14: f32
    store z[0], %14
    %15 = load f32 x[0]
    %16 = add f32 %1, %15
    store z[0], %16
    store z[0], %1
  }
}
)");
}

// An index of random sums, quotients and remainders, and its number, which the builder does not see.
struct Numbered {
  KernelValue value;
  int64_t number;
};

int64_t Floor(int64_t x, int64_t divisor) { return x >= 0 ? x / divisor : -((-x + divisor - 1) / divisor); }

TEST(KernelBuilder, NeverChangesANumber) {
  std::mt19937 random(1);
  const auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int round = 0; round < 300; ++round) {
    constexpr int kTiles = 7, kLoop = 12;
    // The same sequence of choices for all values of t and i, of which the kernel knows nothing but the ranges.
    const unsigned seed = random();
    std::vector<int64_t> want;
    KernelBuilder b("k");
    const int z = b.AddBuffer("z", S64, kTiles * kLoop * 4, Use::kWrite);
    const auto grow = [&](Numbered t, Numbered i, bool emit) {
      random.seed(seed);
      std::vector<Numbered> made = {t, i};
      for (int n = 0; n < 8; ++n) {
        const Numbered x = made[pick(0, made.size() - 1)], y = made[pick(0, made.size() - 1)];
        const int64_t constants[] = {1, 2, 3, 4, 6, 8, 12, 24};
        const int64_t c = constants[pick(0, 7)], d = constants[pick(0, 7)], k = pick(-9, 9), sign = pick(0, 4) ? 1 : -1;
        switch (pick(0, 3)) {
          case 0:
            made.push_back({emit ? b.Quotient(x.value, c) : 0, Floor(x.number, c)});
            break;
          case 1:
            made.push_back({emit ? b.Remainder(x.value, c) : 0, x.number - c * Floor(x.number, c)});
            break;
          default:
            made.push_back(
                {emit ? b.Affine({{c, x.value}, {sign * d, y.value}}, k) : 0, c * x.number + sign * d * y.number + k});
        }
      }
      return std::vector<Numbered>(made.end() - 4, made.end());
    };
    b.Phase(kTiles, [&](KernelValue t) {
      b.For(b.Index(kLoop), LoopSchedule::kPlain, true, [&](KernelValue i) {
        const std::vector<Numbered> made = grow({t, 0}, {i, 0}, true);
        for (int64_t n = 0; n < 4; ++n) b.Store(z, b.Affine({{4 * kLoop, t}, {4, i}}, n), made[n].value);
      });
    });
    for (int64_t t = 0; t < kTiles; ++t) {
      for (int64_t i = 0; i < kLoop; ++i) {
        for (const Numbered& made : grow({0, t}, {0, i}, false)) want.push_back(made.number);
      }
    }
    const Kernel kernel = std::move(b).Finish();
    Literal got = Literal::FromValues<int64_t>({static_cast<int64_t>(want.size())}, want);
    std::memset(got.untyped_mutable_data(), 0, got.size_bytes());
    const absl::Status status = RunKernelOnArrays(kernel, absl::MakeSpan(&got, 1));
    ASSERT_TRUE(status.ok()) << status << "\n" << KernelToString(kernel);
    ASSERT_THAT(got.span<int64_t>(), testing::ElementsAreArray(want)) << KernelToString(kernel);
  }
}

TEST(KernelBuilder, NotesWhatIsNarrow) {
  KernelBuilder b("k");
  const int x = b.AddBuffer("x", S64, int64_t{1} << 33, Use::kReadWrite);
  b.Phase(4, [&](KernelValue tile) {
    b.For(b.Index(8), LoopSchedule::kPlain, true, [&](KernelValue i) {
      const KernelValue narrow = b.Affine({{8, tile}, {1, i}});
      b.Store(x, b.Affine({{int64_t{1} << 30, tile}, {1, i}}), b.Load(x, narrow));
    });
  });
  EXPECT_EQ(KernelToString(std::move(b).Finish(/*notes_narrow=*/true)), R"(kernel k(x: s64[8589934592] read write) {
  phase tiles=4 (%0:32: s64) {
    for %1:32 in 0..8 independent {
      %2 = load s64 x[8*%0 + %1]
      %3 = affine 1073741824*%0 + %1
      store x[%3], %2
    }
  }
}
)");
}

}  // namespace
}  // namespace xla
