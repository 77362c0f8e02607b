#include "tools/frontends/program_source.h"

#include <string>

#include "gmock/gmock.h"
#include "xla_core/support/files.h"

namespace xla {
namespace {

TEST(ProgramSource, GivesBackPartsOfItsContents) {
  const std::string path = testing::TempDir() + "/contents";
  const std::string wanted(1 << 20, 'a');
  ASSERT_TRUE(WriteFile(path, wanted).ok());
  const ProgramSource source(path);
  const auto contents = source.Contents();
  ASSERT_TRUE(contents.ok()) << contents.status();
  source.Release(contents->substr(100, 10));  // less than a page
  EXPECT_TRUE(*contents == wanted);
  source.Release(contents->substr(100000, 500000));
  EXPECT_EQ((*contents)[300000], '\0');
  EXPECT_TRUE(contents->substr(0, 100000) == wanted.substr(0, 100000));
  EXPECT_TRUE(contents->substr(600000) == wanted.substr(600000));
}

TEST(ProgramSource, KeepsWhatItHasBorrowed) {
  const std::string text(1 << 20, 'a');
  const ProgramSource part = ProgramSource::PartOf(ProgramSource("f"), text);
  part.Release(text);
  EXPECT_TRUE(text == std::string(1 << 20, 'a'));
}

}  // namespace
}  // namespace xla
