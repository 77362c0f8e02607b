// LookUntil: waits awake for what another thread is about to do. To sleep and to be woken costs two threads some ten
// microseconds each, which is longer than most devices wait for each other.
#ifndef XLA_CORE_SUPPORT_LOOK_UNTIL_H_
#define XLA_CORE_SUPPORT_LOOK_UNTIL_H_

#include <sched.h>

#include <cstdint>

#include "xla_core/support/thread_pool.h"

namespace xla {

// Looks until done(), or for about as long as it takes to fall asleep and wake up; tells which. `thread_count` threads
// work together. Where they outnumber processors, whoever looks keeps another from working, and lets it work instead,
// some times.
template <typename Done>
bool LookUntil(int64_t thread_count, Done done) {
  constexpr int kLooks = 1000;
  constexpr int kYields = 64;
  static const int64_t processors = UsableCpuCount();
  if (thread_count > processors) {
    for (int i = 0; i < kYields && !done(); ++i) sched_yield();
    return done();
  }
  for (int i = 0; i < kLooks; ++i) {
    if (done()) return true;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }
  return done();
}

}  // namespace xla

#endif  // XLA_CORE_SUPPORT_LOOK_UNTIL_H_
