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
// vkCmdUpdateBuffer has no more at once.
constexpr size_t kMostUpdatedWords = 65536 / sizeof(uint32_t);

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

// The part from a place on where a binding may begin. `place`: how many words later that of `part` is.
BufferPart BindablePart(BufferPart part, const DeviceFacts& facts, uint32_t* place) {
  const uint64_t more = part.offset % facts.storage_alignment;
  *place = static_cast<uint32_t>(more / sizeof(uint32_t));
  part.offset -= more;
  part.bytes += more;
  return part;
}

}  // namespace

uint32_t Recording::TimesOpen(int32_t scope) const { return reinterpret_cast<const uint32_t*>(numbers.host())[scope]; }

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
  command.pipeline = phase.pipeline;
  command.groups = phase.groups;
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

void Recorder::Add(std::vector<Command> commands, absl::Span<const BufferSlice> reads,
                   absl::Span<const BufferSlice> writes) {
  if (commands.empty()) return;
  const auto length = static_cast<int32_t>(commands.size());
  const bool is_alone =
      std::any_of(commands.begin(), commands.end(), [](const Command& command) { return command.is_alone; });
  int32_t group = is_alone ? groups_.PlaceAlone(length) : groups_.Place(reads, writes, length);
  for (Command& command : commands) {
    command.group = group++;
    if (!entered_.empty()) command.slot = next_slot_++;
    commands_.push_back(std::move(command));
    call_of_.push_back(calls_);
  }
  ++calls_;
}

void Recorder::AddKernel(const DeviceKernel& kernel, absl::Span<const KernelBuffer> buffers,
                         absl::Span<const BufferSlice> reads, absl::Span<const BufferSlice> writes) {
  std::vector<Command> commands;
  for (const DeviceKernel::Phase& phase : kernel.phases) commands.push_back(PhaseCommand(phase, buffers));
  Add(std::move(commands), reads, writes);
}

void Recorder::AddCopy(const BufferPart& from, const BufferPart& to, absl::Span<const BufferSlice> reads,
                       absl::Span<const BufferSlice> writes) {
  if (!entered_.empty()) return Add(CopyCommands(from, to), reads, writes);
  std::vector<Command> commands(1);
  commands[0].from = from;
  commands[0].to = to;
  Add(std::move(commands), reads, writes);
}

// Values have whole words for themselves.
std::vector<Recorder::Command> Recorder::CopyCommands(const BufferPart& from, const BufferPart& to) const {
  const DeviceFacts& facts = place_.device->facts();
  const uint64_t bytes = RoundUpTo(std::min(from.bytes, to.bytes), sizeof(uint32_t));
  const uint64_t most = (facts.storage_range_bytes / facts.storage_alignment - 1) * facts.storage_alignment;
  std::vector<Command> commands;
  for (uint64_t begin = 0; begin < bytes; begin += most) {
    const uint64_t length = std::min(most, bytes - begin);
    CopyConstants constants;
    constants.count = static_cast<uint32_t>(length / sizeof(uint32_t));
    Command command;
    command.pipeline = place_.control.copy();
    command.parts = {BindablePart({from.buffer, from.offset + begin, length}, facts, &constants.from_place),
                     BindablePart({to.buffer, to.offset + begin, length}, facts, &constants.to_place)};
    command.words = constants.Words();
    const uint32_t groups = (constants.count - 1) / CopyConstants::kWordsPerGroup + 1;
    command.groups[0] = std::min(groups, facts.max_groups[0]);
    commands.push_back(std::move(command));
  }
  return commands;
}

int32_t Recorder::AddScope() {
  scopes_.emplace_back();
  return static_cast<int32_t>(scopes_.size()) - 1;
}

void Recorder::Enter(int32_t scope) {
  if (scopes_[scope].begin == kNone) scopes_[scope].begin = next_slot_;
  next_slot_ = scopes_[scope].begin;
  entered_.push_back(scope);
}

void Recorder::Leave() {
  scopes_[entered_.back()].end = next_slot_;
  slot_count_ = std::max(slot_count_, next_slot_);
  entered_.pop_back();
}

// It has all numbers of groups in its binding, which others take theirs from.
void Recorder::AddGate(int32_t scope, const Gate& gate) {
  std::vector<Command> commands(1);
  Command& command = commands[0];
  command.pipeline = place_.control.gate();
  command.is_alone = true;
  command.gates = scope;
  command.gate.mask = gate.mask;
  command.gate.last = gate.last;
  command.gate.wanted = gate.wanted;
  command.parts = {BindablePart(gate.condition, place_.device->facts(), &command.gate.place)};
  Add(std::move(commands), {}, {});
}

// Commands of a scope run until a gate says otherwise.
std::vector<uint32_t> Recorder::FirstNumbers() const {
  std::vector<uint32_t> numbers(scopes_.size() + 6 * static_cast<size_t>(slot_count_), 0);
  for (const Command& command : commands_) {
    if (command.slot == kNone) continue;
    for (const uint32_t more : {uint32_t{0}, Distance()}) {
      std::copy(command.groups.begin(), command.groups.end(), numbers.begin() + NumbersAt(command.slot) + more);
    }
  }
  return numbers;
}

absl::StatusOr<Recording> Recorder::Begin(uint32_t timestamps) const {
  Recording recording;
  recording.work = size();
  ASSIGN_OR_RETURN(recording.commands, Commands::Create(place_.device, timestamps));
  if (gathered_bytes_ > 0) {
    ASSIGN_OR_RETURN(recording.gathered, DeviceArray::Allocate(place_, static_cast<int64_t>(gathered_bytes_)));
  }
  if (!has_scopes()) return recording;
  const std::vector<uint32_t> numbers = FirstNumbers();
  ASSIGN_OR_RETURN(recording.numbers,
                   DeviceArray::Allocate(place_, static_cast<int64_t>(numbers.size() * sizeof(uint32_t))));
  for (size_t begin = 0; begin < numbers.size(); begin += kMostUpdatedWords) {
    const auto words = absl::MakeConstSpan(numbers).subspan(begin, kMostUpdatedWords);
    recording.commands->Update(recording.numbers.Device(static_cast<int64_t>(begin * sizeof(uint32_t)),
                                                        static_cast<int64_t>(words.size() * sizeof(uint32_t))),
                               words);
  }
  recording.commands->Barrier(/*for_groups=*/true);
  return recording;
}

absl::Status Recorder::WriteKernel(const Command& command, absl::Span<const BufferPart> parts,
                                   Recording& recording) const {
  const auto numbers = [&](uint32_t first, uint32_t count) {
    return recording.numbers.Device(int64_t{first} * static_cast<int64_t>(sizeof(uint32_t)),
                                    int64_t{count} * static_cast<int64_t>(sizeof(uint32_t)));
  };
  std::vector<BufferPart> all(parts.begin(), parts.end());
  std::vector<uint32_t> words = command.has_table ? std::vector<uint32_t>() : command.words;
  if (command.gates != kNone) {
    const Scope& scope = scopes_[command.gates];
    GateConstants gate = command.gate;
    gate.counter = static_cast<uint32_t>(command.gates);
    gate.begin = NumbersAt(scope.begin);
    gate.count = NumbersAt(scope.end) - gate.begin;
    gate.distance = Distance();
    words = gate.Words();
    all.push_back(numbers(0, NumbersAt(0) + 2 * Distance()));
  }
  if (command.slot == kNone) return recording.commands->Dispatch(command.pipeline, all, command.groups, words);
  return recording.commands->DispatchIndirect(command.pipeline, all, numbers(NumbersAt(command.slot), 3),
                                              command.groups, words);
}

// What is gathered for a kernel that does not run is copied back as it was.
absl::Status Recorder::Write(const Command& command, Recording& recording) const {
  Commands& commands = *recording.commands;
  if (command.pipeline == nullptr) {
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
  RETURN_IF_ERROR(WriteKernel(command, parts, recording));
  const bool writes_gathered =
      std::any_of(command.gathered.begin(), command.gathered.end(), [](const Gathered& one) { return one.is_written; });
  if (writes_gathered) commands.Barrier();
  for (const Gathered& one : command.gathered) {
    if (one.is_written) commands.Copy(gathered_part(one.offset, one.from.bytes), one.from);
  }
  return absl::OkStatus();
}

absl::Status Recorder::End(Recording& recording) const {
  Commands& commands = *recording.commands;
  if (recording.numbers.exists() && recording.numbers.is_staged()) {
    const auto bytes = static_cast<int64_t>(scopes_.size() * sizeof(uint32_t));
    commands.Barrier();
    commands.Copy(recording.numbers.Device(0, bytes), recording.numbers.Staging(0, bytes));
  }
  commands.Barrier(has_scopes());
  return commands.End();
}

absl::StatusOr<Recording> Recorder::Record() const {
  ASSIGN_OR_RETURN(Recording recording, Begin(/*timestamps=*/0));
  std::vector<size_t> order(commands_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [this](size_t a, size_t b) { return commands_[a].group < commands_[b].group; });
  for (size_t i = 0; i < order.size(); ++i) {
    const bool is_first = i > 0 && commands_[order[i]].group != commands_[order[i - 1]].group;
    if (is_first) recording.commands->Barrier(has_scopes());
    RETURN_IF_ERROR(Write(commands_[order[i]], recording));
  }
  RETURN_IF_ERROR(End(recording));
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
