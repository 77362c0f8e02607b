// Every wrong call gives one message, which names the place of the call and the operation and says what is wrong; the
// builder keeps it, and does nothing any more.
#include <iostream>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/tests/methods_of_header.h"
#include "builders/computation_builder/tests/misuse.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

struct Family {
  const char* name;
  absl::Span<const ErrorCase> (*cases)();
};

const Family kFamilies[] = {
    {"Building", BuildingErrors},           {"Elementwise", ElementwiseErrors}, {"DataMovement", DataMovementErrors},
    {"Indexing", IndexingErrors},           {"Function", FunctionErrors},       {"Window", WindowErrors},
    {"LinearAlgebra", LinearAlgebraErrors}, {"Device", DeviceErrors},
};

void PrintTo(const Family& family, std::ostream* out) { *out << family.name; }

class Errors : public testing::TestWithParam<Family> {};
INSTANTIATE_TEST_SUITE_P(Builder, Errors, testing::ValuesIn(kFamilies),
                         [](const testing::TestParamInfo<Family>& info) { return info.param.name; });

TEST_P(Errors, SayWhereAndWhatIsWrong) {
  for (const ErrorCase& c : GetParam().cases()) {
    SCOPED_TRACE(c.what);
    Misuse m;
    c.call(m);
    const absl::Status error = m.fine().first_error();
    EXPECT_EQ(std::string(error.message()), absl::StrCat(m.place().ToString(), ": ", c.message));
    EXPECT_EQ(error.code(), absl::StatusCode::kInvalidArgument);
    // It sticks, and nothing more happens.
    EXPECT_FALSE(m.fine().ConstantR0<float>(1).valid());
    EXPECT_FALSE(m.fine().Add(XlaOp(), m.Foreign("f32[]")).valid());
    EXPECT_EQ(m.fine().Build().status(), error);
    EXPECT_EQ(m.fine().BuildModule().status(), error);
    EXPECT_EQ(m.fine().first_error(), error);
  }
}

TEST(ErrorCases, AreMany) {
  size_t count = 0;
  std::set<std::string> names;
  for (const Family& family : kFamilies) {
    for (const ErrorCase& c : family.cases()) EXPECT_TRUE(names.insert(c.what).second) << c.what << " occurs twice";
    count += family.cases().size();
  }
  std::cout << count << " error cases\n";
  EXPECT_GE(count, 300);
}

TEST(ErrorCases, CoverEveryMethodOfTheBuilder) {
  // These two name what they are given instead of themselves.
  std::set<std::string> covered = {"AddOp", "ReportError"};
  for (const Family& family : kFamilies) {
    for (const ErrorCase& c : family.cases()) {
      covered.insert(std::string(absl::string_view(c.message).substr(0, absl::string_view(c.message).find('('))));
    }
  }
  for (const std::string& method : OperationsOfHeader()) {
    EXPECT_TRUE(covered.count(method)) << "no error case for ComputationBuilder::" << method;
  }
}

}  // namespace
}  // namespace xla
