// ElementEmitter: writes what computes one element of an array, given its index, into the kernel that is being built.
//
// Operands are asked for at the indices that the operation reads them at, down to arrays that are in memory. An element
// that was computed before is not computed again where its value can be seen. Instructions go to the outermost region
// in which the index is known (its *home*), wherever they are asked for: in
//
//   for row { for j { exp(x[row, j] - max(x[row])) } }
//
// the maximum is one reduction for each row, without any plan for that.
//
// A predicate says where an element is needed at all; memory is read there only.
#ifndef BACKENDS_KERNEL_IR_LOWERING_ELEMENT_EMITTER_H_
#define BACKENDS_KERNEL_IR_LOWERING_ELEMENT_EMITTER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "backends/kernel_ir/kernel_builder.h"
#include "backends/kernel_ir/lowering/element_index.h"
#include "backends/kernel_ir/lowering/kernel_reducer.h"
#include "backends/kernel_ir/lowering/pointwise_loop.h"
#include "xla_core/ir/hlo_computation.h"

namespace xla {

// One array that an instruction makes, possibly in a computation that is called from there: `context` says by whom.
struct ArrayNode {
  const HloInstruction* instruction = nullptr;
  ShapeIndex leaf;
  int context = 0;

  const Shape& shape() const { return *SubshapeAt(instruction->shape(), leaf); }
  // Leaves of instructions that make several arrays are numbered; -1 for the others.
  int64_t leaf_number() const { return leaf.empty() ? -1 : leaf[0]; }
  bool operator==(const ArrayNode& o) const {
    return instruction == o.instruction && leaf == o.leaf && context == o.context;
  }
};

// Sizes at which loops over neighbouring dimensions, which are one loop at first, had better be two, found while a
// draft was written: of a reduction's elements, by instruction and number of the loop.
using ReductionSplits = std::map<std::pair<const HloInstruction*, int>, std::set<int64_t>>;

// The calls and fusions through which computations are entered: context 0 is the one that is lowered. Shared by all
// drafts of a kernel, so that a node of one is the same in the others.
class CallContexts {
 public:
  struct Call {
    const HloInstruction* caller = nullptr;
    int parent = 0;
  };
  int Enter(const HloInstruction* caller, int parent);
  const Call& at(int context) const { return calls_[context]; }

 private:
  std::vector<Call> calls_ = {Call()};
  absl::flat_hash_map<std::pair<const HloInstruction*, int>, int> numbers_;
};

class ExtremumKeys;

// The loops over what a reduce folds for one element.
struct ReduceShape {
  std::vector<int64_t> extents;
  bool contiguous;  // the last one goes along memory
  // Elements of the result that are neighbours in the operand too, row-major in both: there are `elements / inner`
  // times this many. All elements if the operand does not lie row-major.
  int64_t inner = 1;
};

// Partial results of a reduce of `elements` elements: that of element e, chunk c and group g is number
//
//   (c * (elements / inner) + e / inner) * groups * inner + g * inner + e mod inner
//
// and all chunks and groups of an element combined are its value.
struct PartialPlaces {
  int64_t elements = 1;
  int64_t chunks = 1;
  int64_t groups = 1;
  int64_t inner = 1;

  int64_t total() const { return chunks * groups * elements; }
};

// One emitter serves one draft of a kernel. Emission keeps its own list of requests instead of recursion, since
// chains of operations can be longer than the stack is deep: a rule that misses an operand returns, the operand is
// computed, and the rule runs again. Errors are kept in status(); the first one counts.
class ElementEmitter {
 public:
  using Values = KernelBuilder::Values;
  // Contexts from here on are of functions of scalars that are applied in one kernel.
  static constexpr int kFirstLocal = 1 << 24;

  // All outlive the emitter. `splits` grows.
  ElementEmitter(KernelBuilder* builder, CallContexts* calls, ReductionSplits* splits);
  // At the beginning of a phase's body: nothing of the phase before can be seen.
  void BeginPhase();

  // ---- Arrays in memory.
  // The whole array, in its layout.
  void BindBuffer(const HloInstruction* instruction, int buffer);
  // `count` elements from the row-major number `base` on, in order. Holds until the region that the builder is in ends.
  void BindRange(const ArrayNode& node, int buffer, KernelValue base, int64_t count);
  // The whole array, in row-major order, wherever it is made.
  void BindWorkspace(const ArrayNode& node, int buffer) { workspaces_.push_back({Resolve(node), buffer}); }
  // Constants get buffers when they are met, which are added to the kernel.
  const std::vector<std::pair<const HloInstruction*, int>>& constants() const { return constants_; }

  // Elements of a reduce of one array are partial results in this buffer, combined.
  void BindPartials(const ArrayNode& node, int buffer, const PartialPlaces& places) {
    partials_.push_back({Resolve(node), buffer, places});
  }

  // Buffers of which a block is in scratch while two loops run: element base + i * stride + k at k * size + i. It is
  // copied there, into the region of `depth`, when it is asked for first.
  struct Block {
    struct Buffer {
      int buffer;
      int64_t stride;
      int scratch;
      KernelValue base;  // kNoValue: not copied yet
    };
    int depth = 0;
    KernelValue k_extent = kNoValue, i_extent = kNoValue;
    KernelValue k = kNoValue, i = kNoValue;  // the loops' indices
    std::vector<Buffer> buffers;
  };
  // nullptr: no longer.
  void SetBlock(Block* block, int64_t size) {
    block_ = block;
    block_size_ = size;
  }

  // ---- Elements. After an error, values of the right type that mean nothing.
  KernelValue Emit(ArrayNode node, const ElementIndex& index, KernelValue predicate = kNoValue);
  // The results of a computation of scalars.
  Values Apply(const HloComputation& computation, absl::Span<const KernelValue> arguments);
  // `count` elements, from number `begin` on and each `stride` after the one before, of the first loop of a reduce by
  // a known function, and all of the others, combined without the initial value.
  KernelValue PartialReduce(const ArrayNode& node, const ElementIndex& kept, KernelValue begin, int64_t count,
                            int64_t stride = 1);
  ReduceShape ShapeOf(const HloInstruction& reduce);
  // What an array is once tuples, calls and fusions are seen through.
  ArrayNode Resolve(ArrayNode node);
  absl::Status status() const { return status_; }
  void Fail(const HloInstruction& instruction, absl::string_view why);

  KernelBuilder& builder() { return b_; }
  IndexArithmetic& indices() { return indices_; }
  const KernelReducer& ReducerOf(const HloInstruction& instruction);
  // A start index, an integer of any type, in [0, last].
  KernelValue ClampedStart(KernelValue start, int64_t last);
  KernelValue Zero(PrimitiveType type);

  // Whether short reductions are written without loops from now on.
  void UnrollFolds(bool unroll) { unrolls_folds_ = unroll; }

  // ---- For planners.
  // Every element that was computed, with other indices each time, as it came.
  struct Use {
    ArrayNode node;
    KernelValue value;
    int depth;    // of its home
    bool in_row;  // it is within the row that SetRow told
  };
  const std::vector<Use>& uses() const { return uses_; }
  // Arrays that have to be in memory, but are not.
  const std::vector<ArrayNode>& wanted() const { return wanted_; }
  static bool IsShared(const ArrayNode& node) { return node.context < kFirstLocal; }
  bool HasPartials(const ArrayNode& node) const;
  // The row that is being written, of this many: arrays whose number of elements is a multiple of that have rows too.
  void SetRow(KernelValue row, int64_t rows) {
    row_ = row;
    rows_ = rows;
  }
  // Whether reductions in lanes were written into the region of this depth since they were cleared.
  void ClearLaneReductions() { lane_reductions_.clear(); }
  bool HasLaneReductionsAt(int depth) const { return lane_reductions_.count(depth) != 0; }

 private:
  struct Request {
    ArrayNode node;
    ElementIndex index;
    KernelValue predicate;
  };
  // A function of scalars that is applied in this kernel, or something called from there: contexts kFirstLocal and up.
  struct LocalContext {
    const HloInstruction* caller = nullptr;  // nullptr: the function itself
    int parent = 0;
    std::vector<KernelValue> arguments;  // of the function
    int depth = 0;
    // An iteration of this pointwise loop instead of a function: `arguments` are elements of its state.
    const HloInstruction* loop = nullptr;
  };
  struct Range {
    ArrayNode node;
    int buffer;
    KernelValue base;
    int64_t count;
    int depth;
  };
  struct Partials {
    ArrayNode node;
    int buffer;
    PartialPlaces places;
  };
  Values CombinePartials(const Request& request, const Partials& partials, const Values& initial);
  // Instruction, leaf, context, predicate, row-major number of the element.
  using Key = std::tuple<const HloInstruction*, int64_t, int, KernelValue, KernelValue>;

  // The element if it has been computed; else kNoValue, and it will be before the rule that asked runs again.
  KernelValue Get(ArrayNode node, const ElementIndex& index, KernelValue predicate);
  KernelValue GetOperand(const Request& request, int operand, const ElementIndex& index, KernelValue predicate);
  KernelValue GetOperand(const Request& request, int operand, const ElementIndex& index) {
    return GetOperand(request, operand, index, request.predicate);
  }
  KernelValue EmitOperand(const Request& request, int operand, const ElementIndex& index, KernelValue predicate);
  KernelValue Find(const Request& request);
  int HomeOf(const Request& request) const;
  Key KeyOf(const Request& request);
  void Remember(const Request& request, const Values& values);
  void Forget();
  KernelValue LoadBound(const Request& request, bool* bound);
  KernelValue LoadElement(int buffer, KernelValue element, KernelValue predicate);
  int EnterCall(const HloInstruction* caller, int parent);
  // nullptr for a function's own context, and for the computation that is lowered.
  const HloInstruction* CallerOf(int context, int* parent) const;
  const HloInstruction* LoopOf(int context) const;
  int DepthOfContext(int context) const;
  const std::vector<KernelValue>* ArgumentsOf(int context) const;

  void NoteUse(const Request& request, const Values& values);

  // ---- Rules: the values of all leaves, or empty if something was missing.
  Values Run(const Request& request);
  Values WantInMemory(const Request& request);
  Values RunElementwise(const Request& request);
  Values RunConstant(const Request& request);
  Values RunIota(const Request& request);
  Values RunBroadcast(const Request& request);
  Values RunTranspose(const Request& request);
  Values RunRearranged(const Request& request, const std::vector<int>& from);
  Values RunReshape(const Request& request);
  Values RunOrWantReduceWindow(const Request& request);
  Values RunScatter(const Request& request);
  Values RunGetDimensionSize(const Request& request);
  Values RunBitcast(const Request& request);
  Values RunSlice(const Request& request);
  Values RunReverse(const Request& request);
  Values RunPad(const Request& request);
  Values RunConcatenate(const Request& request);
  Values RunBitcastConvert(const Request& request);
  Values RunMap(const Request& request);
  // pointwise_loop.cc
  const PointwiseLoop* PointwiseLoopOf(const HloInstruction& loop);
  bool IsInvariantLeaf(const HloInstruction& loop, const ShapeIndex& leaf);
  Values RunPointwiseLoop(const Request& request);
  // emit_indexed.cc
  bool GetStarts(const Request& request, int first, absl::Span<const int64_t> sizes, absl::Span<const int64_t> window,
                 absl::InlinedVector<KernelValue, 6>* starts);
  Values RunDynamicSlice(const Request& request);
  Values RunDynamicUpdateSlice(const Request& request);
  Values RunGather(const Request& request);
  // emit_fold.h, emit_reduction.cc
  struct FoldLoops;
  class Folder;
  Values Fold(const Request& request, const FoldLoops& loops);
  // Of the elements that the loops give, which are of a type that `keys` are for.
  KernelValue FoldExtremum(const Request& request, const ExtremumKeys& keys, const std::vector<int64_t>& extents,
                           bool contiguous, absl::FunctionRef<KernelValue(absl::Span<const KernelValue>)> element);
  Values RunReduce(const Request& request);
  bool CountsAlong(ArrayNode node, int d);
  bool MayFoldPairs(const Request& request, const FoldLoops& loops);
  Values FoldPairs(const Request& request, const FoldLoops& loops);
  Values RunReduceWindow(const Request& request);
  Values RunDot(const Request& request);
  Values RunConvolution(const Request& request);

  KernelBuilder& b_;
  IndexArithmetic indices_;
  ReductionSplits& splits_;
  absl::Status status_;
  CallContexts& calls_;
  std::vector<LocalContext> local_contexts_;
  absl::flat_hash_map<std::pair<const HloInstruction*, int>, int> local_context_of_;
  absl::flat_hash_map<const HloInstruction*, int> buffers_;
  std::vector<Range> ranges_;
  std::vector<std::pair<ArrayNode, int>> workspaces_;
  std::vector<Partials> partials_;
  std::vector<std::pair<const HloInstruction*, int>> constants_;
  absl::flat_hash_map<Key, KernelValue> made_;
  std::vector<std::vector<Key>> made_at_;  // by depth
  absl::flat_hash_map<std::pair<KernelValue, int64_t>, KernelValue> clamped_;
  std::vector<Request> pending_;
  std::vector<Use> uses_;
  std::vector<ArrayNode> wanted_;
  Block* block_ = nullptr;
  int64_t block_size_ = 0;
  KernelValue row_ = kNoValue;
  int64_t rows_ = 1;
  std::set<int> lane_reductions_;  // depths
  bool unrolls_folds_ = false;
  absl::flat_hash_map<const HloInstruction*, std::unique_ptr<KernelReducer>> reducers_;
  absl::flat_hash_map<const HloInstruction*, std::unique_ptr<PointwiseLoop>> pointwise_loops_;
  int64_t emitted_ = 0;
  int nesting_ = 0;
};

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_LOWERING_ELEMENT_EMITTER_H_
