// Pass: a row of the pass table.
#ifndef PASSES_BASE_PASS_H_
#define PASSES_BASE_PASS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Rewrites a verified module into a verified module that computes the same; true if anything changed. The module is
// tidy when the pass begins (hlo_module.h), and the runner tidies it afterwards. An error leaves the module unusable.
using PassFunction = absl::StatusOr<bool> (*)(HloModule& module, PassContext& context);

struct RewriteRule;

// An option of a pass, given as --passes=NAME:OPTION=VALUE. Values are text; the runner checks that they are of
// `kind`.
struct PassOption {
  enum class Kind { kBool, kInt, kText, kList };

  const char* name;  // "max-bytes"
  Kind kind;
  const char* default_value;
  const char* help;
};

// Everything about a pass but its code. Rows are static, and their pointers are to static data; the runner,
// --list-passes and the documentation read them.
struct Pass {
  const char* name;     // "remove-dead-code", as --passes= spells it
  const char* summary;  // one line for --list-passes and the documentation
  PassFunction run;
  std::vector<PassOption> options = {};
  // What should hold before, and what holds afterwards, in words; "" if there is nothing to say.
  const char* needs = "";
  const char* establishes = "";
  // The rules that the pass of this name applies, for --list-passes, --disable-rule and the documentation; nullptr if
  // it is not made of rules.
  std::vector<const RewriteRule*> (*rules)(absl::string_view pass) = nullptr;
};

}  // namespace xla

#endif  // PASSES_BASE_PASS_H_
