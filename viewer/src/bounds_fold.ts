// The controls for bounds: which level, and all or only those that the query visited.

import { LOOSEST, tightnessColor } from "./bounds";
import { count, element, fold } from "./element";
import type { View } from "./format";

/** Shows a level of bounds by its depth, or none. Returns how many volumes exist and how many are drawn. */
export type SetBounds = (depth: number | null, onlyVisited: boolean) => { all: number; drawn: number };

export class BoundsFold {
  readonly root: HTMLElement;
  private level = element("select");
  private onlyVisited = element("input");
  private volumes = element("p", { class: "note" });

  constructor(
    view: View,
    private setBounds: SetBounds,
  ) {
    const deepest = Math.max(0, ...view.objects.map((object) => object.levels.length));
    this.level.id = "level";
    this.level.append(new Option("no bounds", ""));
    for (let depth = 0; depth < deepest; depth++) this.level.append(new Option(`level ${depth}`, String(depth)));
    this.onlyVisited.type = "checkbox";
    this.onlyVisited.id = "visited";
    for (const control of [this.level, this.onlyVisited]) control.addEventListener("change", () => this.show());
    const scale = element("div", { class: "scale" });
    for (let i = 0; i <= 8; i++) {
      const piece = element("span");
      piece.style.background = `#${tightnessColor(1 + ((LOOSEST - 1) * i) / 8).getHexString()}`;
      scale.append(piece);
    }
    let [all, held] = [0, 0];
    for (const { treeNodes, levels } of view.objects) {
      all += treeNodes;
      held += levels.reduce((sum, { nodes }) => sum + nodes.length, 0);
    }
    const omitted = `This page holds the bounds of ${count(held)} of ${count(all)} nodes, the first levels of the trees.`;
    this.root = fold(
      "bounds-fold",
      "Bounds",
      element("label", { class: "row" }, "show ", this.level),
      element("label", { class: "row" }, this.onlyVisited, " only those the query looked at"),
      element("div", { class: "row scale-row" }, "as tight as at rest", scale, `${LOOSEST}× looser`),
      this.volumes,
      element("p", { class: "note", text: held < all ? omitted : "" }),
    );
    this.root.hidden = deepest === 0;
  }

  /** Shows the next level of bounds; after the last one, none. */
  next() {
    this.level.selectedIndex = (this.level.selectedIndex + 1) % this.level.length;
    this.show();
  }

  show() {
    const depth = this.level.value === "" ? null : Number(this.level.value);
    const { all, drawn } = this.setBounds(depth, this.onlyVisited.checked);
    this.volumes.textContent = depth === null ? "" : `${count(drawn)} of ${count(all)} volumes`;
  }
}
