// A list scheduler with a clock. It goes through the list as it stands, with three exceptions:
//
//   - A collective starts ahead of its place, as soon as its operands are there; of several, the one whose result is
//     read first.
//   - A done waits until the exchange should have ended by the clock. What reads the result waits with it, and what is
//     independent goes ahead, even if it comes much later in the list.
//   - While nothing is under way, what the next collective needs goes ahead; the rest is saved for the time when
//     something is.
//
//   list:   y = f(z)  n = g(p)  s = all-reduce(n)  t = h(s)  v = k(z)
//   order:  n = g(p)  b = start(n)  y = f(z)  v = k(z)  s = done(b)  t = h(s)
//
// Where a step would need more memory than there is, exchanges that hold their operands end first, or the list goes on,
// whose own order needs less. That does not always help: what waits holds memory. So the peak is counted, and if it is
// too high, everything is tried again as if exchanges were shorter, which moves less.
#include "passes/collectives/overlap_order.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <tuple>
#include <utility>

#include "passes/collectives/overlap_graph.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Nanoseconds. A meeting of processes on one machine takes some 20 microseconds, and a byte through TCP one; a core
// moves some 10 bytes in a nanosecond, or does 16 operations, of which a mathematical function takes 8. What counts is
// only about how much work fits beside an exchange.
constexpr double kMeeting = 20000;
constexpr double kExchangedByte = 1;
constexpr double kMovedByte = 1.0 / 10;
constexpr double kOperation = 1.0 / 16;
constexpr double kFunction = 8 * kOperation;

// Shares of the time that exchanges are taken to need, one after the other, until the peak of memory is low enough.
constexpr double kShares[] = {1, 1.0 / 4, 1.0 / 16};

// Without the time to meet.
double ExchangeTime(const HloInstruction& collective) {
  double given = 0;
  for (const HloInstruction* operand : collective.operands()) given += static_cast<double>(operand->shape().ByteSize());
  return kExchangedByte * std::max(given, static_cast<double>(collective.shape().ByteSize()));
}

double WorkTime(const HloInstruction& instruction, const CostAnalysis& analysis) {
  if (TakesNoTime(instruction)) return 0;
  const Cost cost = analysis.Of(instruction);
  return std::max(cost.bytes() * kMovedByte, cost.flops * kOperation + cost.transcendentals * kFunction);
}

// Whether it is worth running beside an exchange: not the parts of other exchanges.
bool IsWork(const HloInstruction& instruction) {
  constexpr uint32_t kParts = opcode_trait::kBegins | opcode_trait::kEnds | opcode_trait::kPassesOn;
  return !TakesNoTime(instruction) && !HasTrait(instruction.opcode(), kParts);
}

// The largest of values from one place to another, in log n steps: a tree whose leaves they are.
class RangeMaximum {
 public:
  explicit RangeMaximum(const std::vector<double>& values) : count_(values.size()), tree_(2 * values.size()) {
    std::copy(values.begin(), values.end(), tree_.begin() + count_);
    for (size_t i = count_; i-- > 1;) tree_[i] = std::max(tree_[2 * i], tree_[2 * i + 1]);
  }
  // `from` to `to`, without `to`; 0 of none.
  double Of(size_t from, size_t to) const {
    double largest = 0;
    for (from += count_, to += count_; from < to; from /= 2, to /= 2) {
      if (from % 2 == 1) largest = std::max(largest, tree_[from++]);
      if (to % 2 == 1) largest = std::max(largest, tree_[--to]);
    }
    return largest;
  }

 private:
  size_t count_;
  std::vector<double> tree_;
};

// What holds for every try.
struct OverlapFacts {
  OverlapFacts(const OverlapProblem& problem, OverlapGraph steps) : graph(std::move(steps)) {
    const int count = graph.instruction_count();
    MemoryInUse memory(problem.memory);
    std::vector<double> peaks;
    for (int i = 0; i < count; ++i) {
      const HloInstruction& instruction = *problem.memory[i].instruction;
      exchange.push_back(graph.IsStart(i) ? ExchangeTime(instruction) : 0);
      work.push_back(graph.IsStart(i) ? 0 : WorkTime(instruction, problem.cost));
      live_before.push_back(memory.live());
      peaks.push_back(memory.UseDuring(i));
      memory.Run(i);
    }
    live_before.push_back(memory.live());
    peak = RangeMaximum(peaks);
  }

  OverlapGraph graph;
  std::vector<double> work;         // by instruction: time of what is no meeting
  std::vector<double> exchange;     // ... of what is one
  std::vector<double> live_before;  // bytes, if nothing moves
  RangeMaximum peak{{}};            // of bytes, likewise
};

// One try.
class OverlapScheduler {
 public:
  OverlapScheduler(const OverlapProblem& problem, const OverlapFacts& facts, double share)
      : problem_(problem), facts_(facts), graph_(facts.graph), share_(share), memory_(problem.memory) {}

  absl::StatusOr<std::vector<int>> Run(ResourcePoll& poll) {
    ran_.resize(graph_.instruction_count());
    is_whole_.resize(graph_.instruction_count());
    end_of_.resize(graph_.size());
    for (int step = 0; step < graph_.size(); ++step) {
      missing_.push_back(graph_.WaitsFor(step));
      if (missing_[step] == 0) MakeReady(step);
    }
    while (!in_list_order_.empty()) {
      RETURN_IF_ERROR(poll.Check());
      const int step = Choose();
      GoOnWith(step);
      if (graph_.IsStart(step) && is_whole_[step]) GoOnWith(graph_.EndOf(step));
    }
    return std::move(order_);
  }
  double peak() const { return memory_.peak(); }

 private:
  using Entry = std::pair<double, int>;  // when, which step

  Entry Placed(int step) const { return {graph_.PlaceOf(step), step}; }
  std::tuple<int, int, int> Needed(int step) const { return {graph_.NextMeeting(step), graph_.PlaceOf(step), step}; }
  Entry FirstRead(int start) const { return {graph_.PlaceOf(graph_.EndOf(start)), start}; }
  Entry Ending(int done) const { return {end_of_[done], done}; }
  // While an exchange is, independent work runs beside it.
  bool IsAnythingUnderWay() const { return last_end_ > clock_; }

  void MakeReady(int step) {
    in_list_order_.insert(Placed(step));
    if (graph_.IsDone(step)) {
      under_way_.insert(Ending(step));
      if (FreesOperands(graph_.StartOf(step))) releasing_.insert(Ending(step));
      return;
    }
    in_time_.insert(Placed(step));
    if (graph_.IsStart(step)) {
      starts_.insert(FirstRead(step));
    } else if (graph_.NextMeeting(step) != OverlapGraph::kNone) {
      needed_.insert(Needed(step));
    }
  }

  int Choose() {
    while (!under_way_.empty() && under_way_.begin()->first <= clock_) {
      in_time_.insert(Placed(under_way_.begin()->second));
      under_way_.erase(under_way_.begin());
    }
    if (!starts_.empty() && MayBegin(starts_.begin()->second)) return starts_.begin()->second;
    if (in_time_.empty()) return under_way_.begin()->second;
    const int next = ChooseWork();
    if (Fits(next)) return next;
    return releasing_.empty() ? in_list_order_.begin()->second : releasing_.begin()->second;
  }

  int ChooseWork() const {
    const bool saves_work = share_ == 1 && !IsAnythingUnderWay() && !needed_.empty();
    return saves_work ? std::get<2>(*needed_.begin()) : in_time_.begin()->second;
  }

  bool FreesOperands(int start) const { return memory_.Growth(start) < problem_.memory[start].bytes; }

  bool Fits(int step) const {
    if (graph_.IsDone(step)) return true;
    const double bytes = graph_.IsStart(step) ? memory_.UseDuringBegin(step) : memory_.UseDuring(step);
    return bytes <= problem_.max_bytes;
  }

  // What it needs until its end must be there now. What it needs beyond that, until its result is read, must be there
  // beside all that precedes it in the list.
  bool MayBegin(int start) const {
    if (!Fits(start)) return false;
    if (memory_.Growth(start) <= 0) return true;
    const double more = memory_.live() - facts_.live_before[first_left_] + problem_.memory[start].bytes;
    return more + facts_.peak.Of(std::min(first_left_, start), start) <= problem_.max_bytes;
  }

  void GoOnWith(int step) {
    order_.push_back(step);
    Take(step);
    for (const int after : graph_.After(step)) {
      if (--missing_[after] == 0) MakeReady(after);
    }
  }

  void Take(int step) {
    in_list_order_.erase(Placed(step));
    in_time_.erase(Placed(step));
    if (graph_.IsDone(step)) {
      under_way_.erase(Ending(step));
      releasing_.erase(Ending(step));
      clock_ = std::max(clock_, end_of_[step]);
      if (!is_whole_[graph_.StartOf(step)]) memory_.End(graph_.StartOf(step));
      return;
    }
    if (graph_.IsStart(step)) {
      starts_.erase(FirstRead(step));
      // The bytes of exchanges go one after the other.
      last_end_ = share_ * facts_.exchange[step] + std::max(last_end_, clock_ + share_ * kMeeting);
      end_of_[graph_.EndOf(step)] = last_end_;
      // Without anything beside it, it may write over its operand.
      is_whole_[step] = !Fits(step);
      is_whole_[step] ? memory_.Run(step) : memory_.Begin(step);
    } else {
      needed_.erase(Needed(step));
      clock_ += facts_.work[step];
      memory_.Run(step);
    }
    ran_[step] = true;
    while (first_left_ < graph_.instruction_count() && ran_[first_left_]) ++first_left_;
  }

  const OverlapProblem& problem_;
  const OverlapFacts& facts_;
  const OverlapGraph& graph_;
  const double share_;
  MemoryInUse memory_;
  double clock_ = 0;
  double last_end_ = 0;
  int first_left_ = 0;  // of the list
  std::vector<int> order_;
  std::vector<bool> ran_;
  std::vector<bool> is_whole_;  // meetings that end before anything else runs
  std::vector<double> end_of_;  // of the exchange, by done
  std::vector<int> missing_;
  // Of the steps that nothing is missing for, ...
  std::set<Entry> in_list_order_;               // all
  std::set<Entry> in_time_;                     // those that no exchange must end for
  std::set<Entry> starts_;                      // by where their results are read
  std::set<Entry> under_way_;                   // dones, by when the exchange ends
  std::set<Entry> releasing_;                   // dones after which operands are not needed any more, likewise
  std::set<std::tuple<int, int, int>> needed_;  // what a meeting needs, the next one first
};

// Takes together what nothing runs beside. nullopt if that is everything.
absl::optional<std::vector<OverlapStep>> StepsOf(const std::vector<int>& order, const OverlapProblem& problem,
                                                 const OverlapGraph& graph) {
  std::vector<int> work_at_start(graph.instruction_count());
  std::vector<bool> is_split(graph.instruction_count());
  int work = 0;
  bool any = false;
  for (const int step : order) {
    if (graph.IsDone(step)) {
      const int start = graph.StartOf(step);
      is_split[start] = work > work_at_start[start];
      any = any || is_split[start];
    } else if (graph.IsStart(step)) {
      work_at_start[step] = work;
    } else if (IsWork(*problem.memory[step].instruction)) {
      ++work;
    }
  }
  if (!any) return absl::nullopt;
  using Part = OverlapStep::Part;
  std::vector<OverlapStep> steps;
  for (const int step : order) {
    if (graph.IsDone(step)) {
      if (is_split[graph.StartOf(step)]) steps.push_back({graph.StartOf(step), Part::kDone});
    } else {
      steps.push_back({step, is_split[step] ? Part::kStart : Part::kWhole});
    }
  }
  return steps;
}

}  // namespace

absl::StatusOr<absl::optional<OverlapOrder>> OrderForOverlap(const OverlapProblem& problem, ResourcePoll& poll) {
  ASSIGN_OR_RETURN(OverlapGraph graph, OverlapGraph::Create(problem, poll));
  const OverlapFacts facts(problem, std::move(graph));
  for (const double share : kShares) {
    OverlapScheduler scheduler(problem, facts, share);
    ASSIGN_OR_RETURN(const std::vector<int> order, scheduler.Run(poll));
    if (scheduler.peak() > problem.max_bytes) continue;
    absl::optional<std::vector<OverlapStep>> steps = StepsOf(order, problem, facts.graph);
    if (!steps.has_value()) return absl::optional<OverlapOrder>();
    return absl::optional<OverlapOrder>(OverlapOrder{*std::move(steps), scheduler.peak()});
  }
  return absl::optional<OverlapOrder>();
}

}  // namespace xla
