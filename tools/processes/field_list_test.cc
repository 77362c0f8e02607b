#include "tools/processes/field_list.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

TEST(FieldList, GivesBackWhatWasWritten) {
  Literal dynamic = *Literal::Zeros(Shape::Array(S32, {4}, {true}));
  dynamic.SetDynamicSize(0, 2);
  const std::vector<Literal> values = {
      Literal::FromValues<float>({2, 2}, {1, 2, 3, 4}),
      Literal::Tuple({Literal::Scalar(true), Literal::Tuple({}), Literal::Token(), dynamic}),
      Literal::FromValues<float>({0, 3}, {}),
  };
  FieldListWriter writer;
  writer.Number(-7);
  for (const Literal& value : values) writer.Value(value);
  writer.Text("end\n");
  const std::string bytes = writer.TakeBytes();
  FieldListReader reader(bytes);
  EXPECT_EQ(*reader.Number(), -7);
  for (const Literal& value : values) {
    const auto read = reader.Value();
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_TRUE(read->BitwiseEquals(value));
    EXPECT_TRUE(read->shape().Compatible(value.shape()));
  }
  EXPECT_EQ(*reader.Text(), "end\n");
  EXPECT_FALSE(reader.Number().ok());
}

TEST(FieldList, RefusesWhatIsCutOff) {
  FieldListWriter writer;
  writer.Value(Literal::Tuple({Literal::FromValues<float>({2}, {1, 2})}));
  const std::string bytes = writer.TakeBytes();
  for (size_t size = 0; size < bytes.size(); ++size) {
    FieldListReader reader(absl::string_view(bytes).substr(0, size));
    EXPECT_EQ(reader.Value().status().code(), absl::StatusCode::kInvalidArgument) << size;
  }
}

}  // namespace
}  // namespace xla
