/** The composer of an open chat. */

import { useQuery } from "@tanstack/react-query";
import { ClipboardList } from "lucide-react";
import { api } from "../api/client.ts";
import type { Busy, ChatCard, Content } from "../api/types.ts";
import { isBusy, type Phase } from "../chat/model/phase.ts";
import { saidIn } from "../chat/model/said.ts";
import type { ChatState } from "../chat/model/state.ts";
import { useChat, useLiveChat, usePhase } from "../chat/network/hooks.ts";
import { usePeople } from "../chat/network/people.ts";
import { useMine } from "../chat/network/reading.ts";
import { useSay } from "../chat/network/send.ts";
import { useTyping } from "../chat/network/typing.ts";
import { t } from "../language/catalogue.ts";
import { useMe } from "../page/session.ts";
import { Typing } from "../presence/Presence.tsx";
import { QueuePanel } from "../queue/QueuePanel.tsx";
import { Button } from "../ui/Button.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { Composer } from "./Composer.tsx";
import { ContextRing } from "./ContextRing.tsx";
import { COMMANDS, commandIn, useSkills } from "./commands.ts";
import { ModelPicker } from "./ModelPicker.tsx";
import { mentioned, nameAsWord } from "./mentions.ts";
import { useStop } from "./stopping.tsx";
import { useWorkspaceFiles } from "./workspaceFiles.ts";

const selectCard = (chat: ChatState) => chat.card;
/** Whether messages came before the oldest one that is held here. */
const hasOlder = (chat: ChatState) => chat.older !== "none" && (chat.messages[0]?.number ?? 1) > 1;

export function ChatComposer() {
  const live = useLiveChat();
  const card = useChat(selectCard);
  const phase = usePhase();
  const say = useSay();
  const { complain } = useToasts();
  const { stop, question } = useStop();
  const files = useWorkspaceFiles(card?.workspace_id);
  const skills = useSkills();
  const said = useSaid();
  const patch = (change: Partial<ChatCard>) =>
    void live.inOrder(() => api.patch(`/chats/${live.id}`, change)).catch(complain);
  const me = useMe();
  const mine = useMine();
  const others = usePeople().filter((person) => person.id !== me.id);
  const names = others.map(({ name }) => ({ value: nameAsWord(name) }));
  const suggestions = { command: [...COMMANDS, ...skills], file: [...names, ...files] };
  useTyping(live.id, others.length > 0);
  const send = (content: Content[], busy: Busy, text: string): boolean => {
    const found = commandIn(text);
    if (found?.command.value === "stop" && content.length === 1) stop();
    else if (found && content.length === 1)
      void live.inOrder(() => found.command.run(live, found.rest)).catch(complain);
    else void say({ content, busy, mentions: mentioned(text, others) });
    return true;
  };
  const state = phase.kind === "interrupting" ? "stopping" : isBusy(phase) ? "busy" : "idle";
  return (
    <div className="composer-place">
      {question}
      <Typing />
      <QueuePanel />
      <Composer
        draft={live.id}
        chat_id={live.id}
        state={state}
        placeholder={placeholderOf(phase)}
        onSend={send}
        onStop={stop}
        suggestions={suggestions}
        said={said}
      >
        {mine && (
          <ModelPicker
            model={card?.model}
            effort={card?.effort}
            onModel={(model) => patch({ model })}
            onEffort={(effort) => patch({ effort })}
          />
        )}
        {mine && <PlanToggle on={card?.plan_mode ?? false} onChange={(plan_mode) => patch({ plan_mode })} />}
        <span className="grow" />
        <ContextRing />
      </Composer>
    </div>
  );
}

function placeholderOf(phase: Phase): string {
  if (phase.kind === "action" && phase.action.kind !== "children")
    return t("Waiting for your decision above…");
  return isBusy(phase) ? t("Send a message while the agent works…") : t("Reply…");
}

export function PlanToggle({ on, onChange }: { on: boolean; onChange: (on: boolean) => void }) {
  return (
    <Button
      look="ghost"
      className="plan-toggle"
      aria-pressed={on}
      title={t("Plan mode: the agent reads and proposes a plan, and changes nothing")}
      onClick={() => onChange(!on)}
    >
      <ClipboardList />
      <span className="plan-word">{t("Plan")}</span>
    </Button>
  );
}

/** What was said in this chat, newest first, as of the moment it is asked for. */
function useSaid(): () => readonly string[] {
  const live = useLiveChat();
  const { data } = useQuery({
    queryKey: ["prompts", live.id],
    queryFn: () => api.get(`/chats/${live.id}/prompts`),
    enabled: useChat(hasOlder),
    retry: false,
  });
  return () => saidIn(live.state, data?.items ?? []);
}
