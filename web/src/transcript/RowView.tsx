import { memo } from "react";
import type { Row } from "../chat/model/rows.ts";
import { Markdown } from "../markdown/Markdown.tsx";
import { useSmooth } from "../markdown/smooth.ts";
import { CallGroup } from "../tools/CallGroup.tsx";
import { FileRow, NoticeRow, SourcesRow } from "./AsideRows.tsx";
import { BoundaryRow } from "./BoundaryRow.tsx";
import { ReasoningRow } from "./ReasoningRow.tsx";
import { TurnFooter } from "./TurnFooter.tsx";
import { UserRow } from "./UserRow.tsx";
import { WorkRow } from "./WorkRow.tsx";

/** One row of the transcript. Live and stored rows are the same component, so that a commit changes nothing on screen. */
export const RowView = memo(function RowView({ row }: { row: Row }) {
  switch (row.kind) {
    case "user":
      return <UserRow row={row} />;
    case "text":
      return <AnswerText text={row.text} live={row.live} />;
    case "reasoning":
      return <ReasoningRow id={row.key} part={row.part} live={row.live} />;
    case "calls":
      return <CallGroup group={row.group} calls={row.calls} />;
    case "boundary":
      return <BoundaryRow call={row.call} />;
    case "sources":
      return <SourcesRow sources={row.sources} />;
    case "file":
      return <FileRow part={row.part} />;
    case "notice":
      return <NoticeRow notice={row.notice} />;
    case "work":
      return <WorkRow row={row} />;
    case "turn":
      return <TurnFooter turn={row.turn} last={row.last} />;
  }
});

function AnswerText({ text, live }: { text: string; live: boolean }) {
  const shown = useSmooth(text, live);
  return <Markdown text={shown} live={live || shown.length < text.length} />;
}
