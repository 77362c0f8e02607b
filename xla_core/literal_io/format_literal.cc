#include "xla_core/literal_io/format_literal.h"

#include <cmath>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "xla_core/types/narrow_types.h"
#include "xla_core/types/type_dispatch.h"

namespace xla {
namespace {

// The shortest decimal text for which `reads_back` holds; with `max_digits` significant digits it always does. More
// digits can make a shorter text: 1e+01, but 10.
template <typename ReadsBack>
std::string ShortestText(double value, int max_digits, ReadsBack reads_back) {
  std::string shortest;
  for (int digits = 1; digits <= max_digits; ++digits) {
    const std::string text = absl::StrFormat("%.*g", digits, value);
    const bool is_shorter = shortest.empty() || text.size() < shortest.size();
    if (is_shorter && (digits == max_digits || reads_back(std::strtod(text.c_str(), nullptr)))) shortest = text;
  }
  return shortest;
}

std::string FormatReal(double value, int max_digits) {
  if (std::isnan(value)) return std::signbit(value) ? "-nan" : "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return ShortestText(value, max_digits, [value](double read) { return read == value; });
}

std::string FormatReal(float value) {
  if (!std::isfinite(value)) return FormatReal(static_cast<double>(value), 1);
  return ShortestText(value, 9, [value](double read) { return static_cast<float>(read) == value; });
}

std::string FormatNarrow(PrimitiveType type, uint32_t bits) {
  const NarrowFormat format = NarrowFormatOf(type);
  const double value = DecodeNarrow(format, bits);
  if (!std::isfinite(value)) return FormatReal(value, 1);
  return ShortestText(value, TraitsOf(format).max_digits10 + 1,
                      [&](double read) { return DecodeNarrow(format, EncodeNarrow(format, read)) == value; });
}

std::string FormatValue(bool value) { return value ? "true" : "false"; }
std::string FormatValue(float value) { return FormatReal(value); }
std::string FormatValue(double value) { return FormatReal(value, 17); }
template <typename T>
std::string FormatValue(std::complex<T> value) {
  return absl::StrCat("(", FormatValue(value.real()), ", ", FormatValue(value.imag()), ")");
}
template <typename T>
std::string FormatValue(T integer) {
  return absl::StrCat(integer);
}
std::string FormatValue(int8_t integer) { return absl::StrCat(static_cast<int>(integer)); }
std::string FormatValue(uint8_t integer) { return absl::StrCat(static_cast<int>(integer)); }

// How many elements at each end of a dimension are shown of an array that is abbreviated. Few where there are many
// dimensions, because they multiply.
int64_t EdgeItems(int rank) { return rank <= 2 ? 3 : rank == 3 ? 2 : 1; }

class ArrayFormatter {
 public:
  ArrayFormatter(const Literal& array, int64_t max_elements)
      : array_(array), rank_(array.shape().rank()), elements_left_(max_elements) {
    int64_t count = 1;
    for (int i = 0; i < rank_; ++i) count *= array.dynamic_size(i);
    edge_ = count > max_elements ? EdgeItems(rank_) : count;
  }

  std::string Format() {
    std::string text;
    Append(0, 0, text);
    return text;
  }

 private:
  // The part of the array that begins at `position`, below dimension `dim`.
  void Append(int dim, int64_t position, std::string& text) {
    if (dim == rank_) {
      text += FormatElement(array_, position);
      --elements_left_;
      return;
    }
    int64_t stride = 1;
    for (int i = dim + 1; i < rank_; ++i) stride *= array_.shape().dimension(i);
    const int64_t size = array_.dynamic_size(dim);
    // Rows of more than two dimensions stand on lines of their own.
    const std::string separator = dim + 1 < rank_ ? absl::StrCat(",\n", std::string(2 * (dim + 1), ' ')) : ", ";
    text += '{';
    if (dim + 1 < rank_ && size > 0) text += absl::StrCat("\n", std::string(2 * (dim + 1), ' '));
    for (int64_t i = 0; i < size; ++i) {
      if (i > 0) text += separator;
      if ((i == edge_ && size > 2 * edge_) || elements_left_ <= 0) {
        text += "...";
        if (elements_left_ <= 0) break;
        i = size - edge_ - 1;
        continue;
      }
      Append(dim + 1, position + i * stride, text);
    }
    if (dim + 1 < rank_ && size > 0) text += absl::StrCat("\n", std::string(2 * dim, ' '));
    text += '}';
  }

  const Literal& array_;
  const int rank_;
  int64_t edge_ = 0;
  int64_t elements_left_;
};

}  // namespace

std::string FormatElement(const Literal& array, int64_t position) {
  const PrimitiveType type = array.shape().element_type();
  if (IsNarrowFloatType(type)) {
    const uint32_t bits =
        ByteWidth(type) == 2 ? array.data<uint16_t>()[position] : uint32_t{array.data<uint8_t>()[position]};
    return FormatNarrow(type, bits);
  }
  return DispatchNative(type, [&](auto tag) { return FormatValue(array.data<TagType<decltype(tag)>>()[position]); });
}

std::string FormatIndex(absl::Span<const int64_t> dimensions, int64_t position) {
  std::string text;
  for (size_t i = dimensions.size(); i > 0; --i) {
    const int64_t size = dimensions[i - 1];
    text = absl::StrCat(position % size, text.empty() ? "" : ",", text);
    position /= size;
  }
  return absl::StrCat("{", text, "}");
}

std::string FormatLiteral(const Literal& value, int64_t max_elements) {
  const Shape& shape = value.shape();
  if (shape.IsArray()) {
    const std::string contents = ArrayFormatter(value, max_elements).Format();
    return absl::StrCat(shape.ToFullString(), " ", contents);
  }
  if (!shape.IsTuple()) return shape.ToFullString();
  std::string text = "(";
  for (int i = 0; i < value.tuple_size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "\n" : ",\n", FormatLiteral(value.element(i), max_elements));
  }
  return text + (value.tuple_size() > 0 ? "\n)" : ")");
}

}  // namespace xla
