#pragma once
/// A run written for other programs, in the format that the extension of the file names (exchange/catalog.hpp).

#include <functional>
#include <string>
#include <vector>

#include "limber/exchange/formats.hpp"

namespace limber {

/// At most one of the first three is set.
struct ExportOptions {
  long frame = -1;  // the only one, from 0, without a number in the name; −1: all
  long every = 1;   // every Nth stored frame
  double fps = 0;   // for each second of simulated time; 0: as stored
  Large large = Large::refused;
  std::function<void(double)> progress = [](double) {};  // with the part that is done, in (0, 1]; may throw to give up
};

struct ExportFacts {
  Files files;
  std::size_t frames = 0;
  enum class What { surface, cells } what = What::surface;
  std::size_t points = 0, faces = 0;  // vertices and polygons of the surface, or nodes and cells
  std::vector<std::string> notes;     // what the user should hear
};

/// `directory`: of a run, which may still go on. Makes the folder of `output` where it is missing. Throws InputError,
/// OutputError.
ExportFacts export_run(const std::string& directory, const std::string& output, const ExportOptions& options);

}  // namespace limber
