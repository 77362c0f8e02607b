// CHECK: ends the process with file and line when an invariant of our own code is broken. Never reachable from input.
#ifndef XLA_CORE_SUPPORT_CHECK_H_
#define XLA_CORE_SUPPORT_CHECK_H_

#include <cstdio>
#include <cstdlib>

#define CHECK(condition)                                                                                 \
  do {                                                                                                   \
    if (__builtin_expect(!(condition), 0)) {                                                             \
      std::fprintf(stderr, "%s:%d: internal error: %s does not hold\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                                      \
    }                                                                                                    \
  } while (0)

#ifdef NDEBUG
#define DCHECK(condition) \
  do {                    \
  } while (false && (condition))
#else
#define DCHECK(condition) CHECK(condition)
#endif

#endif  // XLA_CORE_SUPPORT_CHECK_H_
