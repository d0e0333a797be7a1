/** Pages of the settings, at their address, with what their server keeps. */

import type { ReactNode } from "react";
import { Shell } from "../app/Shell.tsx";
import { ANSWERS, CARDS } from "./house.ts";
import type { Story } from "./story.ts";
import { World } from "./World.tsx";

export function place(path: string): ReactNode {
  return (
    <World path={path} cards={CARDS}>
      <Shell />
    </World>
  );
}

/** A place, what its server answers, and what somebody does there. */
export function placed(path: string, answers: Record<string, unknown>, play?: Story["play"]): Story {
  return {
    render: () => place(path),
    answers: { ...ANSWERS, ...answers },
    // The code of the settings comes when somebody goes there.
    ready: path === "/" ? undefined : ".settings-body h2",
    width: 1280,
    height: 900,
    play,
  };
}

/** What the server answers where there is nothing yet. */
export const NONE = { items: [] };

/** Wait for a button, by its name or its words, and press it. */
export async function pressed(root: HTMLElement, name: string): Promise<void> {
  const { expect, vi } = await import("vitest");
  const found = () =>
    [...root.querySelectorAll<HTMLElement>("button, [role=menuitem], summary, a")].find(
      (button) =>
        button.getAttribute("aria-label") === name ||
        button.textContent?.trim() === name ||
        button.textContent?.startsWith(`${name}: `),
    );
  await vi.waitFor(() => expect(found(), name).toBeTruthy(), { timeout: 15_000 });
  found()?.click();
}
