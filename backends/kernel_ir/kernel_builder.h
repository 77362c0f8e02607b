// KernelBuilder: writes kernels one instruction after the other.
//
//   KernelBuilder b("add");
//   int x = b.AddBuffer("x", F32, 1024, KernelBuffer::Use::kRead);
//   int z = b.AddBuffer("z", F32, 1024, KernelBuffer::Use::kWrite);
//   b.Phase(4, [&](KernelValue tile) {
//     b.For(b.Index(256), LoopSchedule::kVector, /*independent=*/true, [&](KernelValue i) {
//       KernelValue e = b.Affine({{256, tile}, {1, i}});
//       KernelValue v = b.Load(x, e);
//       b.Store(z, e, b.Binary(HloOpcode::kAdd, v, v));
//     });
//   });
//   Kernel kernel = std::move(b).Finish();
//
// It simplifies what it can see at once: index arithmetic on constants, affine sums of affine sums, quotients and
// remainders of sums whose terms' ranges are known, and sums that put a number together again from its quotient and
// remainder; loops of one iteration or none, branches whose predicate is constant. Equal index expressions and
// constants of a region are made once, and what has no users is left out.
//
//   Affine({{8, t}, {1, i}}) / 8, i < 8  ->  t                  (i / 8) * 8 + i mod 8  ->  i
//   Affine({{4, t}, {1, i}}) / 8, i < 4  ->  t / 2              i mod 24 mod 8         ->  i mod 8
#ifndef BACKENDS_KERNEL_IR_KERNEL_BUILDER_H_
#define BACKENDS_KERNEL_IR_KERNEL_BUILDER_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "backends/kernel_ir/index_form.h"
#include "backends/kernel_ir/kernel.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// One builder makes one kernel: AddBuffer, then phases, then Finish, which removes unused values and puts scratch
// after the caller's buffers. Values must be used in the region where they were made or within it. Wrong calls are
// bugs of the caller and end in a failed CHECK or in VerifyKernel.
class KernelBuilder {
 public:
  using Values = std::vector<KernelValue>;

  explicit KernelBuilder(std::string name);
  ~KernelBuilder();

  int AddBuffer(std::string name, PrimitiveType type, int64_t element_count, KernelBuffer::Use use,
                int same_memory_as = -1);
  // May be called at any time; scratch is put after the caller's buffers by Finish.
  int AddScratch(std::string name, PrimitiveType type, int64_t element_count);
  PrimitiveType BufferType(int buffer) const;

  // ---- Values.
  KernelValue Constant(Literal scalar);
  KernelValue Unary(HloOpcode opcode, KernelValue x);
  KernelValue Binary(HloOpcode opcode, KernelValue x, KernelValue y);
  // x * y + z, rounded once: kMultiplyAdd.
  KernelValue MultiplyAdd(KernelValue x, KernelValue y, KernelValue z);
  KernelValue Select(KernelValue predicate, KernelValue on_true, KernelValue on_false);
  KernelValue Compare(ComparisonDirection direction, KernelValue x, KernelValue y, bool total_order = false);
  KernelValue Convert(KernelValue x, PrimitiveType type);
  // The same bits as another type of the same width.
  KernelValue BitcastConvert(KernelValue x, PrimitiveType type);
  // The scalar operation of an elementwise HLO instruction on elements of its operands.
  KernelValue Elementwise(const HloInstruction& instruction, absl::Span<const KernelValue> operands);

  // ---- Indices. Ranges are followed, also through the arithmetic of integer types, so that what is provable is
  // dropped: x / n and x mod n for x < n, InRange. A value that can only be one number becomes that constant.
  KernelValue Index(int64_t constant);
  KernelValue Affine(absl::Span<const std::pair<int64_t, KernelValue>> terms, int64_t constant = 0);
  KernelValue Affine(std::initializer_list<std::pair<int64_t, KernelValue>> terms, int64_t constant = 0) {
    return Affine(absl::MakeConstSpan(terms.begin(), terms.size()), constant);
  }
  // Rounded down, with remainders from 0 on. `x` is not negative, or its range has a known lower bound.
  KernelValue Quotient(KernelValue x, int64_t divisor);
  KernelValue Remainder(KernelValue x, int64_t divisor);
  // kNoValue where it always holds: no predicate is needed. `x` may be anything.
  KernelValue InRange(KernelValue x, int64_t low, int64_t high);
  // Predicates; kNoValue stands for true, here and as the predicate of a load, a store or a branch.
  KernelValue And(KernelValue a, KernelValue b);
  // A value of an integer type as an index, with the bounds it is known to be within (a clamped start index).
  KernelValue AsIndex(KernelValue integer, int64_t low, int64_t high);
  // What is known of an s64 value.
  std::pair<int64_t, int64_t> RangeOf(KernelValue index) const;
  absl::optional<int64_t> ConstantIndex(KernelValue index) const;

  // ---- Memory. `otherwise` may be kNoValue: zero bits.
  KernelValue Load(int buffer, KernelValue element, KernelValue predicate = kNoValue, KernelValue otherwise = kNoValue);
  void Store(int buffer, KernelValue element, KernelValue value, KernelValue predicate = kNoValue);

  // ---- Control.
  // Nothing if there are no tiles.
  void Phase(int64_t tile_count, absl::FunctionRef<void(KernelValue)> body);
  void For(KernelValue extent, LoopSchedule schedule, bool independent, absl::FunctionRef<void(KernelValue)> body);
  // With state: the body gets the index and the state and gives the next one.
  Values ForWithState(KernelValue extent, absl::Span<const KernelValue> initial,
                      absl::FunctionRef<Values(KernelValue, absl::Span<const KernelValue>)> body);
  // `neutral` is empty for one lane.
  Values Reduce(absl::Span<const int64_t> extents, int64_t lanes, absl::Span<const KernelValue> initial,
                absl::Span<const KernelValue> neutral, absl::FunctionRef<Values(absl::Span<const KernelValue>)> element,
                absl::FunctionRef<Values(absl::Span<const KernelValue>, absl::Span<const KernelValue>)> combine);
  Values If(KernelValue predicate, absl::FunctionRef<Values()> then, absl::FunctionRef<Values()> otherwise);
  Values While(absl::Span<const KernelValue> initial,
               absl::FunctionRef<KernelValue(absl::Span<const KernelValue>)> condition,
               absl::FunctionRef<Values(absl::Span<const KernelValue>)> body);

  // ---- Regions. That of a phase has depth 0.
  int Depth() const;
  // Of the region in which the value can be seen.
  int DepthOf(KernelValue value) const { return depths_[value]; }
  // Of the outermost region in which an index could be computed: where all terms of its sum can be seen.
  int HomeOf(KernelValue index) const;
  // What `body` writes goes to the region of that depth which is being written, in front of the instruction there that
  // the present one is within: what does not depend on a loop can be written from within it.
  void AtDepth(int depth, absl::FunctionRef<void()> body);

  PrimitiveType TypeOf(KernelValue value) const { return kernel_.TypeOf(value); }
  // `notes_narrow`: with Kernel::narrow.
  Kernel Finish(bool notes_narrow = false) &&;

 private:
  struct Facts;
  struct Scope;

  KernelValue NewValue(PrimitiveType type);
  KernelInstruction& Append(KernelInstruction instruction);
  // The value of an instruction with one result and no effect: an equal one that can be seen from here, or a new one.
  // `note` tells apart what the instruction does not.
  std::pair<KernelValue, bool> AppendOnce(KernelInstruction instruction, PrimitiveType type, std::string note = "");
  KernelValue AppendElementwise(KernelInstruction instruction, PrimitiveType type);
  KernelValue Boolean(bool value);
  absl::optional<bool> ConstantPredicate(KernelValue predicate) const;

  void OpenScope();
  KernelRegion CloseScope(Values results);
  KernelValue AddArgument(PrimitiveType type);
  KernelValue AddIndexArgument(const IndexRange& range);
  Values AddArgumentsLike(absl::Span<const KernelValue> values);
  // The results of `instruction`, with the types of `like`, and appends it.
  Values AppendWithResults(KernelInstruction instruction, absl::Span<const KernelValue> like);

  // kernel_builder_indices.cc
  IndexForm FormOf(KernelValue integer) const;
  IndexRange RangeOf(const IndexForm& form) const;
  KernelValue Emit(const IndexForm& form);
  KernelValue EmitDivision(KernelOp op, KernelValue x, int64_t divisor, const IndexRange& range);
  struct Split;
  Split SplitBy(const IndexForm& form, int64_t divisor) const;
  absl::optional<Split> SplitEvenly(const IndexForm& form, int64_t divisor) const;
  IndexForm QuotientForm(IndexForm form, int64_t divisor);
  IndexForm RemainderForm(IndexForm form, int64_t divisor);
  bool JoinOneDivision(IndexForm& form) const;
  void FollowInteger(const KernelInstruction& instruction, KernelValue result);
  void NoteNarrow();

  Kernel kernel_;
  std::vector<Facts> facts_;  // by value
  std::vector<Scope> scopes_;
  std::vector<int> depths_;  // by value
};

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_KERNEL_BUILDER_H_
