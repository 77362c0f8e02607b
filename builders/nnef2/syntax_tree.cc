#include "builders/nnef2/syntax_tree.h"

#include "absl/strings/str_cat.h"

namespace xla {
namespace nnef2 {
namespace {

constexpr absl::string_view kBaseTypeNames[] = {"type", "arith", "num", "int", "real", "bool", "str"};

// In the order of Operator.
struct OperatorRow {
  absl::string_view symbol;
  int level;
};
constexpr OperatorRow kOperatorRows[] = {{"**", 7}, {"*", 6},  {"/", 6},  {"\\", 6}, {"%", 6},  {"+", 5},
                                         {"-", 5},  {"<<", 4}, {">>", 4}, {"<", 3},  {"<=", 3}, {">", 3},
                                         {">=", 3}, {"==", 3}, {"!=", 3}, {":=", 3}, {"is", 3}, {"in", 3},
                                         {"&&", 2}, {"||", 2}, {"^", 2},  {"=>", 1}, {"!", 8},  {"?", 8}};

constexpr absl::string_view kBlockNames[kNumBlockKinds] = {"@dtype",    "@attrib",   "@input",  "@using",
                                                           "@constant", "@variable", "@output", "@assert",
                                                           "@lower",    "@compose",  "@update", "@quantize"};

}  // namespace

absl::string_view BaseTypeName(BaseType type) { return kBaseTypeNames[static_cast<int>(type)]; }
absl::string_view OperatorSymbol(Operator op) { return kOperatorRows[static_cast<int>(op)].symbol; }
int OperatorLevel(Operator op) { return kOperatorRows[static_cast<int>(op)].level; }
absl::string_view BlockName(BlockKind kind) { return kBlockNames[static_cast<int>(kind)]; }

std::string Definition::QualifiedName() const { return absl::StrCat(source->module, ".", name.text); }

}  // namespace nnef2
}  // namespace xla
