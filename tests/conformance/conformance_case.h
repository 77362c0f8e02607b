// One case of the corpus: a folder with a program, what goes in and what must come out.
#ifndef TESTS_CONFORMANCE_CONFORMANCE_CASE_H_
#define TESTS_CONFORMANCE_CONFORMANCE_CASE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/shared/check_results.h"
#include "xla_core/literal_io/input_spec.h"

namespace xla {

struct ConformanceCase {
  std::string group;  // the folder above: op, program, model, train, collective, invalid
  std::string name;
  std::string folder;  // the path to its files

  std::string title() const { return group + "/" + name; }
  std::string path(const char* file) const { return folder + "/" + file; }
};

// What case.json says.
struct CaseDescription {
  bool must_be_refused = false;  // "expect": "error"
  bool is_full_size = false;
  int64_t replica_count = 1;
  int64_t partition_count = 1;
  InputSpecs inputs;  // none of a case that must be refused, unless it states them
  bool has_inputs = false;
  ResultTolerance tolerance;
};

// All cases below `corpus`, sorted. NotFound if there is no such folder.
absl::StatusOr<std::vector<ConformanceCase>> ListCases(const std::string& corpus);

absl::StatusOr<CaseDescription> ReadCaseDescription(const ConformanceCase& conformance_case);

}  // namespace xla

#endif  // TESTS_CONFORMANCE_CONFORMANCE_CASE_H_
