import { useId } from "react";
import { t } from "../../language/catalogue.ts";
import type { ShareRole } from "../network/people.ts";
import "../../presence/presence.css";

const ROLES: { value: ShareRole; label: string }[] = [
  { value: "read", label: t("Can read") },
  { value: "write", label: t("Can write") },
  { value: "approve", label: t("Can write and approve") },
];

interface Props {
  label: string;
  /** Null: nothing. */
  value: ShareRole | null;
  /** Whether nothing can be chosen. */
  required?: boolean;
  onChange: (role: ShareRole | null) => void;
}

/** What somebody may do in a chat. */
export function RoleSelect({ label, value, required, onChange }: Props) {
  const id = useId();
  return (
    <div className="spread role-row">
      <label htmlFor={id} className="grow truncate" dir="auto">
        {label}
      </label>
      <select
        id={id}
        className="input role-select"
        value={value ?? ""}
        onChange={(event) => onChange((event.target.value || null) as ShareRole | null)}
      >
        {!required && <option value="">{t("No access")}</option>}
        {ROLES.map((role) => (
          <option key={role.value} value={role.value}>
            {role.label}
          </option>
        ))}
      </select>
    </div>
  );
}
