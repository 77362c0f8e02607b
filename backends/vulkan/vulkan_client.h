// VulkanClient: the devices of this machine that have Vulkan, as a backend.
#ifndef BACKENDS_VULKAN_VULKAN_CLIENT_H_
#define BACKENDS_VULKAN_VULKAN_CLIENT_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "backends/device_roof.h"
#include "backends/host/host_client.h"
#include "backends/vulkan/device_array.h"
#include "backends/vulkan/roof_probes.h"
#include "backends/vulkan/vulkan_settings.h"

namespace xla {
namespace vulkan {

// Buffers are arrays on a device, which the host sees or copies when it asks for them.
class VulkanClient : public HostClient, public MeasuresDeviceRoof {
 public:
  // Settings: vulkan_settings.h. Unavailable, with what is missing: the loader, a driver, a device, a feature.
  static absl::StatusOr<std::shared_ptr<Client>> Create(const ClientOptions& options);

  absl::StatusOr<DeviceRoof> MeasureDeviceRoof() const override { return ProbeRoof(*places_[0]); }

 private:
  absl::StatusOr<std::unique_ptr<Executable>> CompileWithCode(std::shared_ptr<const HloModule> module,
                                                              const CompileOptions& options,
                                                              absl::string_view code) override;
  // `options` have passed CheckClientOptions.
  VulkanClient(const ClientOptions& options, std::vector<std::shared_ptr<VulkanPlace>> places);
  // Of the devices of a program, by position. Unimplemented: they are of several kinds.
  absl::StatusOr<std::vector<std::shared_ptr<VulkanPlace>>> PlacesOf(const DeviceList& devices) const;

  // Device i of the client is at place i, or if it has more devices than places, at the first again.
  const std::vector<std::shared_ptr<VulkanPlace>> places_;
};

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_VULKAN_CLIENT_H_
