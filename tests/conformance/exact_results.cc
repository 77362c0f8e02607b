#include "tests/conformance/exact_results.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "tools/shared/check_results.h"

namespace xla {

bool AnyIsExact(const std::vector<bool>& exact) { return std::find(exact.begin(), exact.end(), true) != exact.end(); }

absl::Status CheckExactResults(const std::vector<bool>& exact, const std::vector<NamedArray>& got,
                               const std::vector<NamedArray>& of_interpreter) {
  if (got.size() != of_interpreter.size()) {
    return absl::DataLossError(absl::StrCat(got.size(), " arrays, but ", of_interpreter.size(), " on the interpreter"));
  }
  std::vector<NamedArray> exact_got, exact_want;
  for (size_t i = 0; i < got.size(); ++i) {
    if (!exact[i % exact.size()]) continue;
    exact_got.push_back(got[i]);
    exact_want.push_back(of_interpreter[i]);
  }
  ResultTolerance same_bits;
  same_bits.exact = {true};
  const CheckedResults checked = CheckResults(exact_got, exact_want, same_bits);
  if (checked.match) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("other bits than on the interpreter:\n", checked.report));
}

}  // namespace xla
