#include "backends/vulkan/recording.h"

#include <algorithm>
#include <numeric>

#include "absl/functional/function_ref.h"
#include "absl/types/optional.h"
#include "backends/vulkan/codegen/kernel_to_spirv.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace vulkan {
namespace {

// Of buffers that are gathered: of any element type.
constexpr uint64_t kGatheredAlignment = 64;
// Results have the places that an earlier run's had, or take turns with those that the caller still has.
constexpr size_t kMostSets = 4;

uint64_t RoundUpTo(uint64_t x, uint64_t multiple) { return (x + multiple - 1) / multiple * multiple; }

BufferPart WindowOf(BufferPart part, int window, uint64_t window_bytes) {
  const uint64_t before = static_cast<uint64_t>(window) * window_bytes;
  part.offset += before;
  part.bytes = std::min(window_bytes, part.bytes - before);
  return part;
}

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

// A binding of one buffer is that; one of several is what has all of them in it, if that is a part of one Vulkan buffer
// and no longer than a binding may be. Else they are copied to one place, and those that the kernel writes back: all of
// each, because it may write only a part. What it only reads may be the caller's memory. What lies between the buffers
// of a binding is other kernels', and in the binding all the same.
Recorder::Command Recorder::PhaseCommand(const DeviceKernel::Phase& phase, absl::Span<const KernelBuffer> buffers) {
  const DeviceFacts& facts = place_.device->facts();
  int window = SpirvPhase::kWhole;  // of the present binding
  const auto buffer_of = [&](int number) -> const KernelBuffer& {
    return number == SpirvPhase::kScratchBinding ? buffers.back() : buffers[static_cast<size_t>(number)];
  };
  const auto part_of = [&](int number) {
    const BufferPart& part = buffer_of(number).part;
    return window == SpirvPhase::kWhole ? part : WindowOf(part, window, phase.window_bytes);
  };
  Command command;
  command.phase = &phase;
  std::map<int, uint64_t> begins;  // by buffer: its place in its binding
  uint64_t gathered_bytes = 0;
  const uint64_t alignment = std::max(kGatheredAlignment, facts.storage_alignment);
  for (size_t i = 0; i < phase.bindings.size(); ++i) {
    const std::vector<int>& binding = phase.bindings[i];
    if (binding[0] == SpirvPhase::kTableBinding) {
      command.has_table = true;
      const uint64_t begin = RoundUpTo(gathered_bytes, alignment);
      command.parts.push_back({VK_NULL_HANDLE, begin, phase.offsets.size() * sizeof(uint32_t)});
      gathered_bytes = begin + command.parts.back().bytes;
      continue;
    }
    window = phase.windows[i];
    const absl::optional<BufferPart> hull = HullOf(binding, part_of, facts);
    command.is_alone |= !hull.has_value() || binding.size() > 1;
    if (hull.has_value()) {
      for (const int number : binding) begins[number] = part_of(number).offset - hull->offset;
      command.parts.push_back(*hull);
      continue;
    }
    const uint64_t begin = RoundUpTo(gathered_bytes, alignment);
    gathered_bytes = begin;
    for (const int number : binding) {
      begins[number] = gathered_bytes - begin;
      command.gathered.push_back({part_of(number), gathered_bytes, buffer_of(number).is_written});
      gathered_bytes += RoundUpTo(command.gathered.back().from.bytes, kGatheredAlignment);
    }
    command.parts.push_back({VK_NULL_HANDLE, begin, gathered_bytes - begin});
  }
  for (const int number : phase.offsets) {
    command.words.push_back(static_cast<uint32_t>(begins.at(number) / sizeof(uint32_t)));
  }
  gathered_bytes_ = std::max(gathered_bytes_, gathered_bytes);
  return command;
}

void Recorder::AddKernel(const DeviceKernel& kernel, absl::Span<const KernelBuffer> buffers,
                         absl::Span<const BufferSlice> reads, absl::Span<const BufferSlice> writes) {
  std::vector<Command> commands;
  bool is_alone = false;
  for (const DeviceKernel::Phase& phase : kernel.phases) {
    commands.push_back(PhaseCommand(phase, buffers));
    is_alone |= commands.back().is_alone;
  }
  const auto length = static_cast<int32_t>(commands.size());
  int32_t group = is_alone ? groups_.PlaceAlone(length) : groups_.Place(reads, writes, length);
  for (Command& command : commands) {
    command.group = group++;
    commands_.push_back(std::move(command));
    call_of_.push_back(calls_);
  }
  ++calls_;
}

void Recorder::AddCopy(const BufferPart& from, const BufferPart& to, absl::Span<const BufferSlice> reads,
                       absl::Span<const BufferSlice> writes) {
  Command command;
  command.from = from;
  command.to = to;
  command.group = groups_.Place(reads, writes);
  commands_.push_back(std::move(command));
  call_of_.push_back(calls_++);
}

absl::StatusOr<Recording> Recorder::Begin(uint32_t timestamps) const {
  Recording recording;
  recording.work = size();
  ASSIGN_OR_RETURN(recording.commands, Commands::Create(place_.device, timestamps));
  if (gathered_bytes_ > 0) {
    ASSIGN_OR_RETURN(recording.gathered, DeviceArray::Allocate(place_, static_cast<int64_t>(gathered_bytes_)));
  }
  return recording;
}

absl::Status Recorder::Write(const Command& command, Recording& recording) const {
  Commands& commands = *recording.commands;
  if (command.phase == nullptr) {
    commands.Copy(command.from, command.to);
    return absl::OkStatus();
  }
  const auto gathered_part = [&](uint64_t offset, uint64_t bytes) {
    return recording.gathered.Device(static_cast<int64_t>(offset), static_cast<int64_t>(bytes));
  };
  std::vector<BufferPart> parts = command.parts;
  for (BufferPart& part : parts) {
    if (part.buffer == VK_NULL_HANDLE) part = gathered_part(part.offset, part.bytes);
  }
  for (const Gathered& one : command.gathered) commands.Copy(one.from, gathered_part(one.offset, one.from.bytes));
  if (command.has_table) commands.Update(parts.back(), command.words);
  if (command.has_table || !command.gathered.empty()) commands.Barrier();
  const absl::Span<const uint32_t> push_constants = command.has_table ? absl::Span<const uint32_t>() : command.words;
  RETURN_IF_ERROR(commands.Dispatch(command.phase->pipeline, parts, command.phase->groups, push_constants));
  const bool writes_gathered =
      std::any_of(command.gathered.begin(), command.gathered.end(), [](const Gathered& one) { return one.is_written; });
  if (writes_gathered) commands.Barrier();
  for (const Gathered& one : command.gathered) {
    if (one.is_written) commands.Copy(gathered_part(one.offset, one.from.bytes), one.from);
  }
  return absl::OkStatus();
}

absl::StatusOr<Recording> Recorder::Record() const {
  ASSIGN_OR_RETURN(Recording recording, Begin(/*timestamps=*/0));
  std::vector<size_t> order(commands_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [this](size_t a, size_t b) { return commands_[a].group < commands_[b].group; });
  for (size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && commands_[order[i]].group != commands_[order[i - 1]].group) recording.commands->Barrier();
    RETURN_IF_ERROR(Write(commands_[order[i]], recording));
  }
  recording.commands->Barrier();
  RETURN_IF_ERROR(recording.commands->End());
  return recording;
}

absl::StatusOr<Recording> Recorder::RecordTimed() const {
  ASSIGN_OR_RETURN(Recording recording, Begin(static_cast<uint32_t>(2 * calls_)));
  Commands& commands = *recording.commands;
  for (size_t i = 0; i < commands_.size(); ++i) {
    const auto timestamp = static_cast<uint32_t>(2 * call_of_[i]);
    if (i == 0 || call_of_[i - 1] != call_of_[i]) commands.WriteTimestamp(timestamp);
    RETURN_IF_ERROR(Write(commands_[i], recording));
    commands.Barrier();
    if (i + 1 == commands_.size() || call_of_[i + 1] != call_of_[i]) commands.WriteTimestamp(timestamp + 1);
  }
  RETURN_IF_ERROR(commands.End());
  return recording;
}

void RecordingCache::Choose(Places places) {
  const auto found = std::find_if(sets_.begin(), sets_.end(), [&](const Set& set) { return set.places == places; });
  if (found != sets_.end()) return sets_.splice(sets_.begin(), sets_, found);
  if (sets_.size() == kMostSets) sets_.pop_back();
  sets_.push_front({std::move(places), {}});
}

const Recording* RecordingCache::Find(const Key& key) const {
  const auto found = sets_.front().recordings.find(key);
  return found == sets_.front().recordings.end() ? nullptr : &found->second;
}

const Recording* RecordingCache::Add(Key key, Recording recording) {
  return &(sets_.front().recordings[std::move(key)] = std::move(recording));
}

}  // namespace vulkan
}  // namespace xla
