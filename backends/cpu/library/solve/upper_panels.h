// UpperPanels: where the panels of an upper triangular matrix lie in memory.
#ifndef BACKENDS_CPU_LIBRARY_SOLVE_UPPER_PANELS_H_
#define BACKENDS_CPU_LIBRARY_SOLVE_UPPER_PANELS_H_

#include <algorithm>
#include <cstdint>

#include "backends/cpu/library/solve/solve_kernels.h"
#include "xla_core/types/primitive_type.h"

namespace xla {

// Panels one after the other, then the inverse diagonal, then a number for each panel that says whether it is good.
// Counts are of numbers, float or double.
class UpperPanels {
 public:
  UpperPanels(int64_t n, bool is_complex)
      : n_(n),
        parts_(is_complex ? 2 : 1),
        padded_((n + kPanelRowMultiple - 1) / kPanelRowMultiple * kPanelRowMultiple),
        count_((n + kPanelWidth - 1) / kPanelWidth) {}

  int64_t count() const { return count_; }
  int64_t n() const { return n_; }
  int parts() const { return parts_; }
  int64_t pitch() const { return kPanelWidth * parts_; }
  // n, and rows that are there to fill the last block.
  int64_t padded_rows() const { return padded_; }

  int64_t FirstColumn(int64_t panel) const { return panel * kPanelWidth; }
  int Columns(int64_t panel) const { return static_cast<int>(std::min<int64_t>(kPanelWidth, n_ - FirstColumn(panel))); }
  int BlockRows(int64_t panel) const {
    return static_cast<int>(std::min<int64_t>(kPanelWidth, padded_ - FirstColumn(panel)));
  }
  int64_t Rows(int64_t panel) const { return FirstColumn(panel) + BlockRows(panel); }

  int64_t PanelOffset(int64_t panel) const { return pitch() * kPanelWidth * (panel * (panel + 1) / 2); }
  int64_t InverseOffset(int64_t panel) const { return InverseStart() + FirstColumn(panel) * parts_; }
  int64_t GoodOffset(int64_t panel) const { return InverseStart() + padded_ * parts_ + panel; }
  // Of all, a multiple of 64 bytes.
  int64_t Size() const { return (GoodOffset(count_) + 15) / 16 * 16; }

 private:
  int64_t InverseStart() const { return PanelOffset(count_ - 1) + Rows(count_ - 1) * pitch(); }

  const int64_t n_;
  const int parts_;
  const int64_t padded_;
  const int64_t count_;
};

// Columns [columns, kPanelWidth) of a panel, and rows [valid, rows), become zero.
template <typename T>
void ZeroPadding(int parts, int64_t valid, int64_t rows, int columns, T* panel) {
  const int64_t pitch = kPanelWidth * parts;
  if (columns < kPanelWidth) {
    for (int64_t k = 0; k < valid * parts; ++k) {
      std::fill(panel + k * kPanelWidth + columns, panel + (k + 1) * kPanelWidth, T());
    }
  }
  std::fill(panel + valid * pitch, panel + rows * pitch, T());
}

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_SOLVE_UPPER_PANELS_H_
