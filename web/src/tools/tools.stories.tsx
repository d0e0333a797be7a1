/** Every tool's renderer, running, done and failed. */

import type { ReactNode } from "react";
import { expect } from "vitest";
import { at, call, card, chat, DIFF, message, result, status, text } from "../stories/fixtures.ts";
import type { Story } from "../stories/story.ts";
import { chatAfter, World } from "../stories/World.tsx";
import { Transcript } from "../transcript/Transcript.tsx";

export default { title: "Tools" };

type Use = [tool: string, args: object, output: string | object, extra?: object];

function shown(...uses: Use[]): ReactNode {
  const calls = uses.map(([tool, args], index) => call(`k${index}`, tool, args));
  const results = uses.map(([tool, , output, extra], index) =>
    message(3 + index, "tool", [result(`k${index}`, tool, output, extra)]),
  );
  const live = chatAfter(
    chat(),
    message(1, "user", [text("go")]),
    message(2, "assistant", calls),
    ...results,
    status("waiting"),
  );
  const cards = [
    card("child", {
      title: "Look for the flaky test",
      status: "running",
      turn_label: "Reading CI logs",
      parent_id: "c1",
    }),
  ];
  return (
    <World chat={live} cards={cards}>
      <div style={{ display: "flex", height: "100vh", background: "var(--surface)" }}>
        <Transcript />
      </div>
    </World>
  );
}

const open: Story["play"] = async ({ root, user }) => {
  for (const line of root.querySelectorAll<HTMLElement>(".tool-line:not(:disabled)")) await user.click(line);
};

export const ReadOneFile: Story = {
  render: () =>
    shown(["read_file", { path: "importer/run.py" }, "1  import os\n2  \n3  class Run:\n4      ..."]),
  play: async (acting) => {
    await open(acting);
    expect(acting.root.textContent).toContain("class Run");
  },
};

export const DecidedByAColleague: Story = {
  render: () =>
    shown(
      ["execute", { command: "make" }, "built", { decided_by: [{ id: "ann", name: "Ann" }] }],
      ["execute", { command: "make test" }, "passed", { decided_by: [{ id: "me", name: "Ada" }] }],
    ),
  play: async ({ root }) => {
    const said = [...root.querySelectorAll(".tool-note")].map((note) => note.textContent);
    expect(said.filter((words) => words?.startsWith("decided by"))).toEqual(["decided by Ann"]);
  },
};

export const Explored: Story = {
  render: () =>
    shown(
      ["list_files", { path: "." }, "importer/\ntests/\nREADME.md"],
      ["search_files", { pattern: "batch", path: "importer" }, "importer/run.py:14: for batch in"],
      ["read_file", { path: "importer/run.py" }, "1  import os"],
      ["read_file", { path: "importer/store.py" }, "There is no file importer/store.py.", { is_error: true }],
    ),
  play: async (acting) => {
    expect(acting.root.textContent).toContain("Read 2 files, listed 1 folder, searched once");
    await open(acting);
    expect(acting.root.textContent).toContain("Searched for batch");
  },
};

export const Edited: Story = {
  render: () => shown(["edit_files", { files: [{ path: "importer/run.py", edits: [] }] }, DIFF]),
  play: async (acting) => {
    await open(acting);
    await expect.poll(() => acting.root.querySelectorAll(".diff-file").length).toBe(2);
  },
};

export const Wrote: Story = {
  render: () =>
    shown(["write_file", { path: "notes/plan.md", content: "# Plan\n\n- first\n" }, "Wrote 3 lines."]),
  play: open,
};

export const Ran: Story = {
  render: () =>
    shown(["execute", { command: "make test" }, "12 passed, 1 failed\n[Exit code 1 after 2.3 s.]"]),
  play: async (acting) => {
    expect(acting.root.textContent).toContain("exit 1");
    await open(acting);
    expect(acting.root.textContent).toContain("12 passed, 1 failed");
  },
};

export const RunningLive: Story = {
  render: () => {
    const live = chatAfter(
      chat(),
      message(1, "user", [text("go")]),
      message(2, "assistant", [call("k", "execute", { command: "make test" })]),
      status("running"),
    );
    live.dispatch({
      type: "message_part",
      cursor: "p",
      role: "tool",
      part: {
        type: "tool_result",
        index: 0,
        call_id: "k",
        tool: "execute",
        result_delta: "tests/test_run.py .....",
      },
      history_version: 1_000_000_000,
      attempt: 1,
      seq: 1,
    });
    return (
      <World chat={live}>
        <div style={{ display: "flex", height: "100vh" }}>
          <Transcript />
        </div>
      </World>
    );
  },
  play: async (acting) => {
    await open(acting);
    expect(acting.root.textContent).toContain("test_run.py .....");
  },
};

export const Processes: Story = {
  render: () =>
    shown(
      [
        "process_output",
        { id: "p1" },
        "listening on 8000\n[Process p1 is still running after 2.0 s. Use process_output to follow it or process_signal to stop it.]",
      ],
      ["process_signal", { id: "p1", signal: "TERM" }, "sent"],
    ),
};

export const Workspace: Story = {
  render: () =>
    shown(
      ["create_workspace", { template: "python" }, "Ready."],
      ["attach_file", { path: "out/report.pdf" }, "Attached."],
    ),
};

export const Agents: Story = {
  render: () =>
    shown(
      [
        "spawn_agent",
        { type: "explore", title: "Look for the flaky test", prompt: "Find **why** it fails." },
        { id: "child" },
      ],
      [
        "wait_agent",
        { ids: ["child"] },
        {
          agents: [
            {
              id: "child",
              status: "finished",
              title: "Look for the flaky test",
              report: "It races with the clock.",
            },
          ],
        },
      ],
    ),
  play: async (acting) => {
    await open(acting);
    expect(acting.root.textContent).toContain("It races with the clock.");
    expect(acting.root.textContent).toContain("Reading CI logs");
  },
};

export const Question: Story = {
  render: () =>
    shown([
      "ask_user_question",
      {
        questions: [
          {
            question: "Where should the cursor live?",
            options: [
              { label: "In the database", description: "Survives the machine" },
              { label: "In a file", description: "Simple" },
            ],
          },
        ],
      },
      "asked",
    ]),
  play: async ({ root, user, asked }) => {
    await user.click(root.querySelector(".option") as HTMLElement);
    expect(asked[0]).toMatchObject({
      what: "POST /chats/c1/messages",
      body: { content: [{ text: "In the database" }] },
    });
  },
};

export const Plan: Story = {
  render: () =>
    shown([
      "propose_plan",
      {
        title: "Resumable importer",
        plan: "## Steps\n\n1. Store a cursor\n2. Read after it\n3. Test a crash",
      },
      "stored",
    ]),
  play: async ({ root, user, asked }) => {
    await user.click(root.querySelector(".plan .button-primary") as HTMLElement);
    expect(asked[0]).toMatchObject({
      body: { content: [{ text: "Implement the plan." }], plan_mode: false },
    });
  },
};

export const Advisor: Story = {
  render: () =>
    shown(
      [
        "advisor",
        { question: "Is a journal overkill here?" },
        { type: "advice", advice: "Yes. A **cursor** is enough.", model: "opus", remaining_uses: 2 },
      ],
      ["advisor", { question: "Again?" }, { type: "limit_reached" }],
    ),
};

export const Others: Story = {
  render: () =>
    shown(
      ["github__create_issue", { title: "Flaky" }, { number: 12 }],
      [
        "web_search",
        { query: "idempotent batch import" },
        { results: [{ url: "https://example.org/a", title: "Idempotency" }] },
      ],
      ["recall", { words: "importer" }, "Message 4: …"],
      [
        "remember",
        { fact: "Releases are tagged on Mondays.", label: "team:docs" },
        "Kept: Releases are tagged on Mondays.",
      ],
      ["search_memory", { words: "release" }, "- Releases are tagged on Mondays. (team:docs)"],
      ["read_skill", { name: "release-notes" }, "# Release notes"],
      ["read_skill_file", { name: "release-notes", path: "style.md" }, "Short sentences."],
      ["my_own_tool", { x: 1 }, "42"],
    ),
  play: async (acting) => {
    await open(acting);
    for (const words of ["Recalled importer", "Remembered Releases are", "Searched memory release"])
      expect(acting.root.textContent).toContain(words);
  },
};

export const Scheduled: Story = {
  render: () =>
    shown(
      [
        "add_schedule",
        { name: "Build", rule: "0 9 * * 1-5", prompt: "Look at the build." },
        "Scheduled: Build",
      ],
      ["list_schedules", {}, "7f3c Build: 0 9 * * 1-5 (UTC)"],
      ["remove_schedule", { schedule: "7f3c2a10" }, "Removed: Build"],
    ),
  play: async (acting) => {
    await open(acting);
    for (const words of ["Scheduled Build", "Removed schedule"])
      expect(acting.root.textContent).toContain(words);
  },
};

export const AgentsDirected: Story = {
  render: () =>
    shown(
      ["list_subagent_models", {}, "opus, haiku"],
      ["list_agents", {}, "Look for the flaky test: running"],
      ["message_agent", { id: "child", message: "Look at the CI logs first." }, "Delivered."],
      ["interrupt_agent", { id: "child" }, "Stopped."],
    ),
  play: open,
};

export const WorkspaceDirected: Story = {
  render: () =>
    shown(
      [
        "open_pull_request",
        { title: "Mend the importer", body: "It read the last line twice." },
        "Opened pull request #7: Mend the importer\nhttps://github.example.com/us/importer/pull/7",
      ],
      ["list_templates", {}, "blank, python"],
      ["read_template", { name: "python" }, "Python with a virtual environment."],
      ["start_workspace", {}, "Started."],
      ["process_list", {}, "p1  python3 -m http.server"],
      ["stop_workspace", {}, "Stopped."],
    ),
  play: open,
};

export const Timed: Story = {
  render: () =>
    shown(["execute", { command: "sleep 2" }, "[Exit code 0 after 2.0 s.]", { created_at: at(62) }]),
  play: async ({ root }) => {
    expect(root.textContent).toContain("1m 1s");
  },
};

/** A megabyte on one line: the page shows a part, says so, and copies all of it. */
export const Enormous: Story = {
  render: () =>
    shown(["execute", { command: "cat blob" }, `${"x".repeat(1_000_000)}\n[Exit code 0 after 0.1 s.]`]),
  play: async (acting) => {
    const output = () => acting.root.querySelector(".output pre")?.textContent?.length;
    await open(acting);
    expect(output()).toBe(12_000);
    await acting.user.click(acting.root.querySelector(".output-more") as HTMLElement);
    await expect.poll(output).toBe(300_000);
    expect(acting.root.querySelector(".output-more")?.textContent).toContain(
      "The first 300,000 of 1,000,000 characters",
    );
  },
};

export const Screen: Story = {
  render: () => shown(["computer", { action: "left_click", coordinate: [40, 12] }, "Done."]),
  play: async ({ root }) => {
    expect(root.textContent).toContain("Used the screen: left click");
  },
};
