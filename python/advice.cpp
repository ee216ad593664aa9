#include "bindings.hpp"
#include "limber/core/errors.hpp"
#include "limber/scene/advice/advise.hpp"
#include "limber/scene/units.hpp"
#include "scene_object.hpp"
#include "threads.hpp"

namespace limber::python {
namespace {

/// A number in SI units, or a text with its unit.
double amount(const py::object& x, const Quantity& quantity, const char* name) {
  if (py::isinstance<py::str>(x)) return parse_quantity(x.cast<std::string>(), quantity, name);
  try {
    return x.cast<double>();
  } catch (const py::cast_error&) {
    throw InputError(name, std::string("a number or a text with a unit is needed, not ") +
                               py::repr(py::type::of(x)).cast<std::string>());
  }
}

Wish wish_of(const Scene& scene, const py::object& accuracy, const py::object& keep_energy, const py::object& time,
             bool real_time) {
  if (!accuracy.is_none() + !keep_energy.is_none() + !time.is_none() + real_time > 1)
    throw InputError("advise", "one of accuracy, keep_energy, time and real_time at a time");
  if (!keep_energy.is_none()) return {Wish::Kind::keep_energy, amount(keep_energy, quantity::ratio, "keep_energy")};
  if (!time.is_none()) return {Wish::Kind::time, amount(time, quantity::time, "time")};
  if (real_time) return {Wish::Kind::real_time, 0};
  if (!accuracy.is_none()) return {Wish::Kind::accuracy, amount(accuracy, quantity::length, "accuracy")};
  if (scene.time.accuracy) return {Wish::Kind::accuracy, scene.time.accuracy->accuracy};
  throw InputError("advise", "what is wanted? accuracy=, keep_energy=, time= or real_time=True");
}

py::object advised(const py::object& scene, const py::object& accuracy, const py::object& keep_energy,
                   const py::object& time, bool real_time, const std::vector<std::string>& methods,
                   const py::object& budget) {
  const auto s = to_scene(scene);
  Scene asked = s->scene;
  if (asked.method.name == MethodChoice::to_be_decided) asked.method.name = MethodChoice().name;
  AdviceRequest request{.wish = wish_of(asked, accuracy, keep_energy, time, real_time), .methods = methods};
  if (!budget.is_none()) request.budget = amount(budget, quantity::time, "budget");
  return from_json(computed([&] { return to_json(advise(asked, build_model(asked), request)); }));
}

}  // namespace

void add_advice(py::module_& m) {
  m.def("advise", &advised, py::arg("scene"), py::arg("accuracy"), py::arg("keep_energy"), py::arg("time"),
        py::arg("real_time"), py::arg("methods"), py::arg("budget"));
}

}  // namespace limber::python
