/** A chat of 5,000 messages, held in the page at once: what the budgets are measured on. */

import { Profiler } from "react";
import type { ChatEvent } from "../api/types.ts";
import { ChatComposer } from "../composer/ChatComposer.tsx";
import { Transcript } from "../transcript/Transcript.tsx";
import { call, chat, LONG_ANSWER, message, result, status, text } from "./fixtures.ts";
import type { Story } from "./story.ts";
import { chatAfter, World } from "./World.tsx";

export default { title: "Budget" };

const MESSAGES = 5_000;

function history(): ChatEvent[] {
  const events: ChatEvent[] = [];
  for (let number = 1; number <= MESSAGES; number += 4) {
    events.push(message(number, "user", [text(`Question ${number}: what about the importer?`)]));
    events.push(
      message(number + 1, "assistant", [
        text("Let me look."),
        call(`k${number}`, "read_file", { path: `src/file${number}.py` }),
      ]),
    );
    events.push(
      message(number + 2, "tool", [result(`k${number}`, "read_file", "1  import os\n2  print(os)")]),
    );
    events.push(
      message(
        number + 3,
        "assistant",
        [text(`Answer ${number}. ${LONG_ANSWER.replaceAll("resume", `resume_${number}`)}`)],
        {
          model: "demo",
          usage: { input: 9_000, output: 400 },
          cost: 3_000,
        },
      ),
    );
  }
  return events;
}

export const FiveThousandMessages: Story = {
  render: () => {
    const live = chatAfter(chat());
    const page = window as unknown as { measured: object };
    const measured = { live, renders: 0 };
    page.measured = measured;
    for (const event of [...history(), status("waiting")]) live.dispatch(event);
    return (
      <World chat={live}>
        <div
          style={{ display: "flex", flexDirection: "column", height: "100vh", background: "var(--surface)" }}
        >
          <Profiler
            id="transcript"
            onRender={() => {
              measured.renders++;
            }}
          >
            <Transcript />
          </Profiler>
          <ChatComposer />
        </div>
      </World>
    );
  },
};
