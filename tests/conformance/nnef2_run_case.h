// Runs one case of the NNEF 2 corpus and says whether it did what it must.
#ifndef TESTS_CONFORMANCE_NNEF2_RUN_CASE_H_
#define TESTS_CONFORMANCE_NNEF2_RUN_CASE_H_

#include <string>
#include <vector>

#include "tests/conformance/backend_variants.h"
#include "tests/conformance/corpus_run.h"
#include "tests/conformance/nnef2_corpus.h"

namespace xla {

struct Nnef2Run {
  std::string backend = "interpreter";
  // How each model runs; the results must have the same bits.
  std::vector<BackendVariant> variants = {BackendVariant()};
  // Lower all statements by their loops.
  bool general_form = false;
};

// - What must run gives what the case expects within its tolerance, the same bits in all variants, and once more from
//   its modules as they are printed.
// - What must be composed is, with the facts of the case, and once more from its modules as they are printed.
// - What must be refused is refused; whether the class of an error, its line and its message are those of the case is
//   counted apart.
// - Tensor files have the facts of the case, or are refused.
// An ambiguous case runs, but is skipped whatever its result; how many agree is counted apart.
CaseResult RunNnef2Case(const Nnef2Case& nnef2_case, const Nnef2Run& run);

}  // namespace xla

#endif  // TESTS_CONFORMANCE_NNEF2_RUN_CASE_H_
