/** Short messages in a corner: what went wrong, or what just happened. Spoken too. */

import { X } from "lucide-react";
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from "react";
import { reasonOf } from "../api/errors.ts";
import { Button } from "./Button.tsx";

interface Toast {
  id: number;
  text: string;
  bad: boolean;
}
interface Tell {
  say: (text: string) => void;
  complain: (error: unknown) => void;
}

const ToastContext = createContext<Tell>({ say: () => {}, complain: () => {} });
const LASTS_MS = 6_000;

export const useToasts = (): Tell => useContext(ToastContext);

export function Toasts({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<Toast[]>([]);
  const drop = useCallback((id: number) => setToasts((all) => all.filter((toast) => toast.id !== id)), []);
  const tell = useMemo<Tell>(() => {
    const add = (text: string, bad: boolean) => {
      const id = Math.random();
      setToasts((all) => [...all.slice(-3), { id, text, bad }]);
      setTimeout(() => drop(id), bad ? 2 * LASTS_MS : LASTS_MS);
    };
    return { say: (text) => add(text, false), complain: (error) => add(reasonOf(error), true) };
  }, [drop]);
  return (
    <ToastContext value={tell}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {toasts.map((toast) => (
          <div key={toast.id} className={`toast ${toast.bad ? "toast-bad" : ""}`}>
            <span className="grow">{toast.text}</span>
            <Button look="ghost" small label="Dismiss" onClick={() => drop(toast.id)}>
              <X />
            </Button>
          </div>
        ))}
      </div>
    </ToastContext>
  );
}
