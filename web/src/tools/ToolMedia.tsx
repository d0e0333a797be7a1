import { Paperclip } from "lucide-react";
import { pathOf } from "../api/client.ts";
import type { Media } from "../api/types.ts";

/** Pictures and documents a tool handed back. */
export function ToolMedia({ media }: { media: readonly Media[] }) {
  if (media.length === 0) return null;
  return (
    <div className="media">
      {media.map((item) =>
        item.media_type.startsWith("image/") ? (
          <img key={item.file_id} src={pathOf(`/files/${item.file_id}`)} alt={item.name} loading="lazy" />
        ) : (
          <a
            key={item.file_id}
            className="file-chip"
            href={pathOf(`/files/${item.file_id}`)}
            download={item.name}
          >
            <Paperclip aria-hidden /> {item.name}
          </a>
        ),
      )}
    </div>
  );
}
