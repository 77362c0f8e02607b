// ProductProgram: a matrix product of fixed shape, ready to be run.
//
// It is run in phases, one after the other; the tiles of a phase may run at the same time, in any order, on any thread.
// How many there are, and so every bit of the result, depends on the shape and the processor only.
#ifndef BACKENDS_CPU_LIBRARY_PRODUCT_PROGRAM_H_
#define BACKENDS_CPU_LIBRARY_PRODUCT_PROGRAM_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "backends/cpu/library/product_tiling.h"
#include "passes/analyses/strided_dot.h"
#include "xla_core/types/primitive_type.h"

namespace xla {

struct ProductTypes {
  PrimitiveType lhs, rhs, result;
};

class ProductProgram {
 public:
  // Addresses of the first elements. Arrays have the alignment of their elements at least.
  struct Buffers {
    const void* lhs;
    const void* rhs;
    void* result;
    void* workspace;  // workspace_bytes(), 64-byte aligned
  };

  virtual ~ProductProgram() = default;
  ProductProgram(const ProductProgram&) = delete;
  ProductProgram& operator=(const ProductProgram&) = delete;

  // What computes it, for reports: "onednn", "packed", "vector".
  virtual const char* kind() const = 0;
  // Bytes that all tiles of a run share.
  int64_t workspace_bytes() const { return workspace_bytes_; }
  // Bytes for each thread, 64-byte aligned, with any contents.
  int64_t scratch_bytes() const { return scratch_bytes_; }

  virtual int phase_count() const { return tiling_.k_tiles > 1 ? 2 : 1; }
  virtual int64_t tile_count(int phase) const { return phase == 0 ? tiling_.TileCount() : 1; }
  virtual void RunTile(int phase, int64_t tile, const Buffers& buffers, void* scratch) const;
  double FlopCount() const { return tiling_.FlopCount(); }

 protected:
  ProductProgram(const StridedDot& product, const ProductTypes& types);

  virtual void RunBlock(const ProductBlock& block, const Buffers& buffers, void* scratch) const = 0;
  // Adds what the tiles of k have left in the workspace.
  virtual void AddBlocks(const Buffers& buffers) const;

  // Element offsets of a batch.
  StridedDot::Batch OffsetsOf(int64_t batch) const;

  const StridedDot product_;
  const ProductTypes types_;
  ProductTiling tiling_;
  int64_t workspace_bytes_ = 0;
  int64_t scratch_bytes_ = 0;
};

// Errors: Unimplemented, with the reason.
absl::StatusOr<std::unique_ptr<ProductProgram>> MakeProductProgram(const StridedDot& product,
                                                                   const ProductTypes& types);

// The same from a dot instruction; by its layouts.
absl::StatusOr<std::unique_ptr<ProductProgram>> MakeDotProgram(const HloInstruction& dot);

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_PRODUCT_PROGRAM_H_
