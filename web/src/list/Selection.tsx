/** Several chats at once: which are selected, and what can be done to them together. */

import { Archive, ArchiveRestore, Tags, Trash2, X } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useCards } from "../chat/network/directory.ts";
import { t } from "../language/catalogue.ts";
import { Button } from "../ui/Button.tsx";
import { useArchiving, useVerbs } from "./verbs.ts";

const LabelDialog = lazy(() => import("./LabelDialog.tsx"));

interface Props {
  ids: ReadonlySet<string>;
  onDone: () => void;
}

export function SelectionBar({ ids, onDone }: Props) {
  const cards = useCards();
  const verbsOf = useVerbs();
  const archive = useArchiving();
  const [labelling, setLabelling] = useState(false);
  const [sure, setSure] = useState(false);
  const chosen = [...ids].flatMap((id) => cards.get(id) ?? []);
  const archived = chosen.length > 0 && chosen.every((card) => card.archived);
  const remove = () => {
    if (!sure) return setSure(true);
    for (const card of chosen) verbsOf(card).remove();
    onDone();
  };
  return (
    <section className="selection" aria-label={t("Selected chats")}>
      <span className="grow" role="status">
        {t("{count, plural, one {# chat} other {# chats}} selected", { count: chosen.length })}
      </span>
      <Button
        small
        look="ghost"
        label={archived ? t("Unarchive selected") : t("Archive selected")}
        disabled={chosen.length === 0}
        onClick={() => {
          archive(chosen, !archived);
          onDone();
        }}
      >
        {archived ? <ArchiveRestore /> : <Archive />}
      </Button>
      <Button
        small
        look="ghost"
        label={t("Label selected")}
        disabled={chosen.length === 0}
        onClick={() => setLabelling(true)}
      >
        <Tags />
      </Button>
      {archived &&
        (sure ? (
          <Button small look="danger" autoFocus onClick={remove}>
            {t("Delete permanently")}
          </Button>
        ) : (
          <Button small look="ghost" label={t("Delete selected")} onClick={remove}>
            <Trash2 />
          </Button>
        ))}
      <Button small look="ghost" label={t("Stop selecting")} onClick={onDone}>
        <X />
      </Button>
      <Suspense>{labelling && <LabelDialog ids={[...ids]} onClose={() => setLabelling(false)} />}</Suspense>
    </section>
  );
}
