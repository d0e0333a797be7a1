import { ListFilter as FilterIcon, X } from "lucide-react";
import { useLocation, useSearch } from "wouter";
import { useCards } from "../chat/network/directory.ts";
import { t } from "../language/catalogue.ts";
import { withFields } from "../page/address.ts";
import { Menu, MenuItem } from "../ui/Menu.tsx";

/** What the list shows, as the address says it. */
export interface ListFilter {
  kind: "all" | "archived" | "unread" | "shared" | "label";
  label: string;
  query: Record<string, string | undefined>;
}

export function readFilter(search: string): ListFilter {
  const fields = new URLSearchParams(search);
  const label = fields.get("label");
  if (label) return { kind: "label", label: t("Label {label}", { label }), query: { label } };
  switch (fields.get("show")) {
    case "archived":
      return { kind: "archived", label: t("Archived"), query: { archived: "true" } };
    case "unread":
      return { kind: "unread", label: t("Unread"), query: { unread: "true" } };
    case "shared":
      return { kind: "shared", label: t("Shared with me"), query: { shared: "true" } };
    default:
      return { kind: "all", label: t("All chats"), query: {} };
  }
}

const CHOICES: [ListFilter["kind"], string][] = [
  ["all", t("All chats")],
  ["unread", t("Unread")],
  ["shared", t("Shared with me")],
  ["archived", t("Archived")],
];

/** What somebody chose, as fields of the address. */
type Chosen = { show?: string; label?: string };

/** The filter lives in the address, so that it can be kept and shared. */
export function Filters({ filter }: { filter: ListFilter }) {
  const [location, go] = useLocation();
  const labels = useLabels();
  const search = useSearch();
  const show = (chosen: Chosen) => go(location + withFields(search, { show: null, label: null, ...chosen }));
  return (
    <div className="filters">
      <Menu
        label={t("Filter chats")}
        className="picker"
        words={
          <>
            <FilterIcon aria-hidden /> {filter.label}
          </>
        }
      >
        {(close) => {
          const choose = (chosen: Chosen) => () => {
            close();
            show(chosen);
          };
          return (
            <>
              {CHOICES.map(([kind, label]) => (
                <MenuItem
                  key={kind}
                  checked={kind === filter.kind}
                  onSelect={choose(kind === "all" ? {} : { show: kind })}
                >
                  {label}
                </MenuItem>
              ))}
              {labels.length > 0 && <p className="menu-heading">{t("Labels")}</p>}
              {labels.map((label) => (
                <MenuItem key={label} checked={filter.query.label === label} onSelect={choose({ label })}>
                  {label}
                </MenuItem>
              ))}
            </>
          );
        }}
      </Menu>
      {filter.kind !== "all" && (
        <button
          type="button"
          className="attachment-remove"
          aria-label={t("Show all chats")}
          onClick={() => show({})}
        >
          <X aria-hidden />
        </button>
      )}
    </div>
  );
}

const MOST_LABELS = 20;

/** The labels of the chats that the page knows, as a filter names them. */
function useLabels(): string[] {
  const cards = useCards();
  const found = new Set<string>();
  for (const card of cards.values())
    for (const [name, value] of Object.entries(card.labels ?? {})) found.add(`${name}:${value}`);
  return [...found].sort().slice(0, MOST_LABELS);
}
