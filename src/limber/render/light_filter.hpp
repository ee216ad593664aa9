#pragma once  // internal
/// Smooths the light that fell on each pixel, which few rays leave noisy, over neighbours on the same smooth surface:
/// an edge-avoiding wavelet filter (Dammertz et al. 2010) whose tolerance follows the noise (Schied et al. 2017).
/// Colours, edges and reflections are not touched.

#include "limber/render/camera.hpp"
#include "limber/render/colors.hpp"

namespace limber {

/// What the rays through one pixel found, on average.
struct PixelLight {
  Color light = Color::Zero();                       // on surfaces, before their colour
  float sun = 0;                                     // how much of the sun surfaces see, in [0, 1]
  float variance = 0;                                // of the light's brightness
  Color covariance = Color::Zero();                  // of colour and light, where a pixel shows several surfaces
  Color color = Color::Zero();                       // of surfaces, times what they cover
  Color sun_shine = Color::Zero();                   // reflections of an unshadowed sun
  Color sky_shine = Color::Zero();                   // reflections of an open sky
  Color background = Color::Zero();                  // seen past the surfaces
  Eigen::Vector3f normal = Eigen::Vector3f::Zero();  // unit; 0: no surface
  Eigen::Vector3f point = Eigen::Vector3f::Zero();   // [m] from the eye
};

void smooth_light(std::vector<PixelLight>& pixels, const Camera& camera);

}  // namespace limber
