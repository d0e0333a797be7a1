/** One stream class for everything that follows the server: WebSocket first, server-sent events where it cannot pass. */

export type Link = "connecting" | "open" | "lost";

export interface StreamOptions<Event extends { cursor: string }> {
  /** The address without a cursor, starting with a slash. */
  path: string;
  /** What has been seen; asked for at every connection. */
  cursor: () => string | null;
  onEvents: (events: Event[]) => void;
  onLink: (link: Link) => void;
  /** Asked when a connection never opened: whether trying again makes sense. */
  worthRetrying: () => Promise<boolean>;
}

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 10_000;
const SPREAD = 0.3;
const LONG_HIDDEN_MS = 60_000;
/** The server's heartbeat comes every 15 s. Nothing for two of them: the connection is dead, though it looks open. */
export const SILENCE_MS = 35_000;
const LOOK_MS = 1_000;

/** How long to wait before try number `tries`, counting from 0: 1 s doubling to 10 s, give or take 30 %. */
export function delayBefore(tries: number, random: number): number {
  const base = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** tries);
  return base * (1 - SPREAD + 2 * SPREAD * random);
}

type Socket = { close: () => void };

export class EventStream<Event extends { cursor: string }> {
  readonly #options: StreamOptions<Event>;
  #socket: Socket | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #tries = 0;
  #refusedSockets = 0;
  #running = false;
  #heardAt = 0;
  #watching: ReturnType<typeof setInterval> | null = null;
  #hiddenAt = Date.now();

  constructor(options: StreamOptions<Event>) {
    this.#options = options;
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    addEventListener("online", this.#renew);
    document.addEventListener("visibilitychange", this.#seen);
    this.#watching = setInterval(this.#listen, LOOK_MS);
    this.#connect();
  }

  stop(): void {
    this.#running = false;
    if (this.#watching) clearInterval(this.#watching);
    this.#watching = null;
    removeEventListener("online", this.#renew);
    document.removeEventListener("visibilitychange", this.#seen);
    this.#drop();
  }

  /** Start again from the cursor, after a gap. */
  restart(): void {
    this.#drop();
    this.#again();
  }

  #drop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#socket?.close();
    this.#socket = null;
  }

  /** Somebody looks, or the server answered otherwise: do not sit out the delay. */
  hurry = (): void => {
    if (!this.#timer || document.hidden) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#connect();
  };

  /** What looks open may lead nowhere after another network or a long sleep, and nothing would ever say so. */
  #renew = (): void => {
    this.#drop();
    this.#connect();
  };

  /** Nothing is heard any more: what has been sent meanwhile comes over another connection. */
  #listen = (): void => {
    if (!this.#socket || Date.now() - this.#heardAt <= SILENCE_MS) return;
    this.#options.onLink("lost");
    this.#renew();
  };

  #seen = (): void => {
    if (document.hidden) this.#hiddenAt = Date.now();
    else if (Date.now() - this.#hiddenAt > LONG_HIDDEN_MS) this.#renew();
    else this.hurry();
  };

  #address(): URL {
    const address = new URL(this.#options.path, location.origin);
    const cursor = this.#options.cursor();
    if (cursor) address.searchParams.set("cursor", cursor);
    return address;
  }

  #connect(): void {
    this.#options.onLink("connecting");
    this.#heardAt = Date.now();
    this.#socket = this.#refusedSockets < 2 ? this.#webSocket() : this.#eventSource();
  }

  #webSocket(): Socket {
    const address = this.#address();
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(address);
    let opened = false;
    socket.onopen = () => {
      opened = true;
      this.#refusedSockets = 0;
      this.#options.onLink("open");
    };
    socket.onmessage = (message) => this.#hear(JSON.parse(message.data));
    socket.onclose = () => {
      if (!opened) this.#refusedSockets++;
      this.#lost(opened);
    };
    return silencing(socket, () => {
      socket.onopen = socket.onmessage = socket.onclose = null;
    });
  }

  #eventSource(): Socket {
    const source = new EventSource(this.#address());
    let opened = false;
    source.onopen = () => {
      opened = true;
      this.#options.onLink("open");
    };
    source.onmessage = (message) => this.#hear([JSON.parse(message.data)]);
    source.addEventListener("heartbeat", () => this.#hear([]));
    source.onerror = () => {
      source.close();
      if (!opened) this.#refusedSockets = 0;
      this.#lost(opened);
    };
    return source;
  }

  #hear(events: Event[]): void {
    this.#tries = 0;
    this.#heardAt = Date.now();
    if (events.length > 0) this.#options.onEvents(events);
  }

  #lost(opened: boolean): void {
    this.#socket = null;
    if (!this.#running) return;
    this.#options.onLink("lost");
    if (opened) return this.#again();
    void this.#options.worthRetrying().then((worth) => (worth ? this.#again() : this.stop()));
  }

  #again(): void {
    if (!this.#running || this.#timer || this.#socket) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        this.#connect();
      },
      delayBefore(this.#tries++, Math.random()),
    );
  }
}

function silencing(socket: WebSocket, silence: () => void): Socket {
  return {
    close: () => {
      silence();
      socket.close();
    },
  };
}
