/** What stands beside the text: sources, files, notices. */

import { Globe, Info, Paperclip } from "lucide-react";
import { pathOf } from "../api/client.ts";
import type { FilePart, NoticePart, SourcePart } from "../api/types.ts";
import { safeAddress } from "../markdown/links.ts";

export function SourcesRow({ sources }: { sources: readonly SourcePart[] }) {
  return (
    <ul className="sources" aria-label="Sources">
      {sources.map((source) => {
        const address = safeAddress(source.url);
        if (!address) return null;
        return (
          <li key={source.id + source.url}>
            <a href={address} target="_blank" rel="noopener noreferrer" className="file-chip">
              <Globe aria-hidden />
              <span className="truncate">{source.title || hostOf(address)}</span>
            </a>
          </li>
        );
      })}
    </ul>
  );
}

function hostOf(address: string): string {
  try {
    return new URL(address).host;
  } catch {
    return address;
  }
}

export function FileRow({ part }: { part: FilePart }) {
  const address = pathOf(`/files/${part.file_id}`);
  if (part.media_type.startsWith("image/")) {
    return (
      <a href={address} target="_blank" rel="noopener noreferrer" className="picture">
        <img src={address} alt={part.name} loading="lazy" />
      </a>
    );
  }
  return (
    <a className="file-chip" href={address} download={part.name}>
      <Paperclip aria-hidden />
      <span className="truncate">{part.name}</span>
    </a>
  );
}

export function NoticeRow({ notice }: { notice: NoticePart }) {
  return (
    <p className="notice">
      <Info aria-hidden />
      <span>{notice.text}</span>
    </p>
  );
}
