import { expect, test } from "vitest";
import { LiveChat } from "./live.ts";

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
