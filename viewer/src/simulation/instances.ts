// Bodies as instances of a coarser mesh, and the obstacles around them.

import {
  Box3,
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  DynamicDrawUsage,
  GridHelper,
  Group,
  InstancedMesh,
  Matrix4,
  Mesh,
  MeshLambertMaterial,
  type Object3D,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";
import type { CoarseMesh, Obstacle, Simulation, SimulationFrame } from "./format";

/** Colours by number that differ from their neighbours. */
const hue = (number: number) => new Color().setHSL((number * 0.618_034) % 1, 0.45, 0.58);

export function geometryOf(mesh: CoarseMesh): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(mesh.positions, 3));
  geometry.setIndex(new BufferAttribute(mesh.triangles, 1));
  geometry.computeVertexNormals();
  return geometry;
}

export class Instances {
  readonly group = new Group();
  private meshes: InstancedMesh[] = [];
  /** For each body its place among those of its look. */
  private places: number[] = [];

  constructor(private simulation: Simulation) {
    const counts = simulation.looks.map(() => 0);
    for (const look of simulation.lookOf) this.places.push(counts[look]++);
    const material = () => new MeshLambertMaterial({ side: DoubleSide, flatShading: true });
    this.meshes = simulation.looks.map((look, number) => {
      const mesh = new InstancedMesh(geometryOf(look), material(), Math.max(counts[number], 1));
      mesh.count = counts[number];
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.frustumCulled = false;
      return mesh;
    });
    simulation.lookOf.forEach((look, body) => this.meshes[look].setColorAt(this.places[body], hue(body)));
    this.group.add(...this.meshes);
  }

  /** The number of bodies that are drawn. */
  get drawn(): number {
    return this.meshes.reduce((sum, mesh) => sum + mesh.count, 0);
  }

  /** Moves all bodies to a frame. */
  show(frame: number) {
    const { bodies } = this.simulation.frames[frame];
    const matrix = new Matrix4();
    this.simulation.lookOf.forEach((look, body) => {
      const m = bodies.subarray(12 * body, 12 * body + 12);
      matrix.set(m[0], m[3], m[6], m[9], m[1], m[4], m[7], m[10], m[2], m[5], m[8], m[11], 0, 0, 0, 1);
      this.meshes[look].setMatrixAt(this.places[body], matrix);
    });
    for (const mesh of this.meshes) mesh.instanceMatrix.needsUpdate = true;
  }

  /** Shows bodies as if through them, so that spheres can be seen. */
  setFaint(faint: boolean) {
    for (const mesh of this.meshes) {
      const material = mesh.material as MeshLambertMaterial;
      material.transparent = faint;
      material.opacity = faint ? 0.18 : 1;
      material.depthWrite = !faint;
      material.needsUpdate = true;
    }
  }

  /** A box around where bodies are in a frame. */
  box(frame: number): Box3 {
    const box = new Box3();
    const { bodies } = this.simulation.frames[frame];
    for (let at = 9; at < bodies.length; at += 12) box.expandByPoint(new Vector3().fromArray(bodies, at));
    return box.expandByScalar(0.5);
  }
}

/** What stands in the way, and how to move it to a frame. A plane is drawn as a grid as large as the scene. */
export function drawObstacles(obstacles: Obstacle[], around: Box3): { group: Object3D; show: (frame: SimulationFrame) => void } {
  const group = new Group();
  const moving: BufferGeometry[] = [];
  const solid = new MeshLambertMaterial({ color: 0xb9c0ca, side: DoubleSide });
  const size = Math.max(around.getSize(new Vector3()).length() * 2, 1);
  for (const obstacle of obstacles) {
    if (obstacle.kind === "plane") {
      const grid = new GridHelper(size, 40, 0x8a94a3, 0xc2c9d3);
      const normal = new Vector3().fromArray(obstacle.normal);
      grid.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), normal);
      const middle = around.getCenter(new Vector3());
      grid.position.copy(middle).addScaledVector(normal, obstacle.offset - middle.dot(normal));
      group.add(grid);
    } else if (obstacle.kind === "ball") {
      const ball = new Mesh(new SphereGeometry(obstacle.radius, 32, 20), solid);
      ball.position.fromArray(obstacle.center);
      group.add(ball);
    } else if (obstacle.kind === "box") {
      const [x, y, z] = obstacle.half;
      const box = new Mesh(new BoxGeometry(2 * x, 2 * y, 2 * z), solid);
      box.position.fromArray(obstacle.center);
      box.quaternion.copy(new Quaternion().fromArray(obstacle.rotation));
      group.add(box);
    } else {
      const geometry = geometryOf(obstacle.mesh);
      const mesh = new Mesh(geometry, solid);
      if (obstacle.moves) {
        mesh.frustumCulled = false;
        moving.push(geometry);
      }
      group.add(mesh);
    }
  }
  const show = ({ surfaces }: SimulationFrame) =>
    moving.forEach((geometry, number) => {
      geometry.setAttribute("position", new BufferAttribute(surfaces[number], 3));
      geometry.computeVertexNormals();
    });
  return { group, show };
}
