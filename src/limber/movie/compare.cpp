#include "limber/movie/compare.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "limber/core/errors.hpp"
#include "limber/movie/compare_page.hpp"
#include "limber/record/directory.hpp"
#include "limber/record/energy_table.hpp"
#include "limber/record/resample.hpp"

namespace limber {
namespace {

PagePanel panel_of(const ComparedRun& run) {
  const std::string file = (std::filesystem::path(run.directory) / run_file::energy).string();
  const EnergyRecord energy = read_energy_table(file);
  if (energy.rows.empty()) throw InputError(file, "has no rows");
  PagePanel panel{run.name, run.note, energy.column("time"), energy.column("total"), energy.column("kinetic"), {}};
  if (run.end == ComparedRun::End::stopped) panel.stopped = panel.time.back();
  return panel;
}

/// So that nobody takes it for a body at rest.
void make_pale(Image& image) {
  for (std::uint8_t& x : image.rgb) x = static_cast<std::uint8_t>(255 - (255 - x) / 3);
}

}  // namespace

CompareFacts make_comparison(const std::vector<ComparedRun>& runs, const std::string& output,
                             const MovieOptions& options) {
  std::vector<PagePanel> panels;
  std::vector<std::unique_ptr<RenderFrames>> frames;
  for (const ComparedRun& run : runs) {
    panels.push_back(panel_of(run));
    frames.push_back(
        std::make_unique<RenderFrames>(run.directory, Coloring::body, options.surface, options.camera, options.size));
  }
  double last = 0;
  for (const auto& run : frames) {
    frames[0]->include(run->framing());
    last = std::max(last, run->times().back());
  }
  for (const auto& run : frames) run->include(frames[0]->framing());
  const Camera camera = frames[0]->camera();
  const std::vector<double> times = movie_kind(output) == MovieKind::picture
                                        ? std::vector<double>{last}
                                        : times_at_rate(frames[0]->times().front(), last, options.fps);
  const ComparePage page(panels, options.size);
  const PictureSize size = page.layout().size();
  MovieWriter writer(output, size, options.fps);
  const auto all = static_cast<double>(times.size() * runs.size());
  for (std::size_t k = 0; k < times.size(); ++k) {
    std::vector<Image> pictures;
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const auto progress = [&](double part) {
        options.progress((static_cast<double>(k * runs.size() + r) + part) / all);
      };
      pictures.push_back(
          render(frames[r]->at(times[k]), camera, {options.samples, options.quality, options.wireframe, progress}));
      if (panels[r].stopped && times[k] >= *panels[r].stopped) make_pale(pictures.back());
    }
    writer.add(page.at(times[k], pictures));
  }
  writer.finish();
  return {times.size(), size};
}

}  // namespace limber
