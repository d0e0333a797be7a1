/** Every place of the settings, in the order the menu shows them. Their pages load when somebody goes there. */

import {
  Activity,
  BellRing,
  Blocks,
  BookOpen,
  Box,
  Boxes,
  Cable,
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

export interface Place {
  path: string;
  label: string;
  icon: LucideIcon;
}

export const PERSONAL_PLACES: Place[] = [
  { path: "/settings/profile", label: "Profile", icon: UserRound },
  { path: "/settings/prompt", label: "Your instructions", icon: ScrollText },
  { path: "/settings/notifications", label: "Notifications", icon: BellRing },
  { path: "/settings/skills", label: "Skills", icon: BookOpen },
  { path: "/settings/usage", label: "Your usage", icon: Activity },
  { path: "/settings/workspaces", label: "Workspaces", icon: Box },
  { path: "/settings/mcp", label: "MCP sign-ins", icon: Blocks },
  { path: "/settings/keys", label: "Your keys", icon: KeyRound },
  { path: "/settings/connect", label: "Connect your tools", icon: Cable },
  { path: "/settings/tokens", label: "API tokens", icon: Ticket },
];

export const ADMIN_PLACES: Place[] = [
  { path: "/admin/providers", label: "Providers", icon: Plug },
  { path: "/admin/models", label: "Models", icon: Boxes },
  { path: "/admin/prompts", label: "Prompts", icon: ScrollText },
  { path: "/admin/advisor", label: "Advisor", icon: Lightbulb },
  { path: "/admin/mcp", label: "MCP servers", icon: Blocks },
  { path: "/admin/hooks", label: "Hooks", icon: Webhook },
  { path: "/admin/templates", label: "Templates", icon: Terminal },
  { path: "/admin/users", label: "Users and roles", icon: Users },
  { path: "/admin/budgets", label: "Budgets", icon: Coins },
  { path: "/admin/usage", label: "Usage", icon: Activity },
  { path: "/admin/policies", label: "Policies", icon: SlidersHorizontal },
  { path: "/admin/audit", label: "Audit log", icon: ShieldCheck },
];
