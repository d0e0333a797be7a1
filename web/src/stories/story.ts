/** What a story is: a component in one state, and what somebody does with it. Stories are looked at, and run as tests. */

import type { ReactNode } from "react";
import type { userEvent } from "vitest/browser";

export interface Acting {
  root: HTMLElement;
  user: typeof userEvent;
  /** What the story's server was asked: "POST /chats/1/retry" and its body. */
  asked: { what: string; body: unknown }[];
}

export interface Story {
  render: () => ReactNode;
  /** Answers of the server, by "METHOD /path"; a function sees the body. */
  answers?: Record<string, unknown>;
  play?: (acting: Acting) => Promise<void>;
  /** What stands there once all of it has come. */
  ready?: string;
  /** A viewport other than the usual one. */
  width?: number;
  height?: number;
}

export interface StoryFile {
  default: { title: string };
  [name: string]: Story | { title: string };
}

export function storiesOf(files: Record<string, StoryFile>): { name: string; story: Story }[] {
  return Object.values(files).flatMap((file) =>
    Object.entries(file)
      .filter(([name]) => name !== "default")
      .map(([name, story]) => ({ name: `${file.default.title}/${name}`, story: story as Story })),
  );
}
