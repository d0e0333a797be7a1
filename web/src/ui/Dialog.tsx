import { X } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { Button } from "./Button.tsx";

interface Props {
  title: string;
  onClose: () => void;
  children: ReactNode;
  className?: string;
}

/** A modal that the browser keeps modal. It is open while it is on the page. */
export function Dialog({ title, onClose, children, className = "" }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const element = dialog.current;
    if (element && !element.open) element.showModal();
    return () => element?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser closes it on Escape
    <dialog
      ref={dialog}
      className={`dialog ${className}`}
      aria-labelledby={heading}
      onCancel={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <header className="dialog-head">
        <h2 id={heading}>{title}</h2>
        <Button look="ghost" label="Close" onClick={onClose}>
          <X />
        </Button>
      </header>
      <div className="dialog-body">{children}</div>
    </dialog>
  );
}
