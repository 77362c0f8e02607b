// Brings matrices of any element type into panels (solve_kernels.h), and back.
#ifndef BACKENDS_CPU_LIBRARY_SOLVE_MATRIX_PANELS_H_
#define BACKENDS_CPU_LIBRARY_SOLVE_MATRIX_PANELS_H_

#include <cstdint>

#include "backends/cpu/library/solve/solve_kernels.h"
#include "xla_core/types/primitive_type.h"

namespace xla {

// A matrix whose columns are those of panels: element (k, c) lies at first + k * k_step + c * c_step, one of the steps
// being 1 or -1.
struct PanelMatrix {
  int64_t first;
  int64_t k_step, c_step;
  bool is_conjugated;
};

// Rows [0, rows) and `columns` columns from `column` on, as a panel of T, float or double. Elements that `matrix` does
// not have are up to the caller.
template <typename T>
void LoadPanel(PrimitiveType type, const void* data, const PanelMatrix& matrix, int64_t rows, int64_t column,
               int columns, T* panel);

// The same way back.
template <typename T>
void StorePanel(PrimitiveType type, const T* panel, const PanelMatrix& matrix, int64_t rows, int64_t column,
                int columns, void* data);

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_SOLVE_MATRIX_PANELS_H_
