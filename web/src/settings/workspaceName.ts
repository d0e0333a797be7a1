import type { Workspace } from "../api/types.ts";

/** What a workspace is called: as somebody named it, else after what is done in it. */
export function workspaceName({ name, chats, template }: Workspace): string {
  return name || chats?.at(-1)?.title || template;
}
