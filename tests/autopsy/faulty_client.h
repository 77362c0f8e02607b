// FaultyClient: a backend whose steps compute something wrong, for tests of what finds them.
#ifndef TESTS_AUTOPSY_FAULTY_CLIENT_H_
#define TESTS_AUTOPSY_FAULTY_CLIENT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "backends/backend.h"
#include "backends/step_observer.h"

namespace xla {

// A result of a step, at the moment when a fault may change it.
struct FaultyMoment {
  enum class How { kRun, kAsBefore, kBackwards, kPoisoned };  // the run of the program, or a repetition of the step

  const HloInstruction& instruction;  // whose result it is
  int64_t step = 0;
  int64_t iteration = 0;  // of the innermost loop around it, 0 without one
  How how = How::kRun;
  const Literal& before;  // what its memory held when the step began
};

// Changes a result in place.
using Fault = std::function<void(const FaultyMoment& moment, Literal& result)>;

// Memory that is used again too early: before the step `reuser` runs, the result of `written` is overwritten.
struct EarlyReuse {
  int64_t written = -1;  // numbers of steps; -1: there is no such fault
  int64_t reuser = -1;
  std::string place;  // of the result: ObservedArray::place
};

// `client`, whose backend shows its steps, with the fault in each run and in each repetition of a step.
std::shared_ptr<Client> MakeFaultyClient(std::shared_ptr<Client> client, Fault fault);
std::shared_ptr<Client> MakeFaultyClient(std::shared_ptr<Client> client, EarlyReuse reuse);

}  // namespace xla

#endif  // TESTS_AUTOPSY_FAULTY_CLIENT_H_
