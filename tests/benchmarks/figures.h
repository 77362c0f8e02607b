// Benchmarks against figures that were asked for.
//
// Each benchmark ends with one call of ReportRate or ReportAmount; the program then prints one line for each, with what
// was reached, what was wanted, and whether that is met.
#ifndef TESTS_BENCHMARKS_FIGURES_H_
#define TESTS_BENCHMARKS_FIGURES_H_

#include <benchmark/benchmark.h>

#include <string>

namespace xla {

// `amount` of something was done in each iteration; at least `wanted` of `unit` per second of CPU time are asked for.
// The benchmark must be registered with MeasureProcessCPUTime.
void ReportRate(benchmark::State& state, double amount, const std::string& unit, double wanted);

// `amount` may be at most `wanted`; 0: nothing is asked for.
void ReportAmount(benchmark::State& state, double amount, const std::string& unit, double wanted);

// For programs that measure by themselves: the first line of the table, and a line of it, as ReportAmount asks. False
// if the figure was missed.
void PrintFigureHeader();
bool PrintAmount(const std::string& name, double amount, const std::string& unit, double wanted);

// Prints the table; false if a figure was missed or a benchmark failed.
bool RunBenchmarksAndPrintTable();

}  // namespace xla

#endif  // TESTS_BENCHMARKS_FIGURES_H_
