#pragma once
/// The options that say how pictures are taken, for the commands that make some.

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "limber/movie/movie.hpp"

namespace limber::app {

struct PictureArguments {
  std::string size = "1280x720", camera, look_at;
  std::optional<double> fov;  // [degrees]
  double fps = 30;
  int samples = RenderOptions{}.samples;
  bool wireframe = false, draft = false;

  /// The values above are the defaults that --help shows.
  void add_to(CLI::App& command);
  /// Throws InputError that names the option.
  MovieOptions options() const;
};

}  // namespace limber::app
