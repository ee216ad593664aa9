#pragma once
/// A picture of a scene by ray tracing: light from a sun of some width and from the sky, once reflected by what it
/// meets on its way. No clock and no order of threads enters: equal scenes give equal bits.

#include <functional>

#include "limber/render/image.hpp"
#include "limber/render/surface.hpp"

namespace limber {

/// A draft has hard shadows and no light from what stands around; one ray serves for four pixels.
enum class Quality { full, draft };

struct RenderOptions {
  int samples = 16;  // rays through pixels with edges and in half shade, ≥ 1; a quarter, but at least 4, through others
  Quality quality = Quality::full;
  Wireframe wireframe = Wireframe::off;
  std::function<void(double)> progress = [](double) {};  // called with the part that is done, in (0, 1]
};

/// Throws InputError where this build has no Embree.
Image render(const RenderScene& scene, const Camera& camera, const RenderOptions& options);

}  // namespace limber
