#include "backends/replicated/client_over_backend.h"

#include <algorithm>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backends/replicated/replicated_buffer.h"
#include "backends/replicated/replicated_executable.h"
#include "backends/replicated/replicated_settings.h"
#include "passes/partitioning/annotated_shardings.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {

absl::StatusOr<std::shared_ptr<ClientOverBackend>> ClientOverBackend::Create(const ClientOptions& options,
                                                                             std::shared_ptr<ProcessGroup> group) {
  ASSIGN_OR_RETURN(const ReplicatedSettings settings, ReplicatedSettings::Read(options));
  ClientOptions below_options = options;
  below_options.settings = settings.backend_settings;
  below_options.process_index = 0;
  below_options.process_count = 1;
  const int64_t per_process = std::max<int64_t>(1, options.device_count / options.process_count);
  below_options.device_count = per_process;
  below_options.first_device_id = options.process_index * per_process;
  if (below_options.thread_pool == nullptr && options.threads >= 0) {
    below_options.thread_pool = std::make_shared<ThreadPool>(options.threads > 0 ? options.threads : UsableCpuCount());
  }
  const std::shared_ptr<ThreadPool> pool = below_options.thread_pool;
  ASSIGN_OR_RETURN(std::shared_ptr<Client> below, GetClient(settings.backend, below_options));
  const absl::Duration without_group = settings.collective_timeout.value_or(absl::InfiniteDuration());
  const absl::Duration with_group = settings.collective_timeout.value_or(absl::Seconds(60));
  const absl::Duration timeout = group == nullptr ? without_group : with_group;
  return std::shared_ptr<ClientOverBackend>(
      new ClientOverBackend(options, std::move(below), std::move(group), pool, timeout));
}

ClientOverBackend::ClientOverBackend(const ClientOptions& options, std::shared_ptr<Client> below,
                                     std::shared_ptr<ProcessGroup> group, std::shared_ptr<ThreadPool> pool,
                                     absl::Duration collective_timeout)
    : version_(absl::StrCat("replicated 1, ", below->platform_version())),
      process_index_(options.process_index),
      process_count_(options.process_count),
      devices_per_process_(static_cast<int64_t>(below->addressable_devices().size())),
      below_(std::move(below)),
      group_(std::move(group)),
      pool_(std::move(pool)),
      memory_(std::make_shared<MemoryBudget>(below_->default_device().memory().bytes_limit)),
      collective_timeout_(collective_timeout) {
  const std::string kind = below_->default_device().kind();
  for (int64_t id = 0; id < process_count_ * devices_per_process_; ++id) {
    const int64_t process = id / devices_per_process_;
    Device* const own = process == process_index_ ? below_->addressable_devices()[id % devices_per_process_] : nullptr;
    devices_.push_back(std::make_unique<ReplicatedDevice>(*this, id, process, kind, own));
    device_list_.push_back(devices_.back().get());
  }
}

// All processes come to the same result, each with its own devices.
absl::StatusOr<ProgramPlacement> ClientOverBackend::Place(int64_t replica_count, int64_t partition_count,
                                                          const std::vector<int64_t>& assignment) const {
  ProgramPlacement placement;
  placement.replica_count = replica_count;
  placement.partition_count = partition_count;
  const auto program = [&](int64_t count) {
    return absl::StrCat("the program runs on ", count, " devices (", replica_count, " replicas x ", partition_count,
                        " partitions)");
  };
  int64_t count;
  if (replica_count < 1 || partition_count < 1 || !CheckedMul(replica_count, partition_count, &count)) {
    return absl::InvalidArgumentError(absl::StrCat("cannot run ", replica_count, " replicas x ", partition_count,
                                                   " partitions; both must be at least 1"));
  }
  if (!assignment.empty() && static_cast<int64_t>(assignment.size()) != count) {
    return absl::InvalidArgumentError(
        absl::StrCat("the device assignment has ", assignment.size(), " devices, ", program(count)));
  }
  if (count > static_cast<int64_t>(devices_.size())) {
    return absl::InvalidArgumentError(absl::StrCat(program(count), ", all processes together have ", devices_.size(),
                                                   "; set ClientOptions::device_count"));
  }
  std::vector<int64_t> count_of_process(process_count_, 0);
  absl::flat_hash_set<int64_t> used;
  for (int64_t number = 0; number < count; ++number) {
    const int64_t id = assignment.empty() ? number : assignment[number];
    ASSIGN_OR_RETURN(const Device* const device, FindDevice(id));
    if (!used.insert(id).second) {
      return absl::InvalidArgumentError(absl::StrCat("the device assignment names device ", id, " twice"));
    }
    placement.process_of_device.push_back(device->process_index());
    ++count_of_process[device->process_index()];
    if (!device->is_addressable()) continue;
    placement.own_numbers.push_back(number);
    placement.own_ids.push_back(id);
  }
  const auto without = std::find(count_of_process.begin(), count_of_process.end(), 0);
  if (without == count_of_process.end()) return placement;
  return absl::InvalidArgumentError(absl::StrCat(
      program(count), ", none of them in process ", without - count_of_process.begin(), " of ", process_count_,
      "; run it with fewer processes, or set CompileOptions::device_assignment so that "
      "each has one"));
}

absl::StatusOr<std::unique_ptr<Executable>> ClientOverBackend::MakeExecutable(ProgramPlacement placement,
                                                                              const CompileOptions& options,
                                                                              std::unique_ptr<Executable> below) {
  return std::unique_ptr<Executable>(
      std::make_unique<ReplicatedExecutable>(shared_from_this(), std::move(placement), options, std::move(below)));
}

namespace {

absl::Status CheckNoOwnDevices(const CompileOptions& options) {
  if (options.own_devices.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "CompileOptions::own_devices is for the backends that the backend replicated runs on: it sets them itself");
}

CompileOptions OptionsBelow(const CompileOptions& options, const ProgramPlacement& placement) {
  CompileOptions below = options;
  below.replica_count = placement.replica_count;
  below.partition_count = placement.partition_count;
  below.device_assignment = placement.own_ids;
  below.own_devices = placement.own_numbers;
  return below;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Executable>> ClientOverBackend::CompileShared(std::shared_ptr<const HloModule> module,
                                                                             const CompileOptions& options) {
  RETURN_IF_ERROR(CheckNoOwnDevices(options));
  if (group_ == nullptr || module == nullptr) {
    ASSIGN_OR_RETURN(std::unique_ptr<Executable> below, below_->CompileShared(std::move(module), options));
    return MakeExecutable(ProgramPlacement(), options, std::move(below));
  }
  int64_t partitions = options.partition_count;
  if (partitions == 0) {
    ASSIGN_OR_RETURN(partitions, options.spmd ? DevicesOfProgram(*module) : module->config().num_partitions);
  }
  ASSIGN_OR_RETURN(ProgramPlacement placement,
                   Place(options.replica_count != 0 ? options.replica_count : module->config().replica_count,
                         partitions, options.device_assignment));
  ASSIGN_OR_RETURN(std::unique_ptr<Executable> below,
                   below_->CompileShared(std::move(module), OptionsBelow(options, placement)));
  return MakeExecutable(std::move(placement), options, std::move(below));
}

absl::StatusOr<std::unique_ptr<Executable>> ClientOverBackend::Deserialize(absl::string_view serialized,
                                                                           const CompileOptions& options) {
  RETURN_IF_ERROR(CheckNoOwnDevices(options));
  const size_t end = std::min(serialized.find('\n'), serialized.size());
  const std::vector<absl::string_view> words = absl::StrSplit(serialized.substr(0, end), ' ');
  int64_t replica_count = 0, partition_count = 0;
  const bool is_ours = absl::StartsWith(serialized, ReplicatedExecutable::kSerialized) && words.size() == 5 &&
                       absl::SimpleAtoi(words[3], &replica_count) && absl::SimpleAtoi(words[4], &partition_count) &&
                       end < serialized.size();
  if (!is_ours) {
    return absl::InvalidArgumentError("not an executable of the backend 'replicated 1': its first line says otherwise");
  }
  const absl::string_view rest = serialized.substr(end + 1);
  if (group_ == nullptr) {
    ASSIGN_OR_RETURN(std::unique_ptr<Executable> below, below_->Deserialize(rest, options));
    return MakeExecutable(ProgramPlacement(), options, std::move(below));
  }
  ASSIGN_OR_RETURN(
      ProgramPlacement placement,
      Place(options.replica_count != 0 ? options.replica_count : replica_count,
            options.partition_count != 0 ? options.partition_count : partition_count, options.device_assignment));
  ASSIGN_OR_RETURN(std::unique_ptr<Executable> below, below_->Deserialize(rest, OptionsBelow(options, placement)));
  return MakeExecutable(std::move(placement), options, std::move(below));
}

std::unique_ptr<Buffer> ClientOverBackend::Wrap(Device& device, std::unique_ptr<Buffer> below) {
  return std::make_unique<ReplicatedBuffer>(shared_from_this(), static_cast<ReplicatedDevice&>(device),
                                            std::move(below));
}

absl::StatusOr<ReplicatedDevice*> ClientOverBackend::OwnDevice(Device& device) const {
  if (&device.client() != this) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot make a buffer on ", device.description(), ", which belongs to another client"));
  }
  auto& own = static_cast<ReplicatedDevice&>(device);
  RETURN_IF_ERROR(own.CheckIsHere("cannot make a buffer on"));
  return &own;
}

absl::StatusOr<std::unique_ptr<Buffer>> ClientOverBackend::BufferFromLiteral(Literal literal, Device& device) {
  ASSIGN_OR_RETURN(ReplicatedDevice* const own, OwnDevice(device));
  ASSIGN_OR_RETURN(std::unique_ptr<Buffer> below, below_->BufferFromLiteral(std::move(literal), *own->below()));
  return Wrap(device, std::move(below));
}

absl::StatusOr<std::unique_ptr<Buffer>> ClientOverBackend::BufferFromHost(const void* data, const Shape& shape,
                                                                          absl::Span<const int64_t> byte_strides,
                                                                          HostMemoryUse use,
                                                                          std::function<void()> release,
                                                                          Device& device) {
  auto give_back = absl::MakeCleanup([&release] {
    if (release != nullptr) release();
  });
  ASSIGN_OR_RETURN(ReplicatedDevice* const own, OwnDevice(device));
  std::move(give_back).Cancel();
  ASSIGN_OR_RETURN(std::unique_ptr<Buffer> below,
                   below_->BufferFromHost(data, shape, byte_strides, use, std::move(release), *own->below()));
  return Wrap(device, std::move(below));
}

absl::StatusOr<std::unique_ptr<Buffer>> ClientOverBackend::BufferFromFuture(Future<Literal> value, const Shape& shape,
                                                                            Device& device) {
  ASSIGN_OR_RETURN(ReplicatedDevice* const own, OwnDevice(device));
  ASSIGN_OR_RETURN(std::unique_ptr<Buffer> below, below_->BufferFromFuture(std::move(value), shape, *own->below()));
  return Wrap(device, std::move(below));
}

absl::StatusOr<std::unique_ptr<Buffer>> ClientOverBackend::UninitializedBuffer(const Shape& shape, Device& device) {
  ASSIGN_OR_RETURN(ReplicatedDevice* const own, OwnDevice(device));
  ASSIGN_OR_RETURN(std::unique_ptr<Buffer> below, below_->UninitializedBuffer(shape, *own->below()));
  return Wrap(device, std::move(below));
}

}  // namespace xla
