/** What a program asks for that sends a person here, and how it is answered. */

export interface Program {
  client_id: string;
  redirect_uri: string;
  code_challenge: string;
  state: string | null;
  /** What it calls itself. Anybody may call themselves anything. */
  name: string;
  host: string;
}

const S256 = /^[\w-]{43}$/;

/** What the address asks; nothing where it asks for something that is not given here. */
export function programOf(fields: URLSearchParams): Program | null {
  const [client_id, redirect_uri, code_challenge] = ["client_id", "redirect_uri", "code_challenge"].map(
    (name) => fields.get(name) ?? "",
  ) as [string, string, string];
  if (fields.get("response_type") !== "code" || fields.get("code_challenge_method") !== "S256") return null;
  if (!S256.test(code_challenge)) return null;
  try {
    const base64 = client_id.replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const { name } = JSON.parse(new TextDecoder().decode(bytes)) as { name: string };
    const { host } = new URL(redirect_uri);
    return { client_id, redirect_uri, code_challenge, state: fields.get("state"), name, host };
  } catch {
    return null;
  }
}

/** Where the browser goes with the answer. */
export function answerOf(program: Program, answer: Record<string, string>): string {
  const address = new URL(program.redirect_uri);
  for (const [name, value] of Object.entries(answer)) address.searchParams.set(name, value);
  if (program.state !== null) address.searchParams.set("state", program.state);
  return address.href;
}
