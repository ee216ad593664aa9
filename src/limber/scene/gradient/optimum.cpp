#include "limber/scene/gradient/optimum.hpp"

#include <fmt/format.h>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/scene/json.hpp"

namespace limber {
Optimum optimum(const OptimumRequest& request) {
  const std::vector<std::string> names = names_of(request.varied);
  Optimum result{{}, 0, 0, false, "", {}, request.scene};
  const VariedRun varied = [&] {
    const DifferentiableRun run(request.scene, request.base, names, request.access);
    request.objective->steps(run);
    return VariedRun(request.varied, run.parameters());
  }();
  varied.require_bounds(request.scene, request.base, request.access);
  bool stopped = false, any = false;
  const SmoothFunction evaluate = [&](const Vector& x) {
    const ParameterLists values = varied.lists(x);
    ValueAndGradient at;
    try {
      DifferentiableRun run(varied.scene(request.scene, values), request.base, names, request.access,
                            varied.other(values));
      const RunGradient found = value_and_gradient(run, *request.objective);
      at = {found.value, varied.flat(found.by_parameters)};
    } catch (const Interrupted&) {
      stopped = true;
      if (!any) throw;
      throw StepFailure("interrupted");
    }
    any = true;
    return at;
  };
  MinimizeOptions options;
  options.max_evaluations = request.max_evaluations;
  options.tolerance = request.tolerance;
  options.starts = request.starts;
  options.go_on = [&](const MinimizeProgress& p) {
    return !stopped && (!request.go_on || request.go_on({p.evaluation, p.value, varied.lists(p.x)}));
  };
  const Minimum found = minimize(evaluate, varied.variables(), varied.start(request.start, result.notes), options);
  const ParameterLists values = varied.lists(found.x);
  result.found = varied.with(values);
  result.value = found.at.value;
  result.evaluations = found.evaluations;
  result.converged = found.converged;
  result.reason = stopped ? "interrupted" : found.reason;
  result.notes.insert(result.notes.end(), found.notes.begin(), found.notes.end());
  constexpr std::size_t most_notes = 20;
  if (result.notes.size() > most_notes) {
    const std::size_t more = result.notes.size() - most_notes;
    result.notes.resize(most_notes);
    result.notes.push_back(fmt::format("and {} more notes of this kind", more));
  }
  result.scene = varied.scene(request.scene, values);
  return result;
}

Document optimum_report(const Optimum& optimum) {
  nlohmann::json report = {{"value", optimum.value},         {"evaluations", optimum.evaluations},
                           {"converged", optimum.converged}, {"reason", optimum.reason},
                           {"notes", optimum.notes},         {"values", nlohmann::json::object()}};
  for (const RunParameter& p : optimum.found)
    report["values"][p.name] = p.is_list ? nlohmann::json(p.values) : nlohmann::json(p.values[0]);
  return document_of(std::move(report));
}

}  // namespace limber
