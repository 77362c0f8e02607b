#include "backends/kernel_ir/kernel_interpreter.h"

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "backends/kernel_ir/kernel_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using testing::ElementsAre;
using Use = KernelBuffer::Use;
using Values = KernelBuilder::Values;

Literal Floats(std::vector<float> values) {
  return Literal::FromValues<float>({static_cast<int64_t>(values.size())}, absl::MakeConstSpan(values));
}

// Runs a kernel on x and z, both f32; the message of the error if there is one.
std::string RunOn(Literal& x, Literal& z, int64_t tiles, const std::function<void(KernelBuilder&, KernelValue)>& body,
                  KernelRunOptions options = {}) {
  KernelBuilder b("k");
  b.AddBuffer("x", F32, x.element_count(), Use::kRead);
  b.AddBuffer("z", F32, z.element_count(), Use::kWrite);
  b.AddScratch("s", F32, 8);
  b.Phase(tiles, [&](KernelValue tile) { body(b, tile); });
  const Kernel kernel = std::move(b).Finish();
  std::vector<Literal> arrays = {x, z};
  const absl::Status status = RunKernelOnArrays(kernel, absl::MakeSpan(arrays), options);
  z = arrays[1];
  return std::string(status.message());
}
constexpr int kX = 0, kZ = 1, kS = 2;

KernelValue Float(KernelBuilder& b, float value) { return b.Constant(Literal::Scalar<float>(value)); }

KernelValue Sum(KernelBuilder& b, absl::Span<const int64_t> extents, int64_t lanes, float initial,
                absl::FunctionRef<KernelValue(absl::Span<const KernelValue>)> element) {
  return b.Reduce(
      extents, lanes, {Float(b, initial)}, lanes == 1 ? Values() : Values{Float(b, 0)},
      [&](absl::Span<const KernelValue> i) { return Values{element(i)}; },
      [&](absl::Span<const KernelValue> l, absl::Span<const KernelValue> r) {
        return Values{b.Binary(HloOpcode::kAdd, l[0], r[0])};
      })[0];
}

TEST(KernelInterpreter, RunsPhasesTilesAndLoops) {
  KernelBuilder b("k");
  const int x = b.AddBuffer("x", S32, 6, Use::kRead);
  const int z = b.AddBuffer("z", S32, 6, Use::kWrite);
  const int s = b.AddScratch("s", S32, 3);
  b.Phase(2, [&](KernelValue t) {
    b.For(b.Index(3), LoopSchedule::kVector, true, [&](KernelValue i) {
      b.Store(s, i, b.Binary(HloOpcode::kMultiply, b.Load(x, b.Affine({{3, t}, {1, i}})), b.Convert(t, S32)));
    });
    b.For(b.Index(3), LoopSchedule::kVector, true, [&](KernelValue i) {
      b.Store(z, b.Affine({{3, t}, {1, i}}), b.Load(s, b.Affine({{-1, i}}, 2)));
    });
  });
  b.Phase(1, [&](KernelValue) { b.Store(z, b.Index(0), b.Unary(HloOpcode::kNegate, b.Load(z, b.Index(4)))); });
  const Kernel kernel = std::move(b).Finish();
  std::vector<Literal> arrays = {Literal::Vector<int32_t>({1, 2, 3, 4, 5, 6}), *Literal::Zeros(Shape::Array(S32, {6}))};
  KernelRunOptions options;
  options.check_independence = true;
  EXPECT_EQ(RunKernelOnArrays(kernel, absl::MakeSpan(arrays), options), absl::OkStatus());
  EXPECT_THAT(arrays[1].span<int32_t>(), ElementsAre(-5, 0, 0, 6, 5, 4));
}

TEST(KernelInterpreter, RoundsAMultiplyAddOnce) {
  // The product is 1 - 2^-46, which no f32 is.
  Literal x = Floats({1 + 0x1p-23F, 1 - 0x1p-23F, -1});
  Literal z = Floats({0, 0});
  EXPECT_EQ(RunOn(x, z, 1,
                  [](KernelBuilder& b, KernelValue) {
                    const KernelValue v[] = {b.Load(kX, b.Index(0)), b.Load(kX, b.Index(1)), b.Load(kX, b.Index(2))};
                    b.Store(kZ, b.Index(0), b.MultiplyAdd(v[0], v[1], v[2]));
                    b.Store(kZ, b.Index(1),
                            b.Binary(HloOpcode::kAdd, b.Binary(HloOpcode::kMultiply, v[0], v[1]), v[2]));
                  }),
            "");
  EXPECT_THAT(z.span<float>(), ElementsAre(-0x1p-46F, 0));
}

// Numbers of very different size tell in which order they were added.
TEST(KernelInterpreter, AddsInTheOrderThatTheKernelSays) {
  constexpr float kBig = 1 << 24;  // adding 1 changes nothing
  Literal x = Floats({kBig, 1, -kBig, 1, 1});
  Literal z = Floats({0, 0, 0, 0});
  const auto load = [](KernelBuilder& b) { return [&b](absl::Span<const KernelValue> i) { return b.Load(kX, i[0]); }; };
  EXPECT_EQ(RunOn(x, z, 1,
                  [&](KernelBuilder& b, KernelValue) {
                    b.Store(kZ, b.Index(0), Sum(b, {5}, 1, 0, load(b)));
                    b.Store(kZ, b.Index(1), Sum(b, {5}, 2, 0, load(b)));
                    b.Store(kZ, b.Index(2), Sum(b, {5}, 4, 0, load(b)));
                    b.Store(kZ, b.Index(3), Sum(b, {5}, 1, 1, load(b)));
                  }),
            "");
  // One lane: (((big + 1) - big) + 1) + 1. Two: (big - big + 1) + (1 + 1). Four: lanes big + 1, 1, -big, 1, of which
  // the first takes in the third. One lane after an initial 1: as without, because it is lost in big.
  EXPECT_THAT(z.span<float>(), ElementsAre(2, 3, 2, 2));
}

TEST(KernelInterpreter, GivesEachRowOfAReductionTheSameLanes) {
  constexpr float kBig = 1 << 24;
  // Rows of three, with two lanes: element 2 of a row goes to the first lane, whatever the row.
  Literal x = Floats({kBig, 1, 0, -kBig, 1, 0});
  Literal z = Floats({0});
  EXPECT_EQ(RunOn(x, z, 1,
                  [&](KernelBuilder& b, KernelValue) {
                    b.Store(kZ, b.Index(0), Sum(b, {2, 3}, 2, 0, [&](absl::Span<const KernelValue> i) {
                              return b.Load(kX, b.Affine({{3, i[0]}, {1, i[1]}}));
                            }));
                  }),
            "");
  EXPECT_THAT(z.span<float>(), ElementsAre(2));
}

TEST(KernelInterpreter, ReducesSeveralValuesAtOnce) {
  // The largest number and where it is first.
  Literal x = Floats({3, 9, 2, 9, 1});
  Literal z = Floats({0, 0});
  EXPECT_EQ(RunOn(x, z, 1,
                  [&](KernelBuilder& b, KernelValue) {
                    const Values best = b.Reduce(
                        {5}, 1, {Float(b, -1), b.Index(-1)}, {},
                        [&](absl::Span<const KernelValue> i) {
                          return Values{b.Load(kX, i[0]), i[0]};
                        },
                        [&](absl::Span<const KernelValue> l, absl::Span<const KernelValue> r) {
                          const KernelValue keep = b.Compare(ComparisonDirection::kGe, l[0], r[0]);
                          return Values{b.Select(keep, l[0], r[0]), b.Select(keep, l[1], r[1])};
                        });
                    b.Store(kZ, b.Index(0), best[0]);
                    b.Store(kZ, b.Index(1), b.Convert(best[1], F32));
                  }),
            "");
  EXPECT_THAT(z.span<float>(), ElementsAre(9, 1));
}

TEST(KernelInterpreter, RunsLoopsWithState) {
  Literal x = Floats({0});
  Literal z = Floats({0, 0});
  EXPECT_EQ(RunOn(x, z, 1,
                  [&](KernelBuilder& b, KernelValue) {
                    // The state changes places in each iteration.
                    const Values fibonacci = b.ForWithState(
                        b.Index(10), {Float(b, 0), Float(b, 1)}, [&](KernelValue, absl::Span<const KernelValue> s) {
                          return Values{s[1], b.Binary(HloOpcode::kAdd, s[0], s[1])};
                        });
                    b.Store(kZ, b.Index(0), fibonacci[0]);
                    const Values power = b.While(
                        {Float(b, 1)},
                        [&](absl::Span<const KernelValue> s) {
                          return b.Compare(ComparisonDirection::kLt, s[0], Float(b, 100));
                        },
                        [&](absl::Span<const KernelValue> s) { return Values{b.Binary(HloOpcode::kAdd, s[0], s[0])}; });
                    b.Store(kZ, b.Index(1), power[0]);
                  }),
            "");
  EXPECT_THAT(z.span<float>(), ElementsAre(55, 128));
}

TEST(KernelInterpreter, RunsBranchesAndPredicates) {
  Literal x = Floats({1, 2, 3, 4});
  Literal z = Floats({-1, -1, -1, -1});
  EXPECT_EQ(RunOn(x, z, 4,
                  [&](KernelBuilder& b, KernelValue t) {
                    const KernelValue next = b.Affine({{1, t}}, 1);
                    const KernelValue v = b.Load(kX, next, b.InRange(next, 0, 3), Float(b, 50));
                    const Values chosen = b.If(
                        b.InRange(t, 1, 2), [&] { return Values{b.Unary(HloOpcode::kNegate, v)}; },
                        [&] { return Values{v}; });
                    b.Store(kZ, t, chosen[0], b.InRange(t, 0, 1));
                    b.Store(kZ, t, Float(b, 7), b.InRange(t, 3, 3));
                  }),
            "");
  EXPECT_THAT(z.span<float>(), ElementsAre(2, -3, -1, 7));
}

TEST(KernelInterpreter, WritesWhereItReads) {
  KernelBuilder b("k");
  const int x = b.AddBuffer("x", F32, 3, Use::kRead);
  const int z = b.AddBuffer("z", F32, 3, Use::kWrite, x);
  b.Phase(3, [&](KernelValue t) { b.Store(z, t, b.Binary(HloOpcode::kAdd, b.Load(x, t), b.Load(z, t))); });
  const Kernel kernel = std::move(b).Finish();
  std::vector<Literal> arrays = {Floats({1, 2, 3}), Literal()};
  EXPECT_EQ(RunKernelOnArrays(kernel, absl::MakeSpan(arrays)), absl::OkStatus());
  EXPECT_THAT(arrays[0].span<float>(), ElementsAre(2, 4, 6));
}

TEST(KernelInterpreter, FindsBrokenPromises) {
  Literal x = Floats({0, 1, 2, 3});
  Literal z = Floats({0, 0, 0, 0});
  const auto as_index = [](KernelBuilder& b, KernelValue f) { return b.AsIndex(b.Convert(f, S32), 0, 9); };
  EXPECT_EQ(RunOn(x, z, 4,
                  [&](KernelBuilder& b, KernelValue t) {
                    const KernelValue e = as_index(b, b.Load(kX, t));
                    b.Store(kZ, t, b.Load(kX, b.Affine({{1, e}}, 1)));
                  }),
            "kernel k, phase 0, tile 3: load of element 4 of x, which has 4");
  EXPECT_EQ(RunOn(x, z, 4,
                  [&](KernelBuilder& b, KernelValue t) {
                    b.Store(kZ, b.Affine({{1, as_index(b, b.Load(kX, t))}}, -2), Float(b, 0));
                  }),
            "kernel k, phase 0, tile 0: store to element -2 of z, which has 4");
  // Nothing is left of what another tile put there.
  EXPECT_EQ(RunOn(x, z, 2,
                  [&](KernelBuilder& b, KernelValue t) {
                    b.Store(kS, b.Index(2), Float(b, 0), b.InRange(t, 0, 0));
                    b.Store(kZ, t, b.Load(kS, b.Index(2)));
                  }),
            "kernel k, phase 0, tile 1: load of element 2 of s, which nothing was stored to");
  EXPECT_EQ(RunOn(x, z, 2,
                  [&](KernelBuilder& b, KernelValue t) {
                    b.Store(kZ, t, b.Load(kZ, b.Affine({{1, t}}, 1)));
                  }),
            "kernel k, phase 0, tile 0: load of element 1 of z, which nothing was stored to");
  EXPECT_EQ(RunOn(x, z, 4,
                  [&](KernelBuilder& b, KernelValue t) {
                    const KernelValue negative = b.Convert(b.Unary(HloOpcode::kNegate, b.Load(kX, t)), S64);
                    b.Store(kZ, b.Quotient(negative, 2), Float(b, 0));
                  }),
            "kernel k, phase 0, tile 1: expected a dividend that is not negative, got -1 (by 2)");
  EXPECT_EQ(RunOn(x, z, 4,
                  [&](KernelBuilder& b, KernelValue t) {
                    const KernelValue e = b.Convert(b.Load(kX, t), S64);
                    b.Store(kZ, t, Float(b, 0), b.InRange(b.Affine({{int64_t{1} << 62, e}, {1, t}}), 0, 9));
                  }),
            "kernel k, phase 0, tile 2: an index overflows");
}

TEST(KernelInterpreter, FindsIterationsThatConflict) {
  Literal x = Floats({0, 1, 1, 3});
  Literal z = Floats({0, 0, 0, 0});
  KernelRunOptions options;
  options.check_independence = true;
  const auto scatter = [](bool loop) {
    return [loop](KernelBuilder& b, KernelValue t) {
      const auto body = [&](KernelValue i) {
        b.Store(kZ, b.AsIndex(b.Convert(b.Load(kX, i), S32), 0, 3), Float(b, 0));
      };
      if (loop) b.For(b.Index(4), LoopSchedule::kPlain, true, body);
      if (!loop) body(t);
    };
  };
  EXPECT_EQ(RunOn(x, z, 4, scatter(false), options),
            "kernel k, phase 0, tile 2: store to element 1 of z, which another tile has touched");
  EXPECT_EQ(RunOn(x, z, 1, scatter(true), options),
            "kernel k, phase 0, tile 0: store to element 1 of z, which another iteration of an independent loop has "
            "touched");
  EXPECT_EQ(RunOn(x, z, 4, scatter(false)), "");
  // Reading what another iteration writes is no better.
  const auto shift = [](KernelBuilder& b, KernelValue) {
    b.For(b.Index(4), LoopSchedule::kPlain, true, [&](KernelValue i) { b.Store(kZ, i, Float(b, 0)); });
    b.For(b.Index(3), LoopSchedule::kPlain, true, [&](KernelValue i) {
      b.Store(kZ, i, b.Load(kZ, b.Affine({{1, i}}, 1)));
    });
  };
  EXPECT_EQ(RunOn(x, z, 1, shift, options),
            "kernel k, phase 0, tile 0: store to element 1 of z, which another iteration of an independent loop has "
            "touched");
}

TEST(KernelInterpreter, StopsWhatDoesNotEnd) {
  Literal x = Floats({0});
  Literal z = Floats({0});
  KernelRunOptions options;
  options.step_limit = 1000;
  const auto forever = [](KernelBuilder& b, KernelValue) {
    const Values state = b.While(
        {Float(b, 0)}, [&](absl::Span<const KernelValue>) { return b.Constant(Literal::Scalar<bool>(true)); },
        [&](absl::Span<const KernelValue> s) { return Values(s.begin(), s.end()); });
    b.Store(kZ, b.Index(0), state[0]);
  };
  EXPECT_EQ(RunOn(x, z, 1, forever, options), "kernel k, phase 0, tile 0: more than 1000 steps");
}

TEST(KernelInterpreter, RefusesOtherArrays) {
  KernelBuilder b("k");
  b.AddBuffer("x", F32, 3, Use::kRead);
  const Kernel kernel = std::move(b).Finish();
  std::vector<Literal> arrays = {Floats({1, 2})};
  EXPECT_EQ(RunKernelOnArrays(kernel, absl::MakeSpan(arrays)).message(), "kernel k: expected 3 f32 for x, got f32[2]");
  EXPECT_EQ(RunKernelOnArrays(kernel, {}).message(), "kernel k: expected 1 buffers, got 0");
}

// Two loops that four invocations share, of which the second loads what the first stored, with a barrier or none.
std::string RunShared(bool waits, const std::function<void(KernelBuilder&, KernelValue i)>& second) {
  KernelBuilder b("k");
  b.AddBuffer("x", F32, 4, Use::kRead);
  b.AddBuffer("z", F32, 4, Use::kWrite);
  b.AddScratch("s", F32, 4);
  b.Phase(1, [&](KernelValue) {
    b.For(b.Index(4), LoopSchedule::kInvocations, true, [&](KernelValue i) { b.Store(kS, i, b.Load(kX, i)); });
    b.For(b.Index(4), LoopSchedule::kInvocations, true, [&](KernelValue i) { second(b, i); });
  });
  Kernel kernel = std::move(b).Finish();
  kernel.phases[0].invocations = 4;
  std::vector<KernelInstruction>& body = kernel.phases[0].body.instructions;
  if (waits) body.insert(body.end() - 1, KernelInstruction())->op = KernelOp::kBarrier;
  std::vector<Literal> arrays = {Floats({1, 2, 3, 4}), Floats({0, 0, 0, 0})};
  KernelRunOptions options;
  options.check_independence = true;
  return std::string(RunKernelOnArrays(kernel, absl::MakeSpan(arrays), options).message());
}

TEST(KernelInterpreter, FindsMissingBarriers) {
  const auto load = [](KernelBuilder& b, KernelValue i) { b.Store(kZ, i, b.Load(kS, b.Affine({{-1, i}}, 3))); };
  const auto store = [](KernelBuilder& b, KernelValue i) { b.Store(kS, i, b.Load(kX, b.Affine({{-1, i}}, 3))); };
  EXPECT_EQ(RunShared(/*waits=*/true, load), "");
  EXPECT_EQ(RunShared(/*waits=*/true, store), "");
  EXPECT_EQ(RunShared(/*waits=*/false, load),
            "kernel k, phase 0, tile 0: load of element 3 of s, which another invocation may touch before or after it: "
            "there is no barrier between them");
  EXPECT_EQ(
      RunShared(/*waits=*/false, store),
      "kernel k, phase 0, tile 0: store to element 0 of s, which another invocation may touch before or after it: "
      "there is no barrier between them");
}

// All invocations load, the first one stores.
TEST(KernelInterpreter, LetsUniformStoresWaitForUniformLoads) {
  for (const bool waits : {false, true}) {
    KernelBuilder b("k");
    b.AddBuffer("x", F32, 1, Use::kRead);
    const int z = b.AddBuffer("z", F32, 1, Use::kReadWrite);
    b.Phase(1, [&](KernelValue) { b.Store(z, b.Index(0), b.Unary(HloOpcode::kNegate, b.Load(z, b.Index(0)))); });
    Kernel kernel = std::move(b).Finish();
    kernel.phases[0].invocations = 4;
    std::vector<KernelInstruction>& body = kernel.phases[0].body.instructions;
    if (waits) body.insert(body.end() - 1, KernelInstruction())->op = KernelOp::kBarrier;
    std::vector<Literal> arrays = {Floats({1}), Floats({2})};
    KernelRunOptions options;
    options.check_independence = true;
    EXPECT_EQ(RunKernelOnArrays(kernel, absl::MakeSpan(arrays), options).ok(), waits);
  }
}

TEST(KernelInterpreter, ChecksThatNarrowValuesAre) {
  KernelBuilder b("k");
  const int n = b.AddBuffer("n", S64, 1, Use::kRead);
  const int z = b.AddBuffer("z", S64, 1, Use::kWrite);
  b.Phase(1, [&](KernelValue) { b.Store(z, b.Index(0), b.AsIndex(b.Load(n, b.Index(0)), 0, 1000)); });
  const Kernel kernel = std::move(b).Finish(/*notes_narrow=*/true);
  const auto run = [&](int64_t value) {
    std::vector<Literal> arrays = {Literal::Vector<int64_t>({value}), Literal::Vector<int64_t>({0})};
    return std::string(RunKernelOnArrays(kernel, absl::MakeSpan(arrays)).message());
  };
  EXPECT_EQ(run(1000), "");
  EXPECT_EQ(run(int64_t{1} << 32), "kernel k, phase 0, tile 0: a value that is said to be narrow is 4294967296");
}

}  // namespace
}  // namespace xla
