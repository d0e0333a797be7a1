/** Every place of the settings, in the order the menu shows them. */

import {
  Activity,
  BellRing,
  Blocks,
  BookOpen,
  Box,
  Boxes,
  Coins,
  KeyRound,
  Lightbulb,
  type LucideIcon,
  Plug,
  ScrollText,
  ShieldCheck,
  SlidersHorizontal,
  Terminal,
  Ticket,
  UserRound,
  Users,
  Webhook,
} from "lucide-react";
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
import { McpSignIns } from "./McpSignIns.tsx";
import { Notifications } from "./Notifications.tsx";
import { PersonalKeys } from "./PersonalKeys.tsx";
import { PersonalPrompt } from "./PersonalPrompt.tsx";
import { Profile } from "./Profile.tsx";
import { Skills } from "./Skills.tsx";
import { Tokens } from "./Tokens.tsx";
import { Workspaces } from "./Workspaces.tsx";

export interface Place {
  name: string;
  label: string;
  icon: LucideIcon;
  Page: () => ReactNode;
}

export const PERSONAL_PLACES: Place[] = [
  { name: "profile", label: "Profile", icon: UserRound, Page: Profile },
  { name: "prompt", label: "Your instructions", icon: ScrollText, Page: PersonalPrompt },
  { name: "notifications", label: "Notifications", icon: BellRing, Page: Notifications },
  { name: "skills", label: "Skills", icon: BookOpen, Page: Skills },
  { name: "workspaces", label: "Workspaces", icon: Box, Page: Workspaces },
  { name: "mcp", label: "MCP sign-ins", icon: Blocks, Page: McpSignIns },
  { name: "keys", label: "Your keys", icon: KeyRound, Page: PersonalKeys },
  { name: "tokens", label: "API tokens", icon: Ticket, Page: Tokens },
];

export const ADMIN_PLACES: Place[] = [
  { name: "providers", label: "Providers", icon: Plug, Page: Providers },
  { name: "models", label: "Models", icon: Boxes, Page: Models },
  { name: "prompts", label: "Prompts", icon: ScrollText, Page: Prompts },
  { name: "advisor", label: "Advisor", icon: Lightbulb, Page: Advisor },
  { name: "mcp", label: "MCP servers", icon: Blocks, Page: McpServers },
  { name: "hooks", label: "Hooks", icon: Webhook, Page: Hooks },
  { name: "templates", label: "Templates", icon: Terminal, Page: Templates },
  { name: "users", label: "Users and roles", icon: Users, Page: People },
  { name: "budgets", label: "Budgets", icon: Coins, Page: Budgets },
  { name: "usage", label: "Usage", icon: Activity, Page: Usage },
  { name: "policies", label: "Policies", icon: SlidersHorizontal, Page: Policies },
  { name: "audit", label: "Audit log", icon: ShieldCheck, Page: Audit },
];
