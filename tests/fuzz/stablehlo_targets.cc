// What the fuzzers of StableHLO check.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "builders/stablehlo/ir/compare_modules.h"
#include "builders/stablehlo/text/parser.h"
#include "builders/stablehlo/text/printer.h"
#include "tests/fuzz/fuzz_targets.h"
#include "tests/fuzz/input_limits.h"

namespace xla {
namespace {

[[noreturn]] void FailStablehlo(absl::string_view what, absl::string_view printed, absl::string_view why) {
  std::fprintf(stderr, "%.*s: %.*s\n---- of:\n%.*s\n", static_cast<int>(what.size()), what.data(),
               static_cast<int>(why.size()), why.data(), static_cast<int>(printed.size()), printed.data());
  std::abort();
}

}  // namespace

void FuzzStablehloText(absl::string_view text) {
  const InputLimits limits;
  stablehlo::TextOptions options;
  options.resources = limits.cancelled();
  const absl::Status cancelled = stablehlo::ParseModule(text, options).status();
  options.resources = limits.resources();
  const auto module = stablehlo::ParseModule(text, options);
  if (!EndsEarlyOrAs(cancelled, module.status())) {
    FailStablehlo("a cancelled reader goes on", cancelled.ToString(), module.status().message());
  }
  if (!module.ok()) return;
  for (const bool is_generic : {false, true}) {
    stablehlo::PrintOptions print;
    print.is_generic = is_generic;
    print.with_locations = true;
    const std::string printed = stablehlo::PrintModule(**module, print);
    const auto again = stablehlo::ParseModule(printed);
    if (!again.ok()) FailStablehlo("a printed module cannot be read", printed, again.status().message());
    stablehlo::CompareOptions compare;
    compare.with_locations = true;
    const std::string difference = stablehlo::FirstDifference(**module, **again, compare);
    if (!difference.empty()) FailStablehlo("a module changes when it is printed and read", printed, difference);
  }
}

}  // namespace xla
