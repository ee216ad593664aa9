#include "limber/scene/gradient/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/scene/gradient/differentiable_run.hpp"
#include "limber/scene/gradient/model_variation.hpp"
#include "limber/scene/gradient/observed_probes.hpp"
#include "limber/scene/json.hpp"

namespace limber {
namespace {

Document with_values(Document scene, const std::vector<FitVariable>& variables, const Vector& x) {
  for (std::size_t i = 0; i < variables.size(); ++i)
    scene.set(fmt::format("{}={:.17g}", variables[i].name, x[static_cast<Index>(i)]));
  return scene;
}

/// The observed probes of a model, and what the motion does at the observed times.
class ProbeResiduals {
 public:
  ProbeResiduals(const Observations& observed, const DifferentiableRun& run)
      : observed_(observed), probes_(observed_probes(observed, run)) {}

  /// A state of the motion, with a column of changes for each variable; states come in the order of time.
  void visit(const State& u, const Matrix& dq, const Matrix& dv, LeastSquaresValue& to) {
    for (; next_ < observed_.times.size() && observed_.times[next_] <= u.t + time_tolerance; ++next_) {
      const double t = observed_.times[next_];
      const bool here = !has_last_ || t >= u.t - time_tolerance;
      const auto w = here ? std::array<double, 4>{0, 0, 1, 0} : hermite_weights(last_.t, u.t, t);
      const Vector q = combined(w, last_.q, last_.v, u.q, u.v);
      const Matrix change = combined(w, last_dq_, last_dv_, dq, dv);
      for (std::size_t c = 0; c < probes_.size(); ++c) add(c, q, change, to);
    }
    last_ = u;
    last_dq_ = dq;
    last_dv_ = dv;
    has_last_ = true;
  }

 private:
  template <class X>
  X combined(const std::array<double, 4>& w, const X& q0, const X& v0, const X& q1, const X& v1) const {
    X x = w[2] * q1;
    if (w[3] != 0) x += w[3] * v1;
    if (w[0] != 0) x += w[0] * q0;
    if (w[1] != 0) x += w[1] * v0;
    return x;
  }

  void add(std::size_t c, const Vector& q, const Matrix& change, LeastSquaresValue& to) {
    const double seen = observed_.values(static_cast<Index>(next_), static_cast<Index>(c));
    if (std::isnan(seen)) return;
    const int axis = observed_.columns[c].axis;
    const Probe& probe = *probes_[c];
    to.residual[row_] = probe.at(q)[axis] - seen;
    for (Index j = 0; j < change.cols(); ++j) {
      // Exact where the probe is a weighted mean of nodes; sheets have a normal too.
      const double most = change.col(j).lpNorm<Eigen::Infinity>();
      const double e = most > 0 ? 1e-6 / most : 0;
      to.jacobian(row_, j) =
          e > 0 ? (probe.at(q + e * change.col(j))[axis] - probe.at(q - e * change.col(j))[axis]) / (2 * e) : 0;
    }
    ++row_;
  }

  const Observations& observed_;
  std::vector<const Probe*> probes_;
  std::size_t next_ = 0;
  Index row_ = 0;
  State last_;
  Matrix last_dq_, last_dv_;
  bool has_last_ = false;
};

std::vector<std::string> names_of(const std::vector<FitVariable>& variables) {
  std::vector<std::string> names;
  for (const FitVariable& v : variables) names.push_back(v.name);
  return names;
}

/// The scene takes both bounds of each variable.
void require_bounds(const FitRequest& request) {
  for (const FitVariable& v : request.variables)
    for (const double bound : {v.low, v.high})
      read_scene(with_values(request.scene, {v}, Vector::Constant(1, bound)), vocabulary(), request.base,
                 request.access);
}

void require_single(const DifferentiableRun& run) {
  for (const RunParameter& p : run.parameters())
    if (p.values.size() != 1 || p.is_list)
      throw InputError(p.name, fmt::format("has {} components; a fit varies single numbers{}", p.values.size(),
                                           p.values.size() <= 3 ? ", such as " + p.name + "[0]" : ""));
}

FittedMotion motion_of(DifferentiableRun& run, const Observations& observed) {
  FittedMotion motion;
  const std::vector<const Probe*> probes = observed_probes(observed, run);
  motion.values.resize(run.steps() + 1, static_cast<Index>(probes.size()));
  run.run([&](long k, const State& u) {
    motion.times.push_back(u.t);
    for (std::size_t c = 0; c < probes.size(); ++c)
      motion.values(k, static_cast<Index>(c)) = probes[c]->at(u.q)[observed.columns[c].axis];
  });
  return motion;
}

nlohmann::json number_or_null(double x) { return std::isfinite(x) ? nlohmann::json(x) : nlohmann::json(); }

}  // namespace

FitVariable read_fit_variable(const std::string& text) {
  const auto equals = text.find('='), dots = text.find("..", equals == std::string::npos ? 0 : equals);
  if (equals == std::string::npos || equals == 0 || dots == std::string::npos)
    throw InputError("--vary", "'" + text + "' is not KEY=LOW..HIGH, such as bodies[0].material.young=1e4..1e7");
  FitVariable v;
  v.name = text.substr(0, equals);
  const auto number = [&](std::string word) {
    const auto json = parse_or_discard(word);
    const std::string at = "--vary " + v.name;
    return number_in_si(json.is_number() ? json : nlohmann::json(std::move(word)), at);
  };
  v.low = number(text.substr(equals + 1, dots - equals - 1));
  v.high = number(text.substr(dots + 2));
  v.logarithmic = v.low > 0;
  return v;
}

Fit fit(const FitRequest& request) {
  const std::vector<std::string> names = names_of(request.variables);
  if (std::set<std::string>(names.begin(), names.end()).size() != names.size())
    throw InputError("--vary", "a key stands twice");
  Fit result{{}, 0, request.scene, {}, {}};
  Vector start(static_cast<Index>(names.size()));
  {
    const DifferentiableRun run(request.scene, request.base, names, request.access);
    require_single(run);
    require_bounds(request);
    observed_probes(request.observations, run);
    for (Index i = 0; i < start.size(); ++i) {
      const FitVariable& v = request.variables[static_cast<std::size_t>(i)];
      start[i] = run.parameters()[static_cast<std::size_t>(i)].values[0];
      if (start[i] >= v.low && start[i] <= v.high) continue;
      const double middle = v.logarithmic ? std::sqrt(v.low * v.high) : .5 * (v.low + v.high);
      result.notes.push_back(fmt::format("{}: the scene's {:.6g} lies outside {:.6g}..{:.6g}; the fit starts at {:.6g}",
                                         v.name, start[i], v.low, v.high, middle));
      start[i] = middle;
    }
  }
  bool stopped = false, any = false;
  const LeastSquaresFunction evaluate = [&](const Vector& x) {
    const Index rows = request.observations.count();
    LeastSquaresValue value{Vector::Zero(rows), Matrix::Zero(rows, x.size())};
    try {
      DifferentiableRun run(with_values(request.scene, request.variables, x), request.base, names, request.access);
      ProbeResiduals residuals(request.observations, run);
      run.forwards(
          [&](long, const State& u, const Matrix& dq, const Matrix& dv) { residuals.visit(u, dq, dv, value); });
    } catch (const Interrupted&) {
      stopped = true;
      if (!any) throw;
      throw StepFailure("interrupted");
    }
    any = true;
    return value;
  };
  LeastSquaresOptions options;
  options.starts = request.starts;
  options.max_evaluations = request.max_evaluations;
  options.go_on = [&](const FitProgress& p) { return !stopped && (!request.go_on || request.go_on(p)); };
  result.found = least_squares(evaluate, request.variables, start, options);
  if (stopped) result.found.reason = "interrupted";
  result.rms = std::sqrt(result.found.sum_of_squares / static_cast<double>(request.observations.count()));
  result.notes.insert(result.notes.end(), result.found.notes.begin(), result.found.notes.end());
  result.scene = with_values(request.scene, request.variables, result.found.x);
  DifferentiableRun run(result.scene, request.base, {}, request.access);
  result.motion = motion_of(run, request.observations);
  return result;
}

Document fit_report(const FitRequest& request, const Fit& fit) {
  nlohmann::json report = {{"rms", fit.rms},
                           {"evaluations", fit.found.evaluations},
                           {"converged", fit.found.converged},
                           {"reason", fit.found.reason},
                           {"notes", fit.notes},
                           {"values", nlohmann::json::object()},
                           {"confidence", nlohmann::json::object()}};
  for (std::size_t i = 0; i < request.variables.size(); ++i) {
    const std::string& name = request.variables[i].name;
    const auto at = static_cast<Index>(i);
    report["values"][name] = fit.found.x[at];
    report["confidence"][name] = {number_or_null(fit.found.low95[at]), number_or_null(fit.found.high95[at])};
  }
  return document_of(std::move(report));
}

}  // namespace limber
