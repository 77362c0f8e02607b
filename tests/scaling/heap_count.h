// Counts what a process holds on its heap. Linking it replaces the operators new and delete.
//
// The pages of a process tell less: they come in steps, stay when they are no longer needed, and serve again.
#ifndef TESTS_SCALING_HEAP_COUNT_H_
#define TESTS_SCALING_HEAP_COUNT_H_

#include <cstdint>

namespace xla {

// Bytes that were allocated with new, and not deleted.
int64_t HeapBytes();
// The most of them at once since the last call of ResetHeapPeak.
int64_t HeapPeak();
void ResetHeapPeak();

}  // namespace xla

#endif  // TESTS_SCALING_HEAP_COUNT_H_
