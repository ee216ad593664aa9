#pragma once
/// A scene as Python holds it, and what else is taken for one.

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "bindings.hpp"
#include "limber/scene/document.hpp"
#include "limber/scene/scene.hpp"

namespace limber::python {

struct SceneObject {
  Document document;  // mesh files by absolute paths
  Scene scene;
};

/// From a Scene, a dict (mesh files are then looked for in the current folder) or the path of a scene file. Throws
/// InputError("scene", …) for anything else.
std::shared_ptr<const SceneObject> to_scene(const py::object& x);

/// The same with its method decided, where it leaves that open ("auto").
std::shared_ptr<const SceneObject> decided(std::shared_ptr<const SceneObject> scene);

/// Numbers, strings, lists, dicts, numpy arrays and paths as JSON. Throws InputError that names the place below
/// `where`.
nlohmann::json to_json(const py::handle& x, const std::string& where);
/// As dicts and lists.
py::object from_json(const Document& document);

/// A str, or what has __fspath__, such as pathlib.Path. Throws InputError(name, …).
std::string to_path(const py::object& x, const char* name);

}  // namespace limber::python
