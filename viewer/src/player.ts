// The controls for playing, stepping and speed.

import { element } from "./element";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

export class Player {
  readonly root = element("div", { class: "player" });
  private playButton = button("play", "▶", "play or pause (space)");
  private speed = element("select", { title: "speed" });
  private playing = false;
  private since = 0;
  private frame = 0;

  /** `times` are the times of the frames. `show` draws a frame. */
  constructor(
    private times: number[],
    private show: (frame: number) => void,
    busiest: () => number,
  ) {
    const back = button("back", "‹", "one frame back (←)");
    const on = button("on", "›", "one frame on (→)");
    const most = button("most", "max", "the frame with most contacts (M)");
    this.speed.id = "speed";
    for (const speed of SPEEDS) this.speed.append(new Option(`${speed}×`, String(speed)));
    this.speed.value = "1";
    this.playButton.addEventListener("click", () => this.toggle());
    back.addEventListener("click", () => this.jump(this.frame - 1));
    on.addEventListener("click", () => this.jump(this.frame + 1));
    most.addEventListener("click", () => this.jump(busiest()));
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
    this.playButton.textContent = "⏸";
    this.since = performance.now();
    requestAnimationFrame((now) => this.tick(now));
  }

  private pause() {
    this.playing = false;
    this.playButton.textContent = "▶";
  }

  private set(frame: number) {
    this.frame = frame;
    this.show(frame);
  }

  /** Advances by as many frames as fit the time that has passed. */
  private tick(now: number) {
    if (!this.playing) return;
    const span = this.times[this.times.length - 1] - this.times[0];
    // If times are numbers of frames, 30 frames per second are played.
    const typical = span / (this.times.length - 1);
    const unit = typical >= 0.5 || !(typical > 0) ? 1 / 30 / (typical || 1) : 1;
    const step = Math.max(typical * unit, 1e-3) / Number(this.speed.value);
    const passed = Math.floor((now - this.since) / 1000 / step);
    if (passed > 0) {
      this.since += passed * step * 1000;
      this.set((this.frame + passed) % this.times.length);
    }
    requestAnimationFrame((next) => this.tick(next));
  }
}

function button(id: string, text: string, title: string): HTMLButtonElement {
  const made = element("button", { text, title });
  made.id = id;
  made.setAttribute("aria-label", title);
  return made;
}
