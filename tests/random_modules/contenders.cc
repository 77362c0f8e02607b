#include "tests/random_modules/contenders.h"

#include <stdlib.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "xla_core/ir/opcode_map.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/files.h"
#include "xla_core/support/random_source.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr absl::Duration kRunLimit = absl::Seconds(60);
constexpr int64_t kMaxSteps = 3'000'000;
constexpr int64_t kMaxMemoryBytes = int64_t{2} << 30;
constexpr int64_t kMostThreads = 8;

enum class Way {
  kUsual,
  kReloaded,
  kCached,
  kDumped,
  kOtherThreads,
  kWeights,
  kFastMath,
  kContracted,
  kFlushedDenormals,
};

// Somewhat more than half of all modules have none.
Way ChooseWay(RandomSource& random) {
  static constexpr Way kWays[] = {Way::kReloaded, Way::kCached,   Way::kDumped,     Way::kOtherThreads,
                                  Way::kWeights,  Way::kFastMath, Way::kContracted, Way::kFlushedDenormals};
  return random.Chance(55) ? Way::kUsual : random.Pick(kWays);
}

RunSettings SettingsOf(const HloModule& module, const std::string& backend, const BackendVariant& variant) {
  RunSettings settings;
  settings.backend = backend;
  settings.compile_settings = variant.settings;
  settings.client_settings = variant.client_settings;
  settings.threads = variant.threads;
  settings.optimization_level = variant.optimization_level;
  settings.replica_count = module.config().replica_count;
  settings.partition_count = module.config().num_partitions;
  settings.options.max_steps = kMaxSteps;
  settings.options.max_memory_bytes = kMaxMemoryBytes;
  settings.options.timeout = kRunLimit;
  return settings;
}

// A folder that ends with the object, and what it has.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "check_backend_XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  // "": none could be made.
  const std::string& path() const { return path_; }
  std::vector<std::string> Files() const {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) files.push_back(entry.path().string());
    return files;
  }

 private:
  std::string path_;
};

// Whether nothing that it computes from floats is a decision: what may round in another way is then near what it was.
bool IsContinuous(const HloModule& module) {
  static constexpr OpcodeSet kDecisions = {
      HloOpcode::kSign,  HloOpcode::kRemainder, HloOpcode::kBitcastConvert,   HloOpcode::kBitcast,
      HloOpcode::kSort,  HloOpcode::kTopK,      HloOpcode::kSelectAndScatter, HloOpcode::kReducePrecision,
      HloOpcode::kAtan2, HloOpcode::kOutfeed,   HloOpcode::kCustomCall};
  const auto is_float = [](const Shape& shape) {
    return shape.IsArray() && (IsFloat(shape.element_type()) || IsComplex(shape.element_type()));
  };
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const auto operands = instruction->operands();
      const bool takes_floats =
          std::any_of(operands.begin(), operands.end(), [&](const HloInstruction* o) { return is_float(o->shape()); });
      if (!takes_floats) continue;
      const HloOpcode opcode = instruction->opcode();
      if (HasTrait(opcode, opcode_trait::kRoundsToInteger) || kDecisions.Has(opcode)) return false;
      const Shape& shape = instruction->shape();
      if (shape.IsArray() && !is_float(shape)) return false;
    }
  }
  return true;
}

// Some of them, at least one.
std::string SomeGroupsOfFastMath(RandomSource& random) {
  std::vector<std::string> groups;
  for (const char* group : {"reassociate", "no-nans", "no-signed-zeros", "approximate", "contract"}) {
    if (random.Chance(40)) groups.push_back(group);
  }
  return groups.empty() ? "all" : absl::StrJoin(groups, ",");
}

// Flips a bit in the middle of each file.
absl::Status DamageFiles(const TemporaryFolder& folder) {
  for (const std::string& path : folder.Files()) {
    std::string bytes;
    {
      ASSIGN_OR_RETURN(const FileContents contents, ReadFile(path));
      bytes = std::string(contents.data());
    }
    if (bytes.empty()) continue;
    bytes[bytes.size() / 2] ^= 1;
    RETURN_IF_ERROR(WriteFile(path, bytes));
  }
  return absl::OkStatus();
}

class WayMaker {
 public:
  WayMaker(const HloModule& module, const std::string& backend, const BackendVariant& like, ContenderAgreement same,
           RandomSource& random, std::vector<Contender>* contenders)
      : module_(module),
        settings_(SettingsOf(module, backend, like)),
        like_(like),
        same_(same),
        random_(random),
        contenders_(contenders) {}

  absl::Status Make(Way way) {
    switch (way) {
      case Way::kUsual:
        return absl::OkStatus();
      case Way::kReloaded:
        settings_.reload = true;
        return Add("reloaded", same_);
      case Way::kCached:
        return MakeCached();
      case Way::kDumped:
        return MakeDumped();
      case Way::kOtherThreads:
        settings_.threads = static_cast<int>(random_.Between(2, kMostThreads));
        return Add(absl::StrCat("on ", settings_.threads, " threads"), same_);
      case Way::kWeights:
        return MakeWeights();
      case Way::kFastMath: {
        const std::string groups = SomeGroupsOfFastMath(random_);
        settings_.compile_settings["fast-math"] = groups;
        return AddInexact(absl::StrCat("fast-math=", groups));
      }
      case Way::kContracted:
        settings_.compile_settings["contract-recurrences"] = "true";
        return AddInexact("contract-recurrences=true");
      case Way::kFlushedDenormals:
        settings_.compile_settings["flush-denormals"] = "true";
        return AddInexact("flush-denormals=true");
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Add(const std::string& name, ContenderAgreement agreement) {
    Contender contender;
    contender.name = absl::StrCat(like_.Text(), ", ", name);
    contender.agreement = agreement;
    absl::StatusOr<std::unique_ptr<RunnableModule>> runnable = RunnableModule::Create(module_, settings_);
    if (!runnable.ok()) {
      return absl::Status(runnable.status().code(), absl::StrCat(contender.name, ": ", runnable.status().message()));
    }
    contender.runnable = *std::move(runnable);
    contenders_->push_back(std::move(contender));
    return absl::OkStatus();
  }

  absl::Status AddInexact(const std::string& name) {
    RETURN_IF_ERROR(Add(name, IsContinuous(module_) ? ContenderAgreement::kMostly : ContenderAgreement::kAny));
    contenders_->back().ordinary_only = true;
    return absl::OkStatus();
  }

  // Without an entry, with one, and with one that is damaged.
  absl::Status MakeCached() {
    const TemporaryFolder folder;
    if (folder.path().empty()) return absl::OkStatus();
    settings_.compile_settings["cache"] = folder.path();
    RETURN_IF_ERROR(Add("compiled into the cache", same_));
    RETURN_IF_ERROR(Add("from the cache", same_));
    if (folder.Files().empty()) return absl::OkStatus();
    const auto& stages = contenders_->back().runnable->compile_report().stages;
    const bool was_loaded = std::any_of(stages.begin(), stages.end(), [](const auto& stage) {
      return stage.first == "of which loading kernels";
    });
    if (!was_loaded) return absl::InternalError("code that the cache has was compiled again");
    RETURN_IF_ERROR(DamageFiles(folder));
    RETURN_IF_ERROR(Add("with a damaged cache", same_));
    const auto& notes = contenders_->back().runnable->compile_report().notes;
    const bool is_noted = std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
      return absl::StrContains(note, "is ignored");
    });
    return is_noted ? absl::OkStatus() : absl::InternalError("no note says that the cache is damaged");
  }

  absl::Status MakeDumped() {
    const TemporaryFolder folder;
    if (folder.path().empty()) return absl::OkStatus();
    settings_.compile_settings["dump"] = folder.path();
    RETURN_IF_ERROR(Add("dumped", same_));
    if (folder.Files().empty()) return absl::InternalError("nothing was dumped");
    // Each step belongs to an instruction of what was compiled.
    const Executable& executable = contenders_->back().runnable->executable();
    for (const PlannedStep& step : executable.planned_steps()) {
      if (step.instruction == nullptr || step.kind.empty()) return absl::InternalError("a planned step has no name");
    }
    return absl::OkStatus();
  }

  // Parameters that are not given away.
  absl::Status MakeWeights() {
    const HloModuleConfig& config = module_.config();
    const auto is_given_away = [&](int64_t number) {
      const auto is_it = [&](const auto& given) { return given.parameter_number == number; };
      return std::any_of(config.input_output_alias.begin(), config.input_output_alias.end(), is_it) ||
             std::any_of(config.buffer_donors.begin(), config.buffer_donors.end(), is_it);
    };
    const auto count = static_cast<int64_t>(module_.entry()->parameters().size());
    for (int64_t i = 0; i < count; ++i) {
      if (!is_given_away(i) && random_.Chance(70)) settings_.weights.push_back(i);
    }
    const std::string name =
        absl::StrCat("with the weights ", absl::StrJoin(settings_.weights, ","));
    // Another order of sums may be faster for what is prepared once.
    RETURN_IF_ERROR(Add(name, ContenderAgreement::kWithinTolerance));
    contenders_->back().runs = 2;
    return absl::OkStatus();
  }

  const HloModule& module_;
  RunSettings settings_;
  const BackendVariant& like_;
  const ContenderAgreement same_;
  RandomSource& random_;
  std::vector<Contender>* const contenders_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<RunnableModule>> CompileVariant(const HloModule& module, const std::string& backend,
                                                               const BackendVariant& variant) {
  return RunnableModule::Create(module, SettingsOf(module, backend, variant));
}

absl::StatusOr<std::vector<Contender>> MakeContenders(const HloModule& module, const std::string& backend,
                                                      absl::Span<const BackendVariant> usual, uint64_t seed) {
  // Of the modules some are checked at each level and on each number of threads.
  std::vector<BackendVariant> variants(usual.begin(), usual.end());
  const size_t like = seed % usual.size();
  AddCheckedVariant(backend, like, &variants);
  const auto as_first = [&](const BackendVariant& variant) {
    return variant.optimization_level == variants[0].optimization_level ? ContenderAgreement::kSameBits
                                                                        : ContenderAgreement::kButForNan;
  };
  std::vector<Contender> contenders;
  for (const BackendVariant& variant : variants) {
    Contender contender;
    contender.name = variant.Text();
    contender.agreement = contenders.empty() ? ContenderAgreement::kWithinTolerance : as_first(variant);
    ASSIGN_OR_RETURN(contender.runnable, CompileVariant(module, backend, variant));
    contenders.push_back(std::move(contender));
  }
  if (backend != "cpu") return contenders;
  // Tiles of loops that are too small for any; sums are then added up in another order.
  static constexpr const char* kTileCosts[] = {"1", "40", "400", "4000"};
  BackendVariant tiled = variants.back();
  tiled.settings["tile-cost"] = kTileCosts[seed / usual.size() % 4];
  Contender& in_tiles = contenders.emplace_back();
  in_tiles.name = tiled.Text();
  in_tiles.agreement = ContenderAgreement::kWithinTolerance;
  ASSIGN_OR_RETURN(in_tiles.runnable, CompileVariant(module, backend, tiled));
  RandomSource random(seed ^ 0x9E3779B97F4A7C15);
  WayMaker maker(module, backend, variants[like], as_first(variants[like]), random, &contenders);
  RETURN_IF_ERROR(maker.Make(ChooseWay(random)));
  return contenders;
}

}  // namespace xla
