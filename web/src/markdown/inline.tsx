/** Inline markdown as React nodes. Nothing a model writes is ever handed to the browser as HTML. */

import type { Token, Tokens } from "marked";
import { createElement, Fragment, lazy, type ReactNode, Suspense } from "react";
import { t } from "../language/catalogue.ts";
import { entities } from "./entities.ts";
import { isBreak, isComment, tagOf } from "./html.ts";
import { safeAddress } from "./links.ts";
import type { MathToken } from "./reader.ts";

const MathText = lazy(() => import("./MathText.tsx"));

export function inline(tokens: readonly Token[] | undefined): ReactNode {
  return tokens && nested(tokens, { at: 0, open: [] });
}

/** Where reading stands, and which elements of HTML are open there. */
interface Place {
  at: number;
  open: string[];
}

/** The nodes from here to the end of the element that is open. One that nobody closes reaches to the end. */
function nested(tokens: readonly Token[], place: Place): ReactNode[] {
  const nodes: ReactNode[] = [];
  while (place.at < tokens.length) {
    const key = place.at;
    const token = tokens[key] as InlineToken;
    const tag = token.type === "html" ? tagOf(token.raw) : null;
    if (tag?.closes && place.open.includes(tag.name)) {
      if (place.open.at(-1) === tag.name) place.at++;
      return nodes;
    }
    place.at++;
    if (!tag || tag.closes) {
      nodes.push(<Fragment key={key}>{one(token)}</Fragment>);
      continue;
    }
    place.open.push(tag.name);
    nodes.push(createElement(tag.name, { key }, nested(tokens, place)));
    place.open.pop();
  }
  return nodes;
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
          aria-label={token.checked ? t("done") : t("to do")}
        />
      );
    default:
      if (isComment(token.raw)) return null;
      return isBreak(token.raw) ? <br /> : token.raw;
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
