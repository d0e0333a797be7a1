import {
  Keyboard,
  LogOut,
  Moon,
  PanelLeftClose,
  Settings,
  ShieldCheck,
  Sun,
  SunMoon,
  UserRound,
} from "lucide-react";
import { Link, useLocation } from "wouter";
import { api } from "../api/client.ts";
import { InboxBell } from "../inbox/InboxBell.tsx";
import { t } from "../language/catalogue.ts";
import { termOf } from "../language/terms.ts";
import { Mark } from "../page/Mark.tsx";
import { mayAdminister, useMe } from "../page/session.ts";
import { keyNames } from "../page/shortcuts.ts";
import { setTheme, type Theme, useTheme } from "../page/theme.ts";
import { Button } from "../ui/Button.tsx";
import { Facts } from "../ui/Facts.tsx";
import { Menu, MenuItem } from "../ui/Menu.tsx";

const THEMES: [Theme, string, typeof Sun][] = [
  ["light", t("Light"), Sun],
  ["dark", t("Dark"), Moon],
  ["system", t("System"), SunMoon],
];

/** The head of the left column: the mark, the bell, and the person. */
export function TopBar({ onFold }: { onFold: () => void }) {
  return (
    <header className="top-bar">
      <Link href="/" className="brand">
        <Mark />
        <span>Perdure</span>
      </Link>
      <Button
        look="ghost"
        className="fold-button"
        label={t("Hide the chat list")}
        title={t("Hide the chat list ({keys})", { keys: keyNames("⌘", "B") })}
        onClick={onFold}
      >
        <PanelLeftClose />
      </Button>
      <InboxBell />
      <PersonMenu />
    </header>
  );
}

function PersonMenu() {
  const me = useMe();
  const theme = useTheme();
  const [, go] = useLocation();
  const leave = () => api.post("/logout").finally(() => location.assign("/"));
  return (
    <Menu
      label={t("You")}
      className="button button-ghost button-icon"
      button={<UserRound aria-hidden />}
      align="end"
    >
      {(close) => {
        const then = (act: () => void) => () => {
          close();
          act();
        };
        return (
          <>
            <p className="menu-heading">
              <Facts of={[me.name || me.email, termOf(me.role)]} />
            </p>
            <MenuItem icon={<Settings />} onSelect={then(() => go("/settings"))}>
              {t("Settings")}
            </MenuItem>
            {mayAdminister(me) && (
              <MenuItem icon={<ShieldCheck />} onSelect={then(() => go("/admin/providers"))}>
                {t("Administration")}
              </MenuItem>
            )}
            <MenuItem
              icon={<Keyboard />}
              hint="?"
              onSelect={then(() => dispatchEvent(new KeyboardEvent("keydown", { key: "?" })))}
            >
              {t("Keyboard")}
            </MenuItem>
            <div className="menu-line" />
            {THEMES.map(([name, words, Icon]) => (
              <MenuItem key={name} icon={<Icon />} checked={theme === name} onSelect={() => setTheme(name)}>
                {words}
              </MenuItem>
            ))}
            <div className="menu-line" />
            <MenuItem icon={<LogOut />} onSelect={then(() => void leave())}>
              {t("Sign out")}
            </MenuItem>
          </>
        );
      }}
    </Menu>
  );
}
