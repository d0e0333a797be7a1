/** The highlighter itself, in a file of its own so that it loads on demand and without languages nobody asked for. */

import type { Root } from "hast";
import { createLowlight } from "lowlight";

export function painterOf(language: string, grammar: unknown): (code: string) => Root {
  const lowlight = createLowlight({ [language]: grammar as never });
  return (code) => lowlight.highlight(language, code);
}
