"""Positions of a few vertices of glTF samples, computed without pliant.

A second implementation of the format's rules in plain Python, to compare with:

    python3 reference_poses.py FOLDER_OF_SAMPLES > reference_poses.json

FOLDER_OF_SAMPLES is `gltf` of the shared data.
"""
import base64, json, math, os, struct, sys

SIZES = {5120: ('b', 127), 5121: ('B', 255), 5122: ('h', 32767), 5123: ('H', 65535), 5125: ('I', 0), 5126: ('f', 0)}
WIDTHS = {'SCALAR': 1, 'VEC2': 2, 'VEC3': 3, 'VEC4': 4, 'MAT4': 16}


class File:
    def __init__(self, path):
        data = open(path, 'rb').read()
        blob = None
        if data[:4] == b'glTF':
            length = struct.unpack_from('<I', data, 12)[0]
            self.json = json.loads(data[20:20 + length])
            blob = data[28 + length:]
        else:
            self.json = json.loads(data)
        self.buffers, self.known = [], {}
        for buffer in self.json.get('buffers', []):
            uri = buffer.get('uri')
            if uri is None:
                self.buffers.append(blob)
            elif uri.startswith('data:'):
                self.buffers.append(base64.b64decode(uri.split(',', 1)[1]))
            else:
                self.buffers.append(open(os.path.join(os.path.dirname(path), uri), 'rb').read())

    def raw(self, view, offset, count, code, width, stride=None):
        view = self.json['bufferViews'][view]
        letter = SIZES[code][0]
        size = struct.calcsize('<' + letter) * width
        stride = stride or view.get('byteStride') or size
        start = view.get('byteOffset', 0) + offset
        data = self.buffers[view['buffer']]
        return [list(struct.unpack_from(f'<{width}{letter}', data, start + i * stride)) for i in range(count)]

    def read(self, index):
        if index not in self.known:
            self.known[index] = self.decode(index)
        return self.known[index]

    def decode(self, index):
        a = self.json['accessors'][index]
        width, code = WIDTHS[a['type']], a['componentType']
        rows = [[0] * width for _ in range(a['count'])]
        if 'bufferView' in a:
            rows = self.raw(a['bufferView'], a.get('byteOffset', 0), a['count'], code, width)
        if 'sparse' in a:
            s = a['sparse']
            places = self.raw(s['indices']['bufferView'], s['indices'].get('byteOffset', 0), s['count'], s['indices']['componentType'], 1)
            values = self.raw(s['values']['bufferView'], s['values'].get('byteOffset', 0), s['count'], code, width)
            for (place,), value in zip(places, values):
                rows[place] = value
        if a.get('normalized'):
            rows = [[max(x / SIZES[code][1], -1.0) for x in row] for row in rows]
        return rows


def multiply(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)] for i in range(4)]


def apply(m, p):
    return [m[i][0] * p[0] + m[i][1] * p[1] + m[i][2] * p[2] + m[i][3] for i in range(3)]


def columns(numbers):
    return [[numbers[4 * j + i] for j in range(4)] for i in range(4)]


def unit(q):
    n = math.sqrt(sum(x * x for x in q))
    return [x / n for x in q]


def frame(node):
    if 'matrix' in node:
        return columns(node['matrix'])
    t = node.get('translation', [0, 0, 0])
    x, y, z, w = unit(node.get('rotation', [0, 0, 0, 1]))
    s = node.get('scale', [1, 1, 1])
    r = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
         [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
         [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
    return [[r[i][j] * s[j] for j in range(3)] + [t[i]] for i in range(3)] + [[0, 0, 0, 1]]


def sample(file, sampler, path, time, width):
    times = [row[0] for row in file.read(sampler['input'])]
    flat = [x for row in file.read(sampler['output']) for x in row]
    mode = sampler.get('interpolation', 'LINEAR')
    parts = 3 if mode == 'CUBICSPLINE' else 1

    def part(key, which):
        start = (key * parts + which) * width
        return flat[start:start + width]

    middle = 1 if parts == 3 else 0
    if time <= times[0]:
        return part(0, middle)
    if time >= times[-1]:
        return part(len(times) - 1, middle)
    k = max(i for i, t in enumerate(times) if t <= time)
    a, b = part(k, middle), part(k + 1, middle)
    seconds = times[k + 1] - times[k]
    u = (time - times[k]) / seconds
    if mode == 'STEP':
        return a
    if mode == 'CUBICSPLINE':
        leave, arrive = part(k, 2), part(k + 1, 0)
        return [(2 * u**3 - 3 * u**2 + 1) * p0 + seconds * (u**3 - 2 * u**2 + u) * m0
                + (3 * u**2 - 2 * u**3) * p1 + seconds * (u**3 - u**2) * m1
                for p0, m0, p1, m1 in zip(a, leave, b, arrive)]
    if path == 'rotation':
        a, b = unit(a), unit(b)
        dot = sum(x * y for x, y in zip(a, b))
        if dot < 0:
            b, dot = [-x for x in b], -dot
        across = [y - dot * x for x, y in zip(a, b)]
        angle = math.atan2(math.sqrt(sum(x * x for x in across)), dot)
        if angle == 0:
            return a
        return [(math.sin((1 - u) * angle) * x + math.sin(u * angle) * y) / math.sin(angle) for x, y in zip(a, b)]
    return [(1 - u) * x + u * y for x, y in zip(a, b)]


def positions(file, animation, time):
    """Yields node, vertex and position of a few vertices of each mesh node."""
    j = file.json
    nodes = [dict(node) for node in j['nodes']]

    def targets(node):
        return len(j['meshes'][node['mesh']]['primitives'][0].get('targets', [])) if 'mesh' in node else 0

    for node in nodes:
        if targets(node) and 'weights' not in node:
            node['weights'] = j['meshes'][node['mesh']].get('weights', [0] * targets(node))
    if animation is not None:
        chosen = j['animations'][animation]
        for channel in chosen['channels']:
            target = channel['target']
            if 'node' not in target:
                continue
            path, node = target['path'], nodes[target['node']]
            width = {'translation': 3, 'scale': 3, 'rotation': 4}.get(path) or targets(node)
            node[path] = sample(file, chosen['samplers'][channel['sampler']], path, time, width)
    world = {}

    def walk(index, above):
        world[index] = multiply(above, frame(nodes[index]))
        for child in nodes[index].get('children', []):
            walk(child, world[index])

    children = {c for node in nodes for c in node.get('children', [])}
    identity = [[float(i == k) for k in range(4)] for i in range(4)]
    for root in range(len(nodes)):
        if root not in children:
            walk(root, identity)
    for index, node in enumerate(nodes):
        if 'mesh' not in node:
            continue
        base = 0
        for primitive in j['meshes'][node['mesh']]['primitives']:
            if primitive.get('mode', 4) < 4:
                continue
            attributes = primitive['attributes']
            rest = file.read(attributes['POSITION'])
            deltas = [file.read(t['POSITION']) if 'POSITION' in t else None for t in primitive.get('targets', [])]
            sets = 0
            if 'skin' in node:
                while f'JOINTS_{sets}' in attributes:
                    sets += 1
                influence = [(file.read(attributes[f'JOINTS_{s}']), file.read(attributes[f'WEIGHTS_{s}'])) for s in range(sets)]
                skin = j['skins'][node['skin']]
                bind = [identity] * len(skin['joints'])
                if 'inverseBindMatrices' in skin:
                    bind = [columns(m) for m in file.read(skin['inverseBindMatrices'])]
                joints = [multiply(world[n], bind[i]) for i, n in enumerate(skin['joints'])]
            for vertex in sorted({0, len(rest) // 3, len(rest) // 2, len(rest) - 1}):
                p = list(rest[vertex])
                for weight, delta in zip(node.get('weights', []), deltas):
                    if delta:
                        p = [x + weight * d for x, d in zip(p, delta[vertex])]
                if sets:
                    pairs = [(a, w) for js, ws in influence for a, w in zip(js[vertex], ws[vertex]) if w]
                    total = sum(w for _, w in pairs)
                    q = [0.0, 0.0, 0.0]
                    for a, w in pairs:
                        q = [x + w / total * y for x, y in zip(q, apply(joints[a], p))]
                else:
                    q = apply(world[index], p)
                yield index, base + vertex, q
            base += len(rest)


def main(folder):
    rows = []
    for root, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            if not name.endswith(('.gltf', '.glb')) or name in ('Compatibility_04.gltf', 'Compatibility_05.gltf'):
                continue
            path = os.path.join(root, name)
            file = File(path)
            if 'nodes' not in file.json:
                continue
            moves = [(None, 0.0)]
            for animation in list(range(len(file.json.get('animations', []))))[:9]:
                chosen = file.json['animations'][animation]
                end = max(file.json['accessors'][s['input']]['max'][0] for s in chosen['samplers'])
                moves += [(animation, end * f) for f in (0.37, 0.81, 1.5)]
            for animation, time in moves:
                found = list(positions(file, animation, time))
                # A sample of what could be thousands.
                for node, vertex, p in found[::max(1, len(found) // 6)]:
                    rows.append([os.path.relpath(path, folder), animation, time, node, vertex, p])
    print('[\n' + ',\n'.join(json.dumps(row) for row in rows) + '\n]')


main(sys.argv[1])
