// Writes the compressed scenes of this folder, and what gltf-transform decodes them to.
//
// The scene is made by formulas: a skinned and morphed tube, and a ball of two materials that an
// animation turns. In a folder outside the repository:
//
//   npm install @gltf-transform/core@4.5 @gltf-transform/functions@4.5 \
//     @gltf-transform/extensions@4.5 draco3dgltf@1.5.7 meshoptimizer@1.3
//   node make.mjs .../crates/pliant-io/tests/files

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Document, NodeIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS, EXTMeshoptCompression, KHRDracoMeshCompression } from '@gltf-transform/extensions';
import { meshopt, quantize } from '@gltf-transform/functions';
import draco3d from 'draco3dgltf';
import { MeshoptDecoder, MeshoptEncoder } from 'meshoptimizer';

await MeshoptDecoder.ready;
await MeshoptEncoder.ready;
const folder = process.argv[2];
const io = new NodeIO().registerExtensions(ALL_EXTENSIONS).registerDependencies({
    'meshopt.decoder': MeshoptDecoder,
    'meshopt.encoder': MeshoptEncoder,
    'draco3d.decoder': await draco3d.createDecoderModule(),
    'draco3d.encoder': await draco3d.createEncoderModule(),
});

// A grid of (columns + 1) * (rows + 1) vertices, as positions and corners of triangles.
function surface(columns, rows, place) {
    const positions = [], corners = [];
    for (let row = 0; row <= rows; row++)
        for (let column = 0; column <= columns; column++)
            positions.push(...place(column / columns, row / rows));
    for (let row = 0; row < rows; row++)
        for (let column = 0; column < columns; column++) {
            const at = row * (columns + 1) + column, above = at + columns + 1;
            corners.push(at, at + 1, above, at + 1, above + 1, above);
        }
    return { positions: new Float32Array(positions), corners: new Uint16Array(corners) };
}

function scene() {
    const document = new Document();
    const buffer = document.createBuffer();
    const accessor = (type, array) => document.createAccessor().setType(type).setArray(array).setBuffer(buffer);
    const tube = surface(14, 22, (u, v) => {
        const turn = 2 * Math.PI * u, radius = 0.4 + 0.1 * Math.sin(9 * v);
        return [radius * Math.cos(turn), 3 * v, radius * Math.sin(turn)];
    });
    const count = tube.positions.length / 3;
    const [joints, weights, deltas, normals] = [
        new Uint8Array(4 * count), new Float32Array(4 * count), new Float32Array(3 * count), new Float32Array(3 * count)];
    for (let vertex = 0; vertex < count; vertex++) {
        const upper = Math.min(1, Math.max(0, tube.positions[3 * vertex + 1] - 1));
        joints.set([0, 1, 0, 0], 4 * vertex);
        weights.set([1 - upper, upper, 0, 0], 4 * vertex);
        deltas.set([0.1 * Math.sin(vertex), 0, 0.05 * Math.cos(3 * vertex)], 3 * vertex);
        normals.set([Math.cos(vertex), 0, Math.sin(vertex)], 3 * vertex);
    }
    const target = document.createPrimitiveTarget().setAttribute('POSITION', accessor('VEC3', deltas));
    const skinned = document.createPrimitive()
        .setIndices(accessor('SCALAR', tube.corners))
        .setAttribute('POSITION', accessor('VEC3', tube.positions))
        .setAttribute('NORMAL', accessor('VEC3', normals))
        .setAttribute('JOINTS_0', accessor('VEC4', joints))
        .setAttribute('WEIGHTS_0', accessor('VEC4', weights))
        .setMaterial(document.createMaterial('rubber'))
        .addTarget(target);
    const ball = document.createMesh('ball');
    for (const [name, side] of [['red', 0], ['blue', 1]]) {
        const half = surface(10, 9, (u, v) => {
            const [turn, tilt] = [Math.PI * (u + side), Math.PI * v];
            return [Math.sin(tilt) * Math.cos(turn), Math.cos(tilt), Math.sin(tilt) * Math.sin(turn)];
        });
        ball.addPrimitive(document.createPrimitive()
            .setIndices(accessor('SCALAR', half.corners))
            .setAttribute('POSITION', accessor('VEC3', half.positions))
            .setMaterial(document.createMaterial(name)));
    }
    const tip = document.createNode('tip').setTranslation([0, 1, 0]);
    const root = document.createNode('root').addChild(tip);
    const bind = new Float32Array([
        1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1,
        1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1]);
    const skin = document.createSkin().addJoint(root).addJoint(tip).setInverseBindMatrices(accessor('MAT4', bind));
    const arm = document.createNode('arm')
        .setMesh(document.createMesh('tube').addPrimitive(skinned).setWeights([0.25])).setSkin(skin);
    const globe = document.createNode('globe').setMesh(ball).setTranslation([2, 0.5, 0]);
    document.createScene().addChild(root).addChild(arm).addChild(globe);
    const keys = 24;
    const animation = document.createAnimation('bend');
    const channel = (node, path, type, array) => {
        const times = new Float32Array(keys).map((_, key) => key / 12);
        const sampler = document.createAnimationSampler()
            .setInput(accessor('SCALAR', times)).setOutput(accessor(type, array));
        animation.addSampler(sampler).addChannel(document.createAnimationChannel()
            .setTargetNode(node).setTargetPath(path).setSampler(sampler));
    };
    const turns = new Float32Array(4 * keys), places = new Float32Array(3 * keys), faces = new Float32Array(keys);
    for (let key = 0; key < keys; key++) {
        const angle = 0.6 * Math.sin(key / 4);
        turns.set([0, 0, Math.sin(angle), Math.cos(angle)], 4 * key);
        places.set([2 - key / keys, 0.5, 0.1 * Math.sin(key)], 3 * key);
        faces[key] = 0.5 + 0.5 * Math.cos(key / 3);
    }
    channel(tip, 'rotation', 'VEC4', turns);
    channel(globe, 'translation', 'VEC3', places);
    channel(arm, 'weights', 'SCALAR', faces);
    return document;
}

const save = async (name, document) => {
    const bytes = await io.writeBinary(document);
    writeFileSync(join(folder, name), bytes);
    return bytes;
};

// What gltf-transform reads from compressed bytes, written without compression.
async function decoded(bytes) {
    const document = await io.readBinary(bytes);
    for (const extension of document.getRoot().listExtensionsUsed())
        if (/compression/.test(extension.extensionName)) extension.dispose();
    return document;
}

// The same file with streams of version 1 under the name of the later extension.
function withKhr(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const jsonLength = view.getUint32(12, true);
    const json = JSON.parse(new TextDecoder().decode(bytes.subarray(20, 20 + jsonLength)));
    const bin = bytes.subarray(28 + jsonLength);
    const [from, to] = ['EXT_meshopt_compression', 'KHR_meshopt_compression'];
    const rename = (element) => {
        if (!element.extensions?.[from]) return;
        element.extensions = { [to]: element.extensions[from] };
    };
    const chunks = [];
    let length = 0;
    const append = (chunk) => {
        const offset = length;
        const padded = new Uint8Array(Math.ceil(chunk.length / 4) * 4);
        padded.set(chunk);
        chunks.push(padded);
        length += padded.length;
        return offset;
    };
    for (const bufferView of json.bufferViews) {
        const packed = bufferView.extensions?.[from];
        const range = packed ?? bufferView;
        let part = bin.slice(range.byteOffset ?? 0, (range.byteOffset ?? 0) + range.byteLength);
        if (packed) {
            const { count, byteStride, mode } = packed;
            const raw = new Uint8Array(count * byteStride);
            // Without the filter, which stays in effect.
            MeshoptDecoder.decodeGltfBuffer(raw, count, byteStride, part, mode, 'NONE');
            part = mode === 'ATTRIBUTES'
                ? MeshoptEncoder.encodeVertexBufferLevel(raw, count, byteStride, 3, 1) : part;
        }
        range.byteOffset = append(part);
        range.byteLength = part.length;
        rename(bufferView);
    }
    json.buffers.forEach(rename);
    json.buffers[0].byteLength = length;
    for (const list of [json.extensionsUsed, json.extensionsRequired])
        list.splice(0, list.length, ...list.map((name) => (name === from ? to : name)));
    const text = new TextEncoder().encode(JSON.stringify(json));
    const paddedText = new Uint8Array(Math.ceil(text.length / 4) * 4).fill(32);
    paddedText.set(text);
    const out = new Uint8Array(28 + paddedText.length + length);
    const words = new DataView(out.buffer);
    [0x46546c67, 2, out.length, paddedText.length, 0x4e4f534a].forEach((word, at) => words.setUint32(4 * at, word, true));
    out.set(paddedText, 20);
    words.setUint32(20 + paddedText.length, length, true);
    words.setUint32(24 + paddedText.length, 0x004e4942, true);
    let at = 28 + paddedText.length;
    for (const chunk of chunks) {
        out.set(chunk, at);
        at += chunk.length;
    }
    return out;
}

const plain = await save('plain.glb', scene());

const quantized = await io.readBinary(plain);
await quantized.transform(quantize({ quantizePosition: 14 }));
await save('quantized.glb', quantized);

for (const [name, level] of [['meshopt_quantized', 'medium'], ['meshopt_filtered', 'high']]) {
    const document = await io.readBinary(plain);
    await document.transform(meshopt({ encoder: MeshoptEncoder, level }));
    const bytes = await save(`${name}.glb`, document);
    await save(`${name}.decoded.glb`, await decoded(bytes));
    if (level === 'high') writeFileSync(join(folder, 'meshopt_khr.glb'), withKhr(bytes));
}

for (const [name, method] of [['draco_edgebreaker', 'EDGEBREAKER'], ['draco_sequential', 'SEQUENTIAL']]) {
    const document = await io.readBinary(plain);
    const options = { method: KHRDracoMeshCompression.EncoderMethod[method] };
    document.createExtension(KHRDracoMeshCompression).setRequired(true).setEncoderOptions(options);
    const bytes = await save(`${name}.glb`, document);
    await save(`${name}.decoded.glb`, await decoded(bytes));
}
