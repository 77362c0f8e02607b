// What random kernels have too rarely: many tiles, much scratch, many buffers; and what there is no code for.
#include "backends/vulkan/codegen/kernel_to_spirv.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/kernel_ir/kernel_builder.h"
#include "backends/kernel_ir/workgroups.h"
#include "backends/vulkan/codegen/testing/device_kernels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spirv/unified1/spirv.hpp11"

namespace xla {
namespace vulkan {
namespace {

using testing::HasSubstr;

class KernelToSpirv : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    auto device = DeviceKernels::Create(/*lowest_profile=*/GetParam());
    if (absl::IsUnavailable(device.status())) GTEST_SKIP() << device.status().message();
    ASSERT_TRUE(device.ok()) << device.status();
    device_ = *std::move(device);
  }

  // Runs on buffers of zeros and returns the words of the last one.
  std::vector<int32_t> Run(const Kernel& kernel) { return Run(kernel, device_->target()); }
  std::vector<int32_t> Run(const Kernel& kernel, const SpirvTarget& target) {
    const auto code = CompileToSpirv(kernel, target);
    EXPECT_TRUE(code.ok()) << code.status();
    if (!code.ok()) return {};
    code_ = *code;
    std::vector<std::vector<char>> buffers;
    for (int i = 0; i < kernel.CallerBufferCount(); ++i) {
      buffers.emplace_back(kernel.buffers[i].element_count * ByteWidth(kernel.buffers[i].type), 0);
    }
    const absl::Status status = device_->Run(kernel, code_, absl::MakeSpan(buffers));
    EXPECT_TRUE(status.ok()) << status;
    std::vector<int32_t> words(buffers.back().size() / sizeof(int32_t));
    std::memcpy(words.data(), buffers.back().data(), words.size() * sizeof(int32_t));
    return words;
  }

  std::unique_ptr<DeviceKernels> device_;
  SpirvKernel code_;
};

// Beyond what one dimension of a dispatch may have.
TEST_P(KernelToSpirv, RunsMoreTilesThanADimensionHas) {
  constexpr int64_t kTiles = 70001;
  KernelBuilder b("tiles");
  const int z = b.AddBuffer("z", S32, kTiles, KernelBuffer::Use::kWrite);
  b.Phase(kTiles, [&](KernelValue tile) { b.Store(z, tile, b.Convert(b.Affine({{3, tile}}, 1), S32)); });
  const std::vector<int32_t> words = Run(std::move(b).Finish());
  ASSERT_EQ(words.size(), static_cast<size_t>(kTiles));
  for (int64_t i = 0; i < kTiles; ++i) ASSERT_EQ(words[i], 3 * i + 1);
}

// Elements of a word, of two, and of parts of words, in buffers that no binding reaches all of.
TEST_P(KernelToSpirv, ReachesALargeBufferThroughSeveralBindings) {
  SpirvTarget target = device_->target();
  target.storage_range_bytes = 1100;  // windows of 1024
  for (const PrimitiveType type : {S32, S64, S16}) {
    const int64_t count = 1600 / ByteWidth(type);
    KernelBuilder b("windows");
    const int x = b.AddBuffer("x", type, count, KernelBuffer::Use::kReadWrite);
    const int z = b.AddBuffer("z", S32, 400, KernelBuffer::Use::kWrite);
    b.Phase(count, [&](KernelValue tile) { b.Store(x, tile, b.Convert(b.Affine({{3, tile}}, -1), type)); });
    b.Phase(400, [&](KernelValue tile) {
      b.Store(z, tile, b.Convert(b.Load(x, b.Remainder(b.Affine({{7, tile}}), count)), S32));
    });
    const std::vector<int32_t> words = Run(std::move(b).Finish(), target);
    ASSERT_EQ(code_.phases[1].bindings.size(), 4u);
    EXPECT_EQ(code_.phases[1].windows, (std::vector<int>{0, 1, 0, 1}));
    ASSERT_EQ(words.size(), 400u);
    for (int64_t i = 0; i < 400; ++i) ASSERT_EQ(words[i], 3 * (7 * i % count) - 1) << i;
  }
}

TEST_P(KernelToSpirv, NamesBindingsThatWindowsLack) {
  SpirvTarget target = device_->target();
  target.storage_range_bytes = 1024;
  target.storage_buffers = 4;
  KernelBuilder b("windows");
  const int z = b.AddBuffer("z", S32, 1025, KernelBuffer::Use::kWrite);
  b.Phase(1025, [&](KernelValue tile) { b.Store(z, tile, b.Convert(tile, S32)); });
  EXPECT_THAT(SpirvSupports(std::move(b).Finish(), target).message(),
              HasSubstr("no code for buffers that take 5 bindings in one phase: the device has 4 of 1024 bytes"));
}

// More iterations than some drivers let a loop have, and not a multiple of those that are written out.
TEST_P(KernelToSpirv, RunsLongLoops) {
  for (const int64_t count : {int64_t{70001}, int64_t{400003}}) {
    KernelBuilder b("long");
    const int z = b.AddBuffer("z", S32, 3, KernelBuffer::Use::kWrite);
    b.Phase(3, [&](KernelValue tile) {
      const KernelValue first = b.Convert(tile, S32);
      const KernelValue counted = b.ForWithState(b.Index(count), {first}, [&](KernelValue i, auto state) {
        return KernelBuilder::Values{b.Binary(HloOpcode::kXor, state[0], b.Convert(b.Affine({{3, i}}), S32))};
      })[0];
      b.Store(z, tile, counted);
    });
    const std::vector<int32_t> words = Run(std::move(b).Finish());
    ASSERT_EQ(words.size(), 3u);
    for (int32_t tile = 0; tile < 3; ++tile) {
      int32_t want = tile;
      for (int32_t i = 0; i < count; ++i) want ^= 3 * i;
      EXPECT_EQ(words[tile], want) << count;
    }
  }
}

// Scratch in shared memory, and scratch that is too large for it.
TEST_P(KernelToSpirv, GivesEachTileScratchOfItsOwn) {
  for (const int64_t count : {int64_t{100}, int64_t{20000}}) {
    constexpr int64_t kTiles = 3;
    KernelBuilder b("scratch");
    const int z = b.AddBuffer("z", S32, kTiles * count, KernelBuffer::Use::kWrite);
    const int scratch = b.AddScratch("s", S32, count);
    const int narrow = b.AddScratch("n", S8, count);
    b.Phase(kTiles, [&](KernelValue tile) {
      b.For(b.Index(count), LoopSchedule::kPlain, true, [&](KernelValue i) {
        const KernelValue number = b.Convert(b.Affine({{100000, tile}, {1, i}}), S32);
        b.Store(scratch, i, number);
        b.Store(narrow, i, b.Convert(number, S8));
      });
      b.For(b.Index(count), LoopSchedule::kPlain, true, [&](KernelValue i) {
        const KernelValue from = b.Affine({{-1, i}}, count - 1);
        const KernelValue sum = b.Binary(HloOpcode::kAdd, b.Load(scratch, from), b.Convert(b.Load(narrow, from), S32));
        b.Store(z, b.Affine({{count, tile}, {1, i}}), sum);
      });
    });
    const std::vector<int32_t> words = Run(std::move(b).Finish());
    EXPECT_EQ(code_.scratch_bytes > 0, count == 20000);
    EXPECT_EQ(code_.phases[0].bindings.size(), count == 20000 ? 2u : 1u);
    ASSERT_EQ(words.size(), static_cast<size_t>(kTiles * count));
    for (int64_t tile = 0; tile < kTiles; ++tile) {
      for (int64_t i = 0; i < count; ++i) {
        const int64_t number = 100000 * tile + count - 1 - i;
        ASSERT_EQ(words[tile * count + i], number + static_cast<int8_t>(number)) << tile << " " << i;
      }
    }
  }
}

// More buffers than the lowest profile has bindings.
TEST_P(KernelToSpirv, TakesMoreBuffersThanBindings) {
  constexpr int kBuffers = 7;
  constexpr int64_t kCount = 50;
  KernelBuilder b("buffers");
  std::vector<int> buffers;
  for (int i = 0; i < kBuffers; ++i) {
    buffers.push_back(b.AddBuffer(absl::StrCat("b", i), S32, kCount, KernelBuffer::Use::kReadWrite));
  }
  b.Phase(1, [&](KernelValue) {
    b.For(b.Index(kCount), LoopSchedule::kPlain, true, [&](KernelValue i) {
      for (int k = 0; k + 1 < kBuffers; ++k) {
        const KernelValue number = b.Convert(b.Affine({{10, i}}, k), S32);
        b.Store(buffers[k + 1], i, b.Binary(HloOpcode::kAdd, b.Load(buffers[k], i), number));
      }
    });
  });
  const std::vector<int32_t> words = Run(std::move(b).Finish());
  const bool has_bindings = device_->facts().storage_buffers >= kBuffers;
  EXPECT_EQ(code_.phases[0].bindings.size(), has_bindings ? kBuffers : 1u);
  EXPECT_EQ(code_.phases[0].offsets.size(), has_bindings ? 0u : kBuffers);
  ASSERT_EQ(words.size(), static_cast<size_t>(kCount));
  for (int64_t i = 0; i < kCount; ++i) EXPECT_EQ(words[i], 60 * i + 15);
}

// Rows of 100 numbers: a sum in lanes of each, and what is left of it in the row's numbers.
Kernel RowSums(int64_t tiles, int64_t rows, int64_t lanes) {
  constexpr int64_t kColumns = 100;
  KernelBuilder b("rows");
  const int z = b.AddBuffer("z", F32, tiles * rows * kColumns, KernelBuffer::Use::kWrite);
  const int kept = b.AddScratch("kept", F32, kColumns);
  b.Phase(tiles, [&](KernelValue tile) {
    const KernelValue zero = b.Constant(Literal::Scalar<float>(0));
    b.For(b.Index(rows), LoopSchedule::kPlain, false, [&](KernelValue r) {
      const KernelValue row = b.Affine({{rows, tile}, {1, r}});
      b.For(b.Index(kColumns), LoopSchedule::kVector, true, [&](KernelValue i) {
        const KernelValue number = b.Convert(b.Affine({{7, row}, {1, i}}), F32);
        b.Store(kept, i, b.Binary(HloOpcode::kMultiply, number, b.Constant(Literal::Scalar(0.1f))));
      });
      const KernelValue sum = b.Reduce(
          {kColumns}, lanes, {zero}, {zero},
          [&](absl::Span<const KernelValue> i) { return KernelBuilder::Values{b.Load(kept, i[0])}; },
          [&](absl::Span<const KernelValue> x, absl::Span<const KernelValue> y) {
            return KernelBuilder::Values{b.Binary(HloOpcode::kAdd, x[0], y[0])};
          })[0];
      b.For(b.Index(kColumns), LoopSchedule::kVector, true, [&](KernelValue i) {
        b.Store(z, b.Affine({{kColumns, row}, {1, i}}), b.Binary(HloOpcode::kSubtract, b.Load(kept, i), sum));
      });
    });
  });
  return std::move(b).Finish();
}

// The order of a sum belongs to the kernel: the same bits whatever the number of invocations.
TEST_P(KernelToSpirv, SumsInTheOrderOfLanesWhateverTheInvocations) {
  for (const int64_t lanes : {2, 32, 64}) {
    const Kernel kernel = RowSums(/*tiles=*/3, /*rows=*/2, lanes);
    const std::vector<int32_t> alone = Run(kernel);
    for (const int64_t invocations : {4, 32, 128}) {
      Kernel shared = kernel;
      MakeWorkgroups(shared, invocations);
      ASSERT_EQ(shared.phases[0].invocations, invocations);
      EXPECT_EQ(Run(shared), alone) << lanes << " lanes, " << invocations << " invocations";
    }
  }
}

// 0 and -0 are 0, whether the 0 is what a sum begins with, a constant, one of a narrow type or an index; drivers have
// been seen to give -0.
TEST_P(KernelToSpirv, AddsNegativeZeros) {
  constexpr int64_t kCount = 4;
  KernelBuilder b("zeros");
  const int x = b.AddBuffer("x", F32, kCount, KernelBuffer::Use::kRead);
  const int z = b.AddBuffer("z", F32, 4, KernelBuffer::Use::kWrite);
  b.Phase(1, [&](KernelValue) {
    const auto negated = [&](KernelValue i) { return b.Unary(HloOpcode::kNegate, b.Load(x, i)); };
    const KernelValue zero = b.Constant(Literal::Scalar(0.0f));
    const KernelValue sum = b.Reduce(
        {kCount}, 1, {zero}, {}, [&](absl::Span<const KernelValue> i) { return KernelBuilder::Values{negated(i[0])}; },
        [&](absl::Span<const KernelValue> l, absl::Span<const KernelValue> r) {
          return KernelBuilder::Values{b.Binary(HloOpcode::kAdd, l[0], r[0])};
        })[0];
    b.Store(z, b.Index(0), sum);
    b.Store(z, b.Index(1), b.Binary(HloOpcode::kAdd, negated(b.Index(0)), zero));
    const KernelValue narrow_zero = b.Constant(*Literal::Zeros(Shape::Array(BF16, {})));
    const KernelValue narrow = b.Binary(HloOpcode::kAdd, narrow_zero, b.Convert(negated(b.Index(0)), BF16));
    b.Store(z, b.Index(2), b.Convert(narrow, F32));
    b.For(b.Index(1), LoopSchedule::kPlain, true, [&](KernelValue i) {
      b.Store(z, b.Affine({{1, i}}, 3), b.Binary(HloOpcode::kAdd, negated(i), b.Convert(i, F32)));
    });
  });
  EXPECT_THAT(Run(std::move(b).Finish()), testing::Each(0));
}

// A division of pairs of words loops, and all loops of an invocation must be within what the driver allows.
TEST_P(KernelToSpirv, DividesIndicesWithBoundsAsWords) {
  constexpr int64_t kCount = 2000;
  constexpr int64_t kBound = 1000;
  KernelBuilder b("bounded");
  const int z = b.AddBuffer("z", S32, 1, KernelBuffer::Use::kWrite);
  b.Phase(1, [&](KernelValue) {
    const auto element = [&](absl::Span<const KernelValue> i) {
      const KernelValue index = b.Binary(HloOpcode::kMinimum, i[0], b.Index(kBound));
      return KernelBuilder::Values{b.Convert(b.Quotient(index, 7), S32)};
    };
    const auto add = [&](absl::Span<const KernelValue> l, absl::Span<const KernelValue> r) {
      return KernelBuilder::Values{b.Binary(HloOpcode::kAdd, l[0], r[0])};
    };
    b.Store(z, b.Index(0), b.Reduce({kCount}, 1, {b.Constant(Literal::Scalar(0))}, {}, element, add)[0]);
  });
  int32_t sum = 0;
  for (int64_t i = 0; i < kCount; ++i) sum += static_cast<int32_t>(std::min(i, kBound) / 7);
  EXPECT_THAT(Run(std::move(b).Finish()), testing::ElementsAre(sum));
}

// A buffer that takes another one's place has its binding, and what a phase does not use has none.
TEST_P(KernelToSpirv, BindsWhatAPhaseUses) {
  KernelBuilder b("bound");
  const int x = b.AddBuffer("x", S32, 8, KernelBuffer::Use::kRead);
  const int y = b.AddBuffer("y", S32, 8, KernelBuffer::Use::kReadWrite);
  const int in_place = b.AddBuffer("in_place", S32, 8, KernelBuffer::Use::kWrite, x);
  const auto copy = [&](int from, int to) {
    b.Phase(1, [&](KernelValue) {
      b.For(b.Index(8), LoopSchedule::kVector, true, [&](KernelValue i) { b.Store(to, i, b.Load(from, i)); });
    });
  };
  copy(x, in_place);
  copy(x, y);
  const auto code = CompileToSpirv(std::move(b).Finish(), device_->target());
  ASSERT_TRUE(code.ok()) << code.status();
  EXPECT_EQ(code->phases[0].bindings, (std::vector<std::vector<int>>{{x}}));
  EXPECT_EQ(code->phases[1].bindings, (std::vector<std::vector<int>>{{x}, {y}}));
}

// What the device is trusted with, the random kernels and the table of errors test; here it is that it asks at all.
TEST_P(KernelToSpirv, ProbesTheDevice) {
  EXPECT_EQ(device_->target().max_invocations, device_->facts().max_invocations);
  if (GetParam()) {
    EXPECT_FALSE(device_->target().fuses_multiply_add);
    EXPECT_FALSE(device_->target().divides_exactly);
  } else {
    std::printf("multiply-adds round once: %d, quotients are exact: %d\n", device_->target().fuses_multiply_add,
                device_->target().divides_exactly);
  }
}

INSTANTIATE_TEST_SUITE_P(Profiles, KernelToSpirv, testing::Values(false, true),
                         [](const testing::TestParamInfo<bool>& info) { return info.param ? "Lowest" : "Device"; });

// z[0] = opcode(x[0])
Kernel UnaryKernel(HloOpcode opcode, PrimitiveType type) {
  KernelBuilder b("unary");
  const int x = b.AddBuffer("x", type, 1, KernelBuffer::Use::kRead);
  const int z = b.AddBuffer("z", type, 1, KernelBuffer::Use::kWrite);
  b.Phase(1, [&](KernelValue) { b.Store(z, b.Index(0), b.Unary(opcode, b.Load(x, b.Index(0)))); });
  return std::move(b).Finish();
}

// A product and a sum that kernel IR rounds apart must not become one operation.
TEST(CompileToSpirv, LetsNoFloatOperationBeContracted) {
  KernelBuilder b("sum");
  const int x = b.AddBuffer("x", F32, 8, KernelBuffer::Use::kRead);
  const int z = b.AddBuffer("z", F32, 8, KernelBuffer::Use::kWrite);
  b.Phase(8, [&](KernelValue i) {
    const KernelValue a = b.Load(x, i);
    const KernelValue product = b.Binary(HloOpcode::kMultiply, a, a);
    b.Store(z, i, b.Binary(HloOpcode::kSubtract, b.Binary(HloOpcode::kAdd, product, a), b.Unary(HloOpcode::kExp, a)));
  });
  const auto code = CompileToSpirv(std::move(b).Finish(), SpirvTarget());
  ASSERT_TRUE(code.ok()) << code.status();
  const std::vector<uint32_t>& words = code->phases[0].words;
  std::set<uint32_t> exact, computed;
  constexpr size_t kHeaderWords = 5;
  for (size_t at = kHeaderWords; at < words.size(); at += words[at] >> 16) {
    const auto op = static_cast<spv::Op>(words[at] & 0xFFFF);
    if (op == spv::Op::OpDecorate && words[at + 2] == static_cast<uint32_t>(spv::Decoration::NoContraction)) {
      exact.insert(words[at + 1]);
    }
    if (op == spv::Op::OpFAdd || op == spv::Op::OpFSub || op == spv::Op::OpFMul) computed.insert(words[at + 2]);
  }
  EXPECT_GE(computed.size(), 3u);
  EXPECT_THAT(exact, testing::IsSupersetOf(computed));
}

TEST(SpirvSupports, NamesWhatThereIsNoCodeFor) {
  SpirvTarget target;
  EXPECT_TRUE(SpirvSupports(UnaryKernel(HloOpcode::kSin, F32), target).ok());
  EXPECT_EQ(
      SpirvSupports(UnaryKernel(HloOpcode::kSin, F64), target).message(),
      "backend vulkan has no code for f64: the device lacks it (shaderFloat64); the interpreter and the backend cpu "
      "run it");
  EXPECT_TRUE(SpirvSupports(UnaryKernel(HloOpcode::kSin, C64), target).ok());
  EXPECT_TRUE(SpirvSupports(UnaryKernel(HloOpcode::kSign, C64), target).ok());
  target.has_f64 = true;
  EXPECT_TRUE(SpirvSupports(UnaryKernel(HloOpcode::kSin, F64), target).ok());
  EXPECT_TRUE(SpirvSupports(UnaryKernel(HloOpcode::kSign, C64), target).ok());
  EXPECT_TRUE(SpirvSupports(UnaryKernel(HloOpcode::kSin, C128), target).ok());
  EXPECT_TRUE(SpirvSupports(UnaryKernel(HloOpcode::kSign, C128), target).ok());
}

// Six buffers, of which the first four are in one memory and two in another.
TEST(SpirvOptions, PutsBuffersOfOneMemoryTogether) {
  KernelBuilder b("memories");
  for (int i = 0; i < 6; ++i) b.AddBuffer(absl::StrCat("b", i), S32, 8, KernelBuffer::Use::kReadWrite);
  b.Phase(1, [&](KernelValue) {
    for (int i = 0; i < 5; ++i) b.Store(i + 1, b.Index(0), b.Load(i, b.Index(0)));
  });
  const Kernel kernel = std::move(b).Finish();
  SpirvOptions options;
  options.memory_of = {0, 0, 0, 0, 1, 1};
  auto code = CompileToSpirv(kernel, SpirvTarget(), options);
  ASSERT_TRUE(code.ok()) << code.status();
  EXPECT_EQ(code->phases[0].bindings, (std::vector<std::vector<int>>{{0, 1, 2, 3}, {4}, {5}}));
  EXPECT_EQ(code->phases[0].offsets, (std::vector<int>{0, 1, 2, 3}));
  options.memory_of = {0, 1, 2, 3, 4, 5};
  code = CompileToSpirv(kernel, SpirvTarget(), options);
  EXPECT_EQ(code.status().message(),
            "backend vulkan has no code for buffers that take 6 bindings in one phase: the device has 4 of 134217728 "
            "bytes; the interpreter and the backend cpu run it");
}

// z[tile] = a sum of `count` numbers, or a number that a loop ends at.
Kernel LongLoop(int64_t count, bool is_bounded) {
  KernelBuilder b("long");
  const int x = b.AddBuffer("x", S32, 64, KernelBuffer::Use::kRead);
  const int z = b.AddBuffer("z", S32, 8, KernelBuffer::Use::kWrite);
  b.Phase(8, [&](KernelValue tile) {
    const KernelValue first = b.Load(x, tile);
    if (is_bounded) {
      const auto add = [&](KernelValue i, absl::Span<const KernelValue> state) {
        return KernelBuilder::Values{b.Binary(HloOpcode::kAdd, state[0], b.Load(x, b.Remainder(i, 64)))};
      };
      b.Store(z, tile, b.ForWithState(b.Index(count), {first}, add)[0]);
      return;
    }
    const auto goes_on = [&](absl::Span<const KernelValue> state) {
      return b.Compare(ComparisonDirection::kLt, state[0], b.Constant(Literal::Scalar<int32_t>(9)));
    };
    const auto next = [&](absl::Span<const KernelValue> state) {
      return KernelBuilder::Values{b.Binary(HloOpcode::kAdd, state[0], state[0])};
    };
    b.Store(z, tile, b.While({first}, goes_on, next)[0]);
  });
  return std::move(b).Finish();
}

TEST(SpirvSupports, RefusesLoopsThatADriverLeaves) {
  SpirvTarget target;
  EXPECT_TRUE(SpirvSupports(LongLoop(100000, true), target).ok());
  EXPECT_TRUE(SpirvSupports(LongLoop(100000, false), target).ok());
  target.most_iterations = 65535;
  EXPECT_TRUE(SpirvSupports(LongLoop(4000000, true), target).ok());
  EXPECT_EQ(
      SpirvSupports(LongLoop(4500000, true), target).message(),
      "backend vulkan has no code for loops of 4.5e+06 iterations in one invocation: the driver leaves loops after "
      "65535; the interpreter and the backend cpu run it");
  EXPECT_EQ(
      SpirvSupports(LongLoop(0, false), target).message(),
      "backend vulkan has no code for loops of which only the run tells how long they are: the driver leaves loops "
      "after 65535; the interpreter and the backend cpu run it");
}

TEST(SpirvSupports, RefusesSizesThatAWordCannotCount) {
  KernelBuilder b("large");
  const int z = b.AddBuffer("z", F32, int64_t{1} << 40, KernelBuffer::Use::kWrite);
  b.Phase(1, [&](KernelValue) { b.Store(z, b.Index(0), b.Constant(Literal::Scalar(1.0f))); });
  const absl::Status status = SpirvSupports(std::move(b).Finish(), SpirvTarget());
  EXPECT_TRUE(absl::IsUnimplemented(status));
  EXPECT_THAT(status.message(), HasSubstr("a buffer of 1099511627776 f32"));
}

}  // namespace
}  // namespace vulkan
}  // namespace xla
