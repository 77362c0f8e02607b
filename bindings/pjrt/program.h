// The programs that clients give to be compiled.
#ifndef BINDINGS_PJRT_PROGRAM_H_
#define BINDINGS_PJRT_PROGRAM_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "bindings/pjrt/compile_request.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/types/shape.h"

namespace xla {
namespace pjrt {

// What clients are told of a parameter or output, of one device.
struct ProgramValue {
  Shape shape;
  int memory_kind = 0;
  std::vector<int64_t> minor_to_major;
  std::string sharding;  // an OpSharding, of a program for several devices
};

struct ReadProgram {
  std::unique_ptr<HloModule> module;  // verified; of arguments one by one
  // Memory kinds, layouts and, if `has_shardings`, shardings of the parameters and the elements of the result; shapes
  // are those of whole arrays.
  std::vector<ProgramValue> parameters;
  std::vector<ProgramValue> outputs;
  bool has_shardings = false;
};

// Reads a program of format "mlir" (StableHLO as text or artifact), "hlo" or "hlo_with_config" (a HloModuleProto), and
// decides how its arrays are cut if it is to be partitioned.
// Errors: InvalidArgument for another format, for what the readers refuse, for a program that the options do not fit;
// Unimplemented for parameters and results that are tuples within tuples.
absl::StatusOr<ReadProgram> ReadProgramOf(absl::string_view code, absl::string_view format,
                                          const CompileRequest& request);

// NotFound, with the nearest known name, if the program calls a function that is not there.
absl::Status CheckTargets(const HloModule& module);

// An error about an instruction with the place in the source program that the instruction comes from.
absl::Status WithPlace(const absl::Status& status, const HloModule& module);

}  // namespace pjrt
}  // namespace xla

#endif  // BINDINGS_PJRT_PROGRAM_H_
