#include "limber/scene/gradient/optimum.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/scene/gradient/element_variation.hpp"
#include "limber/scene/json.hpp"

namespace limber {
namespace {

/// Where components of varied parameters stand among the variables of a search.
class Varied {
 public:
  Varied(const std::vector<VariedParameter>& varied, std::vector<RunParameter> parameters)
      : parameters_(std::move(parameters)) {
    for (std::size_t p = 0; p < varied.size(); ++p) add(varied[p], parameters_[p]);
  }

  const std::vector<FitVariable>& variables() const { return variables_; }

  Vector start(std::vector<std::string>& notes) const {
    Vector x(std::ssize(variables_));
    Index i = 0;
    for (const RunParameter& p : parameters_)
      for (const double value : p.values) {
        const FitVariable& v = variables_[static_cast<std::size_t>(i)];
        x[i] = value_within(v, value, notes);
        ++i;
      }
    return x;
  }

  ParameterLists lists(const Vector& x) const {
    ParameterLists all;
    Index first = 0;
    for (const RunParameter& p : parameters_) {
      const auto size = static_cast<Index>(p.values.size());
      all.emplace_back(x.begin() + first, x.begin() + first + size);
      first += size;
    }
    return all;
  }
  Vector flat(const ParameterLists& lists) const {
    Vector x(std::ssize(variables_));
    Index i = 0;
    for (const auto& list : lists)
      for (const double value : list) x[i++] = value;
    return x;
  }

  Document scene(Document document, const ParameterLists& values) const {
    for (std::size_t p = 0; p < parameters_.size(); ++p) {
      const RunParameter& parameter = parameters_[p];
      if (beyond_document(parameter)) continue;
      const nlohmann::json json = parameter.is_list ? nlohmann::json(values[p]) : nlohmann::json(values[p][0]);
      document.set(parameter.name + "=" + json.dump());
    }
    return document;
  }
  OtherValues other(const ParameterLists& values) const {
    OtherValues all;
    for (std::size_t p = 0; p < parameters_.size(); ++p) {
      const Vector list = Eigen::Map<const Vector>(values[p].data(), std::ssize(values[p]));
      if (parameters_[p].name == "initial.positions")
        all.positions = list;
      else if (parameters_[p].name == "initial.velocities")
        all.velocities = list;
      else if (const auto body = body_of_elements(parameters_[p].name))
        all.element_moduli[*body] = values[p];
    }
    return all;
  }
  std::vector<RunParameter> with(const ParameterLists& values) const {
    std::vector<RunParameter> found = parameters_;
    for (std::size_t p = 0; p < found.size(); ++p) found[p].values = values[p];
    return found;
  }

 private:
  static bool beyond_document(const RunParameter& p) {
    return p.name.starts_with("initial.") || body_of_elements(p.name);
  }

  void add(const VariedParameter& varied, const RunParameter& parameter) {
    const std::size_t size = parameter.values.size();
    const auto bound = [&](const std::vector<double>& bounds, std::size_t c) {
      if (bounds.size() != 1 && bounds.size() != size)
        throw InputError(varied.name, fmt::format("has {} components, but {} bounds; give one for all or one for each",
                                                  size, bounds.size()));
      return bounds[bounds.size() == 1 ? 0 : c];
    };
    for (std::size_t c = 0; c < size; ++c) {
      const double low = bound(varied.low, c), high = bound(varied.high, c);
      const std::string name = parameter.is_list ? fmt::format("{}[{}]", varied.name, c) : varied.name;
      if (!(std::isfinite(low) && std::isfinite(high) && low < high))
        throw InputError(name, fmt::format("the range {:g} to {:g} is not one from low to high", low, high));
      variables_.push_back({name, low, high, low > 0});
    }
  }

  static double value_within(const FitVariable& v, double value, std::vector<std::string>& notes) {
    if (value >= v.low && value <= v.high) return value;
    const double middle = v.logarithmic ? std::sqrt(v.low * v.high) : .5 * (v.low + v.high);
    notes.push_back(fmt::format("{}: the scene's {:.6g} lies outside {:.6g}..{:.6g}; the search starts at {:.6g}",
                                v.name, value, v.low, v.high, middle));
    return middle;
  }

  std::vector<RunParameter> parameters_;
  std::vector<FitVariable> variables_;
};

std::vector<std::string> varied_names(const OptimumRequest& request) {
  std::vector<std::string> names;
  for (const VariedParameter& v : request.varied) names.push_back(v.name);
  if (names.empty()) throw InputError("vary", "is empty");
  if (std::set<std::string>(names.begin(), names.end()).size() != names.size())
    throw InputError("vary", "a path stands twice");
  return names;
}

}  // namespace

Optimum optimum(const OptimumRequest& request) {
  const std::vector<std::string> names = varied_names(request);
  Optimum result{{}, 0, 0, false, "", {}, request.scene};
  const Varied varied = [&] {
    const DifferentiableRun run(request.scene, request.base, names, request.access);
    request.objective->steps(run);
    return Varied(request.varied, run.parameters());
  }();
  // The scene takes both bounds.
  for (double FitVariable::*bound : {&FitVariable::low, &FitVariable::high}) {
    Vector x(std::ssize(varied.variables()));
    for (Index i = 0; i < x.size(); ++i) x[i] = varied.variables()[static_cast<std::size_t>(i)].*bound;
    read_scene(varied.scene(request.scene, varied.lists(x)), vocabulary(), request.base, request.access);
  }
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
  const Minimum found = minimize(evaluate, varied.variables(), varied.start(result.notes), options);
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

}  // namespace limber
