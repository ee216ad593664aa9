#pragma once
/// `"method": "auto"`: the method that advice puts first for the accuracy of the scene's steps.

#include <string>

#include "limber/scene/document.hpp"
#include "limber/scene/load.hpp"
#include "limber/scene/scene.hpp"

namespace limber {

/// Whether the scene leaves its method to be decided.
bool undecided(const Scene& scene);

/// `document` with its method decided; the same where it has one. It is read as read_scene() reads it, and equal scenes
/// get equal methods. Throws InputError for a scene without an accuracy, StepFailure if no method can move it, and
/// Interrupted.
Document with_method_decided(const Document& document, const std::string& base_directory,
                             const FileAccess& access = {});

}  // namespace limber
