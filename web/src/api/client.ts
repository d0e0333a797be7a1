/** The one door to the HTTP API. */

import { ApiError } from "./errors.ts";
import type { Answer, PathOf } from "./operations.ts";

export const BASE = "/api/v1";

let csrf = "";
let expired: () => void = () => {};

/** The token that `GET /me` gave; every change sends it. */
export function setCsrfToken(token: string): void {
  csrf = token;
}

/** What to do when the session is over. */
export function onSessionExpired(handler: () => void): void {
  expired = handler;
}

type Query = Record<string, string | number | boolean | undefined | null>;

export function pathOf(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") search.set(name, String(value));
  }
  const text = search.toString();
  return `${BASE}${path}${text ? `?${text}` : ""}`;
}

/** What is said when the replica that was asked is gone, or goes. */
const GONE = [502, 503, 504];
const TRIES = 4;
const FIRST_DELAY = 250;
/** What may be asked again is not waited for longer: a connection can look open and lead nowhere. */
const PATIENCE_MS = 30_000;

/** Ask; with a key, ask again when a replica was lost on the way: it happens once all the same. */
async function request<Told>(method: string, path: string, body?: unknown, key?: string): Promise<Told> {
  const headers: Record<string, string> = { Accept: "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (method !== "GET") headers["X-CSRF-Token"] = csrf;
  if (key) headers["Idempotency-Key"] = key;
  const text = body === undefined ? undefined : JSON.stringify(body);
  const patient = method === "GET" || key !== undefined;
  const ask = () => {
    const signal = patient ? AbortSignal.timeout(PATIENCE_MS) : undefined;
    return fetch(path, { method, headers, body: text, credentials: "same-origin", signal }).catch(unreached);
  };
  let response = await ask();
  for (let tried = 1; key && GONE.includes(response.status) && tried < TRIES; tried++) {
    await new Promise((resolve) => setTimeout(resolve, FIRST_DELAY * 2 ** tried));
    response = await ask();
  }
  return answer<Told>(response, path);
}

/** Nothing came, or not all of it. */
function unreached(): never {
  throw new ApiError(0, {});
}

async function answer<Told>(response: Response, path: string): Promise<Told> {
  const text = await response.text().catch(unreached);
  const data = parsed(text);
  if (response.ok) return data as Told;
  // To the question who one is, a refusal is the answer.
  const asking = path === `${BASE}/me` || path.startsWith(`${BASE}/login`);
  if (response.status === 401 && !asking) expired();
  throw new ApiError(
    response.status,
    typeof data === "object" && data !== null ? data : { message: undefined },
  );
}

function parsed(text: string): unknown {
  if (!text) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const api = {
  get: <const Path extends PathOf<"get">>(path: Path, query?: Query) =>
    request<Answer<"get", Path>>("GET", pathOf(path, query)),
  post: <const Path extends PathOf<"post">>(path: Path, body: unknown = {}, key?: string) =>
    request<Answer<"post", Path>>("POST", pathOf(path), body, key),
  put: <const Path extends PathOf<"put">>(path: Path, body: unknown) =>
    request<Answer<"put", Path>>("PUT", pathOf(path), body),
  patch: <const Path extends PathOf<"patch">>(path: Path, body: unknown) =>
    request<Answer<"patch", Path>>("PATCH", pathOf(path), body),
  delete: <const Path extends PathOf<"delete">>(path: Path, query?: Query) =>
    request<Answer<"delete", Path>>("DELETE", pathOf(path, query)),
  text: async (path: string, query?: Query): Promise<string> => {
    const response = await fetch(pathOf(path, query), { credentials: "same-origin" });
    if (!response.ok) return answer<string>(response, path);
    return response.text();
  },
  bytes: async (path: string, query?: Query): Promise<Uint8Array<ArrayBuffer>> => {
    const response = await fetch(pathOf(path, query), { credentials: "same-origin" });
    if (!response.ok) return answer<never>(response, path);
    return new Uint8Array(await response.arrayBuffer());
  },
  putBytes: async (path: string, query: Query, body: Blob): Promise<void> => {
    const headers = { "X-CSRF-Token": csrf, "Content-Type": "application/octet-stream" };
    const response = await fetch(pathOf(path, query), {
      method: "PUT",
      headers,
      body,
      credentials: "same-origin",
    }).catch(unreached);
    await answer<void>(response, path);
  },
};

/** Send a file and say how far it is. Aborting the signal stops it. */
export function upload(file: File, query: Query, progress: (share: number) => void, signal: AbortSignal) {
  return new Promise<Answer<"post", "/files">>((resolve, reject) => {
    const sending = new XMLHttpRequest();
    sending.open("POST", pathOf("/files", query));
    sending.setRequestHeader("X-CSRF-Token", csrf);
    sending.setRequestHeader("X-File-Name", encodeURIComponent(file.name));
    sending.setRequestHeader("Content-Type", file.type || "application/octet-stream");
    sending.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total);
    sending.onerror = () => reject(new ApiError(0, {}));
    sending.onload = () => {
      const data = parsed(sending.responseText);
      if (sending.status < 300) resolve(data as Answer<"post", "/files">);
      else reject(new ApiError(sending.status, (data ?? {}) as { message?: string }));
    };
    signal.addEventListener("abort", () => sending.abort());
    sending.send(file);
  });
}
