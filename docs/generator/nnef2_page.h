// The page docs/nnef2_operators.md: the standard library of NNEF 2, from the comments and declarations of its modules.
#ifndef DOCS_GENERATOR_NNEF2_PAGE_H_
#define DOCS_GENERATOR_NNEF2_PAGE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "docs/generator/reference_pages.h"

namespace xla {

// An operator of a module, as far as the page shows it.
struct DocOperator {
  std::string name;
  std::string group;                    // "Reductions": the last `# ---- TITLE` before it
  std::vector<std::string> paragraphs;  // of its comment
  std::string declaration;              // up to its results, in SkriptND
  enum class Kind { kLowered, kComposed, kIntrinsic } kind = Kind::kIntrinsic;
};

// The operators of a module that is laid out as those of builders/nnef2/library. InvalidArgument: one has no comment or
// no end.
absl::StatusOr<std::vector<DocOperator>> ReadModule(absl::string_view text);

absl::StatusOr<ReferencePage> GenerateNnef2Page();

}  // namespace xla

#endif  // DOCS_GENERATOR_NNEF2_PAGE_H_
