// Draws the bounding volumes of one level, coloured by tightness: all, or only those that the query visited.

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  Color,
  DynamicDrawUsage,
  EdgesGeometry,
  Group,
  InstancedMesh,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  MeshBasicMaterial,
  SphereGeometry,
} from "three";
import { type Levels, type SceneObject, volumeSize, wasVisited } from "./format";

const TIGHT = new Color("#2a6fdb");
const MIDDLE = new Color("#f2c14e");
const LOOSE = new Color("#7f0f0f");
/** At this ratio and above, a bound is drawn in the darkest red. */
export const LOOSEST = 1.44;

/** Blue if a bound is as tight as at rest, dark red if it is 1.44 times as large. */
export function tightnessColor(ratio: number): Color {
  const share = Math.min(Math.max((ratio - 1) / (LOOSEST - 1), 0), 1);
  return share < 0.5
    ? TIGHT.clone().lerp(MIDDLE, 2 * share)
    : MIDDLE.clone().lerp(LOOSE, 2 * share - 1);
}

/** The radius of a sphere, or half the longest side of a box. */
function reach(level: Levels, volumes: Float32Array, at: number): number {
  if (level.kind === "sphere") return volumes[at + 3];
  const side = (axis: number) => volumes[at + 3 + axis] - volumes[at + axis];
  return Math.max(side(0), side(1), side(2)) / 2;
}

export class Bounds {
  readonly group = new Group();

  /** Draws one level of the objects in a frame. Returns how many volumes exist and how many are drawn. */
  show(objects: SceneObject[], depth: number, frame: number, onlyVisited: boolean) {
    this.clear();
    let [all, drawn] = [0, 0];
    for (const object of objects) {
      const level = object.levels[depth];
      if (!level) continue;
      const nodes = level.nodes.length;
      const chosen = Array.from({ length: nodes }, (_, node) => node).filter(
        (node) => !onlyVisited || wasVisited(level, frame, node),
      );
      all += nodes;
      drawn += chosen.length;
      if (chosen.length > 0) this.group.add(draw(level, frame, chosen));
    }
    return { all, drawn };
  }

  clear() {
    for (const child of this.group.children) {
      const shown = child as InstancedMesh | LineSegments;
      shown.geometry.dispose();
    }
    this.group.clear();
  }
}

function draw(level: Levels, frame: number, nodes: number[]) {
  const size = volumeSize(level);
  const start = frame * level.nodes.length * size;
  const colors = nodes.map((node) => {
    const now = reach(level, level.volumes, start + node * size);
    const rest = reach(level, level.rest, node * size);
    return tightnessColor(rest > 0 ? now / rest : 1);
  });
  return level.kind === "sphere"
    ? spheres(level.volumes, start, nodes, colors)
    : boxes(level.volumes, start, nodes, colors);
}

function spheres(volumes: Float32Array, start: number, nodes: number[], colors: Color[]) {
  const material = new MeshBasicMaterial({
    transparent: true,
    opacity: nodes.length > 200 ? 0.12 : 0.2,
    depthWrite: false,
  });
  const mesh = new InstancedMesh(new SphereGeometry(1, 24, 16), material, nodes.length);
  mesh.instanceMatrix.setUsage(DynamicDrawUsage);
  const matrix = new Matrix4();
  nodes.forEach((node, i) => {
    const [x, y, z, radius] = volumes.subarray(start + 4 * node, start + 4 * node + 4);
    matrix.makeScale(radius, radius, radius).setPosition(x, y, z);
    mesh.setMatrixAt(i, matrix);
    mesh.setColorAt(i, colors[i]);
  });
  mesh.frustumCulled = false;
  return mesh;
}

/** Twelve edges per box, in one set of lines. */
function boxes(volumes: Float32Array, start: number, nodes: number[], colors: Color[]) {
  const unit = new EdgesGeometry(new BoxGeometry(1, 1, 1)).attributes.position;
  const positions = new Float32Array(nodes.length * unit.count * 3);
  const tints = new Float32Array(positions.length);
  nodes.forEach((node, i) => {
    const box = volumes.subarray(start + 6 * node, start + 6 * node + 6);
    for (let corner = 0; corner < unit.count; corner++) {
      for (let axis = 0; axis < 3; axis++) {
        const share = unit.getComponent(corner, axis) + 0.5;
        const at = 3 * (i * unit.count + corner) + axis;
        positions[at] = box[axis] + share * (box[3 + axis] - box[axis]);
      }
      colors[i].toArray(tints, 3 * (i * unit.count + corner));
    }
  });
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(positions, 3));
  geometry.setAttribute("color", new BufferAttribute(tints, 3));
  const lines = new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true }));
  lines.frustumCulled = false;
  return lines;
}
