import { Fragment, type ReactNode } from "react";

/** Short facts in one line. Each keeps its own direction: a model's name does not turn the numbers beside it around. */
export function Facts({ of }: { of: readonly (ReactNode | false)[] }) {
  return of
    .filter((fact) => fact !== null && fact !== undefined && fact !== false && fact !== "")
    .map((fact, at) => (
      <Fragment key={at}>
        {at > 0 && " · "}
        <bdi>{fact}</bdi>
      </Fragment>
    ));
}
