/** Requests on their way through a proxy, against a server of our own. */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { api } from "./client.ts";

let server: Server | undefined;
afterEach(() => {
  vi.unstubAllGlobals();
  server?.close();
});

/** Answers with these, one after the other; the keys that it was asked with. */
async function answering(...statuses: number[]): Promise<(string | undefined)[]> {
  const keys: (string | undefined)[] = [];
  server = createServer((request, response) => {
    keys.push(request.headers["idempotency-key"] as string | undefined);
    response.writeHead(statuses[keys.length - 1] ?? 200).end("{}");
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const over = globalThis.fetch;
  vi.stubGlobal("fetch", (path: string, options: RequestInit) =>
    over(`http://127.0.0.1:${port}${path}`, options),
  );
  return keys;
}

test("what has a key is sent again under it when a replica was lost", async () => {
  const keys = await answering(502, 504);
  await api.post("/chats", {}, "one");
  expect(keys).toEqual(["one", "one", "one"]);
});

test("what has no key is sent once", async () => {
  const keys = await answering(502);
  await expect(api.post("/chats", {})).rejects.toMatchObject({ status: 502 });
  expect(keys).toHaveLength(1);
});

test("what the server itself refuses is not sent again", async () => {
  const keys = await answering(500);
  await expect(api.post("/chats", {}, "one")).rejects.toMatchObject({ status: 500 });
  expect(keys).toHaveLength(1);
});
