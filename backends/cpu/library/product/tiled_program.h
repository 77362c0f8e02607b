// TiledProgram: work of fixed shapes that is cut into tiles.
//
// It is run in phases, one after the other; the tiles of a phase may run at the same time, in any order, on any thread,
// and for several runs at once. How many there are, and so every bit of the result, depends on shapes and the processor
// only.
#ifndef BACKENDS_CPU_LIBRARY_PRODUCT_TILED_PROGRAM_H_
#define BACKENDS_CPU_LIBRARY_PRODUCT_TILED_PROGRAM_H_

#include <cstdint>
#include <memory>

#include "backends/cpu/library/product/product_epilogue.h"
#include "backends/cpu/library/product/product_prologue.h"

namespace xla {

class TiledProgram {
 public:
  // Addresses of the first elements. Arrays have the alignment of their elements at least.
  struct Buffers {
    const void* lhs = nullptr;
    const void* rhs = nullptr;
    void* result = nullptr;
    void* workspace = nullptr;           // workspace_bytes(), 64-byte aligned
    const void* prepared_rhs = nullptr;  // see PrepareRhs
    // What the epilogue reads besides the result, and the prologue besides rhs.
    const void* const* epilogue_arguments = nullptr;
    const void* const* prologue_arguments = nullptr;
  };

  virtual ~TiledProgram() = default;
  TiledProgram(const TiledProgram&) = delete;
  TiledProgram& operator=(const TiledProgram&) = delete;

  // What computes it, for reports: "onednn", "packed", "vector".
  virtual const char* kind() const = 0;
  // Bytes that all tiles of a run share.
  int64_t workspace_bytes() const { return workspace_bytes_; }
  // Bytes for each thread, 64-byte aligned, with any contents.
  int64_t scratch_bytes() const { return scratch_bytes_; }

  virtual int phase_count() const = 0;
  virtual int64_t tile_count(int phase) const = 0;
  virtual void RunTile(int phase, int64_t tile, const Buffers& buffers, void* scratch) const = 0;
  virtual double FlopCount() const = 0;

  // Bytes of rhs in the form that the tiles want it in; 0 if that is how it is. Where rhs is the same in every run,
  // PrepareRhs brings it to that form once (64-byte aligned memory), and runs are given it as `prepared_rhs`. Otherwise
  // every run does it again. What is prepared so may be lhs instead: `prepared_operand` is 0.
  virtual int prepared_operand() const { return 1; }
  int64_t prepared_rhs_bytes() const { return prepared_rhs_bytes_; }
  virtual void PrepareRhs(const void* /*rhs*/, void* /*prepared*/) const {}

  // What every tile does to the elements that it has computed; false if it cannot, because they are not f32 or do not
  // lie in rows.
  virtual bool SetEpilogue(std::shared_ptr<const ProductEpilogue> epilogue) = 0;
  // What is done to the elements of rhs before they are multiplied; false if it cannot be. Nothing is prepared then.
  virtual bool SetPrologue(std::shared_ptr<const ProductPrologue> /*prologue*/) { return false; }

 protected:
  TiledProgram() = default;

  // The elements [first, first + count) of the result are done.
  void FinishElements(const Buffers& buffers, int64_t first, int64_t count) const {
    if (epilogue_ == nullptr) return;
    epilogue_->Apply(static_cast<float*>(buffers.result), first, count, buffers.epilogue_arguments);
  }
  // So are those of some rows.
  void FinishRowsOfElements(const Buffers& buffers, const ProductEpilogue::Rows& rows) const {
    if (epilogue_ == nullptr) return;
    epilogue_->ApplyRows(static_cast<float*>(buffers.result), rows, buffers.epilogue_arguments);
  }

  int64_t workspace_bytes_ = 0;
  int64_t scratch_bytes_ = 0;
  int64_t prepared_rhs_bytes_ = 0;
  std::shared_ptr<const ProductEpilogue> epilogue_;
};

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_PRODUCT_TILED_PROGRAM_H_
