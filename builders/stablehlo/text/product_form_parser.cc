// Pretty forms of products and convolutions.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/text/operation_parser.h"

namespace xla {
namespace stablehlo {

// After `precision =`: [HIGH, DEFAULT]
bool OperationParser::ReadPrecision(State* state) {
  std::vector<AttributeId> precisions;
  const EnumForm& form = *FindEnumForm("stablehlo", "precision");
  const bool is_read = ReadList('[', ']', [&] {
    precisions.emplace_back();
    return ReadEnumerator("stablehlo", form, &precisions.back());
  });
  return is_read && Put("precision_config", module_.Intern(ArrayAttribute(precisions)), state);
}

// %a, %b, precision = [DEFAULT, HIGHEST] : (T, T) -> R
bool OperationParser::ReadDot(State* state) {
  if (!ReadOperand(state) || !Expect(',') || !ReadOperand(state)) return false;
  if (ConsumeIf(',') && (!ExpectAssignment("precision") || !ReadPrecision(state))) return false;
  return ReadOptionalDictionary(&state->attributes) && Expect(':') && ReadFunctionalType(state);
}

// [2] x [1]
bool OperationParser::ReadDimensionPair(std::vector<int64_t>* lhs, std::vector<int64_t>* rhs) {
  return ReadIntegers(lhs) && ExpectWord("x") && ReadIntegers(rhs);
}

// %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [..], algorithm = <..> : (T, T) -> R
bool OperationParser::ReadDotGeneral(State* state) {
  std::vector<int64_t> batching[2];
  std::vector<int64_t> contracting[2];
  if (!ReadOperand(state) || !Expect(',') || !ReadOperand(state)) return false;
  // Clauses come in this order, each at most once.
  int next_clause = 0;
  while (ConsumeIf(',')) {
    constexpr absl::string_view kClauses[] = {"batching_dims", "contracting_dims", "precision", "algorithm"};
    int clause = next_clause;
    while (clause < 4 && !token().IsWord(kClauses[clause])) ++clause;
    if (clause == 4) return ErrorExpected("contracting_dims, precision or algorithm");
    next_clause = clause + 1;
    Advance();
    if (!Expect('=')) return false;
    AttributeId algorithm;
    const bool is_read = clause == 0   ? ReadDimensionPair(&batching[0], &batching[1])
                         : clause == 1 ? ReadDimensionPair(&contracting[0], &contracting[1])
                         : clause == 2 ? ReadPrecision(state)
                                       : ReadStruct(*FindStructForm("stablehlo.dot_algorithm"), &algorithm) &&
                                             Put("algorithm", algorithm, state);
    if (!is_read) return false;
  }
  const AttributeId dimensions =
      module_.Struct("stablehlo.dot", {{"lhs_batching_dimensions", module_.Int64Array(batching[0])},
                                       {"rhs_batching_dimensions", module_.Int64Array(batching[1])},
                                       {"lhs_contracting_dimensions", module_.Int64Array(contracting[0])},
                                       {"rhs_contracting_dimensions", module_.Int64Array(contracting[1])}});
  return Put("dot_dimension_numbers", dimensions, state) && ReadOptionalDictionary(&state->attributes) && Expect(':') &&
         ReadFunctionalType(state);
}

// (%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2]} {...} : (T, T) -> R
bool OperationParser::ReadConvolution(State* state) {
  AttributeId dimensions;
  return ReadOperandsInParens(state) && CheckOperandCount(*state, 2) && ExpectAssignment("dim_numbers") &&
         ReadDimensionLetters(&dimensions) && Put("dimension_numbers", dimensions, state) && Expect(',') &&
         ExpectAssignment("window") && ReadWindow(state) && ReadOptionalDictionary(&state->attributes) && Expect(':') &&
         ReadFunctionalType(state);
}

bool OperationParser::ReadWindow(State* state) {
  return ReadList('{', '}', [&] { return ReadWindowEntry(state); });
}

bool OperationParser::ReadWindowEntry(State* state) {
  constexpr absl::string_view kLists[][2] = {
      {"stride", "window_strides"}, {"lhs_dilate", "lhs_dilation"}, {"rhs_dilate", "rhs_dilation"}};
  for (const auto& list : kLists) {
    if (!ConsumeWordIf(list[0])) continue;
    std::vector<int64_t> values;
    return Expect('=') && ReadIntegers(&values) && Put(list[1], module_.Int64Array(values), state);
  }
  if (ConsumeWordIf("pad")) return Expect('=') && ReadPadding(state);
  if (ConsumeWordIf("reverse")) return Expect('=') && ReadReversal(state);
  return ErrorExpected("stride, pad, lhs_dilate, rhs_dilate or reverse");
}

// [[0, 1], [0, 1]]
bool OperationParser::ReadPadding(State* state) {
  std::vector<int64_t> values;
  const bool is_read = ReadList('[', ']', [&] {
    const char* const at = token().begin();
    const size_t before = values.size();
    if (!ReadIntegers(&values)) return false;
    return values.size() == before + 2 || ErrorAt(at, "expected two numbers, the low and the high padding");
  });
  if (!is_read) return false;
  const TypeId type =
      module_.Intern(TensorType({static_cast<int64_t>(values.size()) / 2, 2}, module_.Intern(IntegerType(64))));
  absl::string_view data(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(int64_t));
  if (data.size() > kMaxInternedBytes) data = module_.KeepBytes(data);
  return Put("padding", module_.Intern(DenseElementsAttribute(type, data, /*is_splat=*/false)), state);
}

// [false, true] or [0, 1]
bool OperationParser::ReadReversal(State* state) {
  std::string bits;
  const bool is_read = ReadList('[', ']', [&] {
    bool bit = false;
    int64_t number = 0;
    if (token().Is(TokenKind::kInteger) ? !ReadInteger(&number) : !ReadBool(&bit)) return false;
    bits.push_back(bit || number != 0);
    return true;
  });
  if (!is_read) return false;
  absl::string_view data = bits;
  if (data.size() > kMaxInternedBytes) data = module_.KeepBytes(data);
  return Put("window_reversal", module_.Intern(DenseArrayAttribute(module_.Intern(IntegerType(1)), data)), state);
}

}  // namespace stablehlo
}  // namespace xla
