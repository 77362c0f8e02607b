#include "backends/cpu/codegen/llvm_ir.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "absl/container/inlined_vector.h"
#include "backends/cpu/codegen/lane_calls.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "xla_core/support/check.h"

namespace xla {
namespace codegen {
namespace {
llvm::Value* Of(V x) { return static_cast<llvm::Value*>(x.value); }
}  // namespace

struct LlvmIr::Builder {
  Builder(llvm::LLVMContext& context, llvm::Module& m) : ir(context), module(m) {}

  llvm::Type* Scalar(Kind kind) {
    switch (kind) {
      case Kind::kF32:
        return ir.getFloatTy();
      case Kind::kF64:
        return ir.getDoubleTy();
      case Kind::kPointer:
        return ir.getPtrTy();
      default:
        return ir.getIntNTy(BitsOf(kind));
    }
  }
  llvm::Type* TypeOf(Kind kind, int lanes) {
    if (lanes == 1) return Scalar(kind);
    return llvm::FixedVectorType::get(Scalar(kind), lanes);
  }
  llvm::Type* HalfType(int lanes) {
    if (lanes == 1) return ir.getHalfTy();
    return llvm::FixedVectorType::get(ir.getHalfTy(), lanes);
  }
  llvm::Function* AddFunction(const std::string& name, llvm::ArrayRef<llvm::Type*> arguments,
                              llvm::GlobalValue::LinkageTypes linkage) {
    auto* type = llvm::FunctionType::get(ir.getVoidTy(), arguments, false);
    return llvm::Function::Create(type, linkage, name, module);
  }
  void BeginFunction(llvm::Function* f, int vector_bytes) {
    function = f;
    temporaries.clear();
    f->addFnAttr(llvm::Attribute::NoUnwind);
    f->addFnAttr("prefer-vector-width", std::to_string(vector_bytes * 8));
    f->addFnAttr("min-legal-vector-width", std::to_string(vector_bytes * 8));
    entry = llvm::BasicBlock::Create(ir.getContext(), "entry", f);
    auto* body = llvm::BasicBlock::Create(ir.getContext(), "body", f);
    ir.SetInsertPoint(body);
  }

  llvm::IRBuilder<> ir;
  llvm::Module& module;
  llvm::Function* function = nullptr;
  llvm::BasicBlock* entry = nullptr;  // what the stack is taken in
  std::map<std::pair<int, int64_t>, V> temporaries;
  // By the number of V::memory: what an access is of, and what it is not of.
  std::vector<std::pair<llvm::MDNode*, llvm::MDNode*>> scopes;
};

LlvmIr::LlvmIr(llvm::LLVMContext& context, llvm::Module& module, int vector_bytes, bool has_half,
               bool has_half_arithmetic)
    : b_(std::make_unique<Builder>(context, module)),
      rare_(MakeLaneCalls()),
      vector_bytes_(vector_bytes),
      has_half_(has_half),
      has_half_arithmetic_(has_half_arithmetic) {}
LlvmIr::~LlvmIr() = default;

V LlvmIr::Make(llvm::Value* value, Kind kind, int lanes) { return {this, value, kind, lanes}; }
RareOperations& LlvmIr::rare() { return *rare_; }

// ---- Constants

V LlvmIr::Int(Kind kind, int64_t x, int lanes) {
  return Make(llvm::ConstantInt::get(b_->TypeOf(kind, lanes), static_cast<uint64_t>(x), true), kind, lanes);
}
V LlvmIr::Float(Kind kind, double x, int lanes) {
  if (!IsFloatKind(kind)) return Int(kind, static_cast<int64_t>(x), lanes);
  return Make(llvm::ConstantFP::get(b_->TypeOf(kind, lanes), x), kind, lanes);
}
V LlvmIr::LaneNumbers(Kind kind, int lanes) {
  if (lanes == 1) return Int(kind, 0);
  std::vector<llvm::Constant*> numbers;
  for (int i = 0; i < lanes; ++i) numbers.push_back(llvm::ConstantInt::get(b_->Scalar(kind), i));
  return Make(llvm::ConstantVector::get(numbers), kind, lanes);
}
absl::optional<int64_t> LlvmIr::ConstantInt(V x) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(Of(x));
  if (constant != nullptr && x.lanes > 1) constant = constant->getSplatValue();
  auto* const number = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant);
  if (number == nullptr) return absl::nullopt;
  return number->getSExtValue();
}
absl::optional<double> LlvmIr::ConstantFloat(V x) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(Of(x));
  if (constant != nullptr && x.lanes > 1) constant = constant->getSplatValue();
  auto* const number = llvm::dyn_cast_or_null<llvm::ConstantFP>(constant);
  if (number == nullptr) return absl::nullopt;
  return number->getValueAPF().convertToDouble();
}

// ---- Arithmetic

void LlvmIr::Equalize(V& x, V& y) {
  if (x.lanes == 1 && y.lanes > 1) x = LlvmOf(x).Splat(x, y.lanes);
  if (y.lanes == 1 && x.lanes > 1) y = LlvmOf(y).Splat(y, x.lanes);
  CHECK(x.lanes == y.lanes);
}

namespace {

using BinaryOpcode = llvm::Instruction::BinaryOps;
constexpr BinaryOpcode kIntOps[] = {BinaryOpcode::Add,  BinaryOpcode::Sub,  BinaryOpcode::Mul,  BinaryOpcode::SDiv,
                                    BinaryOpcode::UDiv, BinaryOpcode::SRem, BinaryOpcode::URem, BinaryOpcode::And,
                                    BinaryOpcode::Or,   BinaryOpcode::Xor,  BinaryOpcode::Shl,  BinaryOpcode::LShr,
                                    BinaryOpcode::AShr};
constexpr BinaryOpcode kFloatOps[] = {BinaryOpcode::FAdd, BinaryOpcode::FSub, BinaryOpcode::FMul, BinaryOpcode::FDiv,
                                      BinaryOpcode::FDiv, BinaryOpcode::FRem, BinaryOpcode::FRem};

}  // namespace

V LlvmIr::Binary(Op op, V x, V y) {
  Equalize(x, y);
  CHECK(x.kind == y.kind);
  const BinaryOpcode opcode = (IsFloatKind(x.kind) ? kFloatOps : kIntOps)[static_cast<int>(op)];
  return Make(b_->ir.CreateBinOp(opcode, Of(x), Of(y)), x.kind, x.lanes);
}
V LlvmIr::AddIndex(V x, V y) {
  Equalize(x, y);
  return Make(b_->ir.CreateNSWAdd(Of(x), Of(y)), x.kind, x.lanes);
}
V LlvmIr::MultiplyIndex(V x, V y) {
  Equalize(x, y);
  return Make(b_->ir.CreateNSWMul(Of(x), Of(y)), x.kind, x.lanes);
}

// Compares with the predicates that HLO has for floats: ordered ones, except that NaN is not equal to anything.
V LlvmIr::Compare(Relation relation, V x, V y) {
  Equalize(x, y);
  CHECK(x.kind == y.kind);
  using P = llvm::CmpInst::Predicate;
  static constexpr P kIntPredicates[] = {P::ICMP_EQ,  P::ICMP_NE,  P::ICMP_SLT, P::ICMP_SLE, P::ICMP_SGT,
                                         P::ICMP_SGE, P::ICMP_ULT, P::ICMP_UGE, P::ICMP_EQ};
  static constexpr P kFloatPredicates[] = {P::FCMP_OEQ, P::FCMP_UNE, P::FCMP_OLT, P::FCMP_OLE, P::FCMP_OGT,
                                           P::FCMP_OGE, P::FCMP_OLT, P::FCMP_OGE, P::FCMP_UEQ};
  const int i = static_cast<int>(relation);
  llvm::Value* value = IsFloatKind(x.kind) ? b_->ir.CreateFCmp(kFloatPredicates[i], Of(x), Of(y))
                                           : b_->ir.CreateICmp(kIntPredicates[i], Of(x), Of(y));
  return Make(value, Kind::kI1, x.lanes);
}
V LlvmIr::Select(V condition, V on_true, V on_false) {
  Equalize(on_true, on_false);
  if (condition.lanes > 1 && on_true.lanes == 1) {
    on_true = Splat(on_true, condition.lanes);
    on_false = Splat(on_false, condition.lanes);
  }
  return Make(b_->ir.CreateSelect(Of(condition), Of(on_true), Of(on_false)), on_true.kind, on_true.lanes);
}
V LlvmIr::Negate(V x) {
  return Make(IsFloatKind(x.kind) ? b_->ir.CreateFNeg(Of(x)) : b_->ir.CreateNeg(Of(x)), x.kind, x.lanes);
}

namespace {
llvm::Intrinsic::ID IntrinsicOf(absl::string_view name) {
  static constexpr std::pair<absl::string_view, llvm::Intrinsic::ID> kIntrinsics[] = {
      {"fabs", llvm::Intrinsic::fabs}, {"sqrt", llvm::Intrinsic::sqrt},         {"floor", llvm::Intrinsic::floor},
      {"ceil", llvm::Intrinsic::ceil}, {"trunc", llvm::Intrinsic::trunc},       {"round", llvm::Intrinsic::round},
      {"rint", llvm::Intrinsic::rint}, {"copysign", llvm::Intrinsic::copysign}, {"ctpop", llvm::Intrinsic::ctpop},
      {"ctlz", llvm::Intrinsic::ctlz}, {"smax", llvm::Intrinsic::smax},         {"smin", llvm::Intrinsic::smin},
      {"umax", llvm::Intrinsic::umax}, {"umin", llvm::Intrinsic::umin},
  };
  for (const auto& [known, id] : kIntrinsics) {
    if (known == name) return id;
  }
  CHECK(false);
}
}  // namespace

V LlvmIr::Intrinsic1(absl::string_view name, V x) {
  const llvm::Intrinsic::ID id = IntrinsicOf(name);
  llvm::Value* value = id == llvm::Intrinsic::ctlz ? b_->ir.CreateBinaryIntrinsic(id, Of(x), b_->ir.getFalse())
                                                   : b_->ir.CreateUnaryIntrinsic(id, Of(x));
  return Make(value, x.kind, x.lanes);
}
V LlvmIr::Intrinsic2(absl::string_view name, V x, V y) {
  Equalize(x, y);
  return Make(b_->ir.CreateBinaryIntrinsic(IntrinsicOf(name), Of(x), Of(y)), x.kind, x.lanes);
}
V LlvmIr::MultiplyHigh(V x, V y, int bits, bool is_signed) {
  const Kind wide = IntKind(2 * BitsOf(x.kind));
  const auto extend = [&](V v) { return is_signed ? SignExtend(v, wide) : ZeroExtend(v, wide); };
  return ZeroExtend(extend(x) * extend(y) >> bits, x.kind);
}
V LlvmIr::Fma(V x, V y, V z) {
  Equalize(x, y);
  Equalize(x, z);
  Equalize(x, y);
  llvm::Value* value =
      b_->ir.CreateIntrinsic(llvm::Intrinsic::fma, {b_->TypeOf(x.kind, x.lanes)}, {Of(x), Of(y), Of(z)});
  return Make(value, x.kind, x.lanes);
}

// x * 2^n by one instruction of AVX-512, in parts of a register each; nullopt on other processors, or for vectors
// that are not whole registers.
absl::optional<V> LlvmIr::ScaledAtOnce(V x, V n) {
  // Registers of this many bytes are those of AVX-512.
  constexpr int kRegisterBytes = 64;
  const int lanes = kRegisterBytes * 8 / BitsOf(x.kind);
  if (vector_bytes_ != kRegisterBytes || x.lanes % lanes != 0) return absl::nullopt;
  const bool single = x.kind == Kind::kF32;
  const auto id =
      single ? llvm::Intrinsic::x86_avx512_mask_scalef_ps_512 : llvm::Intrinsic::x86_avx512_mask_scalef_pd_512;
  llvm::Value* const all = single ? b_->ir.getInt16(0xffff) : b_->ir.getInt8(0xff);
  constexpr int kCurrentRounding = 4;
  std::vector<V> parts;
  for (int begin = 0; begin < x.lanes; begin += lanes) {
    const V part = x.lanes == lanes ? x : Slice(x, begin, lanes);
    const V power = n.lanes == lanes ? n : Slice(n, begin, lanes);
    llvm::Value* const value =
        b_->ir.CreateIntrinsic(id, {}, {Of(part), Of(power), Of(part), all, b_->ir.getInt32(kCurrentRounding)});
    parts.push_back(Make(value, x.kind, lanes));
  }
  return Joined(parts);
}

// ---- Conversions

V LlvmIr::Bitcast(V x, Kind kind) {
  return Make(b_->ir.CreateBitCast(Of(x), b_->TypeOf(kind, x.lanes)), kind, x.lanes);
}
V LlvmIr::SignExtend(V x, Kind kind) {
  return Make(b_->ir.CreateSExtOrTrunc(Of(x), b_->TypeOf(kind, x.lanes)), kind, x.lanes);
}
V LlvmIr::ZeroExtend(V x, Kind kind) {
  return Make(b_->ir.CreateZExtOrTrunc(Of(x), b_->TypeOf(kind, x.lanes)), kind, x.lanes);
}
V LlvmIr::IntToFloat(V x, Kind kind, bool is_signed) {
  llvm::Type* const type = b_->TypeOf(kind, x.lanes);
  return Make(is_signed ? b_->ir.CreateSIToFP(Of(x), type) : b_->ir.CreateUIToFP(Of(x), type), kind, x.lanes);
}
V LlvmIr::FloatToIntInRange(V x, Kind kind, bool is_signed) {
  llvm::Type* const type = b_->TypeOf(kind, x.lanes);
  return Make(is_signed ? b_->ir.CreateFPToSI(Of(x), type) : b_->ir.CreateFPToUI(Of(x), type), kind, x.lanes);
}
V LlvmIr::FloatToFloat(V x, Kind kind) {
  return Make(b_->ir.CreateFPCast(Of(x), b_->TypeOf(kind, x.lanes)), kind, x.lanes);
}
V LlvmIr::HalfBitsToFloat(V bits) {
  llvm::Type* const type = b_->TypeOf(Kind::kF32, bits.lanes);
  llvm::Value* half = b_->ir.CreateBitCast(Of(bits), b_->HalfType(bits.lanes));
  llvm::Value* wide = b_->ir.CreateFPExt(half, type);
  // Behind a fence, or LLVM would compare the halves themselves, for which most processors have no vectors.
  if (!llvm::isa<llvm::Constant>(wide)) wide = b_->ir.CreateArithmeticFence(wide, type);
  return Make(wide, Kind::kF32, bits.lanes);
}
V LlvmIr::HalfBinary(Op op, V x_bits, V y_bits) {
  Equalize(x_bits, y_bits);
  llvm::Type* const half = b_->HalfType(x_bits.lanes);
  llvm::Value* const x = b_->ir.CreateBitCast(Of(x_bits), half);
  llvm::Value* const y = b_->ir.CreateBitCast(Of(y_bits), half);
  llvm::Value* const result = b_->ir.CreateBinOp(kFloatOps[static_cast<int>(op)], x, y);
  return Make(b_->ir.CreateBitCast(result, b_->TypeOf(Kind::kI16, x_bits.lanes)), Kind::kI16, x_bits.lanes);
}
V LlvmIr::FloatToHalfBits(V x) {
  llvm::Value* half = b_->ir.CreateFPTrunc(Of(x), b_->HalfType(x.lanes));
  return Make(b_->ir.CreateBitCast(half, b_->TypeOf(Kind::kI16, x.lanes)), Kind::kI16, x.lanes);
}

// ---- Lanes

V LlvmIr::Splat(V x, int lanes) {
  if (x.lanes == lanes) return x;
  CHECK(x.lanes == 1);
  return Make(b_->ir.CreateVectorSplat(lanes, Of(x)), x.kind, lanes);
}
V LlvmIr::Shuffle(V x, V y, absl::Span<const int> lanes) {
  llvm::Value* value = b_->ir.CreateShuffleVector(Of(x), Of(y), llvm::ArrayRef<int>(lanes.data(), lanes.size()));
  return Make(value, x.kind, static_cast<int>(lanes.size()));
}
V LlvmIr::Slice(V x, int begin, int lanes) {
  if (lanes == 1) return Extract(x, begin);
  std::vector<int> chosen(lanes);
  std::iota(chosen.begin(), chosen.end(), begin);
  return Shuffle(x, x, chosen);
}
V LlvmIr::Joined(absl::Span<const V> parts) {
  std::vector<V> joined(parts.begin(), parts.end());
  while (joined.size() > 1) {
    std::vector<int> all(2 * joined[0].lanes);
    std::iota(all.begin(), all.end(), 0);
    for (size_t i = 0; i < joined.size() / 2; ++i) joined[i] = Shuffle(joined[2 * i], joined[2 * i + 1], all);
    joined.resize(joined.size() / 2);
  }
  return joined[0];
}
V LlvmIr::Extract(V x, V lane) {
  if (x.lanes == 1) return x;
  return Make(b_->ir.CreateExtractElement(Of(x), Of(lane)), x.kind, 1);
}
V LlvmIr::Extract(V x, int lane) { return Extract(x, Int(Kind::kI64, lane)); }
V LlvmIr::Insert(V x, V element, V lane) {
  return Make(b_->ir.CreateInsertElement(Of(x), Of(element), Of(lane)), x.kind, x.lanes);
}
V LlvmIr::AnyLane(V mask) {
  if (mask.lanes == 1) return mask;
  llvm::Value* bits = b_->ir.CreateBitCast(Of(mask), b_->ir.getIntNTy(mask.lanes));
  return Make(b_->ir.CreateICmpNE(bits, llvm::ConstantInt::get(bits->getType(), 0)), Kind::kI1, 1);
}

// ---- Memory

void LlvmIr::Mark(llvm::Value* access, V pointer) {
  if (pointer.memory < 0) return;
  auto* const instruction = llvm::cast<llvm::Instruction>(access);
  instruction->setMetadata(llvm::LLVMContext::MD_alias_scope, b_->scopes[pointer.memory].first);
  instruction->setMetadata(llvm::LLVMContext::MD_noalias, b_->scopes[pointer.memory].second);
}

V LlvmIr::Offset(V pointer, V element, int64_t element_bytes) {
  llvm::Type* const bytes = llvm::ArrayType::get(b_->ir.getInt8Ty(), element_bytes);
  V address = Make(b_->ir.CreateInBoundsGEP(bytes, Of(pointer), {Of(element)}), Kind::kPointer,
                   std::max(pointer.lanes, element.lanes));
  address.memory = pointer.memory;
  return address;
}
V LlvmIr::Load(V pointer, Kind kind, int lanes, int alignment) {
  llvm::Value* const value = b_->ir.CreateAlignedLoad(b_->TypeOf(kind, lanes), Of(pointer), llvm::Align(alignment));
  Mark(value, pointer);
  return Make(value, kind, lanes);
}
void LlvmIr::Store(V pointer, V x, int alignment) {
  Mark(b_->ir.CreateAlignedStore(Of(x), Of(pointer), llvm::Align(alignment)), pointer);
}
void LlvmIr::StoreStreaming(V pointer, V x, int alignment) {
  auto* const store = b_->ir.CreateAlignedStore(Of(x), Of(pointer), llvm::Align(alignment));
  store->setMetadata(llvm::LLVMContext::MD_nontemporal,
                     llvm::MDNode::get(b_->ir.getContext(), llvm::ConstantAsMetadata::get(b_->ir.getInt32(1))));
  Mark(store, pointer);
}
void LlvmIr::StoreFence() { b_->ir.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {}); }
void LlvmIr::Prefetch(V pointer) {
  constexpr int kRead = 0;
  constexpr int kAllCaches = 3;
  constexpr int kData = 1;
  b_->ir.CreateIntrinsic(llvm::Intrinsic::prefetch, {b_->ir.getPtrTy()},
                         {Of(pointer), b_->ir.getInt32(kRead), b_->ir.getInt32(kAllCaches), b_->ir.getInt32(kData)});
}
V LlvmIr::Address(V pointer) { return Make(b_->ir.CreatePtrToInt(Of(pointer), b_->ir.getInt64Ty()), Kind::kI64, 1); }
// A load of several registers of AVX2. Where the mask turns out to be false for all of one of them, LLVM 19 takes that
// part for undefined and loads without a mask, other numbers and perhaps beyond the array; so each is an instruction.
V LlvmIr::MaskedLoadOfRegisters(V pointer, V mask, V otherwise) {
  const bool is_double = BitsOf(otherwise.kind) == 64;
  const int lanes = vector_bytes_ * 8 / BitsOf(otherwise.kind);
  const llvm::Intrinsic::ID load =
      IsFloatKind(otherwise.kind)
          ? (is_double ? llvm::Intrinsic::x86_avx_maskload_pd_256 : llvm::Intrinsic::x86_avx_maskload_ps_256)
          : (is_double ? llvm::Intrinsic::x86_avx2_maskload_q_256 : llvm::Intrinsic::x86_avx2_maskload_d_256);
  llvm::Value* const masks =
      b_->ir.CreateSExt(Of(mask), b_->TypeOf(is_double ? Kind::kI64 : Kind::kI32, otherwise.lanes));
  std::vector<llvm::Value*> parts;
  for (int first = 0; first < otherwise.lanes; first += lanes) {
    std::vector<int> order(lanes);
    std::iota(order.begin(), order.end(), first);
    llvm::Value* const address = b_->ir.CreateConstInBoundsGEP1_64(
        b_->ir.getInt8Ty(), Of(pointer), static_cast<uint64_t>(first) * BitsOf(otherwise.kind) / 8);
    parts.push_back(b_->ir.CreateIntrinsic(load, {}, {address, b_->ir.CreateShuffleVector(masks, order)}));
    Mark(parts.back(), pointer);
  }
  for (int width = lanes; parts.size() > 1; width *= 2) {
    std::vector<int> order(2 * width);
    std::iota(order.begin(), order.end(), 0);
    for (size_t i = 0; i < parts.size() / 2; ++i) {
      parts[i] = b_->ir.CreateShuffleVector(parts[2 * i], parts[2 * i + 1], order);
    }
    parts.resize(parts.size() / 2);
  }
  return Make(b_->ir.CreateSelect(Of(mask), parts[0], Of(otherwise)), otherwise.kind, otherwise.lanes);
}
V LlvmIr::MaskedLoad(V pointer, V mask, V otherwise, int alignment) {
  constexpr int kBytesOfAvx2 = 32;
  const int bits = BitsOf(otherwise.kind);
  if (vector_bytes_ == kBytesOfAvx2 && (bits == 32 || bits == 64) && otherwise.lanes * bits > 8 * kBytesOfAvx2) {
    return MaskedLoadOfRegisters(pointer, mask, otherwise);
  }
  llvm::Type* const type = b_->TypeOf(otherwise.kind, otherwise.lanes);
  llvm::Value* const value =
      b_->ir.CreateMaskedLoad(type, Of(pointer), llvm::Align(alignment), Of(mask), Of(otherwise));
  Mark(value, pointer);
  return Make(value, otherwise.kind, otherwise.lanes);
}
void LlvmIr::MaskedStore(V pointer, V x, V mask, int alignment) {
  Mark(b_->ir.CreateMaskedStore(Of(x), Of(pointer), llvm::Align(alignment), Of(mask)), pointer);
}
V LlvmIr::Gather(V pointers, V mask, V otherwise, int alignment) {
  llvm::Type* const type = b_->TypeOf(otherwise.kind, otherwise.lanes);
  llvm::Value* const condition = mask.exists() ? Of(mask) : nullptr;
  llvm::Value* const value =
      b_->ir.CreateMaskedGather(type, Of(pointers), llvm::Align(alignment), condition, Of(otherwise));
  Mark(value, pointers);
  return Make(value, otherwise.kind, otherwise.lanes);
}
void LlvmIr::Scatter(V pointers, V x, V mask, int alignment) {
  llvm::Value* const condition = mask.exists() ? Of(mask) : nullptr;
  Mark(b_->ir.CreateMaskedScatter(Of(x), Of(pointers), llvm::Align(alignment), condition), pointers);
}
V LlvmIr::Stack(int64_t bytes) {
  llvm::IRBuilder<> entry(b_->entry);
  auto* slot = entry.CreateAlloca(llvm::ArrayType::get(entry.getInt8Ty(), bytes));
  slot->setAlignment(llvm::Align(64));
  return Make(slot, Kind::kPointer, 1);
}
V LlvmIr::StackInteger(int64_t x) {
  llvm::IRBuilder<> entry(b_->entry);
  auto* const slot = entry.CreateAlloca(entry.getInt64Ty());
  entry.CreateStore(entry.getInt64(static_cast<uint64_t>(x)), slot);
  return Make(slot, Kind::kPointer, 1);
}
V LlvmIr::TemporaryStack(int number, int64_t bytes) {
  V& slot = b_->temporaries[{number, bytes}];
  if (!slot.exists()) slot = Stack(bytes);
  return slot;
}

// ---- Control

Block LlvmIr::NewBlock(const char* name) { return llvm::BasicBlock::Create(b_->ir.getContext(), name, b_->function); }
Block LlvmIr::CurrentBlock() { return b_->ir.GetInsertBlock(); }
void LlvmIr::SetBlock(Block block) { b_->ir.SetInsertPoint(block); }
void LlvmIr::Branch(Block target) { b_->ir.CreateBr(target); }
void LlvmIr::Branch(V condition, Block on_true, Block on_false) {
  b_->ir.CreateCondBr(Of(condition), on_true, on_false);
}
void LlvmIr::BranchRarely(V condition, Block rarely, Block mostly) {
  llvm::MDBuilder builder(b_->ir.getContext());
  b_->ir.CreateCondBr(Of(condition), rarely, mostly, builder.createBranchWeights(1, 1 << 20));
}
V LlvmIr::Phi(Kind kind, int lanes) { return Make(b_->ir.CreatePHI(b_->TypeOf(kind, lanes), 2), kind, lanes); }
void LlvmIr::AddIncoming(V phi, V x, Block from) {
  CHECK(phi.kind == x.kind && phi.lanes == x.lanes);
  llvm::cast<llvm::PHINode>(Of(phi))->addIncoming(Of(x), from);
}

// ---- Functions

std::vector<V> LlvmIr::BeginKernelFunction(const std::string& name) {
  llvm::Type* const pointer = b_->ir.getPtrTy();
  llvm::Type* const integer = b_->ir.getInt64Ty();
  llvm::Function* function =
      b_->AddFunction(name, {pointer, pointer, integer, integer, pointer}, llvm::GlobalValue::ExternalLinkage);
  b_->BeginFunction(function, vector_bytes_);
  std::vector<V> arguments;
  for (int i = 0; i < 5; ++i) {
    const bool is_integer = i == 2 || i == 3;
    arguments.push_back(Make(function->getArg(i), is_integer ? Kind::kI64 : Kind::kPointer, 1));
  }
  return arguments;
}

void LlvmIr::EndFunction() {
  b_->ir.CreateRetVoid();
  llvm::IRBuilder<> entry(b_->entry);
  entry.CreateBr(b_->entry->getNextNode());
}

// Tells LLVM that pointers of different groups never address the same memory, by alias scopes that loads and stores
// through them are marked with. Pointers of one group may overlap. Each scope names all others, and LLVM goes through
// these for each pair of accesses: beyond some number, groups share scopes, so that less is known of them.
std::vector<V> LlvmIr::TellApart(absl::Span<const V> pointers, absl::Span<const int> groups) {
  constexpr int kMostScopes = 64;
  llvm::MDBuilder builder(b_->ir.getContext());
  llvm::MDNode* const domain = builder.createAnonymousAliasScopeDomain();
  int count = 0;
  for (const int group : groups) count = std::max(count, group + 1);
  count = std::min(count, kMostScopes);
  std::vector<llvm::Metadata*> scopes;
  for (int i = 0; i < count; ++i) scopes.push_back(builder.createAnonymousAliasScope(domain));
  b_->scopes.clear();
  for (int i = 0; i < count; ++i) {
    std::vector<llvm::Metadata*> others = scopes;
    others.erase(others.begin() + i);
    b_->scopes.emplace_back(llvm::MDNode::get(b_->ir.getContext(), scopes[i]),
                            llvm::MDNode::get(b_->ir.getContext(), others));
  }
  std::vector<V> marked(pointers.begin(), pointers.end());
  for (size_t i = 0; i < marked.size(); ++i) marked[i].memory = groups[i] % kMostScopes;
  return marked;
}

// A call of a function outside of the module, by C calling conventions. It is declared to touch only memory that it
// gets pointers to, so that loads around it can move.
void LlvmIr::CallOutside(const std::string& name, absl::Span<const V> arguments) {
  llvm::Function* function = b_->module.getFunction(name);
  if (function == nullptr) {
    std::vector<llvm::Type*> types;
    for (const V& argument : arguments) types.push_back(b_->TypeOf(argument.kind, argument.lanes));
    function = b_->AddFunction(name, types, llvm::GlobalValue::ExternalLinkage);
    function->addFnAttr(llvm::Attribute::NoUnwind);
    function->addFnAttr(llvm::Attribute::WillReturn);
    function->setMemoryEffects(llvm::MemoryEffects::argMemOnly());
  }
  std::vector<llvm::Value*> values;
  for (const V& argument : arguments) values.push_back(Of(argument));
  b_->ir.CreateCall(function, values);
}

V LlvmIr::CallBlindly(V function, V argument) {
  auto* const type = llvm::FunctionType::get(b_->ir.getInt32Ty(), {b_->ir.getPtrTy()}, false);
  llvm::CallInst* const call = b_->ir.CreateCall(type, Of(function), {Of(argument)});
  call->setDoesNotThrow();
  call->addFnAttr(llvm::Attribute::WillReturn);
  call->addFnAttr(llvm::Attribute::Cold);
  call->setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
  return Make(call, Kind::kI32, 1);
}

}  // namespace codegen
}  // namespace xla
