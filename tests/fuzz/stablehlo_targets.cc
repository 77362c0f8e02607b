// What the fuzzers of StableHLO check.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "builders/stablehlo/bytecode/reader.h"
#include "builders/stablehlo/ir/compare_modules.h"
#include "builders/stablehlo/parse_stablehlo.h"
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

// What can be read becomes HLO or is refused: by the program, not by a fault of ours.
void CheckLowering(absl::string_view contents, const InputLimits& limits) {
  StableHloOptions options;
  options.resources = limits.cancelled();
  const absl::Status cancelled = ParseStableHlo(contents, options).status();
  options.resources = limits.resources();
  const absl::Status status = ParseStableHlo(contents, options).status();
  if (!EndsEarlyOrAs(cancelled, status)) FailStablehlo("a cancelled reader goes on", "", cancelled.ToString());
  if (status.code() == absl::StatusCode::kInternal || (!status.ok() && status.message().empty())) {
    FailStablehlo("a program is not refused cleanly", "", status.ToString());
  }
}

}  // namespace

void FuzzStablehloBytecode(absl::string_view bytes) {
  const InputLimits limits;
  stablehlo::BytecodeOptions options;
  options.resources = limits.resources();
  const auto module = stablehlo::ReadBytecode(bytes, options);
  if (!module.ok()) {
    if (module.status().code() == absl::StatusCode::kInternal || module.status().message().empty()) {
      FailStablehlo("an artifact is not refused cleanly", "", module.status().ToString());
    }
    return;
  }
  for (const bool is_generic : {false, true}) {
    stablehlo::PrintOptions print;
    print.is_generic = is_generic;
    print.with_locations = true;
    stablehlo::TextOptions text;
    text.resources = limits.resources();
    stablehlo::ParseModule(stablehlo::PrintModule(**module, print), text).status().IgnoreError();
  }
  CheckLowering(bytes, limits);
}

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
  CheckLowering(text, limits);
}

}  // namespace xla
