import { useQuery } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useState } from "react";
import { api } from "../api/client.ts";
import type { Branch, Message } from "../api/types.ts";
import { useLiveChat } from "../chat/hooks.ts";
import { committedRows } from "../chat/rows.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { RowView } from "./RowView.tsx";

/** Earlier versions of an edited message: "2 / 2", and a look at the older ones. */
export function Branches({ message }: { message: Message }) {
  const live = useLiveChat();
  const [shown, setShown] = useState<Branch | null>(null);
  const { data } = useQuery({
    queryKey: ["branches", live.id, message.revision],
    queryFn: async () =>
      branchesOf(await api.get<Branch[] | { items: Branch[] }>(`/chats/${live.id}/branches`)),
    staleTime: Number.POSITIVE_INFINITY,
    // Only a message that stands after hidden numbers can have replaced another.
    enabled: followsHidden(live.state.messages, message),
  });
  const here = (data ?? []).filter(
    (branch) => branch.messages[0]?.role === "user" && startsHere(branch, live.state.messages, message),
  );
  if (here.length === 0) return null;
  return (
    <span className="branches">
      <Button look="ghost" small label="Earlier version" onClick={() => setShown(here.at(-1) ?? null)}>
        <ChevronLeft />
      </Button>
      <span>
        {here.length + 1} / {here.length + 1}
      </span>
      <Button look="ghost" small label="Newer version" disabled>
        <ChevronRight />
      </Button>
      {shown && <BranchDialog branches={here} first={shown} onClose={() => setShown(null)} />}
    </span>
  );
}

function branchesOf(answer: Branch[] | { items: Branch[] }): Branch[] {
  return Array.isArray(answer) ? answer : answer.items;
}

function before(messages: readonly Message[], message: Message): number {
  return messages.findLast((other) => other.number < message.number)?.number ?? 0;
}

function followsHidden(messages: readonly Message[], message: Message): boolean {
  return message.number - before(messages, message) > 1;
}

/** A branch belongs to the message that took its place: it hides numbers between the one before and this one. */
function startsHere(branch: Branch, messages: readonly Message[], message: Message): boolean {
  const number = branch.messages[0]?.number ?? 0;
  return number > before(messages, message) && number < message.number;
}

function BranchDialog({
  branches,
  first,
  onClose,
}: {
  branches: Branch[];
  first: Branch;
  onClose: () => void;
}) {
  const [at, setAt] = useState(branches.indexOf(first));
  const branch = branches[at] ?? first;
  return (
    <Dialog
      title={`Earlier version ${at + 1} of ${branches.length}`}
      onClose={onClose}
      className="dialog-wide"
    >
      <div className="stack branch-rows">
        {committedRows(branch.messages, "waiting").map((row) => (
          <RowView key={row.key} row={row} />
        ))}
      </div>
      {branches.length > 1 && (
        <div className="spread">
          <Button small disabled={at === 0} onClick={() => setAt(at - 1)}>
            Older
          </Button>
          <Button small disabled={at === branches.length - 1} onClick={() => setAt(at + 1)}>
            Newer
          </Button>
        </div>
      )}
    </Dialog>
  );
}
