#include "builders/nnef2/lowering/statement_nest.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace xla {
namespace nnef2 {
namespace {

// A text that becomes longer ends in dots: operands may be shared many times.
constexpr size_t kMaxText = 4000;

void AppendScalarKey(const Scalar& scalar, std::string* key) {
  absl::StrAppend(key, static_cast<int>(scalar.kind), ":", scalar.integer, ":");
  // All bits of a real count: -0 and NaN are values of their own.
  const double real = scalar.real;
  key->append(reinterpret_cast<const char*>(&real), sizeof(real));
  if (scalar.kind == Scalar::Kind::kSymbolic) absl::StrAppend(key, scalar.symbolic->id);
}

std::string KeyOf(const NestNode& node) {
  std::string key = absl::StrCat(static_cast<int>(node.kind), "|", static_cast<int>(node.type), "|", node.loop, "|",
                                 static_cast<int>(node.op), "|", node.function, "|");
  AppendScalarKey(node.scalar, &key);
  for (const NestNode* const operand : node.operands) absl::StrAppend(&key, ",", operand->id);
  for (const int tensor : node.tensors) absl::StrAppend(&key, "%", tensor);
  if (node.item != nullptr) absl::StrAppend(&key, "@", node.item->id);
  // Loops of the same number are others in each statement.
  if (node.kind == NestNode::Kind::kLoop) absl::StrAppend(&key, "<", node.upper);
  return key;
}

class NestPrinter {
 public:
  explicit NestPrinter(const StatementNest& nest) : nest_(nest) {}

  std::string Print() {
    std::vector<std::string> loops, guards, values, indices;
    for (const NestLoop& loop : nest_.loops) loops.push_back(absl::StrCat(loop.name, " < ", Text(loop.extent)));
    for (const NestGuard& guard : nest_.guards) {
      guards.push_back(absl::StrCat("0 <= ", Text(*guard.index), " < ", Text(*guard.extent)));
    }
    if (nest_.condition != nullptr) guards.push_back(Text(*nest_.condition));
    for (const NestNode* const index : nest_.indices) indices.push_back(Text(*index));
    for (const NestNode* const value : nest_.values) values.push_back(Text(*value));
    return absl::StrCat(loops.empty() ? "" : absl::StrCat("for ", absl::StrJoin(loops, ", "), " "),
                        guards.empty() ? "" : absl::StrCat("if ", absl::StrJoin(guards, ", "), " "),
                        Tensors(nest_.targets, nest_.target_item), "[", absl::StrJoin(indices, ","), "] ",
                        AssignmentText(), " ", absl::StrJoin(values, ", "));
  }

 private:
  absl::string_view AssignmentText() const {
    switch (nest_.op) {
      case Operator::kEqual:
        return "=";
      case Operator::kUniform:
        return ":=";
      case Operator::kAdd:
        return "+=";
      case Operator::kMultiply:
        return "*=";
      case Operator::kAnd:
        return "&=";
      case Operator::kOr:
        return "|=";
      case Operator::kMinimum:
        return "<=";
      default:  // kMaximum
        return ">=";
    }
  }

  static std::string Text(const Scalar& scalar) {
    return scalar.kind == Scalar::Kind::kReal       ? RealText(scalar.real)
           : scalar.kind == Scalar::Kind::kSymbolic ? scalar.symbolic->ToString()
           : scalar.kind == Scalar::Kind::kBool     ? std::string(scalar.integer != 0 ? "true" : "false")
                                                    : absl::StrCat(scalar.integer);
  }

  std::string Tensors(const std::vector<int>& tensors, const NestNode* item) {
    std::string text = absl::StrJoin(tensors, ",", [](std::string* out, int t) { absl::StrAppend(out, "%", t); });
    if (tensors.size() != 1) text = absl::StrCat("(", text, ")");
    return item == nullptr ? text : absl::StrCat(text, "[", Text(*item), "]");
  }

  std::string Text(const NestNode& node) {
    if (size_ > kMaxText) return "...";
    std::vector<std::string> operands;
    for (const NestNode* const operand : node.operands) operands.push_back(Text(*operand));
    std::string text = Combined(node, operands);
    size_ += text.size();
    return text;
  }

  std::string Combined(const NestNode& node, const std::vector<std::string>& operands) {
    switch (node.kind) {
      case NestNode::Kind::kScalar:
        return Text(node.scalar);
      case NestNode::Kind::kLoop:
        return nest_.loops[node.loop].name;
      case NestNode::Kind::kUnary:
        return absl::StrCat(OperatorSymbol(node.op), operands[0]);
      case NestNode::Kind::kBinary:
        return absl::StrCat("(", operands[0], " ", OperatorSymbol(node.op), " ", operands[1], ")");
      case NestNode::Kind::kBuiltin:
        return absl::StrCat("`", node.function, "`(", operands[0], ")");
      case NestNode::Kind::kConvert:
        return absl::StrCat(BaseTypeName(node.type), "(", operands[0], ")");
      case NestNode::Kind::kSelect:
        return absl::StrCat("(", operands[0], " ? ", operands[1], " : ", operands[2], ")");
      case NestNode::Kind::kRemap:
        return absl::StrCat("|", operands[0], " <> ", operands[1], " : ", operands[2], "|");
      case NestNode::Kind::kTable:
        return absl::StrCat("[", absl::StrJoin(operands.begin() + 1, operands.end(), ", "), "][", operands[0], "]");
      case NestNode::Kind::kLoad:
        return absl::StrCat(Tensors(node.tensors, node.item), "[", absl::StrJoin(operands, ","), "]");
    }
    return "";
  }

  const StatementNest& nest_;
  size_t size_ = 0;
};

}  // namespace

std::vector<const NestNode*> NestNode::inputs() const {
  std::vector<const NestNode*> inputs = operands;
  if (item != nullptr) inputs.push_back(item);
  return inputs;
}

const NestNode* NestNodes::Add(NestNode node) {
  const auto inserted = interned_.emplace(KeyOf(node), nullptr);
  if (!inserted.second) return inserted.first->second;
  node.id = size();
  if (node.kind == NestNode::Kind::kLoop) node.loops = {node.loop};
  for (const NestNode* const input : node.inputs()) {
    node.depth = std::max(node.depth, input->depth + 1);
    node.reads_output = node.reads_output || input->reads_output;
    node.loops.insert(node.loops.end(), input->loops.begin(), input->loops.end());
  }
  std::sort(node.loops.begin(), node.loops.end());
  node.loops.erase(std::unique(node.loops.begin(), node.loops.end()), node.loops.end());
  nodes_.push_back(std::make_unique<NestNode>(std::move(node)));
  inserted.first->second = nodes_.back().get();
  return nodes_.back().get();
}

std::string NestText(const StatementNest& nest) { return NestPrinter(nest).Print(); }

}  // namespace nnef2
}  // namespace xla
