#include "xla_core/text/literal_printer.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/text/element_text.h"

namespace xla {
namespace {

constexpr const char* kElided = "{...}";
// An array without elements may have any number of empty rows; this many are shown.
constexpr int64_t kMaxEmptyRows = 1000;

int64_t RunTimeElements(absl::Span<const int64_t> sizes) {
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  return count;
}

// Prints one array.
class ArrayPrinter {
 public:
  ArrayPrinter(const Literal& literal, DimensionVector sizes, const LiteralPrintOptions& options, std::string* out)
      : shape_(literal.shape()),
        data_(static_cast<const char*>(literal.untyped_data())),
        sizes_(std::move(sizes)),
        rank_(shape_.rank()),
        multi_line_(options.multi_line),
        resources_(options.resources),
        out_(out) {
    strides_.assign(rank_, 1);
    for (int i = rank_ - 2; i >= 0; --i) strides_[i] = strides_[i + 1] * shape_.dimension(i + 1);
  }

  // The sub-array at `offset` whose first dimension is `dimension`. `number` is its place in the array around it.
  void Print(int dimension, int64_t offset, int64_t number) {
    if (dimension == rank_ - 1) return PrintRow(offset);
    const char* const line_break = multi_line_ ? "\n" : " ";
    absl::StrAppend(out_, "{");
    if (rank_ > 3 && dimension > 0) absl::StrAppend(out_, " /*i", dimension - 1, "=", number, "*/");
    absl::StrAppend(out_, line_break);
    for (int64_t i = 0; i < sizes_[dimension] && !MustStop(); ++i) {
      if (i > 0) absl::StrAppend(out_, ",", line_break);
      Print(dimension + 1, offset + i * strides_[dimension], i);
    }
    absl::StrAppend(out_, line_break, "}");
  }

 private:
  bool MustStop() const { return resources_ != nullptr && resources_->IsOver(); }

  void PrintRow(int64_t offset) {
    const int64_t size = sizes_[rank_ - 1];
    const bool padded = rank_ > 1 && size > 1;
    if (rank_ > 1 && multi_line_) absl::StrAppend(out_, "  ");
    absl::StrAppend(out_, padded ? "{ " : "{");
    const int64_t width = ByteWidth(shape_.element_type());
    constexpr int64_t kElementsBetweenLooks = 4096;
    for (int64_t i = 0; i < size && !MustStop(); i += kElementsBetweenLooks) {
      if (i > 0) out_->append(", ");
      AppendElements(shape_.element_type(), data_ + (offset + i) * width, std::min(kElementsBetweenLooks, size - i),
                     out_);
    }
    absl::StrAppend(out_, padded ? " }" : "}");
  }

  const Shape& shape_;
  const char* data_;
  const DimensionVector sizes_;
  const int rank_;
  const bool multi_line_;
  const ResourceContext* const resources_;
  DimensionVector strides_;
  std::string* out_;
};

// All the run-time sizes but the last give the number of rows.
bool HasTooManyEmptyRows(absl::Span<const int64_t> sizes) {
  if (RunTimeElements(sizes) != 0) return false;
  int64_t rows = 1;
  for (int64_t size : sizes) {
    if (size == 0) break;
    if (size > kMaxEmptyRows || (rows *= size) > kMaxEmptyRows) return true;
  }
  return false;
}

// Prints one array. Large ones are elided by the number of elements that exist at run time; so are those of many
// empty rows, whose braces would fill the text without a single element.
void AppendArray(const Literal& literal, const LiteralPrintOptions& options, std::string* out) {
  const Shape& shape = literal.shape();
  DimensionVector sizes(shape.dimensions().begin(), shape.dimensions().end());
  if (options.shape) {
    shape.AppendTo(out, options.layout ? Shape::LayoutPrinting::kWith : Shape::LayoutPrinting::kWithout, true);
    if (literal.has_dynamic_sizes()) {
      for (int i = 0; i < shape.rank(); ++i) sizes[i] = literal.dynamic_size(i);
      absl::StrAppend(out, "(", absl::StrJoin(sizes, ","), ")");
    }
    out->push_back(' ');
  }
  if (shape.rank() == 0) return AppendScalar(shape.element_type(), literal.untyped_data(), out);
  const bool large = options.elide_large && RunTimeElements(sizes) > LiteralPrintOptions::kMaxShownElements;
  if (large || HasTooManyEmptyRows(sizes)) {
    absl::StrAppend(out, kElided);
    return;
  }
  ArrayPrinter(literal, std::move(sizes), options, out).Print(0, 0, 0);
}

}  // namespace

// Prints nested literals; tuples are elided as a whole when large values are.
void AppendLiteral(const Literal& literal, const LiteralPrintOptions& options, std::string* out) {
  const Shape& shape = literal.shape();
  if (shape.IsArray()) return AppendArray(literal, options, out);
  if (!shape.IsTuple()) {
    absl::StrAppend(out, shape.ToFullString());
    return;
  }
  if (options.elide_large) {
    absl::StrAppend(out, kElided);
    return;
  }
  const char* const line_break = options.multi_line ? "\n" : " ";
  absl::StrAppend(out, "(", literal.tuple_size() > 0 ? line_break : "");
  for (int i = 0; i < literal.tuple_size(); ++i) {
    if (i > 0) absl::StrAppend(out, ",", line_break);
    AppendLiteral(literal.element(i), options, out);
  }
  absl::StrAppend(out, literal.tuple_size() > 0 ? line_break : "", ")");
}

}  // namespace xla
