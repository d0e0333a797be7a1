/** Which tool is shown how. */

import type { ToolCallPart } from "../api/types.ts";
import { askUserQuestion } from "./AskUserQuestion.tsx";
import { advisor } from "./advisor.tsx";
import {
  interruptAgent,
  listAgents,
  listSubagentModels,
  messageAgent,
  spawnAgent,
  waitAgent,
} from "./agents.tsx";
import { editFiles } from "./editFiles.tsx";
import { execute, processList, processOutput, processSignal } from "./execute.tsx";
import { listFiles, readFile, searchFiles, writeFile } from "./files.tsx";
import {
  computer,
  mcp,
  readSkill,
  recall,
  remember,
  searchMemory,
  unknownTool,
  webSearch,
} from "./others.tsx";
import { proposePlan } from "./ProposePlan.tsx";
import type { Renderer } from "./renderer.ts";
import { addSchedule, listSchedules, removeSchedule } from "./schedules.tsx";
import {
  attachFile,
  createWorkspace,
  listTemplates,
  openPullRequest,
  readTemplate,
  startWorkspace,
  stopWorkspace,
} from "./workspaces.tsx";

const RENDERERS: Record<string, Renderer> = {
  read_file: readFile,
  write_file: writeFile,
  edit_files: editFiles,
  search_files: searchFiles,
  list_files: listFiles,
  attach_file: attachFile,
  execute,
  process_output: processOutput,
  process_list: processList,
  process_signal: processSignal,
  list_templates: listTemplates,
  read_template: readTemplate,
  create_workspace: createWorkspace,
  start_workspace: startWorkspace,
  stop_workspace: stopWorkspace,
  spawn_agent: spawnAgent,
  wait_agent: waitAgent,
  message_agent: messageAgent,
  interrupt_agent: interruptAgent,
  list_agents: listAgents,
  list_subagent_models: listSubagentModels,
  ask_user_question: askUserQuestion,
  propose_plan: proposePlan,
  advisor,
  computer,
  web_search: webSearch,
  recall,
  remember,
  search_memory: searchMemory,
  add_schedule: addSchedule,
  list_schedules: listSchedules,
  remove_schedule: removeSchedule,
  open_pull_request: openPullRequest,
  read_skill: readSkill,
  read_skill_file: readSkill,
};

export function rendererOf(part: ToolCallPart): Renderer {
  return RENDERERS[part.tool] ?? (part.mcp_server_id || part.tool.includes("__") ? mcp : unknownTool);
}
