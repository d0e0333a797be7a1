import { mirrored } from "../language/catalogue.ts";

interface Props<Name extends string> {
  label: string;
  tabs: readonly { name: Name; label: string }[];
  current: Name;
  onSelect: (name: Name) => void;
}

/** A row of tabs; arrows move between them. */
export function Tabs<Name extends string>({ label, tabs, current, onSelect }: Props<Name>) {
  const move = (list: HTMLElement, by: number) => {
    const at = tabs.findIndex((tab) => tab.name === current);
    const to = (at + by + tabs.length) % tabs.length;
    const next = tabs[to];
    if (next) onSelect(next.name);
    (list.children[to] as HTMLElement | undefined)?.focus();
  };
  return (
    <div
      className="tabs"
      role="tablist"
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key === (mirrored() ? "ArrowLeft" : "ArrowRight")) move(event.currentTarget, 1);
        if (event.key === (mirrored() ? "ArrowRight" : "ArrowLeft")) move(event.currentTarget, -1);
      }}
    >
      {tabs.map((tab) => (
        <button
          key={tab.name}
          type="button"
          role="tab"
          className="tab"
          aria-selected={tab.name === current}
          tabIndex={tab.name === current ? 0 : -1}
          onClick={() => onSelect(tab.name)}
        >
          {tab.label}
        </button>
      ))}
    </div>
  );
}
