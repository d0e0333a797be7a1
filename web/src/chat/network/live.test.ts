import { afterEach, expect, test, vi } from "vitest";
import { LiveChat } from "./live.ts";

afterEach(() => vi.unstubAllGlobals());

test("changes reach the server in the order somebody made them", async () => {
  const live = new LiveChat("c1");
  const heard: string[] = [];
  let arrive = () => {};
  const way = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const first = live.inOrder(() => way.then(() => heard.push("first")));
  const second = live.inOrder(async () => heard.push("second"));
  arrive();
  await Promise.all([first, second]);
  expect(heard).toEqual(["first", "second"]);
});

test("a change that is refused does not hold up the next one", async () => {
  const live = new LiveChat("c1");
  const refused = live.inOrder(() => Promise.reject(new Error("refused")));
  const next = live.inOrder(async () => "done");
  await expect(refused).rejects.toThrow("refused");
  expect(await next).toBe("done");
});

test("whoever went to the start and back to the end stays there, however late the start comes", async () => {
  const live = new LiveChat("c1");
  let arrive = (_: Response) => {};
  const answer = new Promise<Response>((resolve) => {
    arrive = resolve;
  });
  vi.stubGlobal("fetch", () => answer);
  const way = live.goToStart();
  live.goToEnd();
  arrive(Response.json({ items: [{ number: 1 }, { number: 2 }] }));
  await way;
  expect(live.state.stretch).toBeNull();
});
