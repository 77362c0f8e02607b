// What a fusion does with the result of a product: elementwise steps that are taken while a tile is still in the cache.
//
// Each step is the HLO instruction that it stands for, rounded as that is, so that the result is the same as if the
// product had been written and read again.
#ifndef BACKENDS_CPU_LIBRARY_PRODUCT_PRODUCT_EPILOGUE_H_
#define BACKENDS_CPU_LIBRARY_PRODUCT_PRODUCT_EPILOGUE_H_

#include <cstdint>
#include <vector>

#include "backends/cpu/library/product/product_kernels.h"

namespace xla {

// One operation on all elements of an f32 result and another operand.
struct EpilogueStep {
  enum class Operand { kConstant, kScalar, kColumn, kElement };

  EpilogueOperation operation;
  Operand operand;
  float constant = 0;  // kConstant
  // Others: which of the addresses that a run brings along: one number; one for each column; an array like the result.
  int argument = -1;
};

class ProductEpilogue {
 public:
  // `columns`: the length of the result's last dimension. Results are row-major.
  ProductEpilogue(std::vector<EpilogueStep> steps, int64_t columns);

  // Elements of the result: `columns` from first + r * pitch on, for each r < count.
  struct Rows {
    int64_t first, pitch, count, columns;
  };

  // Takes all steps on the elements [first, first + count) of the result.
  void Apply(float* result, int64_t first, int64_t count, const void* const* arguments) const;
  void ApplyRows(float* result, const Rows& rows, const void* const* arguments) const;

 private:
  // Rows that begin in the same column, and end in the row of the result that they begin in.
  void ApplyInColumns(float* result, const Rows& rows, const void* const* arguments) const;

  const std::vector<EpilogueStep> steps_;
  const int64_t columns_;
  const bool has_columns_;  // a step looks at which column it is in
};

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_PRODUCT_PRODUCT_EPILOGUE_H_
