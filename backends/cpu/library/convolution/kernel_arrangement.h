// Brings the kernel of a convolution into the order of elements that oneDNN's code needs.
#ifndef BACKENDS_CPU_LIBRARY_CONVOLUTION_KERNEL_ARRANGEMENT_H_
#define BACKENDS_CPU_LIBRARY_CONVOLUTION_KERNEL_ARRANGEMENT_H_

#include <cstdint>
#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

#include "absl/types/optional.h"
#include "backends/cpu/library/convolution/convolution_geometry.h"

namespace xla {

// An element's place is the sum of what its group, features and positions say, on both sides.
class KernelArrangement {
 public:
  // `wanted` as (groups,) outputs, inputs, spatial; nullopt if it needs more than another order.
  static absl::optional<KernelArrangement> Make(const ConvolutionGeometry& geometry, const dnnl::memory::desc& wanted);

  // Nothing needs to be moved.
  bool IsIdentity() const;
  int64_t tile_count() const { return tiles_; }
  // Tiles write different elements. Any of them may have bytes beside elements to be cleared.
  void RunTile(int64_t tile, const void* from, void* to) const;

 private:
  struct Axis {
    std::vector<int64_t> from, to;
  };
  template <typename T>
  void Copy(int64_t begin, int64_t end, const T* from, T* to) const;

  int width_ = 4;
  int64_t bytes_ = 0;
  bool has_padding_ = false;
  int64_t tiles_ = 1;
  int64_t run_ = 1;                  // outputs that follow each other on both sides
  bool positions_are_near_ = false;  // nearer to each other in the source than inputs
  Axis groups_, outputs_, inputs_, positions_;
};

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_CONVOLUTION_KERNEL_ARRANGEMENT_H_
