/** The page's side of the frame that draws diagrams: made when the first one is shown, and kept. */

import { t } from "../language/catalogue.ts";
import { type Drawn, READY, type Wanted } from "./messages.ts";

const PATIENCE_MS = 30_000;
/** Without an origin what is in the frame reaches nothing of the page. The development server serves no such frame. */
const SANDBOX = import.meta.env.DEV ? "allow-scripts allow-same-origin" : "allow-scripts";

type Drawing = Omit<Wanted, "request">;

class Drawer {
  readonly #frame = document.createElement("iframe");
  readonly #ready: Promise<void>;
  #waiting = new Map<number, (drawn: Drawn) => void>();
  #requests = 0;

  constructor() {
    const frame = this.#frame;
    frame.className = "drawer";
    frame.title = "Diagrams";
    frame.tabIndex = -1;
    frame.ariaHidden = "true";
    frame.setAttribute("sandbox", SANDBOX);
    this.#ready = new Promise((resolve) => {
      addEventListener("message", ({ source, data }: MessageEvent<Drawn | typeof READY>) => {
        if (source !== frame.contentWindow) return;
        if (data === READY) resolve();
        else this.#waiting.get(data.request)?.(data);
      });
    });
    frame.src = "/diagram.html";
    document.body.append(frame);
  }

  async draw(drawing: Drawing): Promise<Drawn> {
    const request = this.#requests++;
    const answer = new Promise<Drawn>((resolve) => this.#waiting.set(request, resolve));
    const late = new Promise<Drawn>((resolve) =>
      setTimeout(resolve, PATIENCE_MS, { request, reason: t("Drawing timed out.") }),
    );
    // A frame without an origin can only be told by saying it to whoever is in it.
    void this.#ready.then(() => this.#frame.contentWindow?.postMessage({ ...drawing, request }, "*"));
    return Promise.race([answer, late]).finally(() => this.#waiting.delete(request));
  }
}

let drawer: Drawer | undefined;

export function draw(drawing: Drawing): Promise<Drawn> {
  drawer ??= new Drawer();
  return drawer.draw(drawing);
}
