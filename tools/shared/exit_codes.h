// What the exit status of hlo-run and hlo-opt means to a script.
#ifndef TOOLS_SHARED_EXIT_CODES_H_
#define TOOLS_SHARED_EXIT_CODES_H_

namespace xla {

enum ExitCode : int {
  kExitFine = 0,
  kExitResultsDiffer = 1,
  kExitBadUsage = 2,   // the command line makes no sense
  kExitBadInput = 3,   // a file is missing, damaged, not valid HLO, or does not fit the program
  kExitRunFailed = 4,  // the program failed while running, or its results could not be written
};

}  // namespace xla

#endif  // TOOLS_SHARED_EXIT_CODES_H_
