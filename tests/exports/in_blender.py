"""Run inside Blender: blender -b --factory-startup --python-exit-code 1 --python in_blender.py -- FOLDER STEM

Plays FOLDER/STEM.pc2 and STEM.mdd through the Mesh Cache modifier on the imported STEM.obj, imports STEM.glb, and saves
the positions of all vertices at some frames into FOLDER/STEM_blender.npz, in metres with y up.
"""

import sys
from pathlib import Path

import numpy

numpy.bool = bool  # the glTF importer of Blender 3.4 still uses this name, which NumPy has dropped
import bpy  # noqa: E402

folder, stem = sys.argv[sys.argv.index("--") + 1:]
folder = Path(folder)
FRAMES = [int(k) for k in (folder / "frames.txt").read_text().split()]
RATE = int((folder / "rate.txt").read_text())
saved = {}


def start():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = RATE


def vertices(thing):
    """Of an object, as it is drawn now, before its own transformation."""
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    x = numpy.empty(3 * len(mesh.vertices), dtype=numpy.float32)
    mesh.vertices.foreach_get("co", x)
    evaluated.to_mesh_clear()
    return x.reshape(-1, 3)


for cache in ("pc2", "mdd"):
    start()
    bpy.ops.wm.obj_import(filepath=str(folder / f"{stem}.obj"))
    things = [o for o in bpy.data.objects if o.type == "MESH"]
    assert len(things) == 1, f"{stem}.obj became {len(things)} objects"
    modifier = things[0].modifiers.new("cache", "MESH_CACHE")
    modifier.cache_format = cache.upper()
    modifier.filepath = str(folder / f"{stem}.{cache}")
    modifier.frame_start = 0
    saved[f"{cache}_polygons"] = len(things[0].data.polygons)
    saved[f"{cache}_uv"] = len(things[0].data.uv_layers)
    for k in FRAMES:
        bpy.context.scene.frame_set(k)
        saved[f"{cache}_{k}"] = vertices(things[0])

start()
bpy.ops.import_scene.gltf(filepath=str(folder / f"{stem}.glb"))
for thing in (o for o in bpy.data.objects if o.type == "MESH"):
    action = thing.data.shape_keys.animation_data
    tracks = [strip.action for track in action.nla_tracks for strip in track.strips]
    frames = {key.co[0] for a in [action.action, *tracks] if a for curve in a.fcurves for key in curve.keyframe_points}
    saved[f"glb_frames:{thing.name}"] = sorted(frames)
    saved[f"glb_uv:{thing.name}"] = len(thing.data.uv_layers)
    saved[f"glb_triangles:{thing.name}"] = len(thing.data.polygons)
    for k in FRAMES:
        bpy.context.scene.frame_set(k)
        x = vertices(thing)
        saved[f"glb_{k}:{thing.name}"] = x[:, [0, 2, 1]] * numpy.array([1, 1, -1], dtype=numpy.float32)  # z was up

numpy.savez(folder / f"{stem}_blender.npz", **saved)
