/** One chat as the page holds it: the reducer's state, the stream that feeds it, and what a person can do to it. */

import { api, BASE } from "../api/client.ts";
import { ApiError, reasonOf } from "../api/errors.ts";
import { EventStream } from "../api/stream.ts";
import type { ChatEvent, Message, Page, Sent } from "../api/types.ts";
import { Delivery } from "./delivery.ts";
import type { Outbox } from "./outbox.ts";
import { type LocalEvent, reduce } from "./reducer.ts";
import { type ChatState, emptyChat, type Send } from "./state.ts";

const OLDER_PAGE = 100;

export type Gone = { status: number; reason: string };

export class LiveChat {
  readonly id: string;
  state: ChatState;
  /** Set when the chat cannot be followed any more: deleted, or no longer shared. */
  gone: Gone | null = null;
  #listeners = new Set<() => void>();
  #scheduled = false;
  #followers = 0;
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

  #post({ client_id, content, busy, model, effort, plan_mode }: Send): Promise<Sent> {
    const body = { content, busy, model, effort, plan_mode, client_id };
    return api.post<Sent>(`/chats/${this.id}/messages`, body, client_id);
  }

  async loadOlder(): Promise<void> {
    const first = this.state.messages[0];
    if (this.state.older !== "more" || !first) return;
    this.dispatch({ type: "older", older: "loading", messages: [] });
    try {
      const page = await api.get<Page<Message>>(`/chats/${this.id}/messages`, {
        before: first.number,
        limit: OLDER_PAGE,
      });
      const older = page.items.length < OLDER_PAGE ? "none" : "more";
      this.dispatch({ type: "older", older, messages: page.items });
    } catch {
      this.dispatch({ type: "older", older: "more", messages: [] });
    }
  }
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
