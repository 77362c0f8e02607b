#include "xla_core/verifier/verifier.h"

#include "xla_core/verifier/verification.h"

namespace xla {

absl::Status VerifyModule(const HloModule& module, const VerifierOptions& options) {
  Verification verification(module, options);
  const bool devices_known = VerifyDeviceCounts(verification);
  VerifyGraph(verification);
  if (devices_known) VerifyInstructions(verification);
  VerifyCalls(verification);
  VerifyChannels(verification);
  VerifyAnnotations(verification);
  VerifyHeader(verification);
  verification.GiveWarnings();
  return verification.ToStatus();
}

}  // namespace xla
