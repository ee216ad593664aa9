#include "limber/scene/gradient/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/scene/gradient/differentiable_equilibrium.hpp"
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

/// Exact where the probe is a weighted mean of nodes; sheets have a normal too.
Vec3 probe_change(const Probe& probe, const Vector& q, const Vector& dq) {
  const double most = dq.lpNorm<Eigen::Infinity>();
  if (most == 0) return Vec3::Zero();
  const double e = 1e-6 / most;
  return (probe.at(q + e * dq) - probe.at(q - e * dq)) / (2 * e);
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
    for (Index j = 0; j < change.cols(); ++j) to.jacobian(row_, j) = probe_change(probe, q, change.col(j))[axis];
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

/// Throws InputError("--vary", …) where one stands twice.
std::vector<std::string> names_of(const FitSearch& request) {
  std::vector<std::string> names;
  for (const FitVariable& v : request.variables) names.push_back(v.name);
  if (std::set<std::string>(names.begin(), names.end()).size() != names.size())
    throw InputError("--vary", "a key stands twice");
  return names;
}

/// The scene takes both bounds of each variable.
void require_bounds(const FitSearch& request) {
  for (const FitVariable& v : request.variables)
    for (const double bound : {v.low, v.high})
      read_scene(with_values(request.scene, {v}, Vector::Constant(1, bound)), vocabulary(), request.base,
                 request.access);
}

void require_single(const std::vector<RunParameter>& parameters) {
  for (const RunParameter& p : parameters)
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

const Probe* probe_of(const Model& model, const std::string& name) {
  for (const Probe& probe : model.probes)
    if (probe.name == name) return &probe;
  return nullptr;
}

void require_seen(const StaticsFitRequest& request, const Model& model) {
  for (const auto& [name, x] : request.probes) {
    if (!probe_of(model, name))
      throw InputError("observed", fmt::format("\"{}\" is no probe of the scene's output.probes", name));
    if (x.array().isInf().any()) throw InputError("observed", fmt::format("\"{}\" is not finite", name));
  }
  const Index size = 3 * static_cast<Index>(model.system->nodes());
  if (request.nodes.size() > 0 && request.nodes.size() != size)
    throw InputError("observed", fmt::format("has {} nodes, the scene has {}", request.nodes.size() / 3, size / 3));
  if (request.nodes.array().isInf().any()) throw InputError("observed", "has positions of nodes that are not finite");
}

/// parameters: as the scene has them. evaluate(scene with other values, value): fills in the residual and its Jacobian.
Fit searched(const FitSearch& request, const std::vector<RunParameter>& parameters, Index rows,
             const std::function<void(const Document&, LeastSquaresValue&)>& evaluate_scene) {
  require_single(parameters);
  require_bounds(request);
  Fit result{{}, 0, request.scene, {}, {}};
  Vector start(static_cast<Index>(parameters.size()));
  for (Index i = 0; i < start.size(); ++i) {
    const FitVariable& v = request.variables[static_cast<std::size_t>(i)];
    start[i] = parameters[static_cast<std::size_t>(i)].values[0];
    if (start[i] >= v.low && start[i] <= v.high) continue;
    const double middle = v.logarithmic ? std::sqrt(v.low * v.high) : .5 * (v.low + v.high);
    result.notes.push_back(fmt::format("{}: the scene's {:.6g} lies outside {:.6g}..{:.6g}; the fit starts at {:.6g}",
                                       v.name, start[i], v.low, v.high, middle));
    start[i] = middle;
  }
  bool stopped = false, any = false;
  const LeastSquaresFunction evaluate = [&](const Vector& x) {
    LeastSquaresValue value{Vector::Zero(rows), Matrix::Zero(rows, x.size())};
    try {
      evaluate_scene(with_values(request.scene, request.variables, x), value);
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
  result.rms = std::sqrt(result.found.sum_of_squares / static_cast<double>(rows));
  result.notes.insert(result.notes.end(), result.found.notes.begin(), result.found.notes.end());
  result.scene = with_values(request.scene, request.variables, result.found.x);
  return result;
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
  const std::vector<std::string> names = names_of(request);
  std::vector<RunParameter> parameters;
  {
    const DifferentiableRun run(request.scene, request.base, names, request.access);
    observed_probes(request.observations, run);
    parameters = run.parameters();
  }
  Fit result =
      searched(request, parameters, request.observations.count(), [&](const Document& scene, LeastSquaresValue& value) {
        DifferentiableRun run(scene, request.base, names, request.access);
        ProbeResiduals residuals(request.observations, run);
        run.forwards(
            [&](long, const State& u, const Matrix& dq, const Matrix& dv) { residuals.visit(u, dq, dv, value); });
      });
  DifferentiableRun run(result.scene, request.base, {}, request.access);
  result.motion = motion_of(run, request.observations);
  return result;
}

Fit fit(const StaticsFitRequest& request) {
  const std::vector<std::string> names = names_of(request);
  std::vector<RunParameter> parameters;
  {
    const DifferentiableEquilibrium e(request.scene, request.base, names, request.access);
    require_seen(request, e.model());
    parameters = e.parameters();
  }
  Index rows = request.nodes.size() - request.nodes.array().isNaN().count();
  for (const auto& [name, x] : request.probes) rows += 3 - x.array().isNaN().count();
  if (rows == 0) throw InputError("observed", "has no number");
  return searched(request, parameters, rows, [&](const Document& scene, LeastSquaresValue& value) {
    DifferentiableEquilibrium e(scene, request.base, names, request.access);
    const Vector x = e.solve();
    const Matrix dx = e.changes();
    Index row = 0;
    for (const auto& [name, seen] : request.probes) {
      const Probe& probe = *probe_of(e.model(), name);
      Matrix change(3, dx.cols());
      for (Index j = 0; j < dx.cols(); ++j) change.col(j) = probe_change(probe, x, dx.col(j));
      for (Index axis = 0; axis < 3; ++axis) {
        if (std::isnan(seen[axis])) continue;
        value.residual[row] = probe.at(x)[axis] - seen[axis];
        value.jacobian.row(row++) = change.row(axis);
      }
    }
    for (Index i = 0; i < request.nodes.size(); ++i) {
      if (std::isnan(request.nodes[i])) continue;
      value.residual[row] = x[i] - request.nodes[i];
      value.jacobian.row(row++) = dx.row(i);
    }
  });
}

Document fit_report(const FitSearch& request, const Fit& fit) {
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
