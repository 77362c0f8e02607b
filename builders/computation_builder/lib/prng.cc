#include "builders/computation_builder/lib/prng.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/lib/lib_call.h"
#include "builders/computation_builder/lib/math.h"

namespace xla {
namespace {

// How a float type is made of random bits.
struct UniformFormat {
  PrimitiveType bits;
  int mantissa_bits;  // those that are stored
};

bool FormatOf(PrimitiveType type, UniformFormat* format) {
  static constexpr struct {
    PrimitiveType type;
    UniformFormat format;
  } kFormats[] = {{F16, {U16, 10}}, {BF16, {U16, 7}}, {F32, {U32, 23}}, {F64, {U64, 52}}};
  for (const auto& row : kFormats) {
    if (row.type == type) return *format = row.format, true;
  }
  return false;
}

bool CheckFormat(LibCall& call, const Shape& shape, UniformFormat* format) {
  if (!call.ok()) return false;
  if (FormatOf(shape.element_type(), format)) return true;
  call.Fail(absl::StrCat("the element type must be f16, bf16, f32 or f64, got ", shape.ToString()));
  return false;
}

Shape WithType(Shape shape, PrimitiveType type) {
  shape.set_element_type(type);
  return shape;
}

// In [0, 1): the upper bits as mantissa of a number in [1, 2), less 1.
RngOutput UnitUniform(LibCall& call, XlaOp key, XlaOp state, const BitGeneratorTy& generator, const Shape& shape,
                      UniformFormat format) {
  const PrimitiveType type = shape.element_type();
  RngOutput output = generator(key, state, WithType(shape, format.bits));
  if (!call.ok()) return {};
  const int dropped = BitWidth(format.bits) - format.mantissa_bits;
  const XlaOp mantissa = call->ShiftRightLogical(output.value, call.Integer(format.bits, dropped));
  const XlaOp one = call.Integer(type, 1);
  output.value = call->Sub(call->BitcastConvert(call->Or(mantissa, call->BitcastConvert(one, format.bits)), type), one);
  return output;
}

// The state of the operation is key and counter in one array; the state that it gives back is split again.
RngOutput GenerateBits(const char* name, RandomAlgorithm algorithm, XlaOp key, XlaOp initial_state,
                       ArraySlice<int64_t> counter_dimensions, const Shape& shape, SourceLocation loc) {
  LibCall call(name, {key, initial_state}, loc);
  if (!call.CheckScalar("key", key, U64)) return {};
  const Shape counter = Shape::Array(U64, counter_dimensions);
  if (!call.shape(initial_state).Compatible(counter)) {
    call.Fail(
        absl::StrCat("initial_state must be ", counter.ToString(), ", got ", call.shape(initial_state).ToString()));
    return {};
  }
  const int64_t words = counter.ElementCount();
  const XlaOp state = call->Concatenate({call->Reshape(key, {1}), call->Reshape(initial_state, {words})}, 0);
  const XlaOp output = call->RngBitGenerator(algorithm, state, shape);
  const XlaOp next = call->Slice(call->GetTupleElement(output, 0), {1}, {1 + words});
  return {call->GetTupleElement(output, 1), call->Reshape(next, counter_dimensions)};
}

}  // namespace

RngOutput ThreeFryBitGenerator(XlaOp key, XlaOp initial_state, const Shape& shape, SourceLocation loc) {
  return GenerateBits("ThreeFryBitGenerator", RandomAlgorithm::kThreeFry, key, initial_state, {}, shape, loc);
}

RngOutput PhiloxBitGenerator(XlaOp key, XlaOp initial_state, const Shape& shape, SourceLocation loc) {
  return GenerateBits("PhiloxBitGenerator", RandomAlgorithm::kPhilox, key, initial_state, {2}, shape, loc);
}

XlaOp SplitKey(XlaOp key, int64_t count, SourceLocation loc) {
  LibCall call("SplitKey", {key}, loc);
  if (!call.CheckScalar("key", key, U64)) return XlaOp();
  if (count < 0) return call.Fail(absl::StrCat("count must be at least 0, got ", count));
  return ThreeFryBitGenerator(key, call.Integer(U64, 0), Shape::Array(U64, {count})).value;
}

XlaOp FoldIn(XlaOp key, XlaOp data, SourceLocation loc) {
  LibCall call("FoldIn", {key, data}, loc);
  if (!call.CheckScalar("key", key, U64) || !call.CheckScalar("data", data, U64)) return XlaOp();
  return ThreeFryBitGenerator(key, data, Shape::Scalar(U64)).value;
}

RngOutput UniformFloatingPointDistribution(XlaOp key, XlaOp initial_state, const BitGeneratorTy& bit_generator,
                                           XlaOp minval, XlaOp maxval, const Shape& shape, SourceLocation loc) {
  LibCall call("UniformFloatingPointDistribution", {key, initial_state, minval, maxval}, loc);
  const PrimitiveType type = shape.element_type();
  UniformFormat format;
  if (!CheckFormat(call, shape, &format)) return {};
  if (!call.CheckScalar("minval", minval, type) || !call.CheckScalar("maxval", maxval, type)) return {};
  RngOutput output = UnitUniform(call, key, initial_state, bit_generator, shape, format);
  if (!call.ok()) return {};
  const XlaOp value = call->Add(call->Mul(output.value, call->Sub(maxval, minval)), minval);
  output.value = call->Min(value, NextAfter(maxval, minval));
  return output;
}

// Bits modulo the range, which is slightly uneven if 2^64 is no multiple of it.
RngOutput UniformIntDistribution(XlaOp key, XlaOp initial_state, const BitGeneratorTy& bit_generator, XlaOp minval,
                                 XlaOp maxval, const Shape& shape, SourceLocation loc) {
  LibCall call("UniformIntDistribution", {key, initial_state, minval, maxval}, loc);
  const PrimitiveType type = shape.element_type();
  if (!call.ok()) return {};
  if (!IsInt(type)) {
    call.Fail(absl::StrCat("the element type must be an integer type, got ", shape.ToString()));
    return {};
  }
  if (!call.CheckScalar("minval", minval, type) || !call.CheckScalar("maxval", maxval, type)) return {};
  RngOutput output = bit_generator(key, initial_state, WithType(shape, U64));
  // In 64 bits without a sign differences cannot overflow, and converting back keeps the low bits.
  const XlaOp from = call->ConvertElementType(minval, U64);
  const XlaOp range = call->Sub(call->ConvertElementType(maxval, U64), from);
  output.value = call->ConvertElementType(call->Add(call->Rem(output.value, range), from), type);
  return call.ok() ? output : RngOutput();
}

// Normal numbers by the inverse of the distribution function: sqrt(2) * erfinv of numbers that are uniform in (-1,
// 1).
RngOutput NormalFloatingPointDistribution(XlaOp key, XlaOp initial_state, const BitGeneratorTy& bit_generator,
                                          const Shape& shape, SourceLocation loc) {
  LibCall call("NormalFloatingPointDistribution", {key, initial_state}, loc);
  UniformFormat format;
  if (!CheckFormat(call, shape, &format)) return {};
  const PrimitiveType type = shape.element_type() == F64 ? F64 : F32;
  FormatOf(type, &format);
  RngOutput output = UnitUniform(call, key, initial_state, bit_generator, WithType(shape, type), format);
  if (!call.ok()) return {};
  // [0, 1) becomes [-1, 1); of -1 the inverse would be infinite.
  const XlaOp symmetric = call->Sub(call->Mul(output.value, call.Integer(type, 2)), call.Integer(type, 1));
  const XlaOp lowest = NextAfter(call.Integer(type, -1), call.Integer(type, 0));
  const XlaOp normal = call->Mul(ErfInv(call->Max(symmetric, lowest)), call.Number(type, std::sqrt(2)));
  output.value = call->ConvertElementType(normal, shape.element_type());
  return output;
}

RngOutput BernoulliDistribution(XlaOp key, XlaOp initial_state, const BitGeneratorTy& bit_generator, XlaOp p,
                                const Shape& shape, SourceLocation loc) {
  LibCall call("BernoulliDistribution", {key, initial_state, p}, loc);
  UniformFormat format;
  if (!call.CheckFloat("p", p) || !call.CheckScalar("p", p, call.type(p))) return {};
  const Shape uniform = WithType(shape, call.type(p));
  if (!CheckFormat(call, uniform, &format)) return {};
  RngOutput output = UnitUniform(call, key, initial_state, bit_generator, uniform, format);
  if (!call.ok()) return {};
  output.value = call->Lt(output.value, p);
  return output;
}

}  // namespace xla
