/** One chat as the page holds it: the reducer's state, the stream that feeds it, and what a person can do to it. */

import { api, BASE } from "../../api/client.ts";
import { ApiError, reasonOf } from "../../api/errors.ts";
import { EventStream } from "../../api/stream.ts";
import type { ChatEvent, Message, Sent } from "../../api/types.ts";
import { type LocalEvent, reduce } from "../model/reducer.ts";
import { type ChatState, emptyChat, type Older, type Send } from "../model/state.ts";
import { shownMessages, shownOlder } from "../model/stretch.ts";
import { Delivery } from "./delivery.ts";
import { OpenRows } from "./opened.ts";
import type { Outbox } from "./outbox.ts";

const OLDER_PAGE = 100;
/** How many come before and after a message that somebody goes to. */
const AROUND = 40;

export type Gone = { status: number; reason: string };

export class LiveChat {
  readonly id: string;
  readonly open = new OpenRows();
  state: ChatState;
  /** Set when the chat cannot be followed any more: deleted, or no longer shared. */
  gone: Gone | null = null;
  #listeners = new Set<() => void>();
  #scheduled = false;
  #followers = 0;
  /** How often somebody went somewhere: where they went last is where they want to be, whatever comes late. */
  #ways = 0;
  #asked: Promise<unknown> = Promise.resolve();
  readonly #stream: EventStream<ChatEvent>;
  readonly #delivery: Delivery;
  readonly #outbox: Outbox | undefined;

  constructor(id: string, outbox?: Outbox) {
    this.id = id;
    this.#outbox = outbox;
    this.state = { ...emptyChat(id), sends: outbox?.left(id) ?? [] };
    this.#stream = new EventStream<ChatEvent>({
      path: `${BASE}/chats/${id}/stream`,
      cursor: () => this.state.cursor,
      onEvents: (events) => this.#hear(events),
      onLink: (connection) => {
        this.dispatch({ type: "connection", connection });
        if (connection === "open") this.hurry();
      },
      worthRetrying: () => this.#worthRetrying(),
    });
    this.#delivery = new Delivery({
      sends: () => this.state.sends,
      post: (send) => this.#post(send),
      dispatch: (event) => this.dispatch(event),
      again: () => this.hurry(),
    });
  }

  /** Follow the stream while somebody looks. */
  follow(): () => void {
    if (this.#followers++ === 0 && !this.gone) this.#stream.start();
    return () => {
      if (--this.#followers === 0) this.#stream.stop();
    };
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  dispatch(event: ChatEvent | LocalEvent): void {
    this.#set(reduce(this.state, event));
  }

  #hear(events: ChatEvent[]): void {
    this.#set(events.reduce<ChatState>(reduce, this.state));
    if (this.state.connection === "gap") this.#stream.restart();
  }

  #set(state: ChatState): void {
    if (state.sends !== this.state.sends) this.#outbox?.keep(this.id, this.state.sends, state.sends);
    this.state = state;
    this.#tell();
  }

  /** Tell React at most once a frame, however many events come. A hidden tab has no frames. */
  #tell(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    const tell = () => {
      this.#scheduled = false;
      for (const listener of this.#listeners) listener();
    };
    if (document.hidden) setTimeout(tell, 50);
    else requestAnimationFrame(tell);
  }

  async #worthRetrying(): Promise<boolean> {
    try {
      await api.get(`/chats/${this.id}`);
      return true;
    } catch (error) {
      if (!(error instanceof ApiError) || ![403, 404, 410].includes(error.status)) return true;
      this.gone = { status: error.status, reason: reasonOf(error) };
      this.#tell();
      return false;
    }
  }

  /** Ask the server for one change after the other: what somebody did first, it hears first. */
  inOrder<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    const answer = this.#asked.then(ask);
    this.#asked = answer.catch(() => {});
    return answer;
  }

  /** Say something. What was typed stays on the page until the server has it, whatever happens on the way. */
  async send(send: Send): Promise<void> {
    this.dispatch({ type: "sending", send: { ...send, state: { phase: "sending" } } });
    await this.inOrder(() => this.#delivery.run());
    if (!this.#delivery.holds) this.#stream.hurry();
  }

  /** Do not sit out the delay: what is held may go now. */
  hurry(): void {
    if (this.#delivery.holds) void this.inOrder(() => this.#delivery.run());
  }

  #post({ client_id, content, busy, model, effort, plan_mode, mentions }: Send): Promise<Sent> {
    const body = { content, busy, model, effort, plan_mode, mentions, client_id };
    return api.post(`/chats/${this.id}/messages`, body, client_id);
  }

  async loadOlder(): Promise<void> {
    const { stretch } = this.state;
    const first = shownMessages(this.state)[0];
    if (shownOlder(this.state) !== "more" || !first) return;
    const put = (older: Older, messages: readonly Message[]) => {
      // Somebody may have gone elsewhere meanwhile.
      if (shownMessages(this.state)[0] !== first) return;
      this.dispatch(stretch ? { type: "stretched", older, messages } : { type: "older", older, messages });
    };
    put("loading", []);
    try {
      const page = await this.#page({ before: first.number, limit: OLDER_PAGE });
      put(page.length < OLDER_PAGE ? "none" : "more", page);
    } catch {
      put("more", []);
    }
  }

  /** Where what is shown does not reach the end: what comes next. */
  async loadNewer(): Promise<void> {
    const last = this.state.stretch?.messages.at(-1);
    if (this.state.stretch?.newer !== "more" || !last) return;
    const put = (newer: Older, messages: readonly Message[]) => {
      if (this.state.stretch?.messages.at(-1) === last) this.dispatch({ type: "stretched", newer, messages });
    };
    put("loading", []);
    try {
      const page = await this.#page({ after: last.number, limit: OLDER_PAGE });
      put(page.length < OLDER_PAGE ? "none" : "more", page);
    } catch {
      put("more", []);
    }
  }

  /** Have a message among those that are shown, with what stands around it. */
  async goTo(number: number): Promise<void> {
    const way = ++this.#ways;
    const { stretch, messages } = this.state;
    if (holds(shownMessages(this.state), number)) return;
    if (stretch && holds(messages, number)) return this.goToEnd();
    const [before, after] = await Promise.all([
      this.#page({ before: number + 1, limit: AROUND }),
      this.#page({ after: number, limit: AROUND }),
    ]);
    if (way === this.#ways)
      this.#stretch([...before.toReversed(), ...after], before.length < AROUND, after.length < AROUND);
  }

  /** Have the very first messages among those that are shown. */
  async goToStart(): Promise<void> {
    const way = ++this.#ways;
    const { older, stretch } = this.state;
    if (shownOlder(this.state) === "none") return;
    if (stretch && older === "none") return this.goToEnd();
    const first = await this.#page({ after: 0, limit: OLDER_PAGE });
    if (way === this.#ways) this.#stretch(first, true, first.length < OLDER_PAGE);
  }

  /** Show again what reaches the end. */
  goToEnd(): void {
    this.#ways += 1;
    if (this.state.stretch) this.dispatch({ type: "stretch", stretch: null });
  }

  #stretch(messages: readonly Message[], first: boolean, last: boolean): void {
    if (messages.length === 0) return;
    const state = (ended: boolean): Older => (ended ? "none" : "more");
    this.dispatch({ type: "stretch", stretch: { messages, older: state(first), newer: state(last) } });
  }

  async #page(query: { before?: number; after?: number; limit: number }): Promise<Message[]> {
    return (await api.get(`/chats/${this.id}/messages`, query)).items;
  }
}

/** Whether a number lies among messages, which are in order. */
function holds(messages: readonly Message[], number: number): boolean {
  const [first, last] = [messages[0], messages.at(-1)];
  return first !== undefined && last !== undefined && first.number <= number && number <= last.number;
}

/** The chats held open lately, so that going back to one is instant. */
export class LiveChats {
  #held = new Map<string, LiveChat>();
  readonly #outbox: Outbox | undefined;
  readonly #most: number;

  constructor(outbox?: Outbox, most = 12) {
    this.#outbox = outbox;
    this.#most = most;
  }

  get(id: string): LiveChat {
    const held = this.#held.get(id) ?? new LiveChat(id, this.#outbox);
    this.#held.delete(id);
    this.#held.set(id, held);
    if (this.#held.size > this.#most) this.#held.delete(this.#held.keys().next().value ?? "");
    return held;
  }

  /** Send what could not be sent, of this visit and of earlier ones, in whichever chat. */
  resume(): void {
    for (const id of this.#outbox?.chats() ?? []) this.get(id).hurry();
  }
}
