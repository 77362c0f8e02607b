#include "xla_core/text/literal_parser.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/text/element_text.h"
#include "xla_core/text/shape_parser.h"

namespace xla {
namespace {

// Reads one array. Braces are counted rather than recursed into, so the nesting of the text costs nothing.
//
// Memory is taken when the first element has been seen and only if the rest of the text can hold all elements: a short
// text cannot ask for a large array. Otherwise elements are checked and dropped, which ends in a message about their
// number, or at `...`.
class ArrayParser {
 public:
  // `sizes` are the run-time sizes: those of the shape, unless dimensions are dynamic.
  ArrayParser(TokenReader& reader, const Shape& shape, absl::Span<const int64_t> sizes)
      : reader_(reader), shape_(shape), rank_(shape.rank()), sizes_(sizes.begin(), sizes.end()), seen_(rank_, 0) {
    strides_.assign(rank_, 1);
    for (int i = rank_ - 2; i >= 0; --i) strides_[i] = strides_[i + 1] * shape.dimension(i + 1);
    component_ = ComplexComponentType(shape.element_type());
    width_ = ByteWidth(shape.element_type());
  }

  // *literal is left alone if the array is elided.
  bool Parse(std::shared_ptr<Literal>* literal) {
    const bool braces = reader_.Is(TokenKind::kLeftBrace);
    if (rank_ == 0 || !braces) {
      if (!ParseWithoutBraces()) return false;
    } else {
      do {
        if (!Step()) return false;
      } while (depth_ > 0);
    }
    if (elided_) return true;
    if (!Allocate()) return false;
    for (int i = 0; i < rank_; ++i) {
      if (sizes_[i] != shape_.dimension(i)) literal_.SetDynamicSize(i, sizes_[i]);
    }
    *literal = std::make_shared<Literal>(std::move(literal_));
    return true;
  }

 private:
  // Between two looks at the limits: about a millisecond.
  static constexpr int64_t kMostElementsAtOnce = 65'536;

  // A scalar, or an array given as one bare number: that is its first element, the others are zero.
  bool ParseWithoutBraces() {
    if (reader_.Is(TokenKind::kLeftBrace)) return reader_.Error("expects nested array in rank 0, but sees larger");
    if (rank_ > 0) {
      if (IsComplex(shape_.element_type()) || shape_.ElementCount() == 0) return reader_.ErrorExpected("'{'");
      if (!AtNumber()) return reader_.ErrorExpected(absl::StrCat("a value of ", shape_.ToString()));
      zeroed_ = true;
      trusted_ = true;
    }
    return ParseElement(0);
  }

  bool AtNumber() const {
    return reader_.Is(TokenKind::kInteger) || reader_.Is(TokenKind::kDecimal) || reader_.Is(TokenKind::kInfinity) ||
           reader_.Is(Keyword::kTrue) || reader_.Is(Keyword::kFalse);
  }

  // One token, or one run of numbers.
  bool Step() {
    switch (reader_.token().kind) {
      case TokenKind::kComma:
        reader_.Next();
        return true;
      case TokenKind::kLeftBrace:
        return Open();
      case TokenKind::kRightBrace:
        return Close();
      case TokenKind::kDots:
        if (depth_ != 1) return reader_.Error("'...' may stand for elements within the outermost braces only");
        return ParseDots();
      default:
        return ParseInnermost();
    }
  }

  // `...}`
  bool ParseDots() {
    elided_ = true;
    depth_ = 0;
    return reader_.Expect(TokenKind::kDots, "in the braces") && reader_.Expect(TokenKind::kRightBrace, "after '...'");
  }

  bool Open() {
    if (depth_ == rank_)
      return reader_.Error(absl::StrCat("expects nested array in rank ", rank_, ", but sees larger"));
    if (depth_ > 0 && ++seen_[depth_ - 1] > sizes_[depth_ - 1]) return TooMany(depth_ - 1);
    seen_[depth_++] = 0;
    reader_.Next();
    return true;
  }

  bool Close() {
    --depth_;
    if (seen_[depth_] != sizes_[depth_]) {
      return reader_.Error(absl::StrCat("expects ", sizes_[depth_], " elements in the ", IndexOf(depth_),
                                        "th element, but sees ", seen_[depth_]));
    }
    reader_.Next();
    return true;
  }

  // "[1,0]": the sub-array that holds dimension `dimension`.
  std::string IndexOf(int dimension) const {
    return absl::StrCat("[",
                        absl::StrJoin(seen_.begin(), seen_.begin() + dimension, ",",
                                      [](std::string* out, int64_t n) { absl::StrAppend(out, n - 1); }),
                        "]");
  }

  bool TooMany(int dimension) {
    const char* const where = dimension == rank_ - 1 ? "on the minor-most dimension" : "in an outer dimension";
    return reader_.Error(absl::StrCat("expects ", sizes_[dimension], " elements ", where, ", but sees more"));
  }

  // Parses elements at the innermost brace, as many as possible by the fast path. Positions come from the counters of
  // the enclosing braces.
  bool ParseInnermost() {
    const bool complex_element = IsComplex(shape_.element_type()) && reader_.Is(TokenKind::kLeftParen);
    if (!AtNumber() && !complex_element) {
      return reader_.ErrorExpected(absl::StrCat("a value of ", PrimitiveTypeName(shape_.element_type())));
    }
    if (depth_ != rank_) {
      return reader_.Error(absl::StrCat("expects nested array in rank ", rank_, ", but sees ", depth_));
    }
    const int64_t left = std::min(sizes_[rank_ - 1] - seen_[rank_ - 1], kMostElementsAtOnce);
    if (left <= 0) return TooMany(rank_ - 1);
    int64_t index = seen_[rank_ - 1];
    for (int i = 0; i < rank_ - 1; ++i) index += (seen_[i] - 1) * strides_[i];
    if (!IsComplex(shape_.element_type()) && Allocate() && literal_.size_bytes() > 0) {
      const char* stopped_at;
      const int64_t stored =
          StoreElements(shape_.element_type(), reader_.token().begin, reader_.text_end(), At(index), left, &stopped_at);
      if (stored > 0) {
        seen_[rank_ - 1] += stored;
        reader_.ContinueAt(stopped_at);
        return true;
      }
    }
    ++seen_[rank_ - 1];
    return ParseElement(index);
  }

  bool ParseElement(int64_t index) {
    char dropped[16];
    if (!Allocate()) {
      if (!reader_.diagnostics().ok()) return false;
    }
    char* const out = has_memory_ ? At(index) : dropped;
    if (!IsComplex(shape_.element_type())) return ParseReal(out);
    return reader_.Expect(TokenKind::kLeftParen, "before a complex number") && ParseReal(out) &&
           reader_.Expect(TokenKind::kComma, "between the parts of a complex number") && ParseReal(out + width_ / 2) &&
           reader_.Expect(TokenKind::kRightParen, "after a complex number");
  }

  bool ParseReal(void* out) {
    std::string error;
    if (!StoreElement(component_, reader_.token(), out, &error)) {
      if (reader_.Is(TokenKind::kEnd)) return reader_.ErrorExpected("a value");
      return reader_.Error(std::move(error));
    }
    reader_.Next();
    return true;
  }

  // Takes the memory, once. False, without an error, if the text cannot hold all elements.
  bool Allocate() {
    if (has_memory_) return true;
    const int64_t text_left = reader_.text_end() - reader_.token().begin;
    if (!trusted_ && rank_ > 0 && shape_.ElementCount() > text_left && shape_.ElementCount() > 0 && depth_ > 0)
      return false;
    absl::StatusOr<Literal> literal =
        zeroed_ || shape_.IsDynamic() ? Literal::Zeros(shape_) : Literal::Allocate(shape_);
    if (!literal.ok()) return reader_.Error(std::string(literal.status().message()));
    literal_ = *std::move(literal);
    data_ = literal_.mutable_data<char>();
    has_memory_ = true;
    return true;
  }

  char* At(int64_t index) { return data_ + index * width_; }

  TokenReader& reader_;
  const Shape& shape_;
  const int rank_;
  const DimensionVector sizes_;
  DimensionVector strides_;
  DimensionVector seen_;  // elements or sub-arrays so far, for each open brace
  int depth_ = 0;         // open braces
  PrimitiveType component_;
  int width_;
  bool elided_ = false;
  bool zeroed_ = false;   // most elements are not written
  bool trusted_ = false;  // the text does not have to hold all elements
  bool has_memory_ = false;
  Literal literal_;
  char* data_ = nullptr;
};

bool ParseAny(TokenReader& reader, const Shape* shape, std::shared_ptr<Literal>* literal);

// ( 1, {2} ); with `shape` null the elements bring their own shapes.
bool ParseTuple(TokenReader& reader, const Shape* shape, std::shared_ptr<Literal>* literal) {
  TokenReader::NestingScope nesting(reader);
  if (!nesting.ok()) return false;
  std::vector<Literal> elements;
  bool elided = false;
  int n = 0;
  const auto parse = [&] {
    if (shape != nullptr && n >= shape->tuple_size()) {
      return reader.Error(
          absl::StrCat("the tuple ", shape->ToString(), " has only ", shape->tuple_size(), " elements"));
    }
    std::shared_ptr<Literal> element;
    if (!ParseAny(reader, shape == nullptr ? nullptr : &shape->tuple_shape(n), &element)) return false;
    ++n;
    elided |= element == nullptr;
    if (!elided) elements.push_back(std::move(*element));
    return true;
  };
  if (!reader.ParseList(TokenKind::kLeftParen, TokenKind::kRightParen, parse)) return false;
  if (shape != nullptr && n != shape->tuple_size()) {
    return reader.Error(
        absl::StrCat("the tuple ", shape->ToString(), " has ", shape->tuple_size(), " elements, found ", n));
  }
  if (elided) return true;
  Literal tuple = Literal::Tuple(std::move(elements));
  if (shape != nullptr) tuple.ResetShape(*shape);
  *literal = std::make_shared<Literal>(std::move(tuple));
  return true;
}

// `(2,3)` after a dynamic shape: sizes at run time.
bool ParseDynamicSizes(TokenReader& reader, const Shape& shape, DimensionVector* sizes) {
  const char* const begin = reader.token().begin;
  DimensionVector written;
  const auto parse = [&] {
    written.emplace_back();
    return reader.ParseInt(&written.back());
  };
  if (!reader.ParseList(TokenKind::kLeftParen, TokenKind::kRightParen, parse)) return false;
  bool fits = written.size() == sizes->size();
  for (int i = 0; fits && i < shape.rank(); ++i) {
    fits = written[i] >= 0 && (shape.is_dynamic_dimension(i) ? written[i] <= (*sizes)[i] : written[i] == (*sizes)[i]);
  }
  if (!fits) return reader.ErrorAt(begin, absl::StrCat("these sizes do not fit the dimensions of ", shape.ToString()));
  *sizes = std::move(written);
  return true;
}

// Parses a value of `shape`, or one with its shape in front. `{...}` stands for an elided value, which leaves no
// literal. Dynamic sizes follow the shape in parentheses: `s32[<=4](2) {1, 2}`.
bool ParseAny(TokenReader& reader, const Shape* shape, std::shared_ptr<Literal>* literal) {
  const bool written_shape = shape == nullptr;
  if (written_shape && reader.Is(TokenKind::kLeftParen)) return ParseTuple(reader, nullptr, literal);
  Shape own;
  if (written_shape) {
    if (!ParseShape(reader, MissingLayout::kRowMajor, &own)) return false;
    shape = &own;
  }
  // An elided value that has no braces otherwise. (A protobuf constant of any shape may lack its literal.)
  const bool has_braces = shape->IsArray() && shape->rank() > 0;
  if (!has_braces && reader.Is(TokenKind::kLeftBrace) && reader.Peek().kind == TokenKind::kDots) {
    reader.Next();
    reader.Next();
    return reader.Expect(TokenKind::kRightBrace, "after '...'");
  }
  if (shape->IsTuple()) return ParseTuple(reader, shape, literal);
  if (!shape->IsArray())
    return reader.Error(absl::StrCat("a value of shape ", shape->ToString(), " cannot be written"));
  if (shape->IsUnboundedDynamic())
    return reader.Error(absl::StrCat("no value has the unbounded shape ", shape->ToString()));
  DimensionVector sizes(shape->dimensions().begin(), shape->dimensions().end());
  if (written_shape && shape->IsDynamic() && reader.Is(TokenKind::kLeftParen) &&
      !ParseDynamicSizes(reader, *shape, &sizes)) {
    return false;
  }
  return ArrayParser(reader, *shape, sizes).Parse(literal);
}

}  // namespace

bool ParseLiteral(TokenReader& reader, const Shape& shape, std::shared_ptr<const Literal>* literal) {
  std::shared_ptr<Literal> parsed;
  if (!ParseAny(reader, &shape, &parsed)) return false;
  *literal = std::move(parsed);
  return true;
}

bool ParseLiteralWithShape(TokenReader& reader, std::shared_ptr<const Literal>* literal) {
  std::shared_ptr<Literal> parsed;
  if (!ParseAny(reader, nullptr, &parsed)) return false;
  *literal = std::move(parsed);
  return true;
}

}  // namespace xla
