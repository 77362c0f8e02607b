#include "backends/kernel_ir/workgroups.h"

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

constexpr int kX = 0, kZ = 1;

// x: f32[512] read, z: f32[512] write, and a phase of two tiles.
Kernel Make(const std::function<void(KernelBuilder&, KernelValue tile)>& body) {
  KernelBuilder b("k");
  b.AddBuffer("x", F32, 512, Use::kRead);
  b.AddBuffer("z", F32, 512, Use::kWrite);
  b.Phase(2, [&](KernelValue tile) { body(b, tile); });
  return std::move(b).Finish();
}

std::vector<float> Run(const Kernel& kernel) {
  std::vector<float> x(512);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 37) * 0.1f;
  std::vector<Literal> arrays = {Literal::FromValues<float>({512}, absl::MakeConstSpan(x)),
                                 *Literal::Zeros(Shape::Array(F32, {512}))};
  KernelRunOptions options;
  options.check_independence = true;
  const absl::Status status = RunKernelOnArrays(kernel, absl::MakeSpan(arrays), options);
  EXPECT_TRUE(status.ok()) << status << "\n" << KernelToString(kernel);
  const auto z = arrays[1].span<float>();
  return {z.begin(), z.end()};
}

// The body of the kernel after MakeWorkgroups, which computes what it did before.
std::string WorkgroupsOf(const Kernel& kernel, int64_t max_invocations = 128) {
  Kernel made = kernel;
  MakeWorkgroups(made, max_invocations);
  EXPECT_EQ(VerifyKernel(made), absl::OkStatus());
  EXPECT_EQ(Run(made), Run(kernel));
  const std::string text = KernelToString(made);
  EXPECT_EQ((MakeWorkgroups(made, max_invocations), KernelToString(made)), text);
  return text.substr(text.find("  phase"));
}

KernelValue Sum(KernelBuilder& b, int64_t lanes, absl::Span<const int64_t> extents,
                absl::FunctionRef<KernelValue(absl::Span<const KernelValue>)> element) {
  const KernelValue zero = b.Constant(Literal::Scalar<float>(0));
  return b.Reduce(
      extents, lanes, {zero}, lanes == 1 ? Values() : Values{zero},
      [&](absl::Span<const KernelValue> i) { return Values{element(i)}; },
      [&](absl::Span<const KernelValue> l, absl::Span<const KernelValue> r) {
        return Values{b.Binary(HloOpcode::kAdd, l[0], r[0])};
      })[0];
}

TEST(Workgroups, ShareRowsThatAreKeptAndSummed) {
  const std::string text = WorkgroupsOf(Make([](KernelBuilder& b, KernelValue tile) {
    const int kept = b.AddScratch("kept", F32, 64);
    b.For(b.Index(4), LoopSchedule::kPlain, false, [&](KernelValue r) {
      const KernelValue first = b.Affine({{256, tile}, {64, r}});
      b.For(b.Index(64), LoopSchedule::kVector, true, [&](KernelValue i) {
        b.Store(kept, i, b.Unary(HloOpcode::kNegate, b.Load(kX, b.Affine({{1, first}, {1, i}}))));
      });
      const KernelValue sum = Sum(b, 32, {64}, [&](absl::Span<const KernelValue> i) { return b.Load(kept, i[0]); });
      b.For(b.Index(64), LoopSchedule::kVector, true, [&](KernelValue i) {
        b.Store(kZ, b.Affine({{1, first}, {1, i}}), b.Binary(HloOpcode::kDivide, b.Load(kept, i), sum));
      });
    });
  }));
  EXPECT_EQ(text, R"(  phase tiles=2 invocations=64 (%0: s64) {
    for %1 in 0..4 {
      barrier
      for %2 in 0..64 independent invocations {
        %3 = load f32 x[256*%0 + 64*%1 + %2]
        %4 = negate f32 %3
        store kept[%2], %4
      }
      %5 = constant f32 0
      barrier
      reduce %6 in 0..64 from %5 lanes 32 of %5 invocations {
        %7 = load f32 kept[%6]
        yield %7
      } combine %8: f32, %9: f32 {
        %10 = add f32 %8, %9
        yield %10
      }
      -> %11: f32
      for %12 in 0..64 independent invocations {
        %13 = load f32 kept[%12]
        %14 = divide f32 %13, %11
        store z[256*%0 + 64*%1 + %12], %14
      }
    }
  }
}
)");
}

TEST(Workgroups, TakeALongLoopAroundAShortOne) {
  const std::string text = WorkgroupsOf(Make([](KernelBuilder& b, KernelValue tile) {
    b.For(b.Index(64), LoopSchedule::kPlain, true, [&](KernelValue i) {
      b.For(b.Index(4), LoopSchedule::kVector, true, [&](KernelValue j) {
        const KernelValue e = b.Affine({{256, tile}, {4, i}, {1, j}});
        b.Store(kZ, e, b.Load(kX, e));
      });
    });
  }));
  EXPECT_THAT(text, HasSubstr("in 0..64 independent invocations {"));
  EXPECT_THAT(text, HasSubstr("in 0..4 independent vector {"));
  EXPECT_THAT(text, HasSubstr("invocations=64"));
}

TEST(Workgroups, HaveNoMoreInvocationsThanTheDevice) {
  const Kernel kernel = Make([](KernelBuilder& b, KernelValue tile) {
    b.For(b.Index(200), LoopSchedule::kVector, true, [&](KernelValue i) {
      const KernelValue e = b.Affine({{256, tile}, {1, i}});
      b.Store(kZ, e, b.Load(kX, e));
    });
  });
  EXPECT_THAT(WorkgroupsOf(kernel), HasSubstr("invocations=128"));
  EXPECT_THAT(WorkgroupsOf(kernel, 1000), HasSubstr("invocations=256"));
  EXPECT_THAT(WorkgroupsOf(kernel, 1), Not(HasSubstr("invocations")));
}

TEST(Workgroups, LeaveWhatSharesNothingToOneInvocation) {
  const std::string text = WorkgroupsOf(Make([](KernelBuilder& b, KernelValue tile) {
    const int starts = b.AddScratch("starts", F32, 16);
    b.For(b.Index(16), LoopSchedule::kVector, true, [&](KernelValue i) {
      b.Store(starts, i, b.Load(kX, b.Affine({{16, tile}, {1, i}})));
    });
    b.For(b.Index(16), LoopSchedule::kPlain, false, [&](KernelValue i) {
      const KernelValue e = b.Affine({{256, tile}});
      const KernelValue before = b.Select(b.InRange(i, 1, 16), b.Load(kX, e), b.Load(starts, i));
      b.Store(kZ, e, b.Binary(HloOpcode::kAdd, before, b.Load(starts, i)));
    });
  }));
  EXPECT_THAT(text, HasSubstr("    barrier\n    for %3 in 0..1 independent invocations {\n      for %4 in 0..16 {"));
}

TEST(Workgroups, LeavePhasesWithoutLoopsAlone) {
  const std::string text =
      WorkgroupsOf(Make([](KernelBuilder& b, KernelValue tile) { b.Store(kZ, tile, b.Load(kX, tile)); }));
  EXPECT_THAT(text, Not(HasSubstr("invocations")));
}

// One path stores what comes after the branch loads; the loop loads what its last iteration stored.
TEST(Workgroups, WaitOnEveryPath) {
  const std::string text = WorkgroupsOf(Make([](KernelBuilder& b, KernelValue tile) {
    const int kept = b.AddScratch("kept", F32, 64);
    const auto fill = [&](float value) {
      b.For(b.Index(64), LoopSchedule::kVector, true,
            [&](KernelValue i) { b.Store(kept, i, b.Constant(Literal::Scalar<float>(value))); });
    };
    fill(0);
    b.If(
        b.InRange(tile, 0, 0),
        [&] {
          fill(1);
          return Values();
        },
        [&] { return Values(); });
    b.For(b.Index(4), LoopSchedule::kPlain, false, [&](KernelValue r) {
      b.For(b.Index(64), LoopSchedule::kVector, true, [&](KernelValue i) {
        b.Store(kZ, b.Affine({{256, tile}, {64, r}, {1, i}}), b.Load(kept, b.Affine({{-1, i}}, 63)));
      });
      b.For(b.Index(64), LoopSchedule::kVector, true, [&](KernelValue i) {
        b.Store(kept, i, b.Load(kX, b.Affine({{256, tile}, {64, r}, {1, i}})));
      });
    });
  }));
  EXPECT_THAT(text, HasSubstr("if %3 {\n      barrier\n"));
  EXPECT_THAT(text, HasSubstr("in 0..4 {\n      barrier\n"));
}

}  // namespace
}  // namespace xla
