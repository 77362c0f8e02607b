#include "backends/vulkan/device_value.h"

#include <cstring>

#include "backends/vulkan/device/commands.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace vulkan {
namespace {

// Less is copied in the time in which the driver makes memory of the host its own.
constexpr int64_t kLeastImported = int64_t{1} << 20;

absl::Status PlaceLeaves(VulkanPlace& place, Literal& literal, ValueMemories& leaves) {
  if (literal.IsTuple()) {
    for (int i = 0; i < literal.tuple_size(); ++i) {
      RETURN_IF_ERROR(PlaceLeaves(place, literal.mutable_element(i), leaves));
    }
    return absl::OkStatus();
  }
  leaves.push_back(nullptr);
  if (!literal.shape().IsArray()) return absl::OkStatus();
  ASSIGN_OR_RETURN(std::shared_ptr<DeviceValue> value,
                   DeviceValue::Of(place, literal.untyped_data(), literal.size_bytes()));
  Literal view = Literal::Borrow(literal.shape(), value->array().host());
  if (literal.has_dynamic_sizes()) view.CopyDynamicSizesFrom(literal);
  literal = std::move(view);
  leaves.back() = std::move(value);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::shared_ptr<DeviceValue>> DeviceValue::Allocate(VulkanPlace& place, int64_t bytes) {
  ASSIGN_OR_RETURN(DeviceArray array, DeviceArray::Allocate(place, bytes));
  return std::shared_ptr<DeviceValue>(new DeviceValue(place, std::move(array), bytes));
}

absl::StatusOr<std::shared_ptr<DeviceValue>> DeviceValue::Of(VulkanPlace& place, const void* data, int64_t bytes) {
  ASSIGN_OR_RETURN(std::shared_ptr<DeviceValue> value, Allocate(place, bytes));
  if (bytes == 0) return value;
  std::memcpy(value->array_->host(), data, static_cast<size_t>(bytes));
  if (value->array_->is_staged()) {
    ASSIGN_OR_RETURN(value->upload_, value->Copy(place, /*to_device=*/true));
  }
  return value;
}

absl::StatusOr<std::shared_ptr<DeviceValue>> DeviceValue::At(VulkanPlace& place, const void* data, int64_t bytes) {
  ASSIGN_OR_RETURN(DeviceArray array, DeviceArray::Import(place, data, bytes));
  return std::shared_ptr<DeviceValue>(new DeviceValue(place, std::move(array), bytes));
}

// What it uses lives until it is done.
absl::StatusOr<uint64_t> DeviceValue::Copy(VulkanPlace& place, bool to_device) {
  using Used = std::pair<std::shared_ptr<Commands>, std::shared_ptr<const DeviceArray>>;
  ASSIGN_OR_RETURN(std::shared_ptr<Commands> commands, Commands::Create(place.device));
  const BufferPart device = array_->Device(0, bytes_);
  const BufferPart staging = array_->Staging(0, bytes_);
  to_device ? commands->Copy(staging, device) : commands->Copy(device, staging);
  commands->Barrier();
  RETURN_IF_ERROR(commands->End());
  ASSIGN_OR_RETURN(const uint64_t ticket, place.device->Submit(commands->handle()));
  place.retired->Add(ticket, std::make_shared<Used>(std::move(commands), array_));
  return ticket;
}

absl::Status DeviceValue::BringToHost() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (is_on_host_ || bytes_ == 0) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::shared_ptr<VulkanPlace> place, LivingPlace());
  ASSIGN_OR_RETURN(const uint64_t ticket, Copy(*place, /*to_device=*/false));
  RETURN_IF_ERROR(place->device->Wait(ticket));
  is_on_host_ = true;
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<VulkanPlace>> DeviceValue::LivingPlace() const {
  std::shared_ptr<VulkanPlace> place = living_place_.lock();
  if (place != nullptr) return place;
  return absl::FailedPreconditionError("the value is on a device whose client has ended; keep the client until then");
}

// Others do not see the device's tickets.
absl::StatusOr<ExportedMemory> DeviceValue::Export() const {
  ASSIGN_OR_RETURN(const std::shared_ptr<VulkanPlace> place, LivingPlace());
  if (upload_ != 0) RETURN_IF_ERROR(place->device->Wait(upload_));
  ASSIGN_OR_RETURN(const DeviceMemory::Exported exported, place->memory->Export(array_->device()));
  const DeviceFacts& facts = place->device->facts();
  ExportedMemory memory;
  memory.file_descriptor = exported.file_descriptor;
  memory.allocation_bytes = exported.bytes;
  memory.memory_type = exported.type;
  memory.offset = array_->device().offset();
  memory.bytes = static_cast<uint64_t>(bytes_);
  memory.device_uuid = facts.device_uuid;
  memory.driver_uuid = facts.driver_uuid;
  return memory;
}

void DeviceValue::SetOnlyOnDevice() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_on_host_ = !array_->is_staged();
}

absl::StatusOr<ValueMemories> DeviceValuePlacer::Place(int64_t device, Literal* literal) const {
  ValueMemories leaves;
  RETURN_IF_ERROR(PlaceLeaves(PlaceOf(device), *literal, leaves));
  return leaves;
}

std::shared_ptr<ValueMemory> DeviceValuePlacer::Borrow(int64_t device, const Literal& array) const {
  if (array.size_bytes() < kLeastImported) return nullptr;
  auto value = DeviceValue::At(PlaceOf(device), array.untyped_data(), array.size_bytes());
  return value.ok() ? *std::move(value) : nullptr;
}

}  // namespace vulkan
}  // namespace xla
