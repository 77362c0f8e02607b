#include "backends/vulkan/device_stream.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
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

bool BeginsWith(const BufferPart& a, const BufferPart& b) { return a.buffer == b.buffer && a.offset == b.offset; }

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
  read_.insert(read_.end(), reads.begin(), reads.end());
  written_.insert(written_.end(), writes.begin(), writes.end());
}

absl::Status DeviceStream::DispatchPhases(Commands& commands, const DeviceKernel& kernel,
                                          absl::Span<const BufferPart> parts,
                                          absl::Span<const uint32_t> push_constants) {
  for (size_t i = 0; i < kernel.phases.size(); ++i) {
    if (i > 0) commands.Barrier();
    RETURN_IF_ERROR(commands.Dispatch(kernel.phases[i], parts, kernel.groups[i], push_constants));
  }
  return absl::OkStatus();
}

absl::Status DeviceStream::Dispatch(const DeviceKernel& kernel, absl::Span<const BufferSlice> buffers,
                                    absl::Span<const BufferSlice> reads, absl::Span<const BufferSlice> writes) {
  ASSIGN_OR_RETURN(Commands * commands, Record());
  Order(*commands, reads, writes);
  if (kernel.in_one_binding) {
    RETURN_IF_ERROR(DispatchInOneBinding(*commands, kernel, buffers));
  } else {
    std::vector<BufferPart> parts;
    for (const BufferSlice& slice : buffers) parts.push_back(PartOf(slice));
    RETURN_IF_ERROR(DispatchPhases(*commands, kernel, parts, {}));
  }
  return SubmitIfFull();
}

// Binds what has all buffers in it, if that is a part of one Vulkan buffer and no longer than a binding may be.
absl::Status DeviceStream::DispatchInOneBinding(Commands& commands, const DeviceKernel& kernel,
                                                absl::Span<const BufferSlice> buffers) {
  std::vector<BufferPart> parts;
  for (const BufferSlice& slice : buffers) parts.push_back(PartOf(slice));
  const DeviceFacts& facts = place_.device->facts();
  uint64_t begin = parts[0].offset;
  uint64_t end = 0;
  bool is_one = true;
  for (const BufferPart& part : parts) {
    is_one &= part.buffer == parts[0].buffer;
    begin = std::min(begin, part.offset);
    end = std::max(end, part.offset + part.bytes);
  }
  begin = begin / facts.storage_alignment * facts.storage_alignment;
  if (!is_one || end - begin > facts.storage_range_bytes) return DispatchGathered(commands, kernel, parts);
  std::vector<uint32_t> words;
  for (const BufferPart& part : parts) {
    words.push_back(static_cast<uint32_t>((part.offset - begin) / sizeof(uint32_t)));
  }
  // What lies between the buffers is other kernels', and in the binding all the same.
  Barrier(commands);
  RETURN_IF_ERROR(DispatchPhases(commands, kernel, {{parts[0].buffer, begin, end - begin}}, words));
  Barrier(commands);
  return absl::OkStatus();
}

// Copies all buffers to one place, and back to where they were. A kernel may write only a part of one.
absl::Status DeviceStream::DispatchGathered(Commands& commands, const DeviceKernel& kernel,
                                            absl::Span<const BufferPart> parts) {
  std::vector<size_t> first;  // by buffer: the first one that begins where it does
  std::vector<uint64_t> sizes;
  for (size_t i = 0; i < parts.size(); ++i) {
    size_t same = 0;
    while (!BeginsWith(parts[same], parts[i])) ++same;
    first.push_back(same);
    sizes.push_back(parts[i].bytes);
    sizes[same] = std::max(sizes[same], parts[i].bytes);
  }
  std::vector<uint64_t> offsets;
  std::vector<uint32_t> words;
  uint64_t bytes = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    offsets.push_back(first[i] < i ? offsets[first[i]] : bytes);
    if (first[i] == i) bytes += RoundUpTo(sizes[i], kGatheredAlignment);
    words.push_back(static_cast<uint32_t>(offsets[i] / sizeof(uint32_t)));
  }
  if (bytes > place_.device->facts().storage_range_bytes) {
    return absl::ResourceExhaustedError(absl::StrCat("a kernel has ", bytes, " bytes in ", parts.size(),
                                                     " buffers, but ", place_.device->facts().name, " reaches only ",
                                                     place_.device->facts().storage_range_bytes, " at once"));
  }
  if (static_cast<int64_t>(bytes) > gathered_bytes_) {
    if (gathered_.exists()) retired_.push_back(std::move(gathered_));
    ASSIGN_OR_RETURN(gathered_, DeviceArray::Allocate(place_, static_cast<int64_t>(bytes)));
    gathered_bytes_ = static_cast<int64_t>(bytes);
  }
  const auto copy_all = [&](bool back) {
    for (size_t i = 0; i < parts.size(); ++i) {
      if (first[i] != i) continue;
      const BufferPart here = {parts[i].buffer, parts[i].offset, sizes[i]};
      const BufferPart there = gathered_.Device(static_cast<int64_t>(offsets[i]), static_cast<int64_t>(sizes[i]));
      back ? commands.Copy(there, here) : commands.Copy(here, there);
    }
  };
  commands.Barrier();
  copy_all(/*back=*/false);
  commands.Barrier();
  const BufferPart all = gathered_.Device(0, gathered_bytes_);
  RETURN_IF_ERROR(DispatchPhases(commands, kernel, {all}, words));
  commands.Barrier();
  copy_all(/*back=*/true);
  Barrier(commands);
  return absl::OkStatus();
}

absl::Status DeviceStream::Copy(const BufferSlice& from, const BufferSlice& to) {
  if (from.bytes == 0 || from == to) return absl::OkStatus();
  ASSIGN_OR_RETURN(Commands * commands, Record());
  Order(*commands, {from}, {to});
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
    commands->Copy(PartOf(slice), ArrayOf(slice).Staging(slice.offset, slice.bytes));
  }
  return Finish();
}

absl::Status DeviceStream::ToDevice(absl::Span<const BufferSlice> slices) {
  for (const BufferSlice& slice : slices) {
    if (slice.bytes == 0 || !ArrayOf(slice).is_staged()) continue;
    ASSIGN_OR_RETURN(Commands * commands, Record());
    Order(*commands, {}, {slice});
    commands->Copy(ArrayOf(slice).Staging(slice.offset, slice.bytes), PartOf(slice));
  }
  return absl::OkStatus();
}

}  // namespace vulkan
}  // namespace xla
