// The colours that objects have in their files: a material per run of triangles, with its picture.

import {
  ClampToEdgeWrapping,
  Color,
  LinearFilter,
  LinearMipmapLinearFilter,
  type MeshStandardMaterial,
  MirroredRepeatWrapping,
  NearestFilter,
  RepeatWrapping,
  SRGBColorSpace,
  Texture,
} from "three";
import type { Look, Paint, View } from "./format";

const WRAPPING = { repeat: RepeatWrapping, clamp: ClampToEdgeWrapping, mirror: MirroredRepeatWrapping };

/** Gives a look's materials, each made by `plain` and then painted. Pictures come later, and `redraw` says so. */
export function paintLook(view: View, look: Look, plain: () => MeshStandardMaterial, redraw: () => void) {
  return look.runs.map(([, number]) => {
    const material = plain();
    const paint = number === null ? null : view.materials[number];
    material.color = paint ? new Color().setRGB(paint.color[0], paint.color[1], paint.color[2]) : new Color(0xcccccc);
    if (!paint) return material;
    if (paint.cutoff !== null) material.alphaTest = paint.cutoff;
    if (paint.image !== null) {
      void textureOf(paint, view.images[paint.image]).then((texture) => {
        material.map = texture;
        material.needsUpdate = true;
        redraw();
      });
    }
    return material;
  });
}

/** The texture of each material, decoded once. */
const textures = new WeakMap<Paint, Promise<Texture>>();

function textureOf(paint: Paint, image: View["images"][number]): Promise<Texture> {
  const known = textures.get(paint);
  if (known) return known;
  const options: ImageBitmapOptions = { colorSpaceConversion: "none", premultiplyAlpha: "none" };
  const made = createImageBitmap(new Blob([image.bytes], { type: image.type }), options).then((picture) => {
    const texture = new Texture(picture);
    // glTF counts from the upper left corner.
    texture.flipY = false;
    texture.colorSpace = SRGBColorSpace;
    [texture.wrapS, texture.wrapT] = paint.wrap.map((wrap) => WRAPPING[wrap]);
    texture.magFilter = paint.pixelated ? NearestFilter : LinearFilter;
    texture.minFilter = LinearMipmapLinearFilter;
    texture.needsUpdate = true;
    return texture;
  });
  textures.set(paint, made);
  return made;
}
