#include "backends/runtime/evaluator_thunk.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/runtime/memory_order.h"
#include "xla_core/ops/side_effects.h"
#include "xla_core/support/denormal_mode.h"
#include "xla_core/support/limit_message.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace {

// The leaves of shapes, one after the other.
class LeafReader {
 public:
  explicit LeafReader(const std::vector<PlacedLeaf>& leaves) : next_(leaves.data()) {}
  const PlacedLeaf& Next() { return *next_++; }

 private:
  const PlacedLeaf* next_;
};

class EvaluatorThunk : public Thunk {
 public:
  EvaluatorThunk(ThunkInfo info, std::vector<PlacedLeaf> operands, std::vector<PlacedLeaf> result)
      : Thunk(std::move(info)),
        operands_(std::move(operands)),
        result_(std::move(result)),
        keeps_operands_(HasOwnSideEffect(*this->info().instruction)) {}

  // Runs an instruction on the interpreter: literals from memory, evaluate, and back. Results that still share memory
  // with an operand are detached before anything is overwritten.
  absl::Status Execute(ExecuteContext& context) const override {
    const HloInstruction& instruction = *info().instruction;
    std::vector<Literal> operands;
    operands.reserve(instruction.operand_count());
    LeafReader leaves(operands_);
    for (const HloInstruction* operand : instruction.operands()) {
      ASSIGN_OR_RETURN(Literal value, Read(operand->shape(), context, leaves));
      operands.push_back(std::move(value));
    }
    ASSIGN_OR_RETURN(Literal result, Evaluate(instruction, operands, context));
    LeafReader checked_places(result_);
    RETURN_IF_ERROR(Detach(result, instruction.shape(), context, checked_places));
    LeafReader places(result_);
    Write(result, instruction.shape(), context, places);
    return absl::OkStatus();
  }

 private:
  // The evaluator and whatever it calls know denormals.
  static absl::StatusOr<Literal> Evaluate(const HloInstruction& instruction, std::vector<Literal>& operands,
                                          ExecuteContext& context) {
    const DenormalMode mode(DenormalMode::kKeep);
    return context.evaluator->Evaluate(instruction, absl::MakeSpan(operands));
  }

  // A literal of what lives there. Effects may keep the value beyond the run, so that it must not refer to the
  // program's memory then.
  absl::StatusOr<Literal> Read(const Shape& shape, ExecuteContext& context, LeafReader& leaves) const {
    if (shape.IsTuple()) {
      std::vector<Literal> elements;
      elements.reserve(shape.tuple_size());
      for (const Shape& element : shape.tuple_shapes()) {
        ASSIGN_OR_RETURN(Literal value, Read(element, context, leaves));
        elements.push_back(std::move(value));
      }
      return Literal::Tuple(std::move(elements));
    }
    const PlacedLeaf& leaf = leaves.Next();
    if (!shape.IsArray()) return Literal::Allocate(shape);
    ASSIGN_OR_RETURN(Literal value, ReadArray(shape, context.Address(leaf.slice), context));
    if (leaf.dynamic_buffer >= 0 && context.dynamic_sizes[leaf.dynamic_buffer] != nullptr) {
      const DimensionVector& sizes = *context.dynamic_sizes[leaf.dynamic_buffer];
      for (int d = 0; d < shape.rank(); ++d) value.SetDynamicSize(d, sizes[d]);
    }
    return value;
  }

  // Copies count in the budget of the evaluator, in whose words memory is refused.
  absl::StatusOr<Literal> ReadArray(const Shape& shape, const void* data, const ExecuteContext& context) const {
    const bool is_row_major = shape.IsRowMajor();
    if (is_row_major && !keeps_operands_) return Literal::Borrow(shape, data);
    absl::StatusOr<Literal> copy = Literal::Allocate(shape, &context.evaluator->memory());
    if (!copy.ok()) {
      const absl::string_view phase = context.resources != nullptr ? context.resources->phase() : "running the program";
      return absl::Status(copy.status().code(),
                          absl::StrCat(info().instruction->name(), ": ", MessageInPhase(copy.status(), phase)));
    }
    Literal value = *std::move(copy);
    if (value.size_bytes() == 0) return value;
    if (is_row_major) {
      std::memcpy(value.untyped_mutable_data(), data, value.size_bytes());
    } else {
      CopyToRowMajor(shape, data, value.untyped_mutable_data());
    }
    return value;
  }

  // The evaluator may have passed on an operand, in memory that another leaf of the result is about to be written to.
  static absl::Status Detach(Literal& value, const Shape& shape, ExecuteContext& context, LeafReader& leaves) {
    for (int i = 0; i < shape.tuple_size(); ++i) {
      RETURN_IF_ERROR(Detach(value.mutable_element(i), shape.tuple_shape(i), context, leaves));
    }
    if (shape.IsTuple()) return absl::OkStatus();
    const PlacedLeaf& leaf = leaves.Next();
    if (leaf.is_operand) return absl::OkStatus();
    const bool is_in_place = shape.IsArray() && value.untyped_data() == context.Address(leaf.slice);
    return is_in_place && shape.IsRowMajor() ? absl::OkStatus() : value.MakeWritable(nullptr);
  }

  // Writes a value leaf by leaf, in the order in which the plan lists their places. Leaves that are operands stay
  // where they are.
  static void Write(const Literal& value, const Shape& shape, ExecuteContext& context, LeafReader& leaves) {
    if (shape.IsTuple()) {
      for (int i = 0; i < shape.tuple_size(); ++i) Write(value.element(i), shape.tuple_shape(i), context, leaves);
      return;
    }
    const PlacedLeaf& leaf = leaves.Next();
    if (!shape.IsArray() || leaf.is_operand) return;
    WriteArray(value, shape, context.Address(leaf.slice));
    if (leaf.dynamic_buffer < 0) return;
    std::unique_ptr<DimensionVector>& sizes = context.dynamic_sizes[leaf.dynamic_buffer];
    sizes = nullptr;
    if (!value.has_dynamic_sizes()) return;
    sizes = std::make_unique<DimensionVector>();
    for (int d = 0; d < shape.rank(); ++d) sizes->push_back(value.dynamic_size(d));
  }

  static void WriteArray(const Literal& value, const Shape& shape, void* data) {
    const void* const from = value.untyped_data();
    if (value.size_bytes() == 0) return;
    if (!shape.IsRowMajor()) {
      CopyFromRowMajor(shape, from, data);
    } else if (from != data) {
      std::memcpy(data, from, value.size_bytes());
    }
  }

  const std::vector<PlacedLeaf> operands_;
  const std::vector<PlacedLeaf> result_;
  const bool keeps_operands_;
};

std::vector<BufferSlice> SlicesOf(const std::vector<PlacedLeaf>& leaves) {
  std::vector<BufferSlice> slices;
  for (const PlacedLeaf& leaf : leaves) {
    if (leaf.slice.bytes > 0) slices.push_back(leaf.slice);
  }
  return slices;
}

}  // namespace

std::unique_ptr<Thunk> MakeEvaluatorThunk(const HloInstruction& instruction, std::vector<PlacedLeaf> operands,
                                          std::vector<PlacedLeaf> result) {
  ThunkInfo info;
  info.kind = "evaluator";
  info.instruction = &instruction;
  info.reads = SlicesOf(operands);
  info.writes = SlicesOf(result);
  // What it calls may have effects too, and the evaluator's state belongs to one thread: all of them keep their order.
  info.has_side_effect = true;
  info.is_fallback = true;
  return std::make_unique<EvaluatorThunk>(std::move(info), std::move(operands), std::move(result));
}

}  // namespace xla
