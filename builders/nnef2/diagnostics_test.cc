#include "builders/nnef2/diagnostics.h"

#include <gtest/gtest.h>

#include <memory>

namespace xla {
namespace nnef2 {
namespace {

TEST(ErrorClasses, HaveNames) {
  EXPECT_EQ(ErrorClassName(ErrorClass::kLex), "lex");
  EXPECT_EQ(ErrorClassName(ErrorClass::kShape), "shape");
  EXPECT_EQ(ErrorClassName(ErrorClass::kRuntimeBound), "runtime-bound");
}

TEST(ErrorClasses, ShowInDiagnostics) {
  const auto source = std::make_shared<const Source>(Source{"main.sknd", "y = nn.conv(x);\n", "main"});
  Diagnostic diagnostic;
  diagnostic.error_class = ErrorClass::kShape;
  diagnostic.message = "expected rank 4";
  diagnostic.rule = "2.6";
  diagnostic.calls.push_back({Position{source, 1, 5, 7}, "nn.conv"});
  EXPECT_EQ(diagnostic.ToString(),
            "shape: expected rank 4 (NNEF 2.0 section 2.6)\n  in nn.conv, called from main.sknd:1:5");
}

TEST(ErrorClasses, AreFoundInAStatus) {
  EXPECT_EQ(ErrorClassOf(ClassifiedError(ErrorClass::kData, "wrong")), ErrorClass::kData);
  EXPECT_EQ(ErrorClassOf(absl::InternalError("other")), absl::nullopt);
}

}  // namespace
}  // namespace nnef2
}  // namespace xla
