#include "builders/nnef2/composition/print_composed_graph.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/nnef2/composition/bind_operator.h"

namespace xla {
namespace nnef2 {
namespace {

// Of a constant that is given element by element, how many values are printed.
constexpr size_t kShownValues = 16;

class ComposedGraphPrinter {
 public:
  explicit ComposedGraphPrinter(const ComposedGraph& graph) : graph_(graph) {}

  std::string Run() {
    absl::StrAppend(&text_, "graph ", graph_.definition->name.text, "\n");
    for (const Value& input : graph_.inputs) Line(absl::StrCat("input ", Declared(input)));
    for (const int variable : graph_.variables) Line(absl::StrCat("variable ", DeclaredTensor(variable)));
    for (const ComposedOperation& operation : graph_.operations) PrintOperation(operation);
    for (const VariableUpdate& update : graph_.updates) {
      Line(absl::StrCat("update ", Names(update.variable), " = ", Names(update.value)));
    }
    for (const RunTimeCheck& check : graph_.checks) {
      Line(absl::StrCat("check ", ErrorClassName(check.error_class), " ", check.condition->ToString(), ": ",
                        check.message));
    }
    for (const Value& output : graph_.outputs) Line(absl::StrCat("output ", Names(output)));
    for (const QuantizationInfo& info : graph_.quantizations) {
      std::vector<std::string> attributes;
      for (const auto& attribute : info.attributes) {
        attributes.push_back(absl::StrCat(attribute.first, "=", attribute.second.ToString()));
      }
      Line(absl::StrCat("quantize ", info.tensor, ": ", info.operator_name, "{", absl::StrJoin(attributes, ", "), "}"));
    }
    return text_;
  }

 private:
  void Line(absl::string_view line) { absl::StrAppend(&text_, std::string(2 * indent_, ' '), line, "\n"); }

  std::string NameOf(int tensor) const {
    const std::string& name = graph_.tensors[tensor].name;
    return name.empty() ? absl::StrCat("%", tensor) : name;
  }

  std::string DeclaredTensor(int tensor) const {
    const ComposedTensor& t = graph_.tensors[tensor];
    return absl::StrCat(NameOf(tensor), ": ", t.element.ToString(), ShapeText(t.shape));
  }

  std::string Declared(const Value& value) const {
    return Joined(value, [this](int tensor) { return DeclaredTensor(tensor); });
  }

  // A constant without a name is its value.
  std::string Operand(int tensor) const {
    const ComposedTensor& t = graph_.tensors[tensor];
    if (t.kind != ComposedTensor::Kind::kConstant) return NameOf(tensor);
    Value value = Value::Pack(t.element, t.values);
    const bool is_long = value.items.size() > kShownValues;
    if (is_long) value.items.resize(kShownValues);
    value.is_uniform = t.values.size() == 1;
    const std::string name = t.name.empty() ? "" : absl::StrCat(t.name, ": ");
    return absl::StrCat(name, t.element.ToString(), ShapeText(t.shape), " ", value.ToString(), is_long ? "..." : "");
  }

  std::string Names(const Value& value) const {
    return Joined(value, [this](int tensor) { return Operand(tensor); });
  }

  template <typename Print>
  std::string Joined(const Value& value, const Print& print) const {
    if (value.is_null) return "~";
    std::vector<std::string> items;
    for (const Scalar& item : value.items) items.push_back(print(static_cast<int>(item.integer)));
    const std::string text = absl::StrJoin(items, ", ");
    if (!value.type.is_pack) return text;
    return absl::StrCat("[", text, "]", value.length == nullptr ? "" : "..");
  }

  std::string Attributes(const BoundOperator& bound) const {
    std::vector<std::string> attributes;
    for (const Parameter& attribute : bound.definition->attributes) {
      const Value* const value = bound.scope.Find(attribute.name.text);
      if (value == nullptr || value->is_null) continue;
      attributes.push_back(absl::StrCat(attribute.name.text, "=", value->ToString()));
    }
    return attributes.empty() ? "" : absl::StrCat("{", absl::StrJoin(attributes, ", "), "}");
  }

  void PrintOperations(const std::vector<ComposedOperation>& operations) {
    ++indent_;
    for (const ComposedOperation& operation : operations) PrintOperation(operation);
    --indent_;
  }

  void PrintRegion(absl::string_view title, const ComposedRegion& region) {
    Line(title);
    PrintOperations(region.operations);
    ++indent_;
    Line(absl::StrCat("yield ", absl::StrJoin(region.results, ", ",
                                              [this](std::string* out, const Value& value) { *out += Names(value); })));
    --indent_;
  }

  void PrintOperation(const ComposedOperation& operation) {
    const std::string results = absl::StrJoin(
        operation.outputs, ", ", [this](std::string* out, const Value& value) { *out += Declared(value); });
    switch (operation.kind) {
      case ComposedOperation::Kind::kPrimitive:
      case ComposedOperation::Kind::kIntrinsic: {
        const std::string inputs = absl::StrJoin(
            operation.inputs, ", ", [this](std::string* out, const Value& value) { *out += Names(value); });
        Line(absl::StrCat(results, " = ", operation.bound->definition->QualifiedName(), Attributes(*operation.bound),
                          "(", inputs, ")"));
        return;
      }
      case ComposedOperation::Kind::kBranch:
        Line(absl::StrCat(results, " = branch"));
        for (size_t i = 0; i < operation.branch->conditions.size(); ++i) {
          PrintRegion("if", operation.branch->conditions[i]);
          PrintRegion("then", operation.branch->consequents[i]);
        }
        PrintRegion("else", operation.branch->consequents.back());
        return;
      case ComposedOperation::Kind::kLoop:
        PrintLoop(*operation.loop, results);
        return;
    }
  }

  void PrintLoop(const ComposedLoop& loop, const std::string& results) {
    std::string clauses;
    for (const ComposedLoop::Carried& carried : loop.carried) {
      absl::StrAppend(&clauses, " with ", DeclaredTensor(carried.local), " = ", Operand(carried.initial));
    }
    for (const ComposedLoop::Scan& scan : loop.scans) {
      absl::StrAppend(&clauses, " for ", DeclaredTensor(scan.local), " : ", Names(scan.pack));
    }
    if (loop.index.has_value()) absl::StrAppend(&clauses, " index ", NameOf(*loop.index));
    if (loop.count_tensor.has_value()) absl::StrAppend(&clauses, " count ", Operand(*loop.count_tensor));
    if (loop.count.has_value()) {
      const bool is_bound = loop.count_tensor.has_value() || loop.condition.has_value();
      absl::StrAppend(&clauses, is_bound ? " at most " : " times ", *loop.count);
    }
    Line(absl::StrCat(results, " = loop", clauses));
    if (loop.condition.has_value() && !loop.tests_after) PrintRegion("while", *loop.condition);
    PrintRegion("do", loop.body);
    if (loop.condition.has_value() && loop.tests_after) PrintRegion("while", *loop.condition);
  }

  const ComposedGraph& graph_;
  std::string text_;
  int indent_ = 1;
};

}  // namespace

std::string PrintComposedGraph(const ComposedGraph& graph) { return ComposedGraphPrinter(graph).Run(); }

}  // namespace nnef2
}  // namespace xla
