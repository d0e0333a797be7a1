import { Box } from "lucide-react";
import { t } from "../language/catalogue.ts";

export function NoWorkspace() {
  return (
    <div className="empty">
      <Box aria-hidden />
      <p>
        {t(
          "This chat has no workspace yet. The agent creates one when it needs to run commands or edit files.",
        )}
      </p>
    </div>
  );
}
