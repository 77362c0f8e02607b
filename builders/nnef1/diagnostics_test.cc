#include "builders/nnef1/diagnostics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "builders/nnef1/document.h"
#include "xla_core/support/resource_context.h"

namespace xla {
namespace nnef1 {
namespace {

using ::testing::HasSubstr;

TEST(Diagnostics, PrintWhatIsKnown) {
  Diagnostic diagnostic;
  diagnostic.error_class = ErrorClass::kTensorData;
  diagnostic.message = "the file is short";
  EXPECT_EQ(diagnostic.ToString(), "E4: the file is short");
  diagnostic.position.source = std::make_shared<const Source>(Source{"w.dat", ""});
  EXPECT_EQ(diagnostic.ToString(), "w.dat: E4: the file is short");
  diagnostic.rule = "5.2";
  diagnostic.suggestion = "write it again";
  EXPECT_EQ(diagnostic.ToString(), "w.dat: E4: the file is short (NNEF 1.0.4 section 5.2); write it again");
}

TEST(Diagnostics, ShowThePieceOfALongLineAroundTheCaret) {
  const auto source = std::make_shared<const Source>(
      Source{"g", "first\n" + std::string(100, 'a') + "\tHERE\x01" + std::string(100, 'b') + "\n"});
  Diagnostic diagnostic;
  diagnostic.position = Position{source, 2, 102, 4};
  diagnostic.message = "m";
  EXPECT_EQ(diagnostic.ToString(), "g:2:102: E1: m\n    ..." + std::string(69, 'a') + " HERE " + std::string(35, 'b') +
                                       "...\n    " + std::string(73, ' ') + "^^^^");
}

TEST(Diagnostics, PointBehindTheEnd) {
  const auto source = std::make_shared<const Source>(Source{"g", "ab\r\n"});
  Diagnostic diagnostic;
  diagnostic.message = "m";
  diagnostic.position = Position{source, 1, 3, 1};
  EXPECT_EQ(diagnostic.ToString(), "g:1:3: E1: m\n    ab\n      ^");
  diagnostic.position = Position{source, 9, 5, 7};
  EXPECT_EQ(diagnostic.ToString(), "g:9:5: E1: m\n    \n    ^");
}

TEST(Diagnostics, KeepTheClassOfTheFirstErrorInTheStatus) {
  Diagnostics diagnostics;
  EXPECT_TRUE(diagnostics.ToStatus().ok());
  diagnostics.Error(ErrorClass::kIdentifier, Position(), "first");
  diagnostics.Error(ErrorClass::kSyntax, Position(), "second");
  EXPECT_EQ(diagnostics.ToStatus().message(), "E2.4: first\nE1: second");
  EXPECT_EQ(ErrorClassOf(diagnostics.ToStatus()), ErrorClass::kIdentifier);
  EXPECT_EQ(ErrorClassOf(ClassifiedError(ErrorClass::kFedData, "wrong")), ErrorClass::kFedData);
  EXPECT_EQ(ErrorClassOf(absl::InternalError("other")), absl::nullopt);
}

TEST(Diagnostics, CountWhatIsTooMuch) {
  Diagnostics diagnostics;
  for (int i = 0; i < Diagnostics::kMaxErrors + 1; ++i) diagnostics.Error(ErrorClass::kSyntax, Position(), "m");
  EXPECT_EQ(diagnostics.error_count(), Diagnostics::kMaxErrors + 1);
  EXPECT_THAT(std::string(diagnostics.ToStatus().message()), HasSubstr("\n1 more error"));
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
