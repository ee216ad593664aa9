#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/core/errors.hpp"
#include "limber/study/accuracy.hpp"
#include "limber/study/claims.hpp"
#include "limber/time/catalog.hpp"

namespace limber {

namespace {

constexpr double coarser = 10;  // what methods of first order are asked for, over what others are
constexpr double method_factor = 3;

struct MethodRun {
  const MethodInfo* method;
  double asked, error;  // [m]
  SeenMotion motion;

  double factor() const { return error / asked; }
};

MethodRun run_method(const MethodInfo& method, const JudgedScene& s) {
  MethodRun run{&method, s.scene.accuracy * (method.order == 1 ? coarser : 1), HUGE_VAL, {}};
  try {
    run.motion = with_accuracy(s.scene, run.asked, method.name);
    run.error = distance(run.motion, s.reference);
  } catch (const InputError& e) {
    run.motion.stopped = e.what();
  }
  return run;
}

StudyTable methods_table(const AccuracyScene& scene, const std::vector<MethodRun>& runs) {
  StudyTable table{
      "methods-" + scene.name,
      scene.title + ": each method, asked for an error",
      {"method", "estimate", "asked [mm]", "true/asked", "estimate/true", "steps", "rejected", "s", "stopped"},
      {}};
  for (const MethodRun& r : runs) {
    const bool stopped = r.motion.stopped.has_value();
    table.rows.push_back({r.method->name, to_string(r.method->estimate), fmt::format("{:.2g}", 1000 * r.asked),
                          stopped ? "-" : fmt::format("{:.2f}", r.factor()),
                          stopped ? "-" : fmt::format("{:.2f}", r.motion.estimate / r.error),
                          std::to_string(r.motion.steps), std::to_string(r.motion.rejected),
                          fmt::format("{:.2f}", r.motion.seconds), r.motion.stopped.value_or("")});
  }
  return table;
}

/// Methods as points over their number in the table.
Figure methods_figure(const std::vector<std::pair<const AccuracyScene*, std::vector<MethodRun>>>& all) {
  Figure figure{"methods",
                "True error over what was asked for, of every method",
                {"method, in the order of the table"},
                {"true error/asked", Scale::logarithmic},
                {},
                Legend::below};
  for (const auto& [scene, runs] : all) {
    Curve curve{scene->name, {}, {}, Stroke::points};
    for (std::size_t i = 0; i < runs.size(); ++i) {
      curve.x.push_back(static_cast<double>(i + 1));
      curve.y.push_back(runs[i].factor());
    }
    figure.curves.push_back(curve);
  }
  const double last = static_cast<double>(all.front().second.size());
  figure.curves.push_back({"3", {1, last}, {method_factor, method_factor}, Stroke::dots, 7});
  return figure;
}

Claim methods_claim(const AccuracyScene& scene, const std::vector<MethodRun>& runs) {
  std::vector<std::string> above, stopped;
  for (const MethodRun& r : runs)
    if (r.motion.stopped)
      stopped.push_back(r.method->name);
    else if (r.factor() > method_factor)
      above.push_back(fmt::format("{} ({:.1f})", r.method->name, r.factor()));
  std::string seen = fmt::format("{} of {} methods", runs.size() - above.size() - stopped.size(), runs.size());
  if (!stopped.empty()) seen += fmt::format("; {} did not reach the end", join(stopped, ", "));
  return judged(fmt::format("Every method keeps what was asked within three times: {}.", scene.title),
                above.empty() && stopped.empty(), seen + ".",
                above.empty() ? std::string("a method that stops keeps nothing.")
                              : "these are further off: " + join(above, ", ") + ".");
}

}  // namespace

void judge_methods(const StudyContext& context, const std::vector<JudgedScene>& scenes, StudyResult& result) {
  std::vector<const MethodInfo*> methods;
  for (const MethodInfo& m : method_catalog())
    if (m.name.find("-printed") == std::string::npos && (!context.quick() || methods.size() < 3)) methods.push_back(&m);
  std::vector<std::pair<const AccuracyScene*, std::vector<MethodRun>>> all;
  double done = 0;
  for (const char* name : {"struck-brick", "beam-on-stop"}) {
    const auto s = std::find_if(scenes.begin(), scenes.end(), [&](const auto& j) { return j.scene.name == name; });
    all.emplace_back(&s->scene, std::vector<MethodRun>());
    for (const MethodInfo* method : methods) {
      context.tell(1 / 1.2 + (1 - 1 / 1.2) * done++ / (2 * static_cast<double>(methods.size())),
                   s->scene.name + ", " + method->name);
      all.back().second.push_back(run_method(*method, *s));
    }
    result.tables.push_back(methods_table(s->scene, all.back().second));
    result.claims.push_back(methods_claim(s->scene, all.back().second));
  }
  result.figures.push_back(methods_figure(all));
}

}  // namespace limber
