#include "limber/study/study.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"
#include "limber/record/gnuplot.hpp"
#include "limber/render/video.hpp"
#include "limber/study/report.hpp"

namespace limber::app {
namespace {

namespace fs = std::filesystem;

struct StudyArguments {
  std::vector<std::string> names;
  std::string directory = "out/studies";
  int threads = 0;
  bool quick = false, json = false;
};

std::vector<const StudyInfo*> chosen(const std::vector<std::string>& names) {
  std::vector<const StudyInfo*> studies;
  for (const std::string& name : names)
    if (name == "all")
      for (const StudyInfo& s : study_catalog()) studies.push_back(&s);
    else
      studies.push_back(&find_study(name));
  return studies;
}

/// A folder for a study's files: new, or one that held a study before.
void prepare(const fs::path& folder) {
  if (fs::exists(folder) && !fs::is_empty(folder) && !fs::exists(folder / "study.md"))
    throw InputError("--output", folder.string() + " holds something else than a study; name another directory");
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw OutputError(folder.string() + ": cannot be made: " + error.message());
  if (!fs::exists(folder / "study.md")) write_text((folder / "study.md").string(), "Not finished.\n");
}

FinishedStudy run_study(const StudyInfo& info, const StudyContext& context) {
  const auto start = std::chrono::steady_clock::now();
  FinishedStudy finished{&info, info.run(context), 0};
  finished.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return finished;
}

void tell(const FinishedStudy& study, const fs::path& folder) {
  fmt::print("{}: {} -> {}\n", study.info->name, duration_text(study.seconds), folder.string());
  for (const Claim& c : study.result.claims)
    fmt::print("  {} {}\n          {}\n", c.verdict == Verdict::agrees ? "agrees: " : "differs:", c.paper, c.seen);
  std::fflush(stdout);
}

nlohmann::json summary(const std::vector<FinishedStudy>& studies, const std::vector<std::string>& failed) {
  nlohmann::json list = nlohmann::json::array();
  for (const FinishedStudy& s : studies) {
    nlohmann::json row{{"name", s.info->name}, {"seconds", s.seconds}, {"claims", nlohmann::json::array()}};
    for (const Claim& c : s.result.claims)
      row["claims"].push_back({{"claim", c.paper}, {"agrees", c.verdict == Verdict::agrees}, {"seen", c.seen}});
    for (const Figure& f : s.result.figures) row["figures"].push_back(f.name);
    list.push_back(row);
  }
  return {{"studies", list}, {"failed", failed}};
}

int study_command(const StudyArguments& a) {
  const auto studies = chosen(a.names);
  set_threads(a.threads);
  const fs::path directory(a.directory);
  require_gnuplot();
  for (const StudyInfo* s : studies)
    if (s->name == "objects") require_ffmpeg((directory / s->name).string());
  for (const StudyInfo* s : studies) prepare(directory / s->name);
  const std::string elsewhere = a.directory == StudyArguments{}.directory ? "" : " -o " + a.directory;
  ReportOrigin origin{"limber study " + join(a.names, " ") + (a.quick ? " --quick" : "") + elsewhere,
                      a.quick ? StudySize::quick : StudySize::full};
  double all = 0, done = 0;
  for (const StudyInfo* s : studies) all += s->share;
  TimeLeft progress;
  const CatchInterrupts catching;
  std::vector<FinishedStudy> finished;
  std::vector<std::string> failed;
  for (const StudyInfo* s : studies) {
    const fs::path folder = directory / s->name;
    StudyContext context{origin.size, folder, [&](double part, const std::string& what) {
                           end_if_interrupted();
                           const double whole = (done + part * s->share) / all;
                           progress.show(whole, fmt::format("{}, {}: {:.0f} %", s->name, what, 100 * whole));
                         }};
    try {
      finished.push_back(run_study(*s, context));
      write_study(finished.back(), origin, folder);
      if (!a.json) tell(finished.back(), folder);
    } catch (const StepFailure& e) {
      failed.push_back(s->name + ": " + e.what());
      fmt::print(stderr, "limber: {}\n", failed.back());
    } catch (const std::exception&) {
      if (!interrupted()) throw;
      fmt::print(stderr, "limber: interrupted in {}; finished studies are in {}\n", s->name, a.directory);
      return 1;
    }
    done += s->share;
  }
  if (studies.size() > 1) write_report(finished, origin, directory);
  if (a.json)
    write_text("", summary(finished, failed).dump() + "\n");
  else if (studies.size() > 1)
    fmt::print("{} opens in a browser\n", (directory / "index.html").string());
  return failed.empty() ? 0 : 1;
}

}  // namespace

void add_study(CLI::App& cli, Action& action) {
  auto* command = cli.add_subcommand("study", "Run experiments of the survey: figures, numbers and what they show");
  std::string list;
  for (const StudyInfo& s : study_catalog()) list += fmt::format("  {:<17}{}\n", s.name, s.title);
  command->footer("Studies:\n" + list +
                  "  all              every one, and a page that shows them\n\n"
                  "Example:\n  limber study damping\n  limber study all --quick -o out/studies");
  auto a = std::make_shared<StudyArguments>();
  command->add_option("name", a->names, "Studies, or all")->required();
  command->add_option("-o,--output", a->directory, "Directory; each study has its own folder in it")
      ->capture_default_str();
  command->add_flag("--quick", a->quick, "Smaller bodies and fewer points: all of them in minutes");
  command->add_option("--threads", a->threads, "Threads to use (0: all cores)")->check(CLI::Range(0, 1024));
  command->add_flag("--json", a->json, "Print claims and times as JSON");
  command->callback([a, &action] { action = [a] { return study_command(*a); }; });
}

}  // namespace limber::app
