/** Every place of the settings, in the order the menu shows them. Their pages load when somebody goes there. */

import {
  Activity,
  BellRing,
  Blocks,
  BookOpen,
  Box,
  Boxes,
  Brain,
  Cable,
  CalendarClock,
  Coins,
  KeyRound,
  Lightbulb,
  type LucideIcon,
  Plug,
  ScrollText,
  Send,
  ShieldCheck,
  SlidersHorizontal,
  Terminal,
  Ticket,
  UserRound,
  Users,
  Webhook,
  Zap,
} from "lucide-react";
import { t } from "../language/catalogue.ts";

export interface Place {
  path: string;
  label: string;
  icon: LucideIcon;
}

export const PERSONAL_PLACES: Place[] = [
  { path: "/settings/profile", label: t("Profile"), icon: UserRound },
  { path: "/settings/prompt", label: t("Your instructions"), icon: ScrollText },
  { path: "/settings/notifications", label: t("Notifications"), icon: BellRing },
  { path: "/settings/skills", label: t("Skills"), icon: BookOpen },
  { path: "/settings/memory", label: t("Memory"), icon: Brain },
  { path: "/settings/schedules", label: t("Schedules"), icon: CalendarClock },
  { path: "/settings/triggers", label: t("Triggers"), icon: Zap },
  { path: "/settings/webhooks", label: t("Webhooks"), icon: Send },
  { path: "/settings/usage", label: t("Your usage"), icon: Activity },
  { path: "/settings/workspaces", label: t("Workspaces"), icon: Box },
  { path: "/settings/mcp", label: t("MCP sign-ins"), icon: Blocks },
  { path: "/settings/keys", label: t("Your keys"), icon: KeyRound },
  { path: "/settings/connect", label: t("Connect your tools"), icon: Cable },
  { path: "/settings/tokens", label: t("API tokens"), icon: Ticket },
];

export const ADMIN_PLACES: Place[] = [
  { path: "/admin/providers", label: t("Providers"), icon: Plug },
  { path: "/admin/models", label: t("Models"), icon: Boxes },
  { path: "/admin/prompts", label: t("Prompts"), icon: ScrollText },
  { path: "/admin/advisor", label: t("Advisor"), icon: Lightbulb },
  { path: "/admin/mcp", label: t("MCP servers"), icon: Blocks },
  { path: "/admin/hooks", label: t("Hooks"), icon: Webhook },
  { path: "/admin/templates", label: t("Templates"), icon: Terminal },
  { path: "/admin/users", label: t("Users and roles"), icon: Users },
  { path: "/admin/budgets", label: t("Budgets"), icon: Coins },
  { path: "/admin/usage", label: t("Usage"), icon: Activity },
  { path: "/admin/policies", label: t("Policies"), icon: SlidersHorizontal },
  { path: "/admin/audit", label: t("Audit log"), icon: ShieldCheck },
];
