#include "builders/nnef_common/diagnostics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "absl/types/optional.h"

namespace xla {
namespace nnef {
namespace {

using ::testing::HasSubstr;

constexpr Standard kStandard = {"NNEF 7", "recipe"};

enum class Kind { kSyntax, kType };

ErrorClass DescribeErrorClass(Kind kind) { return ErrorClass(kind == Kind::kSyntax ? "K1" : "K2", &kStandard); }

TEST(Diagnostics, PrintWhatIsKnown) {
  Diagnostic diagnostic;
  diagnostic.error_class = Kind::kType;
  diagnostic.message = "the file is short";
  EXPECT_EQ(diagnostic.ToString(), "K2: the file is short");
  diagnostic.position.source = std::make_shared<const Source>(Source{"w.dat", ""});
  EXPECT_EQ(diagnostic.ToString(), "w.dat: K2: the file is short");
  diagnostic.rule = "5.2";
  diagnostic.suggestion = "write it again";
  EXPECT_EQ(diagnostic.ToString(), "w.dat: K2: the file is short (NNEF 7 section 5.2); write it again");
}

TEST(Diagnostics, ShowThePieceOfALongLineAroundTheCaret) {
  const auto source = std::make_shared<const Source>(
      Source{"g", "first\n" + std::string(100, 'a') + "\tHERE\x01" + std::string(100, 'b') + "\n"});
  Diagnostic diagnostic;
  diagnostic.position = Position{source, 2, 102, 4};
  diagnostic.error_class = Kind::kSyntax;
  diagnostic.message = "m";
  EXPECT_EQ(diagnostic.ToString(), "g:2:102: K1: m\n    ..." + std::string(69, 'a') + " HERE " + std::string(35, 'b') +
                                       "...\n    " + std::string(73, ' ') + "^^^^");
}

TEST(Diagnostics, PointBehindTheEnd) {
  const auto source = std::make_shared<const Source>(Source{"g", "ab\r\n"});
  Diagnostic diagnostic;
  diagnostic.error_class = Kind::kSyntax;
  diagnostic.message = "m";
  diagnostic.position = Position{source, 1, 3, 1};
  EXPECT_EQ(diagnostic.ToString(), "g:1:3: K1: m\n    ab\n      ^");
  diagnostic.position = Position{source, 9, 5, 7};
  EXPECT_EQ(diagnostic.ToString(), "g:9:5: K1: m\n    \n    ^");
}

TEST(Diagnostics, ShowTheCallsThatLedThere) {
  const auto source = std::make_shared<const Source>(Source{"g", "y = f(x);\n"});
  Diagnostic diagnostic;
  diagnostic.error_class = Kind::kType;
  diagnostic.message = "m";
  diagnostic.calls.push_back({Position{source, 1, 5, 1}, "f"});
  diagnostic.calls.push_back({Position(), "g"});
  EXPECT_EQ(diagnostic.ToString(),
            "K2: m\n  g:1:5: in recipe 'f', which is invoked here\n  in recipe 'g', which is invoked here");
}

TEST(Diagnostics, ShowCallsOfStandardsWithoutAWordForThem) {
  constexpr Standard kWordless = {"NNEF 8", ""};
  const auto source = std::make_shared<const Source>(Source{"g", "y = f(x);\n"});
  Diagnostic diagnostic;
  diagnostic.error_class = ErrorClass("shape", &kWordless);
  diagnostic.message = "m";
  diagnostic.calls.push_back({Position{source, 1, 5, 1}, "nn.f"});
  diagnostic.calls.push_back({Position(), "g"});
  EXPECT_EQ(diagnostic.ToString(), "shape: m\n  in nn.f, called from g:1:5\n  in g");
}

TEST(Diagnostics, KeepTheClassOfTheFirstErrorInTheStatus) {
  Diagnostics diagnostics;
  EXPECT_TRUE(diagnostics.ToStatus().ok());
  diagnostics.Error(Kind::kType, Position(), "first");
  diagnostics.Error(Kind::kSyntax, Position(), "second");
  EXPECT_EQ(diagnostics.ToStatus().message(), "K2: first\nK1: second");
  EXPECT_EQ(diagnostics.errors()[0].error_class, Kind::kType);
  EXPECT_EQ(ErrorCodeOf(diagnostics.ToStatus()), "K2");
  EXPECT_EQ(ErrorCodeOf(ClassifiedError(Kind::kSyntax, "wrong")), "K1");
  EXPECT_EQ(ErrorCodeOf(absl::InternalError("other")), absl::nullopt);
}

TEST(Diagnostics, SayTheMessageWithoutItsClass) {
  const absl::Status classified = ClassifiedError(Kind::kSyntax, "wrong");
  EXPECT_EQ(classified.message(), "K1: wrong");
  EXPECT_EQ(MessageWithoutClass(classified), "wrong");
  const absl::Status other = absl::InvalidArgumentError("K1: wrong");
  EXPECT_EQ(MessageWithoutClass(other), "K1: wrong");
}

TEST(Diagnostics, CountWhatIsTooMuch) {
  Diagnostics diagnostics;
  for (int i = 0; i < Diagnostics::kMaxErrors + 1; ++i) diagnostics.Error(Kind::kSyntax, Position(), "m");
  EXPECT_EQ(diagnostics.error_count(), Diagnostics::kMaxErrors + 1);
  EXPECT_THAT(std::string(diagnostics.ToStatus().message()), HasSubstr("\n1 more error"));
}

}  // namespace
}  // namespace nnef
}  // namespace xla
