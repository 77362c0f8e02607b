#include "backends/vulkan/run_frame.h"

#include <algorithm>
#include <utility>

#include "xla_core/support/status_macros.h"

namespace xla {
namespace vulkan {
namespace {

// Of runs that were side by side once and may never be again.
constexpr size_t kMostIdle = 4;

// How many a run may have to copy: those that it writes to, and those that are results as they are.
size_t CopiedArguments(const ProgramPlan& plan) {
  std::vector<bool> copied(plan.arguments.size());
  for (size_t i = 0; i < copied.size(); ++i) copied[i] = plan.arguments[i].is_written;
  for (const ProgramPlan::Result& result : plan.results) {
    if (result.argument >= 0) copied[static_cast<size_t>(result.argument)] = true;
  }
  return static_cast<size_t>(std::count(copied.begin(), copied.end(), true));
}

}  // namespace

RunFrame::RunFrame(VulkanPlace& place, Constants constants, size_t base_count)
    : place_(place),
      constants_(std::move(constants)),
      constant_count_(static_cast<int32_t>(constants_->size())),
      addresses_(constants_->size() + base_count, nullptr),
      arrays_(constants_->size() + base_count, nullptr),
      held_(base_count) {}

absl::StatusOr<std::shared_ptr<RunFrame>> RunFrame::Make(VulkanPlace& place, const ProgramPlan& plan,
                                                         Constants constants) {
  const size_t base_count = static_cast<size_t>(plan.base_count) + CopiedArguments(plan);
  std::shared_ptr<RunFrame> frame(new RunFrame(place, constants, base_count));
  ASSIGN_OR_RETURN(frame->nothing_, DeviceArray::Allocate(place, 0));
  ASSIGN_OR_RETURN(frame->arena_, DeviceArray::Allocate(place, plan.arena_bytes));
  for (size_t i = 0; i < constants->size(); ++i) frame->SetBase(-1 - static_cast<int32_t>(i), (*constants)[i]);
  frame->Clear();
  return frame;
}

void RunFrame::SetBase(int32_t base, const DeviceArray& array) {
  addresses_[Index(base)] = array.host();
  arrays_[Index(base)] = &array;
}

void RunFrame::Hold(int32_t base, std::shared_ptr<DeviceValue> value) {
  SetBase(base, value->array());
  held_[static_cast<size_t>(base)] = std::move(value);
}

void RunFrame::ChooseRecordings() {
  RecordingCache::Places places;
  for (size_t i = Index(BufferSlice::kFirstOther); i < arrays_.size(); ++i) {
    places.push_back(arrays_[i] == nullptr ? std::pair<uint64_t, uint64_t>() : arrays_[i]->place());
  }
  recordings_.Choose(std::move(places));
}

void RunFrame::Clear() {
  std::fill(addresses_.begin() + constant_count_, addresses_.end(), nullptr);
  std::fill(arrays_.begin() + constant_count_, arrays_.end(), nullptr);
  std::fill(held_.begin(), held_.end(), nullptr);
  kept_ = nullptr;
  SetBase(BufferSlice::kNowhere, nothing_);
  SetBase(BufferSlice::kArena, arena_);
}

std::shared_ptr<RunFrame> FramePool::Take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (idle_.empty()) return nullptr;
  std::shared_ptr<RunFrame> frame = std::move(idle_.back());
  idle_.pop_back();
  return frame;
}

void FramePool::GiveBack(std::shared_ptr<RunFrame> frame) {
  frame->Clear();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (idle_.size() < kMostIdle) idle_.push_back(std::move(frame));
}

}  // namespace vulkan
}  // namespace xla
