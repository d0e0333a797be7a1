import { ClipboardList } from "lucide-react";
import { type Call, structured, textField } from "../chat/model/calls.ts";
import { isBusy } from "../chat/model/phase.ts";
import { usePhase } from "../chat/network/hooks.ts";
import { useSettled } from "../chat/network/reading.ts";
import { useSay } from "../chat/network/send.ts";
import { t } from "../language/catalogue.ts";
import { Markdown } from "../markdown/Markdown.tsx";
import { Button } from "../ui/Button.tsx";
import { type Fields, outputOf, type Renderer } from "./renderer.ts";

/** Given as an argument, or read from the plan file and then in the result. */
function planOf(fields: Fields, call: Call): string {
  return textField(fields, "plan") || textField(structured(outputOf(call)) ?? {}, "plan");
}

/** A plan to read, and the one button that matters. */
function Plan({ call, fields }: { call: Call; fields: Fields }) {
  const say = useSay();
  const busy = isBusy(usePhase());
  const settled = useSettled(call.part.call_id);
  return (
    <div className="plan">
      <Markdown text={planOf(fields, call)} />
      {call.state.phase === "done" && !settled && (
        <div className="spread plan-buttons">
          <Button
            look="primary"
            disabled={busy}
            onClick={() => void say({ text: t("Implement the plan."), plan_mode: false })}
          >
            {t("Implement")}
          </Button>
          <span className="quiet small">{t("or say below what should change")}</span>
        </div>
      )}
      {call.state.phase === "failed" && <p className="call-failed">{call.state.reason}</p>}
    </div>
  );
}

export const proposePlan: Renderer = {
  icon: ClipboardList,
  line: (fields) => ({ verb: t("Proposed a plan"), object: textField(fields, "title"), prose: true }),
  Body: Plan,
  open: true,
};
