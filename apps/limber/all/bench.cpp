#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <regex>
#include <thread>

#include "bench/report.hpp"
#include "commands.hpp"
#include "limber/core/errors.hpp"
#include "limber/core/names.hpp"
#include "limber/core/parallel.hpp"
#include "limber/linalg/blas_kernel.hpp"
#include "limber/version.hpp"

namespace limber::app {
namespace {

struct BenchArguments {
  std::optional<std::string> filter;
  std::vector<std::string> methods{"SI", "BE", "TR-BDF2", "SDIRK"};
  int rounds = 0;  // 0: 5, or 3 where it has to be quick
  int threads = 0;
  bool quick = false, json = false, csv = false, list = false;
};

std::string group_names() {
  std::vector<std::string> names;
  for (const bench::Group& g : bench::groups()) names.emplace_back(g.name);
  return join(names);
}

bench::Wanted wanted_by(const std::optional<std::string>& filter) {
  if (!filter) return [](const std::string&) { return true; };
  try {
    return [expression = std::regex(*filter)](const std::string& name) { return std::regex_search(name, expression); };
  } catch (const std::regex_error&) {
    throw InputError("--filter",
                     fmt::format("'{}' is not a regular expression; a part of a name is one, such as step/2560 or "
                                 "'SI$'; groups are {}",
                                 *filter, group_names()));
  }
}

/// As they are written in the catalog. Explicit ones are unstable at the step of the beam.
std::vector<std::string> implicit_methods(const std::vector<std::string>& asked) {
  std::vector<std::string> all, chosen;
  for (const MethodInfo& m : method_catalog())
    if (m.kind != MethodKind::explicit_) all.push_back(m.name);
  for (const std::string& name : asked) {
    if (name == "all") return all;
    const auto same = std::find_if(all.begin(), all.end(), [&](const auto& m) { return same_name(m, name); });
    if (same == all.end())
      throw InputError("--methods",
                       fmt::format("'{}' is not a method that can be measured; these are {}, or all", name, join(all)));
    chosen.push_back(*same);
  }
  return chosen;
}

bench::Settings settings_of(const BenchArguments& a) {
  set_threads(a.threads);
  return {a.quick, a.rounds > 0 ? a.rounds : a.quick ? 3 : 5, threads(), implicit_methods(a.methods)};
}

struct ChosenGroup {
  const bench::Group* group;
  std::vector<bench::Set> sets;
};

/// Groups and sets with a row that is wanted.
std::vector<ChosenGroup> chosen_groups(const bench::Settings& settings, const bench::Wanted& wanted) {
  std::vector<ChosenGroup> chosen;
  for (const bench::Group& group : bench::groups()) {
    ChosenGroup c{&group, group.sets(settings)};
    std::erase_if(c.sets,
                  [&](const bench::Set& set) { return std::none_of(set.rows.begin(), set.rows.end(), wanted); });
    if (!c.sets.empty()) chosen.push_back(std::move(c));
  }
  return chosen;
}

int print_names(const std::vector<ChosenGroup>& chosen, const bench::Wanted& wanted) {
  for (const ChosenGroup& c : chosen)
    for (const bench::Set& set : c.sets)
      for (const std::string& name : set.rows)
        if (wanted(name)) fmt::print("{}\n", name);
  return 0;
}

unsigned cores() { return std::max(1U, std::thread::hardware_concurrency()); }

void print_surroundings(const bench::Settings& s) {
  const std::string kernel = blas_kernel();
  fmt::print("limber {}, {} of {} cores{}; {}, medians of {} rounds\n\n", LIMBER_VERSION, s.threads, cores(),
             kernel.empty() ? "" : ", OpenBLAS with its loops for " + kernel,
             s.threads == 1 ? "processor time" : "time by the clock on the wall", s.rounds);
}

/// A busy machine is no place to measure on.
void warn_if_busy(const bench::Settings& s) {
  double load = 0;
  if (getloadavg(&load, 1) == 1 && load > 0.5 * cores())
    fmt::print(stderr,
               "note: other programs keep this machine busy (load {:.1f}, {} cores); trust ratios, not times{}\n", load,
               cores(), s.threads == 1 ? "" : "; --threads 1 is disturbed less");
}

/// Measures set after set; `finished` hears of each group.
class BenchRun {
 public:
  BenchRun(const std::vector<ChosenGroup>& chosen, const bench::Wanted& wanted) : chosen_(chosen), wanted_(wanted) {
    for (const ChosenGroup& c : chosen)
      for (const bench::Set& set : c.sets) all_ += set.cost;
  }

  template <class Finished>
  void measure(const Finished& finished) {
    for (const ChosenGroup& c : chosen_) {
      std::vector<bench::Row> rows;
      for (const bench::Set& set : c.sets)
        for (bench::Row& row : measure(set)) rows.push_back(std::move(row));
      progress_.clear();
      finished(*c.group, rows);
    }
  }

 private:
  std::vector<bench::Row> measure(const bench::Set& set) {
    const auto show = [&](double part) {
      end_if_interrupted();
      const double whole = (done_ + part * set.cost) / all_;
      progress_.show(whole, fmt::format("{}: {:.0f} %", set.rows[0], 100 * whole));
    };
    show(0);
    auto rows = set.measure(wanted_, show);
    done_ += set.cost;
    return rows;
  }

  const std::vector<ChosenGroup>& chosen_;
  const bench::Wanted& wanted_;
  TimeLeft progress_;
  double all_ = 0, done_ = 0;
};

nlohmann::json bench_json(const bench::Settings& s, const std::vector<bench::Row>& rows) {
  return {{"version", LIMBER_VERSION}, {"cores", cores()},   {"threads", s.threads},
          {"blas", blas_kernel()},     {"rounds", s.rounds}, {"rows", bench::json_of(rows)}};
}

[[noreturn]] void refuse_filter(const BenchArguments& a, const bench::Settings& s) {
  throw InputError("--filter",
                   fmt::format("'{}' is part of no name{}{}; groups are {}, and limber bench --list prints "
                               "all names",
                               *a.filter, a.quick ? " that --quick has" : "",
                               s.threads == 1 ? " (with one thread there is no group threads)" : "", group_names()));
}

int bench_command(const BenchArguments& a) {
  const bench::Settings settings = settings_of(a);
  const bench::Wanted wanted = wanted_by(a.filter);
  const auto chosen = chosen_groups(settings, wanted);
  if (chosen.empty()) refuse_filter(a, settings);
  if (a.list) return print_names(chosen, wanted);
  warn_if_busy(settings);
  const bool text = !a.json && !a.csv;
  if (text) print_surroundings(settings);
  const CatchInterrupts catching;
  std::vector<bench::Row> all;
  BenchRun(chosen, wanted).measure([&](const bench::Group& group, const std::vector<bench::Row>& rows) {
    if (text) write_text("", bench::table(group.title, rows));
    all.insert(all.end(), rows.begin(), rows.end());
  });
  if (a.json) write_text("", bench_json(settings, all).dump() + "\n");
  if (a.csv) write_text("", bench::csv_of(all));
  return 0;
}

}  // namespace

void add_bench(CLI::App& cli, Action& action) {
  auto* command = cli.add_subcommand("bench", "Measure this machine: times, and ratios that can be compared");
  std::string list;
  for (const bench::Group& g : bench::groups()) list += fmt::format("  {:<12}{}\n", g.name, g.title);
  command->footer("What is compared takes turns in one run; a ratio is the median of those of all rounds. Groups:\n" +
                  list +
                  "\nExample:\n  limber bench --quick\n  limber bench --filter step/20k --threads 1\n"
                  "  limber bench --filter '^(step|siere)/.*soft' --json > bench.json");
  auto a = std::make_shared<BenchArguments>();
  command->add_option("--filter", a->filter, "Cases whose name has this part (a regular expression); --list has names");
  command->add_flag("--quick", a->quick, "The smallest bodies and fewer rounds: within a minute");
  command->add_flag("--list", a->list, "Print the names of cases, and measure nothing");
  command->add_option("--methods", a->methods, "Methods of the group step, or all: --methods SI,BDF2")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--rounds", a->rounds, "How often all take their turn (default: 5, with --quick 3)")
      ->check(CLI::Range(1, 1000));
  command->add_option("--threads", a->threads, "Threads to use (0: all cores); with 1, processor time is taken")
      ->check(CLI::Range(0, 1024));
  auto* json = command->add_flag("--json", a->json, "Print as JSON, all at the end");
  command->add_flag("--csv", a->csv, "Print as CSV, all at the end")->excludes(json);
  command->callback([a, &action] { action = [a] { return bench_command(*a); }; });
}

}  // namespace limber::app
