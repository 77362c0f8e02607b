#include "xla_core/testing/plain_literal.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/text/parser.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace {

// "s32[2] {1, 2}" as "s32[2]{0} {1, 2}", because HLO text would read the braces as a layout.
std::string WithLayouts(absl::string_view text) {
  std::string result;
  int rank = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    if (text[i] == '[') rank = text[i + 1] == ']' ? 0 : 1;
    if (text[i] == ',') ++rank;
    const size_t next = text.find_first_not_of(" \n", i + 1);
    const bool has_value = next != text.npos && next > i + 1 && text[next] == '{';
    if (text[i] != ']' || rank == 0 || !has_value) continue;
    result += '{';
    for (int d = rank - 1; d >= 0; --d) absl::StrAppend(&result, d, d == 0 ? "}" : ",");
  }
  return result;
}

}  // namespace

absl::StatusOr<Literal> ParsePlainLiteral(absl::string_view text, absl::string_view file_name) {
  return ParseLiteralText(WithLayouts(text), file_name);
}

std::string PlainLiteralToString(const Literal& literal) {
  if (literal.IsTuple()) {
    std::vector<std::string> elements;
    for (int i = 0; i < literal.tuple_size(); ++i) elements.push_back(PlainLiteralToString(literal.element(i)));
    return absl::StrCat("( ", absl::StrJoin(elements, ", "), " )");
  }
  Literal plain = literal;
  Shape shape = literal.shape();
  shape.clear_layout();
  plain.ResetShape(std::move(shape));
  return LiteralToString(plain);
}

}  // namespace xla
