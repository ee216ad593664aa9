#pragma once
/// A run as a movie, as pictures or as one picture (see MovieWriter for the names).

#include <functional>

#include "limber/movie/movie_writer.hpp"
#include "limber/movie/render_frames.hpp"

namespace limber {

struct MovieOptions {
  Coloring coloring = Coloring::body;
  BodySurface surface = BodySurface::given;
  Wireframe wireframe = Wireframe::off;
  PictureSize size;
  CameraChoice camera;  // goes before the scene's
  double fps = 30;      // pictures for each second of simulated time
  long frame = -1;      // of one picture: the stored frame, from 0; −1: the last
  int samples = RenderOptions{}.samples;
  Quality quality = Quality::full;
  std::function<void(double)> progress = [](double) {};  // with the part that is done, in (0, 1]; may throw to give up
};

struct MovieFacts {
  std::size_t pictures = 0;
  Camera camera;
  double largest_value = 0;  // of what colours show: the distance from rest [m] or the von Mises stress [Pa]
};

/// `directory`: of a run, which may still go on. Throws InputError, OutputError.
MovieFacts make_movie(const std::string& directory, const std::string& output, const MovieOptions& options);

}  // namespace limber
