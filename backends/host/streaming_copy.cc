#include "backends/host/streaming_copy.h"

#include <algorithm>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace xla {

#if defined(__SSE2__)

// Copies with stores that bypass the cache. The ends, up to a cache line, are copied as usual, since streaming stores
// are aligned; a fence makes the data visible to other threads.
void CopyStreaming(void* to, const void* from, int64_t bytes) {
  constexpr int64_t kCacheLine = 64;
  auto* target = static_cast<char*>(to);
  const auto* source = static_cast<const char*>(from);
  const auto misaligned = static_cast<int64_t>(reinterpret_cast<uintptr_t>(target) % kCacheLine);
  const int64_t head = std::min(bytes, (kCacheLine - misaligned) % kCacheLine);
  std::memcpy(target, source, head);
  int64_t i = head;
  for (; i + kCacheLine <= bytes; i += kCacheLine) {
    __m128i parts[4];
    for (int p = 0; p < 4; ++p) parts[p] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + i) + p);
    for (int p = 0; p < 4; ++p) _mm_stream_si128(reinterpret_cast<__m128i*>(target + i) + p, parts[p]);
  }
  std::memcpy(target + i, source + i, bytes - i);
  _mm_sfence();
}

#else

void CopyStreaming(void* to, const void* from, int64_t bytes) { std::memcpy(to, from, bytes); }

#endif

}  // namespace xla
