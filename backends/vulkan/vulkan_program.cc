#include "backends/vulkan/vulkan_program.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/container/fixed_array.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace vulkan {
namespace {

// Sets of weights that runs of a device may take turns with.
constexpr size_t kMostKept = 2;

void CopyIn(const void* from, int64_t bytes, const DeviceArray& array) {
  if (bytes > 0) std::memcpy(array.host(), from, static_cast<size_t>(bytes));
}

bool ReplacesArgument(const ProgramPlan::Result& result) { return result.argument >= 0; }

}  // namespace

VulkanProgram::VulkanProgram(const HostClient& client, ProgramPlan plan, std::vector<HostDevice*> devices,
                             OwnDevices own, std::vector<std::shared_ptr<VulkanPlace>> places)
    : plan_(std::move(plan)), runner_(client, plan_, std::move(devices), std::move(own)), places_(std::move(places)) {
  for (const auto& place : places_) {
    first_at_.push_back(static_cast<size_t>(std::find(places_.begin(), places_.end(), place) - places_.begin()));
  }
}

absl::StatusOr<std::shared_ptr<const VulkanProgram>> VulkanProgram::Create(
    const HostClient& client, ProgramPlan plan, std::vector<HostDevice*> devices, OwnDevices own,
    std::vector<std::shared_ptr<VulkanPlace>> places) {
  std::shared_ptr<VulkanProgram> program(
      new VulkanProgram(client, std::move(plan), std::move(devices), std::move(own), std::move(places)));
  RETURN_IF_ERROR(program->UploadConstants());
  return program;
}

absl::Status VulkanProgram::UploadConstants() {
  constants_.resize(places_.size());
  const auto count = static_cast<int32_t>(plan_.constants.size());
  for (size_t d = 0; d < places_.size(); ++d) {
    if (first_at_[d] != d) continue;
    const ExecuteContext nothing_stops;
    DeviceStream stream(*places_[d], nothing_stops, count, /*base_count=*/1);
    constants_[d].resize(plan_.constants.size());
    for (int32_t i = 0; i < count; ++i) {
      const ProgramPlan::Constant& constant = plan_.constants[i];
      DeviceArray& array = constants_[d][i];
      ASSIGN_OR_RETURN(array, DeviceArray::Allocate(*places_[d], constant.bytes));
      CopyIn(constant.data, constant.bytes, array);
      const BufferSlice slice = BufferSlice::OfConstant(i, constant.bytes);
      stream.SetBase(slice.base, &array);
      RETURN_IF_ERROR(stream.ToDevice({slice}));
    }
    RETURN_IF_ERROR(stream.ToHost({}));
  }
  return absl::OkStatus();
}

void VulkanProgram::SetBase(int32_t base, const DeviceArray& array, Frame& frame) const {
  frame.bases[base] = array.host();
  frame.stream->SetBase(base, &array);
}

absl::Status VulkanProgram::Allocate(const VulkanPlace& place, int32_t base, int64_t bytes, Frame& frame) const {
  DeviceArray& array = frame.arrays[base];
  ASSIGN_OR_RETURN(array, DeviceArray::Allocate(place, bytes));
  SetBase(base, array, frame);
  return absl::OkStatus();
}

// Weights that an earlier run has left on the device are used from there; those of a new set are kept for the next.
absl::Status VulkanProgram::PlaceKept(const VulkanPlace& place, size_t d, const HostValues& values, Frame& frame,
                                      ExecuteContext& context) const {
  if (plan_.weight_bases.empty() && plan_.kept_base == BufferSlice::kNowhere) return absl::OkStatus();
  context.weight_ids.resize(plan_.base_count);
  for (const ProgramPlan::Argument& argument : plan_.arguments) {
    context.weight_ids[argument.base] = values[argument.parameter]->id();
  }
  std::vector<uint64_t> names;
  for (const int32_t base : plan_.weight_bases) names.push_back(context.weight_ids[base]);
  frame.kept = FindKept(d, names);
  context.has_kept_values = frame.kept != nullptr;
  if (frame.kept == nullptr) {
    auto kept = std::make_shared<Kept>();
    kept->names = std::move(names);
    kept->device = d;
    ASSIGN_OR_RETURN(kept->values, DeviceArray::Allocate(place, plan_.kept_bytes));
    for (const ProgramPlan::Argument& argument : plan_.arguments) {
      if (std::find(plan_.weight_bases.begin(), plan_.weight_bases.end(), argument.base) == plan_.weight_bases.end()) {
        continue;
      }
      const Literal& leaf = LeafAt(values[argument.parameter]->literal(), argument.leaf);
      ASSIGN_OR_RETURN(DeviceArray array, DeviceArray::Allocate(place, leaf.size_bytes()));
      CopyIn(leaf.untyped_data(), leaf.size_bytes(), array);
      kept->weights.push_back(std::move(array));
    }
    frame.kept = std::move(kept);
  }
  for (size_t i = 0; i < plan_.weight_bases.size(); ++i) SetBase(plan_.weight_bases[i], frame.kept->weights[i], frame);
  if (plan_.kept_base != BufferSlice::kNowhere) SetBase(plan_.kept_base, frame.kept->values, frame);
  if (context.has_kept_values) return absl::OkStatus();
  for (size_t i = 0; i < plan_.weight_bases.size(); ++i) {
    const ProgramPlan::Argument* const argument =
        &*std::find_if(plan_.arguments.begin(), plan_.arguments.end(),
                       [&](const ProgramPlan::Argument& other) { return other.base == plan_.weight_bases[i]; });
    const Literal& leaf = LeafAt(values[argument->parameter]->literal(), argument->leaf);
    RETURN_IF_ERROR(frame.stream->ToDevice({{plan_.weight_bases[i], 0, leaf.size_bytes()}}));
  }
  return absl::OkStatus();
}

std::shared_ptr<const VulkanProgram::Kept> VulkanProgram::FindKept(size_t d, const std::vector<uint64_t>& names) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& kept : kept_) {
    if (first_at_[kept->device] == first_at_[d] && kept->names == names) return kept;
  }
  return nullptr;
}

// Each argument is copied: the program may write there.
absl::Status VulkanProgram::PlaceArguments(const VulkanPlace& place, HostValues& values, const Donations& donations,
                                           Frame& frame, ExecuteContext& context) const {
  for (const ProgramPlan::Argument& argument : plan_.arguments) {
    const Literal& leaf = LeafAt(values[argument.parameter]->literal(), argument.leaf);
    if (argument.dynamic_buffer >= 0) context.dynamic_sizes[argument.dynamic_buffer] = DynamicSizesOf(leaf);
    if (frame.bases[argument.base] != nullptr) continue;  // a weight
    RETURN_IF_ERROR(Allocate(place, argument.base, leaf.size_bytes(), frame));
    CopyIn(leaf.untyped_data(), leaf.size_bytes(), frame.arrays[argument.base]);
    RETURN_IF_ERROR(frame.stream->ToDevice({{argument.base, 0, leaf.size_bytes()}}));
  }
  frame.taken.resize(plan_.arguments.size());
  for (const ProgramPlan::Result& result : plan_.results) {
    if (!ReplacesArgument(result)) continue;
    const ProgramPlan::Argument& argument = plan_.arguments[result.argument];
    frame.taken[result.argument] = LeafAt(values[argument.parameter]->literal(), argument.leaf);
  }
  // If nothing else holds a value, its arrays are now this run's alone, and take its results.
  for (size_t i = 0; i < donations.size(); ++i) {
    if (donations[i] && !values[i]->is_borrowed()) values[i] = nullptr;
  }
  return absl::OkStatus();
}

absl::Status VulkanProgram::PlaceResults(const VulkanPlace& place, Frame& frame) const {
  for (const ProgramPlan::Result& result : plan_.results) {
    if (ReplacesArgument(result) || result.base == BufferSlice::kNowhere) continue;
    RETURN_IF_ERROR(Allocate(place, result.base, result.shape.ByteSize(), frame));
  }
  return absl::OkStatus();
}

// That of an argument which it replaces, if nothing else refers to it.
absl::StatusOr<Literal> VulkanProgram::MakeResult(const ProgramPlan::Result& result, Frame& frame) {
  if (!ReplacesArgument(result) || !frame.taken[result.argument].IsUnique()) return Literal::Allocate(result.shape);
  Literal leaf = std::move(frame.taken[result.argument]);
  leaf.ResetShape(result.shape);
  return leaf;
}

absl::StatusOr<Literal> VulkanProgram::TakeResults(Frame& frame, const ExecuteContext& context) const {
  std::vector<BufferSlice> slices;
  for (const ProgramPlan::Result& result : plan_.results) {
    const int32_t base = ReplacesArgument(result) ? plan_.arguments[result.argument].base : result.base;
    slices.push_back({base, 0, base == BufferSlice::kNowhere ? 0 : result.shape.ByteSize()});
  }
  RETURN_IF_ERROR(frame.stream->ToHost(slices));
  std::vector<Literal> leaves;
  for (size_t i = 0; i < plan_.results.size(); ++i) {
    ASSIGN_OR_RETURN(Literal leaf, MakeResult(plan_.results[i], frame));
    if (leaf.size_bytes() > 0) {
      std::memcpy(leaf.untyped_mutable_data(), frame.bases[slices[i].base], static_cast<size_t>(leaf.size_bytes()));
    }
    leaves.push_back(std::move(leaf));
  }
  return AssembleResult(plan_, leaves, context);
}

absl::StatusOr<Literal> VulkanProgram::RunDevice(const HostLaunch& launch, size_t d, Frame& frame,
                                                 PlanRunner::DeviceRun& run) const {
  const VulkanPlace& place = *places_[d];
  ExecuteContext& context = run.context;
  const auto constant_count = static_cast<int32_t>(plan_.constants.size());
  frame.addresses.resize(plan_.constants.size() + static_cast<size_t>(plan_.base_count), nullptr);
  frame.bases = frame.addresses.data() + constant_count;
  frame.arrays.resize(static_cast<size_t>(plan_.base_count));
  frame.stream.emplace(place, context, constant_count, plan_.base_count);
  for (int32_t i = 0; i < constant_count; ++i) SetBase(-1 - i, constants_[first_at_[d]][i], frame);
  RETURN_IF_ERROR(Allocate(place, BufferSlice::kNowhere, 0, frame));
  RETURN_IF_ERROR(Allocate(place, BufferSlice::kArena, plan_.arena_bytes, frame));
  RETURN_IF_ERROR(PlaceKept(place, d, launch.arguments[d], frame, context));
  RETURN_IF_ERROR(PlaceArguments(place, launch.arguments[d], launch.donations, frame, context));
  RETURN_IF_ERROR(PlaceResults(place, frame));
  context.bases = frame.bases;
  context.device_work = &*frame.stream;
  RETURN_IF_ERROR(runner_.RunPlan(launch, run));
  ASSIGN_OR_RETURN(Literal result, TakeResults(frame, context));
  if (frame.kept != nullptr && !context.has_kept_values) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (kept_.size() >= kMostKept * places_.size()) kept_.erase(kept_.begin());
    kept_.push_back(frame.kept);
  }
  return result;
}

absl::StatusOr<std::vector<Literal>> VulkanProgram::Run(const HostLaunch& launch) const {
  absl::FixedArray<Frame, 1> frames(static_cast<size_t>(runner_.device_count()));
  return runner_.Run(launch, [&](int64_t d, PlanRunner::DeviceRun& run) {
    return RunDevice(launch, static_cast<size_t>(d), frames[static_cast<size_t>(d)], run);
  });
}

}  // namespace vulkan
}  // namespace xla
