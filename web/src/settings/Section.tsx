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
        <div className="grow">
          <h2>{title}</h2>
          {about && <p className="quiet">{about}</p>}
        </div>
        {action}
      </header>
      {children}
    </section>
  );
}

export function Problem({ error }: { error: Error | null }) {
  return error ? <p className="field-error">{error.message}</p> : null;
}
