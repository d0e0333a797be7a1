import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { delayBefore, EventStream, SILENCE_MS } from "./stream.ts";

test("the delay doubles from one second to ten", () => {
  expect([0, 1, 2, 3, 4, 9].map((tries) => delayBefore(tries, 0.5))).toEqual([
    1000, 2000, 4000, 8000, 10000, 10000,
  ]);
});

test("the delay is spread by thirty percent either way", () => {
  expect([delayBefore(0, 0), delayBefore(0, 1)].map(Math.round)).toEqual([700, 1300]);
});

/** As much of a browser as a stream needs: a window that hears of the network, a page that is seen or not, sockets. */
class Browser {
  readonly window = new EventTarget();
  readonly page = Object.assign(new EventTarget(), { hidden: false });
  readonly sockets: {
    address: string;
    closed: boolean;
    onopen?: () => void;
    onmessage?: (message: { data: string }) => void;
  }[] = [];

  constructor() {
    const { window, page, sockets } = this;
    vi.stubGlobal("addEventListener", window.addEventListener.bind(window));
    vi.stubGlobal("removeEventListener", window.removeEventListener.bind(window));
    vi.stubGlobal("document", page);
    vi.stubGlobal("location", { origin: "http://127.0.0.1" });
    vi.stubGlobal(
      "WebSocket",
      class {
        closed = false;
        address: string;
        constructor(address: URL) {
          this.address = address.search;
          sockets.push(this);
        }
        close() {
          this.closed = true;
        }
      },
    );
  }

  sees(hidden: boolean): void {
    this.page.hidden = hidden;
    this.page.dispatchEvent(new Event("visibilitychange"));
  }
  get open(): string[] {
    return this.sockets.filter((socket) => !socket.closed).map((socket) => socket.address);
  }
}

let browser: Browser;
let stream: EventStream<{ cursor: string }>;
let links: string[];
beforeEach(() => {
  links = [];
  vi.useFakeTimers();
  browser = new Browser();
  stream = new EventStream({
    path: "/stream",
    cursor: () => `c${browser.sockets.length}`,
    onEvents: () => {},
    onLink: (link) => links.push(link),
    worthRetrying: () => Promise.resolve(true),
  });
  stream.start();
  browser.sockets[0]?.onopen?.();
});
afterEach(() => {
  stream.stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("when the network is back, a socket that looks open is not trusted: another goes on from the cursor", () => {
  browser.window.dispatchEvent(new Event("online"));
  expect(browser.sockets).toHaveLength(2);
  expect(browser.open).toEqual(["?cursor=c1"]);
});

test("a page that is seen again after a minute connects anew, after a moment it does not", () => {
  browser.sees(true);
  vi.advanceTimersByTime(1_000);
  browser.sees(false);
  expect(browser.sockets).toHaveLength(1);
  browser.sees(true);
  for (let beat = 0; beat < 4; beat++) {
    vi.advanceTimersByTime(15_250);
    browser.sockets[0]?.onmessage?.({ data: "[]" });
  }
  browser.sees(false);
  expect(browser.open).toEqual(["?cursor=c1"]);
});

test("a socket that says nothing for two heartbeats is replaced by another, from the cursor", () => {
  vi.advanceTimersByTime(SILENCE_MS - 5_000);
  browser.sockets[0]?.onmessage?.({ data: "[]" });
  vi.advanceTimersByTime(SILENCE_MS - 5_000);
  expect(browser.sockets).toHaveLength(1);
  vi.advanceTimersByTime(10_000);
  expect(links.slice(-2)).toEqual(["lost", "connecting"]);
  expect(browser.open).toEqual(["?cursor=c1"]);
});
