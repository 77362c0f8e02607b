// Reads StableHLO text: MLIR's generic form of any operation of the dialects that we know, and the pretty forms that
// JAX, torch-xla and StableHLO's tools print.
//
// What is read is as the text says: values are resolved and their types compared with those that operations state;
// whether an operation's types and attributes fit together is for the verification. Errors are InvalidArgument and
// show file, line, column and a caret. No input makes the parser crash, hang or take memory out of proportion to the
// text: what nests, nests at most kMaxTextNesting deep.
#ifndef BUILDERS_STABLEHLO_TEXT_PARSER_H_
#define BUILDERS_STABLEHLO_TEXT_PARSER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "builders/stablehlo/ir/module.h"
#include "xla_core/support/resource_context.h"

namespace xla {
namespace stablehlo {

inline constexpr int kMaxTextNesting = 300;

struct TextOptions {
  std::string file_name;  // for messages
  // Limits of the work; nullptr: none.
  const ResourceContext* resources = nullptr;
};

// One module, with or without `module {...}` around it.
absl::StatusOr<std::unique_ptr<Module>> ParseModule(absl::string_view text, const TextOptions& options = {});

// All modules of a file, which lines beginning with `// -----` separate; blank parts are skipped. Messages count lines
// in the whole file.
absl::StatusOr<std::vector<std::unique_ptr<Module>>> ParseModules(absl::string_view text,
                                                                  const TextOptions& options = {});

// One attribute, such as the dictionary of a custom call's options, which becomes an attribute of `module`.
absl::StatusOr<AttributeId> ParseAttribute(absl::string_view text, Module* module);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_TEXT_PARSER_H_
