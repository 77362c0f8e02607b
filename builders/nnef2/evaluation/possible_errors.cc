#include "builders/nnef2/evaluation/possible_errors.h"

namespace xla {
namespace nnef2 {

PossibleErrors::PossibleErrors(Workspace* workspace)
    : workspace_(*workspace), outer_(workspace->diagnostics()), own_(outer_.resources()) {
  workspace_.ReportTo(&own_);
}

void PossibleErrors::End() {
  if (is_over_) return;
  is_over_ = true;
  workspace_.ReportTo(&outer_);
  for (const Diagnostic& error : own_.errors()) {
    if (error.error_class == nnef::ErrorClass(ErrorClass::kValue)) {
      values_.push_back(error);
      continue;
    }
    has_others_ = true;
    if (workspace_.is_definition()) outer_.Add(error);
  }
}

void PossibleErrors::ReportValues() {
  for (const Diagnostic& error : values_) outer_.Add(error);
}

}  // namespace nnef2
}  // namespace xla
