import { ChevronLeft, ChevronRight } from "lucide-react";
import { useEffect, useRef } from "react";
import type { Message } from "../api/types.ts";
import type { Version } from "../chat/model/versions.ts";
import { useVersions } from "../chat/network/versionsContext.ts";
import { t } from "../language/catalogue.ts";
import { Button } from "../ui/Button.tsx";

/** ‹ 2 / 3 › beside a message that was edited: each version with what followed it. */
export function VersionSwitch({ message }: { message: Message }) {
  const { of, show, arrived } = useVersions();
  const group = useRef<HTMLDivElement>(null);
  const versions = of(message);
  const at = versions.findIndex((version) => version.number === message.number);
  const here = arrived === message.number && versions.length > 1;
  // The switch that was pressed is gone with its version: whoever uses the keyboard goes on with this one.
  useEffect(() => {
    const button = group.current?.querySelector<HTMLElement>("button:not(:disabled)");
    if (here) button?.focus({ preventScroll: true });
  }, [here]);
  if (versions.length < 2) return null;
  const step = (label: string, to: Version | undefined, Icon: typeof ChevronLeft) => (
    <Button look="ghost" small label={label} disabled={!to} onClick={() => to && show(to)}>
      <Icon />
    </Button>
  );
  return (
    <div
      ref={group}
      className="versions"
      role="group"
      aria-label={t("Version {at} of {count}", { at: at + 1, count: versions.length })}
    >
      {step(t("Earlier version"), versions[at - 1], ChevronLeft)}
      <span aria-hidden>
        {at + 1} / {versions.length}
      </span>
      {step(t("Later version"), versions[at + 1], ChevronRight)}
    </div>
  );
}
