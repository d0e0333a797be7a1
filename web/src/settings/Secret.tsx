import { t } from "../language/catalogue.ts";
import { CopyButton } from "../ui/CopyButton.tsx";

/** Something that is shown once. */
export function Secret({ text, label }: { text: string; label: string }) {
  return (
    <div className="stack">
      <p>{t("Copy it now: it is not shown again.")}</p>
      <div className="spread secret">
        <code className="grow">{text}</code>
        <CopyButton text={() => text} label={label} />
      </div>
    </div>
  );
}
