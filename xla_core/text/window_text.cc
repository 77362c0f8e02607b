#include "xla_core/text/window_text.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace xla {
namespace {

// More dimensions than any program has; the labels are single digits' strings.
constexpr int kMaxSpatialDimensions = 9;

using Ints = std::vector<int64_t>;

// `3`, or `3x2x4`.
bool ParseSizes(TokenReader& reader, Ints* sizes) {
  if (reader.Is(TokenKind::kInteger)) {
    sizes->emplace_back();
    return reader.ParseInt(&sizes->back());
  }
  if (!reader.Is(TokenKind::kDxD)) return reader.ErrorExpected("sizes such as 3 or 3x2");
  for (absl::string_view piece : absl::StrSplit(reader.token().text, 'x')) {
    sizes->emplace_back();
    if (!absl::SimpleAtoi(piece, &sizes->back())) return reader.Error("a size does not fit in 64 bits");
  }
  reader.Next();
  return true;
}

// `1_2x-1_0_1`: for each dimension low, high and, if allowed, interior.
bool ParsePads(TokenReader& reader, bool interior_allowed, PaddingConfig* pads) {
  if (!reader.Is(TokenKind::kPad)) return reader.ErrorExpected("padding such as 0_1x2_3");
  for (absl::string_view piece : absl::StrSplit(reader.token().text, 'x')) {
    const std::vector<absl::string_view> numbers = absl::StrSplit(piece, '_');
    if (numbers.size() == 3 && !interior_allowed) return reader.Error("the padding of a window has no interior part");
    int64_t values[3] = {0, 0, 0};
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (!absl::SimpleAtoi(numbers[i], &values[i])) return reader.Error("a padding does not fit in 64 bits");
    }
    pads->push_back({values[0], values[1], values[2]});
  }
  reader.Next();
  return true;
}

// The fields of a window as they are written.
struct WindowFields {
  static constexpr absl::string_view kNames[] = {"size", "stride", "lhs_dilate", "rhs_dilate", "rhs_reversal", "pad"};
  static constexpr int kPad = 5;
  Ints sizes[kPad];
  PaddingConfig pad;
  bool seen[kPad + 1] = {};
};

bool ParseWindowField(TokenReader& reader, WindowFields* fields) {
  if (!reader.Is(TokenKind::kAttributeName)) {
    return reader.ErrorExpected("a field of a window: size=, stride=, pad=, lhs_dilate=, rhs_dilate= or rhs_reversal=");
  }
  const auto* const name =
      std::find(std::begin(WindowFields::kNames), std::end(WindowFields::kNames), reader.token().text);
  if (name == std::end(WindowFields::kNames)) return reader.ErrorUnknown("field of a window", WindowFields::kNames);
  const auto field = name - WindowFields::kNames;
  if (fields->seen[field]) return reader.Error(absl::StrCat("field ", *name, " of the window is given twice"));
  fields->seen[field] = true;
  reader.Next();
  return field == WindowFields::kPad ? ParsePads(reader, false, &fields->pad)
                                     : ParseSizes(reader, &fields->sizes[field]);
}

// Makes a window from fields that were given in any order. Each has one entry for every dimension of `size=`; those
// that are absent have XLA's defaults.
bool BuildWindow(TokenReader& reader, const char* begin, const WindowFields& fields, Window* window) {
  const size_t rank = fields.sizes[0].size();
  for (int f = 0; f <= WindowFields::kPad; ++f) {
    const size_t entries = f == WindowFields::kPad ? fields.pad.size() : fields.sizes[f].size();
    if (fields.seen[f] && entries != rank) {
      return reader.ErrorAt(begin, absl::StrCat("field ", WindowFields::kNames[f], " of the window has ", entries,
                                                " entries, its size has ", rank));
    }
  }
  const auto get = [&](int field, size_t i, int64_t fallback) {
    return fields.seen[field] ? fields.sizes[field][i] : fallback;
  };
  for (size_t i = 0; i < rank; ++i) {
    WindowDimension d;
    d.size = fields.sizes[0][i];
    d.stride = get(1, i, 1);
    d.base_dilation = get(2, i, 1);
    d.window_dilation = get(3, i, 1);
    d.window_reversal = get(4, i, 0) == 1;
    if (fields.seen[WindowFields::kPad]) {
      d.padding_low = fields.pad[i].low;
      d.padding_high = fields.pad[i].high;
    }
    window->dimensions.push_back(d);
  }
  return true;
}

// Appends " NAME=AxB" if the field differs from its default in any dimension; the first field has no blank in front.
template <typename Differs, typename Print>
void AppendWindowField(const Window& window, const char* name, Differs differs, Print print, std::string* out) {
  if (std::none_of(window.dimensions.begin(), window.dimensions.end(), differs)) return;
  absl::StrAppend(out, out->back() == '{' ? "" : " ", name, "=");
  for (size_t i = 0; i < window.dimensions.size(); ++i) {
    if (i > 0) out->push_back('x');
    print(window.dimensions[i]);
  }
}

// The roles in one part of dim_labels, such as `bf01`.
struct Labels {
  int64_t first = -1;   // position of `b`, or `i`
  int64_t second = -1;  // position of `f`, or `o`
  DimensionVector spatial;
};

// Reads one part of `bf01_io01->bf01`: a letter or digit for each dimension, `?` for one that the convolution does
// not name. Digits must count up from 0, in any order.
bool ParseLabels(TokenReader& reader, absl::string_view text, char first, char second, Labels* labels) {
  labels->spatial.assign(kMaxSpatialDimensions + 1, -1);
  int spatial = 0;
  int highest = -1;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '?') continue;
    int64_t* const slot = c == first ? &labels->first : c == second ? &labels->second : &labels->spatial[c - '0'];
    if (*slot >= 0) return reader.Error(absl::StrCat("label '", std::string(1, c), "' occurs twice in ", text));
    *slot = static_cast<int64_t>(i);
    if (c != first && c != second) {
      ++spatial;
      highest = std::max(highest, c - '0');
    }
  }
  if (labels->first < 0 || labels->second < 0) {
    return reader.Error(
        absl::StrCat("labels ", text, " lack '", std::string(1, labels->first < 0 ? first : second), "'"));
  }
  if (highest >= spatial) {
    return reader.Error(absl::StrCat("the digits of labels ", text, " must count from 0 to ", spatial - 1));
  }
  labels->spatial.resize(spatial);
  return true;
}

void AppendLabels(int64_t first, int64_t second, const DimensionVector& spatial, char first_char, char second_char,
                  std::string* out) {
  int64_t last = std::max(first, second);
  for (int64_t d : spatial) last = std::max(last, d);
  // Positions beyond these can come from protobuf only, and are not labels.
  constexpr int64_t kMaxPositions = 64;
  std::string labels(std::min(last + 1, kMaxPositions), '?');
  const auto put = [&](int64_t position, char c) {
    if (position >= 0 && position < static_cast<int64_t>(labels.size())) labels[position] = c;
  };
  put(first, first_char);
  put(second, second_char);
  for (size_t i = 0; i < spatial.size(); ++i) put(spatial[i], static_cast<char>('0' + i % 10));
  out->append(labels);
}

bool ParseSliceRange(TokenReader& reader, SliceRange* range) {
  if (!reader.Expect(TokenKind::kLeftSquare, "before the limits of a slice") || !reader.ParseInt(&range->start) ||
      !reader.Expect(TokenKind::kColon, "between start and limit of a slice") || !reader.ParseInt(&range->limit)) {
    return false;
  }
  if (reader.Accept(TokenKind::kColon) && !reader.ParseInt(&range->stride)) return false;
  return reader.Expect(TokenKind::kRightSquare, "after the limits of a slice");
}

// The structured sparsity of one side of a convolution: in each block of `block_size` elements along a dimension,
// only `num_non_zero` are stored.
bool ParseSparsitySide(TokenReader& reader, ConvolutionSparsity::Side* side) {
  if (!reader.Expect(TokenKind::kLeftBrace, "before the fields of a sparsity")) return false;
  while (!reader.Is(TokenKind::kRightBrace)) {
    Ints sizes;
    if (reader.IsAttribute("sparsity")) {
      reader.Next();
      if (!ParseSizes(reader, &sizes)) return false;
      if (sizes.size() != 2) return reader.Error("expected a sparsity such as 2x4");
      side->num_non_zero = sizes[0];
      side->block_size = sizes[1];
    } else if (reader.IsAttribute("dimension")) {
      reader.Next();
      if (!reader.ParseInt(&side->dimension)) return false;
    } else if (reader.IsAttribute("stride")) {
      reader.Next();
      if (!reader.ParseInt(&side->stride)) return false;
    } else {
      return reader.ErrorExpected("sparsity=, dimension= or stride=");
    }
    reader.Accept(TokenKind::kComma);
  }
  reader.Next();
  return true;
}

}  // namespace

bool ParseWindow(TokenReader& reader, Window* window) {
  const char* const begin = reader.token().begin;
  if (!reader.Expect(TokenKind::kLeftBrace, "before the fields of a window")) return false;
  WindowFields fields;
  while (!reader.Is(TokenKind::kRightBrace)) {
    if (!ParseWindowField(reader, &fields)) return false;
  }
  reader.Next();
  return BuildWindow(reader, begin, fields, window);
}

// Prints the fields in XLA's order; fields whose entries are all at their defaults are left out.
void AppendWindow(const Window& window, std::string* out) {
  using D = WindowDimension;
  const auto number = [out](int64_t value) { absl::StrAppend(out, value); };
  out->push_back('{');
  AppendWindowField(
      window, "size", [](const D&) { return true; }, [&](const D& d) { number(d.size); }, out);
  AppendWindowField(
      window, "stride", [](const D& d) { return d.stride != 1; }, [&](const D& d) { number(d.stride); }, out);
  AppendWindowField(
      window, "pad", [](const D& d) { return d.padding_low != 0 || d.padding_high != 0; },
      [&](const D& d) { absl::StrAppend(out, d.padding_low, "_", d.padding_high); }, out);
  AppendWindowField(
      window, "lhs_dilate", [](const D& d) { return d.base_dilation != 1; },
      [&](const D& d) { number(d.base_dilation); }, out);
  AppendWindowField(
      window, "rhs_dilate", [](const D& d) { return d.window_dilation != 1; },
      [&](const D& d) { number(d.window_dilation); }, out);
  AppendWindowField(
      window, "rhs_reversal", [](const D& d) { return d.window_reversal; },
      [&](const D& d) { number(d.window_reversal ? 1 : 0); }, out);
  out->push_back('}');
}

// Labels name what each dimension of input, kernel and output is: b batch, f feature, i and o features of the kernel,
// digits for spatial dimensions.
bool ParseDimLabels(TokenReader& reader, ConvolutionDimensionNumbers* labels) {
  if (!reader.Is(TokenKind::kDimLabels)) return reader.ErrorExpected("dimension labels such as bf01_oi01->bf01");
  const absl::string_view text = reader.token().text;
  const size_t underscore = text.find('_');
  const size_t arrow = text.find("->");
  Labels input, kernel, output;
  if (!ParseLabels(reader, text.substr(0, underscore), 'b', 'f', &input) ||
      !ParseLabels(reader, text.substr(underscore + 1, arrow - underscore - 1), 'i', 'o', &kernel) ||
      !ParseLabels(reader, text.substr(arrow + 2), 'b', 'f', &output)) {
    return false;
  }
  if (input.spatial.size() != kernel.spatial.size() || input.spatial.size() != output.spatial.size()) {
    return reader.Error(absl::StrCat("the three parts of ", text, " must have equally many spatial dimensions"));
  }
  labels->input_batch = input.first;
  labels->input_feature = input.second;
  labels->kernel_input_feature = kernel.first;
  labels->kernel_output_feature = kernel.second;
  labels->output_batch = output.first;
  labels->output_feature = output.second;
  labels->input_spatial = std::move(input.spatial);
  labels->kernel_spatial = std::move(kernel.spatial);
  labels->output_spatial = std::move(output.spatial);
  reader.Next();
  return true;
}

void AppendDimLabels(const ConvolutionDimensionNumbers& labels, std::string* out) {
  AppendLabels(labels.input_batch, labels.input_feature, labels.input_spatial, 'b', 'f', out);
  out->push_back('_');
  AppendLabels(labels.kernel_input_feature, labels.kernel_output_feature, labels.kernel_spatial, 'i', 'o', out);
  out->append("->");
  AppendLabels(labels.output_batch, labels.output_feature, labels.output_spatial, 'b', 'f', out);
}

bool ParsePadding(TokenReader& reader, PaddingConfig* padding) { return ParsePads(reader, true, padding); }

void AppendPadding(const PaddingConfig& padding, std::string* out) {
  const bool interior =
      std::any_of(padding.begin(), padding.end(), [](const PaddingDimension& d) { return d.interior != 0; });
  for (size_t i = 0; i < padding.size(); ++i) {
    absl::StrAppend(out, i > 0 ? "x" : "", padding[i].low, "_", padding[i].high);
    if (interior) absl::StrAppend(out, "_", padding[i].interior);
  }
}

bool ParseSlice(TokenReader& reader, std::vector<SliceRange>* ranges) {
  return reader.ParseBracedList([&] {
    ranges->emplace_back();
    return ParseSliceRange(reader, &ranges->back());
  });
}

void AppendSlice(const std::vector<SliceRange>& ranges, std::string* out) {
  const bool strides = std::any_of(ranges.begin(), ranges.end(), [](const SliceRange& r) { return r.stride != 1; });
  out->push_back('{');
  for (size_t i = 0; i < ranges.size(); ++i) {
    absl::StrAppend(out, i > 0 ? ", [" : "[", ranges[i].start, ":", ranges[i].limit);
    if (strides) absl::StrAppend(out, ":", ranges[i].stride);
    out->push_back(']');
  }
  out->push_back('}');
}

bool ParseSparsity(TokenReader& reader, ConvolutionSparsity* sparsity) {
  if (!reader.Expect(TokenKind::kLeftBrace, "before the sides of a sparsity")) return false;
  while (!reader.Is(TokenKind::kRightBrace)) {
    const bool is_lhs = reader.IsAttribute("lhs");
    if (!is_lhs && !reader.IsAttribute("rhs")) return reader.ErrorExpected("lhs= or rhs=");
    reader.Next();
    ConvolutionSparsity::Side side;
    if (!ParseSparsitySide(reader, &side)) return false;
    (is_lhs ? sparsity->lhs : sparsity->rhs) = side;
    reader.Accept(TokenKind::kComma);
  }
  reader.Next();
  return true;
}

void AppendSparsity(const ConvolutionSparsity& sparsity, std::string* out) {
  const auto append = [out](const char* name, const ConvolutionSparsity::Side& side) {
    absl::StrAppend(out, out->back() == '{' ? "" : ",", name, "={sparsity=", side.num_non_zero, "x", side.block_size,
                    " dimension=", side.dimension, " stride=", side.stride, "}");
  };
  out->push_back('{');
  if (sparsity.lhs.has_value()) append("lhs", *sparsity.lhs);
  if (sparsity.rhs.has_value()) append("rhs", *sparsity.rhs);
  out->push_back('}');
}

}  // namespace xla
