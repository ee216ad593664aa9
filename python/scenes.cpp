#include <exception>
#include <filesystem>

#include "limber/core/errors.hpp"
#include "limber/record/energy_plot.hpp"
#include "limber/scene/advice/decide.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/run/facts.hpp"
#include "limber/scene/run/run.hpp"
#include "limber/scene/scene_files.hpp"
#include "scene_object.hpp"
#include "threads.hpp"

namespace limber::python {
namespace {

using SceneHolder = std::shared_ptr<SceneObject>;

SceneHolder make_scene(const Document& document, const std::string& folder) {
  auto s = std::make_shared<SceneObject>();
  s->scene = read_scene(document, vocabulary(), folder);
  s->document = with_absolute_paths(document, folder);
  return s;
}

SceneHolder load(const std::string& path) {
  return make_scene(Document::load(path), std::filesystem::path(path).parent_path().string());
}

py::object run_to_directory(const py::object& scene, const py::object& to, bool resume, bool overwrite) {
  const auto s = decided(to_scene(scene));
  const std::string directory = to_path(to, "directory");
  RunOptions options;
  options.directory = directory;
  options.existing = resume ? Existing::resume : overwrite ? Existing::overwrite : Existing::refuse;
  std::exception_ptr pressed;  // Ctrl-C: the run ends as interrupted before Python hears of it
  options.go_on = [&] {
    try {
      return !pressed && go_on();
    } catch (const py::error_already_set&) {
      pressed = std::current_exception();
      return false;
    }
  };
  const RunResult result = computed([&] { return run_scene(s->document, s->scene, build_model(s->scene), options); });
  if (pressed) std::rethrow_exception(pressed);
  if (result.end == RunResult::End::already_finished) return py::none();
  plot_energy(directory, s->scene.bodies[0].name);
  return from_json(result.summary);
}

}  // namespace

std::shared_ptr<const SceneObject> to_scene(const py::object& x) {
  if (py::isinstance<SceneObject>(x)) return x.cast<SceneHolder>();
  if (py::isinstance<py::dict>(x)) return make_scene(document_of(to_json(x, "")), ".");
  if (py::isinstance<py::str>(x) || py::hasattr(x, "__fspath__")) return load(to_path(x, "scene"));
  throw InputError("scene", "a Scene, a dict or the path of a scene file is needed, not " +
                                py::repr(py::type::of(x)).cast<std::string>());
}

std::shared_ptr<const SceneObject> decided(std::shared_ptr<const SceneObject> scene) {
  if (!undecided(scene->scene)) return scene;
  return make_scene(computed([&] { return with_method_decided(scene->document, ""); }), "");
}

void add_scenes(py::module_& m) {
  py::class_<SceneObject, SceneHolder>(
      m, "Scene", "A scene: what is simulated and how. The same keys as in a scene file (docs/scene.md), SI units.")
      .def(py::init([](const py::dict& d, const py::object& folder) {
             return make_scene(document_of(to_json(d, "")), to_path(folder, "folder"));
           }),
           py::arg("scene"), py::arg("folder") = ".", "From a dict; mesh files are looked for in `folder`.")
      .def_static(
          "load", [](const py::object& path) { return load(to_path(path, "path")); }, py::arg("path"),
          "From a JSON file: a str or a pathlib.Path.")
      .def(
          "to_dict", [](const SceneObject& s) { return from_json(s.document); }, "The scene as a dict.")
      .def(
          "check",
          [](const SceneObject& s) {
            return from_json(computed([&] { return limber::to_json(gather_facts(s.scene, build_model(s.scene), 5)); }));
          },
          "What one should know before a run: masses, sizes, first frequencies, expected damping. A dict.");

  m.def(
      "statics",
      [](const py::object& scene) {
        const auto s = to_scene(scene);
        return as_rows(computed([&] {
          StaticsReport report;
          return statics(s->scene, build_model(s->scene), report);
        }));
      },
      py::arg("scene"), "Equilibrium under the loads at t = 0: positions [m], N x 3.");
  m.def(
      "modes",
      [](const py::object& scene, int n) {
        const auto s = to_scene(scene);
        auto [lambda, X] = computed([&] {
          const Model model = build_model(s->scene);
          const Modes modes = scene_modes(model, n);
          return std::pair(modes.lambda, RowMatrix(on_all_nodes(*model.system, modes.X)));
        });
        return py::make_tuple(std::move(lambda), std::move(X));
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
