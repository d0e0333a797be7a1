/** Who may approve calls, as it is chosen for a chat or for all. */

import type { Approvers } from "../api/types.ts";
import { t } from "../language/catalogue.ts";

export const APPROVERS: { value: Approvers; label: string }[] = [
  { value: "anybody", label: t("Anyone who may approve in the chat") },
  { value: "author", label: t("Only the person who asked") },
  { value: "not_author", label: t("Somebody other than the person who asked") },
  { value: "two_people", label: t("Two people") },
];
