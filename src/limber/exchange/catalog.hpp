#pragma once
/// The one list of formats that runs are exported to. Adding one = one source file and one row.

#include <string>
#include <variant>
#include <vector>

#include "limber/exchange/formats.hpp"

namespace limber {

using SurfaceWriter = Files (*)(const MovingSurface&, const ExportTarget&);
using CellWriter = Files (*)(const MovingCells&, const ExportTarget&);

struct ExportFormat {
  std::string extension;  // with the dot
  std::string description;
  std::variant<SurfaceWriter, CellWriter> write;
};

const std::vector<ExportFormat>& export_formats();
/// By the extension of `path`, in any case. Throws InputError(where, …) that lists the extensions there are.
const ExportFormat& find_export_format(const std::string& path, const std::string& where);

}  // namespace limber
