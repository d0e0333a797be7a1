/** Calls that choose, make, start and stop workspaces. */

import { Box, Paperclip, Play, ScrollText, Square } from "lucide-react";
import { textField } from "../chat/calls.ts";
import { Output } from "./Output.tsx";
import { type Line, outputOf, type Renderer, tense } from "./renderer.ts";

function plain(
  icon: Renderer["icon"],
  line: (fields: Record<string, unknown>, call: Parameters<Renderer["line"]>[1]) => Line,
): Renderer {
  return {
    icon,
    line,
    Body: ({ call }) => <Output text={outputOf(call)} live={call.state.phase === "running"} />,
  };
}

export const createWorkspace = plain(Box, (fields, call) => ({
  verb: tense(call, "Creating a workspace from", "Created a workspace from"),
  object: textField(fields, "template") || "blank",
}));
export const startWorkspace = plain(Play, (_, call) => ({
  verb: tense(call, "Starting the workspace", "Started the workspace"),
}));
export const stopWorkspace = plain(Square, (_, call) => ({
  verb: tense(call, "Stopping the workspace", "Stopped the workspace"),
}));
export const listTemplates = plain(ScrollText, (_, call) => ({
  verb: tense(call, "Listing", "Listed"),
  object: "templates",
}));
export const readTemplate = plain(ScrollText, (fields, call) => ({
  verb: tense(call, "Reading template", "Read template"),
  object: textField(fields, "name") || textField(fields, "template"),
}));
export const attachFile = plain(Paperclip, (fields, call) => ({
  verb: tense(call, "Attaching", "Attached"),
  object: textField(fields, "name") || textField(fields, "path"),
}));
