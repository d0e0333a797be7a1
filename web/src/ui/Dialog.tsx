import { X } from "lucide-react";
import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { t } from "../language/catalogue.ts";
import { Button } from "./Button.tsx";
import { useReturnedFocus } from "./returnFocus.ts";

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
  useReturnedFocus();
  useLayoutEffect(() => {
    if (!dialog.current?.open) dialog.current?.showModal();
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
        <Button look="ghost" label={t("Close")} onClick={onClose}>
          <X />
        </Button>
      </header>
      <div className="dialog-body">{children}</div>
    </dialog>
  );
}
