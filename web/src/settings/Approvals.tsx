/** Which tools run, are asked about, or never run: one row a tool, with what wins. */

import { useQuery } from "@tanstack/react-query";
import { Plus, Search } from "lucide-react";
import { useState } from "react";
import { api } from "../api/client.ts";
import { t } from "../language/catalogue.ts";
import { Button } from "../ui/Button.tsx";
import { Segments } from "../ui/Segments.tsx";
import {
  found,
  type InEffect,
  inEffect,
  type Layers,
  type Level,
  type Policy,
  type Rules,
  ruled,
  type ToolFacts,
  toolsWith,
} from "./approvals.ts";
import { Problem } from "./Section.tsx";
import "./approvals.css";

interface Props {
  /** Whose rules are changed here. */
  level: Level;
  layers: Layers;
  onChange: (rules: Rules) => void;
}

export function Approvals({ level, layers, onChange }: Props) {
  const { data, error } = useQuery({
    queryKey: ["tools"],
    queryFn: () => api.get("/tools"),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const [wanted, setWanted] = useState("");
  const own = layers[level] ?? {};
  const all = toolsWith(data?.items ?? [], layers);
  const shown = found(all, wanted);
  const name = wanted.trim();
  const nameable = /^[\w-]{1,128}$/.test(name) && !all.some((tool) => tool.name === name);
  const set = (tool: string, policy: Policy | null) => onChange(ruled(own, tool, policy));
  return (
    <div className="approvals">
      <Problem error={error} />
      <div className="search-box">
        <Search aria-hidden />
        <input
          type="search"
          className="input"
          aria-label={t("Find a tool")}
          placeholder={t("Search {count} tools, or name one of an MCP server", { count: all.length })}
          value={wanted}
          onChange={(event) => setWanted(event.target.value)}
          // The form is not meant.
          onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
        />
      </div>
      {shown.length > 0 && (
        <div className="approvals-scroll">
          <table className="approvals-table">
            <thead>
              <tr>
                <th scope="col">{t("Tool")}</th>
                <th scope="col">{RULE_OF[level]}</th>
                <th scope="col">{t("In effect")}</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((tool) => (
                <ToolRow key={tool.name} tool={tool} level={level} layers={layers} onSet={set} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {nameable && (
        <Button onClick={() => set(name, "ask")}>
          <Plus /> {t("Add a rule for {name}", { name })}
        </Button>
      )}
      {data && shown.length === 0 && !nameable && <p className="quiet">{t("No tool matches.")}</p>}
    </div>
  );
}

const RULE_OF: Record<Level, string> = {
  organisation: t("For everybody"),
  person: t("In your chats"),
  chat: t("In this chat"),
};
const CHOICES: { value: Policy | ""; label: string }[] = [
  { value: "", label: t("Default") },
  { value: "auto", label: t("Run") },
  { value: "ask", label: t("Ask") },
  { value: "deny", label: t("Never") },
];

interface RowProps {
  tool: ToolFacts;
  level: Level;
  layers: Layers;
  onSet: (tool: string, policy: Policy | null) => void;
}

function ToolRow({ tool, level, layers, onSet }: RowProps) {
  const denied = level !== "organisation" && layers.organisation?.[tool.name] === "deny";
  return (
    <tr>
      <th scope="row">
        <code>{tool.name}</code>
        {tool.description && (
          <span className="quiet small" dir="auto">
            {tool.description}
          </span>
        )}
      </th>
      <td>
        <Segments
          label={`${tool.name}: ${RULE_OF[level].toLowerCase()}`}
          options={CHOICES}
          value={layers[level]?.[tool.name] ?? ""}
          disabled={denied}
          onChange={(policy) => onSet(tool.name, policy || null)}
        />
      </td>
      <td>
        <Effect {...inEffect(tool, layers)} />
      </td>
    </tr>
  );
}

const WORDS: Record<Policy, string> = { auto: t("Runs"), ask: t("Asks"), deny: t("Never") };
const LOOKS: Record<Policy, string> = { auto: "pill-good", ask: "pill-warn", deny: "pill-bad" };
const BY: Record<InEffect["by"], string> = {
  organisation: t("organization"),
  person: t("your rule"),
  chat: t("this chat"),
  default: t("default"),
};

function Effect({ policy, by }: InEffect) {
  return (
    <>
      <span className={`pill ${LOOKS[policy]}`}>{WORDS[policy]}</span>{" "}
      <span className="quiet small">{BY[by]}</span>
    </>
  );
}
