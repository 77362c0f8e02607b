#include "xla_core/text/shape_parser.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace xla {
namespace {

bool ParseDimension(TokenReader& reader, int64_t* size, bool* dynamic) {
  if (reader.Accept(TokenKind::kQuestion)) {
    *size = Shape::kUnboundedSize;
    *dynamic = true;
    return true;
  }
  *dynamic = reader.Accept(TokenKind::kLessEqual);
  const char* const at = reader.token().begin;
  if (!reader.ParseInt(size)) return false;
  if (*size == Shape::kUnboundedSize && !*dynamic) {
    *dynamic = true;
  } else if (*size < 0) {
    return reader.ErrorAt(at, "the size of a dimension must be between 0 and 2^63 - 1");
  }
  return true;
}

// With the current token '['.
bool ParseDimensions(TokenReader& reader, PrimitiveType type, Shape* shape) {
  DimensionVector sizes;
  absl::InlinedVector<bool, 7> dynamic;
  const auto parse = [&] {
    sizes.emplace_back();
    bool is_dynamic;
    if (!ParseDimension(reader, &sizes.back(), &is_dynamic)) return false;
    dynamic.push_back(is_dynamic);
    return true;
  };
  if (!reader.ParseList(TokenKind::kLeftSquare, TokenKind::kRightSquare, parse)) return false;
  *shape = Shape::Array(type, sizes, dynamic);
  return true;
}

// The entries of one pair of parentheses: `(8,128)`.
bool ParseTileDimensions(TokenReader& reader, Tile* tile) {
  return reader.ParseList(TokenKind::kLeftParen, TokenKind::kRightParen, [&] {
    tile->dimensions.emplace_back();
    if (reader.Accept(TokenKind::kAsterisk)) {
      tile->dimensions.back() = Tile::kCombineDimension;
      return true;
    }
    return reader.ParseNonNegative(&tile->dimensions.back(), "the size of a tile");
  });
}

// `(value)`
bool ParseParenthesized(TokenReader& reader, int64_t* value) {
  return reader.Expect(TokenKind::kLeftParen, "after the letter of a layout property") && reader.ParseInt(value) &&
         reader.Expect(TokenKind::kRightParen, "after the value of a layout property");
}

bool ParseIntegerType(TokenReader& reader, PrimitiveType* type) {
  if (!reader.Expect(TokenKind::kLeftParen, "before an index type")) return false;
  if (!reader.Is(TokenKind::kType) || !IsUnsignedInt(reader.token().type)) {
    return reader.ErrorExpected("an unsigned integer type");
  }
  *type = reader.token().type;
  reader.Next();
  return reader.Expect(TokenKind::kRightParen, "after an index type");
}

// `D(D,C+~)`: sparse arrays are gone from HLO, so the level types are read and dropped.
bool SkipDimensionLevels(TokenReader& reader) {
  return reader.ParseList(TokenKind::kLeftParen, TokenKind::kRightParen, [&] {
    absl::string_view level;
    if (!reader.ParseName(&level, "a dimension level type: D, C, S or H")) return false;
    reader.Accept(TokenKind::kPlus);
    reader.Accept(TokenKind::kTilde);
    return true;
  });
}

// `(dimension:index,index)(dimension:...)`
bool ParseSplitConfigs(TokenReader& reader, std::vector<SplitConfig>* configs) {
  while (reader.Accept(TokenKind::kLeftParen)) {
    SplitConfig config;
    if (!reader.ParseNonNegative(&config.dimension, "a split dimension") ||
        !reader.Expect(TokenKind::kColon, "after a split dimension")) {
      return false;
    }
    do {
      config.split_indices.emplace_back();
      if (!reader.ParseInt(&config.split_indices.back())) return false;
    } while (reader.Accept(TokenKind::kComma));
    if (!reader.Expect(TokenKind::kRightParen, "after split indices")) return false;
    configs->push_back(std::move(config));
  }
  return true;
}

// What follows the colon of a layout, in this fixed order.
bool ParseLayoutProperties(TokenReader& reader, Layout* layout) {
  const auto accept = [&](absl::string_view letter) {
    if (!reader.IsWord(letter)) return false;
    reader.Next();
    return true;
  };
  if (accept("D") && !SkipDimensionLevels(reader)) return false;
  if (accept("T")) {
    do {
      layout->tiles.emplace_back();
      if (!ParseTileDimensions(reader, &layout->tiles.back())) return false;
    } while (reader.Is(TokenKind::kLeftParen));
  }
  if (accept("L") && !ParseParenthesized(reader, &layout->tail_padding_alignment_in_elements)) return false;
  if (reader.Accept(TokenKind::kPound) && !ParseIntegerType(reader, &layout->index_primitive_type)) return false;
  if (reader.Accept(TokenKind::kAsterisk) && !ParseIntegerType(reader, &layout->pointer_primitive_type)) return false;
  if (accept("E") && !ParseParenthesized(reader, &layout->element_size_in_bits)) return false;
  if (accept("S") && !ParseParenthesized(reader, &layout->memory_space)) return false;
  if (accept("SC") && !ParseSplitConfigs(reader, &layout->split_configs)) return false;
  if (reader.IsWord("P"))
    return reader.Error("a physical shape P(...) belongs to sparse arrays, which HLO no longer has");
  if (accept("M") && !ParseParenthesized(reader, &layout->dynamic_shape_metadata_prefix_bytes)) return false;
  return true;
}

bool IsRowMajor(const DimensionVector& minor_to_major) {
  for (size_t i = 0; i < minor_to_major.size(); ++i) {
    if (minor_to_major[i] != static_cast<int64_t>(minor_to_major.size() - 1 - i)) return false;
  }
  return true;
}

// A brace after a shape begins a layout only if an integer or a colon follows it.
bool AtLayout(const TokenReader& reader) {
  if (!reader.Is(TokenKind::kLeftBrace)) return false;
  const TokenKind next = reader.Peek().kind;
  return next == TokenKind::kInteger || next == TokenKind::kColon;
}

// A layout such as `{1,0:T(8,128)}`: dimensions from minor to major, then tiles and other properties.
bool ParseLayout(TokenReader& reader, Shape* shape) {
  const char* const begin = reader.token().begin;
  reader.Next();
  DimensionVector minor_to_major;
  if (reader.Is(TokenKind::kInteger)) {
    do {
      minor_to_major.emplace_back();
      if (!reader.ParseInt(&minor_to_major.back())) return false;
    } while (reader.Accept(TokenKind::kComma));
  }
  if (static_cast<int>(minor_to_major.size()) != shape->rank()) {
    return reader.ErrorAt(begin, absl::StrCat("the shape has ", shape->rank(), " dimensions, but its layout names ",
                                              minor_to_major.size()));
  }
  // Nearly all layouts are like this, and share one object.
  if (reader.Is(TokenKind::kRightBrace) && IsRowMajor(minor_to_major)) {
    shape->set_shared_layout(RowMajorLayout(shape->rank()));
    reader.Next();
    return true;
  }
  Layout layout;
  layout.minor_to_major = std::move(minor_to_major);
  if (reader.Accept(TokenKind::kColon) && !ParseLayoutProperties(reader, &layout)) return false;
  if (!reader.Expect(TokenKind::kRightBrace, "at the end of a layout")) return false;
  shape->set_layout(std::move(layout));
  return true;
}

// An array's type, dimensions and layout. Tokens and opaque values are written as arrays without dimensions.
bool ParseArray(TokenReader& reader, MissingLayout missing_layout, Shape* shape) {
  const PrimitiveType type = reader.token().type;
  reader.Next();
  if (!reader.Is(TokenKind::kLeftSquare)) return reader.ErrorExpected("'[' and the dimensions after an element type");
  if (!IsArrayType(type)) {
    *shape = type == TOKEN ? Shape::Token() : Shape::Opaque();
    reader.Next();
    return reader.Expect(TokenKind::kRightSquare, "since tokens and opaque values have no dimensions");
  }
  if (!ParseDimensions(reader, type, shape)) return false;
  if (AtLayout(reader)) {
    if (!ParseLayout(reader, shape)) return false;
  } else if (missing_layout == MissingLayout::kRowMajor) {
    shape->set_shared_layout(RowMajorLayout(shape->rank()));
  }
  return true;
}

bool ParseBuffer(TokenReader& reader, MissingLayout missing_layout, Shape* shape) {
  reader.Next();
  reader.Next();
  if (!reader.Is(TokenKind::kType) || !IsArrayType(reader.token().type)) {
    return reader.ErrorExpected("an array shape within b(...)");
  }
  Shape array;
  if (!ParseArray(reader, missing_layout, &array)) return false;
  *shape = Shape::Buffer(std::move(array));
  return reader.Expect(TokenKind::kRightParen, "at the end of a buffer shape");
}

bool ParseAnyShape(TokenReader& reader, MissingLayout missing_layout, Shape* shape) {
  if (reader.Is(TokenKind::kType)) return ParseArray(reader, missing_layout, shape);
  if (!reader.IsShape()) return reader.ErrorExpected("a shape");
  if (!reader.Is(TokenKind::kLeftParen)) return ParseBuffer(reader, missing_layout, shape);
  TokenReader::NestingScope nesting(reader);
  if (!nesting.ok()) return false;
  std::vector<Shape> elements;
  const auto parse = [&] {
    elements.emplace_back();
    return ParseAnyShape(reader, missing_layout, &elements.back());
  };
  if (!reader.ParseList(TokenKind::kLeftParen, TokenKind::kRightParen, parse)) return false;
  *shape = Shape::Tuple(std::move(elements));
  return true;
}

}  // namespace

bool ParseShape(TokenReader& reader, MissingLayout missing_layout, Shape* shape) {
  const char* const begin = reader.token().begin;
  if (!ParseAnyShape(reader, missing_layout, shape)) return false;
  const absl::Status valid = ValidateShape(*shape);
  return valid.ok() || reader.ErrorAt(begin, std::string(valid.message()));
}

}  // namespace xla
