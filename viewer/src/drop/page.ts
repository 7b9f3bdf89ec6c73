// The page without the program: a file is dropped, a worker finds its contacts, the page shows them.

import { element, some } from "../element";
import type { View } from "../format";
import type { MeshData } from "../glb";
import type { Answer, Found, Opened, Question, State } from "./messages";
import { viewOf } from "./view_of";
import "./style.css";

const MODEL_TYPES = ".glb,.gltf,.vrm,.obj,.ply,.stl,.md2";

/** Shows a view in an element, in place of what it shows now. */
type Build = (root: HTMLElement, view: View, meshes: MeshData[] | null) => void;

const textOf = (id: string) => document.getElementById(id)?.textContent ?? "";

/** Whether this page carries the module, and so needs no program. */
export const hasModule = () => document.getElementById("pliant-module") !== null;

export class DropPage {
  private worker: Worker | null = null;
  private file: { name: string; bytes: ArrayBuffer } | null = null;
  private opened: Opened | null = null;
  private found: Found[] = [];
  private bar = element("div", { class: "drop-bar" });
  private choose = element("input");
  private animation = element("select", { title: "animation" });
  private self = element("input");
  private progress = element("progress");
  private status = element("span");
  private cancel = element("button", { text: "Cancel" });
  private address: string;

  constructor(
    private root: HTMLElement,
    private build: Build,
  ) {
    this.address = URL.createObjectURL(new Blob([textOf("pliant-worker")], { type: "text/javascript" }));
    this.choose.type = "file";
    this.choose.accept = MODEL_TYPES;
    this.choose.id = "choose";
    this.animation.id = "animation";
    this.self.type = "checkbox";
    this.self.id = "self";
    this.self.checked = true;
    this.cancel.id = "cancel";
    this.status.id = "status";
    this.choose.addEventListener("change", () => this.choose.files?.[0] && this.open(this.choose.files[0]));
    for (const control of [this.animation, this.self]) control.addEventListener("change", () => this.ask());
    this.cancel.addEventListener("click", () => this.end("cancelled"));
    this.idle();
    const own = element("label", {}, this.self, "with itself");
    this.bar.append(this.choose, this.animation, own, this.progress, this.status, this.cancel);
    this.animation.hidden = true;
    const words = element("p", { text: "Drop a GLB here, or choose a file. Where does it touch itself, and where do its parts touch?" });
    const promise = element("p", { class: "note", text: "Everything happens on this machine. The page sends nothing, and works without a network." });
    this.root.replaceChildren(element("div", { class: "drop-here" }, element("h1", { text: "pliant" }), words, this.bar, promise));
    this.takeDrops();
    this.prepare();
    document.body.dataset.ready = "0";
  }

  /** Draws something small, out of sight: the first file then finds graphics and shaders ready. */
  private prepare() {
    const { title } = document;
    const corners = [new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]), new Float32Array([0, 0, -1, 1, 0, 1, 0, 1, 1])];
    const none = { targets: [], influences: 0, joints: new Uint32Array(), weights: new Float32Array() };
    const objects = corners.map((positions, number) => ({ ...none, name: `${number}`, deformation: "rigid", positions, triangles: new Uint32Array([0, 1, 2]) }));
    const opened: Opened = { kind: "opened", version: "", objects, animations: [], warnings: [], frames: 1 };
    const state: State = { frame: new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]), weights: new Float32Array(), joints: new Float32Array() };
    const found: Found = {
      kind: "found",
      time: 0,
      states: [state, state],
      pairs: new Uint32Array([0, 0, 1, 0]),
      pairsFound: 1,
      segments: new Float32Array([0.1, 0.1, 0, 0.5, 0.1, 0]),
      contacts: [{ objects: [0, 1], pairs: 1, kind: "crossing", depth: 0.1, at: [0.1, 0.1, 0], bones: [] }],
      work: { bounds: 0, overlap_tests: 0, primitive_tests: 0, seconds: 0 },
    };
    this.build(element("div"), viewOf("", opened, 0, [found]), objects);
    document.title = title;
  }

  private takeDrops() {
    const mark = (on: boolean) => document.body.classList.toggle("dragging", on);
    window.addEventListener("dragover", (event) => {
      event.preventDefault();
      mark(true);
    });
    window.addEventListener("dragleave", () => mark(false));
    window.addEventListener("drop", (event) => {
      event.preventDefault();
      mark(false);
      const file = event.dataTransfer?.files[0];
      if (file) this.open(file);
    });
  }

  /** Reads a file; its first animation is asked for. */
  private async open(file: File) {
    this.end("reading");
    this.file = { name: file.name, bytes: await file.arrayBuffer() };
    this.animation.replaceChildren();
    this.ask();
  }

  /** Lets a new worker find the contacts. */
  private ask() {
    if (!this.file) return;
    this.end("reading");
    [this.opened, this.found] = [null, []];
    this.worker = new Worker(this.address);
    this.worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => this.take(data));
    this.worker.addEventListener("error", (event) => this.fail(event.message || "the worker does not start"));
    const { name, bytes } = this.file;
    const animation = Math.max(this.animation.selectedIndex, 0);
    const question: Question = { module: textOf("pliant-module"), bytes, name, selfContacts: this.self.checked, animation };
    this.worker.postMessage(question);
    this.progress.hidden = this.cancel.hidden = false;
    this.progress.removeAttribute("value");
  }

  private take(answer: Answer) {
    switch (answer.kind) {
      case "opened":
        this.opened = answer;
        if (this.animation.options.length === 0) this.animation.append(...answer.animations.map((name) => new Option(name)));
        this.animation.hidden = answer.animations.length < 2;
        break;
      case "found":
        this.found.push(answer);
        this.progress.value = this.found.length / (this.opened?.frames ?? 1);
        this.status.textContent = `${this.found.length} of ${some(this.opened?.frames ?? 0, "frame")}`;
        // The first frame shows where things touch; the others come together.
        if (this.found.length === 1) this.show();
        break;
      case "done":
        this.end("");
        break;
      case "problem":
        this.fail(answer.text);
    }
  }

  /** Ends the worker. What was found stays. */
  private end(status: string) {
    this.worker?.terminate();
    const ran = this.worker !== null;
    this.worker = null;
    this.idle();
    this.status.className = "note";
    this.status.textContent = status;
    if (ran && this.found.length > 1) this.show();
  }

  private fail(text: string) {
    this.end("");
    this.status.className = "problem";
    this.status.textContent = text;
  }

  private idle() {
    this.progress.hidden = this.cancel.hidden = true;
  }

  private show() {
    if (!this.opened || !this.file) return;
    const view = viewOf(this.file.name, this.opened, Math.max(this.animation.selectedIndex, 0), this.found);
    this.build(this.root, view, this.opened.objects);
    this.root.querySelector("header > code")?.replaceWith(this.bar);
    document.body.dataset.frames = String(this.found.length);
  }
}
