#include "pictures.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "limber/core/errors.hpp"

namespace limber::app {
namespace {

/// Numbers with `separator` between them, for example 1,2.5,-3.
template <std::size_t n>
std::array<double, n> numbers(const std::string& option, const std::string& text, char separator,
                              const std::string& expected) {
  std::array<double, n> values{};
  const char *at = text.data(), *end = text.data() + text.size();
  for (std::size_t i = 0; i < n; ++i) {
    const auto [rest, error] = std::from_chars(at, end, values[i]);
    const bool last = i + 1 == n;
    if (error != std::errc() || !std::isfinite(values[i]) || (last ? rest != end : rest == end || *rest != separator))
      throw InputError(option, fmt::format("'{}' is not {}", text, expected));
    at = rest + 1;
  }
  return values;
}

Vec3 to_point(const std::string& option, const std::string& text) {
  const auto x = numbers<3>(option, text, ',', "a point x,y,z");
  return {x[0], x[1], x[2]};
}

PictureSize to_size(const std::string& text) {
  constexpr const char* expected = "a size such as 1280x720, with sides of 16 to 16384 pixels";
  const auto [width, height] = numbers<2>("--size", text, 'x', expected);
  for (const double side : {width, height})
    if (side < 16 || side > 16384 || side != std::floor(side))
      throw InputError("--size", fmt::format("'{}' is not {}", text, expected));
  return {static_cast<int>(width), static_cast<int>(height)};
}

}  // namespace

void PictureArguments::add_to(CLI::App& command) {
  command.add_option("--fps", fps, "Pictures for each second of simulated time (30)")->check(CLI::Range(1e-3, 1e6));
  command.add_flag("--wireframe", wireframe, "Draw the edges of the surface's mesh");
  command.add_option("--camera", camera,
                     "Where the camera stands, x,y,z [m] (as the scene says, or so that the whole motion is seen)");
  command.add_option("--look-at", look_at, "What the camera looks at, x,y,z [m]");
  command.add_option("--fov", fov, "Vertical field of view [degrees] (35)")->check(CLI::Range(1.0, 150.0));
  command.add_option("--size", size, fmt::format("Width and height of a picture in pixels ({})", size));
  command.add_option("--samples", samples, fmt::format("Rays through a pixel, up to ({})", samples))
      ->check(CLI::Range(1, 4096));
  command.add_flag("--draft", draft, "Coarser, with hard shadows, and more than ten times as fast");
}

MovieOptions PictureArguments::options() const {
  MovieOptions options;
  options.size = to_size(size);
  if (!camera.empty()) options.camera.position = to_point("--camera", camera);
  if (!look_at.empty()) options.camera.look_at = to_point("--look-at", look_at);
  options.camera.fov = fov;
  options.fps = fps;
  options.samples = samples;
  options.quality = draft ? Quality::draft : Quality::full;
  options.wireframe = wireframe ? Wireframe::on : Wireframe::off;
  return options;
}

}  // namespace limber::app
