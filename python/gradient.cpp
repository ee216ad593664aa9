#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "bindings.hpp"
#include "limber/core/errors.hpp"
#include "limber/scene/gradient/differentiable_equilibrium.hpp"
#include "limber/scene/gradient/differentiable_run.hpp"
#include "limber/scene/gradient/fit.hpp"
#include "scene_object.hpp"
#include "threads.hpp"

namespace limber::python {
namespace {

using Cube = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// T × N × 3, read-only.
py::array as_cube(const RowMatrix& x) {
  const py::array_t<double> cube({x.rows(), x.cols() / 3, Index(3)}, x.data());
  cube.attr("flags").attr("writeable") = false;
  return cube;
}

/// A derivative by all positions or velocities; empty for None.
RowMatrix derivative(const py::object& x, const char* name, Index steps, Index nodes) {
  if (x.is_none()) return {};
  const Cube cube = Cube::ensure(x);
  if (!cube) {
    PyErr_Clear();
    throw InputError("objective", fmt::format("its {} is not an array of numbers", name));
  }
  if (cube.ndim() != 3 || cube.shape(0) != steps || cube.shape(1) != nodes || cube.shape(2) != 3)
    throw InputError("objective", fmt::format("its {} has the shape {}, expected ({}, {}, 3) or None", name,
                                              py::str(cube.attr("shape")).cast<std::string>(), steps, nodes));
  RowMatrix all = Eigen::Map<const RowMatrix>(cube.data(), steps, 3 * nodes);
  for (Index k = 0; k < steps; ++k)
    if (!all.row(k).allFinite()) throw InputError("objective", fmt::format("its {} is not finite at row {}", name, k));
  return all;
}

py::object shaped(const RunParameter& parameter, const std::vector<double>& gradient) {
  if (!parameter.is_list) return py::float_(gradient[0]);
  const Vector x = Eigen::Map<const Vector>(gradient.data(), static_cast<Index>(gradient.size()));
  if (parameter.by_nodes) return py::cast(as_rows(x));
  return py::cast(x);
}

std::string to_text(const py::handle& x, const char* name) {
  if (!py::isinstance<py::str>(x))
    throw InputError(name, "expected a text, got " + py::repr(py::type::of(x)).cast<std::string>());
  return x.cast<std::string>();
}

/// One name or several.
std::vector<std::string> to_names(const py::object& x) {
  if (py::isinstance<py::str>(x)) return {x.cast<std::string>()};
  if (!py::isinstance<py::sequence>(x))
    throw InputError("parameters", "expected a path such as \"gravity\" or a list of them, got " +
                                       py::repr(py::type::of(x)).cast<std::string>());
  std::vector<std::string> names;
  for (const py::handle name : x.cast<py::sequence>()) names.push_back(to_text(name, "parameters"));
  return names;
}

/// One name or several, but not none.
std::vector<std::string> to_parameters(const py::object& x) {
  const std::vector<std::string> names = to_names(x);
  if (names.empty()) throw InputError("parameters", "is empty; name one or more, such as bodies[0].material.young");
  return names;
}

/// What an objective has returned, of `count` parts, the value first. `wanted`: how it reads.
py::tuple parts_of(const py::object& answer, std::size_t count, const char* wanted) {
  if (!py::isinstance<py::tuple>(answer) || py::len(answer) != count)
    throw InputError("objective", fmt::format("must return {}, with None for a part that is zero", wanted));
  return answer.cast<py::tuple>();
}

double value_of(const py::tuple& parts) {
  double value = 0;
  try {
    value = parts[0].cast<double>();
  } catch (const py::cast_error&) {
    throw InputError("objective", "its value is not a number");
  }
  if (!std::isfinite(value)) throw InputError("objective", fmt::format("its value is {}", value));
  return value;
}

py::dict by_name(const std::vector<RunParameter>& parameters, const std::vector<std::vector<double>>& gradient) {
  py::dict all;
  for (std::size_t p = 0; p < parameters.size(); ++p)
    all[parameters[p].name.c_str()] = shaped(parameters[p], gradient[p]);
  return all;
}

py::tuple value_and_grad(const py::object& scene, const py::function& objective, const py::object& names) {
  const auto s = to_scene(scene);
  const std::vector<std::string> parameters = to_parameters(names);
  RowMatrix X, V;
  Vector t;
  const auto run = computed([&] {
    auto run = std::make_unique<DifferentiableRun>(s->document, "", parameters);
    const Index steps = run->steps() + 1, size = 3 * static_cast<Index>(run->model().system->nodes());
    X.resize(steps, size);
    V.resize(steps, size);
    t.resize(steps);
    run->run([&](long k, const State& u) {
      X.row(k) = u.q.transpose();
      V.row(k) = u.v.transpose();
      t[k] = u.t;
    });
    return run;
  });
  const py::tuple parts = parts_of(objective(py::cast(t), as_cube(X), as_cube(V)), 3, "(J, dJ/dX, dJ/dV)");
  const double value = value_of(parts);
  const RowMatrix dX = derivative(parts[1], "dJ/dX", X.rows(), X.cols() / 3),
                  dV = derivative(parts[2], "dJ/dV", X.rows(), X.cols() / 3);
  const auto gradient = computed([&] {
    return run->gradient([&](long k) {
      FullAdjoint adjoint;
      if (dX.size() > 0) adjoint.q = dX.row(k).transpose();
      if (dV.size() > 0) adjoint.v = dV.row(k).transpose();
      return adjoint;
    });
  });
  return py::make_tuple(value, by_name(run->parameters(), gradient));
}

py::tuple statics_value_and_grad(const py::object& scene, const py::function& objective, const py::object& names) {
  const auto s = to_scene(scene);
  const std::vector<std::string> parameters = to_parameters(names);
  Vector x;
  const auto equilibrium = computed([&] {
    auto made = std::make_unique<DifferentiableEquilibrium>(s->document, "", parameters);
    x = made->solve();
    return made;
  });
  const py::array_t<double> X({x.size() / 3, Index(3)}, x.data());
  X.attr("flags").attr("writeable") = false;
  const py::tuple parts = parts_of(objective(X), 2, "(J, dJ/dX)");
  const double value = value_of(parts);
  const Vector dX =
      parts[1].is_none() ? Vector(Vector::Zero(x.size())) : to_rows(parts[1], x.size() / 3, "objective: dJ/dX");
  require_finite(dX, "objective: dJ/dX");
  const auto gradient = computed([&] { return equilibrium->gradient(dX); });
  return py::make_tuple(value, by_name(equilibrium->parameters(), gradient));
}

/// A table's path, or (t, {probe: T × 3}).
Observations to_observations(const py::object& x) {
  if (py::isinstance<py::str>(x) || py::hasattr(x, "__fspath__")) return read_observations(to_path(x, "observed"));
  if (!py::isinstance<py::tuple>(x) || py::len(x) != 2 || !py::isinstance<py::dict>(x.cast<py::tuple>()[1]))
    throw InputError("observed", "must be the path of a CSV table, or (t, {probe: T x 3 positions})");
  const py::tuple pair = x.cast<py::tuple>();
  if (!py::isinstance<py::sequence>(pair[0]) && !py::isinstance<py::array>(pair[0]))
    throw InputError("observed", "its times must be a list or an array");
  const auto count = static_cast<Index>(py::len(pair[0]));
  const Vector t = to_vector(pair[0], count, "observed");
  std::vector<std::string> names;
  const py::dict probes = pair[1].cast<py::dict>();
  Matrix values(count, 3 * static_cast<Index>(probes.size()));
  for (const auto& [probe, positions] : probes) {
    const Vector rows = to_rows(py::reinterpret_borrow<py::object>(positions), count, "observed");
    for (Index axis = 0; axis < 3; ++axis) {
      const auto column = static_cast<Index>(names.size());
      names.push_back(fmt::format("{}.{}", to_text(probe, "observed"), "xyz"[axis]));
      for (Index k = 0; k < count; ++k) values(k, column) = rows[3 * k + axis];
    }
  }
  return {std::vector<double>(t.begin(), t.end()), names, values, "observed"};
}

FitSearch to_search(const py::object& scene, const py::dict& vary, int starts, int max_evaluations) {
  if (starts < 1) throw InputError("starts", fmt::format("{} must be at least 1", starts));
  if (max_evaluations < 1) throw InputError("max_evaluations", fmt::format("{} must be at least 1", max_evaluations));
  if (vary.empty()) throw InputError("vary", "is empty; for example {\"bodies[0].material.young\": (1e4, 1e7)}");
  FitSearch search{.scene = to_scene(scene)->document, .base = ""};
  for (const auto& [name, bounds] : vary) {
    const std::string path = to_text(name, "vary");
    try {
      const auto [low, high] = bounds.cast<std::pair<double, double>>();
      search.variables.push_back({path, low, high, low > 0});
    } catch (const py::cast_error&) {
      throw InputError(path, "its bounds must be two numbers (low, high)");
    }
  }
  search.starts = starts;
  search.max_evaluations = max_evaluations;
  return search;
}

py::object to_report(const FitSearch& search, const Fit& found) {
  py::object report = from_json(fit_report(search, found));
  report["scene"] = from_json(found.scene);
  return report;
}

py::object fit_to(const py::object& scene, const py::object& observed, const py::dict& vary, int starts,
                  int max_evaluations) {
  const FitRequest request{to_search(scene, vary, starts, max_evaluations), to_observations(observed)};
  const Fit found = computed([&] { return fit(request); });
  py::object report = to_report(request, found);
  py::dict motion;
  for (std::size_t c = 0; c < request.observations.columns.size(); ++c)
    motion[request.observations.columns[c].name().c_str()] = Vector(found.motion.values.col(static_cast<Index>(c)));
  report["motion"] = py::make_tuple(py::cast(found.motion.times), motion);
  return report;
}

/// observed: {probe: position}, and "nodes": the positions of all nodes.
py::object fit_statics_to(const py::object& scene, const py::dict& observed, const py::dict& vary, int starts,
                          int max_evaluations) {
  StaticsFitRequest request{to_search(scene, vary, starts, max_evaluations)};
  for (const auto& [key, positions] : observed) {
    const std::string name = to_text(key, "observed");
    const auto x = py::reinterpret_borrow<py::object>(positions);
    if (name == "nodes")
      request.nodes = to_rows(x, py::isinstance<py::none>(x) ? 0 : static_cast<Index>(py::len(x)), "observed");
    else
      request.probes.emplace_back(name, to_vector(x, 3, "observed"));
  }
  const Fit found = computed([&] { return fit(request); });
  return to_report(request, found);
}

}  // namespace

void add_gradient(py::module_& m) {
  m.def("value_and_grad", &value_and_grad, py::arg("scene"), py::arg("objective"), py::arg("parameters"),
        "The value of objective(t, X, V) -> (J, dJ/dX, dJ/dV) over a run of the scene, and its derivatives by the\n"
        "parameters: a dict of floats or arrays. t: T; X, V: T x N x 3, a row for each step, the start first; None\n"
        "stands for a zero part. Parameters are paths of the scene, such as \"bodies[0].material.young\", and\n"
        "\"initial.positions\" and \"initial.velocities\" (N x 3).");
  m.def("statics_value_and_grad", &statics_value_and_grad, py::arg("scene"), py::arg("objective"),
        py::arg("parameters"),
        "The value of objective(X) -> (J, dJ/dX) at the equilibrium of `statics`, and its derivatives by the\n"
        "parameters, as value_and_grad has them. X: N x 3.");
  m.def("fit", &fit_to, py::arg("scene"), py::arg("observed"), py::arg("vary"), py::arg("starts"),
        py::arg("max_evaluations"));
  m.def("fit_statics", &fit_statics_to, py::arg("scene"), py::arg("observed"), py::arg("vary"), py::arg("starts"),
        py::arg("max_evaluations"));
}

}  // namespace limber::python
