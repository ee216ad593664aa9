#include "limber/movie/movie.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "limber/core/errors.hpp"
#include "limber/record/resample.hpp"
#include "limber/render/color_bar.hpp"

namespace limber {
namespace {

double picture_time(const std::vector<double>& stored, long frame) {
  const auto count = static_cast<long>(stored.size());
  if (frame >= count)
    throw InputError("--frame", fmt::format("{} is too large: there are {} frames, numbered from 0", frame, count));
  return stored[static_cast<std::size_t>(frame < 0 ? count - 1 : frame)];
}

}  // namespace

MovieFacts make_movie(const std::string& directory, const std::string& output, const MovieOptions& options) {
  const RenderFrames run(directory, options.coloring, options.surface, options.camera, options.size);
  const Camera camera = run.camera();
  const auto times = movie_kind(output) == MovieKind::picture
                         ? std::vector<double>{picture_time(run.times(), options.frame)}
                         : times_at_rate(run.times().front(), run.times().back(), options.fps);
  MovieWriter writer(output, options.size, options.fps);
  for (std::size_t k = 0; k < times.size(); ++k) {
    const auto progress = [&](double part) {
      options.progress((static_cast<double>(k) + part) / static_cast<double>(times.size()));
    };
    Image image = render(run.at(times[k]), camera, {options.samples, options.quality, options.wireframe, progress});
    if (options.coloring == Coloring::displacement)
      draw_color_bar({"distance from rest", "m", run.largest_value()}, image);
    if (options.coloring == Coloring::stress) draw_color_bar({"von Mises stress", "Pa", run.largest_value()}, image);
    writer.add(image);
  }
  writer.finish();
  return {times.size(), camera, run.largest_value()};
}

}  // namespace limber
