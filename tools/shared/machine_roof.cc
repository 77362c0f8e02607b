#include "tools/shared/machine_roof.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace xla {
namespace {

// More than caches hold, except for the largest machines.
constexpr int64_t kHalfBytes = int64_t{128} << 20;
constexpr int kRounds = 3;

// What the loops compute goes here, so that the compiler cannot leave them out.
std::atomic<uint64_t> kept{0};

// The shortest of several calls, in seconds.
double BestSeconds(int rounds, const std::function<void()>& work) {
  absl::Duration best = absl::InfiniteDuration();
  for (int i = 0; i < rounds; ++i) {
    const absl::Time start = absl::Now();
    work();
    best = std::min(best, absl::Now() - start);
  }
  return std::max(1e-9, absl::ToDoubleSeconds(best));
}

// ---- Memory

uint64_t ReadAll(const char* data, int64_t bytes) {
  constexpr int64_t kStep = 64;
  using Lanes [[gnu::vector_size(64)]] = uint64_t;
  Lanes sum = {};
  for (int64_t i = 0; i + kStep <= bytes; i += kStep) {
    Lanes next;
    std::memcpy(&next, data + i, kStep);
    sum ^= next;
  }
  return sum[0] ^ sum[1] ^ sum[2] ^ sum[3] ^ sum[4] ^ sum[5] ^ sum[6] ^ sum[7];
}

double MeasureBytesPerSecond(ThreadPool& pool) {
  void* const memory = mmap(nullptr, 2 * kHalfBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 0;
  madvise(memory, 2 * kHalfBytes, MADV_HUGEPAGE);
  char* const from = static_cast<char*>(memory);
  char* const to = from + kHalfBytes;
  const int64_t share = (kHalfBytes / pool.num_threads() + 4095) / 4096 * 4096;
  const auto on_all_threads = [&](const std::function<void(int64_t begin, int64_t bytes)>& work) {
    pool.ParallelFor(kHalfBytes, share, [&](int64_t begin, int64_t end) { work(begin, end - begin); });
  };
  // Pages that nothing has written to are all the same zeros, and not in memory at all.
  on_all_threads([&](int64_t begin, int64_t bytes) {
    std::memset(from + begin, 1, bytes);
    std::memset(to + begin, 2, bytes);
  });
  const double reading = BestSeconds(
      kRounds, [&] { on_all_threads([&](int64_t begin, int64_t bytes) { kept ^= ReadAll(from + begin, bytes); }); });
  const double copying = BestSeconds(kRounds, [&] {
    on_all_threads([&](int64_t begin, int64_t bytes) { std::memcpy(to + begin, from + begin, bytes); });
  });
  kept ^= static_cast<uint64_t>(to[kHalfBytes - 1]);
  munmap(memory, 2 * kHalfBytes);
  return static_cast<double>(kHalfBytes) * std::max(1 / reading, 2 / copying);
}

// ---- Arithmetic

// Enough sums that no multiply-add waits for another one.
constexpr int kSums = 12;
constexpr int64_t kTurns = 200'000;

#if defined(__x86_64__)

__attribute__((target("avx512f"))) float MultiplyAdd512() {
  __m512 sums[kSums];
#pragma GCC unroll 12
  for (int i = 0; i < kSums; ++i) sums[i] = _mm512_set1_ps(static_cast<float>(i));
  const __m512 factor = _mm512_set1_ps(0.5f);
  for (int64_t turn = 0; turn < kTurns; ++turn) {
#pragma GCC unroll 12
    for (int i = 0; i < kSums; ++i) sums[i] = _mm512_fmadd_ps(sums[i], factor, factor);
  }
  for (int i = 1; i < kSums; ++i) sums[0] = _mm512_add_ps(sums[0], sums[i]);
  return _mm512_cvtss_f32(sums[0]);
}

__attribute__((target("avx2,fma"))) float MultiplyAdd256() {
  __m256 sums[kSums];
#pragma GCC unroll 12
  for (int i = 0; i < kSums; ++i) sums[i] = _mm256_set1_ps(static_cast<float>(i));
  const __m256 factor = _mm256_set1_ps(0.5f);
  for (int64_t turn = 0; turn < kTurns; ++turn) {
#pragma GCC unroll 12
    for (int i = 0; i < kSums; ++i) sums[i] = _mm256_fmadd_ps(sums[i], factor, factor);
  }
  for (int i = 1; i < kSums; ++i) sums[0] = _mm256_add_ps(sums[0], sums[i]);
  return _mm256_cvtss_f32(sums[0]);
}

#endif

// A multiplication and an addition in vectors that every processor of the kind has.
float MultiplyAdd128() {
  using Lanes [[gnu::vector_size(16)]] = float;
  Lanes sums[kSums];
#pragma GCC unroll 12
  for (int i = 0; i < kSums; ++i) sums[i] = Lanes{} + static_cast<float>(i);
  const Lanes factor = Lanes{} + 0.5f;
  for (int64_t turn = 0; turn < kTurns; ++turn) {
#pragma GCC unroll 12
    for (int i = 0; i < kSums; ++i) sums[i] = sums[i] * factor + factor;
  }
  for (int i = 1; i < kSums; ++i) sums[0] += sums[i];
  return sums[0][0];
}

struct ArithmeticLoop {
  float (*run)();
  int lanes;
};

ArithmeticLoop WidestLoop() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return {&MultiplyAdd512, 16};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {&MultiplyAdd256, 8};
#endif
  return {&MultiplyAdd128, 4};
}

double MeasureFlopsPerSecond(ThreadPool& pool) {
  const ArithmeticLoop loop = WidestLoop();
  const int threads = pool.num_threads();
  const double seconds = BestSeconds(4 * kRounds, [&] {
    pool.ParallelFor(threads, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) kept ^= static_cast<uint64_t>(loop.run());
    });
  });
  return 2.0 * loop.lanes * kSums * static_cast<double>(kTurns) * threads / seconds;
}

}  // namespace

double MachineRoof::LeastSeconds(double bytes, double flops) const {
  const double moving = bytes_per_second > 0 ? bytes / bytes_per_second : 0;
  const double computing = flops_per_second > 0 ? flops / flops_per_second : 0;
  return std::max(moving, computing);
}

MachineRoof MeasureMachineRoof(ThreadPool& pool) {
  MachineRoof roof;
  roof.bytes_per_second = MeasureBytesPerSecond(pool);
  roof.flops_per_second = MeasureFlopsPerSecond(pool);
  return roof;
}

}  // namespace xla
