import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { t } from "../language/catalogue.ts";
import { Button } from "./Button.tsx";
import { copy } from "./copy.ts";

const SHOWN_MS = 1_500;
const COPIED = t("Copied");

export function CopyButton({ text, label = t("Copy") }: { text: () => string; label?: string }) {
  const [shown, setShown] = useState<string>();
  const take = async () => {
    setShown((await copy(text())) ? COPIED : t("The browser blocked copying"));
    setTimeout(() => setShown(undefined), SHOWN_MS);
  };
  return (
    <Button look="ghost" small label={shown ?? label} onClick={() => void take()}>
      {shown === COPIED ? <Check /> : <Copy />}
    </Button>
  );
}
