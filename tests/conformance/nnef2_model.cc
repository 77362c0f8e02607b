#include "tests/conformance/nnef2_model.h"

#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "builders/nnef2/checking/standard_library.h"
#include "builders/nnef2/composition/print_composed_graph.h"
#include "builders/nnef2/data/model_format.h"
#include "builders/nnef2/language/printer.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::StatusOr<nnef2::Value> AttributeValue(const JsonValue& json);

absl::StatusOr<nnef2::Value> AttributeList(const JsonValue::Array& array) {
  nnef2::Value list = nnef2::Value::Pack(nnef2::ElementType::Any(), {});
  for (const JsonValue& element : array) {
    ASSIGN_OR_RETURN(nnef2::Value item, AttributeValue(element));
    if (item.type.is_pack) return absl::InvalidArgumentError("an attribute cannot be a list of lists");
    list.type.element = item.type.element;
    list.items.push_back(std::move(item.items[0]));
  }
  return list;
}

absl::StatusOr<nnef2::Value> AttributeValue(const JsonValue& json) {
  using nnef2::Scalar;
  using nnef2::Value;
  if (json.AsArray() != nullptr) return AttributeList(*json.AsArray());
  if (json.AsBool().has_value()) return Value::Bool(*json.AsBool());
  if (json.AsString() != nullptr) return Value::Of({nnef2::BaseType::kStr, {}}, Scalar::String(*json.AsString()));
  if (json.AsInt64().has_value()) return Value::Int(*json.AsInt64());
  if (json.AsDouble().has_value()) return Value::Of({nnef2::BaseType::kReal, {}}, Scalar::Real(*json.AsDouble()));
  return absl::InvalidArgumentError(absl::StrCat("an attribute cannot be a JSON ", json.KindName()));
}

class PrintedContainer : public nnef::Container {
 public:
  PrintedContainer(const nnef::Container& model, const nnef2::Program& program)
      : Container(model.name(), model.format()), model_(model) {
    for (const auto& module : program.modules()) {
      if (nnef2::IsStandardModule(module.first)) continue;
      const std::string member = absl::StrCat(absl::StrReplaceAll(module.first, {{".", "/"}}), nnef2::kModuleSuffix);
      texts_[member] = nnef2::PrintModule(*module.second.module);
    }
  }

  std::string NameOf(absl::string_view member) const override { return model_.NameOf(member); }
  bool is_bare_description() const override { return model_.is_bare_description(); }
  bool Has(absl::string_view member) const override { return model_.Has(member); }
  std::vector<std::string> Members(int64_t limit) const override { return model_.Members(limit); }
  absl::StatusOr<int64_t> SizeOf(absl::string_view member) const override {
    const auto text = texts_.find(std::string(member));
    return text == texts_.end() ? model_.SizeOf(member) : static_cast<int64_t>(text->second.size());
  }
  absl::Status Read(absl::string_view member, int64_t begin, int64_t size, char* destination) const override {
    const auto text = texts_.find(std::string(member));
    if (text == texts_.end()) return model_.Read(member, begin, size, destination);
    RETURN_IF_ERROR(CheckRange(member, begin, size, static_cast<int64_t>(text->second.size())));
    std::memcpy(destination, text->second.data() + begin, static_cast<size_t>(size));
    return absl::OkStatus();
  }

 private:
  const nnef::Container& model_;
  std::map<std::string, std::string> texts_;
};

std::string PrintedTexts(const nnef2::Program& program) {
  std::string texts;
  for (const auto& module : program.modules()) {
    if (nnef2::IsStandardModule(module.first)) continue;
    absl::StrAppend(&texts, "module ", module.first, "\n", nnef2::PrintModule(*module.second.module));
  }
  return texts;
}

}  // namespace

absl::StatusOr<std::unique_ptr<nnef::Container>> OpenNnef2Case(const Nnef2Description& description) {
  return nnef::OpenContainer(description.source, nnef2::Nnef2Format());
}

absl::StatusOr<nnef2::Model> LoadNnef2Case(const nnef::Container& container, const Nnef2Description& description) {
  nnef2::LoadOptions options;
  const JsonValue* const attributes = description.json.Find("attribs");
  if (attributes != nullptr && attributes->AsObject() != nullptr) {
    for (const auto& attribute : *attributes->AsObject()) {
      ASSIGN_OR_RETURN(nnef2::Value value, AttributeValue(attribute.second));
      options.compose.attributes.emplace(attribute.first, std::move(value));
    }
  }
  return nnef2::LoadModel(container, options);
}

std::unique_ptr<nnef::Container> PrintedModules(const nnef::Container& model, const nnef2::Program& program) {
  return std::make_unique<PrintedContainer>(model, program);
}

absl::Status CheckPrintedModules(const nnef::Container& container, const Nnef2Description& description,
                                 const nnef2::Model& model, nnef2::Model* again) {
  const std::unique_ptr<nnef::Container> printed = PrintedModules(container, *model.graph.program);
  absl::StatusOr<nnef2::Model> loaded = LoadNnef2Case(*printed, description);
  const std::string text = PrintedTexts(*model.graph.program);
  if (!loaded.ok()) {
    return absl::DataLossError(
        absl::StrCat("the printed modules are refused: ", loaded.status().message(), "\n", text));
  }
  const std::string text_again = PrintedTexts(*loaded->graph.program);
  if (text_again != text) {
    return absl::DataLossError(absl::StrCat("what was printed is printed otherwise:\n", text, "\nand\n", text_again));
  }
  const std::string graph = nnef2::PrintComposedGraph(model.graph);
  const std::string graph_again = nnef2::PrintComposedGraph(loaded->graph);
  if (graph_again != graph) {
    return absl::DataLossError(
        absl::StrCat("the printed modules are composed to another graph:\n", graph, "\nand\n", graph_again));
  }
  *again = *std::move(loaded);
  return absl::OkStatus();
}

}  // namespace xla
