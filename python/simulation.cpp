#include "simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"
#include "limber/force/callback.hpp"
#include "limber/scene/read_parts.hpp"
#include "limber/scene/run/exported.hpp"
#include "limber/scene/run/run.hpp"

namespace limber::python {
namespace {

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

py::dict to_dict(const StepRecord& step) {
  py::dict d;
  d["newton_iterations"] = step.newton_iterations;
  d["substeps"] = step.substeps.size();
  d["escalations"] = step.escalations();
  d["retaken"] = step.retaken();
  std::vector<std::string> notes = step.notes;
  notes.insert(notes.end(), step.remarks.begin(), step.remarks.end());
  d["notes"] = notes;
  return d;
}

}  // namespace

PySimulation::PySimulation(std::shared_ptr<const SceneObject> scene)
    : scene_(std::move(scene)),
      model_(build_model(scene_->scene)),
      parameters_(offer_parameters(scene_->document, {scene_, &scene_->scene}, model_)),
      simulation_(build_simulation(scene_->scene, model_)),
      nodes_(simulation_.system().nodes()),
      shapes_(model_.bodies.size()) {}

py::dict PySimulation::step() {
  return to_dict(alone("step", [&] { return simulation_.step(); }));
}

void PySimulation::run(double t) {
  if (!std::isfinite(t)) throw InputError("t", fmt::format("{} is not a finite time", t));
  const Interruptible interruptible(&go_on);
  const WithoutGil released;
  for (bool more = true; more;) {
    if (!go_on()) throw Interrupted();
    const FairLock::Guard guard(lock_, "run", Within::refused);  // for each step: others may look in between
    more = simulation_.is_before(t);
    if (more) simulation_.step_to(t);
  }
}

double PySimulation::time() const {
  return look([&] { return simulation_.time(); });
}

py::object PySimulation::positions() const {
  return as_state_array(look([&] { return full().q; }));
}

py::object PySimulation::velocities() const {
  return as_state_array(look([&] { return full().v; }));
}

template <class F>
void PySimulation::set(const char* name, const F& state) {
  alone(name, [&] {
    State u = state();
    limber::energies(system(), u);  // a force that fails does so before anything has changed
    simulation_.set_state(std::move(u.q), std::move(u.v));
    return true;
  });
}

void PySimulation::set_positions(const py::object& x) {
  const Vector q = given(x, "positions");
  set("positions", [&] { return State{system().restrict_to_free(q), simulation_.state().v, simulation_.time()}; });
}

void PySimulation::set_velocities(const py::object& x) {
  const Vector v = given(x, "velocities");
  set("velocities", [&] { return State{simulation_.state().q, system().restrict_to_free(v), simulation_.time()}; });
}

py::dict PySimulation::energies() const {
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

py::list PySimulation::cavities() const {
  struct Filled {
    std::string name;
    double volume, pressure;
  };
  const auto all = alone("cavities", [&] {
    std::vector<Filled> list;
    const Vector q = full().q;
    for (const FilledSpace& c : model_.cavities) {
      const double volume = c.cavity->volume(q);
      list.push_back({c.name, volume, c.cavity->pressure(volume, simulation_.time())});
    }
    return list;
  });
  py::list out;
  for (const Filled& c : all) {
    py::dict d;
    d["name"] = c.name;
    d["volume"] = c.volume;
    d["pressure"] = c.pressure;
    out.append(d);
  }
  return out;
}

py::list PySimulation::contacts() const {
  const auto [points, names, bodies] = alone("contacts", [&] {
    std::tuple<std::vector<ContactPoint>, std::vector<std::string>, int> all;
    if (!model_.contact) return all;
    const auto& scene = model_.contact->collisions->scene();
    return all = {contact_points(*model_.contact, system().full(simulation_.acting())), scene.objects,
                  scene.body_nodes};
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

SparseMatrix PySimulation::mass() const {
  return alone("mass", [&] { return whole(system().mass(), system().symmetric()); });
}

SparseMatrix PySimulation::stiffness() {
  return alone("stiffness", [&] {
    const Tangent T = tangent();
    return with_entries(whole(T.K, system().symmetric()), T.low_rank, 1, Triangle::both);
  });
}

SparseMatrix PySimulation::damping() {
  return alone("damping", [&] {
    if (!system().velocity_dependent()) return SparseMatrix(system().size(), system().size());
    return whole(tangent().D, system().symmetric());
  });
}

Vector PySimulation::force() const {
  return alone("force", [&] { return system().force(simulation_.state()); });
}

std::vector<int> PySimulation::pinned() const {
  return look([&] { return system().prescribed_nodes(); });
}

RowMatrix PySimulation::reactions() const {
  return as_rows(alone("reactions", [&] { return limber::reactions(system(), simulation_.acting()); }));
}

double PySimulation::min_det_F() const {
  return alone("min_det_F", [&] { return model_.min_det_F(full().q); });
}

void PySimulation::add_force(const py::object& force, const py::object& stiffness, const py::object& damping,
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
    const auto scene = std::make_shared<const Scene>(parameters_->scene());
    Model model = build_model(*scene, own);
    model.start_at(now, scene->time.accuracy ? 0 : scene->time.step);
    auto parameters = offer_parameters(parameters_->document(), scene, model);
    Simulation simulation = build_simulation(*scene, model);
    own_ = std::move(own);
    model_ = std::move(model);
    parameters_ = std::move(parameters);
    simulation_ = std::move(simulation);
    return true;
  });
}

namespace {

py::object as_value(const Parameter& p) {
  if (!p.is_list) return py::float_(p.values[0]);
  py::array_t<double> list(static_cast<py::ssize_t>(p.values.size()), p.values.data());
  list.attr("flags").attr("writeable") = false;  // a change of an entry would be lost
  return list;
}

Parameter as_parameter(const std::string& name, const py::handle& x) {
  const nlohmann::json json = to_json(x, name);
  if (json.is_number()) return {name, {json.get<double>()}, false};
  if (json.is_array() && std::all_of(json.begin(), json.end(), [](const auto& item) { return item.is_number(); }))
    return {name, json.get<std::vector<double>>(), true};
  throw InputError(name, "expected a number or a list of numbers, in SI units, got " +
                             py::repr(py::reinterpret_borrow<py::object>(x)).cast<std::string>());
}

}  // namespace

py::dict PySimulation::parameters() const {
  const auto all = look([&] { return simulation_.parameters(); });
  py::dict d;
  for (const Parameter& p : all) d[py::str(p.name)] = as_value(p);
  return d;
}

py::object PySimulation::parameter(const std::string& name) const {
  return as_value(look([&] { return parameters_->parameter(name); }));
}

void PySimulation::set_parameters(const py::dict& values) {
  std::vector<Parameter> all;
  for (const auto& [name, value] : values) all.push_back(as_parameter(py::str(name).cast<std::string>(), value));
  alone("parameters", [&] {
    simulation_.set_parameters(all);
    parameters_->update(model_);
    fields_.reset();
    return true;
  });
}

SceneObject PySimulation::scene() const {
  return look([&] { return SceneObject{parameters_->document(), parameters_->scene()}; });
}

Vector PySimulation::given(const py::object& x, const char* name) const {
  Vector rows = to_rows(x, nodes_, name);
  require_finite(rows, name);
  return rows;
}

Tangent PySimulation::tangent() {
  Tangent T;
  simulation_.system().tangent(simulation_.state(), Definiteness::exact, T);
  return T;
}

// Bodies

std::size_t PySimulation::body_number(const py::object& body) const {
  std::vector<std::string> names;
  for (const Body& b : model_.bodies) names.push_back(b.name);
  if (body.is_none() && names.size() == 1) return 0;
  if (py::isinstance<py::str>(body)) {
    const auto found = std::find(names.begin(), names.end(), body.cast<std::string>());
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  }
  if (py::isinstance<py::int_>(body)) {
    const auto number = body.cast<long long>();
    if (number >= 0 && number < static_cast<long long>(names.size())) return static_cast<std::size_t>(number);
  }
  throw InputError("body", fmt::format("{} is no body: there are {}, by these names or by number from 0",
                                       py::repr(body).cast<std::string>(), join(names)));
}

const BodyShape& PySimulation::shape(std::size_t body) const {
  std::vector<std::string> notes;
  if (!shapes_[body]) shapes_[body] = make_shape(scene_->scene.bodies[body], notes);
  return *shapes_[body];
}

std::vector<PyBody> PySimulation::bodies() const {
  return look([&] {
    std::vector<PyBody> list;
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
      const Body& b = model_.bodies[i];
      const auto shifted = [&](auto cells) {
        for (auto& cell : cells)
          for (int& n : cell) n += b.first_node;
        return cells;
      };
      PyBody body{b.name,
                  b.first_node,
                  static_cast<int>(b.rest.nodes.size()),
                  Vector(3 * static_cast<Index>(b.rest.nodes.size())),
                  shifted(b.rest.tets),
                  shifted(b.triangles),
                  shifted(b.edges),
                  shifted(b.surface_triangles()),
                  {},
                  4,
                  b.mass};
      for (std::size_t n = 0; n < b.rest.nodes.size(); ++n) block(body.rest, static_cast<int>(n)) = b.rest.nodes[n];
      const ElementMesh& elements = shape(i).elements;
      body.nodes_each = node_count(elements.kind);
      for (const int n : elements.corners) body.elements.push_back(n + b.first_node);
      list.push_back(std::move(body));
    }
    return list;
  });
}

std::vector<int> PySimulation::select(const py::object& selection, const py::object& body) const {
  const std::size_t number = body_number(body);
  const nlohmann::json json = to_json(selection, "selection");
  const Selection parts = read_selection(JsonCursor(json, "selection"));
  return look([&] {
    std::vector<int> nodes = resolve(parts, shape(number).mesh.nodes);
    for (int& n : nodes) n += model_.bodies[number].first_node;
    return nodes;
  });
}

std::vector<std::size_t> PySimulation::cells(const py::object& body) const {
  std::vector<std::size_t> list;
  const bool all = body.is_none();
  const std::size_t number = all ? 0 : body_number(body);
  std::size_t cell = 0;
  const auto add = [&](const auto& count) {
    for (std::size_t b = 0; b < model_.bodies.size(); ++b)
      for (std::size_t k = 0; k < count(model_.bodies[b]); ++k, ++cell)
        if (all || b == number) list.push_back(cell);
  };
  add([](const Body& b) { return b.rest.tets.size(); });
  add([](const Body& b) { return b.triangles.size(); });
  add([](const Body& b) { return b.edges.size(); });
  return list;
}

ElementValues PySimulation::element_values(const char* name, StressTensors tensors) const {
  return alone(name, [&] {
    if (!fields_) fields_.emplace(parameters_->scene(), trajectory_header(model_, Velocities::omit, 1));
    return fields_->at(full().q, tensors);
  });
}

py::array PySimulation::stress(const py::object& body) const {
  const auto chosen = cells(body);
  const ElementValues values = element_values("stress", StressTensors::keep);
  py::array_t<double> all({chosen.size(), std::size_t{3}, std::size_t{3}});
  auto entry = all.mutable_unchecked<3>();
  for (std::size_t k = 0; k < chosen.size(); ++k)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) entry(static_cast<py::ssize_t>(k), i, j) = values.stress[chosen[k]](i, j);
  return all;
}

Vector PySimulation::von_mises(const py::object& body) const {
  const auto chosen = cells(body);
  const ElementValues values = element_values("von_mises", StressTensors::omit);
  Vector list(static_cast<Index>(chosen.size()));
  for (std::size_t k = 0; k < chosen.size(); ++k) list[static_cast<Index>(k)] = values.von_mises[chosen[k]];
  return list;
}

// Frames

TrajectoryHeader PySimulation::header(Velocities velocities) const {
  return look([&] { return trajectory_header(model_, velocities, 1); });
}

Frame PySimulation::frame(const std::vector<int>& prescribed) const {
  return alone("write", [&] {
    const State all = full();
    Frame frame{all.t, all.q, all.v, model_.min_det_F(all.q), Vector::Zero(3 * static_cast<Index>(prescribed.size()))};
    const Vector now = limber::reactions(system(), simulation_.acting());
    const auto& nodes = system().prescribed_nodes();  // those of before, without the ones that have been released
    for (std::size_t i = 0, k = 0; i < prescribed.size() && k < nodes.size(); ++i)
      if (prescribed[i] == nodes[k]) block(frame.reactions, static_cast<int>(i)) = block(now, static_cast<int>(k++));
    return frame;
  });
}

void PySimulation::write_surfaces(const std::string& directory) const {
  look([&] {
    write_body_surfaces(model_, directory);
    return true;
  });
}

namespace {

template <class Cell>
py::array as_array(const std::vector<Cell>& cells) {
  constexpr std::size_t n = std::tuple_size_v<Cell>;
  return py::array_t<int>({cells.size(), n}, cells.empty() ? nullptr : cells.front().data());
}

void add_body(py::module_& m) {
  py::class_<PyBody>(m, "Body", "A body of a simulation. Nodes have the numbers of the whole simulation.")
      .def_readonly("name", &PyBody::name, "As the scene has it.")
      .def_readonly("mass", &PyBody::mass, "[kg]")
      .def_property_readonly(
          "nodes",
          [](const PyBody& b) {
            return py::module_::import("builtins").attr("range")(b.first_node, b.first_node + b.node_count);
          },
          "Its nodes, a range: sim.positions[body.nodes] are its positions.")
      .def_property_readonly(
          "rest", [](const PyBody& b) { return as_rows(b.rest); }, "Its rest shape in its place [m], #nodes x 3.")
      .def_property_readonly(
          "elements",
          [](const PyBody& b) {
            const auto n = static_cast<std::size_t>(b.nodes_each);
            return py::array_t<int>({b.elements.size() / n, n}, b.elements.data());
          },
          "Nodes of the elements that are integrated over: #E x 4 (P1), x 10 (P2: corners, then the middles of the "
          "edges 01, 12, 02, 03, 13, 23) or x 8 (hex).")
      .def_property_readonly(
          "tets", [](const PyBody& b) { return as_array(b.tets); },
          "Linear tetrahedra on all its nodes, #T x 4: those of P1, eight for each element of P2, six for each "
          "hexahedron.")
      .def_property_readonly(
          "triangles", [](const PyBody& b) { return as_array(b.triangles); }, "Those of a sheet, #S x 3.")
      .def_property_readonly(
          "edges", [](const PyBody& b) { return as_array(b.edges); }, "Those of springs and rods, #E x 2.")
      .def_property_readonly(
          "surface", [](const PyBody& b) { return as_array(b.surface); },
          "Triangles of its outside, #F x 3, counterclockwise from outside; all of a sheet.")
      .def("__repr__", [](const PyBody& b) {
        return fmt::format("<limber.Body '{}': nodes {} to {}>", b.name, b.first_node, b.first_node + b.node_count - 1);
      });
}

}  // namespace

void add_simulation(py::module_& m) {
  add_body(m);
  py::class_<PySimulation>(
      m, "Simulation",
      "A motion in progress. Arrays are N x 3, bodies stacked in the scene's order, pinned nodes included. Threads may "
      "share one: each call waits for its turn.")
      .def(py::init([](const py::object& scene) {
             const auto s = decided(to_scene(scene));
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
      .def("cavities", &PySimulation::cavities,
           "Cavities as they are now, a list of dicts: name, volume [m^3], pressure [Pa] above that outside.")
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
      .def_property_readonly("bodies", &PySimulation::bodies, "A list, in the scene's order.")
      .def("select", &PySimulation::select, py::arg("selection"), py::arg("body") = py::none(),
           "Numbers of the nodes that a selection catches, as in a scene: \"left\", {\"box\": ...}, a list of these. "
           "body: name or number; may be left out where there is one.")
      .def("stress", &PySimulation::stress, py::arg("body") = py::none(),
           "Cauchy's stress now [Pa], a 3 x 3 matrix for each tetrahedron, then each triangle of a sheet (of its "
           "stretching), then each edge of a rod; of one body or of all.")
      .def("von_mises", &PySimulation::von_mises, py::arg("body") = py::none(),
           "Von Mises stress now [Pa], for the same cells.")
      .def_property_readonly(
          "parameters",
          [](const py::object& self) { return py::module_::import("limber._parameters").attr("Parameters")(self); },
          "The numbers of the scene that can be changed while the motion goes on, by their keys: a mapping. "
          "sim.parameters[\"bodies[0].material.young\"] = 2e6 holds from the next step on.")
      .def(
          "set",
          [](PySimulation& s, const py::str& name, const py::object& value) {
            py::dict one;
            one[name] = value;
            s.set_parameters(one);
          },
          py::arg("name"), py::arg("value"), "The same as sim.parameters[name] = value.")
      .def("_parameters", &PySimulation::parameters)
      .def("_parameter", &PySimulation::parameter)
      .def("_set_parameters", &PySimulation::set_parameters)
      .def("add_force", &PySimulation::add_force, py::arg("force"), py::kw_only(), py::arg("stiffness") = py::none(),
           py::arg("damping") = py::none(), py::arg("potential") = py::none(), py::arg("symmetric") = false,
           py::arg("name") = "python",
           "Adds f(q, v, t) -> N x 3 [N] with q, v N x 3; stiffness -df/dq and damping -df/dv (3N x 3N, optional) "
           "speed up Newton. Restarts the simulation at the present positions and velocities.");
}

}  // namespace limber::python
