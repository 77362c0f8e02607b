// DeviceRoof: what a device can do at most, found out by trying: what the speed of a program there is compared with.
#ifndef BACKENDS_DEVICE_ROOF_H_
#define BACKENDS_DEVICE_ROOF_H_

#include <string>

#include "absl/status/statusor.h"

namespace xla {

struct DeviceRoof {
  std::string name;             // of the device, for people
  double bytes_per_second = 0;  // read and written by copies in its memory
  double flops_per_second = 0;  // f32 multiply-adds, which count as two
};

// A Client whose programs do not run on the host's processor is one too.
class MeasuresDeviceRoof {
 public:
  virtual ~MeasuresDeviceRoof() = default;
  // Of the first device. Takes some 0.1 s of it. Errors: those of the device, as of a program.
  virtual absl::StatusOr<DeviceRoof> MeasureDeviceRoof() const = 0;
};

}  // namespace xla

#endif  // BACKENDS_DEVICE_ROOF_H_
