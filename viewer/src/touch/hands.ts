// Hands as they are drawn: the device, the proxy, the force between them, and the triangles that are touched.

import { ArrowHelper, BufferAttribute, BufferGeometry, DoubleSide, Group, Mesh, MeshBasicMaterial, MeshStandardMaterial, SphereGeometry, Vector3 } from "three";
import type { Hand } from "./protocol";
import type { Shapes } from "./shapes";

const [DEVICE, PROXY, FORCE, CONTACT] = [0x2a6fdb, 0xffb300, 0x1b8a3a, 0xd32f2f];

/** One hand. */
class DrawnHand {
  readonly group = new Group();
  private device: Mesh;
  private proxy: Mesh;
  private arrow = new ArrowHelper(new Vector3(0, 1, 0), new Vector3(), 1, FORCE);
  private patch: Mesh;

  constructor(radius: number) {
    const ball = new SphereGeometry(radius, 24, 16);
    this.device = new Mesh(ball, new MeshStandardMaterial({ color: DEVICE, transparent: true, opacity: 0.55, depthTest: false }));
    this.proxy = new Mesh(ball, new MeshStandardMaterial({ color: PROXY }));
    this.patch = new Mesh(new BufferGeometry(), new MeshBasicMaterial({ color: CONTACT, side: DoubleSide, depthTest: false, transparent: true, opacity: 0.7 }));
    this.patch.frustumCulled = false;
    this.device.renderOrder = 2;
    this.patch.renderOrder = 1;
    this.group.add(this.device, this.proxy, this.arrow, this.patch);
  }

  /** `length` is how long the largest force is drawn. */
  show(hand: Hand, shapes: Shapes, radius: number, limit: number, length: number) {
    this.device.position.fromArray(hand.device);
    this.proxy.position.fromArray(hand.proxy);
    const force = new Vector3().fromArray(hand.force);
    const size = force.length();
    this.arrow.visible = size > 1e-6;
    if (this.arrow.visible) {
      // Small forces are drawn larger than their share, so that they are seen.
      const drawn = length * Math.sqrt(Math.min(size / limit, 1)) + 2 * radius;
      this.arrow.position.copy(this.proxy.position);
      this.arrow.setDirection(force.divideScalar(size));
      this.arrow.setLength(drawn, 0.25 * drawn, 0.12 * drawn);
    }
    const corners = hand.contacts.flatMap((contact) => shapes.corners(contact.slot, contact.triangle));
    this.patch.visible = corners.length > 0;
    if (corners.length > 0) this.patch.geometry.setAttribute("position", new BufferAttribute(new Float32Array(corners), 3));
    return corners.length / 9;
  }
}

export class Hands {
  readonly group = new Group();
  private drawn = new Map<number, DrawnHand>();

  constructor(
    private shapes: Shapes,
    private radius: number,
    private limit: number,
    private length: number,
  ) {}

  /** Shows the hands that are there. Returns how many triangles are touched. */
  show(hands: Hand[]): number {
    for (const [number, drawn] of this.drawn) drawn.group.visible = hands.some((hand) => hand.hand === number);
    let touched = 0;
    for (const hand of hands) {
      let drawn = this.drawn.get(hand.hand);
      if (!drawn) {
        drawn = new DrawnHand(this.radius);
        this.drawn.set(hand.hand, drawn);
        this.group.add(drawn.group);
      }
      drawn.group.visible = true;
      touched += drawn.show(hand, this.shapes, this.radius, this.limit, this.length);
    }
    return touched;
  }
}
