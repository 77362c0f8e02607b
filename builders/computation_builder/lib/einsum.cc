// Einsum of matrix.h.
//
// Dimensions have labels: letters as their codes, those of "..." negative numbers counted from the right, -1 the last
// one, so that operands with different numbers of them are aligned. Each operand is brought to the labels that matter
// (diagonals taken, labels summed over that nothing else has); then one dot has the rest, and a transpose the order of
// the result.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "builders/computation_builder/lib/lib_call.h"
#include "builders/computation_builder/lib/matrix.h"
#include "builders/computation_builder/lib/reductions.h"

namespace xla {
namespace {

using Labels = std::vector<int64_t>;

struct Labelled {
  XlaOp op;
  Labels labels;
};

std::string LabelName(int64_t label) {
  return label < 0 ? "a dimension of ..." : absl::StrCat("'", std::string(1, static_cast<char>(label)), "'");
}

// The labels of one operand or of the result; `ellipsis_rank` is how many dimensions "..." stands for.
bool ParseLabels(LibCall& call, absl::string_view text, int64_t ellipsis_rank, Labels* labels) {
  bool had_ellipsis = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (absl::ascii_isalpha(static_cast<unsigned char>(text[i]))) {
      labels->push_back(text[i]);
    } else if (text.substr(i, 3) == "..." && !had_ellipsis) {
      had_ellipsis = true;
      for (int64_t d = ellipsis_rank; d > 0; --d) labels->push_back(-d);
      i += 2;
    } else {
      call.Fail(absl::StrCat("the formula must have letters and at most one ... for each array, got '", text, "'"));
      return false;
    }
  }
  return true;
}

bool HasEllipsis(absl::string_view text) { return text.find("...") != absl::string_view::npos; }

bool LabelOperand(LibCall& call, XlaOp op, absl::string_view text, Labelled* labelled, int64_t* ellipsis_rank) {
  const Shape shape = call.shape(op);
  const int64_t letters = absl::c_count_if(text, [](unsigned char c) { return absl::ascii_isalpha(c); });
  const int64_t rest = shape.rank() - letters;
  if (rest < 0 || (rest > 0 && !HasEllipsis(text))) {
    call.Fail(absl::StrCat("the formula must have one letter for each dimension of ", shape.ToString(), ", got '", text,
                           "'"));
    return false;
  }
  labelled->op = op;
  if (HasEllipsis(text)) *ellipsis_rank = std::max(*ellipsis_rank, rest);
  return ParseLabels(call, text, rest, &labelled->labels);
}

// Notes the size of each label; sizes of "..." may also be 1.
bool CollectSizes(LibCall& call, const Labelled& operand, std::map<int64_t, int64_t>* sizes) {
  const Shape shape = call.shape(operand.op);
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t label = operand.labels[i];
    int64_t& size = sizes->emplace(label, shape.dimension(i)).first->second;
    if (label < 0 && size == 1) size = shape.dimension(i);
    if (size == shape.dimension(i) || (label < 0 && shape.dimension(i) == 1)) continue;
    call.Fail(absl::StrCat("the formula gives ", LabelName(label), " two sizes, ", size, " and ", shape.dimension(i)));
    return false;
  }
  return true;
}

// Dimensions of "..." that have size 1 where the result has more are dropped: they are broadcast in the end.
void DropStretched(LibCall& call, const std::map<int64_t, int64_t>& sizes, Labelled* operand) {
  const Shape shape = call.shape(operand->op);
  DimensionVector dimensions;
  Labels labels;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.dimension(i) != sizes.at(operand->labels[i])) continue;
    dimensions.push_back(shape.dimension(i));
    labels.push_back(operand->labels[i]);
  }
  if (labels.size() == operand->labels.size()) return;
  operand->op = call->Reshape(operand->op, dimensions);
  operand->labels = labels;
}

// Moves two dimensions of one label to the end and takes their diagonal, until no label occurs twice.
void TakeDiagonals(LibCall& call, Labelled* operand) {
  for (size_t i = 0; i < operand->labels.size(); ++i) {
    const int64_t label = operand->labels[i];
    const auto again = std::find(operand->labels.begin() + i + 1, operand->labels.end(), label);
    if (again == operand->labels.end()) continue;
    const int64_t first = static_cast<int64_t>(i), second = again - operand->labels.begin();
    DimensionVector order = DimensionsWithout(call.shape(operand->op), {first, second});
    Labels labels;
    for (const int64_t d : order) labels.push_back(operand->labels[d]);
    labels.push_back(label);
    order.push_back(first);
    order.push_back(second);
    operand->op = GetMatrixDiagonal(call->Transpose(operand->op, order));
    operand->labels = labels;
    if (!call.ok()) return;
    --i;  // another label stands here now
  }
}

void SumOver(const Labels& needed, Labelled* operand) {
  DimensionVector summed;
  Labels labels;
  for (size_t i = 0; i < operand->labels.size(); ++i) {
    if (absl::c_linear_search(needed, operand->labels[i])) {
      labels.push_back(operand->labels[i]);
    } else {
      summed.push_back(static_cast<int64_t>(i));
    }
  }
  if (summed.empty()) return;
  operand->op = ReduceSum(operand->op, summed);
  operand->labels = labels;
}

// The product of two labelled arrays as one dot: labels of both are batch dimensions if the result has them, and
// contracted otherwise.
Labelled Multiply(LibCall& call, const Labelled& x, const Labelled& y, const Labels& result,
                  const DotOptions& options) {
  DotDimensionNumbers numbers;
  Labelled product;
  Labels x_rest, y_rest;
  for (size_t i = 0; i < x.labels.size(); ++i) {
    const auto in_y = absl::c_find(y.labels, x.labels[i]);
    if (in_y == y.labels.end()) {
      x_rest.push_back(x.labels[i]);
      continue;
    }
    const bool is_batch = absl::c_linear_search(result, x.labels[i]);
    (is_batch ? numbers.lhs_batch_dims : numbers.lhs_contracting_dims).push_back(static_cast<int64_t>(i));
    (is_batch ? numbers.rhs_batch_dims : numbers.rhs_contracting_dims).push_back(in_y - y.labels.begin());
    if (is_batch) product.labels.push_back(x.labels[i]);
  }
  for (const int64_t label : y.labels) {
    if (!absl::c_linear_search(x.labels, label)) y_rest.push_back(label);
  }
  product.labels.insert(product.labels.end(), x_rest.begin(), x_rest.end());
  product.labels.insert(product.labels.end(), y_rest.begin(), y_rest.end());
  product.op = call->DotGeneral(x.op, y.op, numbers, options);
  return product;
}

XlaOp Arrange(LibCall& call, const Labelled& product, const Labels& result) {
  DimensionVector order;
  for (const int64_t label : result) {
    const auto found = absl::c_find(product.labels, label);
    order.push_back(found - product.labels.begin());
  }
  return absl::c_is_sorted(order) ? product.op : call->Transpose(product.op, order);
}

bool CheckResult(LibCall& call, const Labels& result, const std::map<int64_t, int64_t>& sizes) {
  for (const int64_t label : result) {
    if (sizes.count(label) == 0 || absl::c_count(result, label) > 1) {
      call.Fail(absl::StrCat("the formula must have ", LabelName(label), " once in the result, and in an operand too"));
      return false;
    }
  }
  for (const auto& [label, size] : sizes) {
    if (label >= 0 || absl::c_linear_search(result, label)) continue;
    call.Fail("the formula must have ... in the result if an operand has it");
    return false;
  }
  return true;
}

// Checks the formula, then reduces each operand to what is needed (diagonals, sums), multiplies, and transposes to
// the order of the result.
XlaOp EinsumOf(LibCall& call, ArraySlice<XlaOp> operands, absl::string_view given, const DotOptions& options) {
  const std::string formula = absl::StrReplaceAll(given, {{" ", ""}});
  const std::vector<absl::string_view> sides = absl::StrSplit(formula, "->");
  const std::vector<absl::string_view> texts = absl::StrSplit(sides[0], ',');
  if (sides.size() != 2 || texts.size() != operands.size()) {
    return call.Fail(absl::StrCat("the formula must be of the form ", operands.size() == 1 ? "ij->ji" : "ij,jk->ik",
                                  ", got '", given, "'"));
  }
  std::vector<Labelled> labelled(operands.size());
  int64_t ellipsis_rank = 0;
  std::map<int64_t, int64_t> sizes;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!call.CheckRank("an operand", operands[i], 0)) return XlaOp();
    if (!LabelOperand(call, operands[i], texts[i], &labelled[i], &ellipsis_rank)) return XlaOp();
    if (!CollectSizes(call, labelled[i], &sizes)) return XlaOp();
  }
  Labels result;
  if (!ParseLabels(call, sides[1], ellipsis_rank, &result) || !CheckResult(call, result, sizes)) return XlaOp();
  for (size_t i = 0; i < operands.size(); ++i) {
    DropStretched(call, sizes, &labelled[i]);
    TakeDiagonals(call, &labelled[i]);
    Labels needed = result;
    if (operands.size() == 2) needed.insert(needed.end(), labelled[1 - i].labels.begin(), labelled[1 - i].labels.end());
    SumOver(needed, &labelled[i]);
    if (!call.ok()) return XlaOp();
  }
  if (operands.size() == 1) return Arrange(call, labelled[0], result);
  return Arrange(call, Multiply(call, labelled[0], labelled[1], result, options), result);
}

}  // namespace

XlaOp Einsum(XlaOp x, XlaOp y, absl::string_view formula, const DotOptions& options, SourceLocation loc) {
  LibCall call("Einsum", {x, y}, loc);
  return call.ok() ? EinsumOf(call, {x, y}, formula, options) : XlaOp();
}

XlaOp Einsum(XlaOp x, absl::string_view formula, SourceLocation loc) {
  LibCall call("Einsum", {x}, loc);
  return call.ok() ? EinsumOf(call, {x}, formula, {}) : XlaOp();
}

}  // namespace xla
