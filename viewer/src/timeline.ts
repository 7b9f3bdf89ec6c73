// The timeline: contacts over time, as far as they are shown. A click jumps to a frame.

import { count, element, length } from "./element";
import type { View } from "./format";
import { counted, type Focus, type Meetings } from "./meetings";

/** The height of the names of animations, in pixels. */
const NAMES = 13;

export class Timeline {
  readonly root = element("div", { class: "timeline" });
  private canvas = element("canvas");
  private key = element("span", { class: "key contacts" });
  private bars: number[] = [];
  private depths: number[] = [];
  private now = 0;

  constructor(
    private view: View,
    private meetings: Meetings,
    private focus: Focus,
    jump: (frame: number) => void,
  ) {
    this.canvas.id = "timeline";
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "slider");
    this.canvas.setAttribute("aria-label", "frame");
    this.canvas.setAttribute("aria-valuemin", "0");
    this.canvas.setAttribute("aria-valuemax", String(view.frames.length - 1));
    const legend = element("div", { class: "legend" }, this.key);
    if (meetings.hasDepths) legend.append(element("span", { class: "key depth", text: "depth" }));
    this.root.append(legend, this.canvas);
    const frameAt = (event: PointerEvent) => {
      const box = this.canvas.getBoundingClientRect();
      const frame = Math.floor(((event.clientX - box.left) / box.width) * view.frames.length);
      return Math.min(Math.max(frame, 0), view.frames.length - 1);
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      jump(frameAt(event));
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const frame = frameAt(event);
      if (event.buttons & 1) jump(frame);
      const depth = this.depths[frame] > 0 ? `, ${length(this.depths[frame])} deep` : "";
      this.canvas.title = `frame ${frame}: ${count(this.bars[frame])}${depth}`;
    });
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    this.refresh();
  }

  /** Counts again what is shown. */
  refresh() {
    const frames = this.view.frames.map((_, frame) => counted(this.meetings, this.focus, frame));
    this.bars = frames.map(({ pairs }) => pairs);
    this.depths = frames.map(({ worst }) => worst?.meeting.depth ?? 0);
    const what = this.view.beads ? "clashes" : "touching pairs";
    const part = this.focus.isolated ? " of the chosen two" : this.focus.hidden.size > 0 ? " of what is shown" : "";
    this.key.textContent = `${what}${part}, ${count(Math.max(0, ...this.bars))} at most`;
    this.draw();
  }

  show(frame: number) {
    this.now = frame;
    this.canvas.setAttribute("aria-valuenow", String(frame));
    this.draw();
  }

  /** Draws bars for pairs, a line for the depth, where animations end, and above all the current frame. */
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
    const step = width / this.bars.length;
    const spans = animationSpans(this.view);
    const top = spans.length > 1 ? NAMES : 2;
    const most = this.bars.reduce((a, b) => Math.max(a, b), 1);
    context.fillStyle = color("--contact");
    this.bars.forEach((pairs, i) => {
      // A bar that is not zero has at least two pixels.
      const bar = pairs === 0 ? 0 : Math.max(2, (pairs / most) * (height - top));
      context.fillRect(i * step, height - bar, Math.max(step - (step > 4 ? 1 : 0), 0.5), bar);
    });
    if (this.meetings.hasDepths) {
      const deepest = this.depths.reduce((a, b) => Math.max(a, b), 0) || 1;
      context.strokeStyle = color("--depth");
      context.lineWidth = 1.5;
      context.beginPath();
      this.depths.forEach((depth, i) => {
        context.lineTo((i + 0.5) * step, height - 1 - (depth / deepest) * (height - top - 2));
      });
      context.stroke();
    }
    if (spans.length > 1) this.drawSpans(context, spans, step, height, color);
    const x = (this.now + 0.5) * step;
    context.fillStyle = color("--stage-back");
    context.fillRect(x - 2.5, 0, 5, height);
    context.fillStyle = color("--front");
    context.fillRect(x - 1, 0, 2, height);
    context.beginPath();
    context.moveTo(x - 6, 0);
    context.lineTo(x + 6, 0);
    context.lineTo(x, 8);
    context.fill();
  }

  private drawSpans(
    context: CanvasRenderingContext2D,
    spans: Span[],
    step: number,
    height: number,
    color: (name: string) => string,
  ) {
    context.font = "10px system-ui, sans-serif";
    for (const { name, first, end } of spans) {
      if (first > 0) {
        context.fillStyle = color("--soft");
        context.fillRect(first * step - 0.5, 0, 1, height);
      }
      const room = (end - first) * step - 6;
      if (room < 24) continue;
      let text = name;
      while (text.length > 1 && context.measureText(text).width > room) text = `${text.slice(0, -2)}…`;
      context.fillStyle = color("--front");
      context.fillText(text, first * step + 3, NAMES - 4);
    }
  }
}

interface Span {
  name: string;
  first: number;
  end: number;
}

/** Frames of one animation after the other. */
export function animationSpans(view: View): Span[] {
  const spans: Span[] = [];
  view.frames.forEach(({ animation }, frame) => {
    if (frame > 0 && view.frames[frame - 1].animation === animation) spans[spans.length - 1].end = frame + 1;
    else spans.push({ name: view.animations[animation] ?? "", first: frame, end: frame + 1 });
  });
  return spans;
}
