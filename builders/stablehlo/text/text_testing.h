// What the tests of this folder share.
#ifndef BUILDERS_STABLEHLO_TEXT_TEXT_TESTING_H_
#define BUILDERS_STABLEHLO_TEXT_TEXT_TESTING_H_

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "builders/stablehlo/ir/compare_modules.h"
#include "builders/stablehlo/text/parser.h"
#include "builders/stablehlo/text/printer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace stablehlo {

// nullptr after a failure of the test.
inline std::unique_ptr<Module> Parsed(absl::string_view text) {
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status().message() << "\nin\n" << text;
  return module.ok() ? *std::move(module) : nullptr;
}

// Expects that the text is read, and that both forms of what was read are read as the same.
inline void ExpectReadsAgain(absl::string_view text) {
  const std::unique_ptr<Module> module = Parsed(text);
  if (module == nullptr) return;
  for (const bool is_generic : {false, true}) {
    PrintOptions options;
    options.is_generic = is_generic;
    const std::string printed = PrintModule(*module, options);
    const std::unique_ptr<Module> again = Parsed(printed);
    if (again == nullptr) continue;
    EXPECT_EQ(FirstDifference(*module, *again), "") << printed;
  }
}

// Expects that the text is printed as it is.
inline void ExpectPrintsAs(absl::string_view text, absl::string_view printed) {
  ExpectReadsAgain(text);
  const std::unique_ptr<Module> module = Parsed(text);
  if (module == nullptr) return;
  EXPECT_EQ(PrintModule(*module), std::string(printed));
}
inline void ExpectPrintsSame(absl::string_view text) { ExpectPrintsAs(text, text); }

inline std::string ErrorOf(absl::string_view text) {
  const absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text);
  return module.ok() ? "no error" : std::string(module.status().message());
}

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_TEXT_TEXT_TESTING_H_
