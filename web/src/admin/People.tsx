/** Who is here, in which groups, and how they sign in. */

import { UserPlus, UsersRound } from "lucide-react";
import type { Group, User } from "../api/types.ts";
import { useMe } from "../app/session.ts";
import { ResourcePage } from "../settings/ResourcePage.tsx";
import { useResource } from "../settings/resource.ts";
import { choices } from "./choices.ts";
import { LoginServices } from "./LoginServices.tsx";

export function People() {
  const me = useMe();
  const users = useResource<User>("/users").items;
  const nameOf = (id: string) => {
    const person = users.find((entry) => entry.id === id);
    return person?.name || person?.email || "";
  };
  const people = users.map(({ id }) => ({ value: id, label: nameOf(id) }));
  return (
    <>
      <ResourcePage<User>
        title="Users"
        about="Owners run the deployment, admins manage the organisation, members use chats, auditors have read-only access."
        path="/users"
        noun="user"
        initial={{ role: "member" }}
        fields={[
          { name: "email", label: "Email", required: true, only: "create" },
          { name: "name", label: "Name" },
          { name: "disabled", label: "Disabled", kind: "switch", only: "change" },
          {
            name: "role",
            label: "Role",
            kind: "choice",
            options: choices("member", "auditor", "admin", "owner"),
          },
          {
            name: "password",
            label: "Password",
            kind: "password",
            hint: "Leave empty if they sign in by link or single sign-on.",
          },
        ]}
        nothing={{ icon: UserPlus, title: "Nobody else yet", words: "Add the people you work with." }}
        idOf={(person) => person.id}
        row={(person) => (
          <>
            <strong>{person.name || person.email}</strong> <span className="pill">{person.role}</span>{" "}
            {person.disabled && <span className="pill pill-bad">disabled</span>}
            <div className="quiet small">{person.email}</div>
          </>
        )}
      />
      <ResourcePage<Group>
        title="Groups"
        about="Chats can be shared with a whole group."
        path="/groups"
        noun="group"
        initial={{ members: [] }}
        fields={[
          { name: "name", label: "Name", required: true },
          { name: "members", label: "Members", kind: "several", options: people },
        ]}
        nothing={{
          icon: UsersRound,
          title: "No groups yet",
          words: "A chat can be shared with a group at once, instead of person by person.",
        }}
        idOf={(group) => group.id}
        row={(group) => (
          <>
            <strong>{group.name}</strong>
            <div className="quiet small truncate">
              {group.members.map(nameOf).filter(Boolean).join(", ") || "no members yet"}
            </div>
          </>
        )}
      />
      {me.role === "owner" && <LoginServices />}
    </>
  );
}
