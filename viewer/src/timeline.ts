// The timeline: pairs and visited nodes over time. A click jumps to a frame.

import { count, element } from "./element";
import type { Frame, View } from "./format";

export class Timeline {
  readonly root = element("div", { class: "timeline" });
  private canvas = element("canvas");
  private now = 0;

  constructor(
    private view: View,
    jump: (frame: number) => void,
  ) {
    this.canvas.id = "timeline";
    this.canvas.setAttribute("role", "slider");
    this.canvas.setAttribute("aria-label", "frame");
    const legend = element("div", { class: "legend" });
    legend.append(
      element("span", { class: "key contacts", text: view.beads ? "clashes" : "touching pairs" }),
      element("span", { class: "key work", text: view.objects.length > 0 ? "nodes visited" : "bounds evaluated" }),
    );
    this.root.append(legend, this.canvas);
    const at = (event: PointerEvent) => {
      const box = this.canvas.getBoundingClientRect();
      const share = (event.clientX - box.left) / box.width;
      const frame = Math.floor(share * view.frames.length);
      jump(Math.min(Math.max(frame, 0), view.frames.length - 1));
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      at(event);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) at(event);
      const box = this.canvas.getBoundingClientRect();
      const share = (event.clientX - box.left) / box.width;
      const frame = view.frames[Math.floor(share * view.frames.length)];
      if (frame) this.canvas.title = `${found(frame)} at ${frame.time.toFixed(3)}`;
    });
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  show(frame: number) {
    this.now = frame;
    this.canvas.setAttribute("aria-valuenow", String(frame));
    this.canvas.setAttribute("aria-valuemax", String(this.view.frames.length - 1));
    this.draw();
  }

  /** Draws bars for contacts, a line for the work, and a mark for the current frame. */
  draw() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const context = this.canvas.getContext("2d");
    if (!context || width === 0) return;
    const ratio = window.devicePixelRatio;
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    context.scale(ratio, ratio);
    const style = getComputedStyle(this.canvas);
    const color = (name: string) => style.getPropertyValue(name).trim();
    const { frames } = this.view;
    const step = width / frames.length;
    const most = Math.max(1, ...frames.map(found));
    const work = (frame: Frame) => (this.view.objects.length > 0 ? frame.nodesVisited : frame.work.bounds);
    const mostWork = Math.max(1, ...frames.map(work));
    context.fillStyle = color("--mark");
    context.fillRect(this.now * step, 0, Math.max(step, 2), height);
    context.fillStyle = color("--contact");
    frames.forEach((frame, i) => {
      // A bar that is not zero has at least two pixels.
      const bar = found(frame) === 0 ? 0 : Math.max(2, (found(frame) / most) * (height - 4));
      context.fillRect(i * step, height - bar, Math.max(step - (step > 4 ? 1 : 0), 0.5), bar);
    });
    context.strokeStyle = color("--work");
    context.lineWidth = 1.5;
    context.beginPath();
    frames.forEach((frame, i) => {
      const y = height - 2 - (work(frame) / mostWork) * (height - 6);
      context.lineTo((i + 0.5) * step, y);
    });
    context.stroke();
    this.root.dataset.most = count(most);
  }
}

/** The number of pairs of triangles or beads found in a frame. */
export const found = (frame: Frame) =>
  frame.pairsFound + frame.clashes.length / 2;
