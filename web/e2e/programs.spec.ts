/** Programs without a token send their person to the page, which lets them in or does not. */

import { createHash, randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { test as base, expect } from "./page.ts";

type Told = Record<string, string>;

/** A program on this machine, which knows an address and nothing else. */
class Program {
  readonly #server: Server;
  readonly #told: Promise<Told>;
  readonly #verifier = randomBytes(32).toString("base64url");
  readonly #url: string;
  #id = "";

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.#url = url;
    this.#told = new Promise((resolve) =>
      server.on("request", (request, response) => {
        resolve(Object.fromEntries(new URL(request.url ?? "", this.back).searchParams));
        response.end("You can close this page.");
      }),
    );
  }

  static async started(url: string): Promise<Program> {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    return new Program(server, url);
  }

  get back(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/callback`;
  }

  /** What the server says of itself, by the way that a refusal names. */
  async finds(): Promise<Told> {
    const refused = await fetch(`${this.#url}/mcp`, { method: "POST", body: "{}" });
    expect(refused.status).toBe(401);
    const resource = /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate") ?? "")?.[1];
    const { authorization_servers } = await (await fetch(resource ?? "")).json();
    const at = new URL("/.well-known/oauth-authorization-server", authorization_servers[0]);
    return (await fetch(at)).json();
  }

  /** Where it sends its person. */
  async asks({ registration_endpoint, authorization_endpoint }: Told): Promise<string> {
    const body = JSON.stringify({ client_name: "An agent", redirect_uris: [this.back] });
    const headers = { "Content-Type": "application/json" };
    const registered = await fetch(registration_endpoint ?? "", { method: "POST", body, headers });
    expect(registered.status).toBe(201);
    this.#id = (await registered.json()).client_id;
    const to = new URL(authorization_endpoint ?? "");
    to.search = new URLSearchParams({
      response_type: "code",
      client_id: this.#id,
      redirect_uri: this.back,
      code_challenge: createHash("sha256").update(this.#verifier).digest("base64url"),
      code_challenge_method: "S256",
      state: "as it was",
      scope: "chat",
    }).toString();
    return to.href;
  }

  /** What came back to it. */
  told(): Promise<Told> {
    return this.#told;
  }

  async token({ token_endpoint }: Told, code: string): Promise<Response> {
    const form = { grant_type: "authorization_code", code, client_id: this.#id, redirect_uri: this.back };
    const body = new URLSearchParams({ ...form, code_verifier: this.#verifier });
    return fetch(token_endpoint ?? "", { method: "POST", body });
  }

  async begins(token: string, message: string): Promise<string> {
    const params = { name: "begin_chat", arguments: { message } };
    const headers = {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2025-06-18",
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    const answer = await fetch(`${this.#url}/mcp`, { method: "POST", headers, body });
    expect(answer.status).toBe(200);
    return answer.text();
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const test = base.extend<{ program: Program }>({
  program: async ({ server }, use) => {
    const program = await Program.started(server.url);
    await use(program);
    program.stop();
  },
});

test("a program that its person lets in takes a token and begins a chat", async ({ person, program }) => {
  const found = await program.finds();
  await person.page.goto(await program.asks(found));
  await expect(person.page.getByRole("heading", { name: "An agent wants to use your chats" })).toBeVisible();
  await person.page.getByRole("button", { name: "Let it in", exact: true }).click();
  const { code = "", state, iss } = await program.told();
  expect([state, iss]).toEqual(["as it was", found.issuer]);
  await expect(person.page.getByText("You can close this page.")).toBeVisible();
  const answer = await program.token(found, code);
  const { access_token, scope } = await answer.json();
  expect(scope).toBe("chat");
  expect((await program.token(found, code)).status).toBe(400);
  const told = await program.begins(access_token, "[[say:Let in by a click.]]");
  const chat = /"chat_id":\s*\\?"([0-9a-f-]{36})/.exec(told)?.[1];
  await person.page.goto(`/chats/${chat}`);
  await person.seesAnswer("Let in by a click.");
});

test("a program that its person does not let in is told nothing", async ({ person, program }) => {
  await person.page.goto(await program.asks(await program.finds()));
  await person.page.getByRole("button", { name: "Do not let it in" }).click();
  await expect(person.page.getByText("An agent wants to use your chats")).toBeHidden();
  expect(new URL(person.page.url()).search).toBe("");
});

test("somebody who is not signed in comes to the question once they are", async ({
  person,
  program,
  browser,
  server,
}) => {
  await person.page.goto("/");
  const { email, password } = await person.invites();
  const context = await browser.newContext({ baseURL: server.url });
  const page = await context.newPage();
  const found = await program.finds();
  await page.goto(await program.asks(found));
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("button", { name: "Let it in", exact: true }).click();
  const { code = "" } = await program.told();
  expect((await program.token(found, code)).status).toBe(200);
  await context.close();
});
