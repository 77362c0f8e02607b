// ConvolutionMatcher: which dimension of a convolution is which.
#ifndef BUILDERS_NNEF2_RECOGNITION_CONVOLUTION_MATCHER_H_
#define BUILDERS_NNEF2_RECOGNITION_CONVOLUTION_MATCHER_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "builders/nnef2/recognition/window_input.h"

namespace xla {
namespace nnef2 {

// The indices of an array, and its extents.
struct IndexedArray {
  std::vector<const NestNode*> nodes;
  std::vector<AffineIndex> indices;
  std::vector<MovedIndex> moved;  // the same with what moves them
  std::vector<int64_t> extents;
  const Shape* shape = nullptr;

  bool Uses(int loop) const {
    return std::any_of(indices.begin(), indices.end(), [&](const AffineIndex& index) { return index.Uses(loop); });
  }
};

// None: an index is not affine.
absl::optional<IndexedArray> ArrayOf(const NestLowering& lowering, int tensor,
                                     const std::vector<const NestNode*>& nodes, size_t num_loops);

// Where the dimensions of a convolution are.
struct ConvolutionParts {
  ConvolutionDimensionNumbers numbers;
  int64_t groups = 1;
  std::vector<WindowIndex> windows;
  bool is_transposed = false;
};

class ConvolutionMatcher {
 public:
  ConvolutionMatcher(const StatementNest& nest, const IndexedArray& image, const IndexedArray& filter,
                     const IndexedArray& output)
      : nest_(nest), image_(image), filter_(filter), output_(output) {}

  // None: the statement is not a convolution of these.
  absl::optional<ConvolutionParts> Match();

 private:
  enum class Role { kBatch, kGroup, kIn, kOut, kPlace, kItem };

  // Batch and places: image and output. Groups: all three. Channels that go in: image and filter. Channels that come
  // out: filter and output. Items of windows: the filter, and either the image or, of transposed ones, the output. The
  // latter two of each pair are distinguished by what they share an index with.
  bool SortLoops();
  // A loop of the image and output, and one of the filter that `plain` does not have, in one index.
  bool IsWindow(const AffineIndex& index, const IndexedArray& plain) const;
  // The dimension whose index is that loop, which counts through all of it; -1 if there is none.
  int64_t PlainDimension(const IndexedArray& array, int loop) const;
  // Where an extent that varies ends, so does the loop.
  bool EndsWithLoop(const IndexedArray& array, int64_t dimension, int loop) const;
  bool FindSpatial();
  bool CheckGuards() const;
  bool FindBatch();
  // The loop of a role; -1 if there is none, and *is_unique false if there are several.
  int LoopOf(Role role, bool* is_unique) const;
  // The dimension that counts through groups and, in each, through `loop`; -1 if there is none.
  int64_t ChannelDimension(const IndexedArray& array, int group, int loop) const;
  bool FindChannels();

  const StatementNest& nest_;
  const IndexedArray& image_;
  const IndexedArray& filter_;
  const IndexedArray& output_;
  std::vector<Role> roles_;  // by loop
  size_t guarded_ = 0;
  ConvolutionParts parts_;
};

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_RECOGNITION_CONVOLUTION_MATCHER_H_
