import { CopyButton } from "../ui/CopyButton.tsx";

/** Something that is shown once. */
export function Secret({ text, label }: { text: string; label: string }) {
  return (
    <div className="stack">
      <p>Copy it now: it is not shown again.</p>
      <div className="spread secret">
        <code className="grow">{text}</code>
        <CopyButton text={() => text} label={label} />
      </div>
    </div>
  );
}
