// A module of its own around one instruction, or around some.
#ifndef PASSES_CUTTING_EXTRACT_H_
#define PASSES_CUTTING_EXTRACT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
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

// An element of what an instruction gives; {}: all of it.
struct ExtractedResult {
  const HloInstruction* instruction = nullptr;
  ShapeIndex element;
};

// A module whose entry computes `instructions`, which are of one computation of the verified `module`, and gives
// `results`, which are theirs: a tuple if they are several. Their operands from outside become parameters of the same
// names and shapes, in the order of the computation, and are added to `operands`. Small constants come along, and a
// token becomes a new one.
std::unique_ptr<HloModule> ExtractInstructions(const HloModule& module,
                                               absl::Span<const HloInstruction* const> instructions,
                                               absl::Span<const ExtractedResult> results,
                                               std::vector<const HloInstruction*>* operands);

}  // namespace xla

#endif  // PASSES_CUTTING_EXTRACT_H_
