// Copies of arrays that are too large for caches.
#ifndef BACKENDS_HOST_STREAMING_COPY_H_
#define BACKENDS_HOST_STREAMING_COPY_H_

#include <cstdint>

namespace xla {

// Arrays of more bytes are better copied past the caches: whoever reads the copy would find little of it there, and
// what is written over is not read first.
inline constexpr int64_t kStreamedCopyBytes = int64_t{12} << 20;

// memcpy past the caches, where the processor has stores for that.
void CopyStreaming(void* to, const void* from, int64_t bytes);

}  // namespace xla

#endif  // BACKENDS_HOST_STREAMING_COPY_H_
