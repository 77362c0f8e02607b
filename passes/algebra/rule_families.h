// The rewrite rules of this folder, in families: each family is a pass of its own, and simplify-algebra applies all
// that do not stand alone.
#ifndef PASSES_ALGEBRA_RULE_FAMILIES_H_
#define PASSES_ALGEBRA_RULE_FAMILIES_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "passes/base/rewrite_rule.h"

namespace xla {

// The rules of one file, in the order in which they are tried.
using RuleList = std::vector<RewriteRule>;

// A pass made of rules; `lists` are functions, so that rules are made when they are first needed. Strings are static.
struct RuleFamily {
  const char* pass;     // "simplify-arithmetic"
  const char* summary;  // of the pass
  std::vector<const RuleList& (*)()> lists;
  // Not part of simplify-algebra, because an expansion that some backends need does the opposite.
  bool stands_alone = false;
};

// In the order in which simplify-algebra tries their rules on an instruction.
absl::Span<const RuleFamily> RuleFamilies();

// The rules of the family whose pass has this name; of all families for simplify-algebra; none for other names.
std::vector<const RewriteRule*> RulesOfPass(absl::string_view pass);

}  // namespace xla

#endif  // PASSES_ALGEBRA_RULE_FAMILIES_H_
