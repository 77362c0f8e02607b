#include "builders/stablehlo/lowering/operation_table.h"

#include <set>
#include <string>

#include "builders/stablehlo/text/operation_forms.h"
#include "gmock/gmock.h"

namespace xla {
namespace stablehlo {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Those that do not stand among the operations of a block, or end it: what reads functions and regions knows them.
TEST(OperationTable, HasARowForEachOperationThatStandsInABlock) {
  std::set<std::string> without;
  for (const absl::string_view name : KnownOperations()) {
    if (FindOperation(name) == nullptr) without.emplace(name);
  }
  EXPECT_THAT(without,
              ElementsAre("builtin.module", "func.func", "func.return", "sdy.mesh", "sdy.return", "stablehlo.return"));
}

TEST(OperationTable, HasRowsOfKnownOperationsOnly) {
  std::set<std::string> unknown;
  for (const OperationRow& row : OperationTable()) {
    if (!IsKnownOperation(row.name)) unknown.emplace(row.name);
  }
  EXPECT_THAT(unknown, IsEmpty());
}

TEST(OperationTable, HasEachOperationOnce) {
  std::set<std::string> names;
  for (const OperationRow& row : OperationTable()) EXPECT_TRUE(names.emplace(row.name).second) << row.name;
}

}  // namespace
}  // namespace stablehlo
}  // namespace xla
