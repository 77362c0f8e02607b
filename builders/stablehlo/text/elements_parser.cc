// dense<...> : T. The type comes after the elements, so that these are skipped first and read once it is known.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "builders/stablehlo/text/attribute_parser.h"
#include "builders/stablehlo/text/hex_bytes.h"
#include "xla_core/text/number_text.h"

namespace xla {
namespace stablehlo {
namespace {

// Reads the characters of the elements of one constant.
class ElementsReader {
 public:
  // `type` is the type of a tensor without dynamic dimensions.
  ElementsReader(AttributeParser* parser, Module* module, TypeId type)
      : parser_(*parser), module_(*module), tensor_(module->type(type)), type_(type) {
    const Type* element = &module_.type(tensor_.element);
    if (element->kind == TypeKind::kQuantized) element = &module_.type(element->quantization->storage);
    is_complex_ = element->kind == TypeKind::kComplex;
    if (is_complex_) element = &module_.type(element->element);
    number_ = element;
    element_bytes_ = ElementBytes(module_, tensor_.element);
    part_bytes_ = is_complex_ ? element_bytes_ / 2 : element_bytes_;
    bits_ = element->kind == TypeKind::kFloat   ? GetFloatKindInfo(element->float_kind).bits
            : element->kind == TypeKind::kIndex ? 64
                                                : static_cast<int>(element->width);
  }

  // From the token after `dense<` to that after the closing bracket.
  bool Read(AttributeId* attribute) {
    if (number_->kind == TypeKind::kFloat && GetFloatKindInfo(number_->float_kind).type == PRIMITIVE_TYPE_INVALID) {
      return parser_.Error(absl::StrCat("constants of the type ", parser_.TypeText(type_), " are not supported"));
    }
    if (bits_ > 64) {
      return parser_.Error(absl::StrCat("constants of more than 64 bits are not supported: ", parser_.TypeText(type_)));
    }
    count_ = ElementCount(tensor_);
    if (parser_.token().Is('>')) return Finish(/*is_splat=*/false, attribute);
    if (parser_.token().Is(TokenKind::kString)) return ReadBytes(attribute);
    const bool is_splat = !parser_.token().Is('[');
    if (!(is_splat ? ReadElement() : ReadNested())) return false;
    return Finish(is_splat && !tensor_.dimensions.empty(), attribute);
  }

 private:
  // [[1, 2], [3, 4]]: `open` has how many parts were read in each bracket that is open.
  bool ReadNested() {
    std::vector<int64_t> open;
    const size_t rank = tensor_.dimensions.size();
    do {
      if (parser_.token().Is('[')) {
        if (open.size() == rank)
          return parser_.Error(absl::StrCat("more brackets than ", TypeText(), " has dimensions"));
        open.push_back(0);
        parser_.Advance();
        if (parser_.token().Is(']')) {
          if (!Close(&open)) return false;
        }
        continue;
      }
      if (open.size() != rank) {
        return parser_.Error(
            absl::StrCat("expected '[', because ", TypeText(), " has ", rank, " dimensions, found ", parser_.Found()));
      }
      if (!ReadElement()) return false;
      ++open.back();
      if (!Separate(&open)) return false;
    } while (!open.empty());
    return true;
  }

  // Reads the comma after a part, or the brackets that close what ends with it.
  bool Separate(std::vector<int64_t>* open) {
    if (parser_.ConsumeIf(',')) {
      return !parser_.token().Is(']') || parser_.ErrorExpected("another element");
    }
    return parser_.token().Is(']') ? Close(open) : parser_.ErrorExpected("',' or ']'");
  }

  bool Close(std::vector<int64_t>* open) {
    while (parser_.token().Is(']')) {
      if (open->empty()) return parser_.ErrorExpected("'>'");
      const int64_t size = tensor_.dimensions[open->size() - 1];
      if (open->back() != size) {
        return parser_.Error(absl::StrCat("expected ", size, " parts in dimension ", open->size() - 1, " of ",
                                          TypeText(), ", found ", open->back()));
      }
      open->pop_back();
      parser_.Advance();
      if (open->empty()) return true;
      ++open->back();
    }
    return Separate(open);
  }

  bool ReadElement() {
    if (!is_complex_) return ReadPart();
    return parser_.Expect('(') && ReadPart() && parser_.Expect(',') && ReadPart() && parser_.Expect(')');
  }

  // One number or truth value.
  bool ReadPart() {
    const Token& first = parser_.token();
    if (first.Is(TokenKind::kWord) && (first.text == "true" || first.text == "false")) {
      if (number_->kind != TypeKind::kInteger || bits_ != 1) {
        return parser_.Error(absl::StrCat("expected a number, because the type is ", TypeText()));
      }
      Append(first.text == "true");
      parser_.Advance();
      return true;
    }
    const bool is_negative = parser_.ConsumeIf('-');
    const Token& number = parser_.token();
    uint64_t bits = 0;
    if (number.Is(TokenKind::kFloat)) {
      if (number_->kind != TypeKind::kFloat) {
        return parser_.Error(absl::StrCat("expected an integer, because the type is ", TypeText()));
      }
      double value = 0;
      if (!TextToDouble(number.text, &value)) return parser_.Error("this number is not a finite double");
      bits = FloatToBits(number_->float_kind, is_negative ? -value : value);
    } else if (!number.Is(TokenKind::kInteger)) {
      return parser_.ErrorExpected("a number");
    } else if (!ReadDigits(number.text, is_negative, &bits)) {
      return false;
    }
    Append(bits);
    parser_.Advance();
    return true;
  }

  bool ReadDigits(absl::string_view digits, bool is_negative, uint64_t* bits) {
    const bool is_hex = digits.size() > 2 && digits[1] == 'x';
    const bool is_read = is_hex ? absl::SimpleHexAtoi(digits, bits) : absl::SimpleAtoi(digits, bits);
    if (number_->kind == TypeKind::kFloat) {
      if (is_negative || !is_hex) {
        return parser_.Error(
            absl::StrCat("expected a number with a dot, or its bits such as 0x7FC00000, because the "
                         "type is ",
                         TypeText()));
      }
      if (is_read && (bits_ == 64 || *bits >> bits_ == 0)) return true;
      return parser_.Error(absl::StrCat("a float of ", TypeText(), " has only ", bits_, " bits"));
    }
    const uint64_t top_bit = uint64_t{1} << (bits_ - 1);
    const bool is_signed = number_->signedness == Signedness::kSigned;
    const bool is_unsigned = number_->signedness == Signedness::kUnsigned;
    const uint64_t most = is_negative ? (is_unsigned ? 0 : top_bit) : is_signed ? top_bit - 1 : top_bit + (top_bit - 1);
    if (!is_read || *bits > most) {
      return parser_.Error(absl::StrCat(is_negative ? "-" : "", digits, " is not a number of ", TypeText()));
    }
    if (is_negative) *bits = -*bits;
    if (bits_ == 1) {
      *bits &= 1;
    } else if (!is_unsigned && (*bits & top_bit) != 0) {
      *bits |= ~(top_bit + (top_bit - 1));
    }
    return true;
  }

  void Append(uint64_t bits) { data_.append(reinterpret_cast<const char*>(&bits), part_bytes_); }

  // "0x0000803F": the bytes of all elements, or of one that stands for all.
  bool ReadBytes(AttributeId* attribute) {
    const absl::string_view quoted = parser_.token().text;
    const absl::string_view digits = quoted.substr(1, quoted.size() - 2);
    if (digits.size() < 2 || digits.substr(0, 2) != "0x" || digits.size() % 2 != 0) {
      return parser_.Error("expected a string of 0x and two hexadecimal digits for each byte");
    }
    const size_t size = digits.size() / 2 - 1;
    const bool is_pred = number_->kind == TypeKind::kInteger && bits_ == 1;
    const bool is_all = count_ >= 0 && size == static_cast<uint64_t>(count_) * element_bytes_;
    const bool is_packed = is_pred && !is_all && count_ >= 0 && size == (static_cast<uint64_t>(count_) + 7) / 8;
    const bool is_splat = !is_all && size == static_cast<uint64_t>(element_bytes_) && count_ != 0;
    if (!is_all && !is_packed && !is_splat) {
      return parser_.Error(absl::StrCat("found ", size, " bytes for a constant ", TypeText(), ", whose elements have ",
                                        element_bytes_, " bytes each"));
    }
    char* const bytes = module_.NewBytes(size);
    if (const char* wrong = DecodeHex(digits.substr(2), bytes); wrong != nullptr) {
      return parser_.ErrorAt(wrong, "expected a hexadecimal digit");
    }
    parser_.Advance();
    absl::string_view data(bytes, size);
    if (is_packed && !(is_splat && bytes[0] == '\xff')) {
      data = Unpack(data);
    } else {
      Normalize(bytes, size);
    }
    return Finish(data, is_splat && data.size() == static_cast<size_t>(element_bytes_), attribute);
  }

  // One byte for each bit.
  absl::string_view Unpack(absl::string_view bits) {
    char* const bytes = module_.NewBytes(count_);
    for (int64_t i = 0; i < count_; ++i) bytes[i] = (bits[i / 8] >> (i % 8)) & 1;
    return absl::string_view(bytes, count_);
  }

  // Elements narrower than a byte: signs extended, truth values 0 or 1.
  void Normalize(char* bytes, size_t size) const {
    if (bits_ >= 8) return;
    const int unused = 8 - bits_;
    const bool is_signed = number_->kind == TypeKind::kInteger && number_->signedness != Signedness::kUnsigned;
    for (size_t i = 0; i < size; ++i) {
      if (bits_ == 1) {
        bytes[i] = bytes[i] != 0;
      } else {
        const auto shifted = static_cast<uint8_t>(static_cast<uint8_t>(bytes[i]) << unused);
        bytes[i] = is_signed ? static_cast<char>(static_cast<int8_t>(shifted) >> unused)
                             : static_cast<char>(shifted >> unused);
      }
    }
  }

  bool Finish(bool is_splat, AttributeId* attribute) {
    absl::string_view data = data_;
    if (data.size() > kMaxInternedBytes) data = module_.KeepBytes(data);
    return Finish(data, is_splat, attribute);
  }

  bool Finish(absl::string_view data, bool is_splat, AttributeId* attribute) {
    const auto size = static_cast<int64_t>(data.size());
    if (is_splat) {
      // A splat of one element or of none is written out.
      if (count_ == 0) return parser_.Error(absl::StrCat("found an element for ", TypeText(), ", which has none"));
      is_splat = count_ != 1;
    } else if (count_ < 0 || size / element_bytes_ != count_) {
      return parser_.Error(absl::StrCat("found ", size / element_bytes_, " elements for ", TypeText()));
    }
    *attribute = module_.Intern(DenseElementsAttribute(type_, data, is_splat));
    return parser_.Expect('>');
  }

  std::string TypeText() const { return parser_.TypeText(type_); }

  AttributeParser& parser_;
  Module& module_;
  const Type& tensor_;
  const TypeId type_;
  const Type* number_;  // that an element, or each of its two parts, is
  bool is_complex_;
  int64_t element_bytes_;
  int64_t part_bytes_;
  int bits_;
  int64_t count_ = 0;  // -1: more than there can be elements
  std::string data_;
};

// The character after `dense<` up to its closing bracket; `end` if it does not close.
const char* FindClosingBracket(const char* at, const char* end) {
  for (; at < end; ++at) {
    if (*at == '>') return at;
    if (*at == '"') {
      const void* const quote = std::memchr(at + 1, '"', end - at - 1);
      if (quote == nullptr) return end;
      at = static_cast<const char*>(quote);
    } else if (*at == '/' && end - at > 1 && at[1] == '/') {
      const void* const newline = std::memchr(at, '\n', end - at);
      if (newline == nullptr) return end;
      at = static_cast<const char*>(newline);
    }
  }
  return end;
}

}  // namespace

bool AttributeParser::ReadDense(AttributeId* attribute) {
  Advance();
  if (!token().Is('<')) return ErrorExpected("'<'");
  const char* const elements = token().end();
  const char* const close = FindClosingBracket(elements, text_end());
  if (close == text_end()) return Error("this bracket is not closed");
  MoveTo(close + 1);
  TypeId type;
  if (!Expect(':')) return false;
  const char* const type_at = token().begin();
  if (!ReadType(&type)) return false;
  const Type& tensor = module_.type(type);
  const bool is_static =
      std::find(tensor.dimensions.begin(), tensor.dimensions.end(), kDynamic) == tensor.dimensions.end();
  if (tensor.kind != TypeKind::kTensor || !is_static) {
    return ErrorAt(type_at, absl::StrCat("expected a tensor type without '?', found ", TypeText(type)));
  }
  const char* const after = token().begin();
  MoveTo(elements);
  if (!ElementsReader(this, &module_, type).Read(attribute)) return false;
  MoveTo(after);
  return true;
}

// dense_resource<key> : T
bool AttributeParser::ReadResource(AttributeId* attribute) {
  Advance();
  if (!Expect('<')) return false;
  std::string key;
  if (token().Is(TokenKind::kString)) {
    if (!ReadString(&key)) return false;
  } else if (absl::string_view word; ReadWord("the key of a resource", &word)) {
    key = std::string(word);
  } else {
    return false;
  }
  if (!Expect('>') || !Expect(':')) return false;
  const char* const type_at = token().begin();
  TypeId type;
  if (!ReadType(&type)) return false;
  if (module_.type(type).kind != TypeKind::kTensor) {
    return ErrorAt(type_at, absl::StrCat("expected a tensor type, found ", TypeText(type)));
  }
  *attribute = module_.Intern(ResourceAttribute(type, key));
  return true;
}

}  // namespace stablehlo
}  // namespace xla
