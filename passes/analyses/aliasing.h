// Aliasing: which values belong into the same buffer.
//
// Values of the dataflow (dataflow.h) already are one where a view, a call or an unchanged loop state only passes them
// on. Beyond that
//   - what meets in a loop's state, in a conditional's result, or in a shared computation's parameter,
//   - the operand and the result of an instruction that works in place (in_place.h), and
//   - a result of the program and the parameter whose buffer it is to share
// belong into one buffer. Whether they can, that is, whether never two of them are live at once, is another question
// (passes/memory), and the answer may be a copy.
#ifndef PASSES_ANALYSES_ALIASING_H_
#define PASSES_ANALYSES_ALIASING_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "passes/analyses/dataflow.h"
#include "passes/analyses/in_place.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// One reason for two values to have the same buffer.
struct BufferSharing {
  enum class Kind {
    kMeeting,   // input number `input` of the phi `result`
    kInPlace,   // `instruction` makes `result` of its operand
    kDonation,  // result of the entry at `operand`, entry parameter `result`
  };
  Kind kind = Kind::kMeeting;
  Dataflow::Value result = 0;      // the phi, the result of the instruction, or the entry's parameter
  Dataflow::Position operand = 0;  // whose value is to be there too
  const HloInstruction* instruction = nullptr;
  int64_t input = 0;  // kMeeting: of the phi's inputs; kInPlace: number of the operand; kDonation: of the alias
  InPlacePair::Reason reason = InPlacePair::Reason::kUpdate;  // of kInPlace
  // False for kInPlace pairs that only save memory.
  bool required = true;
  // kInPlace: the instruction reads the operand's value through another operand too, so that it cannot work in place
  // unless one of them is copied.
  bool read_elsewhere = false;

  bool operator==(const BufferSharing& o) const {
    return kind == o.kind && result == o.result && operand == o.operand && instruction == o.instruction &&
           input == o.input && reason == o.reason && required == o.required && read_elsewhere == o.read_elsewhere;
  }
};

// All of the module, in order of its instructions; of instructions in control flow only. Required are meetings,
// expected in-place pairs and must-aliases.
std::vector<BufferSharing> FindBufferSharing(const HloModule& module, const Dataflow& dataflow);
// Within the limits of `resources`, which may be nullptr: an error once one is reached.
absl::StatusOr<std::vector<BufferSharing>> FindBufferSharing(const HloModule& module, const Dataflow& dataflow,
                                                             const ResourceContext* resources);

// All of it, for an AnalysisCache.
class Aliasing {
 public:
  // The same limits.
  static absl::StatusOr<Aliasing> Create(const HloModule& module, const std::shared_ptr<const Dataflow>& dataflow,
                                         const ResourceContext* resources);
  const std::vector<BufferSharing>& sharing() const { return sharing_; }
  bool operator==(const Aliasing& o) const { return sharing_ == o.sharing_; }

 private:
  explicit Aliasing(std::vector<BufferSharing> sharing) : sharing_(std::move(sharing)) {}

  std::vector<BufferSharing> sharing_;
};

// A leaf of the program's result that is to be in the buffer of an argument, as input_output_alias says. Of pairs of
// tuples, which have as many leaves, each is; what differs in size, and what is not an array, is not. No leaf of the
// result and no argument occurs twice.
struct DonatedLeaf {
  Dataflow::Position output = 0;
  Dataflow::Value argument = 0;  // leaf of an entry parameter
  bool must_alias = false;
  int64_t alias = 0;  // its number in the module's list
};
std::vector<DonatedLeaf> FindDonatedLeaves(const HloModule& module, const Dataflow& dataflow);

// The sets of values that required sharing puts together.
class AliasSets {
 public:
  AliasSets(const Dataflow& dataflow, const std::vector<BufferSharing>& sharing);
  // One value of each set stands for it.
  Dataflow::Value SetOf(Dataflow::Position position) const { return set_[position]; }
  bool MustAlias(Dataflow::Position a, Dataflow::Position b) const { return set_[a] == set_[b]; }

 private:
  std::vector<Dataflow::Value> set_;
};

// A line for each set of several values, and one for each further pair that may share.
std::string PrintAliasing(const HloModule& module, const ResourceContext* resources = nullptr);

}  // namespace xla

#endif  // PASSES_ANALYSES_ALIASING_H_
