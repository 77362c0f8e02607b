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

constexpr int64_t kChainCount = 50;

// Adds 10 i + k to element i of buffer k, from the first to the last one, of as many elements as `counts` says.
Kernel ChainOfBuffers(absl::Span<const int64_t> counts) {
  KernelBuilder b("buffers");
  for (size_t i = 0; i < counts.size(); ++i) {
    b.AddBuffer(absl::StrCat("b", i), S32, counts[i], KernelBuffer::Use::kReadWrite);
  }
  b.Phase(1, [&](KernelValue) {
    b.For(b.Index(kChainCount), LoopSchedule::kPlain, true, [&](KernelValue i) {
      for (int k = 0; k + 1 < static_cast<int>(counts.size()); ++k) {
        const KernelValue number = b.Convert(b.Affine({{10, i}}, k), S32);
        b.Store(k + 1, i, b.Binary(HloOpcode::kAdd, b.Load(k, i), number));
      }
    });
  });
  return std::move(b).Finish();
}

// More buffers than the lowest profile has bindings; than it has push constants for; than other devices have.
TEST_P(KernelToSpirv, TakesMoreBuffersThanBindings) {
  for (const int64_t buffers : {7, 36, 80}) {
    const std::vector<int32_t> words =
        Run(ChainOfBuffers(std::vector<int64_t>(static_cast<size_t>(buffers), kChainCount)));
    EXPECT_LE(code_.phases[0].bindings.size(), device_->target().storage_buffers);
    ASSERT_EQ(words.size(), static_cast<size_t>(kChainCount));
    for (int64_t i = 0; i < kChainCount; ++i) {
      EXPECT_EQ(words[i], (buffers - 1) * 10 * i + (buffers - 1) * (buffers - 2) / 2) << buffers;
    }
  }
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

using Bindings = std::vector<std::vector<int>>;

SpirvPhase PhaseOf(absl::Span<const int64_t> counts, const SpirvTarget& target = {}) {
  const auto code = CompileToSpirv(ChainOfBuffers(counts), target);
  EXPECT_TRUE(code.ok()) << code.status();
  return code.ok() ? code->phases[0] : SpirvPhase();
}

TEST(CompileToSpirv, LetsTheSmallestBuffersShareABinding) {
  const SpirvPhase phase = PhaseOf({70, 50, 80, 60, 90, 50});
  EXPECT_EQ(phase.bindings, (Bindings{{0}, {2}, {4}, {1, 3, 5}}));
  EXPECT_EQ(phase.offsets, (std::vector<int>{1, 3, 5}));
}

TEST(CompileToSpirv, PacksBuffersThatAreTooLargeForOneBinding) {
  SpirvTarget target;
  target.storage_range_bytes = 1024;
  EXPECT_EQ(PhaseOf({128, 128, 128, 64, 192, 50, 200}, target).bindings, (Bindings{{6}, {4, 3}, {0, 1}, {2, 5}}));
  EXPECT_EQ(SpirvSupports(ChainOfBuffers({256, 256, 256, 256, 50}), target).message(),
            "backend vulkan has no code for buffers that take 5 bindings in one phase: the device has 4 of 1024 bytes; "
            "the interpreter and the backend cpu run it");
}

TEST(CompileToSpirv, PutsOffsetsThatPushConstantsDoNotHoldInATable) {
  SpirvTarget target;
  target.push_constant_words = 4;
  EXPECT_EQ(PhaseOf(std::vector<int64_t>(7, 50), target).bindings, (Bindings{{0}, {1}, {2}, {3, 4, 5, 6}}));
  const SpirvPhase phase = PhaseOf(std::vector<int64_t>(8, 50), target);
  EXPECT_EQ(phase.bindings, (Bindings{{0}, {1}, {2, 3, 4, 5, 6, 7}, {SpirvPhase::kTableBinding}}));
  EXPECT_EQ(phase.offsets, (std::vector<int>{2, 3, 4, 5, 6, 7}));
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
