import { CloudOff } from "lucide-react";
import { useSyncExternalStore } from "react";
import { useAway } from "../chat/network/directory.ts";
import { t } from "../language/catalogue.ts";

/** Said while the browser is offline or the server cannot be reached: what is on the page stays, and may be old. */
export function Away() {
  const away = useAway();
  const online = useSyncExternalStore(onNetwork, () => navigator.onLine);
  return (
    <div className="away" role="status">
      {(away || !online) && (
        <p>
          <CloudOff aria-hidden />
          <span>
            {online ? t("No connection to the server.") : t("You are offline.")}{" "}
            {t("What you send is saved here and delivered once you are back online.")}
          </span>
        </p>
      )}
    </div>
  );
}

function onNetwork(changed: () => void): () => void {
  addEventListener("online", changed);
  addEventListener("offline", changed);
  return () => {
    removeEventListener("online", changed);
    removeEventListener("offline", changed);
  };
}
