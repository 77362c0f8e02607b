// What the machine, or the container around this process, has in memory, and what the process has used.
#ifndef XLA_CORE_SUPPORT_MACHINE_MEMORY_H_
#define XLA_CORE_SUPPORT_MACHINE_MEMORY_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace xla {

// Bytes this process could have at most: the smallest of the physical memory, the limits of its cgroup (version 1 or 2)
// and of every cgroup above it, and the address space limit (ulimit -v).
int64_t MachineMemoryBytes();

// The smallest memory limit that applies to the cgroups listed in `proc_self_cgroup` (the content of
// /proc/self/cgroup), read below `cgroup_root` (/sys/fs/cgroup); INT64_MAX if there is none.
int64_t CgroupMemoryLimit(absl::string_view proc_self_cgroup, const std::string& cgroup_root);

// The most memory, in bytes, that was resident in this process at any time so far; 0 if the system does not say.
int64_t PeakResidentBytes();

// The memory, in bytes, that is resident in this process now and that no file is behind; 0 if the system does not say.
int64_t AnonymousResidentBytes();

}  // namespace xla

#endif  // XLA_CORE_SUPPORT_MACHINE_MEMORY_H_
