/** Commands: what was run, its live output, and how it ended. */

import { ListTree, ScrollText, Terminal, Zap } from "lucide-react";
import { type Call, textField } from "../chat/model/calls.ts";
import { t } from "../language/catalogue.ts";
import { Output } from "./Output.tsx";
import { outputOf, type Renderer, tense } from "./renderer.ts";

interface Ran {
  output: string;
  ending: Ended | null;
}
type Ended = { kind: "exit"; code: number } | { kind: "running" } | { kind: "other"; words: string };

const OUTCOME =
  /\n?\[((?:Exit code|Ended by signal|Ended after|Process \S+ is|Process \S+:|The command could not)[^\]]*)\]\s*$/;

/** The tool's answer is what was printed, and a last line in brackets that says how it ended. */
export function ranOf(call: Call): Ran {
  const text = outputOf(call);
  const found = OUTCOME.exec(text);
  if (!found?.[1]) return { output: text, ending: null };
  return { output: text.slice(0, found.index), ending: endedOf(found[1]) };
}

function endedOf(words: string): Ended {
  const exit = /^Exit code (\d+)/.exec(words);
  if (exit) return { kind: "exit", code: Number(exit[1]) };
  return / is still running/.test(words) ? { kind: "running" } : { kind: "other", words };
}

function Ending({ call }: { call: Call }) {
  const { ending } = ranOf(call);
  if (ending?.kind === "exit" && ending.code !== 0)
    return <span className="pill pill-bad">{t("exit {code}", { code: ending.code })}</span>;
  if (ending?.kind === "running") return <span className="pill pill-accent">{t("in the background")}</span>;
  return ending?.kind === "other" ? (
    <span className="pill pill-warn">{ending.words.slice(0, 40)}</span>
  ) : null;
}

export const execute: Renderer = {
  icon: Terminal,
  line: (fields, call) => ({
    verb: tense(call, t("Running"), t("Ran"), t("Wants to run")),
    object: textField(fields, "command").split("\n")[0],
    note: <Ending call={call} />,
  }),
  Body: ({ call, fields }) => (
    <div className="command">
      <pre className="command-line">
        <span aria-hidden>$ </span>
        {textField(fields, "command")}
      </pre>
      <Output text={ranOf(call).output} live={call.state.phase === "running"} end />
    </div>
  ),
};

export const processOutput: Renderer = {
  icon: ScrollText,
  line: (fields, call) => ({
    verb: tense(call, t("Following"), t("Followed")),
    object: t("process {id}", { id: textField(fields, "id") }),
    note: <Ending call={call} />,
  }),
  Body: ({ call }) => <Output text={ranOf(call).output} live={call.state.phase === "running"} end />,
};

export const processList: Renderer = {
  icon: ListTree,
  line: (_, call) => ({ verb: tense(call, t("Listing"), t("Listed")), object: t("processes") }),
  Body: ({ call }) => <Output text={outputOf(call)} />,
};

export const processSignal: Renderer = {
  icon: Zap,
  line: (fields) => ({
    verb: t("Sent"),
    object: t("{signal} to process {id}", {
      signal: textField(fields, "signal") || t("signal"),
      id: textField(fields, "id"),
    }),
  }),
  Body: ({ call }) => <Output text={outputOf(call)} />,
};
