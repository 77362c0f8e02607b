// A module of its own around one instruction.
#ifndef TOOLS_VIEWS_EXTRACT_H_
#define TOOLS_VIEWS_EXTRACT_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

struct ExtractRequest {
  std::string computation;  // empty: any
  std::string instruction;
  absl::optional<int64_t> depth;  // none: all operands
};

// "NAME", "NAME,DEPTH", "COMPUTATION/NAME,DEPTH". InvalidArgument if it is neither of these.
absl::StatusOr<ExtractRequest> ParseExtractRequest(absl::string_view text);

// A module whose entry computes that instruction of the verified `module` from those operands that are at most `depth`
// edges away (0: the instruction alone), with copies of the computations they call. Operands farther away become
// parameters of the same name and shape; constants come along at any distance, a token becomes a new one, and an
// asynchronous operation is taken with its start and its end. Control edges to what is left out are dropped.
// NotFound, with the nearest name, if there is no such instruction; InvalidArgument if several computations have one.
absl::StatusOr<std::unique_ptr<HloModule>> ExtractModule(const HloModule& module, const ExtractRequest& request);

}  // namespace xla

#endif  // TOOLS_VIEWS_EXTRACT_H_
