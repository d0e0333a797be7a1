/** Something is on its way. It says so only when that takes a while, so that a quick page does not flicker. */
import { t } from "../language/catalogue.ts";

export function Loading({ words = t("Loading") }: { words?: string }) {
  return (
    <p className="loading quiet" role="status">
      <span className="spinner" aria-hidden />
      {words}…
    </p>
  );
}
