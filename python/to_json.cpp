#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "limber/core/errors.hpp"
#include "scene_object.hpp"

namespace limber::python {
namespace {

constexpr std::size_t most_nested = 100;

class JsonMaker {
 public:
  nlohmann::json make(const py::handle& x, const std::string& where) {
    if (x.is_none()) return nullptr;
    if (py::isinstance<py::bool_>(x)) return x.cast<bool>();
    if (py::isinstance<py::int_>(x)) return whole_number(x, where);
    if (py::isinstance<py::float_>(x)) return x.cast<double>();
    if (py::isinstance<py::str>(x)) return x.cast<std::string>();
    const Open open(*this, x, where);
    if (py::isinstance<py::dict>(x)) {
      auto object = nlohmann::json::object();
      for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(x)) {
        const auto name = py::str(key).cast<std::string>();
        object[name] = make(value, where.empty() ? name : where + "." + name);
      }
      return object;
    }
    if (py::isinstance<py::list>(x) || py::isinstance<py::tuple>(x)) {
      auto array = nlohmann::json::array();
      for (const auto& value : x) array.push_back(make(value, fmt::format("{}[{}]", where, array.size())));
      return array;
    }
    if (py::hasattr(x, "tolist")) return make(x.attr("tolist")(), where);  // numpy arrays and scalars
    if (py::hasattr(x, "__fspath__")) return py::str(x).cast<std::string>();
    throw InputError(
        where, "a scene holds numbers, strings, lists and dicts, not " + py::repr(py::type::of(x)).cast<std::string>());
  }

 private:
  /// What is on the way from the outermost dict to where we are.
  class Open {
   public:
    Open(JsonMaker& maker, const py::handle& x, const std::string& where) : maker_(maker) {
      auto& open = maker.open_;
      if (std::find(open.begin(), open.end(), x.ptr()) != open.end())
        throw InputError(where, "a list or dict that contains itself cannot be part of a scene");
      if (open.size() >= most_nested)
        throw InputError(where, fmt::format("more than {} lists and dicts in each other", most_nested));
      open.push_back(x.ptr());
    }
    ~Open() { maker_.open_.pop_back(); }
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;

   private:
    JsonMaker& maker_;
  };

  static nlohmann::json whole_number(const py::handle& x, const std::string& where) {
    int beyond = 0;
    const long long value = PyLong_AsLongLongAndOverflow(x.ptr(), &beyond);
    if (beyond == 0) return value;
    const double approximate = PyLong_AsDouble(x.ptr());
    if (PyErr_Occurred() == nullptr) return approximate;
    PyErr_Clear();
    throw InputError(where, "is larger than any number that a double can hold");
  }

  std::vector<const PyObject*> open_;
};

}  // namespace

nlohmann::json to_json(const py::handle& x, const std::string& where) { return JsonMaker().make(x, where); }

py::object from_json(const Document& document) { return py::module_::import("json").attr("loads")(document.text()); }

std::string to_path(const py::object& x, const char* name) {
  if (py::isinstance<py::str>(x)) return x.cast<std::string>();
  if (py::hasattr(x, "__fspath__")) {
    const py::object path = x.attr("__fspath__")();
    if (py::isinstance<py::str>(path)) return path.cast<std::string>();
  }
  throw InputError(name,
                   "a path is needed, as str or pathlib.Path, not " + py::repr(py::type::of(x)).cast<std::string>());
}

}  // namespace limber::python
