/** A small honest server for the reducer's tests: it keeps rows, and serves a stream from any cursor it ever gave. */

import type {
  ChatEvent,
  Delta,
  Message,
  MessagePartEvent,
  QueuedMessage,
  RetryState,
  Status,
} from "../../api/types.ts";

export type Step =
  | "say"
  | "delta"
  | "newPart"
  | "toolCall"
  | "commit"
  | "retry"
  | "fail"
  | "edit"
  | "enqueue"
  | "promote"
  | "rename"
  | "revise";
export const STEPS: Step[] = [
  "say",
  "delta",
  "newPart",
  "toolCall",
  "commit",
  "retry",
  "fail",
  "edit",
  "enqueue",
  "promote",
  "rename",
  "revise",
];

interface Row {
  message: Message;
  deleted_in?: number;
}
interface Seen {
  revision: number;
  number: number;
  history: number;
  attempt: number;
  seq: number;
}

const AT = "2026-01-01T00:00:00Z";

export class ModelServer {
  #rows: Row[] = [];
  #queue: QueuedMessage[] = [];
  #snapshot = 0;
  #history = 0;
  #attempt = 0;
  #log: Delta[] = [];
  #index = 0;
  #next = 1;
  #queued = 1;
  #status: Status = "waiting";
  #retry: RetryState | null = null;
  #title = "untitled";

  /** One thing that may happen to a chat. What makes no sense now does nothing. */
  step(step: Step, text: string): void {
    const running = this.#status === "running";
    if (step === "say" && !running) this.#say(text);
    if (running && (step === "delta" || step === "newPart" || step === "toolCall")) this.#delta(step, text);
    if (step === "commit" && running) this.#commit();
    if (step === "retry" && running) this.#again();
    if (step === "fail" && running) this.#fail();
    if (step === "edit" && !running) this.#edit(text);
    if (step === "enqueue" && running) this.#enqueue(text);
    if (step === "promote" && !running) this.#promote();
    if (step === "rename") this.#title = text;
    if (step === "revise") this.#revise(text);
  }

  /** What a stream sends to a client that has seen everything up to `cursor`. `merge` joins parts of a backlog. */
  follow(cursor: string | null, merge: boolean): ChatEvent[] {
    const seen: Seen = cursor
      ? JSON.parse(cursor)
      : { revision: 0, number: 0, history: 0, attempt: 0, seq: 0 };
    const events: ChatEvent[] = [];
    const hidden = this.#rows
      .filter((row) => (row.deleted_in ?? 0) > seen.revision)
      .map((row) => row.message.number);
    if (hidden.length > 0) {
      events.push({
        type: "history_reset",
        after: Math.min(...hidden) - 1,
        cursor: cursor ?? JSON.stringify(seen),
      });
    }
    for (const message of this.#unseen(seen)) {
      const { revision, number } = message;
      events.push({ type: "message", message, cursor: JSON.stringify({ ...seen, revision, number }) });
    }
    const read = { ...seen, revision: Math.max(seen.revision, this.#newest()), number: this.#next };
    const before = JSON.stringify(read);
    events.push({ type: "queue_update", queue: [...this.#queue], cursor: before });
    events.push({ type: "status", status: this.#status, cursor: before });
    events.push({ type: "retry", retry: this.#retry, cursor: before });
    events.push({ type: "chat", chat: this.#card(), cursor: before });
    const same = seen.history === this.#history && seen.attempt === this.#attempt;
    const here = { ...read, history: this.#history, attempt: this.#attempt, seq: same ? seen.seq : 0 };
    // Only this event moves the cursor to another episode: a cut before it must bring it again.
    if (!same) events.push({ type: "preview_reset", cursor: JSON.stringify(here) });
    return [...events, ...this.#parts(here.seq, merge, here)];
  }

  #unseen(seen: Seen): Message[] {
    return this.#rows
      .filter((row) => row.deleted_in === undefined)
      .map((row) => row.message)
      .filter((message) => after(message, seen))
      .sort((a, b) => a.revision - b.revision || a.number - b.number);
  }

  #parts(from: number, merge: boolean, here: object): MessagePartEvent[] {
    const out: MessagePartEvent[] = [];
    for (let seq = from + 1; seq <= this.#log.length; seq++) {
      const part = this.#log[seq - 1] as Delta;
      const last = out.at(-1);
      const cursor = JSON.stringify({ ...here, seq });
      const joined = merge && last ? join(last.part, part) : null;
      if (last && joined) {
        out[out.length - 1] = { ...last, part: joined, seq_from: last.seq_from ?? last.seq, seq, cursor };
      } else {
        const role = "assistant";
        out.push({
          type: "message_part",
          role,
          part,
          history_version: this.#history,
          attempt: this.#attempt,
          seq,
          cursor,
        });
      }
    }
    return out;
  }

  #newest(): number {
    return this.#rows.reduce((newest, row) => Math.max(newest, row.message.revision), 0);
  }

  #append(role: "user" | "assistant", parts: Message["parts"], extra: Partial<Message> = {}): void {
    const message = { number: this.#next++, revision: this.#snapshot, created_at: AT, role, parts, ...extra };
    this.#rows.push({ message });
  }

  #change(): void {
    this.#history = ++this.#snapshot;
    this.#attempt = 0;
    this.#log = [];
    this.#retry = null;
  }

  #run(): void {
    this.#status = "running";
    this.#attempt = 1;
    this.#index = 0;
  }

  #say(text: string): void {
    this.#change();
    this.#append("user", [{ type: "text", text }], { client_id: `c${this.#next}` });
    this.#run();
  }

  #delta(step: Step, text: string): void {
    if (step !== "delta") this.#index++;
    const index = this.#index;
    const call = step === "toolCall" || this.#log.some((d) => d.index === index && d.type === "tool_call");
    const opening = !this.#log.some((d) => d.index === index);
    if (call) {
      const id = opening ? { call_id: `k${index}`, tool: "execute" } : {};
      this.#log.push({ type: "tool_call", index, args_delta: text, ...id });
    } else this.#log.push({ type: "text", index, text });
  }

  #commit(): void {
    const parts = new Map<number, string>();
    for (const delta of this.#log)
      if (delta.type === "text") parts.set(delta.index, (parts.get(delta.index) ?? "") + delta.text);
    this.#change();
    this.#append(
      "assistant",
      [...parts.values()].map((text) => ({ type: "text" as const, text })),
    );
    this.#status = "waiting";
  }

  #again(): void {
    this.#snapshot++;
    this.#attempt++;
    this.#log = [];
    this.#index = 0;
    this.#retry = {
      attempt: this.#attempt,
      delay_ms: 1000,
      error: "busy",
      kind: "overloaded",
      retrying_at: AT,
    };
  }

  #fail(): void {
    this.#change();
    this.#status = "error";
  }

  #edit(text: string): void {
    const users = this.#rows.filter((row) => row.message.role === "user" && row.deleted_in === undefined);
    const edited = users[text.length % Math.max(1, users.length)];
    if (!edited) return;
    this.#change();
    for (const row of this.#rows) {
      if (row.message.number >= edited.message.number) row.deleted_in ??= this.#snapshot;
    }
    this.#append("user", [{ type: "text", text }]);
    this.#run();
  }

  #enqueue(text: string): void {
    const number = this.#queued++;
    this.#snapshot++;
    this.#queue.push({ number, parts: [{ type: "text", text }], created_at: AT, client_id: `q${number}` });
  }

  #promote(): void {
    const [head, ...rest] = this.#queue;
    if (!head) return;
    this.#change();
    this.#queue = rest;
    this.#append("user", head.parts, { client_id: head.client_id, queued_as: head.number });
    this.#run();
  }

  #revise(text: string): void {
    const alive = this.#rows.filter((row) => row.deleted_in === undefined);
    const row = alive[text.length % Math.max(1, alive.length)];
    if (!row || this.#status === "running") return;
    this.#change();
    row.message = { ...row.message, revision: this.#snapshot, cost: text.length };
  }

  #card() {
    const status = this.#status;
    return { id: "chat", owner_id: "me", title: this.#title, status, created_at: AT, updated_at: AT };
  }
}

function after(message: Message, seen: Seen): boolean {
  return (
    message.revision > seen.revision || (message.revision === seen.revision && message.number > seen.number)
  );
}

function join(a: Delta, b: Delta): Delta | null {
  if (a.index !== b.index) return null;
  if (a.type === "text" && b.type === "text") return { ...a, text: `${a.text ?? ""}${b.text ?? ""}` };
  if (a.type === "tool_call" && b.type === "tool_call") {
    return { ...a, args_delta: `${a.args_delta ?? ""}${b.args_delta ?? ""}` };
  }
  return null;
}
