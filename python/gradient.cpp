#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "bindings.hpp"
#include "limber/core/errors.hpp"
#include "limber/scene/gradient/differentiable_equilibrium.hpp"
#include "limber/scene/gradient/differentiable_run.hpp"
#include "limber/scene/gradient/fit.hpp"
#include "limber/scene/gradient/objectives.hpp"
#include "limber/scene/gradient/optimum.hpp"
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

/// NumPy would drop the imaginary part with a warning.
void require_real(const py::object& x, const char* name) {
  const auto array = py::array::ensure(x);
  if (!array) PyErr_Clear();
  if (array && array.dtype().kind() == 'c')
    throw InputError("objective", fmt::format("its {} is complex, expected real numbers", name));
}

/// A derivative by all positions or velocities; empty for None.
RowMatrix derivative(const py::object& x, const char* name, Index steps, Index nodes) {
  if (x.is_none()) return {};
  require_real(x, name);
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

/// An objective that may be copied and dropped by anybody.
struct PyObjective {
  ObjectivePtr made;
};

/// A function of the user's, of all states.
class FunctionObjective final : public Objective {
 public:
  explicit FunctionObjective(const py::function& f) : f_(f) {}

  long steps(const DifferentiableRun& run) const override { return run.steps(); }
  ObjectiveValue at(DifferentiableRun&, const RunStates& states) const override {
    const WithGil gil;
    return f_([&](const py::object& answer) { return value_of(answer, states); }, py::cast(states.t), as_cube(states.X),
              as_cube(states.V));
  }

 private:
  static ObjectiveValue value_of(const py::object& answer, const RunStates& states) {
    const py::tuple parts = parts_of(answer, 3, "(J, dJ/dX, dJ/dV)");
    ObjectiveValue result;
    result.value = limber::python::value_of(parts);
    const RowMatrix dX = derivative(parts[1], "dJ/dX", states.X.rows(), states.X.cols() / 3),
                    dV = derivative(parts[2], "dJ/dV", states.X.rows(), states.X.cols() / 3);
    result.by_states.resize(static_cast<std::size_t>(states.count()));
    for (long k = 0; k < states.count(); ++k) {
      FullAdjoint& adjoint = result.by_states[static_cast<std::size_t>(k)];
      if (dX.size() > 0) adjoint.q = dX.row(k).transpose();
      if (dV.size() > 0) adjoint.v = dV.row(k).transpose();
    }
    return result;
  }

  Callback f_;
};

/// One of limber.objectives, or a function.
ObjectivePtr to_objective(const py::object& x) {
  if (py::hasattr(x, "_made")) return to_objective(x.attr("_made"));
  if (py::isinstance<PyObjective>(x)) return x.cast<PyObjective>().made;
  if (py::isinstance<py::function>(x) || PyCallable_Check(x.ptr()) != 0)
    return std::make_shared<FunctionObjective>(py::reinterpret_borrow<py::function>(x));
  throw InputError("objective", "expected one of limber.objectives or a function (t, X, V) -> (J, dJ/dX, dJ/dV), got " +
                                    py::repr(py::type::of(x)).cast<std::string>());
}

py::tuple value_and_grad(const py::object& scene, const py::object& objective, const py::object& names) {
  const auto s = to_scene(scene);
  const ObjectivePtr wanted = to_objective(objective);
  const std::vector<std::string> parameters = to_parameters(names);
  const auto [gradient, known] = computed([&] {
    DifferentiableRun run(s->document, "", parameters);
    RunGradient found = value_and_gradient(run, *wanted);
    return std::pair(std::move(found), run.parameters());
  });
  return py::make_tuple(gradient.value, by_name(known, gradient.by_parameters));
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
  require_real(parts[1], "dJ/dX");
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

std::vector<double> to_bounds(const py::object& x, const std::string& path) {
  if (py::isinstance<py::float_>(x) || py::isinstance<py::int_>(x)) return {x.cast<double>()};
  const auto numbers = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(x);
  if (!numbers || numbers.size() == 0) {
    PyErr_Clear();
    throw InputError(path, "its bounds must be two numbers or lists of numbers (low, high)");
  }
  return {numbers.data(), numbers.data() + numbers.size()};
}

std::vector<VariedParameter> to_varied(const py::dict& vary) {
  if (vary.empty()) throw InputError("vary", "is empty; for example {\"bodies[0].material.young\": (1e4, 1e7)}");
  std::vector<VariedParameter> all;
  for (const auto& [name, bounds] : vary) {
    const std::string path = to_text(name, "vary");
    if (!py::isinstance<py::sequence>(bounds) || py::len(bounds) != 2)
      throw InputError(path, "its bounds must be two numbers or lists of numbers (low, high)");
    const auto pair = py::reinterpret_borrow<py::sequence>(bounds);
    all.push_back({path, to_bounds(pair[0], path), to_bounds(pair[1], path)});
  }
  return all;
}

FitSearch to_search(const py::object& scene, const py::dict& vary, int starts, int max_evaluations) {
  if (starts < 1) throw InputError("starts", fmt::format("{} must be at least 1", starts));
  if (max_evaluations < 1) throw InputError("max_evaluations", fmt::format("{} must be at least 1", max_evaluations));
  FitSearch search{.scene = to_scene(scene)->document, .base = ""};
  search.varied = to_varied(vary);
  search.starts = starts;
  search.max_evaluations = max_evaluations;
  return search;
}

py::object to_report(const Fit& found) {
  py::object report = from_json(fit_report(found));
  report["scene"] = from_json(found.scene);
  return report;
}

py::object fit_to(const py::object& scene, const py::object& observed, const py::dict& vary, int starts,
                  int max_evaluations) {
  Observations seen = to_observations(observed);
  const FitRequest request{to_search(scene, vary, starts, max_evaluations), std::move(seen)};
  const Fit found = computed([&] { return fit(request); });
  py::object report = to_report(found);
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
  py::object report = to_report(found);
  report["motion"] = as_rows(found.equilibrium);
  return report;
}

/// Ctrl-C ends a search, which keeps its best point.
class EndedByCtrlC {
 public:
  /// For Interruptible.
  bool go_on() {
    try {
      return !pressed_ && limber::python::go_on();
    } catch (py::error_already_set& e) {
      note(e);
      return false;
    }
  }
  template <class F>
  auto within(const F& f) {
    try {
      return f();
    } catch (py::error_already_set& e) {
      note(e);
      throw Interrupted();
    }
  }
  bool pressed() const { return pressed_; }

 private:
  /// Throws what is something else.
  void note(py::error_already_set& e) {
    const WithGil gil;
    if (!e.matches(PyExc_KeyboardInterrupt)) throw;
    pressed_ = true;
  }
  bool pressed_ = false;
};

/// An objective in whose function Ctrl-C may be pressed.
class InterruptibleObjective final : public Objective {
 public:
  InterruptibleObjective(ObjectivePtr of, EndedByCtrlC& end) : of_(std::move(of)), end_(end) {}
  long steps(const DifferentiableRun& run) const override { return of_->steps(run); }
  ObjectiveValue at(DifferentiableRun& run, const RunStates& states) const override {
    return end_.within([&] { return of_->at(run, states); });
  }

 private:
  ObjectivePtr of_;
  EndedByCtrlC& end_;
};

py::dict minimize_over(const py::object& scene, const py::object& objective, const py::dict& vary, int starts,
                       int max_evaluations, double tolerance, const py::object& progress) {
  const auto s = to_scene(scene);
  if (starts < 1) throw InputError("starts", fmt::format("{} must be at least 1", starts));
  if (max_evaluations < 1) throw InputError("max_evaluations", fmt::format("{} must be at least 1", max_evaluations));
  if (!(tolerance > 0)) throw InputError("tolerance", fmt::format("{} must be above 0", tolerance));
  EndedByCtrlC end;
  OptimumRequest request{.scene = s->document, .base = "", .objective = nullptr, .varied = {}};
  request.objective = std::make_shared<InterruptibleObjective>(to_objective(objective), end);
  request.varied = to_varied(vary);
  request.starts = starts;
  request.max_evaluations = max_evaluations;
  request.tolerance = tolerance;
  std::optional<Callback> watch;
  if (!progress.is_none()) watch.emplace(progress);
  request.go_on = [&](const SearchProgress& p) {
    if (!watch) return true;
    const WithGil gil;
    py::dict values;
    for (std::size_t i = 0; i < request.varied.size(); ++i) {
      const auto& list = p.values[i];
      values[request.varied[i].name.c_str()] = list.size() == 1 ? py::object(py::float_(list[0])) : py::cast(list);
    }
    const auto stays = [](const py::object& answer) { return !answer.is(py::bool_(false)); };
    try {
      return end.within([&] { return (*watch)(stays, p.evaluation, p.value, values); });
    } catch (const Interrupted&) {
      return false;
    }
  };
  const auto found = [&] {
    const Interruptible interruptible([&] { return end.go_on(); });
    const WithoutGil released;
    try {
      Optimum best = optimum(request);
      if (must_end()) throw Interrupted();
      return std::optional(std::move(best));
    } catch (const Interrupted&) {
      if (!end.pressed()) throw;
      return std::optional<Optimum>();
    }
  }();
  if (!found) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);  // no run was finished
    throw py::error_already_set();
  }
  ParameterLists values;
  for (const RunParameter& p : found->found) values.push_back(p.values);
  py::dict report;
  report["values"] = by_name(found->found, values);
  report["value"] = found->value;
  report["evaluations"] = found->evaluations;
  report["converged"] = found->converged;
  report["reason"] = found->reason;
  report["notes"] = found->notes;
  report["scene"] = from_json(found->scene);
  return report;
}

// --- Ready-made objectives

When when_of(bool over, std::optional<double> from, std::optional<double> to, When::Of summed) {
  return {over ? summed : When::Of::state, from, to};
}

PyObjective shape_of(const py::object& target, const py::object& nodes, const py::object& weights,
                     std::optional<double> time) {
  const auto rows = Cube::ensure(target);
  if (!rows) {
    PyErr_Clear();
    throw InputError("target", "expected an array of numbers");
  }
  const auto count = rows.ndim() > 0 ? static_cast<Index>(rows.shape(0)) : 0;
  const Vector places = to_rows(target, count, "target");
  std::vector<int> of;
  if (!nodes.is_none()) {
    try {
      of = nodes.cast<std::vector<int>>();
    } catch (const py::cast_error&) {
      throw InputError("nodes", "expected a list of node numbers");
    }
    if (of.empty()) throw InputError("nodes", "is empty");
  }
  return {shape_objective(places, of, weights.is_none() ? Vector() : to_vector(weights, count, "weights"), time)};
}

void add_objectives(py::module_& m) {
  using Time = std::optional<double>;
  py::class_<PyObjective>(m, "Objective");
  m.def("function_objective", [](const py::object& f) { return PyObjective{to_objective(f)}; });
  m.def("probes_objective", [](const py::object& observed, const std::map<std::string, double>& weights) {
    return PyObjective{probes_objective(to_observations(observed), weights)};
  });
  m.def("probe_objective",
        [](const std::string& probe, int axis, Time time) { return PyObjective{probe_objective(probe, axis, time)}; });
  m.def("shape_objective", &shape_of);
  m.def("energy_objective", [](const std::string& part, bool over, Time from, Time to) {
    if (part != "elastic" && part != "kinetic")
      throw InputError("energy", "expected \"elastic\" or \"kinetic\", got \"" + part + "\"");
    return PyObjective{energy_objective(part == "elastic" ? EnergyPart::elastic : EnergyPart::kinetic,
                                        when_of(over, from, to, When::Of::integral))};
  });
  m.def("reaction_objective", [](const py::object& nodes, const py::object& direction, bool over, Time from, Time to) {
    std::vector<int> of;
    try {
      of = nodes.cast<std::vector<int>>();
    } catch (const py::cast_error&) {
      throw InputError("nodes", "expected a list of node numbers");
    }
    const Vector d = to_vector(direction, 3, "direction");
    return PyObjective{reaction_objective(of, Vec3(d), when_of(over, from, to, When::Of::mean))};
  });
  m.def("frequency_objective", [](int first, int last) { return PyObjective{frequency_objective(first, last)}; });
  m.def("frequencies_objective", [](const std::vector<std::pair<int, double>>& wanted) {
    std::vector<ModeBlock> blocks;
    for (const auto& [modes, hertz] : wanted) blocks.push_back({modes, hertz});
    return PyObjective{frequencies_objective(blocks)};
  });
  m.def("sum_of", [](const std::vector<std::pair<double, PyObjective>>& parts, double constant) {
    std::vector<std::pair<double, ObjectivePtr>> made;
    for (const auto& [weight, part] : parts) made.emplace_back(weight, part.made);
    return PyObjective{sum_of(std::move(made), constant)};
  });
  m.def("squared_distance", [](const PyObjective& of, const std::string& wanted, double value) {
    const Wanted side = wanted == "equal" ? Wanted::equal : wanted == "at_least" ? Wanted::at_least : Wanted::at_most;
    return PyObjective{squared_distance(of.made, side, value)};
  });
}

}  // namespace

void add_gradient(py::module_& m) {
  m.def(
      "value_and_grad", &value_and_grad, py::arg("scene"), py::arg("objective"), py::arg("parameters"),
      "The value of an objective over a run of the scene, and its derivatives by the parameters: a dict of floats or\n"
      "arrays. objective: one of limber.objectives, or a function (t, X, V) -> (J, dJ/dX, dJ/dV) with t: T; X, V:\n"
      "T x N x 3, a row for each step, the start first; None stands for a zero part. Parameters are paths of the "
      "scene, such as \"bodies[0].material.young\", and\n"
      "\"initial.positions\" and \"initial.velocities\" (N x 3).");
  add_objectives(m);
  m.def("minimize", &minimize_over);
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
