// The controls for playing, stepping and speed.

import { element } from "./element";
import { icon, iconButton } from "./icons";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

export class Player {
  readonly root = element("div", { class: "player" });
  private playButton = iconButton("play", "play", "play or pause (space)", () => this.toggle());
  private speed = element("select", { title: "speed" });
  private playing = false;
  private since = 0;
  private frame = 0;
  /** Seconds per frame at speed 1. */
  private step: number;

  /** `times` are the times of the frames. `show` draws a frame. */
  constructor(
    private times: number[],
    private show: (frame: number) => void,
    deepest: () => number,
  ) {
    const back = iconButton("back", "back", "one frame back (←)", () => this.jump(this.frame - 1));
    const on = iconButton("on", "on", "one frame on (→)", () => this.jump(this.frame + 1));
    const most = iconButton("deepest", "deepest", "the deepest frame (M)", () => this.jump(deepest()));
    this.speed.id = "speed";
    for (const speed of SPEEDS) this.speed.append(new Option(`${speed}×`, String(speed)));
    this.speed.value = "1";
    this.speed.setAttribute("aria-label", "speed");
    this.step = frameStep(times);
    this.root.append(back, this.playButton, on, most, this.speed);
  }

  get current(): number {
    return this.frame;
  }

  /** Stops and shows a frame. Numbers past one end continue at the other. */
  jump(frame: number) {
    this.pause();
    this.set((frame + this.times.length) % this.times.length);
  }

  faster(steps: number) {
    const next = SPEEDS.indexOf(Number(this.speed.value)) + steps;
    if (SPEEDS[next] !== undefined) this.speed.value = String(SPEEDS[next]);
  }

  toggle() {
    if (this.playing) {
      this.pause();
      return;
    }
    if (this.times.length < 2) return;
    this.playing = true;
    this.playButton.replaceChildren(icon("pause"));
    this.since = performance.now();
    requestAnimationFrame((now) => this.tick(now));
  }

  private pause() {
    this.playing = false;
    this.playButton.replaceChildren(icon("play"));
  }

  private set(frame: number) {
    this.frame = frame;
    this.show(frame);
  }

  /** Advances by as many frames as fit the time that has passed. */
  private tick(now: number) {
    if (!this.playing) return;
    const step = this.step / Number(this.speed.value);
    const passed = Math.floor((now - this.since) / 1000 / step);
    if (passed > 0) {
      this.since += passed * step * 1000;
      this.set((this.frame + passed) % this.times.length);
    }
    requestAnimationFrame((next) => this.tick(next));
  }
}

/** The usual time between frames. If times are numbers of frames, 30 frames per second are played. */
function frameStep(times: number[]): number {
  // Every animation starts anew, so that some differences are negative.
  const steps = times.slice(1).map((time, i) => time - times[i]);
  const positive = steps.filter((step) => step > 0).sort((a, b) => a - b);
  const typical = positive[positive.length >> 1] ?? 1;
  return typical >= 0.5 ? 1 / 30 : Math.max(typical, 1e-3);
}
