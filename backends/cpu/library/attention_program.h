// AttentionProgram: two products and what is done to each row in between, some rows at a time.
//
// A block of rows of scores, and what is made of it, stays in the caches of a processor. A tile is several blocks
// that have the same keys and values, which it reorders once as the products need. Blocks and tiles
// depend on the shapes alone.
#ifndef BACKENDS_CPU_LIBRARY_ATTENTION_PROGRAM_H_
#define BACKENDS_CPU_LIBRARY_ATTENTION_PROGRAM_H_

#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "backends/cpu/library/product/product_program.h"
#include "passes/analyses/strided_attention.h"
#include "xla_core/types/primitive_type.h"

namespace xla {

struct AttentionTypes {
  PrimitiveType queries, keys, scores;
  PrimitiveType weights, values, result;  // weights: what is made of the scores
};

class AttentionProgram {
 public:
  // Addresses of the first elements.
  struct Buffers {
    const void* queries = nullptr;
    const void* keys = nullptr;
    const void* values = nullptr;
    void* result = nullptr;
  };
  // Makes a row of weights out of one of scores, number `row` of all.
  using MakeWeights = absl::FunctionRef<void(int64_t row, const void* scores, void* weights)>;

  // Unimplemented, with the reason, for types that have no product.
  static absl::StatusOr<std::unique_ptr<AttentionProgram>> Make(const StridedAttention& attention,
                                                                const AttentionTypes& types);
  ~AttentionProgram();

  int64_t tile_count() const { return matrices_ * parts_; }
  // Bytes for each thread, 64-byte aligned, with any contents.
  int64_t scratch_bytes() const { return scratch_bytes_; }
  void RunTile(int64_t tile, const Buffers& buffers, void* scratch, MakeWeights make_weights) const;

 private:
  // The two products of blocks of one size.
  struct Products;
  struct Tile;

  AttentionProgram(const StridedAttention& attention, const AttentionTypes& types);
  absl::StatusOr<std::unique_ptr<Products>> MakeProducts(int64_t rows);
  void RunBlock(const Products& products, const Tile& tile, int64_t row, MakeWeights make_weights) const;
  int64_t TakeScratch(int64_t bytes);

  const StridedAttention attention_;
  const AttentionTypes types_;
  int64_t matrices_;
  int64_t row_pitch_;  // elements from one row of scores to the next, and of weights
  int64_t block_rows_;
  int64_t part_rows_;  // of a tile
  int64_t parts_;      // tiles of a matrix
  int64_t scratch_bytes_ = 0;
  int64_t scores_at_ = 0, weights_at_ = 0;  // in scratch
  std::unique_ptr<Products> products_;
  std::unique_ptr<Products> last_products_;  // of the last block of a matrix, if that is smaller
};

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_ATTENTION_PROGRAM_H_
