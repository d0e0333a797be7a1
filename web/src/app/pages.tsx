/** The page of each place. */

import type { ReactNode } from "react";
import { Advisor } from "../admin/Advisor.tsx";
import { Audit } from "../admin/Audit.tsx";
import { Budgets } from "../admin/Budgets.tsx";
import { Hooks } from "../admin/Hooks.tsx";
import { McpServers } from "../admin/McpServers.tsx";
import { Models } from "../admin/Models.tsx";
import { People } from "../admin/People.tsx";
import { Policies } from "../admin/Policies.tsx";
import { Prompts } from "../admin/Prompts.tsx";
import { Providers } from "../admin/Providers.tsx";
import { Templates } from "../admin/Templates.tsx";
import { Usage } from "../admin/Usage.tsx";
import { Connect } from "../settings/Connect.tsx";
import { McpSignIns } from "../settings/McpSignIns.tsx";
import { Memories } from "../settings/Memories.tsx";
import { Notifications } from "../settings/Notifications.tsx";
import { OwnUsage } from "../settings/OwnUsage.tsx";
import { PersonalChats } from "../settings/PersonalChats.tsx";
import { PersonalKeys } from "../settings/PersonalKeys.tsx";
import { Profile } from "../settings/Profile.tsx";
import { Skills } from "../settings/Skills.tsx";
import { Tokens } from "../settings/Tokens.tsx";
import { Workspaces } from "../settings/Workspaces.tsx";
import { Schedules } from "../triggers/Schedules.tsx";
import { Triggers } from "../triggers/Triggers.tsx";
import { Webhooks } from "../triggers/Webhooks.tsx";

export const PAGES: Record<string, () => ReactNode> = {
  "/settings/profile": Profile,
  "/settings/prompt": PersonalChats,
  "/settings/notifications": Notifications,
  "/settings/skills": Skills,
  "/settings/memory": Memories,
  "/settings/schedules": Schedules,
  "/settings/triggers": Triggers,
  "/settings/webhooks": Webhooks,
  "/settings/usage": OwnUsage,
  "/settings/workspaces": Workspaces,
  "/settings/mcp": McpSignIns,
  "/settings/keys": PersonalKeys,
  "/settings/connect": Connect,
  "/settings/tokens": Tokens,
  "/admin/providers": Providers,
  "/admin/models": Models,
  "/admin/prompts": Prompts,
  "/admin/advisor": Advisor,
  "/admin/mcp": McpServers,
  "/admin/hooks": Hooks,
  "/admin/templates": Templates,
  "/admin/users": People,
  "/admin/budgets": Budgets,
  "/admin/usage": Usage,
  "/admin/policies": Policies,
  "/admin/audit": Audit,
};
