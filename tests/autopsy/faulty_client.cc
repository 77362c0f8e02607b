#include "tests/autopsy/faulty_client.h"

#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

struct PlantedFault {
  Fault change;  // may be empty
  EarlyReuse reuse;
};

int64_t IterationOf(const ObservedStep& step) { return step.loops.empty() ? 0 : step.loops.back().iteration; }

FaultyMoment::How HowOf(ObservedStep::Repetition repetition) {
  switch (repetition) {
    case ObservedStep::Repetition::kAsBefore:
      return FaultyMoment::How::kAsBefore;
    case ObservedStep::Repetition::kBackwards:
      return FaultyMoment::How::kBackwards;
    case ObservedStep::Repetition::kPoisoned:
      return FaultyMoment::How::kPoisoned;
  }
  return FaultyMoment::How::kAsBefore;
}

void Poison(Literal& value) {
  std::memset(value.untyped_mutable_data(), 0xFF, static_cast<size_t>(value.size_bytes()));
}

// A step as the observer behind the fault sees it.
class FaultyStep : public ObservedStep {
 public:
  // `before`: what the memory of each result held.
  FaultyStep(ObservedStep& step, const PlantedFault& fault, const std::vector<Literal>& before)
      : step_(step), fault_(fault), before_(before) {
    number = step.number;
    kind = step.kind;
    device = step.device;
    instructions = step.instructions;
    loops = step.loops;
    operands = step.operands;
    results = step.results;
    has_side_effect = step.has_side_effect;
    // That a fault in a result is written over it afterwards is no early reuse.
    if (!fault.change) spoiled = step.spoiled;
  }

  absl::StatusOr<Literal> Read(const ObservedArray& array) const override { return step_.Read(array); }
  absl::StatusOr<Literal> ReadReference(const ObservedArray& array) const override {
    return step_.ReadReference(array);
  }
  bool IsAsInReference(const ObservedArray& array) const override { return step_.IsAsInReference(array); }
  void WriteReference(const ObservedArray& array, const Literal& value) override { step_.WriteReference(array, value); }
  absl::StatusOr<std::vector<Literal>> Repeat(Repetition repetition) override {
    ASSIGN_OR_RETURN(std::vector<Literal> values, step_.Repeat(repetition));
    for (size_t i = 0; fault_.change && i < values.size(); ++i) {
      Literal before = before_[i];
      RETURN_IF_ERROR(before.MakeWritable(nullptr));
      if (repetition == Repetition::kPoisoned) Poison(before);
      fault_.change({*results[i].instruction, number, IterationOf(step_), HowOf(repetition), before}, values[i]);
    }
    return values;
  }

 private:
  ObservedStep& step_;
  const PlantedFault& fault_;
  const std::vector<Literal>& before_;
};

// Plants the fault, and shows the steps to another observer, which may be nullptr.
class FaultyRun : public StepObserver {
 public:
  FaultyRun(const PlantedFault& fault, StepObserver* observer) : fault_(fault), observer_(observer) {}

  absl::Status BeforeStep(ObservedStep& step) override {
    if (step.number == fault_.reuse.reuser && reused_ != nullptr) std::memset(reused_, 0x41, 4);
    std::vector<Literal>& before = before_[step.number];
    before.clear();
    for (const ObservedArray& result : step.results) {
      ASSIGN_OR_RETURN(Literal value, step.Read(result));
      RETURN_IF_ERROR(value.MakeWritable(nullptr));
      before.push_back(std::move(value));
    }
    if (observer_ == nullptr) return absl::OkStatus();
    FaultyStep shown(step, fault_, before);
    return observer_->BeforeStep(shown);
  }
  absl::Status AfterStep(ObservedStep& step) override {
    const std::vector<Literal>& before = before_[step.number];
    for (size_t i = 0; i < step.results.size(); ++i) {
      ASSIGN_OR_RETURN(const Literal value, step.Read(step.results[i]));
      // A row-major array is lent from the program's memory.
      void* const data = const_cast<void*>(value.untyped_data());
      if (step.number == fault_.reuse.written && step.results[i].place == fault_.reuse.place) reused_ = data;
      if (!fault_.change) continue;
      Literal changed = value;
      RETURN_IF_ERROR(changed.MakeWritable(nullptr));
      fault_.change({*step.results[i].instruction, step.number, IterationOf(step), FaultyMoment::How::kRun, before[i]},
                    changed);
      std::memcpy(data, changed.untyped_data(), static_cast<size_t>(changed.size_bytes()));
    }
    if (observer_ == nullptr) return absl::OkStatus();
    FaultyStep shown(step, fault_, before);
    return observer_->AfterStep(shown);
  }
  bool watches_all_memory() const override { return observer_ != nullptr && observer_->watches_all_memory(); }
  bool keeps_reference() const override { return observer_ != nullptr && observer_->keeps_reference(); }

 private:
  const PlantedFault& fault_;
  StepObserver* const observer_;
  std::map<int64_t, std::vector<Literal>> before_;  // by step
  void* reused_ = nullptr;
};

class FaultyExecutable : public Executable {
 public:
  FaultyExecutable(std::unique_ptr<Executable> executable, PlantedFault fault)
      : executable_(std::move(executable)), fault_(std::move(fault)) {}

  Client& client() const override { return executable_->client(); }
  const std::string& name() const override { return executable_->name(); }
  int64_t replica_count() const override { return executable_->replica_count(); }
  int64_t partition_count() const override { return executable_->partition_count(); }
  absl::Span<Device* const> devices() const override { return executable_->devices(); }
  const ProgramShape& program_shape() const override { return executable_->program_shape(); }
  absl::Span<const int64_t> donated_parameters() const override { return executable_->donated_parameters(); }
  const HloModule* module() const override { return executable_->module(); }
  std::string fingerprint() const override { return executable_->fingerprint(); }
  CostEstimate cost() const override { return executable_->cost(); }
  MemoryNeed memory_need() const override { return executable_->memory_need(); }
  const CompileReport& report() const override { return executable_->report(); }
  absl::StatusOr<std::string> Serialize() const override { return executable_->Serialize(); }

  absl::StatusOr<Execution> Launch(absl::Span<const absl::Span<Buffer* const>> arguments,
                                   const ExecuteOptions& options) override {
    FaultyRun run(fault_, dynamic_cast<StepObserver*>(options.profile));
    ExecuteOptions with_fault = options;
    with_fault.profile = &run;
    ASSIGN_OR_RETURN(Execution execution, executable_->Launch(arguments, with_fault));
    // The run uses the observer until then; its error is the event's.
    execution.done.Await().IgnoreError();
    return execution;
  }

 private:
  const std::unique_ptr<Executable> executable_;
  const PlantedFault fault_;
};

class FaultyClient : public Client {
 public:
  FaultyClient(std::shared_ptr<Client> client, PlantedFault fault)
      : client_(std::move(client)), fault_(std::move(fault)) {}

  const std::string& platform_name() const override { return client_->platform_name(); }
  const std::string& platform_version() const override { return client_->platform_version(); }
  absl::Span<Device* const> devices() const override { return client_->devices(); }
  absl::Span<Device* const> addressable_devices() const override { return client_->addressable_devices(); }
  InstructionSupport Supports(const HloInstruction& instruction) const override {
    return client_->Supports(instruction);
  }
  absl::StatusOr<std::unique_ptr<Executable>> CompileShared(std::shared_ptr<const HloModule> module,
                                                            const CompileOptions& options) override {
    CompileOptions observing = options;
    observing.settings["observe-steps"] = "true";
    ASSIGN_OR_RETURN(std::unique_ptr<Executable> executable, client_->CompileShared(std::move(module), observing));
    return std::unique_ptr<Executable>(std::make_unique<FaultyExecutable>(std::move(executable), fault_));
  }
  absl::StatusOr<std::unique_ptr<Executable>> Deserialize(absl::string_view serialized,
                                                          const CompileOptions& options) override {
    return client_->Deserialize(serialized, options);
  }
  absl::StatusOr<std::unique_ptr<Buffer>> BufferFromLiteral(Literal literal, Device& device) override {
    return client_->BufferFromLiteral(std::move(literal), device);
  }
  absl::StatusOr<std::unique_ptr<Buffer>> BufferFromHost(const void* data, const Shape& shape,
                                                         absl::Span<const int64_t> byte_strides, HostMemoryUse use,
                                                         std::function<void()> release, Device& device) override {
    return client_->BufferFromHost(data, shape, byte_strides, use, std::move(release), device);
  }
  absl::StatusOr<std::unique_ptr<Buffer>> BufferFromFuture(Future<Literal> value, const Shape& shape,
                                                           Device& device) override {
    return client_->BufferFromFuture(std::move(value), shape, device);
  }
  absl::StatusOr<std::unique_ptr<Buffer>> UninitializedBuffer(const Shape& shape, Device& device) override {
    return client_->UninitializedBuffer(shape, device);
  }

 private:
  const std::shared_ptr<Client> client_;
  const PlantedFault fault_;
};

}  // namespace

std::shared_ptr<Client> MakeFaultyClient(std::shared_ptr<Client> client, Fault fault) {
  return std::make_shared<FaultyClient>(std::move(client), PlantedFault{std::move(fault), EarlyReuse()});
}

std::shared_ptr<Client> MakeFaultyClient(std::shared_ptr<Client> client, EarlyReuse reuse) {
  return std::make_shared<FaultyClient>(std::move(client), PlantedFault{nullptr, reuse});
}

}  // namespace xla
