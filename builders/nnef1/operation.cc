#include "builders/nnef1/operation.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "builders/nnef1/declaration.h"
#include "xla_core/support/check.h"

namespace xla {
namespace nnef1 {
namespace {

bool IsConstantOperation(const Node& node) {
  return node.definition != nullptr && node.declaration->name == "constant";
}

}  // namespace

const Value& OperationCall::argument(absl::string_view name) const {
  const Value* const found = FindArgument(node_, name);
  CHECK(found != nullptr);
  return *found;
}

std::vector<int64_t> OperationCall::integers(absl::string_view name) const {
  std::vector<int64_t> numbers;
  for (const Value& item : argument(name).items()) numbers.push_back(item.integer());
  return numbers;
}

std::vector<std::pair<int64_t, int64_t>> OperationCall::integer_pairs(absl::string_view name) const {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (const Value& item : argument(name).items()) {
    CHECK(item.items().size() == 2);
    pairs.emplace_back(item.items()[0].integer(), item.items()[1].integer());
  }
  return pairs;
}

std::vector<const Tensor*> OperationCall::tensors(absl::string_view name) const {
  std::vector<const Tensor*> tensors;
  for (const Value& item : argument(name).items()) tensors.push_back(&graph_.tensors[item.tensor().id]);
  return tensors;
}

absl::optional<Value> OperationCall::ConstantOf(absl::string_view name) const {
  const Tensor& operand = tensor(name);
  if (operand.producer < 0) return operand.literal;
  const Node& producer = graph_.nodes[operand.producer];
  if (!IsConstantOperation(producer)) return absl::nullopt;
  const Value& list = *FindArgument(producer, "value");
  const std::vector<Value>& items = list.items();
  const bool is_one_number = std::all_of(items.begin(), items.end(), [&](const Value& v) { return v == items[0]; });
  return is_one_number ? items[0] : list;
}

PrimitiveType NumberTypes::Of(Primitive primitive) const {
  switch (primitive) {
    case Primitive::kScalar:
      return scalar;
    case Primitive::kInteger:
      return integer;
    case Primitive::kLogical:
      return PRED;
    case Primitive::kString:
    case Primitive::kGeneric:
      break;
  }
  CHECK(false);  // no tensor has these
  return PRIMITIVE_TYPE_INVALID;
}

std::vector<XlaOp> LoweringCall::operands(absl::string_view name) const {
  std::vector<XlaOp> operands;
  for (const Value& item : argument(name).items()) operands.push_back(values_[item.tensor().id]);
  return operands;
}

const Extents& LoweringCall::result_extents(int i) const {
  for (const Value& result : node().results) {
    if (result.is_tensor()) {
      if (i-- == 0) return *graph().tensors[result.tensor().id].extents;
      continue;
    }
    const int count = static_cast<int>(result.items().size());
    if (i < count) return *graph().tensors[result.items()[i].tensor().id].extents;
    i -= count;
  }
  CHECK(false);  // a result that the operation does not have
  return *graph().tensors[0].extents;
}

void LoweringCall::AddCheck(XlaOp holds, absl::string_view message) const {
  const Position& position = node().position;
  std::string place;
  if (position.source != nullptr && position.line > 0) {
    place = absl::StrCat(position.source->name, ":", position.line, ":", position.column, ": ");
  }
  checks_->push_back(RuntimeCheck{holds, absl::StrCat(place, node().declaration->name, ": ", message)});
}

}  // namespace nnef1
}  // namespace xla
