import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../api/client.ts";
import { t } from "../language/catalogue.ts";
import { termOf } from "../language/terms.ts";
import { Problem } from "../settings/Section.tsx";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { Facts } from "../ui/Facts.tsx";
import { ago, duration } from "../ui/format.ts";
import { EVENTS } from "./Hooks.tsx";

/** What a hook was asked, and what it answered. */
export function HookLog({ hook, name }: { hook: string; name: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button small onClick={() => setOpen(true)}>
        {t("Log")}
      </Button>
      {open && (
        <Dialog title={name} onClose={() => setOpen(false)}>
          <Deliveries hook={hook} />
        </Dialog>
      )}
    </>
  );
}

function Deliveries({ hook }: { hook: string }) {
  const { data, error } = useQuery({
    queryKey: ["deliveries", hook],
    queryFn: () => api.get(`/hooks/${hook}/deliveries`),
    retry: false,
  });
  return (
    <div className="stack">
      <Problem error={error} />
      {data?.items.length === 0 && <p className="quiet">{t("No deliveries in the last 7 days.")}</p>}
      <ul className="rows">
        {(data?.items ?? []).map((delivery) => (
          <li key={delivery.id}>
            <span className={`pill ${delivery.outcome === "failed" ? "pill-bad" : ""}`}>
              {termOf(delivery.outcome)}
            </span>{" "}
            {EVENTS.find((each) => each.value === delivery.event)?.label ?? delivery.event}{" "}
            <span className="quiet small">
              <Facts
                of={[
                  ago(delivery.created_at),
                  duration(delivery.duration_ms),
                  delivery.attempts > 1 &&
                    t("{count, plural, one {# attempt} other {# attempts}}", { count: delivery.attempts }),
                ]}
              />
            </span>
            {delivery.detail && <div className="quiet small">{delivery.detail}</div>}
          </li>
        ))}
      </ul>
    </div>
  );
}
