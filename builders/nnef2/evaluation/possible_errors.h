// PossibleErrors: the errors of what may never be evaluated.
//
// While an operator is checked at its definition, its attributes are symbols. Which side of c ? a : b an invocation
// takes is not known then, and that one of them has no value (class value: a division by zero, an index out of range)
// is wrong only for invocations that take it. Types, names and lengths must be right in any case.
#ifndef BUILDERS_NNEF2_EVALUATION_POSSIBLE_ERRORS_H_
#define BUILDERS_NNEF2_EVALUATION_POSSIBLE_ERRORS_H_

#include <vector>

#include "builders/nnef2/diagnostics.h"
#include "builders/nnef2/evaluation/workspace.h"

namespace xla {
namespace nnef2 {

// Collects what is reported to a workspace from its construction to End() or its destruction.
class PossibleErrors {
 public:
  explicit PossibleErrors(Workspace* workspace);
  PossibleErrors(const PossibleErrors&) = delete;
  PossibleErrors& operator=(const PossibleErrors&) = delete;
  ~PossibleErrors() { End(); }

  // At a definition the errors that hold in any case are reported now; while a model is composed, none of them.
  void End();
  // After End: whether there were errors, and all of them of class value.
  bool OnlyOfValues() const { return !values_.empty() && !has_others_; }
  // After End: reports those of class value, too. What was evaluated is then known to be evaluated.
  void ReportValues();

 private:
  Workspace& workspace_;
  Diagnostics& outer_;
  Diagnostics own_;
  bool is_over_ = false;
  bool has_others_ = false;
  std::vector<Diagnostic> values_;
};

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_EVALUATION_POSSIBLE_ERRORS_H_
