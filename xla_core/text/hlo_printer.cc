#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/annotations_text.h"
#include "xla_core/text/async_sugar_printer.h"
#include "xla_core/text/attribute_printer.h"
#include "xla_core/text/instruction_rules.h"
#include "xla_core/text/lexer.h"
#include "xla_core/text/literal_printer.h"
#include "xla_core/text/mesh_text.h"
#include "xla_core/text/module_header.h"
#include "xla_core/text/nested_bodies.h"
#include "xla_core/text/printer.h"
#include "xla_core/text/sharding_text.h"
#include "xla_core/text/window_text.h"

namespace xla {
namespace {

// A computation that is printed alone repeats nested bodies wherever they are called, which can grow without bound:
// deeper than the first, and beyond the second, there are names only.
constexpr int kMaxNestedBodies = 100;
constexpr int64_t kMaxNestedInstructions = 1'000'000;

class HloPrinter {
 public:
  // Once a limit of `resources`, which may be nullptr, has been reached, it prints no further instruction.
  HloPrinter(const PrintOptions& options, const HloModule* module, const ResourceContext* resources, std::string* out)
      : options_(options), module_(module), resources_(resources), out_(out) {}

  // Header, tables of stack frames, then all computations that are not printed inside an instruction.
  void PrintModule() {
    const HloModuleConfig& config = module_->config();
    absl::StrAppend(out_, "HloModule ", module_->name());
    HeaderPrintOptions header;
    header.newest_spellings = options_.newest_attributes;
    AppendHeaderAttributes(config, header, out_);
    absl::StrAppend(out_, "\n\n");
    if (options_.metadata && !options_.inline_stack_frames && !config.stack_frames.empty()) {
      AppendStackFrameTables(config.stack_frames, out_);
      out_->push_back('\n');
    }
    if (options_.nested_bodies) names_of_callees_ = NamesOfComputationsOnTheirOwn(*module_);
    is_whole_module_ = true;
    const absl::flat_hash_set<const HloComputation*> hidden = ComputationsShownElsewhere();
    for (const auto& computation : module_->computations()) {
      if (hidden.contains(computation.get())) continue;
      PrintComputation(*computation);
      absl::StrAppend(out_, "\n\n");
    }
    JoinPieces();
  }

  void PrintComputation(const HloComputation& computation) {
    if (module_ != nullptr && module_->entry() == &computation) absl::StrAppend(out_, "ENTRY ");
    AppendComputationName(computation);
    out_->push_back(' ');
    if (options_.signatures) PrintSignature(computation);
    absl::StrAppend(out_, "{\n");
    PrintInstructions(computation);
    out_->push_back('}');
    if (computation.execution_thread() != "main") {
      absl::StrAppend(out_, ", execution_thread=");
      AppendQuoted(computation.execution_thread(), out_);
    }
  }

  void PrintInstruction(const HloInstruction& instruction) {
    const bool may_have_sugar = options_.async_sugar && HasTrait(instruction.opcode(), opcode_trait::kAsyncCall);
    const HloInstruction* const sugared = may_have_sugar ? SugaredInstruction(instruction) : nullptr;
    AppendInstructionName(instruction);
    absl::StrAppend(out_, " = ");
    AppendShape(instruction.shape());
    out_->push_back(' ');
    PrintOpcode(instruction, sugared);
    PrintOperands(instruction);
    PrintTypedAttributes(instruction, sugared);
    PrintAnnotations(instruction, sugared);
    if (options_.ids) absl::StrAppend(out_, "  // id=", instruction.id());
  }

 private:
  // Those that are printed where they are called.
  absl::flat_hash_set<const HloComputation*> ComputationsShownElsewhere() const {
    absl::flat_hash_set<const HloComputation*> hidden;
    for (const auto& computation : module_->computations()) {
      const bool is_alone = computation.get() == module_->entry() || names_of_callees_.contains(computation.get());
      if (options_.nested_bodies && !is_alone) hidden.insert(computation.get());
      if (!options_.async_sugar) continue;
      for (const auto& instruction : computation->instructions()) {
        if (instruction->opcode() == HloOpcode::kAsyncStart && SugaredInstruction(*instruction) != nullptr) {
          hidden.insert(instruction->called_computation(0));
        }
      }
    }
    return hidden;
  }

  // A name that would be read as something else, such as inf or u8, needs its percent sign.
  static bool ReadsAsName(absl::string_view name) {
    const Token token = Lexer(name).Next();
    return token.kind == TokenKind::kIdentifier && token.text.size() == name.size();
  }

  void AppendName(absl::string_view name) {
    if (options_.percent || !ReadsAsName(name)) out_->push_back('%');
    out_->append(name.data(), name.size());
  }

  void AppendComputationName(const HloComputation& computation) {
    const auto found = names_of_callees_.find(&computation);
    AppendName(found == names_of_callees_.end() ? computation.name() : found->second);
  }

  void AppendInstructionName(const HloInstruction& instruction) {
    if (!options_.canonical_names) return AppendName(instruction.name());
    AppendName(absl::StrCat("tmp_", canonical_numbers_[&instruction]));
  }

  void AppendShape(const Shape& shape) {
    shape.AppendTo(out_, options_.result_layouts ? Shape::LayoutPrinting::kWith : Shape::LayoutPrinting::kWithout,
                   true);
  }

  void PrintSignature(const HloComputation& computation) {
    const std::vector<HloInstruction*> parameters = computation.parameters();
    for (const HloInstruction* parameter : parameters) {
      if (parameter == nullptr) return;
    }
    if (computation.root() == nullptr) return;
    out_->push_back('(');
    for (size_t i = 0; i < parameters.size(); ++i) {
      absl::StrAppend(out_, i > 0 ? ", " : "", parameters[i]->name(), ": ");
      parameters[i]->shape().AppendTo(out_, Shape::LayoutPrinting::kWithout, true);
    }
    absl::StrAppend(out_, ") -> ");
    computation.root()->shape().AppendTo(out_, Shape::LayoutPrinting::kWithout, true);
    out_->push_back(' ');
  }

  // One line an instruction. Canonical names are numbers by position in their computation. Elements of tuples may be
  // hidden where operands are written with an index.
  void PrintInstructions(const HloComputation& computation) {
    int64_t number = 0;
    if (options_.canonical_names) {
      for (const auto& instruction : computation.instructions()) canonical_numbers_[instruction.get()] = number++;
    }
    const absl::flat_hash_set<const HloInstruction*> hidden = HiddenTupleElements(computation);
    ++indentation_;
    for (const auto& instruction : computation.instructions()) {
      if (hidden.contains(instruction.get())) continue;
      if (resources_ != nullptr && resources_->IsOver()) break;
      out_->append(2 * indentation_, ' ');
      if (instruction.get() == computation.root()) absl::StrAppend(out_, "ROOT ");
      PrintInstruction(*instruction);
      out_->push_back('\n');
      if (is_whole_module_ && out_->size() >= kPieceBytes) SetPieceAside();
    }
    --indentation_;
    out_->append(2 * indentation_, ' ');
  }

  // A long text is put together at the end, from pieces: a string that grows step by step takes up to three times its
  // size on the way.
  static constexpr size_t kPieceBytes = 1 << 20;
  void SetPieceAside() {
    pieces_.push_back(std::move(*out_));
    out_->clear();
    out_->reserve(kPieceBytes + kPieceBytes / 16);
  }
  void JoinPieces() {
    if (pieces_.empty()) return;
    pieces_.push_back(std::move(*out_));
    size_t size = 0;
    for (const std::string& piece : pieces_) size += piece.size();
    out_->clear();
    out_->reserve(size);
    for (std::string& piece : pieces_) {
      *out_ += piece;
      piece = std::string();
    }
    pieces_.clear();
  }

  // get-tuple-element instructions that operands spell as `tuple#1`.
  absl::flat_hash_set<const HloInstruction*> HiddenTupleElements(const HloComputation& computation) const {
    absl::flat_hash_set<const HloInstruction*> hidden;
    if (!options_.compact_tuple_elements) return hidden;
    for (const auto& instruction : computation.instructions()) {
      if (IsCompactElement(*instruction)) hidden.insert(instruction.get());
    }
    for (const auto& instruction : computation.instructions()) {
      for (const HloInstruction* predecessor : instruction->control_predecessors()) hidden.erase(predecessor);
    }
    return hidden;
  }

  bool IsCompactElement(const HloInstruction& instruction) const {
    return options_.compact_tuple_elements && instruction.opcode() == HloOpcode::kGetTupleElement &&
           instruction.operand_count() == 1 && instruction.parent() != nullptr &&
           instruction.parent()->root() != &instruction;
  }

  // The name of an operand; with compact tuple elements `tuple#1#0`.
  void AppendOperandName(const HloInstruction& operand) {
    std::vector<int64_t> indices;
    const HloInstruction* at = &operand;
    while (IsCompactElement(*at)) {
      indices.push_back(at->attributes<GetTupleElementAttributes>().index);
      at = at->operand(0);
    }
    AppendInstructionName(*at);
    for (size_t i = indices.size(); i > 0; --i) absl::StrAppend(out_, "#", indices[i - 1]);
  }

  void PrintOpcode(const HloInstruction& instruction, const HloInstruction* sugared) {
    if (sugared == nullptr) {
      absl::StrAppend(out_, instruction.opcode_name());
      return;
    }
    const absl::string_view name = instruction.opcode_name();  // async-start
    absl::StrAppend(out_, sugared->opcode_name(), name.substr(name.find('-')));
  }

  // Operands with the shapes and names that the options ask for; every fifth is preceded by a comment with its
  // number, as in XLA's text.
  void PrintOperands(const HloInstruction& instruction) {
    out_->push_back('(');
    if (instruction.opcode() == HloOpcode::kParameter) {
      absl::StrAppend(out_, instruction.attributes<ParameterAttributes>().number);
    } else if (instruction.opcode() == HloOpcode::kConstant) {
      PrintConstant(instruction.attributes<ConstantAttributes>());
    } else {
      for (int i = 0; i < instruction.operand_count(); ++i) {
        if (i > 0) absl::StrAppend(out_, ", ");
        if (options_.index_comments && i > 0 && i % 5 == 0) absl::StrAppend(out_, "/*index=", i, "*/");
        if (options_.operand_shapes) {
          AppendShape(instruction.operand(i)->shape());
          out_->push_back(' ');
        }
        AppendOperandName(*instruction.operand(i));
      }
    }
    out_->push_back(')');
  }

  void PrintConstant(const ConstantAttributes& attributes) {
    if (attributes.literal == nullptr) {
      absl::StrAppend(out_, "{...}");
      return;
    }
    LiteralPrintOptions literal_options;
    literal_options.elide_large = options_.elide_large_constants;
    literal_options.resources = resources_;
    AppendLiteral(*attributes.literal, literal_options, out_);
  }

  // Attributes by the opcode's schema, then called computations. Async operations in their short form, such as
  // `all-reduce-start` of a wrapped operation, print the attributes of what they wrap.
  void PrintTypedAttributes(const HloInstruction& instruction, const HloInstruction* sugared) {
    AttributePrintOptions attribute_options;
    attribute_options.full_replica_groups = options_.full_replica_groups;
    attribute_options.elide_large_constants = options_.elide_large_constants;
    const bool callee_first = instruction.opcode() == HloOpcode::kCall;  // as XLA prints it
    if (callee_first) PrintCalledComputations(instruction);
    if (instruction.raw_attributes() != nullptr) {
      AppendAttributes(*instruction.raw_attributes(), attribute_options, HiddenAttribute(instruction), out_);
    }
    const bool start = instruction.opcode() == HloOpcode::kAsyncStart;
    if (sugared != nullptr && start && sugared->raw_attributes() != nullptr) {
      AppendAttributes(*sugared->raw_attributes(), attribute_options, HiddenAttribute(*sugared), out_);
    }
    if (callee_first) return;
    if (SpellsCallees(instruction)) PrintCalledComputations(sugared != nullptr ? *sugared : instruction);
  }

  // The type of a comparison is printed only if it is not the operands' own.
  static const char* HiddenAttribute(const HloInstruction& instruction) {
    if (instruction.opcode() != HloOpcode::kCompare || instruction.operand_count() == 0) return nullptr;
    const PrimitiveType type = instruction.operand(0)->shape().element_type();
    const auto& attributes = instruction.attributes<CompareAttributes>();
    return attributes.type == DefaultComparisonType(type) ? "type" : nullptr;
  }

  // Called computations by their roles: `condition=%c, body=%b`, or `branch_computations={...}` where a role takes a
  // list (a name with `*`). A `?` marks an optional role.
  void PrintCalledComputations(const HloInstruction& instruction) {
    const auto called = instruction.called_computations();
    if (called.empty()) return;
    std::string error;
    const std::vector<std::string> roles = CalledComputationNames(instruction, &error);
    if (roles.size() == 1 && roles[0].back() == '*') {
      absl::StrAppend(out_, ", ", absl::string_view(roles[0]).substr(0, roles[0].size() - 1), "={");
      for (size_t i = 0; i < called.size(); ++i) {
        absl::StrAppend(out_, i > 0 ? ", " : "");
        PrintCallee(*called[i]);
      }
      out_->push_back('}');
      return;
    }
    for (size_t i = 0; i < called.size() && i < roles.size(); ++i) {
      absl::string_view role = roles[i];
      if (role.back() == '?') role.remove_suffix(1);
      absl::StrAppend(out_, ", ", role, "=");
      PrintCallee(*called[i]);
    }
  }

  void PrintCallee(const HloComputation& computation) {
    if (!options_.nested_bodies || names_of_callees_.contains(&computation)) return AppendComputationName(computation);
    nested_instructions_ += computation.instruction_count();
    const bool is_too_much = !is_whole_module_ && nested_instructions_ > kMaxNestedInstructions;
    if (nested_bodies_ >= kMaxNestedBodies || is_too_much) return AppendName(computation.name());
    ++nested_bodies_;
    absl::StrAppend(out_, "{\n");
    PrintInstructions(computation);
    out_->push_back('}');
    --nested_bodies_;
  }

  void PrintAnnotations(const HloInstruction& instruction, const HloInstruction* sugared) {
    const InstructionAnnotations& a = instruction.annotations();
    if (a.sharding.has_value()) AppendSharding(*a.sharding, Begin("sharding"));
    if (!a.frontend_attributes.empty()) AppendFrontendAttributes(a.frontend_attributes, Begin("frontend_attributes"));
    if (options_.control_predecessors && !instruction.control_predecessors().empty())
      PrintControlPredecessors(instruction);
    if (a.statistics.has_value()) AppendStatistics(*a.statistics, Begin("statistics"));
    const bool sugared_start = sugared != nullptr && instruction.opcode() == HloOpcode::kAsyncStart;
    const ResultAccuracy& accuracy = (sugared_start ? *sugared : instruction).annotations().result_accuracy;
    if (accuracy.mode != ResultAccuracy::Mode::kDefault) AppendResultAccuracy(accuracy, Begin("result_accuracy"));
    if (options_.metadata && a.original_value.has_value()) AppendOrigin(*a.original_value, Begin("origin"));
    if (options_.metadata) PrintMetadata(a.metadata);
    if (options_.backend_config && !a.backend_config.empty())
      AppendStringOrJson(a.backend_config, Begin("backend_config"));
  }

  // Appends ", NAME=" and returns where its value goes.
  std::string* Begin(absl::string_view name) {
    absl::StrAppend(out_, ", ", name, "=");
    return out_;
  }

  void PrintControlPredecessors(const HloInstruction& instruction) {
    Begin("control-predecessors")->push_back('{');
    bool first = true;
    for (const HloInstruction* predecessor : instruction.control_predecessors()) {
      if (!first) absl::StrAppend(out_, ", ");
      first = false;
      AppendInstructionName(*predecessor);
    }
    out_->push_back('}');
  }

  void PrintMetadata(const OpMetadata& metadata) {
    if (metadata.empty()) return;
    if (!options_.inline_stack_frames || metadata.stack_frame_id == 0)
      return AppendMetadata(metadata, Begin("metadata"));
    AppendMetadata(WithInnermostFrame(metadata), Begin("metadata"));
  }

  // The place of the innermost frame in place of the frame's id.
  OpMetadata WithInnermostFrame(OpMetadata metadata) const {
    using Location = StackFrameIndex::FileLocation;
    const StackFrameIndex* const index = module_ == nullptr ? nullptr : &module_->config().stack_frames;
    const auto row = [](const auto& table, int32_t id) {
      return id >= 1 && id <= static_cast<int64_t>(table.size()) ? &table[id - 1] : nullptr;
    };
    if (index == nullptr) return metadata;
    const StackFrameIndex::StackFrame* const frame = row(index->stack_frames, metadata.stack_frame_id);
    metadata.stack_frame_id = 0;
    const Location* const location = frame == nullptr ? nullptr : row(index->file_locations, frame->file_location_id);
    if (location == nullptr) return metadata;
    if (const std::string* file = row(index->file_names, location->file_name_id)) metadata.source_file = *file;
    metadata.source_line = location->line;
    metadata.source_end_line = location->end_line;
    metadata.source_column = location->column;
    metadata.source_end_column = location->end_column;
    return metadata;
  }

  const PrintOptions& options_;
  const HloModule* const module_;
  const ResourceContext* const resources_;
  std::string* const out_;
  bool is_whole_module_ = false;
  std::vector<std::string> pieces_;  // of the text, in front of what is in out_
  // With nested bodies: of those that are printed on their own.
  absl::flat_hash_map<const HloComputation*, std::string> names_of_callees_;
  int indentation_ = 0;
  int nested_bodies_ = 0;
  int64_t nested_instructions_ = 0;
  absl::flat_hash_map<const HloInstruction*, int64_t> canonical_numbers_;
};

template <typename Append>
std::string Collect(Append append) {
  std::string out;
  append(&out);
  return out;
}

}  // namespace

PrintOptions PrintOptions::Short() {
  PrintOptions options;
  options.percent = false;
  options.signatures = false;
  options.metadata = false;
  options.index_comments = false;
  return options;
}

PrintOptions PrintOptions::Canonical() {
  PrintOptions options = Short();
  options.operand_shapes = true;
  options.nested_bodies = true;
  options.canonical_names = true;
  return options;
}

std::string ModuleToString(const HloModule& module, const PrintOptions& options) {
  return Collect([&](std::string* out) { HloPrinter(options, &module, nullptr, out).PrintModule(); });
}

absl::StatusOr<std::string> PrintModule(const HloModule& module, const PrintOptions& options,
                                        const ResourceContext* resources) {
  const ResourceContext writing(resources, "writing the program");
  std::string text = Collect([&](std::string* out) { HloPrinter(options, &module, &writing, out).PrintModule(); });
  RETURN_IF_ERROR(writing.Check());
  return text;
}

std::string ComputationToString(const HloComputation& computation, const PrintOptions& options) {
  return Collect(
      [&](std::string* out) { HloPrinter(options, computation.parent(), nullptr, out).PrintComputation(computation); });
}

std::string InstructionToString(const HloInstruction& instruction, const PrintOptions& options) {
  const HloModule* const module = instruction.parent() == nullptr ? nullptr : instruction.parent()->parent();
  return Collect([&](std::string* out) { HloPrinter(options, module, nullptr, out).PrintInstruction(instruction); });
}

std::string LiteralToString(const Literal& literal, LiteralStyle style) {
  LiteralPrintOptions options;
  options.shape = true;
  options.multi_line = style == LiteralStyle::kMultiLine;
  return Collect([&](std::string* out) { AppendLiteral(literal, options, out); });
}

std::string LiteralValueToString(const Literal& literal, LiteralStyle style) {
  LiteralPrintOptions options;
  options.multi_line = style == LiteralStyle::kMultiLine;
  return Collect([&](std::string* out) { AppendLiteral(literal, options, out); });
}

std::string ShardingToString(const Sharding& sharding) {
  return Collect([&](std::string* out) { AppendSharding(sharding, out); });
}

std::string ReplicaGroupsToString(const ReplicaGroups& groups) {
  return Collect([&](std::string* out) { AppendReplicaGroups(groups, /*full=*/false, out); });
}

std::string WindowToString(const Window& window) {
  return Collect([&](std::string* out) { AppendWindow(window, out); });
}

std::string DimLabelsToString(const ConvolutionDimensionNumbers& labels) {
  return Collect([&](std::string* out) { AppendDimLabels(labels, out); });
}

std::string PaddingToString(const PaddingConfig& padding) {
  return Collect([&](std::string* out) { AppendPadding(padding, out); });
}

}  // namespace xla
