// CheckPrintedForm: whether the text of a module is the whole program.
#ifndef XLA_CORE_TESTING_PRINTED_FORM_H_
#define XLA_CORE_TESTING_PRINTED_FORM_H_

#include "absl/status/status.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/text/printer.h"

namespace xla {

// Prints the verified module as `options` say and reads that again: it must be valid, the same program with the same
// layouts (ModulesStructurallyEqual), and be printed as the same text. Options that leave out elements do not pass.
// Errors: Internal, with the first difference.
absl::Status CheckPrintedForm(const HloModule& module, const PrintOptions& options);

}  // namespace xla

#endif  // XLA_CORE_TESTING_PRINTED_FORM_H_
