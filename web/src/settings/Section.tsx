import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

interface Props {
  title: string;
  about?: ReactNode;
  /** What stands beside the title: that it is not saved. */
  mark?: ReactNode;
  /** A button at the right of the title. */
  action?: ReactNode;
  children: ReactNode;
}

export function Section({ title, about, mark, action, children }: Props) {
  return (
    <section className="section" aria-label={title}>
      <header>
        <h2>
          {title} {mark}
        </h2>
        {action}
        {about && <p className="quiet">{about}</p>}
      </header>
      {children}
    </section>
  );
}

export function Problem({ error }: { error: Error | null }) {
  return error ? <p className="field-error">{error.message}</p> : null;
}

interface NothingProps {
  icon: LucideIcon;
  title: string;
  /** What it is for, and how to begin. */
  children: ReactNode;
  action?: ReactNode;
}

/** A place that is still empty: what the thing is for, and how to begin. */
export function Nothing({ icon: Icon, title, children, action }: NothingProps) {
  return (
    <div className="nothing">
      <Icon aria-hidden />
      <strong>{title}</strong>
      <p className="quiet">{children}</p>
      {action}
    </div>
  );
}
