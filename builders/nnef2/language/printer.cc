#include "builders/nnef2/language/printer.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/nnef2/language/print_expression.h"

namespace xla {
namespace nnef2 {
namespace {

constexpr int kIndent = 4;
// A longer statement of @lower or @assert continues on further lines.
constexpr size_t kLineWidth = 100;

std::string Typed(const TypeReference& type, const std::vector<Extent>& shape) {
  return absl::StrCat(type.name.text, PrintShape(shape));
}

std::string PrintPack(const PackSpec& pack) {
  if (!pack.is_pack) return "";
  if (!pack.is_omitted && pack.length == nullptr) return "..";
  return absl::StrCat("..(", pack.is_omitted ? "~" : PrintExpression(*pack.length), pack.bound != nullptr ? "|" : "",
                      pack.bound != nullptr ? PrintExpression(*pack.bound) : "", ")");
}

std::string PrintLength(bool is_pack, const ExpressionPtr& length) {
  if (!is_pack) return "";
  return length == nullptr ? ".." : absl::StrCat("..(", PrintExpression(*length), ")");
}

std::string PrintBounds(const std::vector<IndexBound>& bounds) {
  return absl::StrJoin(bounds, ", ", [](std::string* out, const IndexBound& bound) {
    absl::StrAppend(out, bound.symbol.text, " < ", PrintExpression(*bound.bound));
  });
}

std::string PrintTypes(const std::vector<TypeReference>& types) {
  if (types.empty()) return "";
  return absl::StrCat(
      "<",
      absl::StrJoin(types, ", ",
                    [](std::string* out, const TypeReference& type) { absl::StrAppend(out, type.name.text); }),
      ">");
}

std::string PrintCall(const Invocation& invocation) {
  std::string text = absl::StrCat(invocation.target.text, PrintTypes(invocation.types));
  if (invocation.attributes.empty()) return text;
  return absl::StrCat(text, "{",
                      absl::StrJoin(invocation.attributes, ", ",
                                    [](std::string* out, const auto& attribute) {
                                      absl::StrAppend(out, attribute.name.text, "=", PrintExpression(*attribute.value));
                                    }),
                      "}");
}

std::string PrintExpressions(const std::vector<ExpressionPtr>& expressions) {
  return absl::StrJoin(expressions, ", ",
                       [](std::string* out, const ExpressionPtr& item) { *out += PrintExpression(*item); });
}

// Writes the module line by line, and with each line the comments that precede or follow it in the source.
class ModulePrinter {
 public:
  explicit ModulePrinter(const Module& module) : module_(module), source_(module.source->text) {}

  std::string Run() {
    for (const Import& import : module_.imports) {
      BeginLine(import.range.begin, import.range.end);
      absl::StrAppend(&text_, "import ", absl::StrJoin(import.modules, ", ", [](std::string* out, const Name& name) {
        absl::StrAppend(out, name.text);
      }));
      EndLine(";", import.range.end);
    }
    for (const auto& definition : module_.definitions) PrintDefinition(*definition);
    EmitComments(source_.size());
    return std::move(text_);
  }

 private:
  // --- comments and lines ---
  bool HasBlankLine(size_t begin, size_t end) const {
    int lines = 0;
    for (const char c : source_.substr(begin, end - begin)) {
      if (c == '\n') ++lines;
      if (c != '\n' && c != ' ' && c != '\t' && c != '\r') lines = 0;
      if (lines > 1) return true;
    }
    return false;
  }

  void Separate(size_t begin) {
    if (!at_block_begin_ && HasBlankLine(position_, begin)) text_ += "\n";
    at_block_begin_ = false;
    position_ = begin;
  }

  // All comments before `end`, each on its line.
  void EmitComments(size_t end) {
    while (next_comment_ < module_.comments.size() && module_.comments[next_comment_].begin < end) {
      const Comment& comment = module_.comments[next_comment_++];
      if (comment.begin >= position_) Separate(comment.begin);
      absl::StrAppend(&text_, std::string(indent_, ' '), CommentText(comment), "\n");
      position_ = std::max(position_, comment.begin + comment.text.size());
    }
  }

  static std::string CommentText(const Comment& comment) {
    std::string text(comment.text);
    absl::StripTrailingAsciiWhitespace(&text);
    return text;
  }

  void BeginLine(size_t begin, size_t end) {
    EmitComments(end);
    if (begin >= position_) Separate(begin);
    at_block_begin_ = false;
    text_ += std::string(indent_, ' ');
  }

  // `end`: where the statement ends in the source. A comment that follows on its line stays there.
  void EndLine(absl::string_view last, size_t end) {
    text_ += std::string(last);
    position_ = std::max(position_, end);
    if (next_comment_ < module_.comments.size()) {
      const Comment& comment = module_.comments[next_comment_];
      if (comment.begin >= end && source_.substr(end, comment.begin - end).find('\n') == absl::string_view::npos &&
          source_.substr(end, comment.begin - end).find_first_not_of(" \t\r") == absl::string_view::npos) {
        absl::StrAppend(&text_, "  ", CommentText(comment));
        position_ = comment.begin + comment.text.size();
        ++next_comment_;
      }
    }
    text_ += "\n";
  }

  void Statement(const TextRange& range, const std::string& text) {
    BeginLine(range.begin, range.end);
    text_ += text;
    EndLine(";", range.end);
  }

  // `parts` on one line, or the later ones each on a line of its own.
  std::string Fold(const std::vector<std::string>& parts, absl::string_view separator) const {
    const std::string line = absl::StrJoin(parts, absl::StrCat(separator, " "));
    if (indent_ + line.size() <= kLineWidth) return line;
    return absl::StrJoin(parts, absl::StrCat(separator, "\n", std::string(indent_ + kIndent, ' ')));
  }

  // --- definitions ---
  void PrintDefinition(const Definition& definition) {
    if (!text_.empty()) text_ += "\n";
    at_block_begin_ = true;
    EmitComments(definition.range.begin);
    if (position_ < definition.range.begin) position_ = definition.range.begin;
    absl::StrAppend(&text_, definition.is_public ? "public " : "", definition.is_graph ? "graph " : "operator ",
                    definition.name.text, " {\n");
    Indent();
    for (const Definition::Block& block : definition.blocks) {
      EmitComments(block.range.begin);
      position_ = std::max(position_, block.range.begin);
      absl::StrAppend(&text_, std::string(indent_, ' '), BlockName(block.kind), " {\n");
      Indent();
      PrintBlock(definition, block.kind);
      EmitComments(block.range.end);
      Unindent();
      absl::StrAppend(&text_, std::string(indent_, ' '));
      EndLine("}", block.range.end);
      at_block_begin_ = true;
    }
    EmitComments(definition.range.end);
    Unindent();
    EndLine("}", definition.range.end);
  }

  void Indent() {
    indent_ += kIndent;
    at_block_begin_ = true;
  }
  void Unindent() { indent_ -= kIndent; }

  void PrintBlock(const Definition& definition, BlockKind kind) {
    switch (kind) {
      case BlockKind::kDtype:
        for (const TypeParameter& type : definition.types) PrintType(type);
        return;
      case BlockKind::kAttrib:
        return PrintParameters(definition.attributes);
      case BlockKind::kInput:
        return PrintParameters(definition.inputs);
      case BlockKind::kUsing:
        for (const Using& helper : definition.helpers) PrintUsing(helper);
        return;
      case BlockKind::kConstant:
        return PrintParameters(definition.constants);
      case BlockKind::kVariable:
        return PrintParameters(definition.variables);
      case BlockKind::kOutput:
        return PrintParameters(definition.outputs);
      case BlockKind::kAssert:
        for (const Assertion& assertion : definition.assertions) PrintAssertion(assertion);
        return;
      case BlockKind::kLower:
        for (const Lowering& lowering : definition.lowerings) PrintLowering(lowering);
        return;
      case BlockKind::kCompose:
        return PrintComponents(definition.components);
      case BlockKind::kUpdate:
        return PrintComponents(definition.updates);
      case BlockKind::kQuantize:
        for (const Quantization& entry : definition.quantizations) {
          Statement(entry.range, absl::StrCat(entry.tensor.text, ": ", PrintCall(entry.algorithm)));
        }
        return;
    }
  }

  void PrintType(const TypeParameter& type) {
    Statement(type.range,
              absl::StrCat(type.name.text, ": ", type.bound.name.text, type.default_type.has_value() ? " = " : "",
                           type.default_type.has_value() ? type.default_type->name.text : ""));
  }

  void PrintParameters(const std::vector<Parameter>& parameters) {
    for (const Parameter& parameter : parameters) {
      std::string text =
          absl::StrCat(parameter.name.text, ": ", parameter.is_optional ? "optional " : "", parameter.type.name.text);
      if (!parameter.rank.empty()) absl::StrAppend(&text, "^(", parameter.rank.text, ")");
      if (parameter.has_shape) text += PrintShape(parameter.shape);
      text += PrintPack(parameter.pack);
      if (parameter.value != nullptr) absl::StrAppend(&text, " = ", PrintExpression(*parameter.value));
      if (!parameter.bounds.empty()) absl::StrAppend(&text, ", ", PrintBounds(parameter.bounds));
      Statement(parameter.range, text);
    }
  }

  void PrintUsing(const Using& helper) {
    const std::string items = absl::StrJoin(helper.items, ", ", [](std::string* out, const UsingItem& item) {
      const bool is_zip = item.names.size() > 1;
      absl::StrAppend(out, is_zip ? "(" : "",
                      absl::StrJoin(item.names, ", ",
                                    [](std::string* name, const Name& part) { absl::StrAppend(name, part.text); }),
                      is_zip ? ")" : "", PrintLength(item.is_pack, item.length));
    });
    Statement(helper.range, absl::StrCat(helper.is_list ? "[" : "", items, helper.is_list ? "]" : "", " = ",
                                         PrintExpression(*helper.value)));
  }

  void PrintAssertion(const Assertion& assertion) {
    std::vector<std::string> parts;
    const std::string condition = PrintExpression(*assertion.condition);
    if (assertion.message == nullptr) return Statement(assertion.range, condition);
    std::string message = PrintExpression(*assertion.message);
    for (const Assertion::Argument& argument : assertion.arguments) {
      absl::StrAppend(&message, ", ", argument.label != nullptr ? PrintExpression(*argument.label) : "",
                      argument.label != nullptr ? ": " : "", PrintExpression(*argument.value));
    }
    Statement(assertion.range, Fold({condition, message}, ":"));
  }

  void PrintLowering(const Lowering& lowering) {
    static constexpr std::pair<Operator, absl::string_view> kSigns[] = {
        {Operator::kEqual, "="}, {Operator::kUniform, ":="}, {Operator::kAdd, "+="},     {Operator::kMultiply, "*="},
        {Operator::kAnd, "&="},  {Operator::kOr, "|="},      {Operator::kMinimum, "<="}, {Operator::kMaximum, ">="}};
    std::vector<std::string> parts;
    for (const Lowering::Local& local : lowering.locals) {
      parts.push_back(absl::StrCat(local.name.text, " = ", PrintExpression(*local.value)));
    }
    std::string assignment = PrintExpression(*lowering.target);
    for (const auto& sign : kSigns) {
      if (sign.first == lowering.op) absl::StrAppend(&assignment, " ", sign.second, " ");
    }
    parts.push_back(absl::StrCat(assignment, PrintExpression(*lowering.value)));
    if (!lowering.bounds.empty()) parts.push_back(PrintBounds(lowering.bounds));
    std::string text = Fold(parts, ",");
    if (lowering.unroll_count != nullptr) {
      text = absl::StrCat("unroll..(", lowering.unroll_index.text, " -> ", PrintExpression(*lowering.unroll_count),
                          ") ", text);
    }
    if (lowering.condition != nullptr) absl::StrAppend(&text, " | ", PrintExpression(*lowering.condition));
    Statement(lowering.range, text);
  }

  // --- components: their blocks contain lines of their own ---
  void PrintComponents(const std::vector<Component>& components) {
    for (const Component& component : components) PrintComponent(component);
  }

  void PrintComponent(const Component& component) {
    // Comments inside of a component that has blocks are printed with their lines.
    const bool has_blocks = HasBlocks(component);
    BeginLine(component.range.begin, has_blocks ? component.range.begin : component.range.end);
    absl::StrAppend(&text_,
                    absl::StrJoin(component.results, ", ",
                                  [](std::string* out, const Result& result) { *out += PrintResult(result); }),
                    " = ");
    switch (component.kind) {
      case Component::Kind::kCallable:
        PrintCallable(component.callable);
        break;
      case Component::Kind::kBranch:
        PrintBranch(component.branch);
        break;
      case Component::Kind::kLoop:
        PrintLoop(component.loop);
        break;
    }
    EndLine(";", component.range.end);
  }

  static bool HasBlocks(const Component& component) {
    if (component.callable.region != nullptr || component.loop.body.region != nullptr) return true;
    if (component.loop.condition.has_value() && component.loop.condition->region != nullptr) return true;
    for (const Callable& callable : component.branch.conditions) {
      if (callable.region != nullptr) return true;
    }
    for (const Callable& callable : component.branch.consequents) {
      if (callable.region != nullptr) return true;
    }
    return false;
  }

  static std::string PrintResult(const Result& result) {
    if (result.is_dropped) return "~";
    const std::string items = absl::StrJoin(result.items, ", ", [](std::string* out, const ResultItem& item) {
      absl::StrAppend(out, item.name.text, item.has_type ? ": " : "", item.has_type ? Typed(item.type, item.shape) : "",
                      PrintLength(item.is_pack, item.length));
    });
    return result.is_list ? absl::StrCat("[", items, "]") : items;
  }

  void PrintCallable(const Callable& callable) {
    if (!callable.label.empty()) absl::StrAppend(&text_, callable.label.text, ": ");
    switch (callable.kind) {
      case Callable::Kind::kExpression:
        text_ += PrintExpression(*callable.expression);
        return;
      case Callable::Kind::kInvocation:
        absl::StrAppend(&text_, PrintCall(callable.invocation), "(", PrintExpressions(callable.invocation.arguments),
                        ")");
        return;
      case Callable::Kind::kRegion:
        text_ += "{\n";
        Indent();
        PrintComponents(callable.region->components);
        Statement(callable.region->yield_range, absl::StrCat("yield ", PrintExpressions(callable.region->yields)));
        Unindent();
        absl::StrAppend(&text_, std::string(indent_, ' '), "}");
        return;
    }
  }

  void PrintBranch(const Branch& branch) {
    for (size_t i = 0; i < branch.conditions.size(); ++i) {
      text_ += i == 0 ? "if " : " elif ";
      PrintCallable(branch.conditions[i]);
      text_ += " then ";
      PrintCallable(branch.consequents[i]);
    }
    text_ += " else ";
    PrintCallable(branch.consequents.back());
  }

  void PrintLoop(const Loop& loop) {
    for (size_t i = 0; i < loop.carried.size(); ++i) {
      const Carried& carried = loop.carried[i];
      absl::StrAppend(&text_, i == 0 ? "with " : ", ", carried.name.text, carried.has_type ? ": " : "",
                      carried.has_type ? Typed(carried.type, carried.shape) : "", " = ",
                      PrintExpression(*carried.value));
    }
    if (!loop.carried.empty()) text_ += " ";
    for (size_t i = 0; i < loop.scans.size(); ++i) {
      absl::StrAppend(&text_, i == 0 ? "for " : ", ", loop.scans[i].name.text, " : ",
                      PrintExpression(*loop.scans[i].value));
    }
    if (!loop.scans.empty()) text_ += " ";
    if (loop.condition.has_value() && !loop.tests_after) PrintWhile(*loop.condition, "", " ");
    text_ += loop.is_unrolled ? "unroll" : "do";
    if (loop.count != nullptr || !loop.index.empty()) {
      const std::string count = loop.count == nullptr ? "" : PrintExpression(*loop.count);
      absl::StrAppend(&text_, "..(", loop.index.text,
                      loop.index.empty() ? ""
                      : count.empty()    ? " ->"
                                         : " -> ",
                      count, ")");
    }
    text_ += " ";
    PrintCallable(loop.body);
    if (loop.condition.has_value() && loop.tests_after) PrintWhile(*loop.condition, " ", "");
  }

  void PrintWhile(const Callable& condition, absl::string_view before, absl::string_view after) {
    absl::StrAppend(&text_, before, "while ");
    PrintCallable(condition);
    text_ += std::string(after);
  }

  const Module& module_;
  const absl::string_view source_;
  std::string text_;
  int indent_ = 0;
  size_t next_comment_ = 0;
  // In the source: what lies before has been printed.
  size_t position_ = 0;
  bool at_block_begin_ = true;
};

}  // namespace

std::string PrintModule(const Module& module) { return ModulePrinter(module).Run(); }

}  // namespace nnef2
}  // namespace xla
