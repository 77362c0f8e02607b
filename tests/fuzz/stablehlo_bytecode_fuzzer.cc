#include <cstddef>
#include <cstdint>

#include "tests/fuzz/fuzz_targets.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  xla::FuzzStablehloBytecode(absl::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
