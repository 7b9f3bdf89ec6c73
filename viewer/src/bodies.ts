// Draws the animated surfaces, the touching triangles, and the segments that they share.

import {
  Box3,
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  DynamicDrawUsage,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
} from "three";
import { deform } from "./deform";
import type { View } from "./format";
import type { MeshData } from "./glb";

/** Colours of objects. Most people can tell them apart. None is red, since red means contact. */
const COLORS = ["#7fa7d9", "#e0b05f", "#8fc79a", "#b39ddb", "#80cbc4", "#c5b8a5", "#90a4ae"];

export const colorOf = (object: number) => COLORS[object % COLORS.length];

export class Bodies {
  readonly group = new Group();
  /** Vertex positions of each object in the current frame. */
  readonly positions: Float32Array[];
  private meshes: Mesh<BufferGeometry, MeshStandardMaterial>[];
  private red: Mesh<BufferGeometry, MeshBasicMaterial>;
  private chosen: Mesh<BufferGeometry, MeshBasicMaterial>;
  private segments: LineSegments<BufferGeometry, LineBasicMaterial>;

  constructor(
    private view: View,
    private data: MeshData[],
  ) {
    this.meshes = view.objects.map((object, number) => {
      const mesh = data[object.mesh];
      const geometry = new BufferGeometry();
      const positions = new BufferAttribute(new Float32Array(mesh.positions), 3);
      geometry.setAttribute("position", positions.setUsage(DynamicDrawUsage));
      geometry.setIndex(new BufferAttribute(mesh.triangles, 1));
      // Drawn behind the marks, which lie in the same planes.
      const material = new MeshStandardMaterial({
        color: new Color(colorOf(number)),
        flatShading: true,
        side: DoubleSide,
        roughness: 0.85,
        polygonOffset: true,
        polygonOffsetFactor: 2,
        polygonOffsetUnits: 2,
      });
      const shown = new Mesh(geometry, material);
      shown.frustumCulled = false;
      return shown;
    });
    this.positions = this.meshes.map((mesh) => mesh.geometry.attributes.position.array as Float32Array);
    this.red = marks(0xe53935);
    this.chosen = marks(0xffd54f);
    const lines = new LineBasicMaterial({ color: 0xffffff, depthTest: false, transparent: true });
    this.segments = new LineSegments(new BufferGeometry(), lines);
    this.segments.frustumCulled = false;
    this.group.add(...this.meshes, this.red, this.chosen, this.segments);
  }

  show(frame: number) {
    this.view.objects.forEach((object, number) => {
      deform(object, this.data[object.mesh], frame, this.positions[number]);
      this.meshes[number].geometry.attributes.position.needsUpdate = true;
    });
    const { pairs, segments } = this.view.frames[frame];
    const touching = new Map<string, [number, number]>();
    for (let i = 0; i < pairs.length; i += 2) {
      if (this.visible(pairs[i])) touching.set(`${pairs[i]} ${pairs[i + 1]}`, [pairs[i], pairs[i + 1]]);
    }
    fill(this.red, [...touching.values()].flatMap((triangle) => this.corners(...triangle)));
    this.segments.geometry.dispose();
    this.segments.geometry = new BufferGeometry();
    this.segments.geometry.setAttribute("position", new BufferAttribute(segments, 3));
    this.choose([]);
  }

  /** Marks triangles, each given by the numbers of its object and triangle. */
  choose(triangles: [number, number][]) {
    fill(this.chosen, triangles.flatMap((triangle) => this.corners(...triangle)));
  }

  /** The nine coordinates of a triangle in the current frame. */
  corners(object: number, triangle: number): number[] {
    const { triangles } = this.data[this.view.objects[object].mesh];
    const positions = this.positions[object];
    return [0, 1, 2].flatMap((corner) => {
      const at = 3 * triangles[3 * triangle + corner];
      return [positions[at], positions[at + 1], positions[at + 2]];
    });
  }

  visible(object: number): boolean {
    return this.meshes[object].visible;
  }

  setVisible(object: number, visible: boolean) {
    this.meshes[object].visible = visible;
  }

  /** Makes the surfaces translucent, so that bounds behind them are visible. */
  setFaint(faint: boolean) {
    for (const { material } of this.meshes) {
      material.transparent = faint;
      material.opacity = faint ? 0.45 : 1;
      material.depthWrite = !faint;
      material.needsUpdate = true;
    }
  }

  box(): Box3 {
    const box = new Box3();
    for (const mesh of this.meshes) {
      mesh.geometry.computeBoundingBox();
      if (mesh.geometry.boundingBox) box.union(mesh.geometry.boundingBox);
    }
    return box;
  }
}

function marks(color: number) {
  const material = new MeshBasicMaterial({ color, side: DoubleSide });
  const mesh = new Mesh(new BufferGeometry(), material);
  mesh.frustumCulled = false;
  return mesh;
}

function fill(mesh: Mesh<BufferGeometry, MeshBasicMaterial>, corners: number[]) {
  mesh.geometry.dispose();
  mesh.geometry = new BufferGeometry();
  mesh.geometry.setAttribute("position", new BufferAttribute(new Float32Array(corners), 3));
}
