// StepCost: how long a program for each of many devices takes, and what for.
//
// Instructions run one after the other. One takes as long as its arithmetic at the device's rate or its bytes at the
// bandwidth of its memory, whichever is longer, and counts as arithmetic or as memory accordingly. A collective waits
// for its exchange; one that is taken apart into a start and a done runs beside what is between them, and what is left
// at the done is waited for. Collectives of a device do not overlap each other. Loops run as often as their trip counts
// say, or once, and branches equally often. Fusion is up to the backend: instructions that it will fuse count as if
// each went to memory.
#ifndef PASSES_MESH_COST_STEP_COST_H_
#define PASSES_MESH_COST_STEP_COST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "passes/mesh_cost/step_memory.h"
#include "passes/mesh_cost/topology.h"
#include "passes/partitioning/device_axes.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

struct StepCost {
  // An instruction that meets other devices; of all its runs.
  struct Collective {
    std::string instruction;
    std::string opcode;
    std::string along;
    double runs = 0;
    double bytes = 0;    // of its operands on a device, each time
    double seconds = 0;  // that exchanges take
    double waited = 0;   // of these, those in which the device does nothing else
  };
  // All collectives between the same devices of the mesh.
  struct Axis {
    std::string along;
    int64_t collectives = 0;
    double bytes = 0;
    double seconds = 0;
    double waited = 0;
  };

  int64_t devices = 1;
  double arithmetic_seconds = 0;
  double memory_seconds = 0;
  std::vector<Collective> collectives;  // in the order of computations and instructions
  std::vector<Axis> axes;               // what is waited for longest first
  StepMemory memory;
  int64_t unknown_loops = 0;

  double waited() const;
  double seconds() const { return arithmetic_seconds + memory_seconds + waited(); }
  // What takes longest: "arithmetic", "memory", or "collectives along model". "nothing" takes time in
  // an empty program.
  std::string Bottleneck() const;
};

// Of a verified program for each device. InvalidArgument: it is for more devices than the topology has, or groups of
// devices do not fit. An error of `resources`, which may be nullptr.
absl::StatusOr<StepCost> EstimateStep(const HloModule& module, const DeviceAxes& axes, const Topology& topology,
                                      const ResourceContext* resources);

}  // namespace xla

#endif  // PASSES_MESH_COST_STEP_COST_H_
