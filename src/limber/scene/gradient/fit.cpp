#include "limber/scene/gradient/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/scene/gradient/differentiable_equilibrium.hpp"
#include "limber/scene/gradient/differentiable_run.hpp"
#include "limber/scene/gradient/observed_probes.hpp"
#include "limber/scene/json.hpp"

namespace limber {
namespace {

/// Exact where the probe is a weighted mean of nodes; sheets have a normal too.
Vec3 probe_change(const Probe& probe, const Vector& q, const Vector& dq) {
  const double most = dq.lpNorm<Eigen::Infinity>();
  if (most == 0) return Vec3::Zero();
  const double e = 1e-6 / most;
  return (probe.at(q + e * dq) - probe.at(q - e * dq)) / (2 * e);
}

/// The observed probes of a model, how they move, and what the motion does at the observed times.
class ProbeResiduals {
 public:
  ProbeResiduals(const Observations& observed, const DifferentiableRun& run)
      : observed_(observed), probes_(observed_probes(observed, run)) {
    motion_.values.resize(run.steps() + 1, std::ssize(probes_));
  }

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
    const Index k = std::ssize(motion_.times);
    motion_.times.push_back(u.t);
    for (std::size_t c = 0; c < probes_.size(); ++c)
      motion_.values(k, static_cast<Index>(c)) = probes_[c]->at(u.q)[observed_.columns[c].axis];
  }

  /// Of all states that were visited: those of a whole run.
  FittedMotion motion() && { return std::move(motion_); }

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
  FittedMotion motion_;
};

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

/// What a point of the search is judged by: fills in the residual and its Jacobian. `other`: what the scene has no keys
/// for.
using Judge = std::function<void(const Document& scene, const OtherValues& other, LeastSquaresValue& value)>;

Fit searched(const FitSearch& request, const VariedRun& varied, Index rows, const Judge& judge) {
  varied.require_bounds(request.scene, request.base, request.access);
  Fit result{{}, {}, 0, request.scene, {}, {}, {}};
  bool stopped = false, any = false;
  const LeastSquaresFunction evaluate = [&](const Vector& x) {
    LeastSquaresValue value{Vector::Zero(rows), Matrix::Zero(rows, x.size())};
    const ParameterLists values = varied.lists(x);
    try {
      judge(varied.scene(request.scene, values), varied.other(values), value);
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
  options.go_on = [&](const FitProgress& p) {
    return !stopped && (!request.go_on || request.go_on({p.evaluation, p.sum_of_squares, varied.lists(p.x)}));
  };
  const Vector start = varied.start(request.start, result.notes);
  result.found = least_squares(evaluate, varied.variables(), start, options);
  if (stopped) result.found.reason = "interrupted";
  result.rms = std::sqrt(result.found.sum_of_squares / static_cast<double>(rows));
  result.notes.insert(result.notes.end(), result.found.notes.begin(), result.found.notes.end());
  const ParameterLists values = varied.lists(result.found.x);
  result.parameters = varied.with(values);
  result.scene = varied.scene(request.scene, values);
  return result;
}

nlohmann::json number_or_null(double x) { return std::isfinite(x) ? nlohmann::json(x) : nlohmann::json(); }

}  // namespace

Fit fit(const FitRequest& request) {
  const std::vector<std::string> names = names_of(request.varied);
  const VariedRun varied = [&] {
    const DifferentiableRun run(request.scene, request.base, names, request.access);
    observed_probes(request.observations, run);
    return VariedRun(request.varied, run.parameters());
  }();
  double least = std::numeric_limits<double>::infinity();
  FittedMotion best;
  const auto judge = [&](const Document& scene, const OtherValues& other, LeastSquaresValue& value) {
    DifferentiableRun run(scene, request.base, names, request.access, other);
    ProbeResiduals residuals(request.observations, run);
    run.forwards([&](long, const State& u, const Matrix& dq, const Matrix& dv) { residuals.visit(u, dq, dv, value); });
    const double sum = value.residual.squaredNorm();
    if (!(sum < least) || !value.jacobian.allFinite()) return;
    least = sum;
    best = std::move(residuals).motion();
    if (request.improved) request.improved(best);
  };
  Fit result = searched(request, varied, request.observations.count(), judge);
  result.motion = std::move(best);
  return result;
}

Fit fit(const StaticsFitRequest& request) {
  const std::vector<std::string> names = names_of(request.varied);
  const VariedRun varied = [&] {
    const DifferentiableEquilibrium e(request.scene, request.base, names, request.access);
    require_seen(request, e.model());
    return VariedRun(request.varied, e.parameters());
  }();
  Index rows = request.nodes.size() - request.nodes.array().isNaN().count();
  for (const auto& [name, x] : request.probes) rows += 3 - x.array().isNaN().count();
  if (rows == 0) throw InputError("observed", "has no number");
  const auto judge = [&](const Document& scene, const OtherValues& other, LeastSquaresValue& value) {
    DifferentiableEquilibrium e(scene, request.base, names, request.access, other);
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
  };
  Fit result = searched(request, varied, rows, judge);
  DifferentiableEquilibrium e(result.scene, request.base, {}, request.access,
                              varied.other(varied.lists(result.found.x)));
  result.equilibrium = e.solve();
  return result;
}

Document fit_report(const Fit& fit) {
  nlohmann::json report = {{"rms", fit.rms},
                           {"evaluations", fit.found.evaluations},
                           {"converged", fit.found.converged},
                           {"reason", fit.found.reason},
                           {"notes", fit.notes},
                           {"values", nlohmann::json::object()},
                           {"confidence", nlohmann::json::object()}};
  Index first = 0;
  for (const RunParameter& p : fit.parameters) {
    const auto size = static_cast<Index>(p.values.size());
    const auto part = [&](const Vector& all) {
      nlohmann::json list;
      for (Index i = first; i < first + size; ++i) list.push_back(number_or_null(all[i]));
      return p.is_list ? list : list[0];
    };
    report["values"][p.name] = part(fit.found.x);
    report["confidence"][p.name] = {part(fit.found.low95), part(fit.found.high95)};
    first += size;
  }
  return document_of(std::move(report));
}

}  // namespace limber
