#include "xla_core/evaluator/evaluator.h"

#include <utility>

#include "xla_core/evaluator/program.h"
#include "xla_core/evaluator/queued_feeds.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/support/thread_pool.h"

namespace xla {
namespace {

// A program together with the options and threads of its runs.
class HostEvaluator : public Evaluator {
 public:
  HostEvaluator(std::unique_ptr<EvaluatorProgram> program, EvaluatorOptions options)
      : program_(std::move(program)), options_(std::move(options)), pool_(options_.threads) {}

  absl::StatusOr<std::vector<Literal>> Run(std::vector<std::vector<Literal>> arguments, FeedQueues* queues) override {
    QueuedFeeds feeds(queues, program_->devices());
    last_run_ = EvaluatorRun();
    last_run_.options = &options_;
    last_run_.pool = &pool_;
    last_run_.feeds = &feeds;
    return program_->Run(std::move(arguments), last_run_);
  }
  int64_t peak_memory_bytes() const override { return last_run_.peak_memory_bytes; }
  int64_t steps() const override { return last_run_.steps; }

 private:
  const std::unique_ptr<EvaluatorProgram> program_;
  const EvaluatorOptions options_;
  ThreadPool pool_;
  EvaluatorRun last_run_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Evaluator>> Evaluator::Create(const HloModule& module, EvaluatorOptions options) {
  ASSIGN_OR_RETURN(std::unique_ptr<EvaluatorProgram> program,
                   EvaluatorProgram::Create(module, OwnDevices(options.replica_count, options.partition_count)));
  return std::unique_ptr<Evaluator>(new HostEvaluator(std::move(program), std::move(options)));
}

absl::StatusOr<Literal> Evaluator::RunOne(std::vector<Literal> arguments) {
  std::vector<std::vector<Literal>> all;
  all.push_back(std::move(arguments));
  ASSIGN_OR_RETURN(std::vector<Literal> results, Run(std::move(all)));
  return std::move(results[0]);
}

}  // namespace xla
