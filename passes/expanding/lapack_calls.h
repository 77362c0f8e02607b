// Calls of LAPACK as ordinary operations: what a call says, and one function per routine.
#ifndef PASSES_EXPANDING_LAPACK_CALLS_H_
#define PASSES_EXPANDING_LAPACK_CALLS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "passes/base/instruction_builder.h"
#include "xla_core/ops/ffi_attributes.h"

namespace xla {

// A custom call to lapack_{s,d,c,z}ROUTINE_ffi, or to a target of XLA's that means the same, that is as
// ops/lapack_call.h expects it, so far as this holds for every routine: operand 0 has m by n matrices of the letter's
// type, at most 2^31 - 1 elements each, after batch dimensions.
struct LapackCallSite {
  const HloInstruction* call;
  std::string routine;  // by its name for real elements: "orgqr" also stands for ungqr, "ormqr" for unmqr, ..
  FfiAttributes attributes;
  PrimitiveType type;
  DimensionVector batch_dims;
  int64_t batch;
  int64_t m;
  int64_t n;

  // Of an operand or result: the batch dimensions, then these.
  Shape Array(PrimitiveType element_type, std::initializer_list<int64_t> dims) const;
  // Whether operands and results are exactly these; a result alone is not a tuple.
  bool Has(const std::vector<Shape>& operands, const std::vector<Shape>& results) const;
  // The attribute if it is one of `allowed`, else 0.
  char Char(absl::string_view name, absl::string_view allowed) const;
  // Results as the loops make them, [b, ..], in the form of the call.
  HloInstruction* Results(const std::vector<HloInstruction*>& results, InstructionBuilder& build) const;
};

// Whether the target is one of LAPACK's, "lapack_..", or Qr or ProductOfElementaryHouseholderReflectors.
bool IsLapackTarget(absl::string_view target);
// Nothing if the call is another, or is not as it should be, so that only the interpreter can say what is wrong.
absl::optional<LapackCallSite> AsLapackCall(const HloInstruction& call);

// Each adds what replaces the call, or returns nullptr if the call is not as it should be. All compute in the type of
// the call. Rows of the same matrix are eliminated in LAPACK's order, so that pivots, signs and info are those of
// LAPACK wherever rounding does not decide about them.
HloInstruction* ExpandPotrf(const LapackCallSite& site, InstructionBuilder& build);
HloInstruction* ExpandTrsm(const LapackCallSite& site, InstructionBuilder& build);
HloInstruction* ExpandGetrf(const LapackCallSite& site, InstructionBuilder& build);
HloInstruction* ExpandGeqrf(const LapackCallSite& site, InstructionBuilder& build);
HloInstruction* ExpandOrgqr(const LapackCallSite& site, InstructionBuilder& build);
HloInstruction* ExpandOrmqr(const LapackCallSite& site, InstructionBuilder& build);
// Not in LAPACK's order: the same eigenvalues up to rounding, and vectors that are as good but other ones.
HloInstruction* ExpandSyevd(const LapackCallSite& site, InstructionBuilder& build);

}  // namespace xla

#endif  // PASSES_EXPANDING_LAPACK_CALLS_H_
