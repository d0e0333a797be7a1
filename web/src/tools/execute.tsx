/** Commands: what was run, its live output, and how it ended. */

import { ListTree, ScrollText, Terminal, Zap } from "lucide-react";
import { type Call, structured, textField } from "../chat/calls.ts";
import { Output } from "./Output.tsx";
import { outputOf, type Renderer, tense } from "./renderer.ts";

interface Ran {
  output: string;
  exit_code: number | null;
  background: boolean;
}

/** The tool answers with JSON that holds output and exit code; while it runs, with plain output. */
export function ranOf(call: Call): Ran {
  const text = outputOf(call);
  const fields = structured(text);
  if (!fields) return { output: text, exit_code: null, background: false };
  const output =
    textField(fields, "output") ||
    [textField(fields, "stdout"), textField(fields, "stderr")].filter(Boolean).join("\n");
  const exit_code = typeof fields.exit_code === "number" ? fields.exit_code : null;
  return {
    output,
    exit_code,
    background: exit_code === null && (fields.process_id !== undefined || fields.id !== undefined),
  };
}

function Ending({ call }: { call: Call }) {
  const { exit_code, background } = ranOf(call);
  if (exit_code !== null && exit_code !== 0) return <span className="pill pill-bad">exit {exit_code}</span>;
  if (background && call.state.phase === "done")
    return <span className="pill pill-accent">in background</span>;
  return null;
}

export const execute: Renderer = {
  icon: Terminal,
  line: (fields, call) => ({
    verb: tense(call, "Running", "Ran"),
    object: textField(fields, "command").split("\n")[0],
    note: <Ending call={call} />,
  }),
  Body: ({ call, fields }) => (
    <div className="command">
      <pre className="command-line">
        <span aria-hidden>$ </span>
        {textField(fields, "command")}
      </pre>
      <Output text={ranOf(call).output} live={call.state.phase === "running"} />
    </div>
  ),
};

export const processOutput: Renderer = {
  icon: ScrollText,
  line: (fields, call) => ({
    verb: tense(call, "Following", "Followed"),
    object: `process ${textField(fields, "id")}`,
    note: <Ending call={call} />,
  }),
  Body: ({ call }) => <Output text={ranOf(call).output} live={call.state.phase === "running"} />,
};

export const processList: Renderer = {
  icon: ListTree,
  line: (_, call) => ({ verb: tense(call, "Listing", "Listed"), object: "processes" }),
  Body: ({ call }) => <Output text={outputOf(call)} />,
};

export const processSignal: Renderer = {
  icon: Zap,
  line: (fields) => ({
    verb: "Sent",
    object: `${textField(fields, "signal") || "signal"} to process ${textField(fields, "id")}`,
  }),
  Body: ({ call }) => <Output text={outputOf(call)} />,
};
