#include "backends/vulkan/device_stream.h"

#include <algorithm>
#include <utility>

#include "absl/time/clock.h"
#include "backends/runtime/step_program.h"
#include "backends/vulkan/control_recorder.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace vulkan {
namespace {

// The device begins while the host goes on; more at once would be waited for when a run is stopped.
constexpr int64_t kMostWaiting = 64;
// A loop whose end the host knows is not submitted as a whole.
constexpr size_t kMostSubmissions = 16;
// Iterations of a loop that are submitted at once: as many as it had in the last run, with the one that ends it, and at
// first and after that as many as it has made. Those after its end are for nothing, but take time.
constexpr int64_t kFirstIterations = 2;
constexpr int64_t kMostIterations = 16;
// A device that also draws a desktop is not to be busy for longer.
constexpr absl::Duration kLongIterations = absl::Milliseconds(50);
// How often a run that waits looks whether it is to stop.
constexpr absl::Duration kStopInterval = absl::Milliseconds(10);

void Append(const BufferSlice& slice, RecordingCache::Key& key) {
  key.push_back(slice.base);
  key.push_back(slice.offset);
  key.push_back(slice.bytes);
}

// The part of a copy: not rounded up to words.
BufferPart Exactly(BufferPart part, int64_t bytes) {
  part.bytes = static_cast<uint64_t>(bytes);
  return part;
}

}  // namespace

void DeviceStream::Dispatch(const DeviceKernel& kernel, absl::Span<const BufferSlice> buffers,
                            absl::Span<const BufferSlice> reads, absl::Span<const BufferSlice> writes) {
  std::vector<KernelBuffer> given;
  for (const BufferSlice& slice : buffers) {
    const bool is_written =
        std::any_of(writes.begin(), writes.end(), [&](const BufferSlice& written) { return slice.Overlaps(written); });
    given.push_back({frame_.PartOf(slice), is_written});
  }
  recorder_->AddKernel(kernel, given, reads, writes);
}

void DeviceStream::Copy(const BufferSlice& from, const BufferSlice& to) {
  if (from.bytes == 0 || from == to) return;
  recorder_->AddCopy(Exactly(frame_.PartOf(from), from.bytes), frame_.PartOf(to), {from}, {to});
}

absl::Status DeviceStream::RunSteps(const StepProgram& program, int32_t first, int32_t end, ProfileSink* profile,
                                    ExecuteContext& context) {
  if (profile != nullptr) return RunTimed(program, first, end, *profile, context);
  const auto record = [&]() -> absl::Status {
    for (int32_t i = first; i < end; ++i) {
      const Thunk* const thunk = program.steps[i].thunk;
      if (thunk != nullptr) RETURN_IF_ERROR(thunk->Execute(context));
    }
    return absl::OkStatus();
  };
  // Its steps do not change: their place tells programs apart.
  const auto name = reinterpret_cast<intptr_t>(program.steps.data());
  return EnqueueRecorded({static_cast<int64_t>(Kind::kSteps), name, first, end, context.has_kept_values}, record)
      .status();
}

absl::Status DeviceStream::RecordRegion(const ControlRegion& region, int64_t iterations, ExecuteContext& context) {
  const auto part_of = [this](const BufferSlice& slice) { return frame_.PartOf(slice); };
  return RecordControl(region, iterations, part_of, *recorder_, context);
}

absl::Status DeviceStream::Choose(const ControlRegion& region, ExecuteContext& context) {
  return RecordRegion(region, /*iterations=*/1, context);
}

absl::StatusOr<int64_t> DeviceStream::RunLoop(const ControlRegion& region, ExecuteContext& context) {
  const int64_t last = frame_.LastIterations(region.first);
  int64_t most = kMostIterations;
  int64_t unknown = kFirstIterations;
  int64_t done = 0;
  int64_t thunks = 0;
  while (true) {
    const absl::Time begin = absl::Now();
    const int64_t iterations = std::min(most, done <= last ? last + 1 - done : unknown);
    RecordingCache::Key key = {static_cast<int64_t>(Kind::kLoop), region.first, iterations, context.has_kept_values};
    const auto record = [&] { return RecordRegion(region, iterations, context); };
    ASSIGN_OR_RETURN(const Recording* const recording, EnqueueRecorded(std::move(key), record));
    RETURN_IF_ERROR(Finish());
    const LoopCounts counts = CountLoop(region, *recording, iterations);
    thunks += counts.thunks;
    done += counts.iterations;
    if (counts.has_ended) {
      frame_.SetLastIterations(region.first, done);
      return thunks;
    }
    if (done > last) unknown *= 2;
    const bool is_long = absl::Now() - begin > kLongIterations;
    most = is_long ? std::max<int64_t>(iterations / 2, 1) : kMostIterations;
    unknown = std::min(unknown, most);
  }
}

// The device's clock has an origin of its own: what ends last has ended just before the host sees it.
absl::Status DeviceStream::RunTimed(const StepProgram& program, int32_t first, int32_t end, ProfileSink& profile,
                                    ExecuteContext& context) {
  RETURN_IF_ERROR(Finish());
  Recorder recorder(place_);
  recorder_ = &recorder;
  std::vector<const Thunk*> timed;
  for (int32_t i = first; i < end; ++i) {
    const Thunk* const thunk = program.steps[i].thunk;
    if (thunk == nullptr) continue;
    const int64_t before = recorder.size();
    RETURN_IF_ERROR(thunk->Execute(context));
    if (recorder.size() > before) timed.push_back(thunk);
  }
  if (timed.empty()) return absl::OkStatus();
  auto recording = std::make_shared<Recording>();
  ASSIGN_OR_RETURN(*recording, recorder.RecordTimed());
  const absl::Time begin = absl::Now();
  RETURN_IF_ERROR(Enqueue(*recording));
  const absl::Status status = Finish();
  if (!status.ok()) {
    if (last_ticket_ != 0) place_.retired->Add(last_ticket_, recording);
    return status;
  }
  const absl::Time seen = absl::Now();
  const absl::StatusOr<std::vector<double>> times = recording->commands->Timestamps();
  for (size_t i = 0; i < timed.size(); ++i) {
    absl::Time step_begin = begin;
    absl::Time step_end = seen;
    if (times.ok()) {
      step_begin = std::max(begin, seen - absl::Nanoseconds(times->back() - (*times)[2 * i]));
      step_end = std::max(step_begin, seen - absl::Nanoseconds(times->back() - (*times)[2 * i + 1]));
    }
    profile.OnInstruction(*timed[i]->info().instruction, context.device.id(), step_begin, step_end);
  }
  return absl::OkStatus();
}

absl::Status DeviceStream::CopyAll(absl::Span<const SliceCopy> copies) {
  RecordingCache::Key key = {static_cast<int64_t>(Kind::kCopies)};
  for (const SliceCopy& copy : copies) {
    Append(copy.from, key);
    Append(copy.to, key);
  }
  if (key.size() == 1) return absl::OkStatus();
  const auto record = [&] {
    for (const SliceCopy& copy : copies) Copy(copy.from, copy.to);
    return absl::OkStatus();
  };
  return EnqueueRecorded(std::move(key), record).status();
}

// The host has constants already.
bool DeviceStream::IsToCopy(Kind kind, const BufferSlice& slice) const {
  if (slice.bytes == 0 || (kind == Kind::kToHost && slice.IsConstant())) return false;
  return frame_.StagingOf(slice).buffer != VK_NULL_HANDLE;
}

absl::Status DeviceStream::Transfer(Kind kind, absl::Span<const BufferSlice> slices) {
  RecordingCache::Key key = {static_cast<int64_t>(kind)};
  for (const BufferSlice& slice : slices) {
    if (IsToCopy(kind, slice)) Append(slice, key);
  }
  if (key.size() == 1) return absl::OkStatus();
  const auto record = [&] {
    for (const BufferSlice& slice : slices) {
      if (!IsToCopy(kind, slice)) continue;
      const BufferPart device = Exactly(frame_.PartOf(slice), slice.bytes);
      const BufferPart staging = Exactly(frame_.StagingOf(slice), slice.bytes);
      // Equal slices are copied one after the other.
      kind == Kind::kToHost ? recorder_->AddCopy(device, staging, {}, {slice})
                            : recorder_->AddCopy(staging, device, {}, {slice});
    }
    return absl::OkStatus();
  };
  return EnqueueRecorded(std::move(key), record).status();
}

absl::Status DeviceStream::ToHost(absl::Span<const BufferSlice> slices) {
  RETURN_IF_ERROR(Transfer(Kind::kToHost, slices));
  return Finish();
}

absl::Status DeviceStream::ToDevice(absl::Span<const BufferSlice> slices) { return Transfer(Kind::kToDevice, slices); }

absl::StatusOr<const Recording*> DeviceStream::EnqueueRecorded(RecordingCache::Key key,
                                                               absl::FunctionRef<absl::Status()> record) {
  const Recording* recording = frame_.recordings().Find(key);
  if (recording == nullptr) {
    Recorder recorder(place_);
    recorder_ = &recorder;
    RETURN_IF_ERROR(record());
    ASSIGN_OR_RETURN(Recording made, recorder.Record());
    recording = frame_.recordings().Add(std::move(key), std::move(made));
  }
  RETURN_IF_ERROR(Enqueue(*recording));
  return recording;
}

absl::Status DeviceStream::Enqueue(const Recording& recording) {
  if (recording.work == 0) return absl::OkStatus();
  waiting_.push_back(recording.commands->handle());
  waiting_work_ += recording.work;
  return waiting_work_ < kMostWaiting ? absl::OkStatus() : Submit();
}

absl::Status DeviceStream::Submit() {
  if (waiting_.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(context_.CheckStopped());
  while (tickets_.size() >= kMostSubmissions) {
    RETURN_IF_ERROR(Await(tickets_.front()));
    tickets_.pop_front();
  }
  ASSIGN_OR_RETURN(last_ticket_, place_.device->Submit(waiting_));
  tickets_.push_back(last_ticket_);
  waiting_.clear();
  waiting_work_ = 0;
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
  RETURN_IF_ERROR(Submit());
  if (last_ticket_ == 0) return absl::OkStatus();
  RETURN_IF_ERROR(Await(last_ticket_));
  last_ticket_ = 0;
  tickets_.clear();
  return absl::OkStatus();
}

}  // namespace vulkan
}  // namespace xla
