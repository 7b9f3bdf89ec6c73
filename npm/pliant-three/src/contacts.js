// Contacts between meshes, frame after frame.
import { Matrix4 } from "three";
import { world } from "pliant";
import { multiply } from "./affine.js";
import { MeshBody } from "./mesh_body.js";

/**
 * Which triangles of which meshes touch, now. Meshes may move in any way between two questions: by an
 * AnimationMixer, by morph influences, by their matrices. An InstancedMesh counts as so many bodies.
 */
export class Contacts {
  #world = world();
  #members = new Map();
  #next = 0;

  /** Adds a mesh. With `self`, its triangles that touch one another count as well. */
  add(mesh, { self = false } = {}) {
    if (this.#members.has(mesh)) throw new Error(`mesh ${JSON.stringify(mesh.name)} was added already`);
    this.#members.set(mesh, { self, parts: this.#enter(mesh, self), count: mesh.count });
    return this;
  }

  #enter(mesh, self) {
    const first = new MeshBody(mesh);
    const count = mesh.isInstancedMesh ? mesh.count : 1;
    const parts = [];
    for (let instance = 0; instance < count; instance++) {
      // Copies share the mesh and its tree.
      const body = instance === 0 ? first.body : first.body.copy();
      const name = String(this.#next++);
      this.#world.add(body, name, self);
      parts.push({ name, body, instance, mesh, owner: first });
    }
    return parts;
  }

  remove(mesh) {
    for (const { body } of this.#members.get(mesh)?.parts ?? []) {
      this.#world.remove(body);
      body.dispose();
    }
    this.#members.delete(mesh);
    return this;
  }

  /** Takes over where all meshes are. Their matrices must be up to date. */
  update() {
    for (const [mesh, member] of this.#members) {
      if (!member.parts[0]?.owner.isCurrent || (mesh.isInstancedMesh && member.count !== mesh.count)) {
        const { self } = member;
        this.remove(mesh).add(mesh, { self });
      }
      const { parts } = this.#members.get(mesh);
      if (!mesh.isInstancedMesh) {
        for (const { owner } of parts) owner.update();
        continue;
      }
      const [place, map] = [new Matrix4(), new Float64Array(16)];
      for (const { body, instance } of parts) {
        mesh.getMatrixAt(instance, place);
        multiply(mesh.matrixWorld.elements, place.elements, map);
        body.setTransform(map);
      }
    }
    return this;
  }

  /** Everything that touches: two meshes, their instances, and pairs of triangles (`faceIndex` of each). */
  touching() {
    this.update();
    const by = this.#byName();
    return this.#world.contacts().map(({ names, pairs }) => ({ ...ends(by, names), pairs }));
  }

  /** All triangles of different meshes at most `distance` apart, with nearest points and normals. */
  within(distance) {
    this.update();
    const by = this.#byName();
    return this.#world.within(distance).map(({ names, near }) => ({ ...ends(by, names), ...near }));
  }

  #byName() {
    return new Map([...this.#members.values()].flatMap(({ parts }) => parts.map((part) => [part.name, part])));
  }

  /** Gives all memory back. */
  dispose() {
    for (const mesh of [...this.#members.keys()]) this.remove(mesh);
    this.#world.dispose();
  }
}

function ends(by, names) {
  const parts = names.map((name) => by.get(name));
  return { meshes: parts.map(({ mesh }) => mesh), instances: parts.map(({ mesh, instance }) => (mesh.isInstancedMesh ? instance : undefined)) };
}
