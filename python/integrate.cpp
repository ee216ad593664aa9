#include "limber/time/integrate.hpp"

#include <fmt/format.h>

#include "bindings.hpp"
#include "limber/core/errors.hpp"
#include "limber/model/callback_system.hpp"

namespace limber::python {
namespace {

std::function<SparseMatrix(const State&)> matrix_function(const py::object& f) {
  if (f.is_none()) return {};
  return [f](const State& u) {
    py::gil_scoped_acquire gil;
    return f(u.q, u.v, u.t).cast<SparseMatrix>();
  };
}

py::tuple run(const SparseMatrix& M, const py::object& force, const py::object& q0, const py::object& v0,
              const std::string& method, double step, long steps, const py::object& stiffness,
              const py::object& damping, const std::vector<std::tuple<double, py::object, py::object>>& history,
              double t0, const MethodParameters& parameters, const std::string& solver, double newton_tolerance,
              int max_iterations) {
  const Index n = M.rows();
  if (!(step > 0) || !std::isfinite(step)) throw InputError("step", fmt::format("{} is not > 0", step));
  if (steps < 0) throw InputError("steps", fmt::format("{} is negative", steps));
  CallbackSystem system(M, {[force, n](const State& u) {
                              py::gil_scoped_acquire gil;
                              return to_vector(force(u.q, u.v, u.t), n, "force");
                            },
                            matrix_function(stiffness), matrix_function(damping)});
  std::deque<State> past{{to_vector(q0, n, "q0"), to_vector(v0, n, "v0"), t0}};
  for (const auto& [t, q, v] : history) {
    if (!(t < past.back().t))
      throw InputError(
          "history", fmt::format("times must fall from the initial time {} on: got {} after {}", t0, t, past.back().t));
    past.push_back({to_vector(q, n, "history"), to_vector(v, n, "history"), t});
  }
  StageOptions options;
  options.linear_solver = solver;
  options.newton.tolerance = newton_tolerance;
  options.newton.max_iterations = max_iterations;
  const auto& info = find_method(method);
  std::vector<State> states;
  {
    py::gil_scoped_release release;
    states = integrate(system, info, parameters, options, History(std::move(past)), step, steps, &no_interrupt);
  }
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
