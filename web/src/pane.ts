// The picture of one pane: bodies, lines, planes, pinned points, arrows and the pull. It owns a three.js scene; views.ts draws it.
import {
  BufferAttribute, BufferGeometry, CanvasTexture, Color, DirectionalLight, DoubleSide, DynamicDrawUsage, FrontSide, HemisphereLight,
  InstancedMesh, LatheGeometry, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshBasicMaterial, MeshLambertMaterial,
  MeshPhongMaterial, NotEqualStencilFunc, Points, PointsMaterial, Quaternion, ReplaceStencilOp, Scene as Stage, SphereGeometry,
  Vector2, Vector3, type Material, type Object3D,
} from 'three';
import { LineMaterial } from 'three/addons/lines/LineMaterial.js';
import { LineSegments2 } from 'three/addons/lines/LineSegments2.js';
import { LineSegmentsGeometry } from 'three/addons/lines/LineSegmentsGeometry.js';
import { bodyColor, scenery, viridis } from './colors';
import { groundOf, isHorizontal, makePlanes, moveFloor, movePlanes, sizeOf } from './ground';
import { pinnedFlag, type Frame, type Plane, type Scene, type Topology, type Vec3 } from './protocol';
import { state } from './state';
import { bodyOfVertices, spreadPositions, vertexNormals, type Surface } from './surface';

export interface Look {
  theme: 'light' | 'dark';
  wireframe: boolean;
  pinned: boolean;
  arrows: boolean;
  colored: boolean;
  /** The values that the ends of the colour bar stand for. */
  range: [number, number];
  /** The force that the longest arrow stands for [N]. */
  longestArrow: number;
  /** Drawn by the processor: the cheaper material. */
  software: boolean;
  /** The height of the grid below everything, where the scene has no ground. */
  floor: number;
}

const keyLight = new Vector3(0.45, 1, 0.75).normalize();
const up = new Vector3(0, 1, 0);

/** An arrow along y from 0 to 1. */
const arrowShape = new LatheGeometry(
  [[0, 0], [0.3, 0], [0.3, 0.7], [1, 0.7], [0, 1]].map(([x, y]) => new Vector2(x, y)), 10);

/** A round spot for points. */
const spot: CanvasTexture = (() => {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 32;
  const context = canvas.getContext('2d')!;
  context.fillStyle = '#fff';
  context.beginPath();
  context.arc(16, 16, 15, 0, 2 * Math.PI);
  context.fill();
  return new CanvasTexture(canvas);
})();

export class Pane {
  readonly stage = new Stage();
  private readonly size: number;
  private readonly positions: Float32Array;
  private readonly normals: Float32Array;
  private readonly colors: Float32Array;
  private readonly ownColors: Float32Array;
  private readonly isObstacle: Uint8Array;
  private readonly geometry = new BufferGeometry();
  private readonly mesh: Mesh<BufferGeometry, Material>;
  private readonly wires: LineSegments;
  private readonly pins: Points<BufferGeometry, PointsMaterial>;
  private readonly shadow: Mesh | null = null;
  private readonly rods: LineSegments2 | null = null;
  private readonly pullArrow: Mesh;
  private readonly pullDot: Mesh;
  private readonly hemisphere = new HemisphereLight('#ffffff', '#888888', 1.7);
  private readonly planes: Object3D[];
  private arrows: InstancedMesh | null = null;
  private showsValues = false;

  constructor(private readonly scene: Scene, private readonly topology: Topology, private readonly surface: Surface,
              private readonly look: Look) {
    this.size = sizeOf(scene);
    const { count } = surface;
    this.positions = new Float32Array(3 * count);
    this.normals = new Float32Array(3 * count);
    this.ownColors = new Float32Array(3 * count);
    this.isObstacle = new Uint8Array(count);
    const palette = scenery[look.theme];

    const body = bodyOfVertices(topology.vertices, scene.bodies);
    const bodyColors = scene.bodies.map((b, i) => new Color(b.obstacle ? palette.obstacle : bodyColor(i)));
    for (let i = 0; i < count; i++) {
      const which = body[surface.source[i]];
      this.isObstacle[i] = scene.bodies[which]?.obstacle ? 1 : 0;
      (bodyColors[which] ?? new Color(bodyColor(0))).toArray(this.ownColors, 3 * i);
    }
    this.colors = this.ownColors.slice();

    const attribute = (array: Float32Array) => new BufferAttribute(array, 3).setUsage(DynamicDrawUsage);
    this.geometry.setAttribute('position', attribute(this.positions));
    this.geometry.setAttribute('normal', attribute(this.normals));
    this.geometry.setAttribute('color', attribute(this.colors));
    this.geometry.setIndex(new BufferAttribute(surface.index, 1));

    // Pushed back a little, behind its own points and lines.
    const common = { vertexColors: true, side: this.side, polygonOffset: true, polygonOffsetFactor: 0, polygonOffsetUnits: 4 };
    this.mesh = new Mesh(this.geometry, look.software
      ? new MeshLambertMaterial(common)
      : new MeshPhongMaterial({ ...common, specular: '#262626', shininess: 28 }));
    this.wires = new LineSegments(this.sharing(surface.edges), new LineBasicMaterial(
      { color: palette.wire, transparent: true, opacity: 0.35, depthWrite: false }));
    const pinned: number[] = [];
    topology.flags.forEach((flags, vertex) => {
      if (flags & pinnedFlag && !scene.bodies[body[vertex]]?.obstacle) pinned.push(surface.first[vertex]);
    });
    this.pins = new Points(this.sharing(Uint32Array.from(pinned)), new PointsMaterial(
      { color: palette.pinned, size: 6, sizeAttenuation: false, map: spot, transparent: true, depthWrite: false }));
    if (topology.lines.length > 0) this.rods = this.makeRods();
    if (groundOf(scene)) this.shadow = this.makeShadow();
    this.planes = makePlanes(scene, look.floor, look.theme);

    const pullColor = new MeshBasicMaterial({ color: palette.pull, depthTest: false, transparent: true });
    this.pullArrow = new Mesh(arrowShape, pullColor);
    this.pullDot = new Mesh(new SphereGeometry(1, 16, 12), pullColor);
    this.pullArrow.renderOrder = this.pullDot.renderOrder = 10;
    this.pullArrow.visible = this.pullDot.visible = false;

    const key = new DirectionalLight('#ffffff', 1.9);
    key.position.copy(keyLight);
    const fill = new DirectionalLight('#dfe8f5', 0.5);
    fill.position.set(-0.8, 0.25, -0.5);
    this.hemisphere.color.set(palette.sky);
    this.hemisphere.groundColor.set(palette.bounce);
    this.stage.background = new Color(palette.background);
    this.stage.add(this.hemisphere, key, fill, ...this.planes, this.mesh, this.wires, this.pins, this.pullArrow, this.pullDot);
    if (this.rods) this.stage.add(this.rods);
    if (this.shadow) this.stage.add(this.shadow);
    // The bounds of what moves would have to be computed anew for each frame; it is nearly always in view.
    for (const object of [this.mesh, this.wires, this.pins, this.shadow, this.rods]) if (object) object.frustumCulled = false;
    this.move(topology.rest);
  }

  /** Without a graphics card a triangle that is turned away is half the price, where it cannot be seen anyway. */
  private get side(): typeof FrontSide | typeof DoubleSide {
    return this.look.software && this.surface.closed ? FrontSide : DoubleSide;
  }

  /** Shows a frame. */
  update(frame: Frame): void {
    if (state.tick?.planes) this.movePlanes(state.tick.planes);
    this.move(frame.positions);
    this.paint(this.look.colored ? frame.values : null);
    this.placeArrows(this.look.arrows ? frame.arrows : null);
  }

  /** Puts the grid where `look` has it now. */
  moveFloor(): void {
    moveFloor(this.planes, this.look.floor, this.scene);
  }

  /** Takes over what the user has chosen to see. */
  restyle(): void {
    this.wires.visible = this.look.wireframe;
    // More for steep faces, but only under lines: without them the far side would shine through at the rims.
    this.mesh.material.polygonOffsetFactor = this.look.wireframe ? 1 : 0;
    this.pins.visible = this.look.pinned;
    if (!this.look.colored) this.paint(null);
    if (!this.look.arrows) this.placeArrows(null);
  }

  /** Draws the pull from `point` to `to`, with a shaft of about `width` metres; null: none. */
  showPull(pull: { point: Vec3; to: Vec3 } | null, width: number): void {
    this.pullDot.visible = pull !== null;
    this.pullArrow.visible = false;
    if (!pull) return;
    this.pullDot.position.set(...pull.point);
    this.pullDot.scale.setScalar(1.3 * width);
    const along = new Vector3(...pull.to).sub(this.pullDot.position);
    const length = along.length();
    if (length < 2 * width) return;
    this.pullArrow.visible = true;
    this.pullArrow.position.copy(this.pullDot.position);
    this.pullArrow.quaternion.setFromUnitVectors(up, along.divideScalar(length));
    this.pullArrow.scale.set(1.5 * width, length, 1.5 * width);
  }

  /** Small panes have small dots. */
  setPinSize(pixels: number): void {
    this.pins.material.size = pixels;
  }

  dispose(): void {
    this.stage.traverse((object) => {
      const drawn = object as Partial<Mesh>;
      if (drawn.geometry && drawn.geometry !== arrowShape) drawn.geometry.dispose();
      if (drawn.material) for (const m of [drawn.material].flat() as Material[]) m.dispose();
    });
    this.arrows?.dispose();
  }

  private move(positions: Float32Array): void {
    spreadPositions(this.surface, positions, this.positions);
    vertexNormals(this.positions, this.surface.index, this.normals);
    this.geometry.attributes.position.needsUpdate = true;
    this.geometry.attributes.normal.needsUpdate = true;
    if (this.rods) this.moveRods(positions);
  }

  private paint(values: Float32Array | null): void {
    if (!values && !this.showsValues) return;
    this.showsValues = values !== null;
    if (!values) {
      this.colors.set(this.ownColors);
    } else {
      const [low, high] = this.look.range;
      const scale = high > low ? 255 / (high - low) : 0;
      const { source, count } = this.surface;
      for (let i = 0; i < count; i++) {
        if (this.isObstacle[i]) continue;
        const value = (values[source[i]] - low) * scale;
        const at = 3 * (value > 0 ? (value < 255 ? Math.round(value) : 255) : 0);
        this.colors[3 * i] = viridis[at];
        this.colors[3 * i + 1] = viridis[at + 1];
        this.colors[3 * i + 2] = viridis[at + 2];
      }
    }
    this.geometry.attributes.color.needsUpdate = true;
    if (this.rods) this.colorRods();
  }

  private placeArrows(arrows: Float32Array | null): void {
    const count = arrows ? arrows.length / 6 : 0;
    if (this.arrows) this.arrows.count = 0;
    if (!arrows || count === 0) return;
    if (!this.arrows || this.arrows.instanceMatrix.count < count) this.growArrows(count);
    const shown = this.arrows as InstancedMesh;
    const longest = 0.16 * this.size;
    const width = 0.006 * this.size;
    const matrix = new Matrix4(), turn = new Quaternion(), point = new Vector3(), force = new Vector3(), scale = new Vector3();
    let used = 0;
    for (let i = 0; i < count; i++) {
      point.fromArray(arrows, 6 * i);
      force.fromArray(arrows, 6 * i + 3);
      const size = force.length();
      const length = Math.min(longest * (size / this.look.longestArrow), 2 * longest);
      if (!(length > 0.01 * longest)) continue;
      turn.setFromUnitVectors(up, force.divideScalar(size));
      shown.setMatrixAt(used++, matrix.compose(point, turn, scale.set(width, length, width)));
    }
    shown.count = used;
    shown.instanceMatrix.needsUpdate = true;
  }

  private growArrows(count: number): void {
    if (this.arrows) {
      this.stage.remove(this.arrows);
      this.arrows.dispose();
    }
    const color = scenery[this.look.theme].arrow;
    // Forces point into the bodies that they act on, so they are drawn over everything.
    this.arrows = new InstancedMesh(arrowShape, new MeshBasicMaterial({ color, depthTest: false, transparent: true }), 2 * count);
    this.arrows.renderOrder = 9;
    this.arrows.frustumCulled = false;
    this.stage.add(this.arrows);
  }

  /** A geometry with the moving positions of the surface and an index of its own. */
  private sharing(index: Uint32Array): BufferGeometry {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', this.geometry.attributes.position);
    geometry.setIndex(new BufferAttribute(index, 1));
    return geometry;
  }

  private makeRods(): LineSegments2 {
    const geometry = new LineSegmentsGeometry();
    const zeros = new Float32Array(3 * this.topology.lines.length);
    geometry.setPositions(zeros);
    geometry.setColors(zeros.slice());
    const rods = new LineSegments2(geometry, new LineMaterial({ linewidth: 2.5, vertexColors: true }));
    this.writeLines(geometry, 'instanceColorStart', this.colors, this.surface.first);
    return rods;
  }

  private moveRods(positions: Float32Array): void {
    if (this.rods) this.writeLines(this.rods.geometry, 'instanceStart', positions, null);
  }

  private colorRods(): void {
    if (this.rods) this.writeLines(this.rods.geometry, 'instanceColorStart', this.colors, this.surface.first);
  }

  private writeLines(geometry: BufferGeometry, name: string, from: Float32Array, map: Uint32Array | null): void {
    const attribute = geometry.attributes[name];
    const out = attribute.array;
    this.topology.lines.forEach((vertex, i) => {
      const at = 3 * (map ? map[vertex] : vertex);
      out[3 * i] = from[at];
      out[3 * i + 1] = from[at + 1];
      out[3 * i + 2] = from[at + 2];
    });
    attribute.needsUpdate = true;
  }

  /** The surface once more, flattened along the light onto the ground; the stencil keeps it from darkening twice. */
  private makeShadow(): Mesh {
    const shadow = new Mesh(this.geometry, new MeshBasicMaterial({
      color: '#000000', transparent: true, opacity: this.look.theme === 'light' ? 0.16 : 0.35, side: this.side, depthWrite: false,
      stencilWrite: true, stencilRef: 1, stencilFunc: NotEqualStencilFunc, stencilZPass: ReplaceStencilOp,
    }));
    shadow.matrixAutoUpdate = false;
    shadow.renderOrder = -1;
    this.layShadow(shadow, groundOf(this.scene)!);
    return shadow;
  }

  private layShadow(shadow: Mesh, ground: Plane): void {
    const height = ground.point[1] + 1e-3 * this.size;
    const { x, y, z } = keyLight;
    shadow.matrix.set(1, -x / y, 0, (x / y) * height, 0, 0, 0, height, 0, -z / y, 1, (z / y) * height, 0, 0, 0, 1);
    shadow.matrixWorldNeedsUpdate = true;
    shadow.visible = isHorizontal(ground);
  }

  private movePlanes(planes: Plane[]): void {
    movePlanes(this.planes, planes, this.scene);
    const ground = planes[this.scene.planes.findIndex(isHorizontal)];
    if (this.shadow && ground) this.layShadow(this.shadow, ground);
  }
}
