#include "backends/vulkan/device_stream.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/time/clock.h"
#include "absl/types/optional.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace vulkan {
namespace {

// The device begins while the rest is recorded; more commands at once would be waited for when a run is stopped.
constexpr int64_t kMostRecorded = 64;
// Looking for conflicts takes time for each; a barrier forgets them.
constexpr size_t kMostSlices = 256;
// How often a run that waits looks whether it is to stop.
constexpr absl::Duration kStopInterval = absl::Milliseconds(10);
// Of buffers that are gathered: of any element type.
constexpr uint64_t kGatheredAlignment = 64;

bool OverlapsAny(absl::Span<const BufferSlice> some, const std::vector<BufferSlice>& others) {
  return std::any_of(some.begin(), some.end(), [&](const BufferSlice& slice) {
    return std::any_of(others.begin(), others.end(), [&](const BufferSlice& other) { return slice.Overlaps(other); });
  });
}

uint64_t RoundUpTo(uint64_t x, uint64_t multiple) { return (x + multiple - 1) / multiple * multiple; }

// What a binding of these buffers may be given; nullopt if there is no such part of one Vulkan buffer.
absl::optional<BufferPart> HullOf(const std::vector<int>& binding, absl::FunctionRef<BufferPart(int)> part_of,
                                  const DeviceFacts& facts) {
  BufferPart hull = part_of(binding[0]);
  uint64_t end = hull.offset + hull.bytes;
  for (const int number : binding) {
    const BufferPart part = part_of(number);
    if (part.buffer != hull.buffer) return absl::nullopt;
    hull.offset = std::min(hull.offset, part.offset);
    end = std::max(end, part.offset + part.bytes);
  }
  if (binding.size() > 1) hull.offset = hull.offset / facts.storage_alignment * facts.storage_alignment;
  hull.bytes = end - hull.offset;
  if (hull.offset % facts.storage_alignment != 0 || hull.bytes > facts.storage_range_bytes) return absl::nullopt;
  return hull;
}

}  // namespace

DeviceStream::DeviceStream(const VulkanPlace& place, const ExecuteContext& context, int32_t constant_count,
                           int32_t base_count)
    : place_(place),
      context_(context),
      constant_count_(constant_count),
      arrays_(static_cast<size_t>(constant_count) + static_cast<size_t>(base_count), nullptr) {}

// What is under way cannot be taken back. An error here has been, or will be, another call's: the device is lost.
DeviceStream::~DeviceStream() {
  if (last_ticket_ != 0) place_.device->Wait(last_ticket_).IgnoreError();
}

// Other runs on the queue may have made what this one reads.
absl::StatusOr<Commands*> DeviceStream::Record() {
  if (commands_ == nullptr) {
    ASSIGN_OR_RETURN(commands_, Commands::Create(place_.device));
    Barrier(*commands_);
  }
  ++recorded_;
  return commands_.get();
}

void DeviceStream::Barrier(Commands& commands) {
  commands.Barrier();
  read_.clear();
  written_.clear();
}

void DeviceStream::Order(Commands& commands, absl::Span<const BufferSlice> reads,
                         absl::Span<const BufferSlice> writes) {
  const bool is_full = read_.size() + written_.size() > kMostSlices;
  if (is_full || OverlapsAny(reads, written_) || OverlapsAny(writes, written_) || OverlapsAny(writes, read_)) {
    Barrier(commands);
  }
}

void DeviceStream::Remember(absl::Span<const BufferSlice> reads, absl::Span<const BufferSlice> writes) {
  read_.insert(read_.end(), reads.begin(), reads.end());
  written_.insert(written_.end(), writes.begin(), writes.end());
}

absl::Status DeviceStream::Dispatch(const DeviceKernel& kernel, absl::Span<const BufferSlice> buffers,
                                    absl::Span<const BufferSlice> reads, absl::Span<const BufferSlice> writes) {
  ASSIGN_OR_RETURN(Commands * commands, Record());
  Order(*commands, reads, writes);
  std::vector<BufferPart> parts;
  for (const BufferSlice& slice : buffers) parts.push_back(PartOf(slice));
  for (size_t i = 0; i < kernel.phases.size(); ++i) {
    if (i > 0) commands->Barrier();
    RETURN_IF_ERROR(DispatchPhase(*commands, kernel.phases[i], parts));
  }
  Remember(reads, writes);
  return SubmitIfFull();
}

// A binding of one buffer is that; one of several is what has all of them in it, if that is a part of one Vulkan buffer
// and no longer than a binding may be. Else they are copied to one place and back: all of each, because a kernel may
// write only a part.
absl::Status DeviceStream::DispatchPhase(Commands& commands, const DeviceKernel::Phase& phase,
                                         absl::Span<const BufferPart> buffers) {
  const DeviceFacts& facts = place_.device->facts();
  const auto part_of = [&](int number) {
    return number == SpirvPhase::kScratchBinding ? buffers.back() : buffers[static_cast<size_t>(number)];
  };
  struct Gathered {
    BufferPart from;
    uint64_t offset = 0;
  };
  std::vector<Gathered> gathered;
  std::map<int, uint64_t> begins;  // by buffer: its place in its binding
  uint64_t gathered_bytes = 0;
  bool is_wide = false;
  std::vector<BufferPart> parts;
  for (const std::vector<int>& binding : phase.bindings) {
    const absl::optional<BufferPart> hull = HullOf(binding, part_of, facts);
    if (hull.has_value()) {
      for (const int number : binding) begins[number] = part_of(number).offset - hull->offset;
      is_wide |= binding.size() > 1;
      parts.push_back(*hull);
      continue;
    }
    const uint64_t begin = RoundUpTo(gathered_bytes, std::max(kGatheredAlignment, facts.storage_alignment));
    gathered_bytes = begin;
    for (const int number : binding) {
      begins[number] = gathered_bytes - begin;
      gathered.push_back({part_of(number), gathered_bytes});
      gathered_bytes += RoundUpTo(gathered.back().from.bytes, kGatheredAlignment);
    }
    parts.push_back({VK_NULL_HANDLE, begin, gathered_bytes - begin});
  }
  if (!gathered.empty()) RETURN_IF_ERROR(ReserveGathered(gathered_bytes));
  for (BufferPart& part : parts) {
    if (part.buffer != VK_NULL_HANDLE) continue;
    part = gathered_.Device(static_cast<int64_t>(part.offset), static_cast<int64_t>(part.bytes));
  }
  std::vector<uint32_t> words;
  for (const int number : phase.offsets) words.push_back(static_cast<uint32_t>(begins.at(number) / sizeof(uint32_t)));
  const auto copy_all = [&](bool back) {
    for (const Gathered& one : gathered) {
      const BufferPart there = gathered_.Device(static_cast<int64_t>(one.offset), static_cast<int64_t>(one.from.bytes));
      back ? commands.Copy(there, one.from) : commands.Copy(one.from, there);
    }
    commands.Barrier();
  };
  // What lies between the buffers of a binding is other kernels', and in the binding all the same.
  if (is_wide || !gathered.empty()) commands.Barrier();
  if (!gathered.empty()) copy_all(/*back=*/false);
  RETURN_IF_ERROR(commands.Dispatch(phase.pipeline, parts, phase.groups, words));
  if (is_wide || !gathered.empty()) commands.Barrier();
  if (!gathered.empty()) copy_all(/*back=*/true);
  return absl::OkStatus();
}

absl::Status DeviceStream::ReserveGathered(uint64_t bytes) {
  const auto wanted = static_cast<int64_t>(bytes);
  if (wanted <= gathered_bytes_) return absl::OkStatus();
  if (gathered_.exists()) retired_.push_back(std::move(gathered_));
  ASSIGN_OR_RETURN(gathered_, DeviceArray::Allocate(place_, wanted));
  gathered_bytes_ = wanted;
  return absl::OkStatus();
}

absl::Status DeviceStream::Copy(const BufferSlice& from, const BufferSlice& to) {
  if (from.bytes == 0 || from == to) return absl::OkStatus();
  ASSIGN_OR_RETURN(Commands * commands, Record());
  Order(*commands, {from}, {to});
  Remember({from}, {to});
  BufferPart source = PartOf(from);
  source.bytes = static_cast<uint64_t>(from.bytes);
  commands->Copy(source, PartOf(to));
  return SubmitIfFull();
}

absl::Status DeviceStream::SubmitIfFull() { return recorded_ < kMostRecorded ? absl::OkStatus() : Submit(); }

absl::Status DeviceStream::Submit() {
  if (commands_ == nullptr) return absl::OkStatus();
  RETURN_IF_ERROR(context_.CheckStopped());
  RETURN_IF_ERROR(commands_->End());
  ASSIGN_OR_RETURN(last_ticket_, place_.device->Submit(commands_->handle()));
  submitted_.push_back(std::move(commands_));
  recorded_ = 0;
  return absl::OkStatus();
}

absl::Status DeviceStream::Await(uint64_t ticket) {
  while (true) {
    const absl::Status status = place_.device->Wait(ticket, absl::Now() + kStopInterval);
    if (!absl::IsDeadlineExceeded(status)) return status;
    RETURN_IF_ERROR(context_.CheckStopped());
  }
}

absl::Status DeviceStream::Finish() {
  if (commands_ != nullptr) Barrier(*commands_);
  RETURN_IF_ERROR(Submit());
  if (last_ticket_ == 0) return absl::OkStatus();
  RETURN_IF_ERROR(Await(last_ticket_));
  last_ticket_ = 0;
  submitted_.clear();
  retired_.clear();
  read_.clear();
  written_.clear();
  return absl::OkStatus();
}

absl::Status DeviceStream::ToHost(absl::Span<const BufferSlice> slices) {
  for (const BufferSlice& slice : slices) {
    if (slice.bytes == 0 || slice.IsConstant() || !ArrayOf(slice).is_staged()) continue;
    ASSIGN_OR_RETURN(Commands * commands, Record());
    Order(*commands, {slice}, {});
    Remember({slice}, {});
    commands->Copy(PartOf(slice), ArrayOf(slice).Staging(slice.offset, slice.bytes));
  }
  return Finish();
}

absl::Status DeviceStream::ToDevice(absl::Span<const BufferSlice> slices) {
  for (const BufferSlice& slice : slices) {
    if (slice.bytes == 0 || !ArrayOf(slice).is_staged()) continue;
    ASSIGN_OR_RETURN(Commands * commands, Record());
    Order(*commands, {}, {slice});
    Remember({}, {slice});
    commands->Copy(ArrayOf(slice).Staging(slice.offset, slice.bytes), PartOf(slice));
  }
  return absl::OkStatus();
}

}  // namespace vulkan
}  // namespace xla
