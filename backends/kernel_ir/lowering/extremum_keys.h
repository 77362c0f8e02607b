// The largest or the least of floats, found among integers of as many bits: one instruction, where floats take several
// for NaN and zeros; and of 16 bits, twice as many in a vector as there are f32.
//
// A *key* is the float's bits, those after the sign inverted if it is negative, so that keys are in the order of the
// numbers, -0 before +0. They are turned by as many as there are NaN of one sign, so that all NaN come last (maximum)
// or first (minimum): whichever there is, it is found.
#ifndef BACKENDS_KERNEL_IR_LOWERING_EXTREMUM_KEYS_H_
#define BACKENDS_KERNEL_IR_LOWERING_EXTREMUM_KEYS_H_

#include "absl/types/optional.h"
#include "backends/kernel_ir/kernel_builder.h"
#include "backends/kernel_ir/lowering/kernel_reducer.h"

namespace xla {

// For a maximum or minimum of one float type: writes the conversions to keys and back, and gives the reducer of keys.
class ExtremumKeys {
 public:
  // nullopt if `reducer` is no extremum, or `type`, that of the elements, none of bf16, f16, f32 and f64.
  static absl::optional<ExtremumKeys> Of(const KernelReducer& reducer, PrimitiveType type);

  // Combines keys.
  const KernelReducer& reducer() const { return keys_; }
  PrimitiveType type() const { return keys_.accumulator_type; }
  KernelValue KeyOf(KernelBuilder& b, KernelValue value) const;
  KernelValue ValueOf(KernelBuilder& b, KernelValue key) const;

 private:
  KernelValue Number(KernelBuilder& b, int64_t x) const;
  KernelValue SwapNegatives(KernelBuilder& b, KernelValue bits) const;

  PrimitiveType float_ = PRIMITIVE_TYPE_INVALID;
  int64_t turn_ = 0;  // from the bits in order to the key
  KernelReducer keys_;
};

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_LOWERING_EXTREMUM_KEYS_H_
