#include "limber/scene/coarsen/coarsen.hpp"

#include "bindings.hpp"
#include "limber/core/errors.hpp"
#include "scene_object.hpp"
#include "threads.hpp"

namespace limber::python {
namespace {

py::dict coarsened(const py::object& scene, double resolution, int n, const std::string& body, const py::object& output,
                   bool overwrite) {
  const auto s = to_scene(scene);
  CoarsenRequest request{.scene = s->document, .base = "", .factor = resolution, .modes = n, .body = body};
  const std::string path = output.is_none() ? "" : to_path(output, "output");
  Coarsened made = computed([&] {
    Coarsened coarse = coarsen(request);
    if (!path.empty()) write_coarse_scene(coarse, path, overwrite ? ExistingScene::overwrite : ExistingScene::refuse);
    return coarse;
  });
  const py::object report = from_json(coarsen_report(made));
  report["scene"] = from_json(made.scene);
  return report;
}

}  // namespace

void add_coarsen(py::module_& m) {
  m.def("coarsen", &coarsened, py::arg("scene"), py::arg("resolution"), py::arg("n"), py::arg("body"),
        py::arg("output"), py::arg("overwrite"));
}

}  // namespace limber::python
