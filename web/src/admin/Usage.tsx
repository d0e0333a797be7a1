import { t } from "../language/catalogue.ts";
import { Section } from "../settings/Section.tsx";
import { UsageReport } from "../settings/UsageReport.tsx";

/** What everybody used. */
export function Usage() {
  return (
    <Section title={t("Usage")} about={t("What your organization used, and what it cost. Days are in UTC.")}>
      <UsageReport mine={false} />
    </Section>
  );
}
