// The pretty forms of operations that are a list of operands, `name = value` and types. Parser and printer read the
// same table; the forms that it cannot say are in the parser's and the printer's own files.
#ifndef BUILDERS_STABLEHLO_TEXT_OPERATION_FORMS_H_
#define BUILDERS_STABLEHLO_TEXT_OPERATION_FORMS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace xla {
namespace stablehlo {

enum class ClauseKind : uint8_t {
  kNone,
  kInteger,     // dim = 1
  kIntegers,    // dims = [1, 0]
  kBool,        // lower = true
  kString,      // config = "ij,jk->ik"
  kEnumerator,  // type = RFFT; the attribute's name is that of the enumeration
};

// `keyword = value`, which is the property `attribute`.
struct Clause {
  absl::string_view keyword;
  absl::string_view attribute;
  ClauseKind kind = ClauseKind::kNone;
  bool is_optional = false;  // only of the first and only clause
};

enum class TypesForm : uint8_t {
  kSame,        // one type, if that of all operands and of the result is the same; else as kFunctional
  kFunctional,  // (T, T) -> R
  kArrow,       // T, T -> R
  kResult,      // R; operands, if there are any, have the same
  kEach,        // T, U: of each operand, and of each result
};

inline constexpr int kAnyNumber = -1;

// `name operands, clauses {attributes} : types`
struct OperationForm {
  absl::string_view name;
  int num_operands;
  TypesForm types;
  Clause clauses[3] = {};
};

// nullptr: `name` is none of them.
const OperationForm* FindOperationForm(absl::string_view name);

// What the operation's properties are, which the generic form writes apart from its other attributes, for operations
// that have no pretty form. Empty: not known.
absl::Span<const absl::string_view> PropertyNames(absl::string_view name);

// Whether an operation of this name exists, in the dialects builtin, func, stablehlo, chlo and
// sdy, or is one of the few of mhlo that exporters leave.
bool IsKnownOperation(absl::string_view name);
// All of them.
std::vector<absl::string_view> KnownOperations();
// "; did you mean 'x'?" or "", to be appended to a message.
std::string DidYouMeanOperation(absl::string_view name);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_TEXT_OPERATION_FORMS_H_
