// Draws necklaces. Molecules are drawn as backbones with only the residues that clash as balls; ropes as their beads.

import {
  Box3,
  BufferAttribute,
  BufferGeometry,
  Color,
  CylinderGeometry,
  DynamicDrawUsage,
  Group,
  InstancedMesh,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  MeshStandardMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";
import { colorOf } from "./colors";
import type { Beads } from "./format";
import { chainsOf, residueOf } from "./meetings";

const CLASH = new Color("#e53935");
const CHOSEN = new Color("#ffd54f");
const UP = new Vector3(0, 1, 0);

/** What of a frame is red, what is chosen, which chains are hidden. */
export interface BeadMarks {
  /** Pairs of beads that clash. */
  clashes: ArrayLike<number>;
  chosen: readonly number[];
  hidden: ReadonlySet<number>;
  /** Whether only the marked beads are asked for: all else becomes thin. */
  isolated: boolean;
}

export class Necklace {
  readonly group = new Group();
  /** Whether there is a backbone to draw. */
  readonly hasTrace: boolean;
  /** Whether atoms that do not clash are drawn, too. */
  everyAtom = false;
  private balls: InstancedMesh;
  private tubes: InstancedMesh;
  private links: LineSegments<BufferGeometry, LineBasicMaterial>;
  private colors: Color[];
  private chains: Uint32Array;
  /** Whether a bead's residue is part of the backbone. */
  private traced: Uint8Array;
  private frame = 0;

  constructor(private beads: Beads) {
    const count = beads.radii.length;
    const detail = count > 5000 ? [8, 6] : [20, 14];
    const material = () => new MeshStandardMaterial({ roughness: 0.7 });
    this.balls = new InstancedMesh(new SphereGeometry(1, detail[0], detail[1]), material(), count);
    // Each link has two halves, one per residue.
    const cylinder = new CylinderGeometry(1, 1, 1, count > 5000 ? 6 : 12, 1);
    this.tubes = new InstancedMesh(cylinder, material(), beads.trace.length);
    this.links = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: 0x8899aa }));
    for (const part of [this.balls, this.tubes, this.links]) part.frustumCulled = false;
    for (const part of [this.balls, this.tubes]) part.instanceMatrix.setUsage(DynamicDrawUsage);
    this.chains = chainsOf(beads).of;
    const colors = new Map<number, Color>();
    this.colors = Array.from(this.chains, (chain) => {
      const color = colors.get(chain) ?? new Color(colorOf(chain));
      colors.set(chain, color);
      return color;
    });
    this.hasTrace = beads.trace.length > 0;
    const residues = new Set(Array.from(beads.trace, (bead) => residueOf(beads, bead)));
    this.traced = Uint8Array.from({ length: count }, (_, bead) => (residues.has(residueOf(beads, bead)) ? 1 : 0));
    this.group.add(this.balls, this.tubes, this.links);
  }

  get count(): number {
    return this.beads.radii.length;
  }

  nameOf(bead: number): string {
    return this.beads.names[bead] || `bead ${bead}`;
  }

  place(bead: number): Vector3 {
    const at = 3 * (this.frame * this.count + bead);
    return new Vector3().fromArray(this.beads.positions, at);
  }

  show(frame: number, marks: BeadMarks) {
    this.frame = frame;
    const clashing = new Set(Array.from(marks.clashes));
    const chosen = new Set(marks.chosen);
    const residues = new Set([...clashing].map((bead) => residueOf(this.beads, bead)));
    const matrix = new Matrix4();
    for (let bead = 0; bead < this.count; bead++) {
      const red = clashing.has(bead);
      const hidden = marks.hidden.has(this.chains[bead]);
      const inResidue = residues.has(residueOf(this.beads, bead));
      const share = hidden ? 0 : this.share(bead, red || chosen.has(bead), inResidue, marks.isolated || chosen.size > 0);
      const radius = share * this.beads.radii[bead];
      matrix.makeScale(radius, radius, radius).setPosition(this.place(bead));
      this.balls.setMatrixAt(bead, matrix);
      const color = chosen.has(bead) ? CHOSEN : red || (this.hasTrace && inResidue) ? CLASH : this.colors[bead];
      this.balls.setColorAt(bead, color);
    }
    if (this.hasTrace) this.showTrace(residues, marks);
    else this.showLinks(marks.hidden);
    for (const part of [this.balls, this.tubes]) {
      part.instanceMatrix.needsUpdate = true;
      if (part.instanceColor) part.instanceColor.needsUpdate = true;
    }
  }

  /** The share of its radius with which a bead is drawn. */
  private share(bead: number, marked: boolean, inResidue: boolean, isolated: boolean): number {
    if (!this.hasTrace || this.everyAtom) return 1;
    // Balls of full size hide the backbone unless there are few.
    if (marked) return isolated ? 1 : 0.5;
    if (inResidue && isolated) return 0.2;
    // Waters, ions and ligands have no backbone.
    return this.traced[bead] === 1 ? 0 : isolated ? 0.1 : 0.25;
  }

  /** The backbone: each residue's half of every link. */
  private showTrace(clashing: Set<number>, { hidden, isolated }: BeadMarks) {
    const { trace } = this.beads;
    const matrix = new Matrix4();
    for (let i = 0; i + 1 < trace.length; i += 2) {
      const ends = [this.place(trace[i]), this.place(trace[i + 1])];
      const middle = ends[0].clone().add(ends[1]).multiplyScalar(0.5);
      const length = ends[0].distanceTo(ends[1]);
      const turn = new Quaternion().setFromUnitVectors(UP, ends[1].clone().sub(ends[0]).normalize());
      for (const half of [0, 1]) {
        const bead = trace[i + half];
        const red = clashing.has(residueOf(this.beads, bead));
        const share = hidden.has(this.chains[bead]) ? 0 : isolated && !red ? 0.03 : 0.09;
        const width = share * Math.min(length, 4);
        // A little longer than half, so that bends have no gaps.
        const size = new Vector3(width, length * 0.5 + width * 0.8, width);
        const outward = ends[half].clone().sub(middle).multiplyScalar(width * 0.8 / Math.max(length, 1e-9));
        const center = ends[half].clone().add(middle).multiplyScalar(0.5).add(outward);
        this.tubes.setMatrixAt(i + half, matrix.compose(center, turn, size));
        this.tubes.setColorAt(i + half, red ? CLASH : this.colors[bead]);
      }
    }
  }

  private showLinks(hidden: ReadonlySet<number>) {
    const ends: number[] = [];
    for (const [first, end, closed] of this.beads.chains) {
      // Without a backbone, the atoms of a molecule have no order to show.
      if (this.beads.residues.length > 0 || hidden.has(this.chains[first])) continue;
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
