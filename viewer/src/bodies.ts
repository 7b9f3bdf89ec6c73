// Draws the animated surfaces and the places where they meet.

import {
  Box3,
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  DynamicDrawUsage,
  FrontSide,
  Group,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  Sphere,
  Vector3,
} from "three";
import { colorOf } from "./colors";
import { type Cut, Cuts } from "./cuts";
import { deform } from "./deform";
import type { View } from "./format";
import type { MeshData } from "./glb";
import { paintLook } from "./looks";

/** How a surface is drawn: as it is, so that bounds behind it are visible, or as an outline of what is not asked for. */
type Look = "solid" | "faint" | "x-ray";
const OPACITY = { solid: 1, faint: 0.45, "x-ray": 0.06 };

export class Bodies {
  readonly group = new Group();
  /** Vertex positions of each object in the current frame. */
  readonly positions: Float32Array[];
  private meshes: Mesh<BufferGeometry, MeshStandardMaterial | MeshStandardMaterial[]>[];
  /** For each object its colour on this page, and those of its file if they are known. */
  private paints: { own: MeshStandardMaterial; file: MeshStandardMaterial[] | null }[];
  private chosen: Mesh<BufferGeometry, MeshBasicMaterial>;
  private cuts: Cuts;
  private faint = false;
  private ofFile = true;
  private isolated: readonly number[] | null = null;

  constructor(
    private view: View,
    private data: MeshData[],
    redraw: () => void,
  ) {
    this.paints = view.objects.map(({ look }, number) => {
      const file = look === null ? null : paintLook(view, view.looks[look], () => surface(0xffffff), redraw);
      return { own: surface(colorOf(number)), file };
    });
    this.meshes = view.objects.map((object, number) => {
      const mesh = data[object.mesh];
      const geometry = new BufferGeometry();
      const positions = new BufferAttribute(new Float32Array(mesh.positions), 3);
      geometry.setAttribute("position", positions.setUsage(DynamicDrawUsage));
      geometry.setIndex(new BufferAttribute(mesh.triangles, 1));
      if (object.look !== null) {
        const { runs, coordinates } = view.looks[object.look];
        if (coordinates.length > 0) geometry.setAttribute("uv", new BufferAttribute(coordinates, 2));
        let start = 0;
        runs.forEach(([end], run) => {
          geometry.addGroup(3 * start, 3 * (end - start), run);
          start = end;
        });
      }
      const { own, file } = this.paints[number];
      const shown = new Mesh(geometry, file ?? own);
      shown.frustumCulled = false;
      return shown;
    });
    this.positions = this.meshes.map((mesh) => mesh.geometry.attributes.position.array as Float32Array);
    this.move(0);
    this.cuts = new Cuts(this.box().getBoundingSphere(new Sphere()).radius);
    this.chosen = marks(0xffd54f);
    this.group.add(...this.meshes, this.chosen, this.cuts.group);
  }

  /** Shows a frame and those of its pairs that count. Returns the number of cuts drawn. */
  show(frame: number, counts: (a: number, b: number) => boolean): number {
    this.move(frame);
    const { pairs, segments } = this.view.frames[frame];
    const cuts: Cut[] = [];
    for (let pair = 0; 4 * pair < pairs.length; pair++) {
      const [a, i, b, j] = pairs.subarray(4 * pair, 4 * pair + 4);
      if (!counts(a, b)) continue;
      const ends = segments.subarray(6 * pair, 6 * pair + 6);
      cuts.push({ ends, corners: [this.corners(a, i), this.corners(b, j)] });
    }
    this.cuts.show(cuts);
    this.choose([]);
    return cuts.length;
  }

  /** Puts a ring around a place, or takes it away. */
  mark(at: ArrayLike<number> | null) {
    this.cuts.mark(at);
  }

  private move(frame: number) {
    this.view.objects.forEach((object, number) => {
      deform(object, this.data[object.mesh], frame, this.positions[number]);
      this.meshes[number].geometry.attributes.position.needsUpdate = true;
    });
  }

  /** Marks triangles, each given by the numbers of its object and triangle. */
  choose(triangles: [number, number][]) {
    const corners = triangles.flatMap((triangle) => this.corners(...triangle));
    this.chosen.geometry.dispose();
    this.chosen.geometry = new BufferGeometry();
    this.chosen.geometry.setAttribute("position", new BufferAttribute(new Float32Array(corners), 3));
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

  /** Draws objects in the colours of their files, or in colours that tell them apart. */
  setFileColors(ofFile: boolean) {
    this.ofFile = ofFile;
    this.paint();
  }

  /** Makes all surfaces translucent, so that bounds behind them are visible. */
  setFaint(faint: boolean) {
    this.faint = faint;
    this.paint();
  }

  /** Draws all objects but these as x-ray; `null` draws all as they are. */
  isolate(objects: readonly number[] | null) {
    this.isolated = objects;
    this.paint();
  }

  private paint() {
    this.paints.forEach(({ own, file }, number) => {
      const apart = this.isolated !== null && !this.isolated.includes(number);
      const look: Look = apart ? "x-ray" : this.faint ? "faint" : "solid";
      // Two that are isolated must be told apart.
      this.meshes[number].material = this.ofFile && file && !this.isolated ? file : own;
      for (const material of [own, ...(file ?? [])]) {
        material.transparent = look !== "solid";
        material.opacity = OPACITY[look];
        material.depthWrite = look === "solid";
        // Half as many layers to look through.
        material.side = look === "x-ray" ? FrontSide : DoubleSide;
        material.needsUpdate = true;
      }
    });
  }

  /** A box around objects in the current frame; around all if none are named. */
  box(objects?: readonly number[]): Box3 {
    const box = new Box3();
    const point = new Vector3();
    this.positions.forEach((positions, number) => {
      if (objects && !objects.includes(number)) return;
      for (let i = 0; i < positions.length; i += 3) box.expandByPoint(point.fromArray(positions, i));
    });
    return box;
  }
}

/** A surface, which is drawn behind the marks: they lie in the same planes. */
function surface(color: string | number) {
  return new MeshStandardMaterial({
    color: new Color(color),
    flatShading: true,
    side: DoubleSide,
    roughness: 0.85,
    polygonOffset: true,
    polygonOffsetFactor: 2,
    polygonOffsetUnits: 2,
  });
}

function marks(color: number) {
  const material = new MeshBasicMaterial({ color, side: DoubleSide });
  const mesh = new Mesh(new BufferGeometry(), material);
  mesh.frustumCulled = false;
  return mesh;
}
