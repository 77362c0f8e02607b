#include "xla_core/support/machine_memory.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

namespace xla {
namespace {

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

// A folder like /sys/fs/cgroup, of the given files.
std::string CgroupRoot(const std::vector<std::pair<std::string, std::string>>& files) {
  const std::filesystem::path root = std::filesystem::path(testing::TempDir()) / "cgroup";
  std::filesystem::remove_all(root);
  for (const auto& [name, content] : files) {
    std::filesystem::create_directories((root / name).parent_path());
    std::ofstream(root / name) << content;
  }
  return root.string();
}

TEST(CgroupMemoryLimit, IsTheSmallestFromTheGroupUpwards) {
  const std::string root =
      CgroupRoot({{"memory.max", "900\n"}, {"a/memory.max", "500\n"}, {"a/b/memory.max", "max\n"}});
  EXPECT_EQ(CgroupMemoryLimit("0::/a/b\n", root), 500);
  EXPECT_EQ(CgroupMemoryLimit("0::/\n", root), 900);
}

TEST(CgroupMemoryLimit, ReadsVersionOne) {
  const std::string root = CgroupRoot({{"memory/job/memory.limit_in_bytes", "700\n"}});
  EXPECT_EQ(CgroupMemoryLimit("5:cpu,cpuacct:/job\n4:memory:/job\n", root), 700);
  EXPECT_EQ(CgroupMemoryLimit("5:cpu,cpuacct:/job\n", root), kNoLimit);
}

TEST(CgroupMemoryLimit, TakesNonsenseForNoLimit) {
  const std::string root = CgroupRoot({{"memory.max", "plenty"}});
  EXPECT_EQ(CgroupMemoryLimit("0::/missing\nnonsense\n0::relative\n", root), kNoLimit);
}

TEST(MachineMemory, IsPositiveAndMoreThanWeUse) {
  EXPECT_GT(MachineMemoryBytes(), PeakResidentBytes());
  EXPECT_GT(PeakResidentBytes(), 100000);
}

TEST(AnonymousResidentBytes, CountWhatIsTaken) {
  constexpr int64_t kTaken = 64 << 20;
  const int64_t before = AnonymousResidentBytes();
  EXPECT_GT(before, 0);
  const std::vector<char> taken(kTaken, 'x');
  EXPECT_GT(AnonymousResidentBytes(), before + kTaken / 2);
  EXPECT_EQ(taken.back(), 'x');
}

}  // namespace
}  // namespace xla
