#pragma once
/// The files that a scene names. Which keys name files is said by the rows of its sections (form::file and its kin).

#include <string>
#include <vector>

#include "limber/mesh/io/file_access.hpp"
#include "limber/scene/document.hpp"

namespace limber {

/// The scene with its files named by absolute paths, so that a copy kept elsewhere can be run again. A pattern becomes
/// the list of the files that fit it now. Throws InputError where it may not look for these.
Document with_absolute_paths(const Document& scene, const std::string& base_directory, const FileAccess& access = {});

/// All files of a scene whose paths are absolute: whoever opens the scene wants them read.
std::vector<std::string> files_named_in(const Document& scene);

}  // namespace limber
