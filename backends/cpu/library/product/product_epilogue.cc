#include "backends/cpu/library/product/product_epilogue.h"

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"

namespace xla {

ProductEpilogue::ProductEpilogue(std::vector<EpilogueStep> steps, int64_t columns)
    : steps_(std::move(steps)),
      columns_(columns),
      has_columns_(std::any_of(steps_.begin(), steps_.end(), [](const EpilogueStep& step) {
        return step.operand == EpilogueStep::Operand::kColumn;
      })) {}

void ProductEpilogue::Apply(float* result, int64_t first, int64_t count, const void* const* arguments) const {
  if (!has_columns_) return ApplyInColumns(result, {first, count, 1, count}, arguments);
  const int64_t end = first + count;
  const int64_t next_row = (first + columns_ - 1) / columns_ * columns_;
  const int64_t head_end = std::min(end, next_row), tail = std::max(head_end, end / columns_ * columns_);
  ApplyInColumns(result, {first, columns_, 1, head_end - first}, arguments);
  ApplyInColumns(result, {head_end, columns_, (tail - head_end) / columns_, columns_}, arguments);
  ApplyInColumns(result, {tail, columns_, 1, end - tail}, arguments);
}

void ProductEpilogue::ApplyRows(float* result, const Rows& rows, const void* const* arguments) const {
  if (!has_columns_) return ApplyInColumns(result, rows, arguments);
  if (rows.pitch % columns_ != 0) {
    for (int64_t r = 0; r < rows.count; ++r) Apply(result, rows.first + r * rows.pitch, rows.columns, arguments);
    return;
  }
  // Some dimensions of the result may be one of the product.
  for (int64_t column = 0; column < rows.columns;) {
    const int64_t first = rows.first + column;
    const int64_t next = std::min(rows.columns - column, columns_ - first % columns_);
    ApplyInColumns(result, {first, rows.pitch, rows.count, next}, arguments);
    column += next;
  }
}

void ProductEpilogue::ApplyInColumns(float* result, const Rows& rows, const void* const* arguments) const {
  if (rows.count <= 0 || rows.columns <= 0) return;
  absl::InlinedVector<EpilogueRowStep, 8> row_steps;
  for (const EpilogueStep& step : steps_) {
    EpilogueRowStep row_step = {step.operation, &step.constant, 0, false};
    if (step.argument >= 0) row_step.y = static_cast<const float*>(arguments[step.argument]);
    if (step.operand == EpilogueStep::Operand::kColumn) {
      row_step.y += rows.first % columns_;
      row_step.each = true;
    } else if (step.operand == EpilogueStep::Operand::kElement) {
      row_step.y += rows.first;
      row_step.y_row = rows.pitch;
      row_step.each = true;
    }
    row_steps.push_back(row_step);
  }
  HostProductKernels().epilogue({result + rows.first, rows.pitch, rows.count, rows.columns, row_steps.data(),
                                 static_cast<int>(row_steps.size())});
}

}  // namespace xla
