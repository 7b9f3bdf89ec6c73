// Draws necklaces: beads, their chains as lines, clashing beads in red.

import {
  Box3,
  BufferAttribute,
  BufferGeometry,
  Color,
  DynamicDrawUsage,
  Group,
  InstancedMesh,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  MeshStandardMaterial,
  SphereGeometry,
  Vector3,
} from "three";
import { colorOf } from "./bodies";
import type { Beads, Frame } from "./format";

const CLASH = new Color("#e53935");
const CHOSEN = new Color("#ffd54f");

export class Necklace {
  readonly group = new Group();
  private balls: InstancedMesh;
  private links: LineSegments<BufferGeometry, LineBasicMaterial>;
  private colors: Color[];
  private frame = 0;

  constructor(private beads: Beads) {
    const count = beads.radii.length;
    const detail = count > 5000 ? [8, 6] : [20, 14];
    const material = new MeshStandardMaterial({ roughness: 0.7 });
    this.balls = new InstancedMesh(new SphereGeometry(1, detail[0], detail[1]), material, count);
    this.balls.instanceMatrix.setUsage(DynamicDrawUsage);
    this.balls.frustumCulled = false;
    this.links = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: 0x8899aa }));
    this.links.frustumCulled = false;
    this.colors = new Array<Color>(count).fill(new Color(colorOf(0)));
    beads.chains.forEach(([first, end], chain) => {
      this.colors.fill(new Color(colorOf(chain)), first, end);
    });
    this.group.add(this.balls, this.links);
  }

  get count(): number {
    return this.beads.radii.length;
  }

  nameOf(bead: number): string {
    return this.beads.names[bead] ?? `bead ${bead}`;
  }

  place(bead: number): Vector3 {
    const at = 3 * (this.frame * this.count + bead);
    return new Vector3().fromArray(this.beads.positions, at);
  }

  show(number: number, frame: Frame, chosen: number[] = []) {
    this.frame = number;
    const matrix = new Matrix4();
    for (let bead = 0; bead < this.count; bead++) {
      const radius = this.beads.radii[bead];
      matrix.makeScale(radius, radius, radius).setPosition(this.place(bead));
      this.balls.setMatrixAt(bead, matrix);
      this.balls.setColorAt(bead, this.colors[bead]);
    }
    for (const bead of frame.clashes) this.balls.setColorAt(bead, CLASH);
    for (const bead of chosen) this.balls.setColorAt(bead, CHOSEN);
    this.balls.instanceMatrix.needsUpdate = true;
    if (this.balls.instanceColor) this.balls.instanceColor.needsUpdate = true;
    this.showLinks();
  }

  private showLinks() {
    const ends: number[] = [];
    for (const [first, end, closed] of this.beads.chains) {
      for (let bead = first; bead + 1 < end; bead++) {
        ends.push(...this.place(bead).toArray(), ...this.place(bead + 1).toArray());
      }
      if (closed) ends.push(...this.place(end - 1).toArray(), ...this.place(first).toArray());
    }
    this.links.geometry.dispose();
    this.links.geometry = new BufferGeometry();
    const positions = new BufferAttribute(new Float32Array(ends), 3);
    this.links.geometry.setAttribute("position", positions);
  }

  box(): Box3 {
    const box = new Box3();
    for (let bead = 0; bead < this.count; bead++) {
      const place = this.place(bead);
      const reach = this.beads.radii[bead];
      box.expandByPoint(place.clone().addScalar(reach));
      box.expandByPoint(place.clone().addScalar(-reach));
    }
    return box;
  }
}
