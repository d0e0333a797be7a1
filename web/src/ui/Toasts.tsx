/** Short messages in a corner: what went wrong, or what just happened. Spoken too. */

import { X } from "lucide-react";
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from "react";
import { reasonOf } from "../api/errors.ts";
import { t } from "../language/catalogue.ts";
import { Button } from "./Button.tsx";

interface Toast {
  id: number;
  text: string;
  bad: boolean;
  action?: Action;
}
/** What can be done about it: to undo it. */
interface Action {
  words: string;
  run: () => void;
}
interface Tell {
  say: (text: string, action?: Action) => void;
  complain: (error: unknown) => void;
}

const ToastContext = createContext<Tell>({ say: () => {}, complain: () => {} });
const LASTS_MS = 6_000;
/** Whoever may change their mind needs a moment. */
const ACTION_LASTS_MS = 12_000;

export const useToasts = (): Tell => useContext(ToastContext);

export function Toasts({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<Toast[]>([]);
  const drop = useCallback((id: number) => setToasts((all) => all.filter((toast) => toast.id !== id)), []);
  const tell = useMemo<Tell>(() => {
    const add = (text: string, bad: boolean, action?: Action) => {
      const id = Math.random();
      setToasts((all) => [...all.slice(-3), { id, text, bad, action }]);
      setTimeout(() => drop(id), action ? ACTION_LASTS_MS : bad ? 2 * LASTS_MS : LASTS_MS);
    };
    return {
      say: (text, action) => add(text, false, action),
      complain: (error) => add(reasonOf(error), true),
    };
  }, [drop]);
  return (
    <ToastContext value={tell}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {toasts.map((toast) => (
          <div key={toast.id} className={`toast ${toast.bad ? "toast-bad" : ""}`}>
            <span className="grow">{toast.text}</span>
            {toast.action && (
              <Button
                small
                onClick={() => {
                  drop(toast.id);
                  toast.action?.run();
                }}
              >
                {toast.action.words}
              </Button>
            )}
            <Button look="ghost" small label={t("Dismiss")} onClick={() => drop(toast.id)}>
              <X />
            </Button>
          </div>
        ))}
      </div>
    </ToastContext>
  );
}
