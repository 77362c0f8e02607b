#include "backends/host/streaming_copy.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "gtest/gtest.h"

namespace xla {
namespace {

TEST(CopyStreaming, CopiesAnyNumberOfBytesToAnyPlace) {
  std::vector<unsigned char> from(700);
  std::iota(from.begin(), from.end(), 1);
  for (const int64_t bytes : {0, 1, 15, 64, 65, 200, 512}) {
    for (const int64_t offset : {0, 1, 16, 63, 64, 100}) {
      std::vector<unsigned char> to(700, 0), want(700, 0);
      std::copy(from.begin() + 3, from.begin() + 3 + bytes, want.begin() + offset);
      CopyStreaming(to.data() + offset, from.data() + 3, bytes);
      EXPECT_EQ(to, want) << bytes << " bytes to " << offset;
    }
  }
}

}  // namespace
}  // namespace xla
