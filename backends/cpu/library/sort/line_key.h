// Sort keys: elements mapped to unsigned numbers in the same order.
#ifndef BACKENDS_CPU_LIBRARY_SORT_LINE_KEY_H_
#define BACKENDS_CPU_LIBRARY_SORT_LINE_KEY_H_

#include <cstdint>
#include <vector>

#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// The key of the elements of one operand.
struct LineKey {
  int operand = 0;
  int width = 0;  // bytes of an element, and of its key
  bool is_float = false;
  bool merges_nan = false;    // all NaN are equal, and the greatest
  bool merges_zero = false;   // -0 equals +0
  bool is_magnitude = false;  // floats go by their absolute values
  bool descending = false;
  uint64_t sign_bit = 0;  // 0 of unsigned types
  uint64_t infinity = 0;
  uint64_t mask = 0;  // all bits of an element
};

// The keys that a sort compares, the most important one first. Empty if it does not go by keys, or by others than
// elements as they are, their absolute values, or either with all NaN or both zeros made equal.
std::vector<LineKey> LineKeysOf(const HloInstruction& sort);

// LineKey for elements in words of its width, without branches.
template <typename Word>
class KeyMaker {
 public:
  explicit KeyMaker(const LineKey& key)
      : is_float_(key.is_float),
        sign_(static_cast<Word>(key.sign_bit)),
        largest_(static_cast<Word>(key.merges_nan ? key.infinity : key.mask & ~key.sign_bit)),
        zeros_(key.merges_zero ? 1 : 0),
        kept_(static_cast<Word>(key.is_magnitude ? key.mask & ~key.sign_bit : key.mask)),
        flip_(static_cast<Word>(key.descending ? key.mask : 0)) {}

  bool is_float() const { return is_float_; }
  Word OfInteger(Word bits) const { return static_cast<Word>(bits ^ sign_ ^ flip_); }
  Word OfFloat(Word bits) const {
    bits = static_cast<Word>(bits & kept_);
    const Word magnitude = MagnitudeOf(bits);
    // All bits of negative numbers are turned, and the sign of the others.
    const Word negative = static_cast<Word>(Word{0} - static_cast<Word>(bits >> (8 * sizeof(Word) - 1)));
    Word key = static_cast<Word>(bits ^ (negative | sign_));
    key = magnitude < zeros_ ? sign_ : key;
    key = magnitude > largest_ ? static_cast<Word>(~Word{0}) : key;
    return static_cast<Word>(key ^ flip_);
  }
  Word Of(Word bits) const { return is_float_ ? OfFloat(bits) : OfInteger(bits); }

  // Elements that share their key with others that look different: zeros, NaN.
  bool IsMergedZero(Word bits) const { return MagnitudeOf(bits) < zeros_; }
  bool IsMergedNan(Word bits) const { return is_float_ && MagnitudeOf(bits) > largest_; }
  Word zero_key() const { return static_cast<Word>(sign_ ^ flip_); }
  Word nan_key() const { return static_cast<Word>(~Word{0} ^ flip_); }
  // Whether the element is not what ElementOf gives for its key.
  Word LooksDifferent(Word bits) const {
    const Word magnitude = MagnitudeOf(bits);
    return static_cast<Word>((magnitude > largest_) | ((magnitude < zeros_) & (bits != 0)));
  }

  // The element that has this key.
  Word ElementOf(Word key) const {
    const Word plain = static_cast<Word>(key ^ flip_);
    if (!is_float_) return static_cast<Word>(plain ^ sign_);
    const Word positive = static_cast<Word>(Word{0} - static_cast<Word>(plain >> (8 * sizeof(Word) - 1)));
    return static_cast<Word>(plain ^ (static_cast<Word>(~positive) | sign_));
  }

 private:
  Word MagnitudeOf(Word bits) const { return static_cast<Word>(bits & ~sign_); }

  const bool is_float_;
  const Word sign_;
  const Word largest_;  // magnitude that is not a NaN to be merged
  const Word zeros_;    // magnitudes below are zeros to be merged
  const Word kept_;     // bits that matter
  const Word flip_;
};

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_SORT_LINE_KEY_H_
