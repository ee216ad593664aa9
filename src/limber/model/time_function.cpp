#include "limber/model/time_function.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "limber/core/errors.hpp"

namespace limber {

namespace {

double zero_like(double) { return 0; }
Vec3 zero_like(const Vec3&) { return Vec3::Zero(); }
Vector zero_like(const Vector& y) { return Vector::Zero(y.size()); }

bool finite(double y) { return std::isfinite(y); }
bool finite(const Vec3& y) { return y.allFinite(); }

template <class T>
T combine(const std::array<double, 4>& w, const T& y0, const T& y1, const T& m0, const T& m1) {
  return w[0] * y0 + w[1] * y1 + w[2] * m0 + w[3] * m1;
}

}  // namespace

Interpolation interpolation_named(const std::string& word, const std::string& where) {
  if (word == "linear") return Interpolation::linear;
  if (word == "smooth") return Interpolation::smooth;
  throw InputError(where, fmt::format("unknown interpolation \"{}\"; allowed: linear, smooth", word));
}

KeyTimes::KeyTimes(std::vector<double> times, Interpolation interpolation, const std::string& where)
    : times_(std::move(times)), interpolation_(interpolation) {
  if (times_.empty()) throw InputError(where, "a table needs at least one key");
  for (std::size_t i = 0; i < times_.size(); ++i) {
    if (!std::isfinite(times_[i]))
      throw InputError(where, fmt::format("time {} of key {} is not finite", times_[i], i));
    if (i > 0 && times_[i] <= times_[i - 1])
      throw InputError(
          where, fmt::format("times must ascend, but key {} at {} s follows one at {} s", i, times_[i], times_[i - 1]));
  }
}

KeyWeights KeyTimes::at(double t) const {
  KeyWeights w;
  const auto next = std::upper_bound(times_.begin(), times_.end(), t);
  if (next == times_.begin()) return w;
  w.left = w.right = static_cast<std::size_t>(next - times_.begin()) - 1;
  if (next == times_.end()) return w;
  w.right = w.left + 1;
  const double h = times_[w.right] - times_[w.left], B = (t - times_[w.left]) / h, A = 1 - B;
  w.value = {A, B, 0, 0};
  w.rate = {-1 / h, 1 / h, 0, 0};
  if (interpolation_ == Interpolation::linear) return w;
  w.value[2] = (A * A - 1) * A * h * h / 6;
  w.value[3] = (B * B - 1) * B * h * h / 6;
  w.rate[2] = -(3 * A * A - 1) * h / 6;
  w.rate[3] = (3 * B * B - 1) * h / 6;
  w.acceleration = {0, 0, A, B};
  return w;
}

template <class T>
std::vector<T> KeyTimes::curvatures(const std::vector<T>& y) const {
  const std::size_t n = times_.size();
  std::vector<T> m(n, zero_like(y[0]));
  if (interpolation_ == Interpolation::linear || n < 2) return m;
  // h₋ m₋ + 2(h₋ + h) m + h m₊ = 6 (slope − slope₋), by forward elimination; `above` is the eliminated superdiagonal.
  // Beyond the ends h and slope are zero, which gives y′ = 0.
  std::vector<double> above(n, 0.0);
  double h_before = 0;
  T slope_before = m[0];
  for (std::size_t i = 0; i < n; ++i) {
    const bool last = i + 1 == n;
    const double h = last ? 0 : times_[i + 1] - times_[i];
    T slope = m[i];
    if (!last) slope = (y[i + 1] - y[i]) / h;
    const double pivot = 2 * (h_before + h) - (i > 0 ? h_before * above[i - 1] : 0);
    T bend = 6 * (slope - slope_before);
    if (i > 0) bend = bend - h_before * m[i - 1];
    m[i] = bend / pivot;
    above[i] = h / pivot;
    h_before = h;
    slope_before = slope;
  }
  for (std::size_t i = n - 1; i-- > 0;) m[i] -= above[i] * m[i + 1];
  return m;
}

template std::vector<double> KeyTimes::curvatures(const std::vector<double>&) const;
template std::vector<Vec3> KeyTimes::curvatures(const std::vector<Vec3>&) const;
template std::vector<Vector> KeyTimes::curvatures(const std::vector<Vector>&) const;

template <class T>
TimeFunction<T>::TimeFunction() : form_(Constant{zero_like(T{})}) {}

template <class T>
TimeFunction<T> TimeFunction<T>::constant(const T& value) {
  return TimeFunction(Form(Constant{value}));
}

template <class T>
TimeFunction<T> TimeFunction<T>::table(std::vector<double> times, std::vector<T> values, Interpolation interpolation,
                                       const std::string& where) {
  if (times.size() != values.size())
    throw InputError(where, fmt::format("{} times but {} values", times.size(), values.size()));
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!finite(values[i])) throw InputError(where, fmt::format("the value of key {} is not finite", i));
  KeyTimes keys(std::move(times), interpolation, where);
  auto curvatures = keys.curvatures(values);
  return TimeFunction(Form(Table{std::move(keys), std::move(values), std::move(curvatures)}));
}

template <class T>
TimeFunction<T> TimeFunction<T>::sine(const T& amplitude, double frequency, double phase, const T& offset) {
  return TimeFunction(Form(Sine{amplitude, offset, frequency, phase}));
}

template <class T>
TimeJet<T> TimeFunction<T>::at(double t) const {
  if (const auto* c = std::get_if<Constant>(&form_)) return {c->value, zero_like(c->value), zero_like(c->value)};
  if (const auto* s = std::get_if<Sine>(&form_)) {
    const double w = 2 * std::numbers::pi * s->frequency, angle = w * t + s->phase;
    return {s->offset + std::sin(angle) * s->amplitude, w * std::cos(angle) * s->amplitude,
            -w * w * std::sin(angle) * s->amplitude};
  }
  const Table& table = std::get<Table>(form_);
  const KeyWeights w = table.keys.at(t);
  const T &y0 = table.values[w.left], &y1 = table.values[w.right];
  const T &m0 = table.curvatures[w.left], &m1 = table.curvatures[w.right];
  return {combine(w.value, y0, y1, m0, m1), combine(w.rate, y0, y1, m0, m1), combine(w.acceleration, y0, y1, m0, m1)};
}

template class TimeFunction<double>;
template class TimeFunction<Vec3>;

}  // namespace limber
