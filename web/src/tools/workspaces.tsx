/** Calls that choose, make, start and stop workspaces. */

import { Box, GitPullRequest, Paperclip, Play, ScrollText, Square } from "lucide-react";
import { textField } from "../chat/model/calls.ts";
import { t } from "../language/catalogue.ts";
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
  verb: tense(call, t("Creating a workspace from"), t("Created a workspace from")),
  object: textField(fields, "template") || t("blank"),
}));
export const startWorkspace = plain(Play, (_, call) => ({
  verb: tense(call, t("Starting the workspace"), t("Started the workspace")),
}));
export const stopWorkspace = plain(Square, (_, call) => ({
  verb: tense(call, t("Stopping the workspace"), t("Stopped the workspace")),
}));
export const listTemplates = plain(ScrollText, (_, call) => ({
  verb: tense(call, t("Listing"), t("Listed")),
  object: t("templates"),
}));
export const readTemplate = plain(ScrollText, (fields, call) => ({
  verb: tense(call, t("Reading template"), t("Read template")),
  object: textField(fields, "name") || textField(fields, "template"),
}));
export const openPullRequest = plain(GitPullRequest, (fields, call) => ({
  verb: tense(call, t("Opening a pull request"), t("Opened a pull request")),
  object: textField(fields, "title"),
  prose: true,
}));
export const attachFile = plain(Paperclip, (fields, call) => ({
  verb: tense(call, t("Attaching"), t("Attached")),
  object: textField(fields, "name") || textField(fields, "path"),
}));
