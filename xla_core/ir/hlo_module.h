// HloModule: a program, its computations and what the header of its text says.
#ifndef XLA_CORE_IR_HLO_MODULE_H_
#define XLA_CORE_IR_HLO_MODULE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "xla_core/ir/annotations.h"
#include "xla_core/ir/hlo_computation.h"

namespace xla {

// The result at `output_index` shares the buffer of parameter `parameter_number` at `parameter_index`.
struct InputOutputAlias {
  ShapeIndex output_index;
  int64_t parameter_number = 0;
  ShapeIndex parameter_index;
  bool must_alias = false;
  bool operator==(const InputOutputAlias& o) const {
    return output_index == o.output_index && parameter_number == o.parameter_number &&
           parameter_index == o.parameter_index && must_alias == o.must_alias;
  }
};

// The caller gives away the memory of this part of a parameter; which result uses it is the compiler's choice
// (HloModuleProto.buffer_donor).
struct BufferDonor {
  int64_t parameter_number = 0;
  ShapeIndex parameter_index;
  bool operator==(const BufferDonor& o) const {
    return parameter_number == o.parameter_number && parameter_index == o.parameter_index;
  }
};

// Shapes of a program's arguments and result, layouts included where they matter to the caller.
struct ProgramShape {
  std::vector<Shape> parameters;
  Shape result;
};

// One entry of origin_recovery_table: {"old" {i}} : {"new" {i}}[, "module text"].
struct OriginRecovery {
  OriginalValue::Array old_array;
  OriginalValue::Array new_array;
  std::string module_text;
};

// The header attributes of a module. Only is_scheduled, replica_count, num_partitions
// and the entry layout mean something to Halo; the others survive a round trip.
struct HloModuleConfig {
  bool is_scheduled = false;
  int64_t replica_count = 1;
  int64_t num_partitions = 1;
  std::vector<InputOutputAlias> input_output_alias;
  std::vector<BufferDonor> buffer_donors;
  bool alias_passthrough_params = false;
  absl::optional<ProgramShape> entry_computation_layout;
  FrontendAttributes frontend_attributes;
  std::vector<bool> allow_spmd_sharding_propagation_to_parameters;
  std::vector<bool> allow_spmd_sharding_propagation_to_output;
  std::vector<OriginRecovery> origin_recovery_table;
  // Raw text of the value of debug_attributes, braces included; empty if absent.
  std::string debug_attributes;
  StackFrameIndex stack_frames;
};

class NameTable;  // name_table.h

// A state of a module. Those of different modules differ, even if one is made where another was freed.
struct ModuleVersion {
  uint64_t module = 0;
  uint64_t changes = 0;
  bool operator==(const ModuleVersion& o) const { return module == o.module && changes == o.changes; }
};

// Owns its computations, which own their instructions. Pointers to them stay valid until they are removed. Not
// thread-safe while it changes; a module that does not change may be read by any number of threads.
class HloModule {
 public:
  explicit HloModule(std::string name);
  ~HloModule();
  HloModule(const HloModule&) = delete;
  HloModule& operator=(const HloModule&) = delete;

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  int64_t id() const { return id_; }
  void set_id(int64_t id) { id_ = id; }
  const HloModuleConfig& config() const { return config_; }
  HloModuleConfig& mutable_config() {
    ++changes_;
    return config_;
  }
  // Equal as long as nothing but names and ids has changed; see HloComputation::version. Takes as long as there are
  // computations.
  ModuleVersion version() const;

  // Appends. A computation without a name gets one that is new in the module.
  HloComputation* AddComputation(std::unique_ptr<HloComputation> computation);
  // Frees the computations that nothing reachable from the entry calls. True if there were any.
  bool RemoveUnreachableComputations();
  // Tidies every computation and restores the order in which callees come first; computations change places only as far
  // as that needs. A module is tidy when it comes from a reader or a pass; calls of Add..., Remove..., Replace... make
  // it untidy.
  void Tidy();
  // `wanted` without the number at its end if that is free, else with the first free number after it: "add.7" gives
  // "add", "add.1", ... Names of instructions and computations of the whole module are taken, and so are those that
  // this gave out.
  std::string NewName(absl::string_view wanted);
  // Gives an instruction that has no name one after its opcode, and takes note of the name of any other.
  void NameNewInstruction(HloInstruction* instruction);

  // Callees precede their callers.
  absl::Span<const std::unique_ptr<HloComputation>> computations() const { return computations_; }
  HloComputation* entry() const { return entry_; }
  void set_entry(HloComputation* entry) {
    ++changes_;
    entry_ = entry;
  }
  int64_t instruction_count() const {
    int64_t count = 0;
    for (const auto& computation : computations_) count += computation->instruction_count();
    return count;
  }

 private:
  const uint64_t unique_id_;
  uint64_t changes_ = 0;  // of the module itself, and those of computations that it has freed
  std::string name_;
  int64_t id_ = 0;
  HloModuleConfig config_;
  std::vector<std::unique_ptr<HloComputation>> computations_;
  HloComputation* entry_ = nullptr;
  // Made when the first new name is asked for.
  std::unique_ptr<NameTable> names_;
};

}  // namespace xla

#endif  // XLA_CORE_IR_HLO_MODULE_H_
