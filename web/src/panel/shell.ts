/** One shell of a workspace over a WebSocket: bytes both ways, resumed where they broke off. */

import type { Terminal } from "@xterm/xterm";
import { BASE } from "../api/client.ts";
import { freshId } from "../api/freshId.ts";
import { delayBefore } from "../api/stream.ts";

/** `ended`: the shell is over. `stopped`: its workspace is. `refused`: one may not look any more. */
export type Link = "open" | "lost" | "ended" | "stopped" | "refused";

const ENDS: Record<number, Link> = { 1000: "ended", 4403: "refused", 4409: "stopped" };
const utf8 = new TextEncoder();

/** Show the shell on the screen until the returned function is called. */
export function showShell(workspace: string, screen: Terminal, onLink: (link: Link) => void): () => void {
  const session = sessionOf(workspace);
  let offset = 0;
  let tries = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let socket: WebSocket | null = null;
  /** Typed while nothing is open: the shell gets it as soon as it can. */
  let typed = "";
  const say = (data: string | Uint8Array<ArrayBuffer>) => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(data);
  };
  const type = (text: string) => {
    typed += text;
    if (socket?.readyState !== WebSocket.OPEN) return;
    say(utf8.encode(typed));
    typed = "";
  };
  const size = () => say(JSON.stringify({ resize: { cols: screen.cols, rows: screen.rows } }));
  const opened = () => {
    tries = 0;
    onLink("open");
    size();
    if (typed) type("");
  };
  const hear = (data: string | ArrayBuffer) => {
    if (typeof data === "string") {
      const { offset: next } = JSON.parse(data) as { offset: number };
      // Bytes were dropped, or it is another shell: what stands there does not lead to what comes.
      if (next !== offset) screen.reset();
      offset = next;
    } else {
      offset += data.byteLength;
      screen.write(new Uint8Array(data));
    }
  };
  const closed = (code: number) => {
    const end = ENDS[code];
    onLink(end ?? "lost");
    if (end) forget(workspace);
    else timer = setTimeout(open, delayBefore(tries++, Math.random()));
  };
  function open() {
    socket = new WebSocket(addressOf(workspace, session, offset));
    socket.binaryType = "arraybuffer";
    socket.onopen = opened;
    socket.onmessage = (message) => hear(message.data as string | ArrayBuffer);
    socket.onclose = (event) => closed(event.code);
  }
  const input = screen.onData(type);
  const resized = screen.onResize(size);
  open();
  return () => {
    clearTimeout(timer);
    input.dispose();
    resized.dispose();
    if (socket) socket.onclose = null;
    socket?.close();
  };
}

function addressOf(workspace: string, session: string, offset: number): URL {
  const address = new URL(`${BASE}/workspaces/${workspace}/terminal`, location.origin);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  address.search = String(new URLSearchParams({ session, offset: String(offset) }));
  return address;
}

const keyOf = (workspace: string) => `terminal:${workspace}`;

/** A tab has a shell of its own, and the same one after a reload. */
function sessionOf(workspace: string): string {
  const kept = sessionStorage.getItem(keyOf(workspace)) ?? freshId();
  sessionStorage.setItem(keyOf(workspace), kept);
  return kept;
}

function forget(workspace: string): void {
  sessionStorage.removeItem(keyOf(workspace));
}
