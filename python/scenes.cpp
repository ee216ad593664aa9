#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "bindings.hpp"
#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/force/callback.hpp"
#include "limber/record/energy_plot.hpp"
#include "limber/scene/facts.hpp"
#include "limber/scene/run.hpp"

namespace limber::python {
namespace {

nlohmann::json to_json(const py::handle& x, const std::string& where) {
  if (x.is_none()) return nullptr;
  if (py::isinstance<py::bool_>(x)) return x.cast<bool>();
  if (py::isinstance<py::int_>(x)) return x.cast<long>();
  if (py::isinstance<py::float_>(x)) return x.cast<double>();
  if (py::isinstance<py::str>(x)) return x.cast<std::string>();
  if (py::isinstance<py::dict>(x)) {
    auto object = nlohmann::json::object();
    for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(x)) {
      const auto name = py::str(key).cast<std::string>();
      object[name] = to_json(value, where.empty() ? name : where + "." + name);
    }
    return object;
  }
  if (py::isinstance<py::list>(x) || py::isinstance<py::tuple>(x)) {
    auto array = nlohmann::json::array();
    for (const auto& value : x) array.push_back(to_json(value, fmt::format("{}[{}]", where, array.size())));
    return array;
  }
  if (py::hasattr(x, "tolist")) return to_json(x.attr("tolist")(), where);  // numpy arrays and scalars
  if (py::hasattr(x, "__fspath__")) return py::str(x).cast<std::string>();
  throw InputError(
      where, "a scene holds numbers, strings, lists and dicts, not " + py::repr(py::type::of(x)).cast<std::string>());
}

struct PyScene {
  nlohmann::json json;  // mesh files by absolute paths
  Scene scene;
};

PyScene make_scene(nlohmann::json json, const std::string& folder) {
  PyScene s;
  s.scene = read_scene(json, vocabulary(), folder);
  s.json = with_absolute_paths(std::move(json), folder);
  return s;
}

SparseMatrix whole(const SparseMatrix& A, bool symmetric) {
  SparseMatrix full = A;
  if (symmetric) full = SparseMatrix(A.selfadjointView<Eigen::Lower>());
  full.prune([](Index, Index, double x) { return x != 0; });
  return full;
}

std::function<SparseMatrix(const Vector&, const Vector&, double)> entries(const py::object& f) {
  if (f.is_none()) return {};
  return [f](const Vector& q, const Vector& v, double t) {
    py::gil_scoped_acquire gil;
    return f(as_rows(q), as_rows(v), t).cast<SparseMatrix>();
  };
}

std::function<double(const Vector&, const Vector&, double)> scalar(const py::object& f) {
  if (f.is_none()) return {};
  return [f](const Vector& q, const Vector& v, double t) {
    py::gil_scoped_acquire gil;
    return f(as_rows(q), as_rows(v), t).cast<double>();
  };
}

class PySimulation {
 public:
  explicit PySimulation(const PyScene& scene)
      : scene_(scene.scene), model_(build_model(scene_)), simulation_(build_simulation(scene_, model_)) {}

  py::dict step() {
    StepReport report;
    {
      const Interruptible interruptible(&no_interrupt);
      py::gil_scoped_release release;
      report = simulation_.step();
    }
    py::dict d;
    d["newton_iterations"] = report.newton_iterations;
    d["substeps"] = report.substeps;
    d["escalations"] = report.escalations;
    d["retaken"] = report.beside + report.calmed;
    std::vector<std::string> notes = report.notes;
    notes.insert(notes.end(), report.remarks.begin(), report.remarks.end());
    d["notes"] = notes;
    return d;
  }
  void run(double t) {
    if (!std::isfinite(t)) throw InputError("t", fmt::format("{} is not a finite time", t));
    py::gil_scoped_release release;
    simulation_.run_until(t, &no_interrupt);
  }
  double time() const { return simulation_.time(); }
  RowMatrix positions() const { return as_rows(full().q); }
  RowMatrix velocities() const { return as_rows(full().v); }
  void set_positions(const py::object& x) {
    const auto& s = system();
    simulation_.set_state(s.restrict_to_free(to_rows(x, s.nodes(), "positions")), simulation_.state().v);
  }
  void set_velocities(const py::object& x) {
    const auto& s = system();
    simulation_.set_state(simulation_.state().q, s.restrict_to_free(to_rows(x, s.nodes(), "velocities")));
  }
  py::dict energies() const {
    const Energies e = simulation_.energies();
    py::dict d;
    d["kinetic"] = e.kinetic;
    d["elastic"] = e.elastic;
    d["gravitational"] = e.gravitational;
    d["contact"] = e.contact;
    d["external"] = e.other;
    d["total"] = e.total();
    d["damping_loss"] = simulation_.damping_loss();
    d["friction_loss"] = simulation_.friction_loss();
    return d;
  }
  py::list contacts() const {
    py::list list;
    if (!model_.contact) return list;
    const auto& names = model_.contact->collisions->scene().objects;
    const int bodies = model_.contact->collisions->scene().body_nodes;
    const auto name = [&](int i) { return names[static_cast<std::size_t>(i)]; };
    for (const ContactPoint& p : contact_points(*model_.contact, full())) {
      py::dict d;
      d["kind"] = to_string(p.kind);
      d["bodies"] = py::make_tuple(name(p.objects[0]), name(p.objects[1]));
      std::vector<int> nodes;
      for (const int n : p.nodes)
        if (n >= 0 && n < bodies) nodes.push_back(n);
      d["nodes"] = nodes;
      d["distance"] = p.gap;
      d["point"] = Vector(p.point);
      d["normal"] = Vector(p.normal);
      d["normal_force"] = p.normal_force;
      d["friction_force"] = Vector(p.friction);
      list.append(d);
    }
    return list;
  }
  SparseMatrix mass() const { return whole(system().mass(), system().symmetric()); }
  SparseMatrix stiffness() const {
    Tangent T;
    system().tangent(simulation_.state(), Definiteness::exact, T);
    return whole(T.K, system().symmetric());
  }
  SparseMatrix damping() const {
    Tangent T;
    system().tangent(simulation_.state(), Definiteness::exact, T);
    if (!system().velocity_dependent()) return SparseMatrix(system().size(), system().size());
    return whole(T.D, system().symmetric());
  }
  Vector force() const { return system().force(simulation_.state()); }
  std::vector<int> pinned() const { return system().prescribed_nodes(); }
  RowMatrix reactions() const { return as_rows(system().reactions(simulation_.state())); }
  double min_det_F() const { return model_.min_det_F(full().q); }

  void add_force(const py::object& force, const py::object& stiffness, const py::object& damping,
                 const py::object& potential, bool symmetric, const std::string& name) {
    ForceCallbacks callbacks;
    callbacks.force = [force](const Vector& q, const Vector& v, double t) {
      py::gil_scoped_acquire gil;
      return to_rows(force(as_rows(q), as_rows(v), t), q.size() / 3, "force");
    };
    callbacks.stiffness = entries(stiffness);
    callbacks.damping = entries(damping);
    callbacks.potential = scalar(potential);
    own_.push_back([=](const State& start) -> std::shared_ptr<Force> {
      return std::make_shared<CallbackForce>(name, callbacks,
                                             symmetric ? TangentSymmetry::symmetric : TangentSymmetry::general, start);
    });
    const State now = simulation_.state();
    model_ = build_model(scene_, own_);
    model_.start = now;
    simulation_ = build_simulation(scene_, model_);
  }

 private:
  const MechanicalSystem& system() const { return simulation_.system(); }
  State full() const { return system().full(simulation_.state()); }

  Scene scene_;
  std::vector<ForceMaker> own_;
  Model model_;
  Simulation simulation_;
};

py::object run_to_directory(const PyScene& s, const std::string& directory, bool resume, bool overwrite) {
  const Model model = build_model(s.scene);
  RunOptions options;
  options.directory = directory;
  options.existing = resume ? Existing::resume : overwrite ? Existing::overwrite : Existing::refuse;
  std::exception_ptr pressed;  // Ctrl-C: the run ends as interrupted before Python hears of it
  options.go_on = [&] {
    try {
      return !pressed && no_interrupt();
    } catch (const py::error_already_set&) {
      pressed = std::current_exception();
      return false;
    }
  };
  RunResult result;
  {
    py::gil_scoped_release release;
    result = run_scene(s.json, s.scene, model, options);
  }
  if (pressed) std::rethrow_exception(pressed);
  if (result.end == RunResult::End::already_finished) return py::none();
  plot_energy(directory, s.scene.bodies[0].name);
  return py::module_::import("json").attr("loads")(result.summary.dump());
}

}  // namespace

void add_scenes(py::module_& m) {
  py::class_<PyScene>(m, "Scene",
                      "A scene: what is simulated and how. The same keys as in a scene file (docs/scene.md), SI units.")
      .def(py::init([](const py::dict& d, const std::string& folder) { return make_scene(to_json(d, ""), folder); }),
           py::arg("scene"), py::arg("folder") = ".", "From a dict; mesh files are looked for in `folder`.")
      .def_static(
          "load",
          [](const std::string& path) {
            return make_scene(load_json(path), std::filesystem::path(path).parent_path().string());
          },
          py::arg("path"), "From a JSON file.")
      .def(
          "to_dict", [](const PyScene& s) { return py::module_::import("json").attr("loads")(s.json.dump()); },
          "The scene as a dict.")
      .def(
          "check",
          [](const PyScene& s) {
            return py::module_::import("json").attr("loads")(
                to_json(gather_facts(s.scene, build_model(s.scene), 5)).dump());
          },
          "What one should know before a run: masses, sizes, first frequencies, expected damping. A dict.");

  py::class_<PySimulation>(
      m, "Simulation",
      "A motion in progress. Arrays are N x 3, bodies stacked in the scene's order, pinned nodes included.")
      .def(py::init<const PyScene&>(), py::arg("scene"))
      .def("step", &PySimulation::step,
           "One step of the scene's length. Returns what it took: newton_iterations, substeps (1: not halved), "
           "escalations, notes.")
      .def("contacts", &PySimulation::contacts,
           "The collisions at the current state, a list of dicts: kind, bodies (names; an obstacle's too), nodes (of "
           "bodies), distance [m] (less thicknesses), point [m] on the first body, normal (from the second to the "
           "first), normal_force [N], friction_force [N] on the first body.")
      .def("run", &PySimulation::run, py::arg("t"), "Steps until time t [s].")
      .def_property_readonly("time", &PySimulation::time, "[s]")
      .def_property("positions", &PySimulation::positions, &PySimulation::set_positions,
                    "[m], N x 3. Setting them resets history and acceleration; prescribed nodes stay as prescribed.")
      .def_property("velocities", &PySimulation::velocities, &PySimulation::set_velocities, "[m/s], N x 3.")
      .def("energies", &PySimulation::energies,
           "Kinetic, elastic, gravitational, contact, external, total, damping_loss and friction_loss [J].")
      .def("mass", &PySimulation::mass, "Mass matrix of the free degrees of freedom [kg], scipy CSC.")
      .def("stiffness", &PySimulation::stiffness,
           "K = -df/dq at the current state [N/m], free degrees of freedom, scipy CSC.")
      .def("damping", &PySimulation::damping,
           "D = -df/dv at the current state [N s/m], free degrees of freedom, scipy CSC.")
      .def("force", &PySimulation::force, "f at the current state [N], free degrees of freedom.")
      .def_property_readonly("pinned", &PySimulation::pinned, "Indices of the pinned and scripted nodes.")
      .def("reactions", &PySimulation::reactions, "Force on each prescribed node [N], in the order of `pinned`.")
      .def("min_det_F", &PySimulation::min_det_F, "Smallest det F over the tetrahedra.")
      .def("add_force", &PySimulation::add_force, py::arg("force"), py::kw_only(), py::arg("stiffness") = py::none(),
           py::arg("damping") = py::none(), py::arg("potential") = py::none(), py::arg("symmetric") = false,
           py::arg("name") = "python",
           "Adds f(q, v, t) -> N x 3 [N] with q, v N x 3; stiffness -df/dq and damping -df/dv (3N x 3N, optional) "
           "speed up Newton. Restarts the simulation at the present positions and velocities.");

  m.def(
      "statics",
      [](const PyScene& s) {
        const Model model = build_model(s.scene);
        StaticsReport report;
        Vector x;
        {
          const Interruptible interruptible(&no_interrupt);
          py::gil_scoped_release release;
          x = statics(s.scene, model, report);
        }
        return as_rows(x);
      },
      py::arg("scene"), "Equilibrium under the loads at t = 0: positions [m], N x 3.");
  m.def(
      "modes",
      [](const PyScene& s, int n) {
        const Model model = build_model(s.scene);
        const Interruptible interruptible(&no_interrupt);
        const Modes modes = scene_modes(model, n);
        return py::make_tuple(modes.lambda, RowMatrix(on_all_nodes(*model.system, modes.X)));
      },
      py::arg("scene"), py::arg("n"),
      "Lowest n pairs of K x = lambda M x at the start: lambda [1/s^2] ascending, X 3N x n, M-orthonormal, zero at "
      "pinned nodes.");
  m.def("run", &run_to_directory, py::arg("scene"), py::arg("directory"), py::kw_only(), py::arg("resume") = false,
        py::arg("overwrite") = false,
        "Runs the whole scene into a directory, as the command line does; returns the summary (None if it was finished "
        "already).");
}

}  // namespace limber::python
