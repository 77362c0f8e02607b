// How long the phases of a program's life take, and how much memory, as the program grows.
#ifndef TESTS_SCALING_MEASURE_H_
#define TESTS_SCALING_MEASURE_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace xla {

// A generator of programs, and where measuring begins.
struct GrowingProgram {
  std::string name;
  int64_t size = 1;
  std::string file_name;  // of an NNEF or WebNN program; "": HLO text
  std::function<std::string(int64_t n)> text;
};

struct MeasureOptions {
  // A phase is measured at three sizes, each twice the one before, of which the first takes it at least this long.
  double least_seconds = 0.05;
  // A phase that takes longer is not measured at a larger size.
  double most_seconds = 3;
  // Nor after one by which the heap grew by more.
  double most_bytes = 2e9;
  // No size is measured for which the process would need more, judging by the size before.
  int64_t most_resident_bytes = std::numeric_limits<int64_t>::max();
  // For all phases and sizes of a program but n = 1; what is not measured then is left out.
  double budget_seconds = 120;
  int64_t max_text_bytes = int64_t{32} << 20;
  // A phase whose time grows by more in a doubling is measured again until it grows by less: at its three sizes in
  // turn, so that what else the machine does meets all of them alike, this many times. The best of each size counts.
  double bound = 2.3;
  int rounds = 5;
  std::set<std::string> phases;  // to be measured; empty: all
  bool backends = true;
};

// What one run at one size took.
struct PhaseCost {
  int64_t n = 0;
  // Of what the phase reads or writes: n, but the bytes of a protobuf, in which a literal repeats the shapes of all
  // that it contains, so that a file may grow by more than n does.
  double size = 0;
  double seconds = 0;  // of CPU time, without what the phase takes at n = 1
  double bytes = 0;    // by which the heap grew at most, likewise
};

struct PhaseCosts {
  std::string phase;
  std::vector<PhaseCost> costs;  // at n, 2n, 4n; fewer if the phase became too slow
};

// To be called first in main: what the system takes to clear pages and to find them again is not the program's growth,
// and comes in steps. Keeps freed memory in the process, for the next of several runs, and has it on large pages, for
// which the process starts again.
void KeepPagesOutOfTheMeasure(char** argv);

// Measures `read`, `verify`, `print`, `write-proto`, `read-proto`, `simplify`, and compiling on each backend, in this
// process, which has nothing else to do; of each phase that is to be measured. A program that a phase refuses goes no
// further; the refusal is measured, too.
std::vector<PhaseCosts> MeasurePhases(const GrowingProgram& program, const MeasureOptions& options);

// By how much a doubling of the size multiplies the costs, on average. 1 if they are too small to tell.
double TimeGrowth(const PhaseCosts& costs);
double MemoryGrowth(const PhaseCosts& costs);

}  // namespace xla

#endif  // TESTS_SCALING_MEASURE_H_
