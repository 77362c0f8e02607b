// What only the text has: comments, blanks, names.
#include "tests/scaling/constructs.h"

namespace xla {
namespace {

void Comments(ProgramText& program, int64_t n) {
  std::string x = program.Parameter("f32[4]");
  for (int64_t i = 0; i < n; ++i) x = program.Add("f32[4] /*", i, "*/ sine(/*index=0*/ ", x, ") // the sine");
  program.Result(x);
}

void LongComment(ProgramText& program, int64_t n) {
  program.Preface(absl::StrCat("/*", std::string(n, '*'), "*/\n"));
  program.Result(program.Parameter("f32[4]"));
}

void Blanks(ProgramText& program, int64_t n) {
  program.Preface(std::string(n, ' '));
  program.Table(std::string(n, '\n'));
  program.Result(program.Add("f32[4]", std::string(n, '\t'), "sine(", program.Parameter("f32[4]"), ")"));
}

void LongName(ProgramText& program, int64_t n) {
  const std::string name(n, 'x');
  const std::string first =
      program.AddNamed(name + "1", absl::StrCat("f32[4] sine(", program.Parameter("f32[4]"), ")"));
  program.Result(program.AddNamed(name + "2", absl::StrCat("f32[4] sine(", first, ")")));
}

// n names of one length that differ at the end.
void SimilarNames(ProgramText& program, int64_t n) {
  std::string x = program.Parameter("f32[4]");
  for (int64_t i = 0; i < n; ++i) {
    x = program.AddNamed(absl::StrCat("jit_train_step_transformer_block_attention_softmax_sine.", i),
                         absl::StrCat("f32[4] sine(", x, ")"));
  }
  program.Result(x);
}

// Which all have to become different.
void EqualNames(ProgramText& program, int64_t n) {
  std::string x = program.Parameter("f32[4]");
  for (int64_t i = 0; i < n; ++i) {
    const std::string callee = program.Computation(" x = f32[4] parameter(0)\n ROOT x.1 = f32[4] sine(x)\n");
    x = program.Add("f32[4] call(", x, "), to_apply=", callee);
  }
  program.Result(x);
}

void OperandShapes(ProgramText& program, int64_t n) {
  std::string x = program.Parameter("f32[4]{0}");
  for (int64_t i = 0; i < n; ++i) x = program.Add("f32[4]{0} add(f32[4]{0} %", x, ", f32[4]{0} %", x, ")");
  program.Result(x);
}

void EscapedString(ProgramText& program, int64_t n) {
  std::string text;
  for (int64_t i = 0; i < n; ++i) text += "\\\"\\n";
  program.Result(program.Add("f32[4] sine(", program.Parameter("f32[4]"), "), metadata={op_name=\"", text, "\"}"));
}

// n mistakes, of which each is reported or counted.
void Mistakes(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[4]");
  for (int64_t i = 0; i < n; ++i) program.Add("f32[4] sinne(", x, ")");
  program.Result(x);
}

// n instructions that do not fit their operands.
void Violations(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[4]");
  for (int64_t i = 0; i < n; ++i) program.Add("f32[5] sine(", x, ")");
  program.Result(x);
}

}  // namespace

absl::Span<const Construct> TextConstructs() {
  static constexpr Construct kConstructs[] = {
      {"comments", "n comments", 1000, Comments},
      {"long-comment", "a comment of n characters", 200000, LongComment},
      {"blanks", "n spaces, line ends and tabs", 200000, Blanks},
      {"long-name", "a name of n characters", 100000, LongName},
      {"similar-names", "n names that differ at the end", 1000, SimilarNames},
      {"equal-names", "n names that are the same", 500, EqualNames},
      {"operand-shapes", "n operands with shapes", 1000, OperandShapes},
      {"escaped-string", "a string of n escapes", 50000, EscapedString},
      {"mistakes", "n mistakes of spelling", 1000, Mistakes},
      {"violations", "n instructions that the verifier refuses", 1000, Violations},
  };
  return kConstructs;
}

std::vector<Construct> HloConstructs() {
  std::vector<Construct> all;
  for (const absl::Span<const Construct> some :
       {OperandConstructs(), InstructionConstructs(), ComputationConstructs(), AttributeConstructs(),
        AnnotationConstructs(), LiteralConstructs(), TextConstructs()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace xla
