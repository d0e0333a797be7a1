/** A terminal in the workspace. The shell lives there, so a reload comes back to the same one. */

import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { useEffect, useRef, useState } from "react";
import { BASE } from "../api/client.ts";
import { delayBefore } from "../api/stream.ts";
import { useTheme } from "../app/theme.ts";
import { adoptStyles } from "../ui/adoptStyles.ts";
import { NoWorkspace } from "./NoWorkspace.tsx";

export default function TerminalTab({ workspace }: { workspace: string | undefined }) {
  if (!workspace) return <NoWorkspace />;
  return <Screen workspace={workspace} />;
}

function colors(): Record<string, string> {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(name).trim();
  return {
    background: read("--sunken"),
    foreground: read("--text"),
    cursor: read("--accent"),
    selectionBackground: read("--line-strong"),
    black: read("--text"),
    red: read("--bad"),
    green: read("--good"),
    yellow: read("--warn"),
    blue: read("--hl-title"),
    magenta: read("--hl-keyword"),
    cyan: read("--accent"),
    white: read("--muted"),
  };
}

function Screen({ workspace }: { workspace: string }) {
  const place = useRef<HTMLDivElement>(null);
  const terminal = useRef<Terminal | null>(null);
  const theme = useTheme();
  const [link, setLink] = useState<"open" | "lost">("open");
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const undo = adoptStyles(element);
    const screen = new Terminal({
      fontFamily: "JetBrains Mono Variable, monospace",
      fontSize: 12.5,
      theme: colors(),
      cursorBlink: true,
    });
    const fit = new FitAddon();
    screen.loadAddon(fit);
    screen.open(element);
    fit.fit();
    terminal.current = screen;
    const pipe = connect(workspace, screen, setLink);
    const observer = new ResizeObserver(() => fit.fit());
    observer.observe(element);
    return () => {
      observer.disconnect();
      pipe();
      screen.dispose();
      undo();
    };
  }, [workspace]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are read from the page's theme
  useEffect(() => {
    if (terminal.current) terminal.current.options.theme = colors();
  }, [theme]);
  return (
    <div className="terminal">
      {link === "lost" && <p className="panel-note quiet">Connecting again…</p>}
      <div ref={place} className="terminal-place" />
    </div>
  );
}

/** Bytes both ways; what was already shown is not asked for again. */
function connect(workspace: string, screen: Terminal, onLink: (link: "open" | "lost") => void): () => void {
  const session = sessionOf(workspace);
  let offset = 0;
  let tries = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let socket: WebSocket | null = null;
  const size = () =>
    socket?.readyState === WebSocket.OPEN &&
    socket.send(JSON.stringify({ resize: { cols: screen.cols, rows: screen.rows } }));
  const open = () => {
    const address = new URL(`${BASE}/workspaces/${workspace}/terminal`, location.origin);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    address.search = String(new URLSearchParams({ session, offset: String(offset) }));
    socket = new WebSocket(address);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      tries = 0;
      onLink("open");
      size();
    };
    socket.onmessage = (message) => {
      if (typeof message.data === "string") {
        offset = (JSON.parse(message.data) as { offset: number }).offset;
        return;
      }
      const bytes = new Uint8Array(message.data as ArrayBuffer);
      offset += bytes.length;
      screen.write(bytes);
    };
    socket.onclose = () => {
      onLink("lost");
      timer = setTimeout(open, delayBefore(tries++, Math.random()));
    };
  };
  const input = screen.onData(
    (text) => socket?.readyState === WebSocket.OPEN && socket.send(new TextEncoder().encode(text)),
  );
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

function sessionOf(workspace: string): string {
  const key = `terminal:${workspace}`;
  const kept = sessionStorage.getItem(key) ?? crypto.randomUUID();
  sessionStorage.setItem(key, kept);
  return kept;
}
