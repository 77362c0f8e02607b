// ChangeSize of reduce_edits.h: one number of elements becomes another one wherever a dimension has it.
//
// Sizes are changed where the module states them: in shapes, in the literals of constants and in attributes. Shapes
// that follow from operands are then inferred.
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "passes/cutting/reduce_edits.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace {

int64_t NewSize(int64_t value, int64_t size, int64_t new_size) { return value == size ? new_size : value; }

Shape Resized(const Shape& shape, int64_t size, int64_t new_size) {
  if (shape.IsTuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : shape.tuple_shapes()) elements.push_back(Resized(element, size, new_size));
    return Shape::Tuple(std::move(elements));
  }
  Shape resized = shape;
  if (!shape.IsArray()) return resized;
  for (int i = 0; i < shape.rank(); ++i) resized.set_dimension(i, NewSize(shape.dimension(i), size, new_size));
  return resized;
}

// The elements of `literal` that a smaller `shape` of the same rank has room for; nullptr if there is no such thing.
std::shared_ptr<const Literal> Cropped(const Literal& literal, const Shape& shape) {
  const int64_t old_count = literal.element_count();
  absl::StatusOr<Literal> cropped = Literal::Zeros(shape);
  if (!cropped.ok() || old_count == 0 || !literal.shape().IsArray() || literal.has_dynamic_sizes()) return nullptr;
  const int64_t width = literal.size_bytes() / old_count;
  const auto* const from = static_cast<const char*>(literal.untyped_data());
  auto* const to = static_cast<char*>(cropped->untyped_mutable_data());
  const int64_t count = cropped->element_count();
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, source = 0, stride = 1;
    for (int d = shape.rank() - 1; d >= 0; --d) {
      source += rest % shape.dimension(d) * stride;
      rest /= shape.dimension(d);
      stride *= literal.shape().dimension(d);
    }
    std::memcpy(to + i * width, from + source * width, width);
  }
  return std::make_shared<const Literal>(*std::move(cropped));
}

void ResizeAttributes(HloInstruction* instruction, int64_t size, int64_t new_size) {
  const auto resize = [&](DimensionVector& values) {
    for (int64_t& value : values) value = NewSize(value, size, new_size);
  };
  if (instruction->opcode() == HloOpcode::kSlice) {
    for (SliceRange& range : instruction->mutable_attributes<SliceAttributes>().ranges) {
      range.limit = NewSize(range.limit, size, new_size);
      range.start = NewSize(range.start, size, new_size);
    }
  } else if (instruction->opcode() == HloOpcode::kDynamicSlice) {
    resize(instruction->mutable_attributes<DynamicSliceAttributes>().slice_sizes);
  } else if (instruction->opcode() == HloOpcode::kGather) {
    resize(instruction->mutable_attributes<GatherAttributes>().slice_sizes);
  } else if (instruction->opcode() == HloOpcode::kOutfeed) {
    Shape& shape = instruction->mutable_attributes<OutfeedAttributes>().outfeed_shape;
    shape = Resized(shape, size, new_size);
  }
}

// A reshape keeps its number of elements: one dimension of the result takes up the difference.
bool FitReshape(HloInstruction* instruction) {
  Shape shape = instruction->shape();
  const int64_t wanted = instruction->operand(0)->shape().ElementCount();
  const int64_t count = shape.ElementCount();
  if (wanted == count) return true;
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t others = shape.dimension(i) == 0 ? 0 : count / shape.dimension(i);
    if (others == 0 || wanted % others != 0) continue;
    shape.set_dimension(i, wanted / others);
    instruction->mutable_shape() = shape;
    return true;
  }
  return false;
}

bool Resize(HloInstruction* instruction, int64_t size, int64_t new_size) {
  const Shape resized = Resized(instruction->shape(), size, new_size);
  if (instruction->opcode() == HloOpcode::kConstant && resized != instruction->shape()) {
    auto& literal = instruction->mutable_attributes<ConstantAttributes>().literal;
    if (literal != nullptr) literal = Cropped(*literal, resized);
    if (literal == nullptr) return false;
  }
  instruction->mutable_shape() = resized;
  ResizeAttributes(instruction, size, new_size);
  const bool keeps_count = instruction->opcode() == HloOpcode::kReshape;
  if (keeps_count && !FitReshape(instruction)) return false;
  const OpDefinition& op = GetOp(instruction->opcode());
  if (op.infer_shape == nullptr) return true;
  absl::StatusOr<Shape> inferred = op.infer_shape(*instruction);
  if (!inferred.ok()) return false;
  if (inferred->Equal(instruction->shape(), Shape::kIgnoreLayout)) return true;
  inferred->SetMissingLayoutsToDefault();
  instruction->mutable_shape() = *std::move(inferred);
  return true;
}

}  // namespace

bool ChangeSize(HloModule* module, int64_t size, int64_t new_size) {
  for (const auto& computation : module->computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (!Resize(instruction.get(), size, new_size)) return false;
    }
  }
  return true;
}

}  // namespace xla
