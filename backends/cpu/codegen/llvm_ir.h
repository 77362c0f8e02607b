// The scalar code of backends/scalar_code as LLVM IR, and what only the CPU's emission needs: lanes, memory, control.
//
// This is a small face of LLVM's IR builder: no LLVM header is included here.
#ifndef BACKENDS_CPU_CODEGEN_LLVM_IR_H_
#define BACKENDS_CPU_CODEGEN_LLVM_IR_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "backends/scalar_code/ir.h"

namespace llvm {
class BasicBlock;
class LLVMContext;
class Module;
class Value;
}  // namespace llvm

namespace xla {
namespace codegen {

// Bytes that a processor moves between its caches at a time.
constexpr int64_t kCacheLine = 64;

using Block = llvm::BasicBlock*;

// Appends instructions to one function of an LLVM module at a time: BeginKernelFunction, code, EndFunction. Context
// and module outlive it. Constants are folded where LLVM's builder folds them, so ConstantInt and ConstantFloat also
// see results of arithmetic on constants. Not thread-safe: one Ir for each LLVMContext.
class LlvmIr : public Ir {
 public:
  LlvmIr(llvm::LLVMContext& context, llvm::Module& module, int vector_bytes, bool has_half, bool has_half_arithmetic);
  ~LlvmIr() override;

  // ---- Scalar code.
  V Int(Kind kind, int64_t x, int lanes = 1) override;
  V Float(Kind kind, double x, int lanes = 1) override;
  absl::optional<int64_t> ConstantInt(V x) override;
  absl::optional<double> ConstantFloat(V x) override;
  V Binary(Op op, V x, V y) override;
  V Compare(Relation relation, V x, V y) override;
  V Select(V condition, V on_true, V on_false) override;
  V Negate(V x) override;
  V Intrinsic1(absl::string_view name, V x) override;
  V Intrinsic2(absl::string_view name, V x, V y) override;
  V MultiplyHigh(V x, V y, int bits, bool is_signed) override;
  V Fma(V x, V y, V z) override;
  V MultiplyAdd(V x, V y, V z) override { return Fma(x, y, z); }
  absl::optional<V> ScaledAtOnce(V x, V n) override;
  V Bitcast(V x, Kind kind) override;
  V SignExtend(V x, Kind kind) override;
  V ZeroExtend(V x, Kind kind) override;
  V IntToFloat(V x, Kind kind, bool is_signed) override;
  V FloatToIntInRange(V x, Kind kind, bool is_signed) override;
  V FloatToFloat(V x, Kind kind) override;
  bool has_half() const override { return has_half_; }
  V HalfBitsToFloat(V bits) override;
  V FloatToHalfBits(V x) override;
  bool has_half_arithmetic() const override { return has_half_arithmetic_; }
  V HalfBinary(Op op, V x_bits, V y_bits) override;
  bool has_fast_double() const override { return true; }
  bool has_double() const override { return true; }
  RareOperations& rare() override;

  V LaneNumbers(Kind kind, int lanes);  // 0, 1, 2 ..
  V AddIndex(V x, V y);                 // neither signed nor unsigned overflow
  V MultiplyIndex(V x, V y);
  bool HasFma() const { return vector_bytes_ >= 32; }  // of x86: whether it is an instruction

  // ---- Lanes.
  V Splat(V x, int lanes);
  V Shuffle(V x, V y, absl::Span<const int> lanes);  // y's lanes count on from x's
  V Slice(V x, int begin, int lanes);
  V Joined(absl::Span<const V> parts);  // of equal lanes, a power of two of them
  V Extract(V x, V lane);
  V Extract(V x, int lane);
  V Insert(V x, V element, V lane);
  V AnyLane(V mask);

  // ---- Memory. Addresses are bytes; elements of `kind`, aligned to `alignment` bytes.
  V Offset(V pointer, V element, int64_t element_bytes);  // also a vector of elements
  V Load(V pointer, Kind kind, int lanes, int alignment);
  void Store(V pointer, V x, int alignment);
  // Past the caches, which StoreFence orders with other stores.
  void StoreStreaming(V pointer, V x, int alignment);
  void StoreFence();         // x86 only
  void Prefetch(V pointer);  // its cache line, for reading
  V Address(V pointer);
  V MaskedLoad(V pointer, V mask, V otherwise, int alignment);
  void MaskedStore(V pointer, V x, V mask, int alignment);
  V Gather(V pointers, V mask, V otherwise, int alignment);
  void Scatter(V pointers, V x, V mask, int alignment);
  V Stack(int64_t bytes);     // of the function, 64-byte aligned
  V StackInteger(int64_t x);  // an i64 that is x when the function begins
  // The same memory for every call of the function's with the same arguments: of what is used at once and no more.
  V TemporaryStack(int number, int64_t bytes);

  // ---- Control.
  Block NewBlock(const char* name);
  Block CurrentBlock();
  void SetBlock(Block block);
  void Branch(Block target);
  void Branch(V condition, Block on_true, Block on_false);
  void BranchRarely(V condition, Block rarely, Block mostly);
  V Phi(Kind kind, int lanes);  // in the current block, which must have nothing but phis so far
  void AddIncoming(V phi, V x, Block from);

  // ---- Functions.
  // The function that the caller of the kernel sees: KernelFunction. Returns its arguments.
  std::vector<V> BeginKernelFunction(const std::string& name);
  void EndFunction();
  // Pointers of the function that begins, with a mark that follows them through Offset: an access through one of a
  // group touches nothing that one through a pointer of another group does. Groups count from 0.
  std::vector<V> TellApart(absl::Span<const V> pointers, absl::Span<const int> groups);
  // A function outside of the module, of pointers and integers, that accesses no memory but what they point to.
  void CallOutside(const std::string& name, absl::Span<const V> arguments);
  // The i32 that a function of one pointer returns. It accesses no memory that the module does.
  V CallBlindly(V function, V argument);

  int vector_bytes() const { return vector_bytes_; }

 private:
  struct Builder;
  V MaskedLoadOfRegisters(V pointer, V mask, V otherwise);
  V Make(llvm::Value* value, Kind kind, int lanes);
  // Marks an access through `pointer` with what TellApart said.
  void Mark(llvm::Value* access, V pointer);
  static void Equalize(V& x, V& y);

  std::unique_ptr<Builder> b_;
  std::unique_ptr<RareOperations> rare_;
  int vector_bytes_;
  bool has_half_;
  bool has_half_arithmetic_;
};

// That of a value that LlvmIr made.
inline LlvmIr& LlvmOf(V x) { return static_cast<LlvmIr&>(*x.ir); }

}  // namespace codegen
}  // namespace xla

#endif  // BACKENDS_CPU_CODEGEN_LLVM_IR_H_
