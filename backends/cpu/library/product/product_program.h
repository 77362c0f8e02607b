// ProductProgram: a matrix product of fixed shape, ready to be run.
#ifndef BACKENDS_CPU_LIBRARY_PRODUCT_PRODUCT_PROGRAM_H_
#define BACKENDS_CPU_LIBRARY_PRODUCT_PRODUCT_PROGRAM_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "backends/cpu/library/product/product_tiling.h"
#include "backends/cpu/library/product/tiled_program.h"
#include "passes/analyses/strided_dot.h"
#include "xla_core/types/primitive_type.h"

namespace xla {

struct ProductTypes {
  PrimitiveType lhs, rhs, result;
};

class ProductProgram : public TiledProgram {
 public:
  int phase_count() const override { return tiling_.k_tiles > 1 ? 2 : 1; }
  int64_t tile_count(int phase) const override { return phase == 0 ? tiling_.TileCount() : 1; }
  void RunTile(int phase, int64_t tile, const Buffers& buffers, void* scratch) const override;
  double FlopCount() const override { return tiling_.FlopCount(); }
  bool SetEpilogue(std::shared_ptr<const ProductEpilogue> epilogue) override;

 protected:
  ProductProgram(const StridedDot& product, const ProductTypes& types);

  virtual void RunBlock(const ProductBlock& block, const Buffers& buffers, void* scratch) const = 0;
  // Adds what the tiles of k have left in the workspace.
  virtual void AddBlocks(const Buffers& buffers) const;

  // Rows and columns of a batch, whose first element is at `offset`, hold the sums.
  void FinishRows(const Buffers& buffers, int64_t offset, int64_t m, int64_t m_count, int64_t n, int64_t n_count) const;

  // Element offsets of a batch.
  StridedDot::Batch OffsetsOf(int64_t batch) const;

  const StridedDot product_;
  const ProductTypes types_;
  ProductTiling tiling_;
};

// Operands that are the same in every run, so that what TiledProgram prepares is prepared once.
struct FixedOperands {
  bool lhs = false, rhs = false;
};

// Errors: Unimplemented, with the reason.
absl::StatusOr<std::unique_ptr<ProductProgram>> MakeProductProgram(const StridedDot& product, const ProductTypes& types,
                                                                   const FixedOperands& fixed = {});

// A product whose rhs is stored as types.rhs and becomes f32 by the prologue. nullptr if there is none for these types.
std::unique_ptr<ProductProgram> MakeDequantizingProgram(const StridedDot& product, const ProductTypes& types,
                                                        std::shared_ptr<const ProductPrologue> prologue);

// The same from a dot instruction; by its layouts.
absl::StatusOr<std::unique_ptr<ProductProgram>> MakeDotProgram(const HloInstruction& dot,
                                                               const FixedOperands& fixed = {});

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_PRODUCT_PRODUCT_PROGRAM_H_
