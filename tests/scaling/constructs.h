// Constructs: the ways in which a program can be large, each with a generator.
#ifndef TESTS_SCALING_CONSTRUCTS_H_
#define TESTS_SCALING_CONSTRUCTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "tests/scaling/program_text.h"

namespace xla {

// A way in which HLO can be large. `add` adds a part of size n, at least 1, to a program.
struct Construct {
  const char* name;
  const char* summary;
  int64_t size;  // the smallest n that is worth measuring: everything takes some milliseconds
  void (*add)(ProgramText& program, int64_t n);
};

absl::Span<const Construct> OperandConstructs();
absl::Span<const Construct> InstructionConstructs();
absl::Span<const Construct> ComputationConstructs();
absl::Span<const Construct> AttributeConstructs();
absl::Span<const Construct> AnnotationConstructs();
absl::Span<const Construct> LiteralConstructs();
absl::Span<const Construct> TextConstructs();

// All of HLO.
std::vector<Construct> HloConstructs();

// A way in which a program of another format can be large.
struct FormatConstruct {
  const char* name;
  const char* summary;
  int64_t size;
  const char* file_name;  // what a file with such a program is called
  std::string (*text)(int64_t n);
};
absl::Span<const FormatConstruct> FormatConstructs();

}  // namespace xla

#endif  // TESTS_SCALING_CONSTRUCTS_H_
