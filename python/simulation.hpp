#pragma once
/// A simulation that several threads may use: each call has its turn, and in turn the whole of it.

#include <optional>

#include "limber/scene/construction/body_shape.hpp"
#include "limber/scene/construction/build.hpp"
#include "limber/scene/construction/element_fields.hpp"
#include "limber/scene/construction/scene_parameters.hpp"
#include "scene_object.hpp"
#include "threads.hpp"

namespace limber::python {

/// A body in the numbering of the whole simulation.
struct PyBody {
  std::string name;
  int first_node = 0, node_count = 0;
  Vector rest;                                // 3 × node_count [m], placed
  std::vector<std::array<int, 4>> tets;       // linear ones on all nodes
  std::vector<std::array<int, 3>> triangles;  // of a sheet
  std::vector<std::array<int, 2>> edges;      // of springs or rods
  std::vector<std::array<int, 3>> surface;    // outside
  std::vector<int> elements;                  // #E × nodes_each: what is integrated over
  int nodes_each = 4;
  double mass = 0;  // [kg]
};

class PySimulation {
  using Within = FairLock::Within;

  /// f() in a turn of its own, without Python. For what computes: forces may call back.
  template <class F>
  auto alone(const char* name, const F& f) const {
    return computed([&] {
      const FairLock::Guard guard(lock_, name, Within::refused);
      return f();
    });
  }
  /// The same for what is only looked up: forces may ask for it.
  template <class F>
  auto look(const F& f) const {
    return computed([&] {
      const FairLock::Guard guard(lock_, "", Within::allowed);
      return f();
    });
  }

 public:
  explicit PySimulation(std::shared_ptr<const SceneObject> scene);

  py::dict step();
  void run(double t);
  double time() const;
  py::object positions() const;
  py::object velocities() const;
  void set_positions(const py::object& x);
  void set_velocities(const py::object& x);
  py::dict energies() const;
  py::list contacts() const;
  py::list cavities() const;
  SparseMatrix mass() const;
  SparseMatrix stiffness();
  SparseMatrix damping();
  Vector force() const;
  std::vector<int> pinned() const;
  RowMatrix reactions() const;
  double min_det_F() const;
  py::dict parameters() const;
  py::object parameter(const std::string& name) const;
  void set_parameters(const py::dict& values);
  void add_force(const py::object& force, const py::object& stiffness, const py::object& damping,
                 const py::object& potential, bool symmetric, const std::string& name);

  std::vector<PyBody> bodies() const;
  std::vector<int> select(const py::object& selection, const py::object& body) const;
  py::array stress(const py::object& body) const;
  Vector von_mises(const py::object& body) const;

  /// As it is now.
  SceneObject scene() const;
  /// What a trajectory of it has besides its frames; and the state as a frame, with reactions of `prescribed` nodes.
  TrajectoryHeader header(Velocities velocities) const;
  Frame frame(const std::vector<int>& prescribed) const;
  /// See write_body_surfaces.
  void write_surfaces(const std::string& directory) const;

 private:
  template <class F>
  void set(const char* name, const F& state);
  Vector given(const py::object& x, const char* name) const;
  /// By name or number; None: the only one. Throws InputError("body", …).
  std::size_t body_number(const py::object& body) const;
  /// Of these cells, those of a body (all, if None): tetrahedra, then triangles, then edges.
  std::vector<std::size_t> cells(const py::object& body) const;
  ElementValues element_values(const char* name, StressTensors tensors) const;
  const MechanicalSystem& system() const { return simulation_.system(); }
  State full() const { return system().full(simulation_.state()); }
  Tangent tangent();
  /// As meshed.
  const BodyShape& shape(std::size_t body) const;

  std::shared_ptr<const SceneObject> scene_;
  std::vector<ForceMaker> own_;
  Model model_;
  std::shared_ptr<SceneParameters> parameters_;
  Simulation simulation_;
  int nodes_;
  // Made when they are first asked for.
  mutable std::vector<std::optional<BodyShape>> shapes_;
  mutable std::optional<ElementFields> fields_;
  mutable FairLock lock_;
};

}  // namespace limber::python
