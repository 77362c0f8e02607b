#include "backends/vulkan/vulkan_program.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/container/fixed_array.h"
#include "backends/vulkan/control_thunks.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace vulkan {
namespace {

// Sets of weights that runs of a device may take turns with.
constexpr size_t kMostKept = 2;
// Results that come to the host with the end of the run, because a copy of their own would take longer.
constexpr int64_t kSmallBytes = 4096;

// The number of the leaf among those of the shape.
size_t LeafNumber(const Shape& shape, const ShapeIndex& index) {
  size_t number = 0;
  const Shape* at = &shape;
  for (const int64_t i : index) {
    for (int64_t before = 0; before < i; ++before) {
      number += static_cast<size_t>(LeafCount(at->tuple_shape(static_cast<int>(before))));
    }
    at = &at->tuple_shape(static_cast<int>(i));
  }
  return number;
}

// The array of a leaf, if it is at that place.
std::shared_ptr<DeviceValue> ValueAt(const HostValue& value, size_t leaf, const VulkanPlace& place) {
  if (value.memory().empty()) return nullptr;
  auto found = std::dynamic_pointer_cast<DeviceValue>(value.memory()[leaf]);
  return found != nullptr && found->IsAt(place) ? found : nullptr;
}

}  // namespace

VulkanProgram::VulkanProgram(const HostClient& client, ProgramPlan plan, std::vector<HostDevice*> devices,
                             OwnDevices own, std::vector<std::shared_ptr<VulkanPlace>> places, std::string code)
    : plan_(std::move(plan)),
      decided_(LetDeviceDecide(plan_.program)),
      runner_(client, plan_, std::move(devices), std::move(own)),
      places_(std::move(places)),
      code_(std::move(code)),
      frames_(places_.size()) {
  for (const auto& place : places_) {
    first_at_.push_back(static_cast<size_t>(std::find(places_.begin(), places_.end(), place) - places_.begin()));
  }
  const std::vector<HloInstruction*> parameters = plan_.module->entry()->parameters();
  for (const ProgramPlan::Argument& argument : plan_.arguments) {
    leaves_.push_back(LeafNumber(parameters[argument.parameter]->shape(), argument.leaf));
  }
  is_result_.resize(plan_.arguments.size());
  for (const ProgramPlan::Result& result : plan_.results) {
    if (result.argument >= 0) is_result_[static_cast<size_t>(result.argument)] = true;
  }
}

absl::StatusOr<std::shared_ptr<const VulkanProgram>> VulkanProgram::Create(
    const HostClient& client, ProgramPlan plan, std::vector<HostDevice*> devices, OwnDevices own,
    std::vector<std::shared_ptr<VulkanPlace>> places, std::string code) {
  std::shared_ptr<VulkanProgram> program(new VulkanProgram(client, std::move(plan), std::move(devices), std::move(own),
                                                           std::move(places), std::move(code)));
  if (!program->decided_.thunks.empty()) {
    for (const auto& place : program->places_) RETURN_IF_ERROR(place->control.Prepare(place->device));
  }
  RETURN_IF_ERROR(program->UploadConstants());
  return program;
}

absl::Status VulkanProgram::UploadConstants() {
  constants_.resize(places_.size());
  for (size_t d = 0; d < places_.size(); ++d) {
    if (first_at_[d] != d) continue;
    std::vector<DeviceArray> constants;
    for (const ProgramPlan::Constant& constant : plan_.constants) {
      ASSIGN_OR_RETURN(DeviceArray array, DeviceArray::Allocate(*places_[d], constant.bytes));
      if (constant.bytes > 0) std::memcpy(array.host(), constant.data, static_cast<size_t>(constant.bytes));
      constants.push_back(std::move(array));
    }
    constants_[d] = std::make_shared<const std::vector<DeviceArray>>(std::move(constants));
    ASSIGN_OR_RETURN(std::shared_ptr<RunFrame> frame, RunFrame::Make(*places_[d], plan_, constants_[d]));
    frame->ChooseRecordings();
    const ExecuteContext nothing_stops;
    DeviceStream stream(*frame, nothing_stops);
    std::vector<BufferSlice> slices;
    for (size_t i = 0; i < plan_.constants.size(); ++i) {
      slices.push_back(BufferSlice::OfConstant(static_cast<int32_t>(i), plan_.constants[i].bytes));
    }
    RETURN_IF_ERROR(stream.ToDevice(slices));
    RETURN_IF_ERROR(stream.ToHost({}));
    frames_[d].GiveBack(std::move(frame));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<RunFrame>> VulkanProgram::TakeFrame(size_t d) const {
  const size_t first = first_at_[d];
  std::shared_ptr<RunFrame> frame = frames_[first].Take();
  if (frame != nullptr) return frame;
  return RunFrame::Make(*places_[first], plan_, constants_[first]);
}

// Those that an earlier run has left on the device are used from there; those of new weights are for the next runs too.
absl::StatusOr<std::shared_ptr<const VulkanProgram::Kept>> VulkanProgram::PlaceKept(size_t d, const HostValues& values,
                                                                                    RunFrame& frame,
                                                                                    ExecuteContext& context) const {
  if (plan_.has_weights) {
    context.weight_ids.resize(static_cast<size_t>(plan_.base_count));
    for (const ProgramPlan::Argument& argument : plan_.arguments) {
      context.weight_ids[argument.base] = values[argument.parameter]->id();
    }
  }
  if (plan_.kept_base == BufferSlice::kNowhere) return std::shared_ptr<const Kept>();
  std::vector<uint64_t> names;
  for (const int32_t base : plan_.weight_bases) names.push_back(context.weight_ids[base]);
  std::shared_ptr<const Kept> kept = FindKept(d, names);
  context.has_kept_values = kept != nullptr;
  if (kept == nullptr) {
    auto made = std::make_shared<Kept>();
    made->names = std::move(names);
    made->device = first_at_[d];
    ASSIGN_OR_RETURN(made->values, DeviceArray::Allocate(*places_[d], plan_.kept_bytes));
    kept = std::move(made);
  }
  frame.SetBase(plan_.kept_base, kept->values);
  frame.Hold(kept);
  return kept;
}

std::shared_ptr<const VulkanProgram::Kept> VulkanProgram::FindKept(size_t d, const std::vector<uint64_t>& names) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& kept : kept_) {
    if (kept->device == first_at_[d] && kept->names == names) return kept;
  }
  return nullptr;
}

void VulkanProgram::Keep(std::shared_ptr<const Kept> kept) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (kept_.size() >= kMostKept * places_.size()) kept_.erase(kept_.begin());
  kept_.push_back(std::move(kept));
}

// A donated array is the run's own if nothing else holds its value: no other run, and no other buffer.
absl::Status VulkanProgram::PlaceArguments(HostValues& values, const Donations& donations, RunFrame& frame,
                                           ExecuteContext& context, Copies& copies) const {
  int32_t copied_base = plan_.base_count;
  for (size_t i = 0; i < plan_.arguments.size(); ++i) {
    const ProgramPlan::Argument& argument = plan_.arguments[i];
    const HostValue& value = *values[argument.parameter];
    const Literal& leaf = LeafAt(value.literal(), argument.leaf);
    if (argument.dynamic_buffer >= 0) context.dynamic_sizes[argument.dynamic_buffer] = DynamicSizesOf(leaf);
    std::shared_ptr<DeviceValue> array = ValueAt(value, leaves_[i], frame.place());
    if (array == nullptr) {
      RETURN_IF_ERROR(value.BringToHost());
      ASSIGN_OR_RETURN(array, DeviceValue::Of(frame.place(), leaf.untyped_data(), leaf.size_bytes()));
      frame.Hold(argument.base, std::move(array));
      continue;
    }
    // The value has one reference to the array, and `array` is another one.
    const bool is_own = !donations.empty() && donations[argument.parameter] &&
                        values[argument.parameter].use_count() == 1 && array.use_count() == 2;
    // Results must not refer to memory of another owner.
    const bool must_be_own = argument.is_written || (array->is_borrowed() && is_result_[i]);
    if (!must_be_own || (is_own && !array->is_borrowed())) {
      frame.Hold(argument.base, std::move(array));
      continue;
    }
    const int64_t bytes = leaf.size_bytes();
    ASSIGN_OR_RETURN(std::shared_ptr<DeviceValue> copy, DeviceValue::Allocate(frame.place(), bytes));
    frame.Hold(copied_base, std::move(array));
    frame.Hold(argument.base, std::move(copy));
    copies.push_back({{copied_base++, 0, bytes}, {argument.base, 0, bytes}});
  }
  for (size_t i = 0; i < donations.size(); ++i) {
    if (donations[i]) values[i] = nullptr;
  }
  return absl::OkStatus();
}

absl::Status VulkanProgram::PlaceResults(RunFrame& frame) const {
  for (const ProgramPlan::Result& result : plan_.results) {
    if (result.argument >= 0 || result.base == BufferSlice::kNowhere) continue;
    ASSIGN_OR_RETURN(std::shared_ptr<DeviceValue> array, DeviceValue::Allocate(frame.place(), result.shape.ByteSize()));
    frame.Hold(result.base, std::move(array));
  }
  return absl::OkStatus();
}

// Results refer to the arrays; large ones are copied to the host when they are asked for.
absl::StatusOr<Literal> VulkanProgram::TakeResults(DeviceStream& stream, const RunFrame& frame,
                                                   const ExecuteContext& context, ValueMemories& memory) const {
  std::vector<BufferSlice> small;
  for (const ProgramPlan::Result& result : plan_.results) {
    const int32_t base = result.argument >= 0 ? plan_.arguments[result.argument].base : result.base;
    if (base == BufferSlice::kNowhere) {
      memory.push_back(nullptr);
      continue;
    }
    const std::shared_ptr<DeviceValue>& array = frame.HeldAt(base);
    if (array->bytes() <= kSmallBytes) {
      small.push_back({base, 0, array->bytes()});
    } else {
      array->SetOnlyOnDevice();
    }
    memory.push_back(array);
  }
  RETURN_IF_ERROR(stream.ToHost(small));
  std::vector<Literal> leaves;
  for (size_t i = 0; i < plan_.results.size(); ++i) {
    const Shape& shape = plan_.results[i].shape;
    if (memory[i] == nullptr) {
      ASSIGN_OR_RETURN(Literal leaf, Literal::Allocate(shape));
      leaves.push_back(std::move(leaf));
    } else {
      leaves.push_back(Literal::Borrow(shape, static_cast<const DeviceValue&>(*memory[i]).array().host()));
    }
  }
  return AssembleResult(plan_, absl::MakeSpan(leaves), context);
}

absl::StatusOr<Literal> VulkanProgram::RunDevice(const HostLaunch& launch, size_t d, DeviceRun& device,
                                                 PlanRunner::DeviceRun& run) const {
  ASSIGN_OR_RETURN(device.frame, TakeFrame(d));
  RunFrame& frame = *device.frame;
  ExecuteContext& context = run.context;
  Copies copies;
  ASSIGN_OR_RETURN(const std::shared_ptr<const Kept> kept, PlaceKept(d, launch.arguments[d], frame, context));
  RETURN_IF_ERROR(PlaceArguments(launch.arguments[d], launch.donations, frame, context, copies));
  RETURN_IF_ERROR(PlaceResults(frame));
  frame.ChooseRecordings();
  DeviceStream stream(frame, context);
  context.bases = frame.addresses();
  context.device_work = &stream;
  const auto run_all = [&]() -> absl::StatusOr<Literal> {
    RETURN_IF_ERROR(stream.CopyAll(copies));
    // Each step has times of its own in a profile, and counts towards a limit.
    const bool is_watched = launch.options.profile != nullptr || launch.options.max_steps > 0;
    RETURN_IF_ERROR(runner_.RunPlan(launch, run, is_watched ? plan_.program : decided_));
    return TakeResults(stream, frame, context, launch.result_memory[d]);
  };
  absl::StatusOr<Literal> result = run_all();
  context.device_work = nullptr;
  device.ticket = stream.ticket();
  if (result.ok() && kept != nullptr && !context.has_kept_values) Keep(kept);
  return result;
}

// Other devices may look at what one has until all have ended. What a device still uses is kept from the next run.
absl::StatusOr<std::vector<Literal>> VulkanProgram::Run(const HostLaunch& launch) const {
  absl::FixedArray<DeviceRun, 1> devices(static_cast<size_t>(runner_.device_count()));
  launch.result_memory.resize(devices.size());
  absl::StatusOr<std::vector<Literal>> results = runner_.Run(launch, [&](int64_t d, PlanRunner::DeviceRun& run) {
    return RunDevice(launch, static_cast<size_t>(d), devices[static_cast<size_t>(d)], run);
  });
  for (size_t d = 0; d < devices.size(); ++d) {
    DeviceRun& device = devices[d];
    if (device.frame == nullptr) continue;
    if (device.ticket == 0) {
      frames_[first_at_[d]].GiveBack(std::move(device.frame));
    } else {
      places_[d]->retired->Add(device.ticket, std::move(device.frame));
    }
  }
  return results;
}

}  // namespace vulkan
}  // namespace xla
