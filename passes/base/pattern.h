// Patterns of instructions, for the conditions of rewrite rules, which can say why they did not match.
//
//   HloInstruction *x, *scale;
//   Match(root, m::Op(HloOpcode::kMultiply, m::Any(&x), m::Op(HloOpcode::kBroadcast, m::Constant(&scale))))
//   Match(root, m::AnyOrder(HloOpcode::kAdd, m::Any(&x), m::Splat(0)))
//
// A pattern's captures are set only if the whole pattern matches as far as it got: read them after success only.
#ifndef PASSES_BASE_PATTERN_H_
#define PASSES_BASE_PATTERN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "passes/base/splat.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// Says where a pattern stopped matching: "broadcast.3 = f32[4] broadcast(x): expected a constant".
class MatchLog {
 public:
  void Fail(const HloInstruction& instruction, absl::string_view expected) {
    why_ = absl::StrCat(instruction.ToShortString(), ": expected ", expected);
  }
  const std::string& why() const { return why_; }

 private:
  std::string why_;
};

namespace m {

// Every pattern has `bool Match(HloInstruction*, MatchLog*) const`; the log may be nullptr.

inline bool Expect(bool holds, const HloInstruction& instruction, absl::string_view expected, MatchLog* log) {
  if (!holds && log != nullptr) log->Fail(instruction, expected);
  return holds;
}

// Matches every instruction. A capture points to a variable of the rule, which outlives the pattern.
class Any {
 public:
  explicit Any(HloInstruction** capture = nullptr) : capture_(capture) {}
  bool Match(HloInstruction* instruction, MatchLog*) const {
    if (capture_ != nullptr) *capture_ = instruction;
    return true;
  }

 private:
  HloInstruction** capture_;
};

// A constant whose value is known.
class Constant {
 public:
  explicit Constant(HloInstruction** capture = nullptr) : capture_(capture) {}
  bool Match(HloInstruction* instruction, MatchLog* log) const {
    const bool holds = instruction->opcode() == HloOpcode::kConstant &&
                       instruction->attributes<ConstantAttributes>().literal != nullptr;
    return Expect(holds, *instruction, "a constant with a value", log) && Any(capture_).Match(instruction, log);
  }

 private:
  HloInstruction** capture_;
};

// An array all of whose elements are `value`, as IsSplatOf has it: +0 is not -0.
class Splat {
 public:
  explicit Splat(int64_t value) : value_(value) {}
  bool Match(HloInstruction* instruction, MatchLog* log) const {
    return Expect(IsSplatOf(*instruction, value_), *instruction, absl::string_view("an array of equal constants"), log);
  }

 private:
  int64_t value_;
};

// This very instruction, named by a capture that is set before.
class Same {
 public:
  explicit Same(HloInstruction* const* other) : other_(other) {}
  bool Match(HloInstruction* instruction, MatchLog* log) const {
    return Expect(instruction == *other_, *instruction, "the same value again", log);
  }

 private:
  HloInstruction* const* other_;
};

// An opcode and, if any are given, patterns for all of its operands.
template <typename... Operands>
class OpPattern {
 public:
  explicit OpPattern(HloOpcode opcode, Operands... operands) : opcode_(opcode), operands_(std::move(operands)...) {}

  // Sets *capture to the instruction.
  OpPattern As(HloInstruction** capture) const {
    OpPattern copy = *this;
    copy.capture_ = capture;
    return copy;
  }
  // Has no other user, so that replacing its user makes it dead.
  OpPattern OneUse() const {
    OpPattern copy = *this;
    copy.one_use_ = true;
    return copy;
  }

  bool Match(HloInstruction* instruction, MatchLog* log) const {
    if (!Expect(instruction->opcode() == opcode_, *instruction, HloOpcodeName(opcode_), log)) return false;
    if (one_use_ && !Expect(instruction->users().size() == 1, *instruction, "one user", log)) return false;
    if (sizeof...(Operands) != 0 && !MatchOperands(instruction, log, std::index_sequence_for<Operands...>())) {
      return false;
    }
    return Any(capture_).Match(instruction, log);
  }

 private:
  template <size_t... kIndex>
  bool MatchOperands(HloInstruction* instruction, MatchLog* log, std::index_sequence<kIndex...>) const {
    if (!Expect(instruction->operand_count() == sizeof...(Operands), *instruction, "another number of operands", log)) {
      return false;
    }
    return (std::get<kIndex>(operands_).Match(instruction->operand(kIndex), log) && ...);
  }

  HloOpcode opcode_;
  std::tuple<Operands...> operands_;
  HloInstruction** capture_ = nullptr;
  bool one_use_ = false;
};

template <typename... Operands>
OpPattern<Operands...> Op(HloOpcode opcode, Operands... operands) {
  return OpPattern<Operands...>(opcode, std::move(operands)...);
}

// A binary operation whose operands match in one order or the other, the written order first.
template <typename Left, typename Right>
class AnyOrder {
 public:
  AnyOrder(HloOpcode opcode, Left left, Right right) : opcode_(opcode), left_(left), right_(right) {}
  bool Match(HloInstruction* instruction, MatchLog* log) const {
    if (!Expect(instruction->opcode() == opcode_, *instruction, HloOpcodeName(opcode_), log)) return false;
    HloInstruction* const x = instruction->operand(0);
    HloInstruction* const y = instruction->operand(1);
    return (left_.Match(x, log) && right_.Match(y, log)) || (left_.Match(y, log) && right_.Match(x, log));
  }

 private:
  HloOpcode opcode_;
  Left left_;
  Right right_;
};

}  // namespace m

template <typename Pattern>
bool Match(HloInstruction* instruction, const Pattern& pattern, MatchLog* log = nullptr) {
  return pattern.Match(instruction, log);
}

}  // namespace xla

#endif  // PASSES_BASE_PATTERN_H_
