// HloInstruction: one operation of a computation.
#ifndef XLA_CORE_IR_HLO_INSTRUCTION_H_
#define XLA_CORE_IR_HLO_INSTRUCTION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla_core/ir/annotations.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/ir/opcode.h"
#include "xla_core/ir/use_list.h"
#include "xla_core/support/copy_on_write.h"
#include "xla_core/types/shape.h"

namespace xla {

class HloComputation;

// Owned by its computation; operands and called computations are owned by the same computation and module. An
// instruction that was read from a file is as the file says: only VerifyModule makes it trustworthy.
class HloInstruction {
 public:
  HloInstruction(HloOpcode opcode, std::string name, Shape shape)
      : opcode_(opcode), name_(std::move(name)), shape_(std::move(shape)) {}
  HloInstruction(const HloInstruction&) = delete;
  HloInstruction& operator=(const HloInstruction&) = delete;

  HloOpcode opcode() const { return opcode_; }
  absl::string_view opcode_name() const { return HloOpcodeName(opcode_); }
  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  int64_t id() const { return id_; }
  void set_id(int64_t id) { id_ = id; }
  const Shape& shape() const { return shape_; }
  Shape& mutable_shape() {
    NoteChange();
    return shape_;
  }
  HloComputation* parent() const { return parent_; }
  void set_parent(HloComputation* parent) { parent_ = parent; }
  // Its place in the list of its computation: HloComputation::instructions()[place()]. Adding to the list and removing
  // from it leave places as they are, Tidy may change them. So a vector as long as the list says something of each
  // instruction, in less time and memory than a map of pointers.
  int64_t place() const { return place_; }

  int operand_count() const { return static_cast<int>(operands_.size()); }
  HloInstruction* operand(int i) const { return operands_[i]; }
  absl::Span<HloInstruction* const> operands() const { return operands_; }
  void AddOperand(HloInstruction* operand);
  // Nothing happens if it is that operand already.
  void ReplaceOperand(int i, HloInstruction* operand);
  // All operands at once; for the few instructions that have any number of them.
  void SetOperands(absl::Span<HloInstruction* const> operands);
  // Each user once. The order is that of creation until a user is removed; it depends on nothing but the calls that
  // were made.
  absl::Span<HloInstruction* const> users() const { return users_.list(); }
  // Gives every user `replacement` as its operand instead of this instruction, and makes it the root if this was the
  // root. `replacement` belongs to the same computation and may itself use this instruction: that use stays. Shapes are
  // not compared. Control edges stay where they are: see MoveControlEdgesTo.
  void ReplaceAllUsesWith(HloInstruction* replacement);

  absl::Span<HloInstruction* const> control_predecessors() const {
    return rare_ == nullptr ? absl::Span<HloInstruction* const>() : rare_->predecessors;
  }
  absl::Span<HloInstruction* const> control_successors() const {
    return rare_ == nullptr ? absl::Span<HloInstruction* const>() : rare_->successors;
  }
  bool HasControlEdges() const { return !control_predecessors().empty() || !control_successors().empty(); }
  void AddControlPredecessor(HloInstruction* predecessor);
  // What had to come before or after this instruction has to come before or after `other`.
  void MoveControlEdgesTo(HloInstruction* other);
  void DropControlEdges();

  // True from HloComputation::RemoveInstruction on, until the computation is tidied.
  bool is_removed() const { return removed_; }

  // The grouped collectives' common attributes; only for opcodes whose struct derives from CollectiveAttributes.
  const CollectiveAttributes& collective_attributes() const {
    return static_cast<const CollectiveAttributes&>(*attributes_.get());
  }

  // In the order of the opcode's roles in the op table: while has {condition, body}, conditional its branches.
  absl::Span<HloComputation* const> called_computations() const {
    return rare_ == nullptr ? absl::Span<HloComputation* const>() : rare_->called;
  }
  HloComputation* called_computation(int i) const { return rare_->called[i]; }
  void AddCalledComputation(HloComputation* computation);
  // Nothing happens if it is that computation already.
  void ReplaceCalledComputation(int i, HloComputation* computation);
  void ClearCalledComputations();

  // nullptr for opcodes without attributes.
  const Attributes* raw_attributes() const { return attributes_.get(); }
  Attributes* mutable_raw_attributes() {
    NoteChange();
    return attributes_.Mutable();
  }
  void set_attributes(std::unique_ptr<Attributes> attributes) {
    NoteChange();
    attributes_ = SharedAttributes(std::move(attributes));
  }
  // Attributes that several instructions share. Do not write through a reference that mutable_attributes() of one
  // of them gave before.
  const SharedAttributes& shared_attributes() const { return attributes_; }
  void set_attributes(SharedAttributes attributes) {
    NoteChange();
    attributes_ = std::move(attributes);
  }
  // The attributes as the struct that the op table names for this opcode.
  template <typename T>
  const T& attributes() const {
    ExpectAttributes<T>();
    return static_cast<const T&>(*attributes_.get());
  }
  template <typename T>
  T& mutable_attributes() {
    ExpectAttributes<T>();
    NoteChange();
    return static_cast<T&>(*attributes_.Mutable());
  }

  // An empty one if there are none.
  const InstructionAnnotations& annotations() const { return annotations_.get(); }
  bool has_annotations() const { return annotations_.has_value(); }
  InstructionAnnotations& mutable_annotations() {
    NoteChange();
    return annotations_.Mutable();
  }
  // Those of `other` in place of its own. The two share them until either is written to.
  void CopyAnnotations(const HloInstruction& other) {
    NoteChange();
    annotations_ = other.annotations_;
  }

  // "dot.7 = f32[8,4] dot(a, b)": name, shape and operand names, for messages.
  std::string ToShortString() const;

 private:
  template <typename T>
  void ExpectAttributes() const {
    if (attributes_.get() == nullptr || &attributes_.get()->schema() != &T::Schema())
      FailWrongAttributes(T::Schema().name);
  }
  [[noreturn]] void FailWrongAttributes(const char* wanted) const;

  friend class HloComputation;
  class OperandPlaces;
  struct Rare {
    Rare();
    ~Rare();
    absl::InlinedVector<HloComputation*, 2> called;
    std::vector<HloInstruction*> predecessors;
    std::vector<HloInstruction*> successors;
    std::unique_ptr<OperandPlaces> operand_places;  // of many operands, from when one of them is replaced on
  };
  Rare& MutableRare();
  // nullptr as long as a search is faster.
  OperandPlaces* PlacesOfManyOperands();
  // In each place; users are the caller's part.
  void ReplaceOperandEverywhere(HloInstruction* old, HloInstruction* replacement);
  // The computation counts one more change (see HloComputation::version).
  void NoteChange();
  void MarkParentUntidy();

  // A module may have a million of these: the order leaves no gaps, and what few instructions have is allocated when
  // it is needed.
  HloOpcode opcode_;
  bool removed_ = false;
  uint32_t place_ = 0;
  std::string name_;
  int64_t id_ = -1;
  Shape shape_;
  HloComputation* parent_ = nullptr;
  absl::InlinedVector<HloInstruction*, 2> operands_;
  UseList users_;
  std::unique_ptr<Rare> rare_;
  SharedAttributes attributes_;
  CopyOnWrite<InstructionAnnotations> annotations_;
};

}  // namespace xla

#endif  // XLA_CORE_IR_HLO_INSTRUCTION_H_
