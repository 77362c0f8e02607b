// KernelEmitter: a kernel as LLVM IR.
//
// Regions are emitted either for one iteration, where all values are scalars, or for several at once: the lanes of
// vectors. Then a value that is the same in all lanes stays a scalar, an index that grows evenly from lane to lane
// stays a scalar with a stride, and only the rest become vectors; a load knows by its index whether it is one element,
// a run of neighbours or a gather. Where only some lanes are meant, in the tail of a loop or in a branch that others do
// not take, a mask selects: it goes to loads and stores, and all other operations do no harm to lanes that nothing
// reads.
//
// Each phase becomes a function: a loop over its tiles.
#ifndef BACKENDS_CPU_CODEGEN_KERNEL_EMITTER_H_
#define BACKENDS_CPU_CODEGEN_KERNEL_EMITTER_H_

#include <limits>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "backends/cpu/codegen/codegen_target.h"
#include "backends/cpu/codegen/element_lanes.h"
#include "backends/cpu/codegen/loop_work.h"
#include "backends/kernel_ir/kernel.h"

namespace xla {
namespace codegen {

// Whether it is too large to be found in the caches.
bool IsLarge(const KernelBuffer& buffer);

// Emits one kernel, once. Regions are walked in order, and `values_`, `lanes_` and `mask_` describe the point of
// emission: which elements kernel values are, in how many lanes, and which of these count. The members are in the
// files that the headings name.
class KernelEmitter {
 public:
  KernelEmitter(LlvmIr& ir, const CodegenTarget& target, const Kernel& kernel)
      : ir_(ir), target_(target), kernel_(kernel), loop_work_(kernel) {
    values_.resize(kernel.value_types.size());
    multiples_.resize(kernel.value_types.size(), 1);
    sources_.resize(kernel.value_types.size());
    is_fetched_ahead_.resize(kernel.buffers.size(), false);
  }

  // One external function for each phase, a KernelFunction: symbol + ".0", ".1" ..
  void Emit(const std::string& symbol);

 private:
  using Elements = std::vector<Element>;

  // ---- kernel_emitter.cc
  void EmitPhase(const std::string& name, const KernelPhase& phase);
  void EmitTiles(const KernelPhase& phase, V begin, V end);
  void SetBuffers(V caller_buffers, V scratch);
  void SetArguments(const KernelRegion& region, absl::Span<const Element> arguments);
  // Emits a region and returns its results.
  Elements EmitRegion(const KernelRegion& region, absl::Span<const Element> arguments);
  void EmitInstruction(const KernelInstruction& instruction);
  Element EmitValue(const KernelInstruction& instruction);
  Element EmitMultiplyAdd(const KernelInstruction& instruction);
  Element EmitElementwiseValue(const KernelInstruction& instruction, PrimitiveType result_type);
  const Element& Value(KernelValue value) const { return values_[value]; }
  Elements ValuesOf(absl::Span<const KernelValue> values) const;
  Element Index(V value, int64_t lane_stride = 0, int lane_repeats = 1) const {
    return {S64, value, {}, {}, lane_stride, lane_repeats};
  }
  V IndexConstant(int64_t x) { return ir_.Int(Kind::kI64, x); }
  // Spread over the lanes of the loop that is being emitted.
  Element InLanes(const Element& element) const { return Spread(element, lanes_); }
  Elements InLanes(Elements elements) const;

  // ---- streaming.cc
  // Emits `body` twice where the phase writes to large buffers: for buffers that lie as streaming stores need it, and
  // for others.
  void EmitWithStreaming(const KernelPhase& phase, absl::FunctionRef<void()> body);
  void NoteMultiple(const KernelInstruction& instruction);
  bool CanStream(const KernelInstruction& store, const Element& index) const;
  // The same for vectors one after the other, from the element on that `store` has in lane 0.
  bool CanStreamVectors(const KernelInstruction& store, int lanes) const;

  // ---- fetch_ahead.cc
  // What an index is made of, as far as that tells where memory is read next.
  struct IndexSource {
    const KernelInstruction* sum = nullptr;  // kAffine
    bool comes_from_memory = false;          // for what loops carry this is not known, and treated as false
  };
  void NoteSource(const KernelInstruction& instruction);
  // Asks for what will be loaded a while after what is loaded now.
  void FetchAhead(const KernelInstruction& load, const Element& index);
  int64_t BytesAhead(const KernelInstruction& load) const;

  // ---- index_emitter.cc
  Element EmitAffine(const KernelInstruction& instruction);
  Element EmitQuotient(const KernelInstruction& instruction);
  Element EmitRemainder(const KernelInstruction& instruction);
  Element EmitInRange(const KernelInstruction& instruction);
  // What is known of the lanes of a quotient or remainder.
  enum class LanesOfDivision {
    kSameRemainder,
    kSameQuotient,  // and the remainders are a run
    kGroups,        // as many lanes as the divisor have the same quotient, and remainders from 0 on
    kAny,
  };
  LanesOfDivision LanesOf(const KernelInstruction& division) const;
  struct Division {
    V quotient;
    V remainder;
  };
  // Of the index of lane 0; rounded down, should that be one that is not meant.
  Division DivideFirstLane(V x, int64_t divisor);
  // Of all lanes, by that one division.
  Division DivideLanes(const Element& x, int64_t divisor);

  // ---- memory_emitter.cc
  Element EmitLoad(const KernelInstruction& instruction);
  void EmitStore(const KernelInstruction& instruction);
  Element LoadScalar(int buffer, V element);
  Element LoadLanes(int buffer, const Element& index, V mask, const Element* otherwise);
  void StoreScalar(int buffer, V element, const Element& value);
  void StoreLanes(int buffer, const Element& index, V mask, const Element& value, bool streaming);
  // The mask in force, and a predicate.
  V MaskAnd(const Element* predicate);

  // ---- repeating_loads.cc
  struct RepeatingPlace;
  // What instructions of a region define which values; the loop's index has none.
  using Definitions = absl::flat_hash_map<KernelValue, const KernelInstruction*>;
  static absl::optional<RepeatingPlace> MatchRepeatingPlace(KernelValue index, KernelValue loop,
                                                            const Definitions& within);
  // In front of a vector loop: makes copies for its loads that repeat.
  void CopyWhatRepeats(const KernelRegion& region, V extent);
  V CopyRepeatedly(int buffer, const RepeatingPlace& place);
  struct Repetition {
    V copy;
    int64_t period = 0;
    KernelValue position = kNoValue;
  };
  Element LoadRepeating(const KernelInstruction& load, const Repetition& repetition);

  // ---- interleaved_rows.cc
  // Loads, or stores, of all elements of rows that are in the lanes of a vector loop.
  struct InterleavedRows {
    const KernelInstruction* first = nullptr;  // by column
    const KernelInstruction* last = nullptr;   // in the region
    Elements columns;                          // loads: what was loaded
    bool is_loaded = false;
    std::vector<KernelValue> stored;  // stores: by column
  };
  struct InterleavedPlace {
    int rows = 0;
    int column = 0;
  };
  void FindInterleavedRows(const KernelRegion& region);
  // nullptr, false: no such load, or store.
  const Element* LoadInterleaved(const KernelInstruction& load);
  bool StoreInterleaved(const KernelInstruction& store);
  // How many rows at once.
  int InterleavedLanes(PrimitiveType type) const;

  // ---- loop_emitter.cc
  struct Loop {
    V begin;
    V end;
    int64_t step = 1;
    // As LoopWork has them: what a step of one is, and how many of these there may be if that is not constant.
    double work = 0;
    double most_iterations = std::numeric_limits<double>::infinity();
  };
  using LoopBody = absl::FunctionRef<Elements(V index, absl::Span<const Element> state)>;
  // A loop whose index is the same in all lanes. The state keeps its lanes from iteration to iteration. EmitLoop
  // (polling.cc) makes one that can be stopped, if it may take long.
  Elements EmitShortLoop(const Loop& loop, Elements state, LoopBody body);
  Elements EmitLoop(const Loop& loop, Elements state, LoopBody body);
  // The outermost of the reduction's loops that `indices` has no index for, and as many within it as `extents` are.
  Elements EmitNest(const KernelInstruction& reduce, absl::Span<const int64_t> extents, Elements& indices,
                    Elements state,
                    absl::FunctionRef<Elements(absl::Span<const Element> indices, Elements state)> body);
  void EmitFor(const KernelInstruction& instruction);
  void EmitVectorLoop(const KernelInstruction& instruction);
  void EmitVectorTail(const KernelRegion& region, V begin, V extent);
  Elements EmitUnrolled(const KernelRegion& region, int64_t extent, Elements state);
  // Lanes leave the loop one by one: `condition` tells which stay. If `work`, that of an iteration, is not 0, the loop
  // can be stopped.
  Elements EmitDivergentLoop(Elements state, absl::FunctionRef<V(V index, absl::Span<const Element> state)> condition,
                             LoopBody body, double work);
  double WorkOfWhile(const KernelInstruction& instruction) const;
  Elements EmitUniformWhile(const KernelInstruction& instruction);
  void EmitWhile(const KernelInstruction& instruction);
  void EmitIf(const KernelInstruction& instruction);
  Elements EmitBranches(const KernelInstruction& instruction, V predicate);
  Elements EmitBothBranches(const KernelInstruction& instruction, V predicate);
  // `region` where any lane of the mask is set, which becomes the mask in force.
  Elements EmitUnderMask(const KernelRegion& region, V mask);
  int ChooseLanes(const KernelRegion& region, V extent);

  // ---- polling.cc
  void EmitQuestion(double work);
  void EndPolling();

  // ---- runs.cc
  // Emits what a vector loop does as several runs at once, if that is worth it: `body` for all vectors below the index
  // that is returned, a multiple of lanes_.
  V EmitRuns(const KernelRegion& region, const Loop& loop, LoopBody body);

  // Merges of values from several blocks.
  Elements PhisLike(absl::Span<const Element> elements, std::vector<V>& phis);
  void AddIncoming(absl::Span<const V> phis, absl::Span<const Element> elements, Block from);

  // ---- transpose_emitter.cc
  // Whether the loop copies a block so that rows become columns; then it is emitted.
  bool EmitTransposedCopy(const KernelInstruction& instruction);
  struct BlockCopy;
  absl::optional<BlockCopy> MatchTransposedCopy(const KernelInstruction& instruction) const;
  void EmitTransposedSquare(const BlockCopy& copy, V from, V to, int size);

  // ---- reduce_emitter.cc
  void EmitReduce(const KernelInstruction& instruction);
  Elements ReduceInOrder(const KernelInstruction& instruction);
  Elements ReduceInRegisters(const KernelInstruction& instruction, Elements accumulators);
  Elements ReduceInMemory(const KernelInstruction& instruction, const Elements& neutral);
  Elements Combine(const KernelInstruction& instruction, absl::Span<const Element> left,
                   absl::Span<const Element> right);

  LlvmIr& ir_;
  const CodegenTarget& target_;
  const Kernel& kernel_;
  const LoopWork loop_work_;
  V stop_;      // the caller's KernelStop
  V patience_;  // how much work is left until the function asks; none: it never does
  Block stopped_ = nullptr;
  std::vector<Element> values_;
  // By value: what an index is known to be a multiple of, in lane 0: a divisor of 64.
  std::vector<int64_t> multiples_;
  bool is_streaming_ = false;
  std::vector<IndexSource> sources_;    // by value
  std::vector<bool> is_fetched_ahead_;  // by buffer
  int64_t row_extent_ = 0;              // of the loop whose iterations are in lanes
  std::vector<V> buffers_;
  absl::flat_hash_map<const KernelInstruction*, Repetition> repetitions_;
  absl::flat_hash_map<const KernelInstruction*, InterleavedPlace> interleaved_;
  std::vector<InterleavedRows> interleaved_rows_;
  int lanes_ = 1;
  V mask_;  // of the lanes that are meant; none: all
};

}  // namespace codegen
}  // namespace xla

#endif  // BACKENDS_CPU_CODEGEN_KERNEL_EMITTER_H_
