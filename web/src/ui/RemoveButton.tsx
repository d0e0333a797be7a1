import { Trash2 } from "lucide-react";
import { useState } from "react";
import { t } from "../language/catalogue.ts";
import { Button } from "./Button.tsx";
import { useToasts } from "./Toasts.tsx";

interface Props {
  label: string;
  /** What the second click says it does. */
  words?: string;
  onRemove: () => Promise<unknown>;
}

/** Takes something away with a second click: what is gone does not come back. */
export function RemoveButton({ label, words = t("Remove"), onRemove }: Props) {
  const { complain } = useToasts();
  const [sure, setSure] = useState(false);
  if (!sure)
    return (
      <Button look="ghost" label={label} onClick={() => setSure(true)}>
        <Trash2 />
      </Button>
    );
  return (
    <Button
      small
      look="danger"
      autoFocus
      onKeyDown={(event) => event.key === "Escape" && setSure(false)}
      onClick={() => void onRemove().catch(complain)}
    >
      {words}
    </Button>
  );
}
