// The geometry of a mesh as flat arrays.

/** So many numbers of each element of an attribute, interleaved and normalised ones too. */
function numbers(attribute, width) {
  const out = new Float64Array(attribute.count * width);
  for (let at = 0; at < attribute.count; at++) {
    for (let part = 0; part < width; part++) out[at * width + part] = attribute.getComponent(at, part);
  }
  return out;
}

/** Three per triangle, in the order of `faceIndex`. What is left of a last triangle is no triangle. */
function trianglesOf({ index, attributes }) {
  const count = index ? index.count : attributes.position.count;
  const whole = count - (count % 3);
  return Uint32Array.from({ length: whole }, (_, at) => (index ? index.getX(at) : at));
}

/** The displacements of all morph targets, one after the other; undefined without any. */
function morphOf({ morphAttributes, morphTargetsRelative }, positions) {
  const targets = morphAttributes.position;
  if (!targets || targets.length === 0) return undefined;
  const out = new Float64Array(targets.length * positions.length);
  targets.forEach((target, number) => {
    const start = number * positions.length;
    out.set(numbers(target, 3), start);
    if (!morphTargetsRelative) for (let at = 0; at < positions.length; at++) out[start + at] -= positions[at];
  });
  return out;
}

/** What a body is made of. Joints and weights are there for a SkinnedMesh alone. */
export function shapeOf(mesh) {
  const { geometry } = mesh;
  const position = geometry?.attributes?.position;
  if (!position) throw new Error(`mesh ${JSON.stringify(mesh.name ?? "")} has no positions`);
  const positions = numbers(position, 3);
  const shape = { positions, triangles: trianglesOf(geometry), morph: morphOf(geometry, positions) };
  if (!mesh.isSkinnedMesh) return shape;
  const { skinIndex, skinWeight } = geometry.attributes;
  return { ...shape, joints: Uint32Array.from(numbers(skinIndex, 4)), weights: numbers(skinWeight, 4) };
}

const versionNumber = (attribute) => attribute?.version ?? attribute?.data?.version ?? 0;

/** What the body of a mesh was made of: the geometry, its attributes, and their versions. */
export function versionOf({ geometry }) {
  const { index, attributes, morphAttributes } = geometry;
  const parts = [index, attributes.position, attributes.skinIndex, attributes.skinWeight, ...(morphAttributes.position ?? [])];
  return { geometry, parts, versions: parts.map(versionNumber) };
}

/** Whether the geometry is still that one: no other was given, and `needsUpdate` was not set. Asked for every ray. */
export function isVersion({ geometry, parts, versions }, mesh) {
  if (mesh.geometry !== geometry) return false;
  const { index, attributes, morphAttributes } = geometry;
  if (parts[0] !== index || parts[1] !== attributes.position || parts[2] !== attributes.skinIndex || parts[3] !== attributes.skinWeight) return false;
  const targets = morphAttributes.position;
  if ((targets?.length ?? 0) !== parts.length - 4) return false;
  for (let at = 0; at < parts.length; at++) {
    if (at >= 4 && parts[at] !== targets[at - 4]) return false;
    if (versions[at] !== versionNumber(parts[at])) return false;
  }
  return true;
}
