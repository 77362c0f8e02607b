// The interpreter through the execution interface.
#include <memory>
#include <vector>

#include "backends/backend.h"
#include "backends/literal_execution.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace {

using ::testing::ElementsAre;

constexpr char kAdd[] = R"(HloModule add
ENTRY main {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT sum = f32[] add(x, y)
})";

TEST(Interpreter, RunsAProgram) {
  const auto client = GetClient("interpreter");
  ASSERT_TRUE(client.ok()) << client.status();
  auto program = (*client)->Compile(*ParseHloModule(kAdd));
  ASSERT_TRUE(program.ok()) << program.status();
  const auto x = (*client)->BufferFromLiteral(Literal::Scalar(1.0f));
  const auto y = (*client)->BufferFromLiteral(Literal::Scalar(2.0f));
  const auto results = (*program)->Execute({x->get(), y->get()});
  ASSERT_TRUE(results.ok()) << results.status();
  ASSERT_EQ(results->size(), 1u);
  EXPECT_THAT((*results)[0]->ToLiteral()->span<float>(), ElementsAre(3.0f));
  const auto value = ExecuteOnLiterals(**program, {Literal::Scalar(2.0f), Literal::Scalar(5.0f)});
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(*value->data<float>(), 7.0f);
}

}  // namespace
}  // namespace xla
