/** What the document says is what the page compiles against: these lines hold it to that. */

import { expectTypeOf, test } from "vitest";
import { api } from "./client.ts";
import type { Answer, ItemOf, ListPath } from "./operations.ts";
import type { ChatCard, Message } from "./types.ts";

test("an answer has the type that the document gives to its path", () => {
  expectTypeOf<Answer<"get", `/chats/${string}/cost`>>().toHaveProperty("cost");
  expectTypeOf<Answer<"get", "/schedules/times">["items"]>().toEqualTypeOf<string[]>();
  expectTypeOf<ItemOf<`/chats/${string}/messages`>>().toEqualTypeOf<Message>();
  expectTypeOf<Answer<"get", "/chats">["items"][number]["id"]>().toEqualTypeOf<ChatCard["id"]>();
  expectTypeOf<Answer<"delete", `/chats/${string}`>>().toEqualTypeOf<undefined>();
});

test("what is no path of the API is not asked for", () => {
  // @ts-expect-error: no such path
  const wrong = () => api.get("/chat");
  // @ts-expect-error: no such method
  const refused = () => api.put("/chats", {});
  // @ts-expect-error: no guesses about an answer
  const guessed = async () => (await api.get("/models")).models;
  expectTypeOf<"/me">().not.toExtend<ListPath>();
  return [wrong, refused, guessed];
});
