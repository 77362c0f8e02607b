// What random kernels have too rarely: many tiles, much scratch, many buffers; and what there is no code for.
#include "backends/vulkan/codegen/kernel_to_spirv.h"

#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/kernel_ir/kernel_builder.h"
#include "backends/vulkan/codegen/testing/device_kernels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

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
  std::vector<int32_t> Run(const Kernel& kernel) {
    const auto code = CompileToSpirv(kernel, device_->target());
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
  EXPECT_EQ(code_.in_one_binding, device_->facts().storage_buffers < kBuffers);
  ASSERT_EQ(words.size(), static_cast<size_t>(kCount));
  for (int64_t i = 0; i < kCount; ++i) EXPECT_EQ(words[i], 60 * i + 15);
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

TEST(SpirvSupports, NamesWhatThereIsNoCodeFor) {
  SpirvTarget target;
  EXPECT_TRUE(SpirvSupports(UnaryKernel(HloOpcode::kSin, F32), target).ok());
  EXPECT_EQ(
      SpirvSupports(UnaryKernel(HloOpcode::kSin, F64), target).message(),
      "backend vulkan has no code for f64: the device lacks it (shaderFloat64); the interpreter and the backend cpu "
      "run it");
  target.has_f64 = true;
  EXPECT_TRUE(SpirvSupports(UnaryKernel(HloOpcode::kSin, F64), target).ok());
  EXPECT_EQ(
      SpirvSupports(UnaryKernel(HloOpcode::kSin, C64), target).message(),
      "backend vulkan has no code for sine of c64: functions of complex numbers are not written; the interpreter and "
      "the backend cpu run it");
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
