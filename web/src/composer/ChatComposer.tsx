/** The composer of an open chat. */

import { useQuery } from "@tanstack/react-query";
import { ClipboardList } from "lucide-react";
import { useMemo } from "react";
import { api } from "../api/client.ts";
import type { Busy, ChatCard, Content } from "../api/types.ts";
import { listOf } from "../app/models.ts";
import { useChat, useLiveChat, usePhase } from "../chat/hooks.ts";
import { isBusy } from "../chat/phase.ts";
import type { ChatState } from "../chat/state.ts";
import { QueuePanel } from "../queue/QueuePanel.tsx";
import { Button } from "../ui/Button.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { Composer } from "./Composer.tsx";
import { ContextRing } from "./ContextRing.tsx";
import { COMMANDS, commandIn, useSkills } from "./commands.ts";
import { ModelPicker } from "./ModelPicker.tsx";
import { useSay } from "./send.ts";
import { useWorkspaceFiles } from "./workspaceFiles.ts";

const selectCard = (chat: ChatState) => chat.card;
const selectCount = (chat: ChatState) => chat.messages.length;

export function ChatComposer() {
  const live = useLiveChat();
  const card = useChat(selectCard);
  const phase = usePhase();
  const say = useSay();
  const { complain } = useToasts();
  const files = useWorkspaceFiles(card?.workspace_id);
  const skills = useSkills();
  const history = useHistory();
  const patch = (change: Partial<ChatCard>) => void api.patch(`/chats/${live.id}`, change).catch(complain);
  const suggestions = useMemo(() => ({ command: [...COMMANDS, ...skills], file: files }), [skills, files]);
  const send = (content: Content[], busy: Busy, text: string): boolean => {
    const found = commandIn(text);
    if (found && content.length === 1) void found.command.run(live, found.rest).catch(complain);
    else void say({ content, busy });
    return true;
  };
  const state = phase.kind === "interrupting" ? "stopping" : isBusy(phase) ? "busy" : "idle";
  return (
    <div className="composer-place">
      <QueuePanel />
      <Composer
        draft={live.id}
        chat_id={live.id}
        state={state}
        placeholder={state === "idle" ? "Reply…" : "Say something while it works…"}
        onSend={send}
        onStop={() => void api.post(`/chats/${live.id}/interrupt`).catch(complain)}
        suggestions={suggestions}
        history={history}
      >
        <ModelPicker
          model={card?.model}
          effort={card?.effort}
          onModel={(model) => patch({ model })}
          onEffort={(effort) => patch({ effort })}
        />
        <PlanToggle on={card?.plan_mode ?? false} onChange={(plan_mode) => patch({ plan_mode })} />
        <span className="grow" />
        <ContextRing />
      </Composer>
    </div>
  );
}

export function PlanToggle({ on, onChange }: { on: boolean; onChange: (on: boolean) => void }) {
  return (
    <Button
      look="ghost"
      className="plan-toggle"
      aria-pressed={on}
      title="Plan first: the agent reads and proposes, and changes nothing"
      onClick={() => onChange(!on)}
    >
      <ClipboardList />
      <span className="plan-word">Plan</span>
    </Button>
  );
}

const NONE: string[] = [];

/** What was said in this chat before, newest first. */
function useHistory(): string[] {
  const live = useLiveChat();
  const count = useChat(selectCount);
  const { data } = useQuery({
    queryKey: ["prompts", live.id, count],
    queryFn: async () =>
      listOf(await api.get<string[] | { items: (string | { text: string })[] }>(`/chats/${live.id}/prompts`)),
    select: (items) => items.map((item) => (typeof item === "string" ? item : item.text)),
    placeholderData: (before: (string | { text: string })[] | undefined) => before,
    retry: false,
  });
  return data ?? NONE;
}
