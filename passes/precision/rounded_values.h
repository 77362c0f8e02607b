// RoundedValues: which f32 arrays of a module nothing needs more of than their rounding to bf16.
//
// A value is an array, or an array that is an element of a tuple (of one level). Values that have to be of one type
// are one node of a graph: the state of a loop as its start, its condition, its body and its users see it; what a
// fusion takes as it is outside and inside. Other values flow into each other: what an operation moves or selects, what
// becomes an element of a tuple, what a branch or a function returns; there a rounding can be put in between.
//
//   before: w = (f32[8]) while(tuple(x)), with a body that reads convert(e) and gives g = f32[8] add(..)
//   nodes:  {tuple 0, w 0, parameters 0, roots 0}, {e}: both are rounded; add is not, but flows into one that is
//
// All values that could be rounded are counted as rounded, until one is read by a user that needs all of its bits; that
// one is not, and so neither is what flows into it. What is left is exact: everything in it is moved, selected by
// something else, or compared with its like (rounding keeps order), and ends in a convert.
#ifndef PASSES_PRECISION_ROUNDED_VALUES_H_
#define PASSES_PRECISION_ROUNDED_VALUES_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// What may be given up: exactness, and how much rounding must save to be worth it (bytes of an array).
struct RoundedValuesOptions {
  bool approximate = false;  // elementwise operations may compute in bf16
  bool products = false;     // dots and convolutions take rounded operands
  int64_t min_bytes = 0;     // smaller arrays stay as they are
};

// The answer of the analysis, made in the constructor; later changes of the module do not reach it.
class RoundedValues {
 public:
  // Stands for the array that is the whole of a value.
  static constexpr int kArray = -1;
  // Stands for what a dot or a convolution takes.
  static constexpr int kOperands = -2;
  // Stands for what calls of a computation get, whose root this instruction is.
  static constexpr int kResult = -3;

  RoundedValues(const HloModule& module, const RoundedValuesOptions& options);

  bool Holds(const HloInstruction& instruction, int element = kArray) const;

 private:
  struct Flow {
    int from;
    int into;
    bool strict;  // no rounding can be put in between without more work than it saves
  };
  using Value = std::pair<const HloInstruction*, int>;

  // The node of a value; a value that is not an f32 array is `other_`, which is not rounded.
  int NodeOf(const HloInstruction& instruction, int element);
  int Find(int node);
  void Join(int a, int b);
  void JoinElements(const HloInstruction& a, const HloInstruction& b);
  void AddFlow(const HloInstruction& from, int from_element, const HloInstruction& into, int into_element, bool strict);
  // The values of `from` become those of `into`: elements of tuples are joined, an array flows.
  void Pass(const HloInstruction& from, const HloInstruction& into, bool strict);
  void PassResult(const HloInstruction& root, const HloInstruction& call);
  void NeedAll(const HloInstruction& value);

  void AddModule(const HloModule& module);
  void AddInstruction(const HloInstruction& instruction);
  void AddTuple(const HloInstruction& tuple);
  void AddCalls(const HloInstruction& instruction);
  bool MayRound(const HloInstruction& instruction) const;
  void Solve();
  void KeepUseful();

  const RoundedValuesOptions options_;
  absl::flat_hash_map<Value, int> nodes_;
  std::vector<int> parent_;  // of a node, in the forest of nodes that were joined
  std::vector<Flow> flows_;
  std::vector<int> needed_;     // nodes of which a user needs all bits
  std::vector<int> converted_;  // nodes that a convert rounds, or a product
  std::vector<bool> rounded_;   // by node
};

bool IsArrayOf(PrimitiveType type, const HloInstruction& instruction);
bool IsConvert(const HloInstruction& instruction, PrimitiveType from, PrimitiveType to);
// Whether every element of the result is one of an operand, perhaps with another sign.
bool OnlyMovesOrSelects(HloOpcode opcode);

}  // namespace xla

#endif  // PASSES_PRECISION_ROUNDED_VALUES_H_
