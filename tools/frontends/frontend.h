// A frontend: how hlo-run and hlo-opt read the programs of one format, and how they write them.
//
// The tools know frontends only by this interface and by their names in the registry. A frontend describes itself in
// data, adds its own flags, recognizes its programs, and converts them to HLO. One whose programs run like any module,
// once and on arguments that hlo-run finds, needs no more; others bring a ProgramRunner. docs/developing.md says step
// by step how to add a frontend.
#ifndef TOOLS_FRONTENDS_FRONTEND_H_
#define TOOLS_FRONTENDS_FRONTEND_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "tools/frontends/program_source.h"
#include "tools/shared/flag_table.h"
#include "tools/shared/write_results.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/program_file/program_file.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/types/literal.h"

namespace xla {

enum class Tool { kHloRun, kHloOpt };

// A value of hlo-opt --to.
struct OutputForm {
  std::string name;  // "nnef"
  std::string help;  // "the folder of an NNEF 1 model, or, without -o, its description"
};

// What the tools tell about a frontend, and what they may ask it for.
struct FrontendDescription {
  std::string name;     // the value of --frontend: "nnef"
  std::string program;  // one of its programs, for help and messages: "an NNEF model"
  std::string file;     // where such a program is, for help: "the folder or archive of an NNEF 1 model"

  // The topic of help with its flags, if that is not called `name`.
  std::string help_topic;

  // Its programs have weights, which --weights makes constants or parameters. The topic of help explains.
  bool has_weights = false;

  // In what it writes programs (Convert).
  std::vector<OutputForm> output_forms;

  // Files of this name are arrays: hlo-run takes them as inputs, and WriteArrays writes them. "": there are none.
  std::string array_suffix;
  // A sentence that hlo-run adds to the help of --input: "An NNEF model also takes NAME=FILE, and .dat files".
  std::string input_help;
  // The end of a sentence in the help of --output: "to tensor files of NNEF if PATH ends in .dat".
  std::string output_help;
};

// How sure a frontend is that a program is one of its own. The surest one reads it.
enum class Recognition {
  kNot,
  kByDefault,  // it says what is wrong with a program that has no other reader
  kByName,     // by the name or the kind of the source: if the content is something else, that is a mistake
  kByContent,
};

// What the user asks of a program that is loaded.
struct LoadRequest {
  // hlo-run --input, and arrays among its other arguments. hlo-run reads them itself if there is no ProgramRunner.
  std::vector<std::string> inputs;
  // --weights parameter; only for frontends that have weights.
  bool weights_are_parameters = false;
  // The program is to be checked, and nothing else: it need not be able to run.
  bool only_checks = false;
  // Warn of what looks like a mistake, too.
  bool warns_of_oddities = false;
  // Limits of the work; nullptr: none.
  const ResourceContext* resources = nullptr;
};

// Runs a program that is more than one launch of its module, or that has arguments of its own, on one device.
class ProgramRunner {
 public:
  virtual ~ProgramRunner() = default;

  // How many parameters of the module, from the first on, hlo-run finds arguments for as for other programs: specs,
  // files or random numbers. 0: the runner has all of them.
  virtual int64_t input_count() const = 0;

  // Launches the module; a literal for each parameter.
  using Launch = std::function<absl::StatusOr<Literal>(const std::vector<Literal>& arguments)>;
  // The results as a tuple, in the order of their names. `inputs` are input_count() values. Called once or more, and
  // each time like the first. Errors: those of `launch`, and what is wrong with the data.
  virtual absl::StatusOr<Literal> Run(const std::vector<Literal>& inputs, const Launch& launch) = 0;

  // Writes what flags of the frontend ask for besides the results, about the last call of Run.
  virtual absl::Status WriteReports() const { return absl::OkStatus(); }
  // Whether that goes to standard output, so that nothing else may.
  virtual bool reports_to_standard_output() const { return false; }
};

struct LoadedProgram {
  ProgramFile file;
  std::string details;                    // for --verbose: "3 cycles"
  std::vector<int64_t> weights;           // with weights_are_parameters: those that are the same in all launches
  std::unique_ptr<ProgramRunner> runner;  // nullptr: hlo-run launches the module once, on all devices
};

// What hlo-opt writes.
struct ConvertedProgram {
  std::string text;
  std::vector<std::string> warnings;
  // Writes to the path that --output names, if that is to get something else than the text, such as a folder.
  std::function<absl::Status(const std::string& path)> write;
};

class Frontend {
 public:
  explicit Frontend(FrontendDescription description) : description_(std::move(description)) {}
  virtual ~Frontend() = default;
  Frontend(const Frontend&) = delete;
  Frontend& operator=(const Frontend&) = delete;

  const FrontendDescription& description() const { return description_; }

  // Adds the frontend's own flags, under topics of its own or to the current one, which is about what is read. The
  // tools refuse them for programs of other frontends.
  virtual void AddFlags(Tool /*tool*/, FlagTable* /*table*/) {}
  // InvalidArgument: flags of its own contradict each other. Asked after a program was loaded.
  virtual absl::Status CheckFlags() const { return absl::OkStatus(); }

  virtual Recognition Recognize(const ProgramSource& source) const = 0;
  // Whether the program is text that lines `// -----` separate into programs (hlo-opt --split-input-file).
  virtual bool IsSplittable(const ProgramSource& /*source*/) const { return false; }
  // The program, which refers to nothing of `source`. Errors: what is wrong with it or with the frontend's flags.
  virtual absl::StatusOr<LoadedProgram> Load(const ProgramSource& source, const LoadRequest& request) = 0;

  // A verified module in one of `output_forms`. Errors: Unimplemented for what the form cannot express.
  virtual absl::StatusOr<ConvertedProgram> Convert(const HloModule& module, absl::string_view form) const;
  // A program of the frontend in one of `output_forms`, without HLO in between. nullopt: there is no such way. The
  // limits of the work, here and below, may be nullptr.
  virtual absl::StatusOr<absl::optional<ConvertedProgram>> ConvertDirectly(const ProgramSource& source,
                                                                           absl::string_view form,
                                                                           const ResourceContext* resources) const;
  // Writes results of any program to `path`, which ends in `array_suffix`.
  virtual absl::Status WriteArrays(const std::vector<NamedArray>& arrays, const std::string& path,
                                   const ResourceContext* resources) const;

 private:
  const FrontendDescription description_;
};

}  // namespace xla

#endif  // TOOLS_FRONTENDS_FRONTEND_H_
