import { Eye } from "lucide-react";
import { t } from "../language/catalogue.ts";

/** In the composer's place in a chat that somebody else shares: one reads along. */
export function ReaderBar() {
  return (
    <div className="composer-place">
      <section className="past-bar" aria-label={t("Shared with you")}>
        <Eye aria-hidden />
        <p className="grow">
          <strong>{t("Shared with you")}</strong>{" "}
          <span className="quiet">{t("(read-only). Ask the owner if you want to write.")}</span>
        </p>
      </section>
    </div>
  );
}
