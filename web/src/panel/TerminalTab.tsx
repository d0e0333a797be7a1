/** A terminal in the workspace. The shell lives there, so a reload comes back to the same one. */

import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import { t } from "../language/catalogue.ts";
import "@xterm/xterm/css/xterm.css";
import { useEffect, useRef, useState } from "react";
import { useShownTheme } from "../page/theme.ts";
import { Button } from "../ui/Button.tsx";
import { styleByCode } from "../ui/styleByCode.ts";
import { NoWorkspace } from "./NoWorkspace.tsx";
import { type Link, showShell } from "./shell.ts";

export default function TerminalTab({ workspace }: { workspace: string | undefined }) {
  if (!workspace) return <NoWorkspace />;
  return <Shells workspace={workspace} />;
}

/** One shell after another: when one ends, the next is a click away. */
function Shells({ workspace }: { workspace: string }) {
  const [count, setCount] = useState(1);
  return <Screen key={count} workspace={workspace} onAnother={() => setCount(count + 1)} />;
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

function Screen({ workspace, onAnother }: { workspace: string; onAnother: () => void }) {
  const place = useRef<HTMLDivElement>(null);
  const terminal = useRef<Terminal | null>(null);
  const theme = useShownTheme();
  const [link, setLink] = useState<Link>("open");
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const undo = styleByCode();
    const screen = new Terminal({
      fontFamily: "JetBrains Mono Variable, monospace",
      fontSize: 12.5,
      theme: colors(),
      cursorBlink: true,
    });
    const fit = new FitAddon();
    screen.loadAddon(fit);
    // Tab is the shell's, so Shift+Tab is how a keyboard leaves.
    screen.attachCustomKeyEventHandler((event) => event.key !== "Tab" || !event.shiftKey);
    screen.open(element);
    screen.textarea?.setAttribute("aria-description", t("Shift+Tab leaves the terminal."));
    fit.fit();
    terminal.current = screen;
    // Whoever clicked their way here wants to type; whoever came by the keyboard is still among the tabs.
    if (!document.activeElement?.matches(":focus-visible")) screen.focus();
    const hide = showShell(workspace, screen, setLink);
    const observer = new ResizeObserver(() => fit.fit());
    observer.observe(element);
    return () => {
      observer.disconnect();
      hide();
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
      <LinkNote link={link} onAnother={onAnother} />
      <div ref={place} className="terminal-place" />
    </div>
  );
}

const WORDS: Record<Exclude<Link, "open">, string> = {
  lost: t("Reconnecting…"),
  ended: t("The shell has exited."),
  stopped: t("The workspace is stopped."),
  refused: t("You no longer have access to this workspace."),
};

function LinkNote({ link, onAnother }: { link: Link; onAnother: () => void }) {
  if (link === "open") return null;
  return (
    <p className="panel-note quiet spread" role="status">
      {WORDS[link]}
      {(link === "ended" || link === "stopped") && (
        <Button small onClick={onAnother}>
          {link === "ended" ? t("Open a new shell") : t("Start workspace")}
        </Button>
      )}
    </p>
  );
}
