// The messages between the page and `limber view`: their types, and the decoding of the binary ones with all checks.

export type Vec3 = [number, number, number];
export type ColorBy = 'none' | 'displacement' | 'stress' | 'contact';
export type RecordFormat = 'mp4' | 'glb' | 'run';
/** An accuracy that steps of any length keep. */
export interface StepAccuracy { accuracy: number; max?: number; min?: number }
export type SceneValue = number | string | boolean | number[] | StepAccuracy;
export type Changes = Record<string, SceneValue>;

/** What the page sends. */
export type Request =
  | { do: 'next' | 'play' | 'pause' | 'step' | 'restart' | 'live' | 'release' }
  | { do: 'speed'; factor: number }
  | { do: 'open'; scene: string }
  | { do: 'load'; name: string; scene: unknown }
  | { do: 'surface'; name: string; data: string }
  | { do: 'panes'; methods: string[] }
  | { do: 'set'; set: Changes; pane?: number }
  | { do: 'fork'; frame: number; set: Changes; pane?: number }
  | { do: 'seek'; frame: number }
  | { do: 'show'; color: ColorBy; arrows: boolean }
  | ({ do: 'pull'; weights: number[]; to: Vec3; pane: number } & ({ triangle: number } | { line: number }))
  | { do: 'curve'; pane: number }
  | { do: 'record'; format: RecordFormat }
  | { do: 'save'; pane: number }
  | ({ do: 'observe'; pane: number } & FitTable)
  | ({ do: 'fit'; pane: number; vary: Record<string, (number | string)[]> } & FitTable)
  | { do: 'advise'; pane: number; wish: Wish; amount: string }
  | { do: 'cancel' };

export type Wish = 'accuracy' | 'keep_energy' | 'time' | 'real_time';

/** A table of observations: its text, or its name beside the scene. */
export type FitTable = { name: string; table: string } | { file: string };
export type FitValue = number | number[];

/** A key of the scene that is varied, with bounds as they were typed. */
export interface FitBounds {
  path: string;
  low: string;
  high: string;
}

/** A column over time: what was observed, or the motion. */
export interface FitColumn {
  name: string;
  times: number[];
  values: number[];
}

export interface Observed {
  is: 'observed';
  name: string;
  count: number;
  /** How many there are; `columns` are the first of them. */
  all_columns: number;
  columns: FitColumn[];
  /** What can be varied, with bounds to begin with. */
  parameters: { name: string; value: number; low: number | null; high: number | null }[];
}

export interface Fitting {
  is: 'fitting';
  evaluation: number;
  evaluations: number;
  /** Of the best so far, once a run has succeeded. */
  rms?: number;
  values?: Record<string, FitValue>;
  /** Where it is another one than before. */
  motion?: FitColumn[];
}

export interface Fitted {
  is: 'fitted';
  values: Record<string, FitValue>;
  confidence: Record<string, [FitValue | null, FitValue | null]>;
  rms: number | null;
  evaluations: number;
  converged: boolean;
  reason: string;
  notes: string[];
  motion?: FitColumn[];
}

export interface Suggestion {
  method: string;
  /** [s] of all steps, or the mean where `accuracy` is a number. */
  step: number;
  accuracy: number | null;
  error: number;
  energy_lost: number;
  seconds: number;
  meets: boolean;
  reason: string;
  scene: { method: string; time: { step: number | StepAccuracy } };
}

export interface Advice {
  is: 'advice';
  session: number;
  suggestions: Suggestion[];
  dropped: { method: string; reason: string }[];
  notes: string[];
}

export interface MethodParameter {
  name: string;
  default: number | boolean;
  min: number;
  max: number;
  text: string;
  /** Yes or no instead of a number. */
  flag?: boolean;
}

export interface Method {
  name: string;
  kind: string;
  summary: string;
  splits: boolean;
  parameters: MethodParameter[];
}

export interface Hello {
  is: 'hello';
  version: string;
  methods: Method[];
  scenes: { name: string; description: string }[];
  max_message: number;
}

/** Material and damping of a body; null where it has none that can be changed. */
export interface BodyFacts {
  /** The key of its material in the scene, below `bodies[i]`. */
  material: string | null;
  young: number | null;
  poisson: number | null;
  damping: { stiffness: number; mass: number } | null;
}

export interface PaneInfo {
  method: string;
  modes: number | null;
  step: number;
  /** In the order of the scene's bodies, without obstacles. */
  bodies: BodyFacts[];
  /** Of the method, by name, where the server tells them. */
  parameters?: Record<string, number | boolean>;
}

export interface Body {
  name: string;
  vertices: [number, number];
  obstacle: boolean;
}

export interface Plane {
  point: Vec3;
  normal: Vec3;
}

export interface Scene {
  is: 'scene';
  session: number;
  name: string;
  replay: boolean;
  panes: PaneInfo[];
  bodies: Body[];
  contact: boolean;
  friction: number | null;
  duration: number;
  box: { min: Vec3; max: Vec3 };
  camera: { position: Vec3; look_at: Vec3; fov: number } | null;
  planes: Plane[];
  notes: string[];
  file: string;
  /** Of a recorded run: when each frame is [s]. */
  frame_times?: number[];
  /** Of a recorded run: the lowest height that its bodies come to [m]. */
  lowest?: number;
}

/** [t, kinetic, elastic, gravitational, contact, other, total, lost, step_ms]; null where a number is not finite. */
export type EnergyRow = (number | null)[];
export const rowLength = 9;
export const column = {
  time: 0, kinetic: 1, elastic: 2, gravitational: 3, contact: 4, other: 5, total: 6, lost: 7, stepMs: 8,
} as const;

export interface Tick {
  is: 'tick';
  session: number;
  playing: boolean;
  time: number;
  speed: number;
  real_time: number;
  frames: number;
  frame: number | null;
  frame_time: number;
  panes: { step_ms: number; rows: EnergyRow[] }[];
  reset: boolean;
  /** Those of the scene, where some of them move. */
  planes?: Plane[];
}

export interface Curve {
  is: 'curve';
  pane: number;
  method: string;
  step: number;
  /** A ratio is null where it is not finite. */
  points: [number, number | null][];
  modes: { frequency: number; theta: number; ratio: number | null; split: boolean }[];
}

export interface ServerError {
  is: 'error';
  where: string;
  message: string;
  about: string;
}

/** What the server sends as text. */
export type Answer =
  | Hello
  | Scene
  | Tick
  | Curve
  | ServerError
  | Observed
  | Fitting
  | Fitted
  | Advice
  | { is: 'advising'; session: number; done: number; method: string }
  | { is: 'note'; message: string }
  | { is: 'saved'; name: string; scene: unknown; text: string }
  | { is: 'recording'; format: string; done: number }
  | { is: 'recorded'; format: string; url: string; file: string };

export interface Topology {
  kind: 'topology';
  session: number;
  vertices: number;
  triangles: Uint32Array;
  lines: Uint32Array;
  rest: Float32Array;
  flags: Uint8Array;
}

/** A pull as the simulation sees it: where it holds the surface, where it pulls to, and its force on the body [N]. */
export interface ActingPull {
  point: Vec3;
  to: Vec3;
  force: Vec3;
}

export interface Frame {
  kind: 'frame';
  session: number;
  pane: number;
  time: number;
  steps: number;
  positions: Float32Array;
  values: Float32Array | null;
  smallest: number;
  largest: number;
  arrows: Float32Array | null;
  pull: ActingPull | null;
}

export const pinnedFlag = 1;

export class ProtocolError extends Error {}

function require(holds: boolean, what: string): asserts holds {
  if (!holds) throw new ProtocolError(what);
}

export function decodeText(text: string): Answer {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new ProtocolError('a message is not JSON');
  }
  require(typeof answer === 'object' && answer !== null && 'is' in answer, 'a message has no key "is"');
  return answer as Answer;
}

const headerBytes = { LMBT: 20, LMBF: 96 };

/** Takes a binary message apart. The arrays are views into `buffer`: nothing is copied. */
export function decodeBinary(buffer: ArrayBuffer): Topology | Frame {
  require(buffer.byteLength >= 4, 'a binary message is shorter than its name');
  const name = String.fromCharCode(...new Uint8Array(buffer, 0, 4));
  require(name === 'LMBT' || name === 'LMBF', `an unknown binary message "${name}"`);
  require(buffer.byteLength >= headerBytes[name], `a message ${name} is shorter than its header`);
  return name === 'LMBT' ? decodeTopology(buffer) : decodeFrame(buffer);
}

function decodeTopology(buffer: ArrayBuffer): Topology {
  const header = new DataView(buffer);
  const vertices = header.getUint32(8, true);
  const triangleCount = header.getUint32(12, true);
  const lineCount = header.getUint32(16, true);
  const linesAt = headerBytes.LMBT + 12 * triangleCount;
  const restAt = linesAt + 8 * lineCount;
  const flagsAt = restAt + 12 * vertices;
  require(buffer.byteLength === flagsAt + vertices, 'the topology has not the length that its header says');
  const triangles = new Uint32Array(buffer, headerBytes.LMBT, 3 * triangleCount);
  const lines = new Uint32Array(buffer, linesAt, 2 * lineCount);
  for (const index of triangles) require(index < vertices, 'a triangle names a vertex that is not there');
  for (const index of lines) require(index < vertices, 'a line names a vertex that is not there');
  return {
    kind: 'topology', session: header.getUint32(4, true), vertices, triangles, lines,
    rest: new Float32Array(buffer, restAt, 3 * vertices), flags: new Uint8Array(buffer, flagsAt, vertices),
  };
}

function decodeFrame(buffer: ArrayBuffer): Frame {
  const header = new DataView(buffer);
  const flags = header.getUint32(12, true);
  const vertices = header.getUint32(32, true);
  const arrowCount = header.getUint32(36, true);
  const hasValues = (flags & 1) !== 0;
  const hasArrows = (flags & 2) !== 0;
  const valuesAt = headerBytes.LMBF + 12 * vertices;
  const arrowsAt = valuesAt + (hasValues ? 4 * vertices : 0);
  const end = arrowsAt + (hasArrows ? 24 * arrowCount : 0);
  require(buffer.byteLength === end, 'a frame has not the length that its header says');
  const vector = (at: number): Vec3 =>
    [header.getFloat32(at, true), header.getFloat32(at + 4, true), header.getFloat32(at + 8, true)];
  return {
    kind: 'frame',
    session: header.getUint32(4, true),
    pane: header.getUint32(8, true),
    time: header.getFloat64(16, true),
    steps: header.getFloat64(24, true),
    positions: new Float32Array(buffer, headerBytes.LMBF, 3 * vertices),
    values: hasValues ? new Float32Array(buffer, valuesAt, vertices) : null,
    smallest: header.getFloat32(40, true),
    largest: header.getFloat32(44, true),
    arrows: hasArrows ? new Float32Array(buffer, arrowsAt, 6 * arrowCount) : null,
    pull: (flags & 4) !== 0 ? { point: vector(48), to: vector(60), force: vector(72) } : null,
  };
}
