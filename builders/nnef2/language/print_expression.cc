#include "builders/nnef2/language/print_expression.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace xla {
namespace nnef2 {
namespace {

using Kind = Expression::Kind;

std::string Print(const ExpressionPtr& expression) { return expression == nullptr ? "" : PrintExpression(*expression); }

std::string PrintItems(const std::vector<ExpressionPtr>& items, size_t begin) {
  std::string text;
  for (size_t i = begin; i < items.size(); ++i) absl::StrAppend(&text, i > begin ? ", " : "", Print(items[i]));
  return text;
}

// "a[i, j]", "a[i,]", "a[]".
std::string PrintAccess(const Expression& access) {
  std::string text = absl::StrCat(Print(access.items[0]), "[", PrintItems(access.items, 1));
  if (access.items.size() == 2 && access.items[1]->kind != Kind::kExpand && !access.lacks_comma) text += ",";
  return text + "]";
}

// A number before "..": the space keeps the point out of it.
std::string PrintExpand(const Expression& expand) {
  std::string text = Print(expand.items[0]);
  if (text.find_first_not_of("0123456789") == std::string::npos) text += " ";
  text += "..";
  if (expand.items.size() > 1) absl::StrAppend(&text, "(", Print(expand.items[1]), ")");
  return text;
}

std::string PrintRange(const Expression& range) {
  std::string text = absl::StrCat(Print(range.items[0]), ":", Print(range.items[1]));
  if (range.items[2] != nullptr) absl::StrAppend(&text, ":", Print(range.items[2]));
  return text;
}

// "<-" is one token, and so is "**".
std::string PrintBinary(const Expression& binary) {
  return absl::StrCat(Print(binary.items[0]), " ", OperatorSymbol(binary.op), " ", Print(binary.items[1]));
}

std::string PrintBare(const Expression& e) {
  static constexpr absl::string_view kMembers[] = {".shape", ".rank", ".size"};
  switch (e.kind) {
    case Kind::kInteger:
    case Kind::kReal:
    case Kind::kBool:
      return e.text;
    case Kind::kString:
    case Kind::kFormat:
      return absl::StrJoin(e.tokens, " ");
    case Kind::kIdentifier:
      return std::string(e.name);
    case Kind::kMember:
      return absl::StrCat(e.name, kMembers[static_cast<int>(e.member)]);
    case Kind::kCast:
      return absl::StrCat(e.name, "(", PrintItems(e.items, 0), ")");
    case Kind::kBuiltin:
      return absl::StrCat("`", e.name, "`(", Print(e.items[0]), ")");
    case Kind::kList:
      return absl::StrCat("[", PrintItems(e.items, 0), "]");
    case Kind::kExpand:
      return PrintExpand(e);
    case Kind::kRange:
      return PrintRange(e);
    case Kind::kZip:
      return absl::StrCat("(", PrintItems(e.items, 0), ")..");
    case Kind::kIndex:
      return absl::StrCat(Print(e.items[0]), "[", Print(e.items[1]), "]");
    case Kind::kAccess:
      return PrintAccess(e);
    case Kind::kSubstitute:
      return absl::StrCat(Print(e.items[0]), "[", Print(e.items[1]), "] <- ", Print(e.items[2]));
    case Kind::kUnary:
      return absl::StrCat(OperatorSymbol(e.op), Print(e.items[0]));
    case Kind::kBinary:
      return PrintBinary(e);
    case Kind::kFold:
      return absl::StrCat(Print(e.items[0]), " ", OperatorSymbol(e.op), e.is_cumulative ? " ..." : " ..");
    case Kind::kSelect:
      return absl::StrCat(Print(e.items[0]), " ? ", Print(e.items[1]), e.items.size() > 2 ? " : " : "",
                          e.items.size() > 2 ? Print(e.items[2]) : "");
    case Kind::kCoalesce:
      return absl::StrCat(Print(e.items[0]), " ?? ", Print(e.items[1]));
    case Kind::kBounded:
      if (e.items.size() == 1) return absl::StrCat("|", Print(e.items[0]), "|");
      return absl::StrCat("|", Print(e.items[0]), " <> ", Print(e.items[1]), " : ", Print(e.items[2]), "|");
    case Kind::kOmitted:
      return "~";
  }
  return "";
}

std::string PrintExtent(const Extent& extent) {
  std::string text = absl::StrCat(extent.is_spread ? ".." : "", extent.value == nullptr ? "~" : Print(extent.value));
  if (extent.bound != nullptr) absl::StrAppend(&text, "|", Print(extent.bound));
  if (!extent.is_pack) return text;
  if (text.find_last_of("0123456789") + 1 == text.size()) text += " ";
  text += "..";
  if (extent.length != nullptr) absl::StrAppend(&text, "(", Print(extent.length), ")");
  return text;
}

}  // namespace

std::string PrintExpression(const Expression& expression) {
  const std::string text = PrintBare(expression);
  return expression.is_parenthesized ? absl::StrCat("(", text, ")") : text;
}

std::string PrintShape(const std::vector<Extent>& shape) {
  return absl::StrCat(
      "[", absl::StrJoin(shape, ", ", [](std::string* out, const Extent& e) { *out += PrintExtent(e); }), "]");
}

}  // namespace nnef2
}  // namespace xla
