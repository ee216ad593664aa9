#pragma once
/// Runs of one scene beside each other, seen by the same camera, with their energies below (see ComparePage): what
/// methods do to a motion, for the eye.

#include "limber/movie/movie.hpp"

namespace limber {

struct ComparedRun {
  enum class End { finished, stopped } end = End::finished;
  std::string name, note;  // above the picture, left and right
  std::string directory;
};

struct CompareFacts {
  std::size_t pictures = 0;
  PictureSize size;  // of each, all runs together
};

/// At least one run. Of the options `size` is that of one run's picture; bodies have their own colours, and a picture
/// shows the last moment. A run that has ended before others stays as it was. Throws InputError, OutputError.
CompareFacts make_comparison(const std::vector<ComparedRun>& runs, const std::string& output,
                             const MovieOptions& options);

}  // namespace limber
