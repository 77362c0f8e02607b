#include "backends/kernel_ir/jam_loops.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "backends/kernel_ir/kernel_builder.h"
#include "backends/kernel_ir/kernel_interpreter.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using testing::HasSubstr;
using testing::Not;
using Use = KernelBuffer::Use;
using Values = KernelBuilder::Values;

constexpr int kX = 0, kY = 1, kZ = 2;

// x, y: f32[64] read, z: f32[64] write, and a phase of one tile.
Kernel Make(const std::function<void(KernelBuilder&)>& body) {
  KernelBuilder b("k");
  b.AddBuffer("x", F32, 64, Use::kRead);
  b.AddBuffer("y", F32, 64, Use::kRead);
  b.AddBuffer("z", F32, 64, Use::kWrite);
  b.Phase(1, [&](KernelValue) { body(b); });
  return std::move(b).Finish();
}

std::vector<float> Run(const Kernel& kernel) {
  std::vector<float> x(64), y(64);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i % 37) * 0.1f;
    y[i] = static_cast<float>(i % 5) - 1.7f;
  }
  std::vector<Literal> arrays = {Literal::FromValues<float>({64}, absl::MakeConstSpan(x)),
                                 Literal::FromValues<float>({64}, absl::MakeConstSpan(y)),
                                 *Literal::Zeros(Shape::Array(F32, {64}))};
  KernelRunOptions options;
  options.check_independence = true;
  const absl::Status status = RunKernelOnArrays(kernel, absl::MakeSpan(arrays), options);
  EXPECT_TRUE(status.ok()) << status << "\n" << KernelToString(kernel);
  const auto z = arrays[2].span<float>();
  return {z.begin(), z.end()};
}

// The body of the kernel after JamLoops, which computes what it did before.
std::string Jammed(const Kernel& kernel) {
  Kernel jammed = kernel;
  JamLoops(jammed);
  EXPECT_EQ(VerifyKernel(jammed), absl::OkStatus()) << KernelToString(jammed);
  EXPECT_EQ(Run(jammed), Run(kernel));
  const std::string text = KernelToString(jammed);
  return text.substr(text.find("  phase"));
}

KernelValue Sum(KernelBuilder& b, int64_t count, absl::FunctionRef<KernelValue(KernelValue)> element) {
  return b.Reduce(
      {count}, 1, {b.Constant(Literal::Scalar<float>(0))}, {},
      [&](absl::Span<const KernelValue> i) { return Values{element(i[0])}; },
      [&](absl::Span<const KernelValue> l, absl::Span<const KernelValue> r) {
        return Values{b.Binary(HloOpcode::kAdd, l[0], r[0])};
      })[0];
}

void Unroll(KernelBuilder& b, int64_t extent, absl::FunctionRef<void(KernelValue)> body) {
  b.For(b.Index(extent), LoopSchedule::kUnroll, /*independent=*/true, body);
}

// A product of 2x8 and 8x2: each element of x and y is loaded once for both sums that need it.
TEST(JamLoops, MakesATileOfAProduct) {
  const std::string text = Jammed(Make([](KernelBuilder& b) {
    Unroll(b, 2, [&](KernelValue i) {
      Unroll(b, 2, [&](KernelValue j) {
        const KernelValue sum = Sum(b, 8, [&](KernelValue k) {
          return b.Binary(HloOpcode::kMultiply, b.Load(kX, b.Affine({{8, i}, {1, k}})),
                          b.Load(kY, b.Affine({{2, k}, {1, j}})));
        });
        b.Store(kZ, b.Affine({{2, i}, {1, j}}), sum);
      });
    });
  }));
  const auto count = [&](const std::string& what) {
    int found = 0;
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count(" reduce "), 1) << text;
  EXPECT_EQ(count(" load "), 4) << text;
  EXPECT_EQ(count(" multiply "), 4) << text;
  EXPECT_EQ(count(" store "), 4) << text;
  EXPECT_THAT(text, Not(HasSubstr("for ")));
}

TEST(JamLoops, JoinsLoopsAndBranchesThatRunEquallyOften) {
  const std::string text = Jammed(Make([](KernelBuilder& b) {
    Unroll(b, 3, [&](KernelValue i) {
      b.For(b.Index(4), LoopSchedule::kVector, true, [&](KernelValue j) {
        const KernelValue place = b.Affine({{16, j}, {1, i}});
        const KernelValue is_small = b.Compare(ComparisonDirection::kLt, b.Load(kX, j), b.Load(kY, j));
        const Values chosen = b.If(
            is_small, [&] { return Values{b.Load(kX, place)}; }, [&] { return Values{b.Load(kY, place)}; });
        const Values state = b.ForWithState(b.Index(3), chosen, [&](KernelValue, absl::Span<const KernelValue> s) {
          return Values{b.Binary(HloOpcode::kAdd, s[0], b.Load(kY, place))};
        });
        b.Store(kZ, b.Affine({{3, j}, {1, i}}), state[0]);
      });
    });
    b.For(b.Index(52), LoopSchedule::kPlain, true, [&](KernelValue i) {
      b.Store(kZ, b.Affine({{1, i}}, 12), b.Load(kX, i));
    });
  }));
  EXPECT_EQ(text.find("if "), text.rfind("if ")) << text;
  EXPECT_THAT(text, HasSubstr(" in 0..4 independent vector"));
}

// The number of iterations, or the way that a branch goes, is another one in each.
TEST(JamLoops, RepeatsWhatRunsDifferently) {
  const std::string text = Jammed(Make([](KernelBuilder& b) {
    Unroll(b, 4, [&](KernelValue i) {
      const KernelValue is_small = b.Compare(ComparisonDirection::kLt, b.Load(kX, i), b.Load(kY, i));
      const Values chosen = b.If(
          is_small, [&] { return Values{b.Load(kX, i)}; }, [&] { return Values{b.Load(kY, i)}; });
      const Values last = b.While(
          chosen,
          [&](absl::Span<const KernelValue> s) {
            return b.Compare(ComparisonDirection::kLt, s[0], b.Constant(Literal::Scalar<float>(5)));
          },
          [&](absl::Span<const KernelValue> s) {
            return Values{b.Binary(HloOpcode::kAdd, s[0], b.Constant(Literal::Scalar<float>(1)))};
          });
      b.For(b.Affine({{1, i}}, 1), LoopSchedule::kPlain, true, [&](KernelValue j) {
        b.Store(kZ, b.Affine({{8, i}, {1, j}}), last[0]);
      });
    });
  }));
  EXPECT_THAT(text, Not(HasSubstr("unroll")));
}

TEST(JamLoops, LeavesOtherLoopsAlone) {
  const Kernel kernel = Make([](KernelBuilder& b) {
    b.For(b.Index(4), LoopSchedule::kUnroll, false, [&](KernelValue i) { b.Store(kZ, i, b.Load(kX, i)); });
    Unroll(b, 17, [&](KernelValue i) { b.Store(kZ, b.Affine({{1, i}}, 4), b.Load(kX, i)); });
    b.For(b.Index(4), LoopSchedule::kPlain, true, [&](KernelValue i) {
      b.Store(kZ, b.Affine({{1, i}}, 30), b.Load(kX, i));
    });
  });
  Kernel jammed = kernel;
  JamLoops(jammed);
  EXPECT_EQ(KernelToString(jammed), KernelToString(kernel));
}

}  // namespace
}  // namespace xla
