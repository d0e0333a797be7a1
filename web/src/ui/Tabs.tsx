interface Props<Name extends string> {
  label: string;
  tabs: readonly { name: Name; label: string }[];
  current: Name;
  onSelect: (name: Name) => void;
}

/** A row of tabs; arrows move between them. */
export function Tabs<Name extends string>({ label, tabs, current, onSelect }: Props<Name>) {
  const move = (by: number) => {
    const at = tabs.findIndex((tab) => tab.name === current);
    const next = tabs.at((at + by) % tabs.length);
    if (next) onSelect(next.name);
  };
  return (
    <div
      className="tabs"
      role="tablist"
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key === "ArrowRight") move(1);
        if (event.key === "ArrowLeft") move(-1);
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
