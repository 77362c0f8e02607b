// DenormalMode: what floating point instructions of the calling thread do with denormal numbers, as long as it lives.
#ifndef XLA_CORE_SUPPORT_DENORMAL_MODE_H_
#define XLA_CORE_SUPPORT_DENORMAL_MODE_H_

#include <cstdint>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace xla {

// Flushing treats denormal operands as zeros and gives zeros for denormal results, of f32 and f64 alike. It is a mode
// of the thread: code that must know where it is sets it itself. Processors other than x86-64 and AArch64 keep theirs.
class DenormalMode {
 public:
  enum Mode { kKeep, kFlush };

  explicit DenormalMode(Mode mode) : before_(Read()) {
    Write(mode == kFlush ? before_ | kFlushBits : before_ & ~kFlushBits);
  }
  ~DenormalMode() { Write(before_); }
  DenormalMode(const DenormalMode&) = delete;
  DenormalMode& operator=(const DenormalMode&) = delete;

 private:
#if defined(__SSE2__)
  using Register = uint32_t;
  static constexpr Register kFlushBits = 0x8040;  // of results, of operands
  static Register Read() { return _mm_getcsr(); }
  static void Write(Register bits) { _mm_setcsr(bits); }
#elif defined(__aarch64__)
  using Register = uint64_t;
  static constexpr Register kFlushBits = Register{1} << 24;
  static Register Read() {
    Register bits;
    __asm__ volatile("mrs %0, fpcr" : "=r"(bits));
    return bits;
  }
  static void Write(Register bits) { __asm__ volatile("msr fpcr, %0" : : "r"(bits)); }
#else
  using Register = uint32_t;
  static constexpr Register kFlushBits = 0;
  static Register Read() { return 0; }
  static void Write(Register) {}
#endif

  const Register before_;
};

}  // namespace xla

#endif  // XLA_CORE_SUPPORT_DENORMAL_MODE_H_
