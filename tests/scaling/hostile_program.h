// Random programs that are short but may ask for a lot, or for what has no meaning.
#ifndef TESTS_SCALING_HOSTILE_PROGRAM_H_
#define TESTS_SCALING_HOSTILE_PROGRAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "tests/scaling/constructs.h"

namespace xla {

inline constexpr int64_t kMaxHostileBytes = 16 << 10;

// Parts whose text is short whatever n is. n may be any number, also one that makes the part invalid.
absl::Span<const Construct> HostileConstructs();

struct HostileProgram {
  std::string suffix;  // of the file: ".hlo", ".nnef" or ".json"
  std::string text;    // of kMaxHostileBytes at most
  // Flags of hlo-opt, and of hlo-run besides those for backend and limits.
  std::vector<std::string> opt_flags;
  std::vector<std::string> run_flags;
};

// Some constructs with random sizes in one program, often with random mistakes. The same for a seed on every machine.
HostileProgram MakeHostileProgram(uint64_t seed);

}  // namespace xla

#endif  // TESTS_SCALING_HOSTILE_PROGRAM_H_
