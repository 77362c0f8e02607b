// A value for every opcode, written as the opcodes that are special and what holds for all others. It replaces a switch
// with a default, and like one it costs one look into an array:
//
//   static constexpr OpcodeMap<Emit> kEmitters(/*otherwise=*/nullptr, {{HloOpcode::kAdd, &EmitSum},
//                                                                      {HloOpcode::kNot, &EmitNot}});
//   if (const Emit emit = kEmitters[opcode]) return emit(x, y);
//
//   static constexpr OpcodeSet kShifts = {HloOpcode::kShiftLeft, HloOpcode::kShiftRightLogical};
//   if (kShifts.Has(opcode)) ...
//
// Declare them constexpr: then an opcode that is listed twice does not compile. What a set says of its opcodes must be
// about the code beside it; what is about the opcodes is a trait (opcode_traits.h).
#ifndef XLA_CORE_IR_OPCODE_MAP_H_
#define XLA_CORE_IR_OPCODE_MAP_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "xla_core/ir/opcode.h"

namespace xla {

namespace opcode_map_internal {
// Not constexpr, so that no constant expression can come here.
inline void AnOpcodeIsListedTwice() {}
}  // namespace opcode_map_internal

template <typename T>
class OpcodeMap {
 public:
  struct Entry {
    HloOpcode opcode;
    T value;
  };

  template <size_t kCount>
  constexpr OpcodeMap(T otherwise, const Entry (&entries)[kCount])
      : OpcodeMap(otherwise, entries, kCount, std::make_index_sequence<kOpcodeCount>()) {}

  constexpr const T& operator[](HloOpcode opcode) const { return values_[static_cast<uint8_t>(opcode)]; }

 private:
  template <size_t... kOpcodes>
  constexpr OpcodeMap(const T& otherwise, const Entry* entries, size_t count, std::index_sequence<kOpcodes...>)
      : values_{Pick(otherwise, entries, count, static_cast<HloOpcode>(kOpcodes))...} {}

  static constexpr const T& Pick(const T& otherwise, const Entry* entries, size_t count, HloOpcode opcode) {
    size_t found = count;
    for (size_t i = 0; i < count; ++i) {
      if (entries[i].opcode != opcode) continue;
      if (found != count) opcode_map_internal::AnOpcodeIsListedTwice();
      found = i;
    }
    return found == count ? otherwise : entries[found].value;
  }

  T values_[kOpcodeCount];
};

class OpcodeSet {
 public:
  constexpr OpcodeSet(std::initializer_list<HloOpcode> opcodes) : has_{} {
    for (const HloOpcode opcode : opcodes) {
      if (Has(opcode)) opcode_map_internal::AnOpcodeIsListedTwice();
      has_[static_cast<uint8_t>(opcode)] = true;
    }
  }

  constexpr bool Has(HloOpcode opcode) const { return has_[static_cast<uint8_t>(opcode)]; }

 private:
  bool has_[kOpcodeCount];
};

}  // namespace xla

#endif  // XLA_CORE_IR_OPCODE_MAP_H_
