/** A new chat: one question, and everything else has a good default. */

import { useQueryClient } from "@tanstack/react-query";
import { Menu as MenuIcon } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { useLocation } from "wouter";
import type { ChatCard, Content, Effort, Template, Workspace } from "../../api/types.ts";
import { PlanToggle } from "../../composer/ChatComposer.tsx";
import { Composer } from "../../composer/Composer.tsx";
import { useSkills } from "../../composer/commands.ts";
import { ModelPicker } from "../../composer/ModelPicker.tsx";
import { t } from "../../language/catalogue.ts";
import { Welcome } from "../../login/Welcome.tsx";
import { useModels } from "../../page/models.ts";
import { useStored } from "../../page/stored.ts";
import { saidOf, TemplateFields } from "../../settings/TemplateFields.tsx";
import { TemplatePicker } from "../../settings/TemplatePicker.tsx";
import type { Values } from "../../settings/values.ts";
import { Button } from "../../ui/Button.tsx";
import { type Beginning, useBeginning } from "../network/beginning.ts";
import { EMPTY_DRAFT, NEW_CHAT } from "../network/drafts.ts";
import { useStores } from "../network/stores.ts";
import "./chat.css";

export function NewChat({ onDrawer }: { onDrawer: () => void }) {
  const models = useModels();
  return (
    <section className="conversation" aria-label={t("New chat")}>
      <header className="chat-header">
        <Button look="ghost" className="drawer-button" label={t("Chats")} onClick={onDrawer}>
          <MenuIcon />
        </Button>
      </header>
      <div className="hero">
        <h1>{t("What should we work on?")}</h1>
        <NewChatComposer />
        <Welcome models={models} />
      </div>
    </section>
  );
}

const NONE: never[] = [];
const nothing = () => NONE;

function NewChatComposer() {
  const [, go] = useLocation();
  const { directory } = useStores();
  const [model, setModel] = useStored<string | undefined>("model", undefined);
  const [effort, setEffort] = useStored<Effort | undefined>("effort", undefined);
  const [template, setTemplate] = useState<Template | null>(null);
  const [existing, setExisting] = useState<Workspace | null>(null);
  const [parameters, setParameters] = useState<Values>({});
  const [plan_mode, setPlanMode] = useState(false);
  const [beginning, begin] = useBeginning();
  const { drafts } = useStores();
  const client = useQueryClient();
  const skills = useSkills();
  const suggestions = useMemo(() => ({ command: skills, file: NONE }), [skills]);
  const models = useModels();
  const known = models.some((entry) => entry.name === model) ? model : undefined;
  const refused = beginning.phase === "refused";
  useEffect(() => {
    // What can be chosen may be another by now.
    if (refused) void client.invalidateQueries({ queryKey: ["models"] });
  }, [refused, client]);
  const create = (content: Content[]): boolean => {
    const workspace = template ? { template: template.name, parameters: saidOf(parameters) } : undefined;
    const draft = drafts.get(NEW_CHAT);
    begin({
      asked: {
        content,
        model: known,
        effort: known && effort,
        plan_mode: plan_mode || undefined,
        workspace,
        workspace_id: existing?.id,
      },
      meant: () => drafts.get(NEW_CHAT) === draft,
      onBegun: (chat: ChatCard) => {
        drafts.change(NEW_CHAT, (now) => (now === draft ? EMPTY_DRAFT : now));
        directory.put([chat]);
        go(`/chats/${chat.id}`);
      },
    });
    // It stays in the box until the server has it.
    return false;
  };
  return (
    <div className="hero-composer">
      <Composer
        draft={NEW_CHAT}
        chat_id={null}
        state="idle"
        placeholder={t("Describe a task or ask a question…")}
        onSend={create}
        onStop={() => {}}
        suggestions={suggestions}
        said={nothing}
      >
        <ModelPicker model={known} effort={effort} onModel={setModel} onEffort={setEffort} />
        <TemplatePicker
          template={template}
          workspace={existing}
          onWorkspace={(chosen) => {
            setExisting(chosen);
            setTemplate(null);
          }}
          onTemplate={(chosen) => {
            setExisting(null);
            setTemplate(chosen);
            setParameters({});
          }}
        />
        <PlanToggle on={plan_mode} onChange={setPlanMode} />
      </Composer>
      {template && <TemplateFields template={template} values={parameters} onValues={setParameters} />}
      <BeginningNote beginning={beginning} />
    </div>
  );
}

function BeginningNote({ beginning }: { beginning: Beginning }) {
  if (beginning.phase === "refused")
    return (
      <p className="field-error" role="alert">
        {beginning.reason}
      </p>
    );
  return (
    <p className="quiet small" role="status">
      {beginning.phase === "held" &&
        t("The server cannot be reached. Your message will be sent when it is back.")}
    </p>
  );
}
