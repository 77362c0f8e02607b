// Random numbers from a key: the same key and state give the same numbers on every backend.
//
//   XlaOp key = b.ConstantR0<uint64_t>(42);
//   RngOutput noise = UniformFloatingPointDistribution(key, b.ConstantR0<uint64_t>(0), ThreeFryBitGenerator, zero, one,
//                                                      Shape::Array(F32, {2, 3}));
//   // noise.value f32[2,3]; noise.state goes on where these numbers end
//
// Keys are u64[]. A key that was split or folded into others is not to be used for numbers too, because those would
// be the bits of the new keys.
#ifndef BUILDERS_COMPUTATION_BUILDER_LIB_PRNG_H_
#define BUILDERS_COMPUTATION_BUILDER_LIB_PRNG_H_

#include <cstdint>
#include <functional>

#include "builders/computation_builder/computation_builder.h"

namespace xla {

// Random values and the state after them.
struct RngOutput {
  XlaOp value;
  XlaOp state;
};

// ==== Bits

// Random bits, by Threefry2x32 with 20 rounds: pairs of words are functions of the key and of a counter that starts at
// the state. Elements of 64 bits take counter, counter + 1, ... in row-major order; see rng_bit_generator.cc for
// others.
//   Shapes: key u64[], initial_state u64[] -> (shape, u64[]); shape: an array of u8, u16, u32, u64 or the signed ones
//   Errors: another shape of key, state or bits.
//   HLO: rng-bit-generator, algorithm=rng_three_fry
RngOutput ThreeFryBitGenerator(XlaOp key, XlaOp initial_state, const Shape& shape,
                               SourceLocation loc = SourceLocation::Current());
// The same by Philox4x32 with 10 rounds, whose counter has 128 bits, low half first.
//   Shapes: key u64[], initial_state u64[2] -> (shape, u64[2])
//   HLO: rng-bit-generator, algorithm=rng_philox
RngOutput PhiloxBitGenerator(XlaOp key, XlaOp initial_state, const Shape& shape,
                             SourceLocation loc = SourceLocation::Current());
// Either of them, or one like them.
using BitGeneratorTy = std::function<RngOutput(XlaOp key, XlaOp initial_state, const Shape& shape)>;

// ==== Keys

// `count` new keys: key i is Threefry of the key and counter i.
//   Shapes: u64[] -> u64[count]
//   Errors: another shape of key; a negative count.
//   HLO: rng-bit-generator
XlaOp SplitKey(XlaOp key, int64_t count, SourceLocation loc = SourceLocation::Current());
// A new key from a key and a number: Threefry of the key and the number as counter, so FoldIn(key, i) is element i of
// SplitKey(key, n).
//   Shapes: u64[], u64[] -> u64[]
//   HLO: rng-bit-generator
XlaOp FoldIn(XlaOp key, XlaOp data, SourceLocation loc = SourceLocation::Current());

// ==== Distributions
//
//   Shapes: key u64[], initial_state as the generator requires it -> (shape, state)
//   Errors: bounds that are not scalars of the element type of `shape`; an element type other than stated.

// Uniform in [minval, maxval). With p bits of mantissa after the leading one, the p upper bits r of an unsigned integer
// of the width of T give u = r / 2^p in [0, 1); the value is u * (maxval - minval) + minval, and where rounding made
// that maxval or more, the number before maxval. T: f16, bf16, f32, f64.
//   HLO: rng-bit-generator, shift-right-logical, bitcast-convert
RngOutput UniformFloatingPointDistribution(XlaOp key, XlaOp initial_state, const BitGeneratorTy& bit_generator,
                                           XlaOp minval, XlaOp maxval, const Shape& shape,
                                           SourceLocation loc = SourceLocation::Current());
// Uniform in [minval, maxval), of which there must be at least one number: minval + r mod (maxval - minval), r of 64
// bits, so that numbers differ in probability by less than (maxval - minval) / 2^64. T: int.
//   HLO: rng-bit-generator, remainder
RngOutput UniformIntDistribution(XlaOp key, XlaOp initial_state, const BitGeneratorTy& bit_generator, XlaOp minval,
                                 XlaOp maxval, const Shape& shape, SourceLocation loc = SourceLocation::Current());
// Normal with mean 0 and standard deviation 1: sqrt(2) ErfInv(u), u uniform in (-1, 1). T: f16, bf16, f32, f64; the
// narrower two are f32 rounded.
//   HLO: rng-bit-generator, erf
RngOutput NormalFloatingPointDistribution(XlaOp key, XlaOp initial_state, const BitGeneratorTy& bit_generator,
                                          const Shape& shape, SourceLocation loc = SourceLocation::Current());
// True with a probability p: u < p, u uniform in [0, 1) and of the type of p.
//   Shapes: p T[] -> (pred, state), with the dimensions of `shape`; T: f16, bf16, f32, f64
//   HLO: rng-bit-generator, compare
RngOutput BernoulliDistribution(XlaOp key, XlaOp initial_state, const BitGeneratorTy& bit_generator, XlaOp p,
                                const Shape& shape, SourceLocation loc = SourceLocation::Current());

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_LIB_PRNG_H_
