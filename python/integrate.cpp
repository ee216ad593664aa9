#include "limber/time/integrate.hpp"

#include <fmt/format.h>

#include "bindings.hpp"
#include "limber/core/errors.hpp"
#include "limber/model/callback_system.hpp"
#include "threads.hpp"

namespace limber::python {
namespace {

/// What tolerances of lengths are relative to: the size of the start and of a step's motion, at most 1.
double length_scale(const Vector& q, const Vector& v, double step) {
  const double size = std::max(q.lpNorm<Eigen::Infinity>(), step * v.lpNorm<Eigen::Infinity>());
  return size > 0 ? std::min(1., size) : 1;
}

std::function<SparseMatrix(const State&)> matrix_function(const py::object& f) {
  if (f.is_none()) return {};
  return [f = Callback(f)](const State& u) {
    return f([](const py::object& A) { return A.cast<SparseMatrix>(); }, u.q, u.v, u.t);
  };
}

/// Each step unless said otherwise.
Refresh refresh_rule(const py::object& given) {
  Refresh rule{Refresh::Rule::every};
  if (given.is_none()) return rule;
  if (py::isinstance<py::str>(given) && given.cast<std::string>() == "once") return {Refresh::Rule::once};
  if (py::isinstance<py::str>(given) && given.cast<std::string>() == "auto") return {Refresh::Rule::automatic};
  if (py::isinstance<py::dict>(given) && py::len(given) == 1) {
    const auto d = given.cast<py::dict>();
    if (d.contains("every")) rule.every = d["every"].cast<int>();
    if (d.contains("every") && rule.every >= 1) return rule;
    rule.rule = Refresh::Rule::residual;
    if (d.contains("residual")) rule.residual = d["residual"].cast<double>();
    if (d.contains("residual") && rule.residual > 0) return rule;
  }
  throw InputError("refresh",
                   fmt::format("{} is none of \"once\", \"auto\", {{\"every\": k}} with k >= 1 and {{\"residual\": "
                               "tolerance}} with tolerance > 0",
                               py::repr(given).cast<std::string>()));
}

ModalOptions modal_options(const MethodInfo& info, std::optional<int> modes, const py::object& refresh,
                           const std::string& negative) {
  if (info.memory.acceleration && (modes || !refresh.is_none()))
    throw InputError(modes ? "modes" : "refresh", newmark_splits_no_modes);
  if (modes && *modes < 1) throw InputError("modes", fmt::format("{} is less than 1", *modes));
  if (negative != "grow" && negative != "clamp")
    throw InputError("negative_modes", fmt::format("'{}' is neither \"grow\" nor \"clamp\"", negative));
  return {modes, refresh_rule(refresh), negative == "clamp" ? NegativeModes::clamp : NegativeModes::grow};
}

py::tuple run(const SparseMatrix& M, const py::object& force, const py::object& q0, const py::object& v0,
              const std::string& method, double step, long steps, const py::object& stiffness,
              const py::object& damping, const std::vector<std::tuple<double, py::object, py::object>>& history,
              double t0, const MethodParameters& parameters, const std::string& solver, double newton_tolerance,
              int max_iterations, std::optional<int> modes, const py::object& refresh,
              const std::string& negative_modes, double krylov_tolerance) {
  const Index n = M.rows();
  if (!(step > 0) || !std::isfinite(step)) throw InputError("step", fmt::format("{} is not > 0", step));
  if (steps < 0) throw InputError("steps", fmt::format("{} is negative", steps));
  CallbackSystem system(M, {[f = Callback(force), n](const State& u) {
                              return f([n](const py::object& x) { return to_vector(x, n, "force"); }, u.q, u.v, u.t);
                            },
                            matrix_function(stiffness), matrix_function(damping)});
  std::deque<State> past{{to_vector(q0, n, "q0"), to_vector(v0, n, "v0"), t0}};
  system.set_length_scale(length_scale(past[0].q, past[0].v, step));
  for (const auto& [t, q, v] : history) {
    if (!(t < past.back().t))
      throw InputError(
          "history", fmt::format("times must fall from the initial time {} on: got {} after {}", t0, t, past.back().t));
    past.push_back({to_vector(q, n, "history"), to_vector(v, n, "history"), t});
  }
  const auto& info = find_method(method);
  MethodOptions options;
  options.stages.linear_solver = solver;
  options.stages.newton.tolerance = newton_tolerance;
  options.stages.newton.max_iterations = max_iterations;
  options.modes = modal_options(info, modes, refresh, negative_modes);
  if (!(krylov_tolerance > 0 && krylov_tolerance < 1))
    throw InputError("krylov_tolerance", fmt::format("{} is outside (0, 1)", krylov_tolerance));
  options.krylov_tolerance = krylov_tolerance;
  const std::vector<State> states = computed(
      [&] { return integrate(system, info, parameters, options, History(std::move(past)), step, steps, &go_on); });
  Vector t(static_cast<Index>(states.size()));
  RowMatrix Q(t.size(), n), V(t.size(), n);
  for (Index i = 0; i < t.size(); ++i) {
    const auto& u = states[static_cast<std::size_t>(i)];
    t[i] = u.t;
    Q.row(i) = u.q.transpose();
    V.row(i) = u.v.transpose();
  }
  return py::make_tuple(t, Q, V);
}

}  // namespace

void add_integrate(py::module_& m) { m.def("integrate", &run); }

}  // namespace limber::python
