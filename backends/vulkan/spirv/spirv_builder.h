// SpirvBuilder: writes a SPIR-V module, instruction by instruction.
//
//   SpirvBuilder b;
//   const Id word = b.IntType(32), words = b.RuntimeArrayType(word, 4);
//   const Id x = b.StorageBuffer(words, /*set=*/0, /*binding=*/0, SpirvBuilder::BufferUse::kWrite);
//   b.BeginMain({64, 1, 1});
//   const Id place = b.AccessChain(spv::StorageClass::StorageBuffer, word, x, {b.Word(0), b.Word(7)});
//   b.Store(place, b.Op(spv::Op::OpIAdd, word, {b.Load(word, place), b.Word(1)}));
//   const std::vector<uint32_t> words = b.Finish();
//
// A module has its sections in a fixed order, whatever the order in which it is written. Types and constants that are
// equal are one. Capabilities follow from what is used: a type, an operation, a storage class; callers never name them.
// There is one function, `main`, and control flow is structured: BeginIf, BeginLoop and their likes make the labels and
// merges that SPIR-V asks for, so that a module cannot be unstructured.
#ifndef BACKENDS_VULKAN_SPIRV_SPIRV_BUILDER_H_
#define BACKENDS_VULKAN_SPIRV_SPIRV_BUILDER_H_

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "spirv/unified1/GLSL.std.450.h"
#include "spirv/unified1/spirv.hpp11"

namespace xla {
namespace vulkan {

// A result id. 0: none.
using Id = uint32_t;

// One builder writes one module. Wrong calls are bugs of the caller; spirv-val finds them in tests.
class SpirvBuilder {
 public:
  SpirvBuilder();

  // ---- Types. Integers have no sign: operations do.
  Id VoidType();
  Id BoolType();
  Id IntType(int bits);
  Id FloatType(int bits);
  Id VectorType(Id component, int count);
  Id ArrayType(Id element, uint32_t count);
  // With the distance of two elements in bytes, which buffers need.
  Id RuntimeArrayType(Id element, uint32_t stride);
  Id PointerType(spv::StorageClass storage, Id pointee);
  // Two results of one operation, as those of OpUMulExtended.
  Id PairType(Id first, Id second);

  // ---- Constants.
  Id Constant(Id type, uint64_t bits);
  Id Word(uint32_t x) { return Constant(IntType(32), x); }
  Id Bool(bool x);
  Id ConstantArray(Id type, absl::Span<const Id> elements);
  Id Undefined(Id type);

  // ---- Variables. All but those of storage buffers are undefined when an invocation begins.
  // A buffer whose only member is `array`, of RuntimeArrayType. kShared: invocations read what others write, after
  // barriers. `is_aliased`: the memory is another variable's too.
  enum class BufferUse : uint8_t { kRead, kWrite, kShared };
  Id StorageBuffer(Id array, uint32_t set, uint32_t binding, BufferUse use, bool is_aliased = false);
  // Each has one member for each of `members`, at offsets that are the sums of their sizes, 4 bytes each.
  Id PushConstants(int words);
  Id WorkgroupVariable(Id type);
  Id FunctionVariable(Id type);
  Id PrivateConstant(Id type, Id initializer);
  // A vector of three words: WorkgroupId, LocalInvocationId and others of that type.
  Id BuiltIn3(spv::BuiltIn built_in);

  // ---- The function. `local_size`: invocations of a workgroup.
  void BeginMain(std::array<uint32_t, 3> local_size);
  // RoundingModeRTE, SignedZeroInfNanPreserve, DenormPreserve ... of floats of `bits`.
  void FloatControl(spv::ExecutionMode mode, int bits);

  // ---- Instructions.
  Id Op(spv::Op op, Id type, absl::Span<const uint32_t> operands);
  Id Op(spv::Op op, Id type, std::initializer_list<uint32_t> operands) {
    return Op(op, type, absl::Span<const uint32_t>(operands.begin(), operands.size()));
  }
  void Do(spv::Op op, std::initializer_list<uint32_t> operands);
  // An instruction of GLSL.std.450.
  Id Extended(GLSLstd450 instruction, Id type, std::initializer_list<uint32_t> operands);
  // A float operation that must not be contracted with another.
  Id Exact(spv::Op op, Id type, std::initializer_list<uint32_t> operands);
  Id AccessChain(spv::StorageClass storage, Id pointee, Id base, std::initializer_list<Id> indices);
  Id Load(Id type, Id pointer) { return Op(spv::Op::OpLoad, type, {pointer}); }
  void Store(Id pointer, Id value) { Do(spv::Op::OpStore, {pointer, value}); }
  // Memory of the workgroup and of buffers is the same for all its invocations.
  void WorkgroupBarrier();

  // ---- Control. Each Begin has its End. A Phi comes first in its block.
  struct If {
    Id on_true;
    Id on_false;
    Id merge;
  };
  If BeginIf(Id condition);  // what follows runs where it holds
  void BeginElse(const If& branch);
  void EndIf(const If& branch);

  // A loop: header { phis }, test { condition }, body, next { what the phis take }.
  struct Loop {
    Id before;  // the block that enters it
    Id header;
    Id body;
    Id next;  // the block that goes back to the header
    Id merge;
  };
  Loop BeginLoop();                               // phis follow
  void LoopTest(const Loop& loop);                // code that makes the condition follows
  void LoopBody(const Loop& loop, Id condition);  // what follows runs while it holds
  void LoopNext(const Loop& loop);                // what the phis take may be computed here
  void EndLoop(const Loop& loop);

  // Of the block that is being written.
  Id CurrentBlock() const { return current_block_; }
  // `incoming`: values and the blocks that they come from, alternating. More may follow by AddIncoming.
  Id Phi(Id type, std::initializer_list<uint32_t> incoming);
  void AddIncoming(Id phi, Id value, Id block);

  // The words of the module. Ends main; the builder is used up.
  std::vector<uint32_t> Finish();

 private:
  struct Instruction {
    spv::Op op;
    std::vector<uint32_t> words;  // without the first
  };
  using Section = std::vector<Instruction>;

  Id NewId() { return next_id_++; }
  // An instruction with a result, the same one for equal operands.
  Id Shared(spv::Op op, Id type, std::vector<uint32_t> operands);
  Id Variable(spv::StorageClass storage, Id type, Id initializer);
  void Decorate(Id target, spv::Decoration decoration, std::initializer_list<uint32_t> literals);
  void DecorateMember(Id target, uint32_t member, spv::Decoration decoration, std::initializer_list<uint32_t> literals);
  void NoteUse(spv::Op op, Id type, absl::Span<const uint32_t> operands);
  void NoteWide(Id type, spv::Capability capability);
  void BeginBlock(Id label);
  void BranchTo(Id label);
  bool IsNarrow(Id type) const { return narrow_types_.count(type) != 0; }
  static void Append(const Section& section, std::vector<uint32_t>* words);
  static void AppendString(const char* text, std::vector<uint32_t>* words);

  Id next_id_ = 1;
  Id glsl_ = 0;
  Id main_ = 0;
  std::set<spv::Capability> capabilities_;
  std::map<std::vector<uint32_t>, Id> shared_;
  std::set<Id> wide_types_;                     // of 64 bits
  std::map<Id, spv::Capability> narrow_types_;  // what computing with the type needs
  std::map<Id, Id> type_of_;                    // of results of a narrow type
  std::map<Id, size_t> phis_;                   // places in body_
  std::map<spv::BuiltIn, Id> built_ins_;
  std::vector<Id> interface_;
  Section modes_;
  Section decorations_;
  Section globals_;  // types, constants, variables
  Section locals_;   // variables of main
  Section body_;
  Id current_block_ = 0;
};

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_SPIRV_SPIRV_BUILDER_H_
