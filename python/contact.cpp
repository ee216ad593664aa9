#include <fmt/format.h>

#include "bindings.hpp"
#include "limber/contact/forces/barrier.hpp"
#include "limber/contact/geometry/ccd.hpp"
#include "limber/contact/geometry/distance.hpp"
#include "limber/core/errors.hpp"

namespace limber::python {
namespace {

Vec3 point(const py::object& x, const char* name) {
  const Vec3 v = to_vector(x, 3, name);
  if (!v.allFinite()) throw InputError(name, fmt::format("[{}, {}, {}] is not finite", v[0], v[1], v[2]));
  return v;
}

/// A function of one variable with its derivatives, one row per quantity: rows × x.size().
template <class Function>
RowMatrix table(const Vector& x, const Vector& width, const char* name, int rows, const Function& function) {
  RowMatrix out(rows, x.size());
  for (Index i = 0; i < x.size(); ++i) {
    if (!(width[i] > 0 && std::isfinite(width[i])))
      throw InputError(name, fmt::format("{} is not a positive number", width[i]));
    const Jet jet = function(x[i], width[i]);
    const double values[] = {jet.value, jet.first, jet.second};
    for (int j = 0; j < rows; ++j) out(j, i) = values[j];
  }
  return out;
}

using Object = const py::object&;

FourNodes nodes(const char* const (&names)[4], Object a, Object b, Object c, Object d) {
  return {point(a, names[0]), point(b, names[1]), point(c, names[2]), point(d, names[3])};
}

}  // namespace

void add_contact(py::module_& m) {
  m.def("barrier", [](const Vector& x, const Vector& delta) { return table(x, delta, "delta", 3, barrier); });
  m.def("friction_smoothing",
        [](const Vector& x, const Vector& eps) { return table(x, eps, "eps", 2, friction_smoothing); });
  m.def("distance_point_triangle", [](Object p, Object a, Object b, Object c) {
    return point_triangle(point(p, "p"), point(a, "a"), point(b, "b"), point(c, "c")).d;
  });
  m.def("distance_edge_edge", [](Object a, Object b, Object c, Object d) {
    return edge_edge(point(a, "a"), point(b, "b"), point(c, "c"), point(d, "d")).d;
  });
  m.def("ccd_point_triangle",
        [](Object p0, Object a0, Object b0, Object c0, Object p1, Object a1, Object b1, Object c1) {
          return time_of_impact_point_triangle(nodes({"p0", "a0", "b0", "c0"}, p0, a0, b0, c0),
                                               nodes({"p1", "a1", "b1", "c1"}, p1, a1, b1, c1));
        });
  m.def("ccd_edge_edge", [](Object a0, Object b0, Object c0, Object d0, Object a1, Object b1, Object c1, Object d1) {
    return time_of_impact_edge_edge(nodes({"a0", "b0", "c0", "d0"}, a0, b0, c0, d0),
                                    nodes({"a1", "b1", "c1", "d1"}, a1, b1, c1, d1));
  });
}

}  // namespace limber::python
