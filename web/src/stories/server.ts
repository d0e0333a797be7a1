/** The server of a story: canned answers, and a record of what was asked. Never part of the shipped page. */

import type { Acting } from "./story.ts";

const EVERYWHERE: Record<string, unknown> = {
  "GET /models": {
    items: [
      {
        name: "demo",
        display_name: "Demo",
        provider: "Demo",
        provider_id: "p0",
        context_window: 200_000,
        efforts: ["low", "medium", "high"],
        default: true,
      },
      {
        name: "sonnet",
        display_name: "Claude Sonnet",
        provider: "Anthropic",
        provider_id: "p1",
        context_window: 1_000_000,
        efforts: ["low", "high"],
      },
    ],
  },
  "GET /templates": {
    items: [
      { name: "blank", description: "Empty, no network", parameters: [] },
      { name: "python", description: "Python 3", parameters: [{ name: "packages", default: "" }] },
    ],
  },
  "GET /skills": { items: [{ name: "release-notes", description: "Write release notes" }] },
  "GET /inbox": { items: [], unread: 0 },
  "GET /chats": { items: [] },
};

export function serve(answers: Record<string, unknown>): Acting["asked"] {
  const asked: Acting["asked"] = [];
  const all = { ...EVERYWHERE, ...answers };
  globalThis.fetch = async (input, init) => {
    const path = new URL(String(input), location.origin).pathname.replace("/api/v1", "");
    const what = `${init?.method ?? "GET"} ${path}`;
    const body = typeof init?.body === "string" ? JSON.parse(init.body) : undefined;
    if (what.split(" ")[0] !== "GET") asked.push({ what, body });
    const found = all[what];
    const answer = typeof found === "function" ? (found as (body: unknown) => unknown)(body) : found;
    if (answer instanceof Response) return answer;
    const missing = answer === undefined && init?.method === "GET";
    return new Response(JSON.stringify(missing ? { message: "Not here." } : (answer ?? {})), {
      status: missing ? 404 : 200,
    });
  };
  globalThis.WebSocket = Silent as unknown as typeof WebSocket;
  return asked;
}

/** A socket on which nothing ever comes. */
class Silent {
  readyState = 0;
  close(): void {}
  send(): void {}
}
