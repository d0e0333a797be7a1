import { FileText, MessageSquare, TriangleAlert, X } from "lucide-react";
import { pathOf } from "../api/client.ts";
import type { Attachment, Draft, LineComment } from "../chat/network/drafts.ts";
import { useStores } from "../chat/network/stores.ts";
import { t } from "../language/catalogue.ts";
import { Ring } from "../ui/Ring.tsx";

/** What goes along with the next message: files, and comments on lines. */
export function Attachments({ draft, of }: { draft: Draft; of: string }) {
  const { drafts } = useStores();
  if (draft.attachments.length === 0 && draft.comments.length === 0) return null;
  const dropFile = (id: string) =>
    drafts.change(of, (before) => ({
      ...before,
      attachments: before.attachments.filter((item) => item.id !== id),
    }));
  const dropComment = (entry: LineComment) =>
    drafts.change(of, (before) => ({
      ...before,
      comments: before.comments.filter((other) => other !== entry),
    }));
  return (
    <ul className="attachments" aria-label={t("Attachments")}>
      {draft.attachments.map((item) => (
        <li key={item.id} className={`attachment attachment-${item.state.phase}`}>
          <AttachmentIcon item={item} />
          <span className="truncate" title={item.state.phase === "failed" ? item.state.reason : item.name}>
            {item.name}
            {item.state.phase === "failed" && `: ${item.state.reason}`}
          </span>
          <Remove name={item.name} onClick={() => dropFile(item.id)} />
        </li>
      ))}
      {draft.comments.map((entry, at) => (
        <li key={at} className="attachment">
          <MessageSquare aria-hidden />
          <span className="truncate" title={entry.comment}>
            {entry.file_name}:{entry.line} {entry.comment}
          </span>
          <Remove name="comment" onClick={() => dropComment(entry)} />
        </li>
      ))}
    </ul>
  );
}

function AttachmentIcon({ item }: { item: Attachment }) {
  if (item.state.phase === "uploading") return <Ring share={item.state.share} size={16} />;
  if (item.state.phase === "ready" && item.state.file.media_type.startsWith("image/"))
    return <img className="attachment-picture" src={pathOf(`/files/${item.state.file.id}`)} alt="" />;
  return item.state.phase === "failed" ? <TriangleAlert aria-hidden /> : <FileText aria-hidden />;
}

function Remove({ name, onClick }: { name: string; onClick: () => void }) {
  return (
    <button
      type="button"
      className="attachment-remove"
      aria-label={t("Remove {name}", { name })}
      onClick={onClick}
    >
      <X aria-hidden />
    </button>
  );
}
