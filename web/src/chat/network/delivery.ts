/** Getting what was said to the server: in the order it was said, each once, however long the server is away. */

import { isAway, isSignedOut, reasonOf } from "../../api/errors.ts";
import { delayBefore } from "../../api/stream.ts";
import type { Sent } from "../../api/types.ts";
import type { LocalEvent } from "../model/reducer.ts";
import type { Send } from "../model/state.ts";

interface Way {
  sends: () => readonly Send[];
  /** Hands one over. Handing it over again is safe: the server knows it by its key. */
  post: (send: Send) => Promise<Sent>;
  dispatch: (event: LocalEvent) => void;
  /** Called when it is time to try again. */
  again: () => void;
}

export class Delivery {
  readonly #way: Way;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #tries = 0;

  constructor(way: Way) {
    this.#way = way;
  }

  get holds(): boolean {
    return this.#way.sends().some((send) => send.state.phase === "held");
  }

  /** Send what is not sent yet, the oldest first, until the server cannot be reached. */
  async run(): Promise<void> {
    clearTimeout(this.#timer);
    for (let next = this.#next(); next; next = this.#next()) {
      if (await this.#arrived(next)) continue;
      this.#timer = setTimeout(this.#way.again, delayBefore(this.#tries++, Math.random()));
      return;
    }
    this.#tries = 0;
  }

  #next(): Send | undefined {
    return this.#way.sends().find(({ state }) => state.phase === "sending" || state.phase === "held");
  }

  async #arrived(send: Send): Promise<boolean> {
    const { client_id } = send;
    try {
      this.#way.dispatch({ type: "sent", client_id, sent: await this.#way.post(send) });
      return true;
    } catch (error) {
      if (isAway(error) || isSignedOut(error)) {
        this.#way.dispatch({ type: "sends_held" });
        return false;
      }
      this.#way.dispatch({ type: "send_failed", client_id, reason: reasonOf(error) });
      return true;
    }
  }
}
