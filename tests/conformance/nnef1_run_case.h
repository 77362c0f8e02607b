// Runs one case of the NNEF 1 corpus and says whether it did what it must.
#ifndef TESTS_CONFORMANCE_NNEF1_RUN_CASE_H_
#define TESTS_CONFORMANCE_NNEF1_RUN_CASE_H_

#include <string>
#include <vector>

#include "tests/conformance/backend_variants.h"
#include "tests/conformance/corpus_run.h"
#include "tests/conformance/nnef1_corpus.h"

namespace xla {

struct Nnef1Run {
  std::string backend = "interpreter";
  // How each model runs; the results must have the same bits.
  std::vector<BackendVariant> variants = {BackendVariant()};
  // Run compounds as the bodies that the specification gives them.
  bool expand_compounds = false;
  // Give variables as parameters.
  bool variables_are_parameters = false;
};

// - What must succeed runs all cycles with one state, gives what is expected within the case's tolerance, and comes
// back
//   from a flattened document as the same one; with a quantisation file also when that is simulated.
// - What must be refused is refused with a class that is right; if a text is wrong, with a place in it.
// - Of a structure, each tensor has the expected shape.
// A disputed case runs, but is skipped whatever its result.
CaseResult RunNnef1Case(const Nnef1Case& nnef1_case, const Nnef1Run& run);

}  // namespace xla

#endif  // TESTS_CONFORMANCE_NNEF1_RUN_CASE_H_
