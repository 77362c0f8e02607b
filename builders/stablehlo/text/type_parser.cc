// Types.
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "builders/stablehlo/text/attribute_parser.h"
#include "builders/stablehlo/text/print_types.h"

namespace xla {
namespace stablehlo {
namespace {

constexpr uint32_t kMaxIntegerWidth = (1 << 24) - 1;  // MLIR's own

// The type that i32, si32 or ui32 names.
absl::optional<Type> IntegerTypeFromName(absl::string_view name) {
  Signedness signedness = Signedness::kSignless;
  if (name[0] == 's' || name[0] == 'u') {
    signedness = name[0] == 's' ? Signedness::kSigned : Signedness::kUnsigned;
    name.remove_prefix(1);
  }
  uint32_t width = 0;
  if (name.size() < 2 || name[0] != 'i' || name[1] < '1' || name[1] > '9') return absl::nullopt;
  if (!absl::SimpleAtoi(name.substr(1), &width) || width > kMaxIntegerWidth) return absl::nullopt;
  return IntegerType(width, signedness);
}

}  // namespace

std::string AttributeParser::TypeText(TypeId type) const {
  constexpr size_t kLongest = 200;
  std::string text = stablehlo::TypeText(module_, type);
  if (text.size() > kLongest) text.replace(kLongest, std::string::npos, "...");
  return text;
}

bool AttributeParser::ReadType(TypeId* type) {
  const Nested nested(this);
  if (!nested.ok()) return false;
  if (token().Is(TokenKind::kWord)) return ReadWordType(type);
  if (token().Is(TokenKind::kExclaimName)) return ReadDialectType(type);
  if (!token().Is('(')) return ErrorExpected("a type");
  std::vector<TypeId> arguments;
  std::vector<TypeId> results;
  if (!ReadTypesInParens(&arguments) || !ExpectArrow() || !ReadResultTypes(&results)) return false;
  *type = module_.Intern(FunctionType(arguments, results));
  return true;
}

bool AttributeParser::ReadTypeList(char open, char close, std::vector<TypeId>* types) {
  return ReadList(open, close, [&] {
    types->emplace_back();
    return ReadType(&types->back());
  });
}

bool AttributeParser::ReadTypesInParens(std::vector<TypeId>* types) { return ReadTypeList('(', ')', types); }

bool AttributeParser::ReadTypes(std::vector<TypeId>* types) {
  do {
    types->emplace_back();
    if (!ReadType(&types->back())) return false;
  } while (ConsumeIf(','));
  return true;
}

bool AttributeParser::ReadResultTypes(std::vector<TypeId>* types) {
  if (token().Is('(')) return ReadTypesInParens(types);
  types->emplace_back();
  return ReadType(&types->back());
}

bool AttributeParser::ReadWordType(TypeId* type) {
  const absl::string_view word = token().text;
  if (const absl::optional<FloatKind> kind = FloatKindFromName(word); kind.has_value()) {
    *type = module_.Intern(FloatType(*kind));
  } else if (const absl::optional<Type> integer = IntegerTypeFromName(word); integer.has_value()) {
    *type = module_.Intern(*integer);
  } else if (word == "index" || word == "none") {
    *type = module_.Intern(SimpleType(word == "index" ? TypeKind::kIndex : TypeKind::kNone));
  } else if (word == "tensor" || word == "memref") {
    return ReadTensorType(word == "tensor" ? TypeKind::kTensor : TypeKind::kMemRef, type);
  } else if (word == "tuple") {
    Advance();
    std::vector<TypeId> elements;
    if (!ReadTypeList('<', '>', &elements)) return false;
    *type = module_.Intern(ListType(TypeKind::kTuple, elements));
    return true;
  } else if (word == "complex") {
    Advance();
    if (!Expect('<')) return false;
    const char* const at = token().begin();
    TypeId part;
    if (!ReadType(&part)) return false;
    const TypeKind kind = module_.type(part).kind;
    if (kind != TypeKind::kFloat && kind != TypeKind::kInteger) {
      return ErrorAt(at, absl::StrCat("expected a float or integer type, found ", TypeText(part)));
    }
    *type = module_.Intern(ComplexType(part));
    return Expect('>');
  } else {
    return ErrorExpected("a type such as f32, i32 or tensor<2x3xf32>");
  }
  Advance();
  return true;
}

bool AttributeParser::ReadDialectType(TypeId* type) {
  const Token name = token();
  const auto alias = type_aliases_.find(name.text);
  if (alias != type_aliases_.end()) return UseAlias(alias->second, type);
  if (name.text == "!quant.uniform") return ReadQuantizedType(type);
  if (name.text == "!stablehlo.future") {
    Advance();
    std::vector<TypeId> results;
    if (!ReadTypeList('<', '>', &results)) return false;
    *type = module_.Intern(ListType(TypeKind::kFuture, results));
    return true;
  }
  if (name.text != "!stablehlo.token" && name.text != "!shape.witness") {
    return Error(absl::StrCat("the type ", Quoted(name.text),
                              " is neither an alias that is defined before nor a type that Halo knows, such as "
                              "!stablehlo.token, !stablehlo.future<...> or !quant.uniform<...>"));
  }
  *type = module_.Intern(SimpleType(name.text == "!stablehlo.token" ? TypeKind::kToken : TypeKind::kWitness));
  Advance();
  return true;
}

// Of 2x?x3xf32 all but the element type. The token is the '<' before; afterwards it is the first of the element type.
// In dimensions 0x4 is not a number, so that characters are read here.
bool AttributeParser::ReadDimensions(std::vector<int64_t>* dimensions, bool* is_unranked) {
  if (!token().Is('<')) return ErrorExpected("'<'");
  const char* const end = text_end();
  const char* at = token().end();
  const auto skip_blanks = [&] {
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')) ++at;
  };
  *is_unranked = false;
  for (;;) {
    skip_blanks();
    const char* const begin = at;
    if (at == end || (!absl::ascii_isdigit(static_cast<unsigned char>(*at)) && *at != '?' && *at != '*')) break;
    int64_t size = kDynamic;
    if (absl::ascii_isdigit(static_cast<unsigned char>(*at))) {
      while (at < end && absl::ascii_isdigit(static_cast<unsigned char>(*at))) ++at;
      if (!absl::SimpleAtoi(absl::string_view(begin, at - begin), &size)) {
        return ErrorAt(begin, "this dimension does not fit in 64 bits");
      }
    } else {
      *is_unranked = *at == '*';
      if (*is_unranked && !dimensions->empty()) return ErrorAt(at, "expected a size or '?'");
      ++at;
    }
    skip_blanks();
    if (at == end || *at != 'x') return ErrorAt(at, "expected 'x' after a dimension");
    ++at;
    if (*is_unranked) break;
    dimensions->push_back(size);
  }
  MoveTo(at);
  return true;
}

bool AttributeParser::CheckElementType(TypeId element, const char* at) {
  if (ElementBytes(module_, element) != 0) return true;
  return ErrorAt(at, absl::StrCat("expected an element type, found ", TypeText(element)));
}

bool AttributeParser::ReadTensorType(TypeKind kind, TypeId* type) {
  Advance();
  std::vector<int64_t> dimensions;
  bool is_unranked = false;
  if (!ReadDimensions(&dimensions, &is_unranked)) return false;
  const char* const at = token().begin();
  Type tensor;
  tensor.kind = is_unranked && kind == TypeKind::kTensor ? TypeKind::kUnrankedTensor : kind;
  tensor.dimensions = dimensions;
  if (!ReadType(&tensor.element) || !CheckElementType(tensor.element, at)) return false;
  if (ConsumeIf(',') && !ReadEncoding(&tensor.encoding)) return false;
  if (!Expect('>')) return false;
  *type = module_.Intern(tensor);
  return true;
}

bool AttributeParser::ReadEncoding(AttributeId* encoding) { return ReadAttribute(encoding); }

// !quant.uniform<u8<1:200>:f32:1, {0.5:128, 0.25:127}>
bool AttributeParser::ReadQuantizedType(TypeId* type) {
  Advance();
  Quantization quantization;
  absl::string_view storage;
  if (!Expect('<')) return false;
  const char* const at = token().begin();
  if (!ReadWord("a storage type such as i8 or u8", &storage)) return false;
  quantization.is_signed = storage[0] == 'i';
  int width = 0;
  if ((storage[0] != 'i' && storage[0] != 'u') || !absl::SimpleAtoi(storage.substr(1), &width) || width < 1 ||
      width > 32) {
    return ErrorAt(at,
                   absl::StrCat("expected a storage type of up to 32 bits such as i8 or u8, found ", Quoted(storage)));
  }
  quantization.storage = module_.Intern(IntegerType(width));
  quantization.storage_min = quantization.is_signed ? -(int64_t{1} << (width - 1)) : 0;
  quantization.storage_max = (int64_t{1} << (quantization.is_signed ? width - 1 : width)) - 1;
  if (ConsumeIf('<')) {
    const int64_t least = quantization.storage_min;
    const int64_t most = quantization.storage_max;
    const char* const limits_at = token().begin();
    if (!ReadInteger(&quantization.storage_min) || !Expect(':') || !ReadInteger(&quantization.storage_max) ||
        !Expect('>')) {
      return false;
    }
    if (quantization.storage_min < least || quantization.storage_max > most ||
        quantization.storage_min >= quantization.storage_max) {
      return ErrorAt(limits_at, absl::StrCat("expected limits in order from ", least, " to ", most));
    }
  }
  Type quantized = SimpleType(TypeKind::kQuantized);
  if (!Expect(':')) return false;
  const char* const expressed_at = token().begin();
  if (!ReadType(&quantized.element)) return false;
  if (module_.type(quantized.element).kind != TypeKind::kFloat) {
    return ErrorAt(expressed_at, absl::StrCat("expected a float type, found ", TypeText(quantized.element)));
  }
  std::vector<double> scales;
  std::vector<int64_t> zero_points;
  if (!ReadQuantizationScales(&quantization, &scales, &zero_points) || !Expect('>')) return false;
  quantization.scales = scales;
  quantization.zero_points = zero_points;
  quantized.quantization = &quantization;
  *type = module_.Intern(quantized);
  return true;
}

// `, 0.5:3` or `:1, {0.5:128, 0.25}`
bool AttributeParser::ReadQuantizationScales(Quantization* quantization, std::vector<double>* scales,
                                             std::vector<int64_t>* zero_points) {
  const auto read_scale = [&] {
    scales->push_back(0);
    zero_points->push_back(0);
    return ReadNumber(&scales->back()) && (!ConsumeIf(':') || ReadInteger(&zero_points->back()));
  };
  int64_t axis = -1;
  if (ConsumeIf(':')) {
    const char* const at = token().begin();
    if (!ReadIntegerFrom(0, &axis)) return false;
    if (axis > std::numeric_limits<int32_t>::max()) return ErrorAt(at, "this is not a dimension");
    quantization->axis = static_cast<int32_t>(axis);
  }
  if (!Expect(',')) return false;
  if (axis < 0) return read_scale();
  const char* const at = token().begin();
  if (!ReadList('{', '}', read_scale)) return false;
  return !scales->empty() || ErrorAt(at, "expected at least one scale");
}

}  // namespace stablehlo
}  // namespace xla
