#include "xla_core/support/machine_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace xla {
namespace {

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

// Files of /proc and /sys are short; one that cannot be read counts as empty.
std::string ReadSystemFile(const std::string& path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

// The limit in a memory.max or memory.limit_in_bytes file; "max", an absent file and nonsense are no limit.
int64_t ReadLimit(const std::string& path) {
  int64_t bytes = 0;
  if (!absl::SimpleAtoi(ReadSystemFile(path), &bytes) || bytes <= 0) return kNoLimit;
  return bytes;
}

// The smallest limit in the files called `file_name` from `root`/`group` up to `root`.
int64_t SmallestLimitUpwards(const std::string& root, std::string group, absl::string_view file_name) {
  int64_t limit = ReadLimit(absl::StrCat(root, "/", file_name));
  while (group.size() > 1) {
    limit = std::min(limit, ReadLimit(absl::StrCat(root, group, "/", file_name)));
    group.resize(group.rfind('/'));
  }
  return limit;
}

int64_t PhysicalMemoryBytes() {
  const int64_t pages = sysconf(_SC_PHYS_PAGES);
  const int64_t page_bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && page_bytes > 0 ? pages * page_bytes : kNoLimit;
}

int64_t AddressSpaceLimit() {
  rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kNoLimit;
  return static_cast<int64_t>(std::min<rlim_t>(limit.rlim_cur, static_cast<rlim_t>(kNoLimit)));
}

}  // namespace

// The least memory limit of all cgroups that the process is in, of versions 1 and 2, and of their parents: a limit
// binds everything below it. kNoLimit if there is none.
int64_t CgroupMemoryLimit(absl::string_view proc_self_cgroup, const std::string& cgroup_root) {
  int64_t limit = kNoLimit;
  for (absl::string_view line : absl::StrSplit(proc_self_cgroup, '\n', absl::SkipEmpty())) {
    // hierarchy-ID:controllers:path, where version 2 has ID 0 and no controllers.
    const std::vector<std::string> fields = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (fields.size() != 3 || !absl::StartsWith(fields[2], "/")) continue;
    if (fields[0] == "0" && fields[1].empty()) {
      limit = std::min(limit, SmallestLimitUpwards(cgroup_root, fields[2], "memory.max"));
      continue;
    }
    const std::vector<std::string> controllers = absl::StrSplit(fields[1], ',');
    if (std::find(controllers.begin(), controllers.end(), "memory") == controllers.end()) continue;
    limit =
        std::min(limit, SmallestLimitUpwards(absl::StrCat(cgroup_root, "/memory"), fields[2], "memory.limit_in_bytes"));
  }
  return limit;
}

int64_t MachineMemoryBytes() {
  const int64_t cgroup = CgroupMemoryLimit(ReadSystemFile("/proc/self/cgroup"), "/sys/fs/cgroup");
  return std::min({PhysicalMemoryBytes(), cgroup, AddressSpaceLimit()});
}

int64_t PeakResidentBytes() {
  // VmHWM rather than getrusage's ru_maxrss, which a process inherits from the (perhaps larger) one that started it.
  for (absl::string_view line : absl::StrSplit(ReadSystemFile("/proc/self/status"), '\n')) {
    int64_t kilobytes = 0;
    if (absl::ConsumePrefix(&line, "VmHWM:") && absl::ConsumeSuffix(&line, "kB") &&
        absl::SimpleAtoi(line, &kilobytes)) {
      return kilobytes * 1024;
    }
  }
  return 0;
}

int64_t AnonymousResidentBytes() {
  // In pages: the address space, what is resident, and what of that is of files or shared.
  const std::vector<std::string> fields = absl::StrSplit(ReadSystemFile("/proc/self/statm"), ' ');
  int64_t resident = 0, of_files = 0;
  if (fields.size() < 3 || !absl::SimpleAtoi(fields[1], &resident) || !absl::SimpleAtoi(fields[2], &of_files)) return 0;
  return (resident - of_files) * sysconf(_SC_PAGESIZE);
}

}  // namespace xla
