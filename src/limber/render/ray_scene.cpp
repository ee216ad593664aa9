#include "limber/render/ray_scene.hpp"

#include <tbb/task_arena.h>

#include <algorithm>
#include <limits>

#include "limber/core/errors.hpp"

#ifdef LIMBER_HAS_EMBREE
#include <embree3/rtcore.h>
#endif

namespace limber {

#ifdef LIMBER_HAS_EMBREE

void require_ray_tracing() {}

namespace {

template <class Handle, void (*release)(Handle)>
struct Released {
  using pointer = Handle;
  void operator()(Handle handle) const { release(handle); }
};
using Device = std::unique_ptr<RTCDevice, Released<RTCDevice, rtcReleaseDevice>>;
using SceneHandle = std::unique_ptr<RTCScene, Released<RTCScene, rtcReleaseScene>>;
using Geometry = std::unique_ptr<RTCGeometry, Released<RTCGeometry, rtcReleaseGeometry>>;

constexpr unsigned triangles_id = 0, lines_id = 1;

void attach(RTCScene scene, const Geometry& geometry, unsigned id) {
  rtcCommitGeometry(geometry.get());
  rtcAttachGeometryByID(scene, geometry.get(), id);
}

void attach_triangles(RTCDevice device, RTCScene scene, const RenderMesh& mesh) {
  const Geometry geometry(rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE));
  auto* vertex = static_cast<float*>(
      rtcSetNewGeometryBuffer(geometry.get(), RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12, mesh.positions.size()));
  auto* index = static_cast<unsigned*>(
      rtcSetNewGeometryBuffer(geometry.get(), RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, mesh.triangles.size()));
  if (!vertex || !index) throw OutputError("rendering: out of memory");
  for (const Vec3& x : mesh.positions)
    for (int i = 0; i < 3; ++i) *vertex++ = static_cast<float>(x[i]);
  for (const auto& t : mesh.triangles)
    for (const int i : t) *index++ = static_cast<unsigned>(i);
  attach(scene, geometry, triangles_id);
}

void attach_lines(RTCDevice device, RTCScene scene, const RenderMesh& mesh) {
  const Geometry geometry(rtcNewGeometry(device, RTC_GEOMETRY_TYPE_ROUND_LINEAR_CURVE));
  auto* vertex = static_cast<float*>(
      rtcSetNewGeometryBuffer(geometry.get(), RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4, 16, 2 * mesh.lines.size()));
  auto* index = static_cast<unsigned*>(
      rtcSetNewGeometryBuffer(geometry.get(), RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT, 4, mesh.lines.size()));
  if (!vertex || !index) throw OutputError("rendering: out of memory");
  for (std::size_t l = 0; l < mesh.lines.size(); ++l) {
    for (const int end : mesh.lines[l]) {
      for (int i = 0; i < 3; ++i) *vertex++ = static_cast<float>(mesh.positions[static_cast<std::size_t>(end)][i]);
      *vertex++ = static_cast<float>(mesh.line_radius[l]);
    }
    *index++ = static_cast<unsigned>(2 * l);
  }
  attach(scene, geometry, lines_id);
}

RTCRay to_ray(const Vec3& origin, const Vec3& direction) {
  RTCRay ray{};
  ray.org_x = static_cast<float>(origin[0]);
  ray.org_y = static_cast<float>(origin[1]);
  ray.org_z = static_cast<float>(origin[2]);
  ray.dir_x = static_cast<float>(direction[0]);
  ray.dir_y = static_cast<float>(direction[1]);
  ray.dir_z = static_cast<float>(direction[2]);
  ray.tfar = std::numeric_limits<float>::infinity();
  ray.mask = ~0u;
  return ray;
}

}  // namespace

struct RayScene::Impl {
  Device device;
  SceneHandle scene;
};

RayScene::RayScene(const RenderMesh& mesh, const std::vector<RenderPlane>& planes)
    : impl_(std::make_unique<Impl>()), planes_(planes) {
  impl_->device.reset(rtcNewDevice(nullptr));
  if (!impl_->device) throw OutputError("rendering: Embree could not be started");
  impl_->scene.reset(rtcNewScene(impl_->device.get()));
  rtcSetSceneFlags(impl_->scene.get(), RTC_SCENE_FLAG_ROBUST);
  if (!mesh.triangles.empty()) attach_triangles(impl_->device.get(), impl_->scene.get(), mesh);
  if (!mesh.lines.empty()) attach_lines(impl_->device.get(), impl_->scene.get(), mesh);
  // Several threads would order the primitives as they come, and rays through an edge would meet one or the other side.
  tbb::task_arena alone(1);
  alone.execute([&] { rtcJoinCommitScene(impl_->scene.get()); });
  if (rtcGetDeviceError(impl_->device.get()) != RTC_ERROR_NONE)
    throw OutputError("rendering: Embree could not take the mesh");
  low_.setConstant(std::numeric_limits<double>::infinity());
  high_ = -low_;
  for (const Vec3& x : mesh.positions) {
    low_ = low_.cwiseMin(x);
    high_ = high_.cwiseMax(x);
  }
  if (mesh.positions.empty()) return;
  const double margin = 1e-5 * (low_.cwiseAbs().cwiseMax(high_.cwiseAbs()).maxCoeff());  // Embree has floats
  low_.array() -= mesh.largest_line_radius() + margin;
  high_.array() += mesh.largest_line_radius() + margin;
}

/// Most rays go by everything; this costs a fraction of asking Embree.
bool RayScene::passes_by(const Vec3& origin, const Vec3& direction) const {
  double enter = 0, leave = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    const double inverse = 1 / direction[i], a = (low_[i] - origin[i]) * inverse, b = (high_[i] - origin[i]) * inverse;
    // A ray in a side of the box, 0 · ∞, does not narrow it.
    enter = std::max(enter, std::min(a, b));
    leave = std::min(leave, std::max(a, b));
  }
  return !(enter <= leave);
}

std::optional<RaySceneHit> RayScene::first(const Vec3& origin, const Vec3& direction) const {
  RaySceneHit hit;
  hit.distance = std::numeric_limits<double>::infinity();
  if (!passes_by(origin, direction)) {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    RTCRayHit ray{};
    ray.ray = to_ray(origin, direction);
    ray.hit.geomID = ray.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(impl_->scene.get(), &context, &ray);
    if (ray.hit.geomID != RTC_INVALID_GEOMETRY_ID) {
      hit.distance = ray.ray.tfar;
      (ray.hit.geomID == triangles_id ? hit.triangle : hit.line) = static_cast<int>(ray.hit.primID);
      hit.b = ray.hit.u;
      hit.c = ray.hit.v;
      hit.normal = Vec3(ray.hit.Ng_x, ray.hit.Ng_y, ray.hit.Ng_z).stableNormalized();
    }
  }
  for (std::size_t p = 0; p < planes_.size(); ++p) {
    const double slope = direction.dot(planes_[p].normal);
    if (!(slope < 0)) continue;
    const double distance = (planes_[p].point - origin).dot(planes_[p].normal) / slope;
    if (!(distance > 0) || distance >= hit.distance) continue;
    hit = {};
    hit.distance = distance;
    hit.plane = static_cast<int>(p);
    hit.normal = planes_[p].normal;
  }
  if (hit.triangle < 0 && hit.line < 0 && hit.plane < 0) return std::nullopt;
  return hit;
}

bool RayScene::blocked(const Vec3& origin, const Vec3& direction) const {
  if (passes_by(origin, direction)) return false;
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  RTCRay ray = to_ray(origin, direction);
  rtcOccluded1(impl_->scene.get(), &context, &ray);
  return ray.tfar < 0;
}

#else

void require_ray_tracing() {
  throw InputError("render", "this build has no Embree; install Debian's libembree-dev and build Limber again");
}

struct RayScene::Impl {};

RayScene::RayScene(const RenderMesh&, const std::vector<RenderPlane>&) { require_ray_tracing(); }

std::optional<RaySceneHit> RayScene::first(const Vec3&, const Vec3&) const { return std::nullopt; }

bool RayScene::blocked(const Vec3&, const Vec3&) const { return false; }

bool RayScene::passes_by(const Vec3&, const Vec3&) const { return true; }

#endif

RayScene::~RayScene() = default;

}  // namespace limber
