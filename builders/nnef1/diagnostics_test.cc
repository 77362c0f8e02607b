#include "builders/nnef1/diagnostics.h"

#include <gtest/gtest.h>

#include <memory>

#include "builders/nnef1/document.h"
#include "xla_core/support/resource_context.h"

namespace xla {
namespace nnef1 {
namespace {

TEST(ErrorClasses, HaveTheCodesOfTheStandard) {
  Diagnostic diagnostic;
  diagnostic.error_class = ErrorClass::kTensorData;
  diagnostic.message = "the file is short";
  diagnostic.rule = "5.2";
  diagnostic.calls.push_back({Position(), "block"});
  EXPECT_EQ(diagnostic.ToString(),
            "E4: the file is short (NNEF 1.0.4 section 5.2)\n  in fragment 'block', which is invoked here");
}

TEST(ErrorClasses, AreFoundInAStatus) {
  EXPECT_EQ(ErrorClassOf(ClassifiedError(ErrorClass::kFedData, "wrong")), ErrorClass::kFedData);
  EXPECT_EQ(ErrorClassOf(ClassifiedError(ErrorClass::kIdentifier, "wrong")), ErrorClass::kIdentifier);
  EXPECT_EQ(ErrorClassOf(absl::InternalError("other")), absl::nullopt);
}

// All that reads a text asks whether it is over.
TEST(Diagnostics, EndAtTheLimits) {
  const auto cancellation = std::make_shared<Cancellation>();
  ResourceLimits limits;
  limits.cancellation = cancellation;
  const ResourceContext resources(limits, "reading the model");
  const auto source = std::make_shared<Source>(
      Source{"graph.nnef", "version 1.0;\ngraph g(x) -> (y) {\n  x = external(shape = [2]);\n  y = relu(x);\n}\n"});
  Diagnostics before(&resources);
  const auto document = ParseDocument(source, &before);
  ASSERT_NE(document, nullptr) << before.ToStatus();
  cancellation->Cancel();
  const absl::Status cancelled = absl::CancelledError("cancelled while reading the model");
  Diagnostics parsing(&resources), checking(&resources);
  EXPECT_EQ(ParseDocument(source, &parsing), nullptr);
  EXPECT_TRUE(parsing.has_errors());
  EXPECT_EQ(parsing.ToStatus(), cancelled);
  CheckDocument(*document, &checking);
  EXPECT_EQ(checking.ToStatus(), cancelled);
}

}  // namespace
}  // namespace nnef1
}  // namespace xla
