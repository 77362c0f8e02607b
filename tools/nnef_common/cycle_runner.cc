#include "tools/nnef_common/cycle_runner.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "tools/nnef_common/activations.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// All cycles of a model, one after the other, as one run.
class CycleRunner : public ProgramRunner {
 public:
  CycleRunner(std::unique_ptr<NnefProgram> program, const NnefRunFlags& flags)
      : program_(std::move(program)), statistics_(flags.statistics), dump_all_(flags.dump_all) {}

  int64_t input_count() const override {
    return program_->needs_inputs() ? static_cast<int64_t>(program_->input_names().size()) : 0;
  }

  absl::StatusOr<Literal> Run(const std::vector<Literal>& inputs, const Launch& launch) override {
    ASSIGN_OR_RETURN(activations_, program_->RunCycles(inputs, launch));
    std::vector<Literal> outputs;
    for (const std::vector<Literal>& cycle : activations_) {
      outputs.insert(outputs.end(), cycle.begin(), cycle.begin() + program_->output_names().size());
    }
    return Literal::Tuple(std::move(outputs));
  }

  absl::Status WriteReports() const override {
    const std::vector<std::string>& names = program_->all_names();
    if (!statistics_.empty()) {
      ASSIGN_OR_RETURN(const std::string statistics, StatisticsJson(names, activations_));
      RETURN_IF_ERROR(WriteFile(statistics_, statistics));
    }
    return dump_all_.empty() ? absl::OkStatus() : DumpActivations(names, activations_, dump_all_, program_->format());
  }

  bool reports_to_standard_output() const override { return statistics_ == "-"; }

 private:
  const std::unique_ptr<NnefProgram> program_;
  const std::string statistics_;
  const std::string dump_all_;
  ActivationCycles activations_;  // of the last run
};

}  // namespace

void BeginNnefTopic(Tool tool, FlagTable* table) {
  const std::vector<std::string> topics = table->topics();
  if (std::find(topics.begin(), topics.end(), kNnefTopic) != topics.end()) return table->ContinueTopic(kNnefTopic);
  table->Topic(kNnefTopic, tool == Tool::kHloRun ? "NNEF models: shapes, cycles, intermediate tensors"
                                                 : "NNEF models: shapes, attributes");
}

void AddNnefCycleFlags(NnefRunFlags* flags, FlagTable* table) {
  table->Number("cycles", "N", &flags->inputs.cycles, 1,
                "run N times and keep the variables between runs (default: as often as there are inputs)");
  table->Text("statistics", "FILE", &flags->statistics,
              "write minimum, maximum, mean, deviation and number of NaN of each named tensor as JSON");
  table->Text("dump-all", "DIR", &flags->dump_all, "write each named tensor to DIR/NAME.dat");
}

void AddNnefImageFlags(FedInputFlags* flags, FlagTable* table) {
  table->List("image", "NAME=FILE", &flags->images,
              "use an image as the next value of an input, scaled to its height and width; may be repeated");
  table->Text("mean", "LIST", &flags->image.mean,
              "subtract this from pixels, which are from 0 to 255: a number, or one for each channel (default: 0)");
  table->Text("std", "LIST", &flags->image.deviation, "then divide pixels by this (default: 255)");
  table->Choice("layout", {"nchw", "nhwc"}, &flags->image.layout,
                "set the dimension order of the input (default: nchw)");
  table->Choice("channel-order", {"rgb", "bgr"}, &flags->image.channel_order,
                "set the order of its channels (default: rgb)");
}

absl::Status CheckNnefImageFlags(const FedInputFlags& flags) {
  if (!flags.images.empty() || flags.image.IsDefault()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "--mean, --std, --layout and --channel-order are for images; give one with --image NAME=FILE");
}

LoadedProgram LoadedNnefProgram(std::unique_ptr<NnefProgram> program, const NnefRunFlags& flags,
                                const std::string& format) {
  LoadedProgram loaded;
  loaded.file.format = format;
  loaded.file.modules.push_back(program->TakeModule());
  loaded.file.warnings = program->warnings();
  loaded.file.input_names = program->input_names();
  loaded.file.output_names = CycleNames(program->output_names(), program->cycles());
  loaded.details = absl::StrFormat("%d cycles", program->cycles());
  loaded.runner = std::make_unique<CycleRunner>(std::move(program), flags);
  return loaded;
}

}  // namespace xla
