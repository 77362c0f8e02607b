// Conversion: the model that a program in HLO becomes, and the steps that instructions of several kinds take.
#ifndef BUILDERS_NNEF1_WRITING_CONVERSION_H_
#define BUILDERS_NNEF1_WRITING_CONVERSION_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "builders/nnef1/model/model.h"
#include "builders/nnef1/writing/graph_writer.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/shape.h"

namespace xla {
namespace nnef1 {

// The error of an instruction that NNEF has no words for.
absl::Status CannotSay(const HloInstruction& instruction, absl::string_view why);

Extents ExtentsOf(const Shape& shape);
Primitive PrimitiveOf(const Shape& shape);
bool IsIdentity(absl::Span<const int64_t> permutation);

// Maps the instructions of a computation, visited in order, to tensors of the graph that is written. Data becomes
// part of the model as variables when it is too large for the description.
class Conversion {
 public:
  explicit Conversion(absl::string_view name) : writer_(name) {}

  GraphWriter& writer() { return writer_; }
  // All floats of a program have one type.
  absl::Status SetScalarType(const HloInstruction& instruction);
  Model TakeModel();

  // The tensor that an operand has become; a constant becomes one here, because many are only read (where a reduction
  // starts, what is padded with).
  int Of(const HloInstruction* instruction);
  Value ValueOf(const HloInstruction* instruction) { return Value::Tensor(Of(instruction)); }
  void Set(const HloInstruction& instruction, int tensor) { tensors_[&instruction] = tensor; }
  // An operation whose result is what the instruction gives.
  void SetNew(const HloInstruction& instruction, absl::string_view operation, const GraphWriter::Arguments& arguments);
  // What an instruction that gives a tuple has become.
  const std::vector<int>& ElementsOf(const HloInstruction* tuple) const { return tuples_.at(tuple); }
  void SetElements(const HloInstruction& tuple, std::vector<int> elements) { tuples_[&tuple] = std::move(elements); }

  // The tensor with other extents or another order of dimensions; itself if nothing changes.
  int Reshaped(int tensor, const Extents& extents, absl::string_view name);
  int Transposed(int tensor, absl::Span<const int64_t> axes, absl::string_view name);
  int Reversed(int tensor, absl::Span<const int64_t> axes, absl::string_view name);
  // A number where it is used, items in the description, or a variable.
  int AddData(const Literal& array, absl::string_view name);

 private:
  GraphWriter writer_;
  Model model_;
  bool has_scalar_type_ = false;
  absl::flat_hash_map<const HloInstruction*, int> tensors_;
  absl::flat_hash_map<const HloInstruction*, std::vector<int>> tuples_;
};

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_WRITING_CONVERSION_H_
