/** Who is here, in which groups, and how they sign in. */

import { UserPlus, UsersRound } from "lucide-react";
import { t } from "../language/catalogue.ts";
import { termOf } from "../language/terms.ts";
import { useMe } from "../page/session.ts";
import { ResourcePage } from "../settings/ResourcePage.tsx";
import { useResource } from "../settings/resource.ts";
import { choices } from "./choices.ts";
import { LoginServices } from "./LoginServices.tsx";

export function People() {
  const me = useMe();
  const users = useResource("/users").items;
  const nameOf = (id: string) => {
    const person = users.find((entry) => entry.id === id);
    return person?.name || person?.email || "";
  };
  const people = users.map(({ id }) => ({ value: id, label: nameOf(id) }));
  return (
    <>
      <ResourcePage
        title={t("Users")}
        about={t(
          "Owners run the deployment, admins manage the organization, members use chats, auditors have read-only access.",
        )}
        path="/users"
        noun={t("user")}
        initial={{ role: "member" }}
        fields={[
          { name: "email", label: t("Email"), required: true, only: "create" },
          { name: "name", label: t("Name") },
          { name: "disabled", label: t("Disabled"), kind: "switch", only: "change" },
          {
            name: "role",
            label: t("Role"),
            kind: "choice",
            options: choices("member", "auditor", "admin", "owner"),
          },
          {
            name: "password",
            label: t("Password"),
            kind: "password",
            hint: t("Leave empty if they sign in by link or single sign-on."),
          },
        ]}
        nothing={{ icon: UserPlus, title: t("Nobody else yet"), words: t("Add the people you work with.") }}
        idOf={(person) => person.id}
        row={(person) => (
          <>
            <strong>{person.name || person.email}</strong> <span className="pill">{termOf(person.role)}</span>{" "}
            {person.disabled && <span className="pill pill-bad">{t("disabled")}</span>}
            <div className="quiet small">{person.email}</div>
          </>
        )}
      />
      <ResourcePage
        title={t("Groups")}
        about={t("Chats can be shared with a whole group.")}
        path="/groups"
        noun={t("group")}
        initial={{ members: [] }}
        fields={[
          { name: "name", label: t("Name"), required: true },
          { name: "members", label: t("Members"), kind: "several", options: people },
        ]}
        nothing={{
          icon: UsersRound,
          title: t("No groups yet"),
          words: t("Share a chat with a whole group instead of one person at a time."),
        }}
        idOf={(group) => group.id}
        row={(group) => (
          <>
            <strong>{group.name}</strong>
            <div className="quiet small truncate">
              {group.members.map(nameOf).filter(Boolean).join(", ") || t("no members yet")}
            </div>
          </>
        )}
      />
      {me.role === "owner" && <LoginServices />}
    </>
  );
}
