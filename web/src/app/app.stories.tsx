/** Whole pages, as people see them. */

import { expect } from "vitest";
import type { ChatCard, ChatEvent } from "../api/types.ts";
import { at, card, chat, status, text } from "../stories/fixtures.ts";
import { ANSWERS, CARDS, HISTORY, QUEUE, STREAMING } from "../stories/house.ts";
import { pressed } from "../stories/place.tsx";
import type { Story } from "../stories/story.ts";
import { World } from "../stories/World.tsx";
import { App } from "./App.tsx";
import { LeaveGuard } from "./LeaveGuard.tsx";
import { Shell } from "./Shell.tsx";

export default { title: "Page" };

const refused = () => new Response('{"message":"Sign in."}', { status: 401 });
const ENDING: Record<string, unknown> = { ...ANSWERS, "GET /chats": refused, "GET /models": refused };

function page(path: string, ...events: ChatEvent[]) {
  return (
    <World
      path={path}
      cards={CARDS}
      prepare={({ chats }) => {
        const live = chats.get("c1");
        for (const event of [chat({ workspace_id: "w1", diff: CARDS[0]?.diff }), ...events])
          live.dispatch(event);
        live.follow = () => () => {};
        live.dispatch({ type: "connection", connection: "open" });
      }}
    >
      <Shell />
    </World>
  );
}

export const Working: Story = {
  render: () => page("/chats/c1", ...HISTORY, ...STREAMING, QUEUE),
  answers: ANSWERS,
  width: 1440,
  height: 900,
  play: async ({ root, user, asked }) => {
    const stops = () => asked.filter((entry) => entry.what === "POST /chats/c1/interrupt").length;
    await user.click(root.querySelector('[aria-label="Edit queued message"]') as HTMLElement);
    await user.keyboard("{Escape}");
    await expect.poll(() => root.querySelector(".queue-editing")).toBe(null);
    expect(stops()).toBe(0);
    await user.keyboard("{Escape}");
    expect(stops()).toBe(0);
    await user.click(root.querySelector("dialog .button-primary") as HTMLElement);
    await expect.poll(stops).toBe(1);
  },
};

export const WithPanel: Story = {
  render: () => {
    localStorage.setItem("panel-open", "true");
    return page("/chats/c1", ...HISTORY.slice(0, 9), status("waiting"));
  },
  answers: ANSWERS,
  width: 1600,
  height: 900,
  play: async ({ root, user }) => {
    await expect.poll(() => root.querySelectorAll(".diff-file").length, { timeout: 15_000 }).toBe(2);
    expect(root.querySelector(".panel-bar")?.textContent).toContain("2 files +9 −3");
    (root.querySelector('[role="tab"]') as HTMLElement).focus();
    await user.keyboard("{ArrowLeft}");
    await expect.poll(() => document.activeElement?.textContent).toBe("Debug");
    await user.keyboard("{ArrowRight}");
    await expect.poll(() => document.activeElement?.textContent).toBe("Changes");
  },
};

export const Phone: Story = {
  render: () => page("/chats/c1", ...HISTORY, ...STREAMING, QUEUE),
  answers: ANSWERS,
  width: 375,
  height: 740,
};

export const NewChat: Story = { render: () => page("/"), answers: ANSWERS, width: 1280, height: 800 };

export const PhoneNewChat: Story = {
  render: () => page("/"),
  answers: { ...ANSWERS, "GET /chats": { items: [] } },
  width: 375,
  height: 740,
};

export const FirstRun: Story = {
  render: () => (
    <World path="/">
      <Shell />
    </World>
  ),
  answers: { ...ANSWERS, "GET /chats": { items: [] } },
  width: 1280,
  height: 800,
};

export const SignedOut: Story = {
  render: () => (
    <World>
      <App />
    </World>
  ),
  answers: {
    "GET /me": () => new Response('{"message":"Sign in."}', { status: 401 }),
    "GET /login/methods": {
      password: true,
      oidc: [{ slug: "corp", name: "Corp SSO", url: "/api/v1/oidc/corp" }],
      first_run: true,
    },
  },
  play: async ({ root, user, asked }) => {
    await expect.poll(() => root.querySelector("input[type=email]")).toBeTruthy();
    await user.fill(root.querySelector("input[type=email]") as HTMLElement, "ada@example.org");
    await user.fill(root.querySelector("input[type=password]") as HTMLElement, "secret");
    await user.click(root.querySelector("button[type=submit]") as HTMLElement);
    expect(asked[0]).toEqual({ what: "POST /login", body: { email: "ada@example.org", password: "secret" } });
  },
};

/** The first question is answered; then the session is over, and the page stays behind the door. */
export const SessionEnded: Story = {
  render: () => {
    localStorage.setItem("draft:new", JSON.stringify({ text: "half a thought" }));
    let asked = 0;
    ENDING["GET /me"] = () => (asked++ === 0 ? ANSWERS["GET /me"] : refused());
    return (
      <World>
        <App />
      </World>
    );
  },
  answers: ENDING,
  width: 1280,
  height: 800,
  play: async ({ root }) => {
    await expect
      .poll(() => root.querySelector("[role=dialog]")?.textContent)
      .toContain("Your draft is saved");
    expect(root.querySelector("textarea")?.value).toBe("half a thought");
  },
};

export const Workspaces: Story = {
  render: () => page("/settings/workspaces"),
  answers: {
    ...ANSWERS,
    "GET /workspaces": {
      items: [
        { id: "w1", template: "python", status: "running", created_at: at(0), used_at: at(60) },
        {
          id: "w2",
          template: "git",
          status: "stopped",
          created_at: at(0),
          used_at: at(60),
          sandboxed: false,
        },
        {
          id: "w3",
          template: "node",
          status: "failed",
          created_at: at(0),
          used_at: at(60),
          error: "The start-up script ended with 1.",
        },
      ],
    },
  },
  width: 1280,
  height: 800,
  play: async ({ root }) => {
    await expect.poll(() => root.querySelectorAll(".row-card").length).toBe(3);
    expect(root.querySelectorAll(".pill-bad")[0]?.textContent).toContain("not sandboxed");
  },
};

export const ServerGone: Story = {
  render: () => (
    <World>
      <App />
    </World>
  ),
  answers: { "GET /me": () => new Response("", { status: 502 }) },
};

export const Providers: Story = {
  render: () => page("/admin/providers"),
  answers: {
    ...ANSWERS,
    "GET /providers": {
      items: [
        {
          id: "p1",
          name: "Anthropic",
          dialect: "anthropic_messages",
          base_url: "https://api.anthropic.com",
          has_key: true,
          enabled: true,
        },
        {
          id: "p2",
          name: "Ollama",
          dialect: "openai_chat",
          base_url: "http://127.0.0.1:11434",
          enabled: true,
        },
      ],
    },
    "GET /model-settings": { items: [{ name: "sonnet", provider_id: "p1", model: "claude-sonnet-5" }] },
    "POST /providers/p1/test": { ok: true, message: "sonnet answers.", latency_ms: 412 },
  },
  width: 1280,
  height: 900,
  play: async ({ root, user }) => {
    await expect.poll(() => root.querySelector(".provider .button-small")).toBeTruthy();
    await user.click(root.querySelector(".provider .button-small") as HTMLElement);
    await expect.poll(() => root.textContent).toContain("works, 412ms sonnet answers.");
    expect(
      [...root.querySelectorAll(".provider")].map((row) => row.textContent?.includes("no models")),
    ).toEqual([false, true]);
  },
};

const SETUP: Record<string, unknown> = {};

/** The server fails once. What was typed is still there, and the second try brings provider and key together. */
export const ProviderTriedAgain: Story = {
  render: () => {
    let tries = 0;
    const made = { id: "p9", name: "Anthropic", dialect: "anthropic_messages", base_url: "", has_key: true };
    const gone = () => new Response('{"message":"The database is away. Try again."}', { status: 503 });
    Object.assign(SETUP, ANSWERS, {
      "GET /providers": () => ({ items: tries > 1 ? [made] : [] }),
      "GET /model-settings": { items: [] },
      "POST /providers": () => (tries++ === 0 ? gone() : made),
      "POST /providers/p9/test": { ok: false, message: "Anthropic refused the credentials.", latency_ms: 9 },
    });
    return page("/admin/providers");
  },
  answers: SETUP,
  width: 1280,
  height: 900,
  play: async ({ root, user, asked }) => {
    await expect.poll(() => root.querySelector(".vendors .option")).toBeTruthy();
    await user.click(root.querySelector(".vendors .option") as HTMLElement);
    await user.fill(root.querySelector("dialog input[type=password]") as HTMLElement, "sk-ant-example");
    await user.click(root.querySelector("dialog button[type=submit]") as HTMLElement);
    await expect
      .poll(() => root.querySelector("dialog [role=alert]")?.textContent)
      .toContain("database is away");
    await user.click(root.querySelector("dialog button[type=submit]") as HTMLElement);
    await expect.poll(() => root.querySelector("dialog")).toBe(null);
    await expect
      .poll(() => root.querySelector(".provider [role=alert]")?.textContent)
      .toBe("Anthropic refused the credentials.");
    const sent = asked.filter((entry) => entry.what === "POST /providers");
    expect(sent.map((entry) => (entry.body as { key: string }).key)).toEqual([
      "sk-ant-example",
      "sk-ant-example",
    ]);
  },
};

export const Commands: Story = {
  render: () => page("/chats/c1", ...HISTORY, ...STREAMING),
  answers: ANSWERS,
  width: 1280,
  height: 800,
  play: async ({ root, user, asked }) => {
    // The page says on its own how far somebody has read: what was asked is among what it asked, not always the last.
    const heard = (request: object) => expect.poll(() => asked, { timeout: 15_000 }).toContainEqual(request);
    const chosen = () => root.querySelector('.palette [aria-selected="true"]')?.textContent;
    const type = async (words: string, entry: string) => {
      await user.keyboard("{Control>}k{/Control}");
      await expect.poll(() => document.activeElement?.closest(".palette"), { timeout: 15_000 }).toBeTruthy();
      await user.keyboard(words);
      await expect.poll(chosen, { timeout: 15_000 }).toContain(entry);
      await user.keyboard("{Enter}");
    };
    await type("claude", "Claude Sonnet");
    await heard({ what: "PATCH /chats/c1", body: { model: "sonnet" } });
    await type("stop", "Stop the turn");
    await heard({ what: "POST /chats/c1/interrupt", body: {} });
    await type("renam", "Rename");
    await expect.poll(() => root.querySelector('[aria-label="New title"]'), { timeout: 15_000 }).toBeTruthy();
    await user.keyboard("Resumable imports{Enter}");
    await heard({ what: "PATCH /chats/c1", body: { title: "Resumable imports" } });
    await type("audit", "Audit log");
    await expect
      .poll(() => root.querySelector('.settings-link[aria-current="page"]')?.textContent, { timeout: 15_000 })
      .toContain("Audit");
  },
};

export const StopWithAQueue: Story = {
  render: () =>
    page("/chats/c1", ...HISTORY, ...STREAMING, {
      type: "queue_update",
      cursor: "q",
      queue: [{ number: 9, parts: [text("and then this")], created_at: "2026-01-01T00:00:00Z" }],
    }),
  answers: ANSWERS,
  width: 1280,
  height: 800,
  play: async ({ root, user, asked }) => {
    const requests = () => asked.map((entry) => entry.what);
    await user.keyboard("{Control>}k{/Control}");
    await expect.poll(() => document.activeElement?.closest(".palette"), { timeout: 15_000 }).toBeTruthy();
    await user.keyboard("stop");
    await expect
      .poll(() => root.querySelector('.palette [aria-selected="true"]')?.textContent, { timeout: 15_000 })
      .toContain("Stop the turn");
    await user.keyboard("{Enter}");
    await expect.poll(() => root.querySelector("dialog")?.textContent).toContain("1 message in the queue");
    expect(requests()).not.toContain("POST /chats/c1/interrupt");
    await user.click(root.querySelector("dialog .button-danger") as HTMLElement);
    await expect.poll(requests).toContain("POST /chats/c1/interrupt");
    expect(requests()).toContain("DELETE /chats/c1/queue/9");
    expect(root.querySelector("dialog")).toBe(null);
  },
};

export const Usage: Story = {
  render: () => page("/admin/usage"),
  answers: {
    ...ANSWERS,
    "GET /usage": {
      items: ["10", "11", "12", "13", "14"].map((day, at) => ({
        name: `2026-06-${day}`,
        unpriced_calls: 0,
        calls: 20 * at + 9,
        input: 90_000 * (at + 1),
        output: 4_000 * (at + 2),
        cost: 300_000 * (at + 1),
      })),
    },
  },
  width: 1280,
  height: 800,
};

export const Keyboard: Story = {
  render: () => page("/chats/c1", ...HISTORY.slice(0, 2), status("waiting")),
  answers: ANSWERS,
  width: 1280,
  height: 800,
  play: async ({ root, user }) => {
    const box = root.querySelector(".composer textarea") as HTMLElement;
    box.focus();
    await user.keyboard("{Control>}k{/Control}");
    await expect.poll(() => document.activeElement?.closest(".palette")).toBeTruthy();
    await user.keyboard("{Escape}");
    await expect.poll(() => document.activeElement).toBe(box);
    box.blur();
    await user.keyboard("?");
    await expect.poll(() => root.querySelector("dialog")?.textContent).toContain("Search chats and commands");
    await user.keyboard("{Escape}");
    await expect.poll(() => root.querySelector("dialog")).toBe(null);
    await user.keyboard("{Control>}k{/Control}");
    await expect.poll(() => root.querySelector(".palette")).toBeTruthy();
    await user.keyboard("habit");
    await expect
      .poll(() => root.querySelector('.palette [aria-selected="true"]')?.textContent)
      .toContain("Sketch a habit tracker");
  },
};

export const Found: Story = {
  render: () => page("/"),
  answers: { ...ANSWERS, "GET /chats": { items: [{ ...CARDS[6], snippet: "the **timeline** of retries" }] } },
  play: async ({ root, user }) => {
    await user.keyboard("{Control>}k{/Control}");
    await expect.poll(() => root.querySelector(".palette")).toBeTruthy();
    await user.keyboard("timeline");
    await expect.poll(() => root.querySelector(".palette mark")?.textContent).toBe("timeline");
    expect(root.querySelector(".palette")?.textContent).toContain("the timeline of retries");
  },
};

/** Somebody else's chat: everything to read, nothing to press that would be refused. */
export const SharedWithMe: Story = {
  render: () =>
    page("/chats/c1", ...HISTORY.slice(0, 9), status("error"), {
      type: "chat",
      cursor: "c",
      chat: { ...(CARDS[0] as ChatCard), owner_id: "somebody", status: "error" },
    }),
  answers: ANSWERS,
  width: 1280,
  height: 800,
  play: async ({ root, user }) => {
    await expect.poll(() => root.querySelector('[aria-label="Shared with you"]')).toBeTruthy();
    expect(root.querySelector(".error-card")).toBeTruthy();
    const offered = ["Edit message", "Fork from here", "Attach files"];
    expect(offered.filter((label) => root.querySelector(`[aria-label="${label}"]`))).toEqual([]);
    expect(root.querySelectorAll(".composer, .error-card button, .chat-header h1 button")).toHaveLength(0);
    await user.click(root.querySelector('[aria-label="Chat actions"]') as HTMLElement);
    const items = () => [...root.querySelectorAll(".menu[aria-label='Chat actions'] .menu-item")];
    await expect
      .poll(() => items().map((item) => item.textContent))
      .toEqual(["Find in the chatCtrl F", "Export as Markdown", "Export as JSON"]);
  },
};

const ASKED_BY_A_PROGRAM = new URLSearchParams({
  response_type: "code",
  client_id: "eyJuYW1lIjoiQW4gZWRpdG9yIiwicmVkaXJlY3RzIjpbImh0dHA6Ly8xMjcuMC4wLjEvY2FsbGJhY2siXX0",
  redirect_uri: "http://127.0.0.1:8976/callback",
  code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  code_challenge_method: "S256",
});

/** A program sent somebody here for a token. */
export const AProgramAsks: Story = {
  render: () => page(`/settings/connect?${ASKED_BY_A_PROGRAM}`),
  answers: ANSWERS,
  width: 1280,
  height: 800,
  play: async ({ root, user, asked }) => {
    const button = (name: string) =>
      [...root.querySelectorAll("button")].find((entry) => entry.textContent === name) as HTMLElement;
    await expect.poll(() => button("Let it in")).toBeTruthy();
    expect(root.textContent).toContain("An editor wants to use your chats");
    expect(root.textContent).toContain("You come back to 127.0.0.1:8976.");
    await user.click(button("Do not let it in"));
    await expect.poll(() => root.textContent).not.toContain("wants to use your chats");
    expect(asked.filter(({ what }) => what.startsWith("POST"))).toEqual([]);
  },
};

let ownKeys: object[] = [];

/** A member's own keys, by the providers of the models they may use. */
export const OwnKeys: Story = {
  render: () => {
    ownKeys = [];
    return page("/settings/keys");
  },
  answers: {
    ...ANSWERS,
    "GET /providers/p0/keys": { items: [] },
    "GET /providers/p1/keys": () => ({ items: ownKeys }),
    "POST /providers/p1/keys": () => {
      ownKeys = [{ id: "k", hint: "1234", personal: true, created_at: at(0) }];
      return ownKeys[0];
    },
  },
  width: 1280,
  height: 800,
  play: async ({ root, user, asked }) => {
    const cards = () => [...root.querySelectorAll<HTMLElement>(".personal-key")];
    await expect.poll(() => cards().length).toBe(2);
    expect(root.querySelector('[aria-label^="Remove your key"]')).toBe(null);
    await user.fill(cards()[1]?.querySelector("input") as HTMLElement, "sk-mine-1234");
    await user.click(cards()[1]?.querySelector("[type=submit]") as HTMLElement);
    await expect.poll(() => cards()[1]?.textContent).toContain("your key …1234");
    expect(asked.at(-1)).toEqual({
      what: "POST /providers/p1/keys",
      body: { key: "sk-mine-1234", personal: true },
    });
    expect(cards()[1]?.querySelector("input")?.value).toBe("");
    expect(root.querySelector('[aria-label="Remove your key for Anthropic"]')).toBeTruthy();
  },
};

const PINNED = [card("p1", { title: "First", pin: 1 }), card("p2", { title: "Second", pin: 2 })];

/** Pins are put in order with the keyboard as well. */
export const Pins: Story = {
  render: () => (
    <World path="/" cards={PINNED}>
      <Shell />
    </World>
  ),
  answers: { ...ANSWERS, "GET /chats": { items: PINNED } },
  width: 1280,
  height: 800,
  play: async ({ root, user, asked }) => {
    const titles = () => [...root.querySelectorAll(".chat-row-title")].map((title) => title.textContent);
    await expect.poll(titles).toEqual(["First", "Second"]);
    (root.querySelector(".chat-row-grip") as HTMLElement).focus();
    await user.keyboard("{ArrowDown}");
    await expect.poll(titles).toEqual(["Second", "First"]);
    expect(asked).toEqual([
      { what: "PATCH /chats/p2", body: { pin: 1 } },
      { what: "PATCH /chats/p1", body: { pin: 2 } },
    ]);
  },
};

export const NowhereToGo: Story = { render: () => page("/no/such/place"), answers: ANSWERS };
export const NoSuchSetting: Story = { render: () => page("/settings/no-such-place"), answers: ANSWERS };
export const LinkRevoked: Story = {
  render: () => page("/shared/revoked"),
  answers: {
    ...ANSWERS,
    "POST /links/revoked": () => new Response('{"message":"This link was revoked."}', { status: 404 }),
  },
  play: async ({ root }) => {
    await expect.poll(() => root.querySelector("[role=alert]")?.textContent).toBe("This link was revoked.");
  },
};

/** Several people in a chat: who is here, who types, and with whom it is shared. */
export const Shared: Story = {
  render: () =>
    page("/chats/c1", ...HISTORY.slice(0, 9), status("waiting"), {
      type: "presence",
      cursor: "p",
      people: [{ id: "u2", name: "Grace Hopper", typing: true }],
    }),
  answers: {
    ...ANSWERS,
    "GET /chats/c1/acl": { users: ["u2"], roles: { u2: "write" } },
    "GET /users": {
      items: [{ id: "u2", email: "grace@example.org", name: "Grace Hopper", role: "member" }],
    },
    "GET /groups": { items: [] },
    "GET /chats/c1/link": { id: "l1", role: "read" },
  },
  width: 1280,
  height: 800,
  play: async ({ root }) => {
    await expect.poll(() => root.textContent).toContain("Grace Hopper is typing…");
    await pressed(root, "Chat actions");
    await pressed(root, "Share");
    await expect.poll(() => root.querySelector('dialog [aria-label="Link to this chat"]')).toBeTruthy();
  },
};

export const ToolsOfAChat: Story = {
  render: () => page("/chats/c1", ...HISTORY.slice(0, 9), status("waiting")),
  answers: {
    ...ANSWERS,
    "GET /chats/c1": { chat: CARDS[0], settings: {} },
    "GET /mcp-servers": {
      items: [{ id: "m1", slug: "notes", name: "Team notes", availability: "default_on", enabled: true }],
    },
    "GET /settings": {},
    "GET /me/settings": {},
    "GET /tools": { items: [{ name: "execute", description: "Runs a command.", asks: false }] },
  },
  width: 1280,
  height: 800,
  play: async ({ root }) => {
    await pressed(root, "Chat actions");
    await pressed(root, "Tools");
    await expect.poll(() => root.querySelector("dialog")?.textContent).toContain("Team notes");
  },
};

/** What was changed is not lost by a click on a link. */
export const Leaving: Story = {
  render: () => (
    <World path="/admin/budgets" cards={CARDS}>
      <LeaveGuard>
        <Shell />
      </LeaveGuard>
    </World>
  ),
  answers: {
    ...ANSWERS,
    "GET /settings": {},
    "GET /budgets": { month: "2026-06-01", user: { limit: null, spent: 0, reserved: 0 } },
  },
  width: 1280,
  height: 800,
  play: async ({ root, user }) => {
    await expect.poll(() => root.querySelector("form input.input")).toBeTruthy();
    await user.fill(root.querySelector("form input.input") as HTMLElement, "12");
    await pressed(root, "Usage");
    await expect.poll(() => root.querySelector("dialog")?.textContent).toContain("Leave without saving?");
    await pressed(root, "Keep editing");
    await expect.poll(() => root.querySelector("dialog")).toBe(null);
  },
};

export const Renaming: Story = {
  render: () => page("/chats/c1", ...HISTORY.slice(0, 9), status("waiting")),
  answers: ANSWERS,
  width: 1280,
  height: 800,
  play: async ({ root, user, asked }) => {
    await pressed(root, "Rename: Make the importer resumable");
    await expect.poll(() => document.activeElement?.getAttribute("aria-label")).toBe("Title");
    await user.fill(document.activeElement as HTMLElement, "Resumable imports");
    await user.keyboard("{Enter}");
    await expect
      .poll(() => asked)
      .toContainEqual({ what: "PATCH /chats/c1", body: { title: "Resumable imports" } });
  },
};

/** A new chat in a workspace of a template, with what the template asks for. */
export const NewChatFromTemplate: Story = {
  render: () => page("/"),
  answers: ANSWERS,
  width: 1280,
  height: 800,
  play: async ({ root }) => {
    await pressed(root, "Workspace");
    await expect.poll(() => root.querySelector('.menu[aria-label="Workspace"] .menu-item')).toBeTruthy();
    const python = [...root.querySelectorAll<HTMLElement>('.menu[aria-label="Workspace"] .menu-item')].find(
      (item) => item.textContent?.includes("python"),
    );
    python?.click();
    await expect.poll(() => root.textContent).toContain("packages");
  },
};
