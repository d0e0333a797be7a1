/** Inline markdown as React nodes. Nothing a model writes is ever handed to the browser as HTML. */

import type { Token, Tokens } from "marked";
import { Fragment, lazy, type ReactNode, Suspense } from "react";
import { safeAddress } from "./links.ts";
import type { MathToken } from "./reader.ts";

const MathText = lazy(() => import("./MathText.tsx"));

export function inline(tokens: readonly Token[] | undefined): ReactNode {
  return tokens?.map((token, at) => <Fragment key={at}>{one(token as InlineToken)}</Fragment>);
}

type InlineToken =
  | Tokens.Text
  | Tokens.Escape
  | Tokens.Strong
  | Tokens.Em
  | Tokens.Del
  | Tokens.Codespan
  | Tokens.Link
  | Tokens.Image
  | Tokens.Br
  | Tokens.HTML
  | Tokens.Tag
  | Tokens.Checkbox
  | MathToken;

function one(token: InlineToken): ReactNode {
  switch (token.type) {
    case "text":
      return "tokens" in token && token.tokens ? inline(token.tokens) : entities(token.text);
    case "escape":
      return entities(token.text);
    case "strong":
      return <strong>{inline(token.tokens)}</strong>;
    case "em":
      return <em>{inline(token.tokens)}</em>;
    case "del":
      return <del>{inline(token.tokens)}</del>;
    case "codespan":
      return <code>{token.text}</code>;
    case "br":
      return <br />;
    case "link":
      return <Link href={token.href}>{inline(token.tokens)}</Link>;
    case "image":
      return <Picture token={token} />;
    case "math":
      return <Formula token={token} />;
    case "checkbox":
      return (
        <input
          type="checkbox"
          checked={token.checked}
          disabled
          aria-label={token.checked ? "done" : "to do"}
        />
      );
    default:
      return /^<br\s*\/?>$/i.test(token.raw) ? <br /> : token.raw;
  }
}

export function Formula({ token }: { token: MathToken }) {
  return (
    <Suspense fallback={<code>{token.tex}</code>}>
      <MathText tex={token.tex} display={token.display} />
    </Suspense>
  );
}

function Link({ href, children }: { href: string; children: ReactNode }) {
  const address = safeAddress(href);
  if (!address) return <span title={href}>{children}</span>;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

/** Pictures of this server are shown; others would tell a third party who reads, so they stay links. */
function Picture({ token }: { token: Tokens.Image }) {
  if (token.href.startsWith("/api/v1/files/"))
    return <img src={token.href} alt={token.text} loading="lazy" />;
  return <Link href={token.href}>{token.text || token.href}</Link>;
}

const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " ", "#39": "'" };

function entities(text: string): string {
  return text.includes("&")
    ? text.replace(/&(amp|lt|gt|quot|nbsp|#39);/g, (whole, name: string) => NAMED[name] ?? whole)
    : text;
}
