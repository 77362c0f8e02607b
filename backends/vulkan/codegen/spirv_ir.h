// SpirvIr: the scalar code of backends/scalar_code as SPIR-V.
//
//   kind         SPIR-V
//   i1           bool
//   i8, i16, i32 a 32-bit word, whose upper bits are zero
//   i64          a 64-bit integer, or a pair of words where the device has none
//   f32, f64     themselves
//
// All float arithmetic is decorated NoContraction. What Vulkan leaves loose is made exact: a fused multiply-add is
// computed with its rounding errors (T. J. Dekker, 1971), quotients and roots are corrected by their remainders.
#ifndef BACKENDS_VULKAN_CODEGEN_SPIRV_IR_H_
#define BACKENDS_VULKAN_CODEGEN_SPIRV_IR_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "backends/scalar_code/ir.h"
#include "backends/vulkan/codegen/spirv_target.h"
#include "backends/vulkan/spirv/spirv_builder.h"

namespace xla {
namespace vulkan {

using codegen::Kind;
using codegen::V;

// Writes into the builder's main. One lane only. Not thread-safe.
class SpirvIr : public codegen::Ir {
 public:
  SpirvIr(SpirvBuilder& builder, const SpirvTarget& target);
  ~SpirvIr() override;

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
  V MultiplyAdd(V x, V y, V z) override;
  absl::optional<V> ScaledAtOnce(V, V) override { return absl::nullopt; }
  V Bitcast(V x, Kind kind) override;
  V SignExtend(V x, Kind kind) override;
  V ZeroExtend(V x, Kind kind) override;
  V IntToFloat(V x, Kind kind, bool is_signed) override;
  V FloatToIntInRange(V x, Kind kind, bool is_signed) override;
  V FloatToFloat(V x, Kind kind) override;
  bool has_half() const override { return false; }
  V HalfBitsToFloat(V bits) override;
  V FloatToHalfBits(V x) override;
  bool has_half_arithmetic() const override { return false; }
  V HalfBinary(Op op, V x_bits, V y_bits) override;
  bool has_fast_double() const override { return false; }
  bool has_double() const override { return target_.has_f64; }
  codegen::RareOperations& rare() override { return *rare_; }

  // ---- Control. States are values of any kinds; those of a body's results are those of the initial state.
  using State = std::vector<V>;
  State While(const State& initial, absl::FunctionRef<V(const State&)> condition,
              absl::FunctionRef<State(const State&)> body);
  State IfElse(V condition, absl::FunctionRef<State()> on_true, absl::FunctionRef<State()> on_false);
  void If(V condition, absl::FunctionRef<void()> on_true);

  // The number, or if it may be a 0 that the driver sees and would not add to -0, one whose value the driver does not
  // know. A float, or the bits of a narrow one.
  V HideZero(V x);

  // ---- Values and ids.
  V FromWord(Kind kind, Id word);             // i1: not zero; i8, i16: its upper bits are zero
  V FromWords(Kind kind, Id low, Id high);    // i64, f64
  Id ToWord(V x);                             // i1 to f32: its bits
  std::pair<Id, Id> ToWords(V x);             // i64, f64
  Id BoolId(V x) const { return Get(x).id; }  // of an i1

  SpirvBuilder& builder() { return b_; }
  const SpirvTarget& target() const { return target_; }

 private:
  struct Value {
    Id id = 0;
    Id high = 0;  // of a pair
    Id word = 0;  // of an i64 that is a word extended: that word
    bool is_word_signed = false;
    absl::optional<int64_t> integer;
    absl::optional<double> number;
  };
  using Words = std::pair<Id, Id>;

  V Make(Kind kind, Value value);
  V Make(Kind kind, Id id) { return Make(kind, Value{id, 0, 0, false, {}, {}}); }
  V MakePair(Id low, Id high) { return Make(Kind::kI64, Value{low, high, 0, false, {}, {}}); }
  const Value& Get(V x) const { return *static_cast<const Value*>(x.value); }
  bool IsPair(Kind kind) const { return kind == Kind::kI64 && !target_.has_int64; }
  Id TypeOf(Kind kind);
  V FloatOfBits(Kind kind, int64_t bits);
  Id UnknownZero();    // a word
  V PhiOf(Kind kind);  // without incoming values yet
  void AddIncoming(V phi, V x, Id block);

  // ---- spirv_integers.cc
  Id Word(spv::Op op, Id x, Id y) { return b_.Op(op, b_.IntType(32), {x, y}); }
  Id IsWord(spv::Op op, Id x, Id y) { return b_.Op(op, b_.BoolType(), {x, y}); }
  Id SelectWord(Id condition, Id x, Id y) { return b_.Op(spv::Op::OpSelect, b_.IntType(32), {condition, x, y}); }
  Id Masked(Id word, Kind kind);        // without the bits above the kind's
  Id SignExtended(Id word, Kind kind);  // a word of the kind's bits
  Id BinaryBool(Op op, Id x, Id y);
  Id BinaryWord(Op op, Kind kind, Id x, Id y);
  Id BinaryLong(Op op, Id x, Id y);
  Words BinaryPair(Op op, Words x, Words y);
  Words ShiftPair(Op op, Words x, Id amount);
  Words NegatePair(Words x);
  Words MultiplyPair(Words x, Words y);
  struct PairDivision {
    Words quotient;
    Words remainder;
  };
  PairDivision DividePair(Words x, Words y);
  Words SignedDivision(Op op, Words x, Words y);
  V CompareIntegers(Relation relation, V x, V y);
  Id ComparePairs(Relation relation, Words x, Words y);
  // The word that an i64 is, extended so; 0: not known to be one.
  Id WordOf(V x, bool is_signed) const;
  V LeadingZeros(V x);
  V PopulationCount(V x);
  Words WideProduct(Id x, Id y);
  V MultiplyHighLong(V x, V y, bool is_signed);

  // ---- spirv_floats.cc
  Id Exact(spv::Op op, Kind kind, Id x, Id y) { return b_.Exact(op, TypeOf(kind), {x, y}); }
  V BinaryFloat(Op op, V x, V y);
  V Divide(V x, V y);
  V SquareRoot(V x);
  V RemainderOf(V x, V y);
  V RoundAwayFromZero(V x);
  V LongToFloat(V x, Kind kind, bool is_signed);

  SpirvBuilder& b_;
  const SpirvTarget target_;
  std::unique_ptr<codegen::RareOperations> rare_;
  std::deque<Value> values_;
};

// That of a value that SpirvIr made.
inline SpirvIr& SpirvOf(V x) { return static_cast<SpirvIr&>(*x.ir); }

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_CODEGEN_SPIRV_IR_H_
