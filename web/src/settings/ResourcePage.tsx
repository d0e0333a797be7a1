/** A list with a form: enough for most of what an administrator keeps. */

import { type LucideIcon, Pencil, Plus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { ApiError } from "../api/errors.ts";
import type { ItemOf, ListPath } from "../api/operations.ts";
import { t } from "../language/catalogue.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { RemoveButton } from "../ui/RemoveButton.tsx";
import { type FieldSpec, SpecForm, type Values } from "./form.tsx";
import { type Kept, type MadeAt, useResource } from "./resource.ts";
import { Nothing, Problem, Section } from "./Section.tsx";

interface Props<Item, Made> {
  title: string;
  about: ReactNode;
  /** What one of them is called: "server". */
  noun: string;
  fields: readonly FieldSpec[];
  initial: Values;
  idOf: (item: Item) => string;
  row: (item: Item) => ReactNode;
  /** Shown once after something was made: a secret nobody will see again. */
  made?: (item: Made) => ReactNode;
  fixed?: boolean;
  /** What to say where the server does not offer this. */
  off?: ReactNode;
  /** What to say while there are none: what they are for, and how to begin. */
  nothing: { icon: LucideIcon; title: string; words: ReactNode };
  /** More buttons of a row. */
  more?: (item: Item) => ReactNode;
  /** Whether whoever looks may change this one. */
  mine?: (item: Item) => boolean;
  /** What is looked through where there are many. */
  words?: (item: Item) => string;
  /** What the form holds of an item, and what is sent of the form, where the two are not the same. */
  shown?: (item: Item) => Values;
  sent?: (values: Values) => Values;
}

/** So many are found at a glance. */
const FEW = 8;

type Open<Item, Made> =
  | { kind: "closed" }
  | { kind: "new" }
  | { kind: "edit"; item: Item }
  | { kind: "made"; item: Made };

type PathProps<Path extends string> = Props<ItemOf<Path>, MadeAt<Path>> & { path: Path };

export function ResourcePage<const Path extends ListPath>({ path, ...props }: PathProps<Path>) {
  const resource = useResource(path);
  return <ItemsPage {...props} resource={resource} />;
}

function ItemsPage<Item, Made>({
  title,
  about,
  resource,
  noun,
  fields,
  initial,
  idOf,
  row,
  made,
  fixed,
  off,
  nothing,
  more,
  mine = () => true,
  words,
  shown = (item) => item as Values,
  sent = (values) => values,
}: Props<Item, Made> & { resource: Kept<Item, Made> }) {
  const [wanted, setWanted] = useState("");
  const [open, setOpen] = useState<Open<Item, Made>>({ kind: "closed" });
  const close = () => setOpen({ kind: "closed" });
  const fits = (item: Item) => !words || words(item).toLowerCase().includes(wanted.trim().toLowerCase());
  const absent = off !== undefined && resource.error instanceof ApiError && resource.error.status === 404;
  const create = async (values: Values) => {
    const item = await resource.create(sent(values));
    setOpen(made?.(item) ? { kind: "made", item } : { kind: "closed" });
  };
  return (
    <Section
      title={title}
      about={about}
      action={
        !absent && (
          <Button onClick={() => setOpen({ kind: "new" })}>
            <Plus /> {t("Add {noun}", { noun })}
          </Button>
        )
      }
    >
      {absent ? off : <Problem error={resource.error} />}
      {words && resource.items.length > FEW && (
        <input
          type="search"
          className="input"
          aria-label={t("Search")}
          placeholder={t("Search")}
          value={wanted}
          onChange={(event) => setWanted(event.target.value)}
        />
      )}
      <ul className="rows">
        {resource.items.filter(fits).map((item) => (
          <li key={idOf(item)} className="card row-card">
            <div className="grow">{row(item)}</div>
            {more?.(item)}
            {!fixed && mine(item) && (
              <Button
                look="ghost"
                label={t("Edit {noun}", { noun })}
                onClick={() => setOpen({ kind: "edit", item })}
              >
                <Pencil />
              </Button>
            )}
            {mine(item) && (
              <RemoveButton
                label={t("Remove {noun}", { noun })}
                onRemove={() => resource.remove(idOf(item))}
              />
            )}
          </li>
        ))}
      </ul>
      {!resource.loading && !resource.error && resource.items.length === 0 && (
        <Nothing
          icon={nothing.icon}
          title={nothing.title}
          action={
            <Button look="primary" onClick={() => setOpen({ kind: "new" })}>
              <Plus /> {t("Add your first {noun}", { noun })}
            </Button>
          }
        >
          {nothing.words}
        </Nothing>
      )}
      {open.kind === "new" && (
        <Dialog title={t("Add {noun}", { noun })} onClose={close}>
          <SpecForm fields={asked(fields, "create")} initial={initial} submit={t("Add")} onSubmit={create} />
        </Dialog>
      )}
      {open.kind === "edit" && (
        <Dialog title={t("Edit {noun}", { noun })} onClose={close}>
          <SpecForm
            fields={asked(fields, "change")}
            initial={only(shown(open.item), asked(fields, "change"))}
            submit={t("Save")}
            onSubmit={(values) => resource.update(idOf(open.item), sent(values))}
            onDone={close}
          />
        </Dialog>
      )}
      {open.kind === "made" && made && (
        <Dialog title={t("The new {noun}", { noun })} onClose={close}>
          {made(open.item)}
        </Dialog>
      )}
    </Section>
  );
}

function asked(fields: readonly FieldSpec[], when: "create" | "change"): FieldSpec[] {
  return fields.filter((field) => !field.only || field.only === when);
}

/** The parts of an item that the form can change; the server refuses the others. */
function only(item: Values, fields: readonly FieldSpec[]): Values {
  const names = new Set(fields.map((field) => field.name.split(".")[0] ?? ""));
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.has(name)));
}
