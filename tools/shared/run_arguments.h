// The arguments of a run, from files, specs or a seed, for all devices.
#ifndef TOOLS_SHARED_RUN_ARGUMENTS_H_
#define TOOLS_SHARED_RUN_ARGUMENTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/literal_io/input_spec.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/support/thread_pool.h"
#include "xla_core/types/literal.h"

namespace xla {

// The shapes of the entry computation's parameters, by number.
std::vector<Shape> ParameterShapes(const HloModule& module);

// What making arguments may use. All outlive the arguments; any may be null.
struct InputResources {
  ThreadPool* pool = nullptr;
  MemoryBudget* budget = nullptr;
  const ResourceContext* context = nullptr;
};

// A list of arguments for each device. Each function below names in its errors the file and the array that does not
// fit.
using DeviceArguments = std::vector<std::vector<Literal>>;

// The dimensions of the arrays that specs or files give to a device, or at least to the first one; tokens count as
// nothing. For shapes that are not known otherwise: their element types may be those of the files.
std::vector<Shape> ShapesOfSpecs(const InputSpecs& specs);
absl::StatusOr<std::vector<Shape>> ShapesInFiles(const std::vector<std::string>& paths,
                                                 absl::Span<const std::string> names = {});
// `parameters` in which dimensions `?` have the sizes of `arrays`, which stand for their leaves in order. What `arrays`
// does not tell stays `?`.
std::vector<Shape> SettledShapes(const std::vector<Shape>& parameters, const std::vector<Shape>& arrays);

// Pseudo-random: leaf k of device d has seed `seed` + k + 1000 d.
absl::StatusOr<DeviceArguments> RandomArguments(const std::vector<Shape>& parameters, int64_t device_count,
                                                uint64_t seed, const InputResources& resources);

// From specs. `source` names their file in errors. InvalidArgument if number, types or dimensions do not fit.
absl::StatusOr<DeviceArguments> ArgumentsFromSpecs(const std::vector<Shape>& parameters, int64_t device_count,
                                                   const InputSpecs& specs, absl::string_view source,
                                                   const InputResources& resources);

// From .npy and .npz files, whose arrays joined are the leaves in order, for one device or for all. Of an .npz file
// that has an array of each of the `names` those count, in the order of `names`.
absl::StatusOr<DeviceArguments> ArgumentsFromFiles(const std::vector<Shape>& parameters, int64_t device_count,
                                                   const std::vector<std::string>& paths,
                                                   const InputResources& resources,
                                                   absl::Span<const std::string> names = {});

// What the infeed queues of the devices hold, from a .npz file. Its arrays, sorted by number, are the leaves of what
// the module's infeed instructions read, in program order and over again. Arrays named r0_..., r1_... go to the queue
// of that device, others to all queues.
absl::StatusOr<DeviceArguments> InfeedFromFile(const HloModule& module, int64_t device_count, const std::string& path,
                                               const InputResources& resources);

}  // namespace xla

#endif  // TOOLS_SHARED_RUN_ARGUMENTS_H_
