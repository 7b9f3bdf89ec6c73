// Draws where triangles run through one another: the cut as a white line on a dark one, and the surface near it in red.

import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  DynamicDrawUsage,
  Group,
  Mesh,
  Points,
  ShaderMaterial,
} from "three";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { LineSegments2 } from "three/addons/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/addons/lines/LineSegmentsGeometry.js";

/** A fragment is red by its distance from the cut of its pair, so that no triangle is painted as a whole. */
const VERTEX = `
attribute vec3 cutFrom;
attribute vec3 cutTo;
varying vec3 place;
varying vec3 start;
varying vec3 finish;
void main() {
  place = position;
  start = cutFrom;
  finish = cutTo;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;
const FRAGMENT = `
uniform float reach;
varying vec3 place;
varying vec3 start;
varying vec3 finish;
void main() {
  vec3 along = finish - start;
  float share = clamp(dot(place - start, along) / max(dot(along, along), 1e-30), 0.0, 1.0);
  float away = distance(place, start + share * along);
  float pixel = length(fwidth(place));
  float far = clamp(reach, 6.0 * pixel, 26.0 * pixel);
  float strength = 1.0 - smoothstep(0.3 * far, far, away);
  if (strength <= 0.0) discard;
  gl_FragColor = vec4(0.898, 0.18, 0.17, strength);
}`;

/** A ring of fixed size on the screen. */
const RING_VERTEX = `
uniform float size;
void main() {
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  gl_PointSize = size;
}`;
const RING_FRAGMENT = `
void main() {
  float away = 2.0 * length(gl_PointCoord - 0.5);
  float dark = smoothstep(0.5, 0.58, away) - smoothstep(0.92, 1.0, away);
  float light = smoothstep(0.62, 0.68, away) - smoothstep(0.82, 0.88, away);
  if (dark <= 0.0) discard;
  gl_FragColor = vec4(mix(vec3(0.05), vec3(1.0, 0.84, 0.31), light), dark);
}`;

/** A cut: both ends of its segment, and the corners of the two triangles. */
export interface Cut {
  ends: ArrayLike<number>;
  corners: ArrayLike<number>[];
}

export class Cuts {
  readonly group = new Group();
  private glow: Mesh<BufferGeometry, ShaderMaterial>;
  private lines: LineSegments2[];
  private ring: Points<BufferGeometry, ShaderMaterial>;

  /** `size` is the radius of the scene. */
  constructor(size: number) {
    const glow = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: { reach: { value: 0.02 * size } },
      transparent: true,
      depthWrite: false,
      side: DoubleSide,
    });
    this.glow = new Mesh(new BufferGeometry(), glow);
    this.glow.renderOrder = 1;
    // Where a surface hides it, a cut is still there: faintly.
    const hidden = line(0xffffff, 1.2, 0.35, false, 2);
    this.lines = [hidden, line(0x101418, 4.5, 0.8, true, 3), line(0xffffff, 1.8, 1, true, 4)];
    const ring = new ShaderMaterial({
      vertexShader: RING_VERTEX,
      fragmentShader: RING_FRAGMENT,
      uniforms: { size: { value: 26 * Math.min(window.devicePixelRatio, 2) } },
      transparent: true,
      depthTest: false,
    });
    this.ring = new Points(new BufferGeometry(), ring);
    this.ring.renderOrder = 5;
    this.ring.visible = false;
    for (const part of [this.glow, ...this.lines, this.ring]) {
      part.frustumCulled = false;
      this.group.add(part);
    }
  }

  show(cuts: Cut[]) {
    const ends = new Float32Array(6 * cuts.length);
    const triangles = cuts.reduce((sum, { corners }) => sum + corners.length, 0);
    const [place, from, to] = [0, 0, 0].map(() => new Float32Array(9 * triangles));
    let at = 0;
    cuts.forEach((cut, number) => {
      ends.set(cut.ends, 6 * number);
      for (const corners of cut.corners) {
        place.set(corners, at);
        for (let i = 0; i < 9; i++) {
          from[at + i] = cut.ends[i % 3];
          to[at + i] = cut.ends[3 + (i % 3)];
        }
        at += 9;
      }
    });
    this.glow.geometry.dispose();
    this.glow.geometry = new BufferGeometry();
    for (const [name, values] of [["position", place], ["cutFrom", from], ["cutTo", to]] as const) {
      this.glow.geometry.setAttribute(name, new BufferAttribute(values, 3));
    }
    this.lines[0].geometry.dispose();
    const geometry = new LineSegmentsGeometry();
    if (cuts.length > 0) geometry.setPositions(ends);
    for (const lines of this.lines) {
      lines.geometry = geometry;
      lines.visible = cuts.length > 0;
    }
  }

  /** Puts a ring around a place, or takes it away. */
  mark(at: ArrayLike<number> | null) {
    this.ring.visible = at !== null;
    if (!at) return;
    this.ring.geometry.dispose();
    this.ring.geometry = new BufferGeometry();
    const place = new BufferAttribute(Float32Array.from(at), 3).setUsage(DynamicDrawUsage);
    this.ring.geometry.setAttribute("position", place);
  }
}

/** Lines of a width in pixels. */
export function line(color: number, width: number, opacity: number, depthTest: boolean, order: number): LineSegments2 {
  const material = new LineMaterial({ color, linewidth: width, opacity, transparent: true, depthTest });
  material.depthWrite = false;
  const made = new LineSegments2(new LineSegmentsGeometry(), material);
  made.renderOrder = order;
  return made;
}
