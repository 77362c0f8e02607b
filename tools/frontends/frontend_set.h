// The frontends of one start of a tool: their flags, the one that reads a program, those that write a form.
#ifndef TOOLS_FRONTENDS_FRONTEND_SET_H_
#define TOOLS_FRONTENDS_FRONTEND_SET_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tools/frontends/frontend.h"
#include "tools/frontends/program_source.h"
#include "tools/shared/flag_table.h"

namespace xla {

// Of --weights: what the weights of a program become, where its frontend knows them.
inline constexpr char kConstantWeights[] = "constant";
inline constexpr char kParameterWeights[] = "parameter";

class FrontendSet {
 public:
  // One of each that is linked, in the order of their names.
  FrontendSet();

  const std::vector<std::unique_ptr<Frontend>>& all() const { return frontends_; }
  // Those whose programs have weights.
  std::vector<const Frontend*> with_weights() const;

  // "a program in HLO, an NNEF model or a WebNN graph".
  std::string Programs() const;
  // Where those are.
  std::string Files() const;

  // Adds --frontend to the current topic. The set outlives the table.
  void AddFrontendFlag(FlagTable* table);
  // Adds the flags of each frontend, to the current topic or under new ones. The current topic is the same afterwards.
  void AddFlags(Tool tool, FlagTable* table);

  // The frontend that --frontend names; else the one that recognizes the program most surely, of equally sure ones the
  // first. InvalidArgument: there is none, or the content of a folder is that of programs of several.
  absl::StatusOr<Frontend*> ReaderOf(const ProgramSource& source) const;
  // InvalidArgument: one of the `given` flags belongs to frontends that read none of the programs, which `readers` did.
  // --weights counts as one if `weights`, its value, is only for frontends with weights.
  absl::Status CheckFlags(std::vector<FlagTable::OwnedFlag> given, absl::string_view weights,
                          absl::Span<const Frontend* const> readers) const;

  // The frontend that writes programs in this form, and the one whose arrays are in files of this name: `reader`, which
  // read the program, if its are. nullptr: none.
  const Frontend* WriterOf(absl::string_view form) const;
  const Frontend* FrontendOfArrays(absl::string_view path, const Frontend* reader = nullptr) const;

 private:
  // "an NNEF model or a WebNN graph": the programs of the frontends with these names.
  std::string ProgramsOf(absl::Span<const std::string> names, absl::string_view conjunction = "or") const;

  const std::vector<std::unique_ptr<Frontend>> frontends_;
  std::string chosen_;
};

// "a", "a or b", "a, b or c".
std::string JoinedByOr(absl::Span<const std::string> words);

}  // namespace xla

#endif  // TOOLS_FRONTENDS_FRONTEND_SET_H_
