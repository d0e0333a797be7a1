/** What stands beside the text: sources, files, notices. */

import { Globe, Info, Paperclip } from "lucide-react";
import { useState } from "react";
import { pathOf } from "../api/client.ts";
import type { FilePart, NoticePart, SourcePart } from "../api/types.ts";
import { t } from "../language/catalogue.ts";
import { safeAddress } from "../markdown/links.ts";
import { Dialog } from "../ui/Dialog.tsx";

export function SourcesRow({ sources }: { sources: readonly SourcePart[] }) {
  return (
    <ul className="sources" aria-label={t("Sources")}>
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
  if (part.media_type.startsWith("image/")) return <Picture name={part.name} address={address} />;
  return (
    <a className="file-chip" href={address} download={part.name}>
      <Paperclip aria-hidden />
      <span className="truncate">{part.name}</span>
    </a>
  );
}

/** A picture as it fits among text; pressed, as large as the window. */
function Picture({ name, address }: { name: string; address: string }) {
  const [large, setLarge] = useState(false);
  return (
    <>
      <button
        type="button"
        className="picture"
        aria-label={t("Enlarge {name}", { name })}
        onClick={() => setLarge(true)}
      >
        <img src={address} alt={name} loading="lazy" />
      </button>
      {large && (
        <Dialog title={name} className="lightbox" onClose={() => setLarge(false)}>
          <img src={address} alt={name} />
          <a href={address} download={name} className="button button-plain">
            {t("Download")}
          </a>
        </Dialog>
      )}
    </>
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
