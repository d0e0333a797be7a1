import { useInfiniteQuery } from "@tanstack/react-query";
import { api } from "../api/client.ts";
import type { AuditEntry, Page } from "../api/types.ts";
import { Problem, Section } from "../settings/Section.tsx";
import { Button } from "../ui/Button.tsx";
import { fullTime } from "../ui/format.ts";

export function Audit() {
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ["audit"],
    queryFn: ({ pageParam }) => api.get<Page<AuditEntry>>("/audit", { cursor: pageParam }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
    retry: false,
  });
  const entries = data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Section title="Audit log" about="Every administrative change and every share.">
      <Problem error={error} />
      {entries.length > 0 && (
        <table className="table-plain audit">
          <thead>
            <tr>
              <th>When</th>
              <th>What</th>
              <th>On</th>
              <th>Who</th>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <tr key={entry.id}>
                <td>{fullTime(entry.at)}</td>
                <td>{entry.action}</td>
                <td className="mono">{entry.subject}</td>
                <td className="mono">{entry.actor ?? entry.actor_id?.slice(0, 8)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {data && entries.length === 0 && <p className="quiet">Nothing yet.</p>}
      {hasNextPage && (
        <div>
          <Button onClick={() => void fetchNextPage()}>Older</Button>
        </div>
      )}
    </Section>
  );
}
