// What the rules of the verifier share: the module, the violations, the warnings, and what is known to be unsound.
#ifndef XLA_CORE_VERIFIER_VERIFICATION_H_
#define XLA_CORE_VERIFIER_VERIFICATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/verifier/verifier.h"

namespace xla {

// One run of the verifier. Rules take it by reference, add what they find, and go on: a violation ends nothing but
// the rules that would look into something unsound.
class Verification {
 public:
  Verification(const HloModule& module, const VerifierOptions& options)
      : module_(module), options_(options), resources_(options.resources, "verifying the program") {}

  const HloModule& module() const { return module_; }
  const VerifierOptions& options() const { return options_; }

  // Where a text is long, as one with the shape of a large tuple is, or where there can be many for one instruction,
  // give a function: it is called only if the violation will be shown.
  using MakeText = absl::FunctionRef<std::string()>;
  void Add(MakeText rule) { AddLine(rule, &violations_); }
  void Add(absl::string_view rule) {
    Add([rule] { return std::string(rule); });
  }
  void Add(const HloComputation& computation, absl::string_view rule);
  // Names the computation and shows the instruction with the shapes of its operands.
  void Add(const HloInstruction& instruction, absl::string_view rule);
  // False once further violations are only counted.
  bool ShowsMore() const { return violations_.HasRoom(options_); }
  void CountViolations(int64_t count) { violations_.count += count; }
  // What is odd but has a meaning: a violation if the options are strict, else a warning.
  void Warn(const HloInstruction& instruction, absl::string_view rule);

  // An unsound instruction or computation breaks a rule that code relies on without asking: rules that look into it,
  // among them all of the op table, are not applied.
  void MarkUnsound(const HloInstruction& instruction) { unsound_instructions_.insert(&instruction); }
  void MarkUnsound(const HloComputation& computation) { unsound_computations_.insert(&computation); }
  bool IsSound(const HloInstruction& instruction) const { return !unsound_instructions_.contains(&instruction); }
  bool IsSound(const HloComputation& computation) const { return !unsound_computations_.contains(&computation); }
  // The instruction, its operands and what it calls.
  bool IsSoundWithNeighbours(const HloInstruction& instruction) const;

  // Whether a limit of the resources has been reached: rules then end early, and what they leave is not to be used.
  bool MustStop() const { return resources_.IsOver(); }
  // That of the resources, if a limit has been reached; else InvalidArgument if there are violations.
  absl::Status ToStatus() const;
  // Hands the warnings to who asked for them.
  void GiveWarnings() const;

 private:
  // Lines up to a limit, and how many there would be.
  struct Report {
    std::vector<std::string> lines;
    int64_t count = 0;
    bool HasRoom(const VerifierOptions& options) const {
      return static_cast<int64_t>(lines.size()) < options.max_reported;
    }
  };

  void AddLine(MakeText line, Report* report);

  const HloModule& module_;
  const VerifierOptions& options_;
  const ResourceContext resources_;
  Report violations_;
  Report warnings_;
  absl::flat_hash_set<const HloInstruction*> unsound_instructions_;
  absl::flat_hash_set<const HloComputation*> unsound_computations_;
};

// ---- The rules, in the order in which they are applied

// The numbers of replicas and partitions. False if they are wrong: rules about groups of devices then cannot be
// applied.
bool VerifyDeviceCounts(Verification& verification);
// Ownership, order, names, ids, parameter numbers, attributes, numbers of operands and called computations, valid
// shapes, cycles of calls and of control dependencies. Marks what is unsound.
void VerifyGraph(Verification& verification);
// Each sound instruction by its row of the op table: the shape that it should have, and the op's own rules.
void VerifyInstructions(Verification& verification);
// Fusions, asynchronous chains, execution threads: who may call whom.
void VerifyCalls(Verification& verification);
// Pairs of start and done, send and recv; layout constraints of all-reduces.
void VerifyChannels(Verification& verification);
// Shardings, original values, parameter replication, buffers.
void VerifyAnnotations(Verification& verification);
// Entry layout, aliasing, donors.
void VerifyHeader(Verification& verification);

}  // namespace xla

#endif  // XLA_CORE_VERIFIER_VERIFICATION_H_
