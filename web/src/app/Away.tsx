import { CloudOff } from "lucide-react";
import { useAway } from "../list/directory.ts";

/** Said while the server cannot be reached: what is on the page stays, and may be old. */
export function Away() {
  const away = useAway();
  return (
    <div className="away" role="status">
      {away && (
        <p>
          <CloudOff aria-hidden /> No connection. What you type is kept.
        </p>
      )}
    </div>
  );
}
