// The product of two matrices that need not exist as such: result[b][m][n] = sum over k of lhs[b][m][k] * rhs[b][k][n],
// in double, complex double or wrapping 64-bit integers.
//
// The result is cut into tiles of kBlockRows by kBlockColumns. For each tile, and kBlockInner values of k at a time, a
// packer copies the two pieces of the operands into buffers that fit a cache, widened; a convolution packs the patches
// of its input there, so that they never exist all at once. The tiles are the unit of parallel work; memory is a few
// megabytes per thread whatever the size of the operands. Sums run in the order of k (see matmul_kernel.h).
#ifndef XLA_CORE_OPS_TILED_MATMUL_H_
#define XLA_CORE_OPS_TILED_MATMUL_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "xla_core/ops/eval_context.h"
#include "xla_core/ops/matmul_kernel.h"

namespace xla {

// A piece of an operand that is to be packed: `count` rows of lhs (columns of rhs) for `inner_count` values of k.
struct MatmulBlock {
  int64_t batch;
  int64_t begin;        // first row of lhs or column of rhs
  int64_t count;        // of these
  int64_t inner_begin;  // first k
  int64_t inner_count;  // of these
};

// How a caller brings operands in and takes tiles out. Wide: the type that sums run in. Methods are called from
// several threads at once, each for blocks and tiles of its own.
template <typename Wide>
class MatmulOperands {
 public:
  virtual ~MatmulOperands() = default;
  // packed[row * inner_count + k]. Where *valid is not null, packers that skip products (see SkipsProducts) set
  // valid[row * inner_count + k] too.
  virtual void PackLhs(const MatmulBlock& block, Wide* packed, uint8_t* valid) const = 0;
  // In panels of kTileColumns columns: packed[panel * inner_count * kTileColumns + k * kTileColumns + column], columns
  // beyond the last being zero.
  virtual void PackRhs(const MatmulBlock& block, Wide* packed) const = 0;
  // Takes one finished tile: element (m, n) is sums[m * pitch + n].
  virtual void Store(int64_t batch, int64_t m_begin, int64_t m_count, int64_t n_begin, int64_t n_count,
                     const Wide* sums, int64_t pitch) const = 0;
  // True if products where PackLhs says "not valid" must be left out even when rhs is not finite.
  virtual bool SkipsProducts() const { return false; }
};

// The sizes of the product; lhs is [batch, m, k], rhs [batch, k, n].
struct MatmulSizes {
  int64_t batch;
  int64_t m;
  int64_t n;
  int64_t k;
};

// Errors: whatever the context's ParallelFor returns (deadline, cancellation); ResourceExhausted if its limit of memory
// leaves no room for the buffers.
template <typename Wide>
absl::Status TiledMatmul(const MatmulSizes& sizes, const MatmulOperands<Wide>& operands, EvalContext& context);

}  // namespace xla

#endif  // XLA_CORE_OPS_TILED_MATMUL_H_
