#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "limber/core/errors.hpp"
#include "limber/study/accuracy.hpp"
#include "limber/study/claims.hpp"
#include "limber/study/work_precision.hpp"

namespace limber {

namespace {

using Kind = AccuracyScene::Kind;

constexpr double finer = 10;  // the second accuracy that is asked for is so much smaller
constexpr double factor_allowed = 3, factor_never = 10, share_of_scenes = .95;
constexpr double cost_when_smooth = 1.2, cost_with_impacts = .6;

/// What came of one scene.
struct ControlledScene {
  const AccuracyScene* scene = nullptr;
  SeenMotion adaptive, finer;
  double error = 0, finer_error = 0;  // [m]
  std::vector<WorkPoint> fixed = {};  // steps of constant length, from long to short; work instead of seconds
  double fixed_seconds = 0;           // of processors, by those nearest to the same error
  std::optional<double> fixed_work = {};

  double factor() const { return error / scene->accuracy; }
  double finer_factor() const { return finer_error / (scene->accuracy / limber::finer); }
  /// Of the work with steps of constant length; nullopt where these did not reach the error.
  std::optional<double> ratio() const {
    return fixed_work ? std::optional(static_cast<double>(adaptive.work) / *fixed_work) : std::nullopt;
  }
};

/// Looks for the constant step with the same error: from as many steps as the control took to twice or half as many,
/// until the error is passed.
void compare_with_fixed_steps(const SeenMotion& reference, ControlledScene& s) {
  constexpr int most_halvings = 5, most_doublings = 4;
  double nearest = HUGE_VAL;
  const auto point = [&](long steps) {
    const SeenMotion motion = with_steps(*s.scene, steps);
    const double error = distance(motion, reference), off = std::abs(std::log(error / s.error));
    if (off < nearest) nearest = off, s.fixed_seconds = motion.seconds;
    return WorkPoint{s.scene->duration / static_cast<double>(steps), error, static_cast<double>(motion.work)};
  };
  long steps = std::max(4L, s.adaptive.steps);
  s.fixed = {point(steps)};
  if (s.fixed[0].error <= s.error)
    for (int k = 0; k < most_doublings && s.fixed.front().error <= s.error && steps > 2; ++k)
      s.fixed.insert(s.fixed.begin(), point(steps /= 2));
  else
    for (int k = 0; k < most_halvings && !(s.fixed.back().error <= s.error); ++k) s.fixed.push_back(point(steps *= 2));
  s.fixed_work = seconds_for(s.fixed, s.error);
}

ControlledScene controlled(const AccuracyScene& scene, const SeenMotion& reference) {
  ControlledScene s{&scene, with_accuracy(scene, scene.accuracy), with_accuracy(scene, scene.accuracy / finer)};
  s.error = distance(s.adaptive, reference);
  s.finer_error = distance(s.finer, reference);
  compare_with_fixed_steps(reference, s);
  return s;
}

std::string millimetres(double metres) { return fmt::format("{:.2g}", 1000 * metres); }

StudyTable scenes_table(const std::vector<ControlledScene>& all) {
  StudyTable table{"scenes",
                   "The scenes: asked and true errors, and work with the control beside the best constant step of the "
                   "same error",
                   {"scene", "what", "kind", "asked [mm]", "true/asked", "of a tenth", "estimate/true", "steps",
                    "rejected", "work", "work, constant", "ratio", "s", "s, constant"},
                   {}};
  for (const ControlledScene& s : all) {
    const auto ratio = s.ratio();
    table.rows.push_back(
        {s.scene->name, s.scene->title, to_string(s.scene->kind), millimetres(s.scene->accuracy),
         fmt::format("{:.2f}", s.factor()), fmt::format("{:.2f}", s.finer_factor()),
         fmt::format("{:.2f}", s.adaptive.estimate / s.error), std::to_string(s.adaptive.steps),
         std::to_string(s.adaptive.rejected), std::to_string(s.adaptive.work),
         ratio ? fmt::format("{:.0f}", *s.fixed_work) : fmt::format("more than {:.0f}", s.fixed.back().seconds),
         ratio ? fmt::format("{:.2f}", *ratio) : "less", fmt::format("{:.2f}", s.adaptive.seconds),
         fmt::format("{:.2f}", s.fixed_seconds)});
  }
  return table;
}

Figure asked_figure(const std::vector<ControlledScene>& all) {
  Figure figure{"asked",
                "What was asked for, and how far the motion was from that with a hundredth of it",
                {"asked [mm]", Scale::logarithmic},
                {"largest distance of a node [mm]", Scale::logarithmic},
                {},
                Legend::top_left};
  double least = HUGE_VAL, most = 0;
  for (const Kind kind : {Kind::smooth, Kind::contact, Kind::impact}) {
    Curve curve{to_string(kind), {}, {}, Stroke::points};
    for (const ControlledScene& s : all) {
      if (s.scene->kind != kind) continue;
      for (const auto& [asked, error] :
           {std::pair{s.scene->accuracy, s.error}, std::pair{s.scene->accuracy / finer, s.finer_error}}) {
        curve.x.push_back(1000 * asked);
        curve.y.push_back(1000 * error);
        least = std::min(least, 1000 * asked);
        most = std::max(most, 1000 * asked);
      }
    }
    figure.curves.push_back(curve);
  }
  figure.curves.push_back({"as asked", {least, most}, {least, most}, Stroke::line, 7});
  figure.curves.push_back({"three times that", {least, most}, {3 * least, 3 * most}, Stroke::dots, 7});
  return figure;
}

Figure ratio_figure(const std::vector<ControlledScene>& all) {
  Figure figure{"cost",
                "Work with control over that of the best constant step with the same error",
                {"scene, in the order of the table"},
                {"ratio", Scale::logarithmic},
                {},
                Legend::below};
  for (const Kind kind : {Kind::smooth, Kind::contact, Kind::impact}) {
    Curve curve{to_string(kind), {}, {}, Stroke::points};
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].scene->kind == kind && all[i].ratio()) {
        curve.x.push_back(static_cast<double>(i + 1));
        curve.y.push_back(*all[i].ratio());
      }
    figure.curves.push_back(curve);
  }
  const double last = static_cast<double>(all.size());
  figure.curves.push_back({"1.2", {1, last}, {cost_when_smooth, cost_when_smooth}, Stroke::line, 7});
  figure.curves.push_back({"0.6", {1, last}, {cost_with_impacts, cost_with_impacts}, Stroke::dots, 7});
  return figure;
}

/// Work against error of one scene of each kind: the first.
void add_work_figures(const std::vector<ControlledScene>& all, StudyResult& result) {
  for (const Kind kind : {Kind::smooth, Kind::contact, Kind::impact}) {
    const auto at =
        std::find_if(all.begin(), all.end(), [&](const ControlledScene& s) { return s.scene->kind == kind; });
    if (at == all.end()) continue;
    Curve control{"with control", {}, {}, Stroke::line_and_points}, constant{"constant steps", {}, {}, Stroke::points};
    for (const auto& [error, motion] : {std::pair{at->error, &at->adaptive}, std::pair{at->finer_error, &at->finer}}) {
      control.x.push_back(1000 * error);
      control.y.push_back(static_cast<double>(motion->work));
    }
    for (const WorkPoint& p : at->fixed) {
      constant.x.push_back(1000 * p.error);
      constant.y.push_back(p.seconds);
    }
    result.figures.push_back({"work-" + at->scene->name,
                              at->scene->title,
                              {"largest distance of a node [mm]", Scale::logarithmic},
                              {"work [matrices]", Scale::logarithmic},
                              {control, constant},
                              Legend::top_right});
  }
}

/// Scenes for which `holds` does not, by name with a number.
template <class Holds, class Number>
std::string others(const std::vector<ControlledScene>& all, const Holds& holds, const Number& number) {
  std::vector<std::string> names;
  for (const ControlledScene& s : all)
    if (!holds(s)) names.push_back(fmt::format("{} {}", s.scene->name, number(s)));
  return join(names, ", ");
}

void add_error_claims(const std::vector<ControlledScene>& all, StudyResult& result) {
  const auto worst =
      *std::max_element(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.factor() < b.factor(); });
  const auto within = [](const ControlledScene& s) { return s.factor() <= factor_allowed; };
  const auto count = std::count_if(all.begin(), all.end(), within);
  const auto finer_count = std::count_if(all.begin(), all.end(),
                                         [](const ControlledScene& s) { return s.finer_factor() <= factor_allowed; });
  const auto factor = [](const ControlledScene& s) { return fmt::format("({:.1f})", s.factor()); };
  result.claims.push_back(
      judged("The true error is within three times what was asked in at least 95 % of the scenes.",
             static_cast<double>(count) >= share_of_scenes * static_cast<double>(all.size()),
             fmt::format("{} of {}; of a tenth of the accuracy, {}.", count, all.size(), finer_count),
             "these are not: " + others(all, within, factor) + "."));
  result.claims.push_back(judged("It is never above ten times that.", worst.factor() <= factor_never,
                                 fmt::format("The largest is {:.1f} times, of {}.", worst.factor(), worst.scene->name),
                                 ""));
  const auto converged = [](const ControlledScene& s) { return s.finer_factor() <= finer * .5; };
  result.claims.push_back(
      judged("The motions are not chaotic: a tenth of the accuracy gives the reference to half of the accuracy.",
             std::all_of(all.begin(), all.end(), converged),
             fmt::format("{} of {} scenes.", std::count_if(all.begin(), all.end(), converged), all.size()),
             "these are too sensitive: " + others(all, converged, [](const ControlledScene& s) {
               return fmt::format("({:.1f})", s.finer_factor());
             }) + "."));
}

void add_cost_claim(const std::vector<ControlledScene>& all, Kind kind, double allowed, const std::string& says,
                    StudyResult& result) {
  std::vector<ControlledScene> some;
  std::copy_if(all.begin(), all.end(), std::back_inserter(some), [&](const auto& s) { return s.scene->kind == kind; });
  double product = 1;
  std::vector<double> ratios;
  for (const ControlledScene& s : some)
    if (const auto r = s.ratio()) product *= *r, ratios.push_back(*r);
  const auto cheap = [&](const ControlledScene& s) { return !s.ratio() || *s.ratio() <= allowed; };
  const auto count = std::count_if(some.begin(), some.end(), cheap);
  std::string seen = fmt::format("{} of {} scenes", count, some.size());
  if (!ratios.empty())
    seen +=
        fmt::format("; the ratio is {:.2f} in the mean, from {:.2f} to {:.2f}",
                    std::pow(product, 1 / static_cast<double>(ratios.size())),
                    *std::min_element(ratios.begin(), ratios.end()), *std::max_element(ratios.begin(), ratios.end()));
  const auto number = [](const ControlledScene& s) { return fmt::format("({:.2f})", *s.ratio()); };
  result.claims.push_back(
      judged(says, count == std::ssize(some), seen + ".", "these cost more: " + others(some, cheap, number) + "."));
}

}  // namespace

std::vector<JudgedScene> judge_control(const StudyContext& context, StudyResult& result) {
  std::vector<JudgedScene> judged_scenes;
  for (AccuracyScene& scene : accuracy_scenes(context.size)) judged_scenes.push_back({std::move(scene), {}});
  std::vector<ControlledScene> all;
  const double runs = static_cast<double>(judged_scenes.size()) * 1.2;  // the methods come after
  for (JudgedScene& s : judged_scenes) {
    context.tell(static_cast<double>(all.size()) / runs, s.scene.name);
    s.reference = reference_motion(s.scene);
    all.push_back(controlled(s.scene, s.reference));
  }
  result.text = fmt::format(
      "{} scenes (`scenes/accuracy/`), {} of them with contact, with TR-BDF2. The true error is the largest distance "
      "of any node, at 120 times over the run, to the motion with a hundredth of the accuracy (by the cubic through "
      "the ends of each step). That this motion has converged is checked with a tenth of the accuracy, which must come "
      "near it. Work is counted in matrices: one for each Newton iteration, those of rejected steps too, and one for "
      "each step of what carries the error along. Constant steps are doubled or halved until they pass the error that "
      "the control had, and their work is read off between, on straight lines in log-log.",
      all.size(), std::count_if(all.begin(), all.end(), [](const auto& s) { return s.scene->kind != Kind::smooth; }));
  result.figures = {asked_figure(all), ratio_figure(all)};
  add_work_figures(all, result);
  result.tables.push_back(scenes_table(all));
  add_error_claims(all, result);
  add_cost_claim(all, Kind::smooth, cost_when_smooth,
                 "On smooth scenes the control costs at most 1.2 times the best constant step of the same error.",
                 result);
  add_cost_claim(all, Kind::impact, cost_with_impacts,
                 "On scenes with phases of rest and impact it costs at most .6 times that.", result);
  return judged_scenes;
}

}  // namespace limber
