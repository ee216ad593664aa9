#include "limber/force/wind.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "limber/core/parallel.hpp"
#include "limber/force/require.hpp"

namespace limber {

namespace {

constexpr std::size_t triangles_a_piece = 256;
constexpr double triangle_cost = 40;  // [ns]

/// The unit normal, the area [m²] and the normal component of the relative wind [m/s]; area 0 where degenerate.
struct Facing {
  Vec3 normal = Vec3::Zero();
  double area = 0, speed = 0;
};

Facing facing(const std::array<int, 3>& t, const State& u, const Vec3& wind) {
  const auto x = [&](std::size_t i) { return u.q.segment<3>(3 * t[i]); };
  const auto v = [&](std::size_t i) { return u.v.segment<3>(3 * t[i]); };
  const Vec3 e1 = x(1) - x(0), e2 = x(2) - x(0), a = e1.cross(e2) / 2;
  const double area = a.norm();
  if (area == 0) return {};
  const Vec3 normal = a / area;
  return {normal, area, normal.dot(wind - (v(0) + v(1) + v(2)) / 3)};
}

}  // namespace

Wind::Wind(std::vector<std::array<int, 3>> triangles, TimeFunction<Vec3> velocity, double air_density, double drag,
           const std::string& where)
    : triangles_(std::move(triangles)), velocity_(std::move(velocity)), pressure_factor_(air_density * drag / 2) {
  require_not_negative(air_density, where + ".air_density");
  require_not_negative(drag, where + ".drag");
}

void Wind::add_couplings(std::vector<std::pair<int, int>>& pairs) const {
  for (const auto& t : triangles_)
    for (const int a : t)
      for (const int b : t) pairs.emplace_back(a, b);
}

void Wind::add_force(const State& u, Vector& f) const {
  const Vec3 wind = velocity_(u.t);
  std::vector<Vec3> third(triangles_.size());
  in_pieces(
      third.size(), triangles_a_piece,
      [&](std::size_t k) {
        const Facing face = facing(triangles_[k], u, wind);
        third[k] = share_ * pressure_factor_ / 3 * face.area * std::abs(face.speed) * face.speed * face.normal;
      },
      triangle_cost);
  for (std::size_t k = 0; k < third.size(); ++k)
    for (const int i : triangles_[k]) f.segment<3>(3 * i) += third[k];
}

void Wind::add_tangent(const State& u, TangentBuilder& T) const {
  const Vec3 wind = velocity_(u.t);
  T.add_damping(triangles_.size(), [&](std::size_t k, NodeMatrix& m) {
    const auto& t = triangles_[k];
    const Facing face = facing(t, u, wind);
    const Mat3 D =
        2 * share_ * pressure_factor_ / 9 * face.area * std::abs(face.speed) * face.normal * face.normal.transpose();
    m.nodes = {t[0], t[1], t[2], -1};
    m.A.topLeftCorner<9, 9>() = D.replicate<3, 3>();
  });
}

}  // namespace limber
