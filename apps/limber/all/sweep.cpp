#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>
#include <unordered_map>

#include "commands.hpp"
#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"
#include "limber/core/programs.hpp"
#include "limber/record/files.hpp"
#include "limber/record/gnuplot.hpp"
#include "limber/scene/advice/decide.hpp"
#include "limber/scene/run/facts.hpp"
#include "limber/study/sweep/definition.hpp"
#include "limber/study/sweep/shard.hpp"
#include "limber/study/sweep/sweep_table.hpp"
#include "limber/version.hpp"
#include "own_child.hpp"

namespace limber::app {
namespace {

namespace fs = std::filesystem;

struct SweepArguments {
  SceneArguments scene;
  std::vector<std::string> vary, plot;
  std::string directory, shard;
  int jobs = 1, threads = -1;
  bool overwrite = false, collect = false, json = false;
};

/// A run that is to be done, and how long it will take compared with others.
struct SweepRun {
  const Combination* combination = nullptr;
  double steps = 1;
  bool own_threads = false;  // the scene says how many
};

const char* environment_variable(const char* name) { return std::getenv(name); }

Shard chosen_shard(const SweepArguments& a) {
  if (a.shard.empty()) {
    const auto found = a.collect ? std::nullopt : found_shard(environment_variable);
    if (found && found->shard.count > 1)
      fmt::print(stderr, "note: {}, but all runs are done here; --shard auto would take part {}/{}\n", found->from,
                 found->shard.index, found->shard.count);
    return {};
  }
  const FoundShard found = read_shard(a.shard, environment_variable);
  if (a.shard.starts_with("auto"))
    fmt::print(stderr, "shard {}/{}: {}\n", found.shard.index, found.shard.count, found.from);
  return found.shard;
}

SweepDefinition definition_in_arguments(const SweepArguments& a) {
  if (a.vary.empty()) throw InputError("--vary", "is missing; for example --vary time.step=0.01,0.02,0.04");
  SweepDefinition sweep{a.scene.document(), read_variations(a.vary), LIMBER_VERSION};
  for (const Variation& v : sweep.variations) {
    if (v.key == "output.directory")
      throw InputError("--vary", "output.directory: every run has a folder of its own under -o");
    for (const std::string& assignment : a.scene.set)
      if (assignment.starts_with(v.key + "="))
        throw InputError("--set", fmt::format("{} is varied; leave it to --vary", v.key));
  }
  return sweep;
}

SweepDefinition definition_in_directory(const fs::path& directory) {
  if (auto sweep = load_definition(directory)) return *sweep;
  throw InputError("--output",
                   fmt::format("'{}' holds no sweep: there is no {}", directory.string(), sweep_file::definition));
}

/// Every combination is read, and those that are to run here are built, before the first one runs.
class SweepCheck {
 public:
  SweepCheck(const SweepArguments& arguments, const SweepDefinition& sweep, const std::vector<Combination>& all)
      : a_(arguments), sweep_(sweep), all_(all) {}

  Loaded read(const Combination& c) const {
    return named(c, [&] { return a_.scene.read(with_values(sweep_.scene, sweep_.variations, c)); });
  }

  /// `waiting`: whether the run is to be done here.
  template <class Waiting>
  std::vector<SweepRun> check(const Waiting& waiting) {
    TimeLeft progress;
    std::vector<SweepRun> runs;
    for (const Combination& c : all_) {
      end_if_interrupted();
      progress.show(static_cast<double>(c.number - 1) / static_cast<double>(all_.size()),
                    fmt::format("checking combination {} of {}", c.number, all_.size()));
      const Loaded loaded = read(c);
      refuse_equal_scenes(c, loaded.document.text());
      if (!waiting(c)) continue;
      named(c, [&] {
        const Model model = build_model(loaded.scene);
        if (!undecided(loaded.scene)) build_simulation(loaded.scene, model);
        return 0;
      });
      runs.push_back({&c, static_cast<double>(step_count(loaded.scene.time)), loaded.scene.threads > 0});
    }
    return runs;
  }

 private:
  template <class Work>
  auto named(const Combination& c, const Work& work) const -> decltype(work()) {
    try {
      return work();
    } catch (const InputError& e) {
      throw InputError(fmt::format("combination {} of {} ({})", c.number, all_.size(), describe(c, sweep_.variations)),
                       e.what());
    }
  }

  /// As where a later key replaces what an earlier one has set: two rows of the table would mean the same.
  void refuse_equal_scenes(const Combination& c, const std::string& text) {
    const auto [place, fresh] = seen_.emplace(std::hash<std::string>{}(text), &c);
    if (!fresh && read(*place->second).document.text() == text)
      throw InputError(
          "--vary", fmt::format("combinations {} ({}) and {} ({}) are the same scene", place->second->number,
                                describe(*place->second, sweep_.variations), c.number, describe(c, sweep_.variations)));
  }

  const SweepArguments& a_;
  const SweepDefinition& sweep_;
  const std::vector<Combination>& all_;
  std::unordered_map<std::size_t, const Combination*> seen_;
};

/// One line with what is done, redrawn on a terminal; elsewhere a line for each run that ends.
class SweepProgress {
 public:
  SweepProgress(const std::vector<SweepRun>& runs, std::size_t done_before)
      : total_(runs.size() + done_before), done_(done_before) {
    for (const SweepRun& run : runs) steps_left_ += run.steps;
  }
  ~SweepProgress() { clear(); }
  SweepProgress(const SweepProgress&) = delete;
  SweepProgress& operator=(const SweepProgress&) = delete;

  void show(std::size_t running) {
    if (!terminal_) return;
    const std::string text = state(running);
    if (text == shown_) return;
    fmt::print(stderr, "\r\033[K{}", text);
    std::fflush(stderr);
    shown_ = text;
  }

  void ended(const SweepRun& run, const SweepRow& row, std::size_t running) {
    steps_left_ -= run.steps;
    steps_done_ += run.steps;
    ++(row.status == RunStatus::done ? done_ : row.status == RunStatus::failed ? failed_ : stopped_);
    if (terminal_ && row.status == RunStatus::done) return;
    clear();
    const std::string why = row.message.empty() ? "" : ": " + row.message;
    fmt::print(stderr, "{} {}{}{}\n", run.combination->folder, to_string(row.status), why,
               terminal_ ? "" : " (" + state(running) + ")");
    std::fflush(stderr);
  }

 private:
  using Clock = std::chrono::steady_clock;

  std::string state(std::size_t running) const {
    std::string text = fmt::format("{} of {} runs done, {} running", done_, total_, running);
    if (failed_ > 0) text += fmt::format(", {} failed", failed_);
    if (stopped_ > 0) text += fmt::format(", {} stopped", stopped_);
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    if (steps_done_ > 0 && steps_left_ > 0)
      text += fmt::format(", {} left", duration_text(seconds / steps_done_ * steps_left_));
    return text;
  }
  void clear() {
    if (!shown_.empty()) fmt::print(stderr, "\r\033[K");
    shown_.clear();
  }

  bool terminal_ = isatty(STDERR_FILENO) != 0;
  Clock::time_point start_ = Clock::now();
  std::size_t total_, done_, failed_ = 0, stopped_ = 0;
  double steps_left_ = 0, steps_done_ = 0;
  std::string shown_;
};

/// Whether another process is at work in the folder of a run. One that was just killed is given a moment to be gone.
bool in_use(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return false;
  bool busy = false;
  for (int attempt = 0; attempt < 100; ++attempt) {
    busy = ::flock(descriptor, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
    if (!busy || interrupted()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ::close(descriptor);
  return busy;
}

/// Runs as children of this program, so many at a time. Each has its scene on its standard input, so that what is done
/// is what was checked, whatever becomes of the scene's file in the meantime.
class SweepRunner {
 public:
  SweepRunner(const SweepArguments& arguments, const SweepCheck& scenes, std::vector<SweepRun> runs,
              std::size_t done_before)
      : a_(arguments), scenes_(scenes), runs_(std::move(runs)), progress_(runs_, done_before) {
    set_threads(0);
    share_ = std::max(1, threads() / a_.jobs);
  }

  void go() {
    std::size_t next = 0;
    while (!running_.empty() || (next < runs_.size() && !interrupted())) {
      while (!interrupted() && next < runs_.size() && running_.size() < static_cast<std::size_t>(a_.jobs))
        start(runs_[next++]);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      for (std::size_t i = running_.size(); i-- > 0;) {
        if (interrupted()) running_[i].child->ask_to_end();
        if (!running_[i].child->ended()) continue;
        const Running ended = std::move(running_[i]);
        running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
        end(ended);
      }
      progress_.show(running_.size());
    }
  }

 private:
  struct Running {
    const SweepRun* run;
    std::unique_ptr<OwnChild> child;
  };

  fs::path folder(const SweepRun& run) const { return fs::path(a_.directory) / run.combination->folder; }

  void start(const SweepRun& run) {
    if (in_use(folder(run))) {
      SweepRow row;
      row.status = RunStatus::stopped;
      row.message = "another process is at work on it; this one leaves it alone";
      progress_.ended(run, row, running_.size());
      return;
    }
    forget_failure(a_.directory, *run.combination);
    std::vector<std::string> words = {"run", "/dev/stdin", "-o", folder(run).string(), "--resume", "--quiet"};
    if (a_.threads >= 0 || !run.own_threads)
      words.insert(words.end(), {"--threads", fmt::format("{}", a_.threads >= 0 ? a_.threads : share_)});
    running_.push_back(
        {&run, std::make_unique<OwnChild>(words, scenes_.read(*run.combination).document.text() + "\n")});
  }

  void end(const Running& r) {
    const Combination& c = *r.run->combination;
    SweepRow row = read_sweep_row(a_.directory, c);
    const auto status = r.child->exit_status();
    if (status != 0 && interrupted()) {
      row.status = RunStatus::stopped;
    } else if (status != 0 && (status != 1 || row.status != RunStatus::failed)) {
      // Its summary, if there is one, is older than its end.
      row.status = RunStatus::failed;
      row.message = r.child->last_words();
      write_failure(a_.directory, c, row.message);
    }
    progress_.ended(*r.run, row, running_.size());
  }

  const SweepArguments& a_;
  const SweepCheck& scenes_;
  std::vector<SweepRun> runs_;
  SweepProgress progress_;
  std::vector<Running> running_;
  int share_ = 1;  // threads for each
};

/// A run that was killed after its summary has no plot yet.
bool finished_with_plot(const fs::path& directory, const Combination& c) {
  return read_sweep_row(directory, c).status == RunStatus::done &&
         (fs::exists(directory / c.folder / run_file::energy_plot) || !has_program("gnuplot"));
}

SweepTable write_sweep_table(const SweepArguments& a, const SweepDefinition& sweep) {
  const fs::path directory(a.directory);
  const SweepLock lock(directory);
  SweepTable table = read_sweep_table(directory, sweep.variations);
  write_atomically((directory / sweep_file::table).string(), sweep_csv(table));
  for (const std::string& column : a.plot) try {
      write_figure(sweep_figure(table, column), directory);
    } catch (const InputError& e) {
      fmt::print(stderr, "note: {}\n", e.what());
    }
  return table;
}

int report_sweep(const SweepArguments& a, const SweepTable& table, const Shard& shard) {
  std::map<RunStatus, std::size_t> here;
  for (const SweepRow& row : table.rows)
    if (shard.has(row.combination.number)) ++here[row.status];
  if (a.json) {
    nlohmann::json counts{{"directory", a.directory}, {"runs", table.rows.size()}};
    for (const RunStatus s : {RunStatus::done, RunStatus::failed, RunStatus::stopped, RunStatus::missing})
      counts[to_string(s)] = table.count(s);
    write_text("", counts.dump() + "\n");
  } else {
    std::string text = fmt::format("{} runs: {} done", table.rows.size(), table.count(RunStatus::done));
    for (const RunStatus s : {RunStatus::failed, RunStatus::stopped, RunStatus::missing})
      if (table.count(s) > 0) text += fmt::format(", {} {}", table.count(s), to_string(s));
    fmt::print("{} -> {}\n", text, (fs::path(a.directory) / sweep_file::table).string());
  }
  std::fflush(stdout);
  if (interrupted()) fmt::print(stderr, "limber: interrupted; the same command goes on with what is left\n");
  if (here[RunStatus::failed] > 0)
    fmt::print(stderr, "limber: {} of {} runs failed; the column 'message' says why\n", here[RunStatus::failed],
               table.rows.size());
  return here[RunStatus::failed] + here[RunStatus::stopped] + here[RunStatus::missing] == 0 ? 0 : 1;
}

int collect_sweep(const SweepArguments& a) {
  const SweepDefinition sweep = definition_in_directory(a.directory);
  if (!a.scene.file.empty()) check_sweep_directory(a.directory, definition_in_arguments(a), Existing::resume);
  for (const std::string& column : a.plot) check_plot_column(sweep.variations, column);
  return report_sweep(a, write_sweep_table(a, sweep), {});
}

int sweep_command(const SweepArguments& a) {
  if (!a.plot.empty()) require_gnuplot();
  if (a.collect) return collect_sweep(a);
  if (a.scene.file.empty()) throw InputError("SCENE", "is missing; only --collect does without");
  if (a.overwrite && !a.shard.empty())
    throw InputError("--overwrite", "would remove what other shards have done; replace the sweep without --shard");
  const Shard shard = chosen_shard(a);
  const SweepDefinition sweep = definition_in_arguments(a);
  for (const std::string& column : a.plot) check_plot_column(sweep.variations, column);
  const Existing existing = a.overwrite ? Existing::overwrite : Existing::resume;
  check_sweep_directory(a.directory, sweep, existing);
  const std::vector<Combination> all = combinations_of(sweep.variations);

  set_threads(std::max(0, a.threads));
  const CatchInterrupts catching;
  SweepCheck scenes(a, sweep, all);
  std::size_t done_before = 0;
  std::vector<SweepRun> runs = scenes.check([&](const Combination& c) {
    if (!shard.has(c.number)) return false;
    const bool done = !a.overwrite && finished_with_plot(a.directory, c);
    done_before += done ? 1 : 0;
    return !done;
  });
  begin_sweep(a.directory, sweep, existing);
  if (const auto before = load_definition(a.directory); before && before->limber_version != LIMBER_VERSION)
    fmt::print(stderr, "note: limber {} began this sweep, and limber {} goes on with it\n", before->limber_version,
               LIMBER_VERSION);
  SweepRunner(a, scenes, std::move(runs), done_before).go();
  return report_sweep(a, write_sweep_table(a, sweep), shard);
}

}  // namespace

void add_sweep(CLI::App& cli, Action& action) {
  auto* command = cli.add_subcommand("sweep", "Run a scene for every combination of some values, and make a table");
  command->footer(
      "Example:\n"
      "  limber sweep scenes/beam.json --vary method.name=BE,TR-BDF2 --vary time.step=0.005..0.04:4:log \\\n"
      "    --set time.duration=1 -o out/sweep --jobs 2 --plot energy.total\n"
      "The same command goes on with a sweep that was stopped. The exit status is 1 if a run failed or is not done.");
  auto a = std::make_shared<SweepArguments>();
  a->scene.add_to(*command);
  command->get_option("scene")->required(false);
  command
      ->add_option("--vary", a->vary,
                   "A key and its values: KEY=a,b,c, KEY=lo..hi:n (evenly spaced) or KEY=lo..hi:n:log; may be repeated")
      ->allow_extra_args(false);
  command->add_option("-o,--output", a->directory, "Directory; each run has its own folder in it")->required();
  command->add_option("--jobs", a->jobs, "Runs at the same time")->check(CLI::Range(1, 1024))->capture_default_str();
  command->add_option("--threads", a->threads, "Threads of each run (default: the cores, shared among the jobs)")
      ->check(CLI::Range(0, 1024));
  command->add_option("--shard", a->shard,
                      "i/n: every n-th run, from the i-th on; auto: as the array job or MPI launcher says");
  command->add_option("--plot", a->plot, "A column of the table to draw against the first key with numbers")
      ->allow_extra_args(false);
  auto* collect =
      command->add_flag("--collect", a->collect, "Only make table and plots of what is there; needs no SCENE");
  command->add_flag("--overwrite", a->overwrite, "Replace the sweep in the directory")->excludes(collect);
  command->add_flag("--json", a->json, "Print how many runs are done as JSON");
  command->callback([a, &action] { action = [a] { return sweep_command(*a); }; });
}

}  // namespace limber::app
