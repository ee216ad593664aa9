#include "limber/view/messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

/// Little-endian numbers, one after the other.
class Bytes {
 public:
  explicit Bytes(const char* magic, std::size_t room = 0) : bytes_(magic) { bytes_.reserve(room); }
  void u32(std::size_t x) { put(static_cast<std::uint32_t>(x)); }
  void f32(double x) {
    constexpr double most = std::numeric_limits<float>::max();
    put(std::bit_cast<std::uint32_t>(static_cast<float>(std::isfinite(x) ? std::clamp(x, -most, most) : 0)));
  }
  void f64(double x) { put(std::bit_cast<std::uint64_t>(x)); }
  void vec(const Vec3& x) {
    for (int i = 0; i < 3; ++i) f32(x[i]);
  }
  void byte(unsigned x) { bytes_.push_back(static_cast<char>(x)); }
  void zeros_to(std::size_t size) { bytes_.resize(size, '\0'); }
  std::string take() { return std::move(bytes_); }

 private:
  template <class Number>
  void put(Number x) {
    std::array<char, sizeof(Number)> raw;
    for (char& c : raw) {
      c = static_cast<char>(x & 0xff);
      x >>= 8;
    }
    bytes_.append(raw.data(), raw.size());
  }
  std::string bytes_;
};

constexpr std::size_t header_size = 96;
enum Flags : unsigned { has_values = 1, has_arrows = 2, has_pull = 4 };

}  // namespace

std::string topology_message(const ViewPicture& picture) {
  const ViewShape& shape = *picture.shape;
  Bytes b("LMBT", 20 + 12 * (shape.triangles().size() + shape.vertices()));
  b.u32(picture.session);
  b.u32(shape.vertices());
  b.u32(shape.triangles().size());
  b.u32(shape.lines().size());
  for (const auto& triangle : shape.triangles())
    for (const int i : triangle) b.u32(static_cast<std::size_t>(i));
  for (const auto& line : shape.lines())
    for (const int i : line) b.u32(static_cast<std::size_t>(i));
  for (const Vec3& x : shape.rest()) b.vec(x);
  for (const bool held : shape.held()) b.byte(held ? 1 : 0);
  return b.take();
}

std::string frame_message(const ViewPicture& picture, std::size_t pane, Field field, bool arrows) {
  const PanePicture& p = picture.panes[pane];
  const std::vector<Vec3> positions = picture.shape->positions(p.state->q, p.state->t);
  const std::vector<double> values = picture.shape->values(field, p.state->q, p.touching.at_nodes);
  double least = 0, most = 0;
  for (const double v : values)
    if (std::isfinite(v)) {
      least = std::min(least, v);
      most = std::max(most, v);
    }
  const std::size_t count = arrows ? p.touching.arrows.size() : 0;
  Bytes b("LMBF", header_size + 16 * positions.size() + 24 * count);
  b.u32(picture.session);
  b.u32(pane);
  b.u32((values.empty() ? 0u : has_values) | (count > 0 ? has_arrows : 0u) | (p.pulled ? has_pull : 0u));
  b.f64(p.state->t);
  b.f64(static_cast<double>(p.steps));
  b.u32(positions.size());
  b.u32(count);
  b.f32(least);
  b.f32(most);
  b.vec(p.point);
  b.vec(p.to);
  b.vec(p.force);
  b.zeros_to(header_size);
  for (const Vec3& x : positions) b.vec(x);
  for (const double v : values) b.f32(v);
  for (std::size_t i = 0; i < count; ++i) {
    b.vec(p.touching.arrows[i].point);
    b.vec(p.touching.arrows[i].force);
  }
  return b.take();
}

std::string tick_message(const ViewPicture& picture, const NewRows& rows) {
  std::string s = fmt::format(
      R"({{"is":"tick","session":{},"playing":{},"time":{:.9g},"speed":{:.6g},"real_time":{:.4g},"frames":{},"frame":{},"frame_time":{:.9g},"reset":{},"panes":[)",
      picture.session, picture.playing, picture.time, picture.speed, picture.real_time, picture.frames,
      picture.frame ? std::to_string(*picture.frame) : "null", picture.panes[0].state->t, rows.reset);
  for (std::size_t p = 0; p < picture.panes.size(); ++p) {
    s += fmt::format(R"({}{{"step_ms":{:.4g},"rows":[)", p ? "," : "", picture.panes[p].step_ms);
    if (p < rows.panes.size())
      for (std::size_t r = 0; r < rows.panes[p].size(); ++r) {
        s += r ? ",[" : "[";
        for (std::size_t k = 0; k < rows.panes[p][r].size(); ++k) {
          if (k) s += ',';
          const double x = rows.panes[p][r][k];
          s += std::isfinite(x) ? fmt::format("{:.9g}", x) : "null";
        }
        s += ']';
      }
    s += "]}";
  }
  return s + "]}";
}

std::string decoded_base64(const std::string& text) {
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    int value = -1;
    if (c >= 'A' && c <= 'Z') value = c - 'A';
    if (c >= 'a' && c <= 'z') value = c - 'a' + 26;
    if (c >= '0' && c <= '9') value = c - '0' + 52;
    if (c == '+') value = 62;
    if (c == '/') value = 63;
    if (c == '=') break;
    if (value < 0) throw InputError("data", "is not base64");
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    if ((count += 6) >= 8) bytes.push_back(static_cast<char>(bits >> (count -= 8) & 0xff));
  }
  return bytes;
}

}  // namespace limber
