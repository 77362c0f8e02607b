// Traits are asked for by any of several; maps and sets know every opcode; starts and dones are known as such.
#include "xla_core/ir/opcode_traits.h"

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "xla_core/ir/async_opcodes.h"
#include "xla_core/ir/opcode_map.h"

namespace xla {
namespace {

TEST(OpcodeTraits, AnyOfThoseAskedForCounts) {
  EXPECT_TRUE(HasTrait(HloOpcode::kTuple, opcode_trait::kView));
  EXPECT_TRUE(HasTrait(HloOpcode::kTuple, opcode_trait::kGiven | opcode_trait::kView));
  EXPECT_FALSE(HasTrait(HloOpcode::kTuple, opcode_trait::kGiven));
  EXPECT_FALSE(HasTrait(HloOpcode::kTuple, opcode_trait::kNone));
}

TEST(OpcodeTraits, LastRowIsThatOfTheLastOpcode) { EXPECT_TRUE(HasTrait(HloOpcode::kXor, opcode_trait::kAssociative)); }

TEST(OpcodeTraits, NamesOfStartsAndDonesTellTheirTraits) {
  for (const HloOpcode opcode : AllOpcodes()) {
    const absl::string_view name = HloOpcodeName(opcode);
    const bool updates = opcode == HloOpcode::kAsyncUpdate;
    const bool transfers = opcode == HloOpcode::kSend || opcode == HloOpcode::kRecv;
    EXPECT_EQ(HasTrait(opcode, opcode_trait::kBegins), absl::EndsWith(name, "-start") || updates || transfers) << name;
    EXPECT_EQ(HasTrait(opcode, opcode_trait::kEnds), absl::EndsWith(name, "-done") || updates) << name;
  }
}

TEST(AsyncOpcodes, AreFoundInEachRole) {
  for (const AsyncOpcodes& row : kAsyncOpcodes) {
    EXPECT_EQ(FindAsyncOpcodes(&AsyncOpcodes::whole, row.whole), &row);
    EXPECT_EQ(FindAsyncOpcodes(&AsyncOpcodes::start, row.start), &row);
    EXPECT_EQ(FindAsyncOpcodes(&AsyncOpcodes::done, row.done), &row);
  }
  EXPECT_EQ(FindAsyncOpcodes(&AsyncOpcodes::done, HloOpcode::kAsyncDone), nullptr);
}

TEST(OpcodeMap, KnowsEveryOpcode) {
  static constexpr OpcodeMap<int> kMap(/*otherwise=*/-1, {{HloOpcode::kAbs, 7}, {HloOpcode::kXor, 9}});
  for (const HloOpcode opcode : AllOpcodes()) {
    EXPECT_EQ(kMap[opcode], opcode == HloOpcode::kAbs ? 7 : opcode == HloOpcode::kXor ? 9 : -1);
  }
}

TEST(OpcodeSet, KnowsEveryOpcode) {
  static constexpr OpcodeSet kSet = {HloOpcode::kAbs, HloOpcode::kXor};
  for (const HloOpcode opcode : AllOpcodes()) {
    EXPECT_EQ(kSet.Has(opcode), opcode == HloOpcode::kAbs || opcode == HloOpcode::kXor);
  }
}

}  // namespace
}  // namespace xla
