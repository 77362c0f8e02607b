#include "tests/conformance/backend_variants.h"

#include "gmock/gmock.h"

namespace xla {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST(BackendVariants, AreEachLevelWithEachNumberOfThreads) {
  const auto variants = ReadVariants("1,3", "0,2", {});
  ASSERT_TRUE(variants.ok()) << variants.status();
  std::vector<std::string> texts;
  for (const BackendVariant& variant : *variants) texts.push_back(variant.Text());
  EXPECT_THAT(texts, ElementsAre("1 thread at level 0", "3 threads at level 0", "1 thread at level 2",
                                 "3 threads at level 2"));
}

TEST(BackendVariants, AllHaveTheSettings) {
  const auto variants = ReadVariants("1,2", "1", {"dump=/tmp/d", "a=b=c"});
  ASSERT_TRUE(variants.ok()) << variants.status();
  ASSERT_EQ(variants->size(), 2u);
  for (const BackendVariant& variant : *variants) {
    EXPECT_THAT(variant.settings, ElementsAre(Pair("a", "b=c"), Pair("dump", "/tmp/d")));
  }
  EXPECT_EQ((*variants)[1].Text(), "2 threads at level 1 with a=b=c,dump=/tmp/d");
}

TEST(BackendVariants, CheckedOnesArePoisonedAndVerified) {
  auto variants = ReadVariants("1,2", "1", {"cache=/tmp/c"});
  ASSERT_TRUE(variants.ok()) << variants.status();
  AddCheckedVariant("interpreter", 0, &*variants);
  EXPECT_EQ(variants->size(), 2u);
  AddCheckedVariant("cpu", 1, &*variants);
  ASSERT_EQ(variants->size(), 3u);
  EXPECT_EQ((*variants)[2].Text(), "2 threads at level 1 with cache=/tmp/c,poison-memory=true,verify-plan=true");
}

TEST(BackendVariants, TakeTheNumbersOfProcessesThatDivideTheDevices) {
  const auto texts = [](int64_t devices) {
    std::vector<std::string> texts;
    for (const BackendVariant& variant : WithProcesses({BackendVariant()}, *ReadProcessCounts("1,2,4"), devices)) {
      texts.push_back(variant.Text());
    }
    return texts;
  };
  EXPECT_THAT(texts(6), ElementsAre("1 thread at level 1", "2 processes with 1 thread at level 1"));
  EXPECT_THAT(texts(1), ElementsAre("1 thread at level 1"));
  EXPECT_EQ(WithProcesses({BackendVariant()}, {2, 4}, 3)[0].processes, 1);
}

TEST(BackendVariants, RefusesWhatIsNoList) {
  EXPECT_THAT(std::string(ReadProcessCounts("1,x").status().message()), HasSubstr("--processes: expected"));
  EXPECT_THAT(std::string(ReadVariants("0", "1", {}).status().message()), HasSubstr("--backend-threads: expected"));
  EXPECT_THAT(std::string(ReadVariants("1", "1,3", {}).status().message()), HasSubstr("--levels: expected"));
  EXPECT_EQ(ReadVariants("1", "1", {"fast"}).status().message(), "--setting: expected NAME=VALUE, got 'fast'");
  EXPECT_EQ(ReadVariants("1", "1", {}, {"fast"}).status().message(),
            "--client-setting: expected NAME=VALUE, got 'fast'");
}

}  // namespace
}  // namespace xla
