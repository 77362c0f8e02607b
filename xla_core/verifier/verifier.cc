#include "xla_core/verifier/verifier.h"

#include <vector>

#include "xla_core/verifier/verification.h"

namespace xla {

absl::Status VerifyModule(const HloModule& module, const VerifierOptions& options) {
  Verification verification(module, options);
  std::vector<void (*)(Verification&)> rules = {&VerifyGraph};
  if (VerifyDeviceCounts(verification)) rules.push_back(&VerifyInstructions);
  rules.insert(rules.end(), {&VerifyCalls, &VerifyChannels, &VerifyAnnotations, &VerifyHeader});
  for (const auto rule : rules) {
    rule(verification);
    // What it did not look at may be unsound, which the next one relies on.
    if (verification.MustStop()) return verification.ToStatus();
  }
  verification.GiveWarnings();
  return verification.ToStatus();
}

}  // namespace xla
