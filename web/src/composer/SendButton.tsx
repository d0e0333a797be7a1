import { ArrowUp, ChevronDown, CornerDownRight, ListPlus, Square, Zap } from "lucide-react";
import type { Busy } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { keyNames } from "../page/shortcuts.ts";
import { Menu, MenuItem } from "../ui/Menu.tsx";

interface Props {
  state: "idle" | "busy" | "stopping";
  ready: boolean;
  onSend: (busy: Busy) => void;
  onStop: () => void;
}

/** Send; and while the chat is busy, how to send, and Stop beside it. */
export function SendButton({ state, ready, onSend, onStop }: Props) {
  const busy = state !== "idle";
  return (
    <div className="send-buttons">
      {busy && (
        <button
          type="button"
          className="stop"
          onClick={onStop}
          aria-label={t("Stop")}
          title={t("Stop (Esc)")}
          disabled={state === "stopping"}
        >
          <Square aria-hidden />
        </button>
      )}
      <div className="send-split">
        <button
          type="button"
          className="send"
          aria-disabled={!ready}
          onClick={() => ready && onSend("queue")}
          aria-label={busy ? t("Queue message") : t("Send message")}
          title={busy ? t("Queue (Enter)") : t("Send (Enter)")}
        >
          {busy ? <ListPlus aria-hidden /> : <ArrowUp aria-hidden />}
        </button>
        {busy && (
          <Menu
            label={t("How to send")}
            className="send send-more"
            button={<ChevronDown aria-hidden />}
            align="end"
          >
            {(close) => {
              const send = (how: Busy) => () => {
                close();
                if (ready) onSend(how);
              };
              return (
                <>
                  <MenuItem icon={<ListPlus />} hint="Enter" onSelect={send("queue")}>
                    {t("Queue: after this turn")}
                  </MenuItem>
                  <MenuItem icon={<CornerDownRight />} hint={keyNames("⌘", "Enter")} onSelect={send("steer")}>
                    {t("Steer: at the next step")}
                  </MenuItem>
                  <MenuItem icon={<Zap />} hint={keyNames("⌘", "⌥", "Enter")} onSelect={send("interrupt")}>
                    {t("Interrupt: now")}
                  </MenuItem>
                </>
              );
            }}
          </Menu>
        )}
      </div>
    </div>
  );
}
