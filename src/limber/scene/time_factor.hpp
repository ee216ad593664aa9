#pragma once  // internal
/// The factor of a load as a function of time, as several sections have it.

#include <string>
#include <variant>

#include "limber/scene/load.hpp"
#include "limber/scene/section.hpp"

namespace limber {

TimeFactor read_factor(const JsonCursor& place);
/// What may stand there.
Form time_factor_form();
/// whole · factor(t). T: double or Vec3. where: the path of the object that has the key `time`.
template <class T>
TimeFunction<T> in_time(const TimeFactor& factor, const T& whole, const std::string& where);
extern template TimeFunction<double> in_time(const TimeFactor&, const double&, const std::string&);
extern template TimeFunction<Vec3> in_time(const TimeFactor&, const Vec3&, const std::string&);

}  // namespace limber
