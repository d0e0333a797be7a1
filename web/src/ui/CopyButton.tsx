import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { Button } from "./Button.tsx";

const SHOWN_MS = 1_500;

export function CopyButton({ text, label = "Copy" }: { text: () => string; label?: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text());
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <Button look="ghost" small label={copied ? "Copied" : label} onClick={() => void copy()}>
      {copied ? <Check /> : <Copy />}
    </Button>
  );
}
