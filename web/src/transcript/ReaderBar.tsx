import { Eye } from "lucide-react";

/** In the composer's place in a chat that somebody else shares: one reads along. */
export function ReaderBar() {
  return (
    <div className="composer-place">
      <section className="past-bar" aria-label="Shared with you">
        <Eye aria-hidden />
        <p className="grow">
          <strong>Shared with you</strong>{" "}
          <span className="quiet">(read-only). Only the owner can send messages.</span>
        </p>
      </section>
    </div>
  );
}
