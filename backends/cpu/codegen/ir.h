// A small face of LLVM's IR builder, for the code that emits kernels: no LLVM header is included here, scalars and
// vectors look alike, and arithmetic reads as arithmetic.
//
//   V y = Fma(x, x, x.Like(0.5));       // f32 or <16 x float>, whatever x is
//   y = Select(x < 0.0, -y, y);
//
// Operands of unequal lane counts are made equal by repeating the scalar one. Floats are compared ordered (any
// comparison with NaN is false, but != is true), integers signed.
#ifndef BACKENDS_CPU_CODEGEN_IR_H_
#define BACKENDS_CPU_CODEGEN_IR_H_

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"

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

// The types of a lane that emitted code computes in. There are no narrower floats: emission holds them as f32 and
// integers of their bits.
enum class Kind : uint8_t { kI1, kI8, kI16, kI32, kI64, kI128, kF32, kF64, kPointer };
inline bool IsFloatKind(Kind kind) { return kind == Kind::kF32 || kind == Kind::kF64; }
int BitsOf(Kind kind);
// The integer kind of as many bits.
Kind IntKind(int bits);

class Ir;
using Block = llvm::BasicBlock*;

// A value: a scalar (one lane) or a vector.
struct V {
  Ir* ir = nullptr;
  llvm::Value* value = nullptr;
  Kind kind = Kind::kI1;
  int lanes = 1;
  int memory = -1;  // of a pointer: see Ir::TellApart

  explicit operator bool() const = delete;
  bool exists() const { return value != nullptr; }
  // A constant of this value's kind and lanes.
  V Like(double x) const;
  V LikeInt(int64_t x) const;
  template <typename Number>
  V LikeNumber(Number x) const {
    if (IsFloatKind(kind)) return Like(static_cast<double>(x));
    return LikeInt(static_cast<int64_t>(x));
  }
};

// Appends instructions to one function of an LLVM module at a time: BeginKernelFunction, code, EndFunction. Context
// and module outlive it. Constants are folded where LLVM's builder folds them, so ConstantInt and ConstantFloat also
// see results of arithmetic on constants. Not thread-safe: one Ir for each LLVMContext.
class Ir {
 public:
  Ir(llvm::LLVMContext& context, llvm::Module& module, int vector_bytes, bool has_half, bool has_half_arithmetic);
  ~Ir();

  // ---- Constants.
  V Int(Kind kind, int64_t x, int lanes = 1);
  V Float(Kind kind, double x, int lanes = 1);
  V LaneNumbers(Kind kind, int lanes);  // 0, 1, 2 ..
  absl::optional<int64_t> ConstantInt(V x);
  // The number, if it is a known one, the same in all lanes.
  absl::optional<double> ConstantFloat(V x);

  // ---- Arithmetic. See the operators below.
  enum class Op : uint8_t {
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kUnsignedDivide,
    kRemainder,
    kUnsignedRemainder,
    kAnd,
    kOr,
    kXor,
    kShiftLeft,
    kShiftRight,
    kShiftRightArithmetic,
  };
  V Binary(Op op, V x, V y);
  V AddIndex(V x, V y);  // neither signed nor unsigned overflow
  V MultiplyIndex(V x, V y);
  enum class Relation : uint8_t { kEq, kNe, kLt, kLe, kGt, kGe, kUnsignedLt, kUnsignedGe, kEqOrNan };
  V Compare(Relation relation, V x, V y);
  V Select(V condition, V on_true, V on_false);
  V Negate(V x);
  V Intrinsic1(absl::string_view name, V x);  // "sqrt", "floor", "fabs", "ctpop" ...
  V Intrinsic2(absl::string_view name, V x, V y);
  V Fma(V x, V y, V z);
  bool HasFma() const { return vector_bytes_ >= 32; }  // of x86: whether it is an instruction
  // x 2^n of an integer n, rounded once; nothing where that is not one instruction.
  absl::optional<V> ScaledAtOnce(V x, V n);

  // ---- Conversions.
  V Bitcast(V x, Kind kind);
  V SignExtend(V x, Kind kind);  // or truncates, as the next does
  V ZeroExtend(V x, Kind kind);
  V IntToFloat(V x, Kind kind, bool is_signed);
  V FloatToIntInRange(V x, Kind kind, bool is_signed);  // truncates; the value must fit
  V FloatToFloat(V x, Kind kind);
  bool has_half() const { return has_half_; }
  V HalfBitsToFloat(V bits);  // where has_half()
  V FloatToHalfBits(V x);
  bool has_half_arithmetic() const { return has_half_arithmetic_; }
  V HalfBinary(Op op, V x_bits, V y_bits);  // where has_half_arithmetic()

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
  V Stack(int64_t bytes);  // of the function, 64-byte aligned
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
  V Make(llvm::Value* value, Kind kind, int lanes) { return {this, value, kind, lanes}; }
  // Marks an access through `pointer` with what TellApart said.
  void Mark(llvm::Value* access, V pointer);
  static void Equalize(V& x, V& y);

  std::unique_ptr<Builder> b_;
  int vector_bytes_;
  bool has_half_;
  bool has_half_arithmetic_;
};

template <typename T>
using IfNumber = std::enable_if_t<std::is_arithmetic_v<T>, int>;

#define HALO_IR_OPERATOR(symbol, call)                      \
  inline V operator symbol(V x, V y) { return x.ir->call; } \
  template <typename Number, IfNumber<Number> = 0>          \
  V operator symbol(V x, Number number) {                   \
    const V y = x.LikeNumber(number);                       \
    return x.ir->call;                                      \
  }                                                         \
  template <typename Number, IfNumber<Number> = 0>          \
  V operator symbol(Number number, V y) {                   \
    const V x = y.LikeNumber(number);                       \
    return x.ir->call;                                      \
  }
HALO_IR_OPERATOR(+, Binary(Ir::Op::kAdd, x, y))
HALO_IR_OPERATOR(-, Binary(Ir::Op::kSubtract, x, y))
HALO_IR_OPERATOR(*, Binary(Ir::Op::kMultiply, x, y))
HALO_IR_OPERATOR(/, Binary(Ir::Op::kDivide, x, y))
HALO_IR_OPERATOR(&, Binary(Ir::Op::kAnd, x, y))
HALO_IR_OPERATOR(|, Binary(Ir::Op::kOr, x, y))
HALO_IR_OPERATOR(^, Binary(Ir::Op::kXor, x, y))
HALO_IR_OPERATOR(<<, Binary(Ir::Op::kShiftLeft, x, y))
HALO_IR_OPERATOR(>>, Binary(Ir::Op::kShiftRight, x, y))  // zeros come in
HALO_IR_OPERATOR(==, Compare(Ir::Relation::kEq, x, y))
HALO_IR_OPERATOR(!=, Compare(Ir::Relation::kNe, x, y))
HALO_IR_OPERATOR(<, Compare(Ir::Relation::kLt, x, y))
HALO_IR_OPERATOR(<=, Compare(Ir::Relation::kLe, x, y))
HALO_IR_OPERATOR(>, Compare(Ir::Relation::kGt, x, y))
HALO_IR_OPERATOR(>=, Compare(Ir::Relation::kGe, x, y))
#undef HALO_IR_OPERATOR

inline V operator-(V x) { return x.ir->Negate(x); }
inline V Select(V condition, V on_true, V on_false) { return on_true.ir->Select(condition, on_true, on_false); }
inline V Select(V condition, V on_true, double on_false) {
  return on_true.ir->Select(condition, on_true, on_true.LikeNumber(on_false));
}
inline V Select(V condition, double on_true, V on_false) {
  return on_false.ir->Select(condition, on_false.LikeNumber(on_true), on_false);
}
inline V Fma(V x, V y, V z) { return x.ir->Fma(x, y, z); }
inline V Abs(V x) { return x.ir->Intrinsic1("fabs", x); }
inline V Sqrt(V x) { return x.ir->Intrinsic1("sqrt", x); }
inline V CopySign(V x, V sign) { return x.ir->Intrinsic2("copysign", x, sign); }
inline V Not(V condition) { return condition ^ condition.LikeInt(-1); }
inline V IsNan(V x) { return x != x; }
// Bits of a float, float of bits.
inline V ToBits(V x) { return x.ir->Bitcast(x, IntKind(BitsOf(x.kind))); }
inline V FromBits(V x) { return x.ir->Bitcast(x, x.kind == Kind::kI32 ? Kind::kF32 : Kind::kF64); }
// c[0] + c[1] x + c[2] x^2 ... by Horner's rule, one rounding a step.
V Polynomial(V x, absl::Span<const double> coefficients);

}  // namespace codegen
}  // namespace xla

#endif  // BACKENDS_CPU_CODEGEN_IR_H_
