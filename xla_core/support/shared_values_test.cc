// CopyOnWrite, BoxedOptional, SharedString: values that share memory, or take none while they are absent.
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "xla_core/support/boxed_optional.h"
#include "xla_core/support/copy_on_write.h"
#include "xla_core/support/shared_string.h"

namespace xla {
namespace {

TEST(CopyOnWrite, IsADefaultValueUntilItIsWrittenTo) {
  CopyOnWrite<std::vector<int>> value;
  EXPECT_FALSE(value.has_value());
  EXPECT_TRUE(value.get().empty());
  value.Mutable().push_back(1);
  EXPECT_TRUE(value.has_value());
  EXPECT_EQ(value.get(), std::vector<int>({1}));
}

TEST(CopyOnWrite, CopiesShareUntilOneIsWrittenTo) {
  CopyOnWrite<std::vector<int>> a;
  a.Mutable() = {1, 2};
  CopyOnWrite<std::vector<int>> b = a;
  EXPECT_EQ(&a.get(), &b.get());
  b.Mutable().push_back(3);
  EXPECT_EQ(a.get(), std::vector<int>({1, 2}));
  EXPECT_EQ(b.get(), std::vector<int>({1, 2, 3}));
  const std::vector<int>* const own = &b.get();
  b.Mutable().push_back(4);
  EXPECT_EQ(&b.get(), own) << "a sole owner writes in place";
  b = std::move(a);
  EXPECT_EQ(b.get(), std::vector<int>({1, 2}));
}

TEST(BoxedOptional, IsUsedAsAnOptional) {
  BoxedOptional<std::string> text;
  EXPECT_EQ(sizeof(text), sizeof(void*));
  EXPECT_FALSE(text.has_value());
  text = std::string("a");
  BoxedOptional<std::string> copy = text;
  EXPECT_TRUE(copy == text);
  copy->push_back('b');
  EXPECT_EQ(*text, "a");
  EXPECT_EQ(*copy, "ab");
  EXPECT_TRUE(copy != text);
  copy = absl::optional<std::string>();
  EXPECT_FALSE(copy.has_value());
  EXPECT_TRUE(copy != text);
  text.emplace();
  EXPECT_EQ(*text, "");
  text.reset();
  EXPECT_TRUE(copy == text);
}

TEST(SharedString, HoldsAnyBytes) {
  const std::string bytes("a\0b", 3);
  const SharedString text = bytes;
  EXPECT_EQ(sizeof(text), sizeof(void*));
  EXPECT_EQ(text.view(), bytes);
  EXPECT_EQ(text.str(), bytes);
  EXPECT_TRUE(SharedString().empty());
  EXPECT_TRUE(SharedString("").empty());
  EXPECT_EQ(SharedString(), SharedString(""));
}

TEST(SharedString, CopiesShareTheirCharacters) {
  SharedString a = "text";
  SharedString b = a;
  EXPECT_EQ(a.view().data(), b.view().data());
  a = "other";
  EXPECT_EQ(b, SharedString("text"));
  EXPECT_NE(a, b);
  b = b;
  EXPECT_EQ(b.view(), "text");
}

TEST(SharedStrings, GivesEqualTextsThatAreNearTheSameCharacters) {
  SharedStrings strings;
  const SharedString a = strings.Get("text");
  EXPECT_EQ(strings.Get(std::string("text")).view().data(), a.view().data());
  EXPECT_EQ(strings.Get("").view(), "");
  EXPECT_EQ(strings.Get("other").view(), "other");
  for (int i = 0; i < 1000; ++i) {
    const std::string number = std::to_string(i);
    EXPECT_EQ(strings.Get(number).view(), number);
    EXPECT_EQ(strings.Get(number).view().data(), strings.Get(number).view().data());
  }
}

}  // namespace
}  // namespace xla
