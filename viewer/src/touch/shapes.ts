// The scene as the server shows it: one mesh per slot.

import { BufferAttribute, BufferGeometry, DoubleSide, Group, Matrix4, Mesh, MeshStandardMaterial } from "three";
import { colorOf } from "../colors";

export class Shapes {
  readonly group = new Group();
  private meshes = new Map<number, Mesh<BufferGeometry, MeshStandardMaterial>>();
  /** How often an object was in another place, for tests. */
  moves = 0;

  /** An object is in a slot; another one that was there is replaced. */
  add(slot: number, name: string, positions: Float32Array, triangles: Uint32Array) {
    this.remove(slot);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(positions, 3));
    geometry.setIndex(new BufferAttribute(triangles, 1));
    geometry.computeVertexNormals();
    const material = new MeshStandardMaterial({ color: colorOf(slot), roughness: 0.8, side: DoubleSide, flatShading: triangles.length < 3000 });
    const mesh = new Mesh(geometry, material);
    mesh.name = name;
    mesh.matrixAutoUpdate = false;
    // Vertices move, and with them what can be seen.
    mesh.frustumCulled = false;
    this.meshes.set(slot, mesh);
    this.group.add(mesh);
  }

  /** An object moves as a whole: three columns and a translation. */
  map(slot: number, [a, b, c, d, e, f, g, h, i, x, y, z]: Float32Array) {
    const mesh = this.meshes.get(slot);
    mesh?.matrix.set(a, d, g, x, b, e, h, y, c, f, i, z, 0, 0, 0, 1);
    this.moves++;
  }

  /** An object's vertices are elsewhere. */
  vertices(slot: number, positions: Float32Array) {
    const mesh = this.meshes.get(slot);
    if (!mesh) return;
    const own = mesh.geometry.getAttribute("position") as BufferAttribute;
    if (own.array.length !== positions.length) return;
    own.copyArray(positions);
    own.needsUpdate = true;
    if (!mesh.material.flatShading) mesh.geometry.computeVertexNormals();
    mesh.matrix.copy(new Matrix4());
    this.moves++;
  }

  remove(slot: number) {
    const mesh = this.meshes.get(slot);
    if (!mesh) return;
    this.group.remove(mesh);
    mesh.geometry.dispose();
    mesh.material.dispose();
    this.meshes.delete(slot);
  }

  /** Places of the corners of a triangle. */
  corners(slot: number, triangle: number): number[] {
    const mesh = this.meshes.get(slot);
    const index = mesh?.geometry.getIndex();
    if (!mesh || !index || 3 * triangle + 2 >= index.count) return [];
    const position = mesh.geometry.getAttribute("position");
    return [0, 1, 2].flatMap((corner) => {
      const vertex = index.getX(3 * triangle + corner);
      return mesh.localToWorld(mesh.position.clone().fromBufferAttribute(position, vertex)).toArray();
    });
  }

  get count(): number {
    return this.meshes.size;
  }
}
