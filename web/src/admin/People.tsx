/** Who is here, and in which groups. */

import type { Group, User } from "../api/types.ts";
import { ResourcePage } from "../settings/ResourcePage.tsx";
import { choices } from "./choices.ts";

export function People() {
  return (
    <>
      <ResourcePage<User>
        title="Users"
        about="Owners run the deployment, admins the organisation, members work, auditors look."
        path="/users"
        noun="user"
        initial={{ role: "member" }}
        fields={[
          { name: "email", label: "Email", required: true, only: "create" },
          { name: "name", label: "Name" },
          { name: "disabled", label: "Locked out", kind: "switch", only: "change" },
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
            hint: "Empty: they sign in by link or single sign-on.",
          },
        ]}
        idOf={(person) => person.id}
        row={(person) => (
          <>
            <strong>{person.name || person.email}</strong> <span className="pill">{person.role}</span>{" "}
            {person.disabled && <span className="pill pill-bad">locked out</span>}
            <div className="quiet small">{person.email}</div>
          </>
        )}
      />
      <ResourcePage<Group>
        title="Groups"
        about="Chats can be shared with a whole group."
        path="/groups"
        noun="group"
        initial={{}}
        fields={[{ name: "name", label: "Name", required: true }]}
        idOf={(group) => group.id}
        row={(group) => <strong>{group.name}</strong>}
      />
    </>
  );
}
