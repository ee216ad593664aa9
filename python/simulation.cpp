#include <fmt/format.h>

#include <cmath>

#include "limber/core/errors.hpp"
#include "limber/force/callback.hpp"
#include "limber/scene/build.hpp"
#include "scene_object.hpp"
#include "threads.hpp"

namespace limber::python {
namespace {

using Within = Turns::Within;

SparseMatrix whole(const SparseMatrix& A, bool symmetric) {
  SparseMatrix full = A;
  if (symmetric) full = SparseMatrix(A.selfadjointView<Eigen::Lower>());
  full.prune([](Index, Index, double x) { return x != 0; });
  return full;
}

/// N × 3, read-only: a change would be lost.
py::object as_state_array(const Vector& x) {
  const py::array_t<double> rows = py::cast(as_rows(x));
  rows.attr("flags").attr("writeable") = false;
  return rows.attr("view")(py::module_::import("limber._state_array").attr("StateArray"));
}

std::function<SparseMatrix(const Vector&, const Vector&, double)> entries(const py::object& f) {
  if (f.is_none()) return {};
  return [f = Callback(f)](const Vector& q, const Vector& v, double t) {
    return f([](const py::object& A) { return A.cast<SparseMatrix>(); }, as_rows(q), as_rows(v), t);
  };
}

std::function<double(const Vector&, const Vector&, double)> scalar(const py::object& f) {
  if (f.is_none()) return {};
  return [f = Callback(f)](const Vector& q, const Vector& v, double t) {
    return f([](const py::object& x) { return x.cast<double>(); }, as_rows(q), as_rows(v), t);
  };
}

py::dict to_dict(const StepReport& report) {
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

/// A simulation that several threads may use: each call has its turn, and in turn the whole of it.
class PySimulation {
 private:
  /// f() in a turn of its own, without Python. For what computes: forces may call back.
  template <class F>
  auto alone(const char* name, const F& f) const {
    return computed([&] {
      const Turns::Turn turn(turns_, name, Within::refused);
      return f();
    });
  }
  /// The same for what is only looked up: forces may ask for it.
  template <class F>
  auto look(const F& f) const {
    return computed([&] {
      const Turns::Turn turn(turns_, "", Within::allowed);
      return f();
    });
  }

  Vector given(const py::object& x, const char* name) const {
    Vector rows = to_rows(x, nodes_, name);
    require_finite(rows, name);
    return rows;
  }
  template <class F>
  void set(const char* name, const F& state) {
    alone(name, [&] {
      State u = state();
      system().energies(u);  // a force that fails does so before anything has changed
      simulation_.set_state(std::move(u.q), std::move(u.v));
      return true;
    });
  }

 public:
  explicit PySimulation(std::shared_ptr<const SceneObject> scene)
      : scene_(std::move(scene)),
        model_(build_model(scene_->scene)),
        simulation_(build_simulation(scene_->scene, model_)),
        nodes_(simulation_.system().nodes()) {}

  py::dict step() {
    return to_dict(alone("step", [&] { return simulation_.step(); }));
  }
  void run(double t) {
    if (!std::isfinite(t)) throw InputError("t", fmt::format("{} is not a finite time", t));
    const Interruptible interruptible(&go_on);
    const WithoutGil released;
    for (bool more = true; more;) {
      if (!go_on()) throw Interrupted();
      const Turns::Turn turn(turns_, "run", Within::refused);  // for each step: others may look in between
      more = simulation_.time() < t - 0.5 * simulation_.step_length();
      if (more) simulation_.step();
    }
  }
  double time() const {
    return look([&] { return simulation_.time(); });
  }
  py::object positions() const {
    return as_state_array(look([&] { return full().q; }));
  }
  py::object velocities() const {
    return as_state_array(look([&] { return full().v; }));
  }
  void set_positions(const py::object& x) {
    const Vector q = given(x, "positions");
    set("positions", [&] { return State{system().restrict_to_free(q), simulation_.state().v, simulation_.time()}; });
  }
  void set_velocities(const py::object& x) {
    const Vector v = given(x, "velocities");
    set("velocities", [&] { return State{simulation_.state().q, system().restrict_to_free(v), simulation_.time()}; });
  }
  py::dict energies() const {
    const auto [e, damping, friction] = alone("energies", [&] {
      return std::tuple(simulation_.energies(), simulation_.damping_loss(), simulation_.friction_loss());
    });
    py::dict d;
    d["kinetic"] = e.kinetic;
    d["elastic"] = e.elastic;
    d["gravitational"] = e.gravitational;
    d["contact"] = e.contact;
    d["external"] = e.other;
    d["total"] = e.total();
    d["damping_loss"] = damping;
    d["friction_loss"] = friction;
    return d;
  }
  py::list contacts() const {
    const auto [points, names, bodies] = alone("contacts", [&] {
      std::tuple<std::vector<ContactPoint>, std::vector<std::string>, int> all;
      if (!model_.contact) return all;
      const auto& scene = model_.contact->collisions->scene();
      return all = {contact_points(*model_.contact, full()), scene.objects, scene.body_nodes};
    });
    const auto name = [&names = names](int i) { return names[static_cast<std::size_t>(i)]; };
    py::list list;
    for (const ContactPoint& p : points) {
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
  SparseMatrix mass() const {
    return alone("mass", [&] { return whole(system().mass(), system().symmetric()); });
  }
  SparseMatrix stiffness() const {
    return alone("stiffness", [&] { return whole(tangent().K, system().symmetric()); });
  }
  SparseMatrix damping() const {
    return alone("damping", [&] {
      if (!system().velocity_dependent()) return SparseMatrix(system().size(), system().size());
      return whole(tangent().D, system().symmetric());
    });
  }
  Vector force() const {
    return alone("force", [&] { return system().force(simulation_.state()); });
  }
  std::vector<int> pinned() const {
    return look([&] { return system().prescribed_nodes(); });
  }
  RowMatrix reactions() const {
    return as_rows(alone("reactions", [&] { return system().reactions(simulation_.state()); }));
  }
  double min_det_F() const {
    return alone("min_det_F", [&] { return model_.min_det_F(full().q); });
  }

  void add_force(const py::object& force, const py::object& stiffness, const py::object& damping,
                 const py::object& potential, bool symmetric, const std::string& name) {
    ForceCallbacks callbacks;
    callbacks.force = [f = Callback(force)](const Vector& q, const Vector& v, double t) {
      return f([&](const py::object& x) { return to_rows(x, q.size() / 3, "force"); }, as_rows(q), as_rows(v), t);
    };
    callbacks.stiffness = entries(stiffness);
    callbacks.damping = entries(damping);
    callbacks.potential = scalar(potential);
    const auto symmetry = symmetric ? TangentSymmetry::symmetric : TangentSymmetry::general;
    alone("add_force", [&] {
      auto own = own_;
      own.push_back(
          [=](const State& start) { return std::make_shared<CallbackForce>(name, callbacks, symmetry, start); });
      // Made aside, so that whatever goes wrong leaves all as it was.
      const State now = full();
      Model model = build_model(scene_->scene, own);
      while (model.system->next_release() <= now.t + 0.25 * simulation_.step_length()) model.system->release_next();
      model.start = model.system->state(now.q, now.v, now.t);
      Simulation simulation = build_simulation(scene_->scene, model);
      own_ = std::move(own);
      model_ = std::move(model);
      simulation_ = std::move(simulation);
      return true;
    });
  }

 private:
  const MechanicalSystem& system() const { return simulation_.system(); }
  State full() const { return system().full(simulation_.state()); }
  Tangent tangent() const {
    Tangent T;
    system().tangent(simulation_.state(), Definiteness::exact, T);
    return T;
  }

  std::shared_ptr<const SceneObject> scene_;
  std::vector<ForceMaker> own_;
  Model model_;
  Simulation simulation_;
  int nodes_;
  mutable Turns turns_;
};

}  // namespace

void add_simulation(py::module_& m) {
  py::class_<PySimulation>(
      m, "Simulation",
      "A motion in progress. Arrays are N x 3, bodies stacked in the scene's order, pinned nodes included. Threads may "
      "share one: each call waits for its turn.")
      .def(py::init([](const py::object& scene) {
             const auto s = to_scene(scene);
             return computed([&] { return std::make_unique<PySimulation>(s); });
           }),
           py::arg("scene"), "From a Scene, a dict or the path of a scene file.")
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
                    "[m], N x 3, a copy. Setting them resets history and acceleration; prescribed nodes stay as "
                    "prescribed.")
      .def_property("velocities", &PySimulation::velocities, &PySimulation::set_velocities, "[m/s], N x 3, a copy.")
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
}

}  // namespace limber::python
