#include "xla_core/ops/elementwise_kernel.h"

#include <algorithm>
#include <cstring>

#include "absl/container/inlined_vector.h"
#include "xla_core/ops/convert_elements.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/support/check.h"
#include "xla_core/types/narrow_types.h"
#include "xla_core/types/type_dispatch.h"

namespace xla {
namespace {

constexpr int64_t kWidestElement = 16;

void CopyLoop(const LoopParameters& parameters, int64_t n, const void* const* inputs, void* result) {
  if (inputs[0] != result) std::memcpy(result, inputs[0], n * ByteWidth(parameters.to));
}

// Between types of equal width, which are stored alike except that sub-byte signed integers are sign-extended.
void BitcastLoop(const LoopParameters& parameters, int64_t n, const void* const* inputs, void* result) {
  CopyLoop(parameters, n, inputs, result);
  if (IsSubByte(parameters.to) && IsInt(parameters.to)) WrapSubByteElements(parameters.to, n, result);
  if (IsSubByte(parameters.to) && IsFloat(parameters.to)) {
    const uint8_t mask = static_cast<uint8_t>((1 << BitWidth(parameters.to)) - 1);
    uint8_t* const bytes = static_cast<uint8_t*>(result);
    for (int64_t i = 0; i < n; ++i) bytes[i] &= mask;
  }
  if (parameters.to == PRED) {
    uint8_t* const bytes = static_cast<uint8_t*>(result);
    for (int64_t i = 0; i < n; ++i) bytes[i] = bytes[i] != 0;
  }
}

void ConvertLoop(const LoopParameters& parameters, int64_t n, const void* const* inputs, void* result) {
  ConvertElements(parameters.from, parameters.to, n, inputs[0], result);
}

// The integer type with loops of its own that stores `type`.
PrimitiveType StorageIntType(PrimitiveType type) {
  if (!IsSubByte(type)) return type;
  return IsSignedInt(type) ? S8 : U8;
}

ElementwiseLoop FindRowLoop(HloOpcode opcode, PrimitiveType type) {
  if (IsComplex(type)) return FindComplexLoop(opcode, type);
  if (IsNarrowFloatType(type)) return FindFloatLoop(opcode, F32);
  if (IsFloat(type)) return FindFloatLoop(opcode, type);
  return FindIntegerLoop(opcode, StorageIntType(type));
}

absl::InlinedVector<PrimitiveType, ElementwiseKernel::kMaxArity> OperandTypes(const HloInstruction& instruction) {
  absl::InlinedVector<PrimitiveType, ElementwiseKernel::kMaxArity> types;
  for (const HloInstruction* operand : instruction.operands()) types.push_back(operand->shape().element_type());
  return types;
}

// Copies n elements of T that are `stride` bytes apart, or one element n times if the stride is 0.
void GatherElements(PrimitiveType type, int64_t n, const char* src, int64_t stride, void* dst) {
  DispatchByWidth(type, [&](auto tag) {
    using T = TagType<decltype(tag)>;
    T* const elements = static_cast<T*>(dst);
    if (stride == 0) {
      T element;
      std::memcpy(&element, src, sizeof(T));
      std::fill_n(elements, n, element);
      return;
    }
    for (int64_t i = 0; i < n; ++i) std::memcpy(&elements[i], src + i * stride, sizeof(T));
  });
}

}  // namespace

ElementwiseKernel::ElementwiseKernel(absl::Span<const PrimitiveType> operand_types, PrimitiveType result_type,
                                     ElementwiseLoop loop, LoopParameters parameters)
    : loop_(loop), parameters_(parameters), arity_(static_cast<int>(operand_types.size())), result_type_(result_type) {
  CHECK(loop != nullptr && arity_ >= 1 && arity_ <= kMaxArity);
  for (int i = 0; i < arity_; ++i) {
    operand_type_[i] = operand_types[i];
    operand_width_[i] = ByteWidth(operand_type_[i]);
  }
  parameters_.from = operand_type_[0];
  parameters_.to = result_type_;
  parameters_.bits = BitWidth(operand_type_[0]);
}

ElementwiseKernel::ElementwiseKernel(const HloInstruction& instruction, ElementwiseLoop loop, LoopParameters parameters)
    : ElementwiseKernel(OperandTypes(instruction), instruction.shape().element_type(), loop, parameters) {}

ElementwiseKernel ElementwiseKernel::Copy(PrimitiveType type) {
  return ElementwiseKernel({type}, type, &CopyLoop, LoopParameters());
}

ElementwiseKernel& ElementwiseKernel::WithNarrowFloatsDecoded() {
  for (int i = 0; i < arity_; ++i) {
    decode_[i] = IsNarrowFloatType(operand_type_[i]);
    if (decode_[i]) is_plain_ = false;
  }
  if (IsNarrowFloatType(result_type_)) {
    result_form_ = ResultForm::kEncode;
    is_plain_ = false;
  }
  return *this;
}

ElementwiseKernel& ElementwiseKernel::WithSubByteResultWrapped() {
  if (IsInt(result_type_) && IsSubByte(result_type_)) {
    result_form_ = ResultForm::kWrap;
    is_plain_ = false;
  }
  return *this;
}

ElementwiseKernel ElementwiseKernel::OfRow(const HloInstruction& instruction) {
  const PrimitiveType type = instruction.operand(0)->shape().element_type();
  ElementwiseKernel kernel(instruction, FindRowLoop(instruction.opcode(), type), LoopParameters());
  return kernel.WithNarrowFloatsDecoded().WithSubByteResultWrapped();
}

// The first match decides: rows of the table, then the operations that have attributes and loops of their own.
absl::optional<ElementwiseKernel> ElementwiseKernel::For(const HloInstruction& instruction) {
  const HloOpcode opcode = instruction.opcode();
  if (FindElementwiseRow(opcode) != nullptr) return OfRow(instruction);
  if (instruction.operand_count() == 0 || !instruction.shape().IsArray()) return absl::nullopt;
  LoopParameters none;
  const PrimitiveType type = instruction.shape().element_type();
  if (opcode == HloOpcode::kCompare) {
    ElementwiseKernel kernel(instruction, FindCompareLoop(instruction), none);
    const bool reads_bits = instruction.attributes<CompareAttributes>().type == ComparisonType::kTotalOrder;
    return reads_bits ? kernel : kernel.WithNarrowFloatsDecoded();
  }
  if (opcode == HloOpcode::kSelect) return ElementwiseKernel(instruction, FindSelectLoop(type), none);
  if (opcode == HloOpcode::kClamp) {
    const PrimitiveType computed = IsNarrowFloatType(type) ? F32 : StorageIntType(type);
    return ElementwiseKernel(instruction, FindClampLoop(computed), none).WithNarrowFloatsDecoded();
  }
  if (opcode == HloOpcode::kConvert) return ElementwiseKernel(instruction, &ConvertLoop, none);
  if (opcode == HloOpcode::kCopy) return ElementwiseKernel(instruction, &CopyLoop, none);
  if (opcode == HloOpcode::kReducePrecision) {
    const auto& attributes = instruction.attributes<ReducePrecisionAttributes>();
    none.exponent_bits = attributes.exponent_bits;
    none.mantissa_bits = attributes.mantissa_bits;
    return ElementwiseKernel(instruction, &ReducePrecisionLoop, none);
  }
  if (opcode == HloOpcode::kStochasticConvert) return ElementwiseKernel(instruction, &StochasticConvertLoop, none);
  if (opcode == HloOpcode::kBitcastConvert && instruction.shape().SameDimensions(instruction.operand(0)->shape())) {
    return ElementwiseKernel(instruction, &BitcastLoop, none);
  }
  return absl::nullopt;
}

// The input as dense elements of the type that the loop computes in: where it lies if it is so already, else in
// `scratch`.
const void* ElementwiseKernel::PrepareInput(int i, const LaneInput& input, int64_t begin, int64_t count,
                                            char* scratch) const {
  const char* const src = static_cast<const char*>(input.data) + begin * input.stride;
  if (input.stride == 0 && begin > 0) return scratch;  // spread over a whole chunk by the first call
  const bool is_dense = input.stride == operand_width_[i] || count == 1;
  if (!decode_[i]) {
    if (is_dense) return src;
    GatherElements(operand_type_[i], count, src, input.stride, scratch);
    return scratch;
  }
  float* const decoded = reinterpret_cast<float*>(scratch);
  const NarrowFormat format = NarrowFormatOf(operand_type_[i]);
  if (is_dense) {
    DecodeNarrow(format, src, decoded, count);
  } else {
    char gathered[kChunk * sizeof(uint16_t)];
    GatherElements(operand_type_[i], count, src, input.stride, gathered);
    DecodeNarrow(format, gathered, decoded, count);
  }
  return decoded;
}

// Gathers, decodes, computes and encodes kChunk elements at a time, so that scratch stays in the first cache.
void ElementwiseKernel::RunInChunks(int64_t n, const LaneInput* inputs, void* result) const {
  alignas(64) char scratch[kMaxArity][kChunk * kWidestElement];
  alignas(64) float computed[kChunk];
  const int64_t result_width = ByteWidth(result_type_);
  for (int64_t begin = 0; begin < n; begin += kChunk) {
    const int64_t count = std::min(kChunk, n - begin);
    const void* dense[kMaxArity];
    for (int i = 0; i < arity_; ++i) dense[i] = PrepareInput(i, inputs[i], begin, count, scratch[i]);
    void* const stored = static_cast<char*>(result) + begin * result_width;
    const bool encode = result_form_ == ResultForm::kEncode;
    loop_(parameters_, count, dense, encode ? computed : stored);
    if (encode) EncodeNarrow(NarrowFormatOf(result_type_), computed, stored, count);
    if (result_form_ == ResultForm::kWrap) WrapSubByteElements(result_type_, count, stored);
  }
}

}  // namespace xla
