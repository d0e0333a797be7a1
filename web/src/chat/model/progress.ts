/** How far a turn at work is: since when, at which step, with how many tokens. Pure. */

import type { Message, Part } from "../../api/types.ts";
import type { ChatState } from "./state.ts";

/** What a token holds on average, for the answer that is not counted yet. */
const CHARACTERS_PER_TOKEN = 4;

export interface Progress {
  started_at: string | undefined;
  step: number;
  /** What the model wrote, thought and called; the answer in flight is estimated. */
  output: number;
}

export function progressOf({ messages, preview }: Pick<ChatState, "messages" | "preview">): Progress {
  const begun = messages.findLastIndex((message) => message.role === "user");
  const answers = messages.slice(begun + 1).filter(isAnswer);
  const flying = preview.role === "assistant" ? preview.parts : [];
  const letters = flying.reduce((sum, { part }) => sum + lengthOf(part), 0);
  const counted = answers.reduce((sum, message) => sum + (message.usage?.output ?? 0), 0);
  return {
    started_at: messages[begun]?.created_at,
    // While the tools of a step run, it is still that step.
    step:
      preview.role === "tool" && preview.parts.length > 0 ? Math.max(1, answers.length) : answers.length + 1,
    output: counted + Math.ceil(letters / CHARACTERS_PER_TOKEN),
  };
}

function isAnswer(message: Message): boolean {
  return message.role === "assistant" && (message.kind ?? "ordinary") === "ordinary";
}

function lengthOf(part: Part): number {
  if (part.type === "text" || part.type === "reasoning") return part.text.length;
  return part.type === "tool_call" ? part.args.length : 0;
}
