#include "backends/host/serialized_program.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "backends/testing/test_programs.h"
#include "gmock/gmock.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace {

using ::testing::HasSubstr;

constexpr char kKind[] = "cpu 12";

std::unique_ptr<HloModule> SumModule() { return OrDie(ParseHloModule(kSumOfReplicas)); }

std::string Serialized(absl::string_view code = "") { return OrDie(SerializeProgram(kKind, *SumModule(), 4, 2, code)); }

// "OK", or the message of an InvalidArgument error.
std::string ParseError(absl::string_view bytes) {
  const auto program = ParseSerializedProgram(kKind, bytes);
  if (program.ok()) return "OK";
  EXPECT_EQ(program.status().code(), absl::StatusCode::kInvalidArgument) << program.status();
  return std::string(program.status().message());
}

TEST(SerializedProgram, ComesBackAsItWas) {
  const std::string code("\n, 1 x 1\n\0\xff", 11);
  for (const std::string& with : {std::string(), code}) {
    const std::string bytes = Serialized(with);
    const SerializedProgram program = OrDie(ParseSerializedProgram(kKind, bytes));
    EXPECT_EQ(program.replica_count, 4);
    EXPECT_EQ(program.partition_count, 2);
    EXPECT_EQ(program.code, with);
    EXPECT_EQ(ModuleToString(*program.module), ModuleToString(*SumModule()));
  }
}

TEST(SerializedProgram, RefusesOtherKindsAndVersions) {
  const std::string bytes = Serialized("code");
  for (const char* kind : {"cpu 13", "cpu 1", "cpu 122", "interpreter 12", ""}) {
    EXPECT_EQ(ParseSerializedProgram(kind, bytes).status().code(), absl::StatusCode::kInvalidArgument) << kind;
  }
  EXPECT_EQ(ParseSerializedProgram("cpu 13", bytes).status().message(),
            "the executable is of another backend or version: 'cpu 12, 4 x 2, 4', expected 'cpu 13, ...'; compile the "
            "program again");
}

TEST(SerializedProgram, SaysWhatIsDamaged) {
  const std::string bytes = Serialized("code");
  EXPECT_EQ(ParseError("HloModule m"), "not a serialised executable: it does not begin with \"halo executable\"");
  EXPECT_EQ(ParseError(bytes.substr(0, 20)), "damaged executable: its first line does not end");
  EXPECT_EQ(ParseError(absl::StrReplaceAll(bytes, {{"4 x 2", "4 y 2"}})),
            "damaged executable: expected 'REPLICAS x PARTITIONS', got '4 y 2, 4'");
  EXPECT_EQ(ParseError(absl::StrReplaceAll(bytes, {{"4 x 2", "-4 x 2"}})),
            "damaged executable: expected 'REPLICAS x PARTITIONS', got '-4 x 2, 4'");
  EXPECT_NE(ParseError(absl::StrReplaceAll(bytes, {{"4 x 2", "4 x 0"}})), "OK");
  EXPECT_THAT(ParseError(absl::StrReplaceAll(bytes, {{"2, 4\n", "2, 1000000\n"}})),
              HasSubstr("it ends within its code, which takes 1000000 bytes"));
  EXPECT_NE(ParseError(absl::StrReplaceAll(bytes, {{"2, 4\n", "2, 99999999999999999999\n"}})), "OK");
  EXPECT_NE(ParseError(absl::StrReplaceAll(bytes, {{"2, 4\n", "2, -4\n"}})), "OK");
}

TEST(SerializedProgram, ReportsEveryTruncation) {
  const std::string bytes = Serialized("code");
  int accepted = 0;
  for (size_t length = 0; length < bytes.size(); ++length) {
    accepted += ParseError(absl::string_view(bytes).substr(0, length)) == "OK" ? 1 : 0;
  }
  // A message that ends between two of its fields is a message without the last ones.
  EXPECT_LT(accepted, 10);
}

// What is read from changed bytes need not be an error, but it must not be read beyond its end, and what is read can
// be looked at.
TEST(SerializedProgram, SurvivesEveryChangedByte) {
  const std::string bytes = Serialized("code");
  int refused = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const int flip : {0x01, 0x08, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      const auto program = ParseSerializedProgram(kKind, damaged);
      if (program.ok()) {
        ASSERT_NE(program->module, nullptr);
      } else {
        EXPECT_EQ(program.status().code(), absl::StatusCode::kInvalidArgument) << i << " " << program.status();
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, static_cast<int>(bytes.size()));
}

TEST(FingerprintOf, TellsProgramsAndNumbersOfDevicesApart) {
  const auto module = SumModule(), same = SumModule();
  const auto other = OrDie(ParseHloModule(absl::StrReplaceAll(kSumOfReplicas, {{"add(a, b)", "multiply(a, b)"}})));
  const std::string fingerprint = FingerprintOf(kKind, *module, 2, 1);
  EXPECT_TRUE(absl::StartsWith(fingerprint, "cpu-12-")) << fingerprint;
  EXPECT_EQ(FingerprintOf(kKind, *same, 2, 1), fingerprint);
  EXPECT_NE(FingerprintOf(kKind, *other, 2, 1), fingerprint);
  EXPECT_NE(FingerprintOf(kKind, *module, 1, 1), fingerprint);
  EXPECT_NE(FingerprintOf(kKind, *module, 2, 2), fingerprint);
  EXPECT_NE(FingerprintOf(kKind, *module, 1, 2), fingerprint);
  EXPECT_NE(FingerprintOf("cpu 13", *module, 2, 1), fingerprint);
}

}  // namespace
}  // namespace xla
