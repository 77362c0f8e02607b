// HloComputation: a named graph of instructions with one root.
#ifndef XLA_CORE_IR_HLO_COMPUTATION_H_
#define XLA_CORE_IR_HLO_COMPUTATION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

class HloModule;

// Instructions keep the order in which they were added, in which every operand precedes its users. While a computation
// is being changed, instructions that were added may follow their users and instructions that were removed are
// still in the list; Tidy ends such a time.
class HloComputation {
 public:
  explicit HloComputation(std::string name) : name_(std::move(name)) {}
  HloComputation(const HloComputation&) = delete;
  HloComputation& operator=(const HloComputation&) = delete;

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  int64_t id() const { return id_; }
  void set_id(int64_t id) { id_ = id; }
  HloModule* parent() const { return parent_; }
  // HloModule::AddComputation does this. By itself, it gives a computation that is being written the module to ask.
  void set_parent(HloModule* parent) { parent_ = parent; }
  const std::string& execution_thread() const { return execution_thread_; }
  void set_execution_thread(std::string thread) {
    ++version_;
    execution_thread_ = std::move(thread);
  }

  // Appends. In a module, an instruction without a name gets one that is new in the module, after its opcode.
  HloInstruction* AddInstruction(std::unique_ptr<HloInstruction> instruction);
  // Takes the instruction, which nothing uses and which is not the root, out of the graph: its operands lose a user,
  // its control edges are dropped (see HloInstruction::MoveControlEdgesTo). It stays in memory, marked as removed,
  // until Tidy.
  void RemoveInstruction(HloInstruction* instruction);
  // Those that are not removed, in order of the list.
  std::vector<HloInstruction*> LiveInstructions() const;
  // Frees what was removed and restores the order in which operands and control predecessors come first; instructions
  // change places only as far as that needs. Costs nothing if neither was added nor removed nor rewired since.
  void Tidy();
  absl::Span<const std::unique_ptr<HloInstruction>> instructions() const { return instructions_; }
  int64_t instruction_count() const { return static_cast<int64_t>(instructions_.size()); }
  HloInstruction* root() const { return root_; }
  void set_root(HloInstruction* root) {
    ++version_;
    root_ = root;
  }

  // Parameters by number. A number that no parameter has is nullptr (the verifier refuses such a module); numbers at or
  // beyond the count of parameter instructions are not in the list. Takes as long as there are parameters, however
  // large the computation is: calls of it are looked at one by one.
  std::vector<HloInstruction*> parameters() const;
  int parameter_count() const { return static_cast<int>(parameters_.size()); }

  // True for the body of a fusion, as marked by its reader.
  bool is_fusion_computation() const { return is_fusion_computation_; }
  void set_is_fusion_computation(bool fusion) {
    ++version_;
    is_fusion_computation_ = fusion;
  }

  // The instructions of its module that call it, each once; instructions of computations that are not in the module
  // (yet) do not count, nor do those that are removed. In the order in which they came into the module until one is
  // removed, or calls something else; the order depends on nothing but the calls that were made.
  absl::Span<HloInstruction* const> callers() const { return callers_.list(); }
  // Counts what may have changed in its instructions: anything but names and ids. Whoever keeps a reference that a
  // mutable_... of an instruction gave, and writes to it later, is not counted again.
  uint64_t version() const { return version_; }

 private:
  friend class HloInstruction;
  friend class HloModule;
  bool CountsAsCallerOf(const HloComputation& callee) const;
  // For an instruction of this computation: it calls its i-th callee now, all of its callees, `by` in place of another,
  // and `callee` no longer.
  void NoteCall(HloInstruction* caller, size_t i);
  void NoteAllCalls(HloInstruction* caller);
  void NoteCallReplaced(HloInstruction* caller, HloComputation* by);
  void NoteCallGone(HloInstruction* caller, HloComputation* callee);

  std::string name_;
  int64_t id_ = -1;
  HloModule* parent_ = nullptr;
  std::string execution_thread_ = "main";
  bool is_fusion_computation_ = false;
  bool untidy_ = false;
  bool is_in_module_ = false;  // AddComputation has put it there
  uint64_t version_ = 0;
  std::vector<std::unique_ptr<HloInstruction>> instructions_;
  std::vector<HloInstruction*> parameters_;  // those of instructions_ that are parameters, in the same order
  HloInstruction* root_ = nullptr;
  UseList callers_;
};

}  // namespace xla

#endif  // XLA_CORE_IR_HLO_COMPUTATION_H_
