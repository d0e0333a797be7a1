import type { ReactNode } from "react";

interface Props {
  title: string;
  about?: ReactNode;
  /** A button at the right of the title. */
  action?: ReactNode;
  children: ReactNode;
}

export function Section({ title, about, action, children }: Props) {
  return (
    <section className="section" aria-label={title}>
      <header>
        <h2>{title}</h2>
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
