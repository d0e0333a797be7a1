import { afterEach, expect, test, vi } from "vitest";
import { type InboxEvent, inboxHears, readInbox } from "./inbox.ts";

afterEach(() => vi.unstubAllGlobals());

const entry = (id: number) => ({ id }) as InboxEvent["entry"];

test("what is heard while the inbox is read is in it", async () => {
  let arrive = (_: Response) => {};
  const answer = new Promise<Response>((resolve) => {
    arrive = resolve;
  });
  vi.stubGlobal("fetch", () => answer);
  const read = readInbox();
  inboxHears([{ type: "inbox", cursor: "1", entry: entry(2), unread: 2 }]);
  arrive(Response.json({ items: [entry(1)], unread: 1 }));
  expect(await read).toEqual({ items: [entry(2), entry(1)], unread: 2 });
});
