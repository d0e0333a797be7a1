/** Searching the web, remembering, skills, screens, MCP, and tools nobody has drawn yet. */

import { BookOpen, Brain, Globe, History, Monitor, Plug, Wrench } from "lucide-react";
import { structured, textField } from "../chat/model/calls.ts";
import { t } from "../language/catalogue.ts";
import { safeAddress } from "../markdown/links.ts";
import { Markdown } from "../markdown/Markdown.tsx";
import { Output } from "./Output.tsx";
import { type Fields, outputOf, type Renderer, tense } from "./renderer.ts";

interface Hit {
  url?: string;
  title?: string;
}

function hitsOf(output: string): Hit[] {
  const fields = structured(output);
  const list = fields?.results ?? fields?.sources;
  return Array.isArray(list) ? (list as Hit[]).filter((hit) => safeAddress(hit.url ?? "")) : [];
}

export const webSearch: Renderer = {
  icon: Globe,
  line: (fields, call) => ({
    verb: tense(call, t("Searching the web for"), t("Searched the web for")),
    object: textField(fields, "query"),
  }),
  Body: ({ call }) => {
    const hits = hitsOf(outputOf(call));
    if (hits.length === 0) return <Output text={outputOf(call)} />;
    return (
      <ul className="hits">
        {hits.map((hit) => (
          <li key={hit.url}>
            <a href={hit.url} target="_blank" rel="noopener noreferrer">
              {hit.title || hit.url}
            </a>
          </li>
        ))}
      </ul>
    );
  },
};

export const recall: Renderer = {
  icon: History,
  line: (fields, call) => ({
    verb: tense(call, t("Recalling"), t("Recalled")),
    object: textField(fields, "words") || t("earlier messages"),
  }),
  Body: ({ call }) => <Output text={outputOf(call)} />,
};

export const remember: Renderer = {
  icon: Brain,
  line: (fields, call) => ({
    verb: tense(call, t("Remembering"), t("Remembered")),
    object: textField(fields, "fact"),
    prose: true,
    note: textField(fields, "label") || undefined,
  }),
  Body: ({ call }) => <Output text={outputOf(call)} />,
};

export const searchMemory: Renderer = {
  icon: Brain,
  line: (fields, call) => ({
    verb: tense(call, t("Searching memory"), t("Searched memory")),
    object: textField(fields, "words"),
    prose: true,
  }),
  Body: ({ call }) => <Markdown text={outputOf(call)} />,
};

export const readSkill: Renderer = {
  icon: BookOpen,
  line: (fields, call) => ({
    verb: tense(call, t("Reading skill"), t("Read skill")),
    object: textField(fields, "name"),
  }),
  Body: ({ call }) => <Output text={outputOf(call)} />,
};

function Exchange({ fields, output }: { fields: Fields; output: string }) {
  const shown = structured(output) ? JSON.stringify(structured(output), null, 2) : output;
  return (
    <div className="stack">
      {Object.keys(fields).length > 0 && <Output text={JSON.stringify(fields, null, 2)} language="json" />}
      <Output text={shown} language={structured(output) ? "json" : null} />
    </div>
  );
}

export const mcp: Renderer = {
  icon: Plug,
  line: (_, call) => {
    const [server = "", ...tool] = call.part.tool.split("__");
    return {
      verb: tense(call, t("Using"), t("Used")),
      object: tool.join("__").replaceAll("_", " "),
      note: server,
    };
  },
  Body: ({ call, fields }) => <Exchange fields={fields} output={outputOf(call)} />,
};

export const unknownTool: Renderer = {
  icon: Wrench,
  line: (_, call) => ({ verb: tense(call, t("Using"), t("Used")), object: call.part.tool || t("a tool") }),
  Body: ({ call, fields }) => <Exchange fields={fields} output={outputOf(call)} />,
};

/** What was done with the screen, in the model's own words for it. */
function actionsOf(fields: Fields): string {
  const list = Array.isArray(fields.actions) ? (fields.actions as Fields[]) : [fields];
  const names = list.map((action) => textField(action, "action") || textField(action, "type"));
  return names.filter(Boolean).join(", ").replaceAll("_", " ");
}

export const computer: Renderer = {
  icon: Monitor,
  line: (fields, call) => ({
    verb: tense(call, t("Using the screen:"), t("Used the screen:")),
    object: actionsOf(fields),
  }),
  Body: ({ call, fields }) => <Exchange fields={fields} output={outputOf(call)} />,
};
