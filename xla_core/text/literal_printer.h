// Values as text, as XLA's literal.cc prints them.
#ifndef XLA_CORE_TEXT_LITERAL_PRINTER_H_
#define XLA_CORE_TEXT_LITERAL_PRINTER_H_

#include <string>

#include "xla_core/support/resource_context.h"
#include "xla_core/types/literal.h"

namespace xla {

// The forms in which constants of a module and literals of files are written; the defaults are those of a constant.
struct LiteralPrintOptions {
  // In front of a value, or of each leaf of a tuple: "f32[2]{0} {1, 2}".
  bool shape = false;
  bool layout = true;
  // Each row of an array on a line of its own.
  bool multi_line = false;
  // Arrays of more than kMaxShownElements, and tuples, become {...}.
  bool elide_large = false;
  // Once these are over, what is left of an array is left out; nullptr: no limits.
  const ResourceContext* resources = nullptr;

  static constexpr int64_t kMaxShownElements = 10;
};

void AppendLiteral(const Literal& literal, const LiteralPrintOptions& options, std::string* out);

}  // namespace xla

#endif  // XLA_CORE_TEXT_LITERAL_PRINTER_H_
