/** Markdown that may still be growing, as React nodes. */

import type { Token, Tokens } from "marked";
import { Fragment, memo, type ReactNode, useState } from "react";
import { t } from "../language/catalogue.ts";
import { type Block, GrowingMarkdown } from "./blocks.ts";
import { CodeBlock } from "./CodeBlock.tsx";
import { beforeClosing, isComment, type Opening, openingOf } from "./html.ts";
import { Formula, inline } from "./inline.tsx";
import { lex, lexInline, type MathToken } from "./reader.ts";
import "./markdown.css";

interface Props {
  text: string;
  /** More of it is still to come. */
  live?: boolean;
}

export const Markdown = memo(function Markdown({ text, live = false }: Props) {
  const [growing] = useState(() => new GrowingMarkdown());
  return <div className="markdown">{shownBlocks(growing.read(text, live))}</div>;
});

/** The blocks, those between the marks of details in their fold. Details that nobody closes reach to the end. */
export function shownBlocks(all: readonly Block[]): ReactNode[] {
  const open: { key: number; opening: Opening; inner: ReactNode[] }[] = [];
  const outer: ReactNode[] = [];
  const add = (node: ReactNode) => (open.at(-1)?.inner ?? outer).push(node);
  const close = () => {
    const fold = open.pop();
    if (fold) add(<Fold key={fold.key} opening={fold.opening} inner={fold.inner} />);
  };
  for (const [block, ...rest] of joined(all)) {
    if (rest.length > 0) {
      add(<Joined key={block.key} pieces={[block, ...rest]} />);
      continue;
    }
    const html = block.kind === "tokens" && block.tokens[0]?.type === "html" ? block.tokens[0].raw : "";
    const opening = openingOf(html);
    if (opening) open.push({ key: block.key, opening, inner: [] });
    const body = opening?.body ?? html;
    const before = open.length > 0 ? beforeClosing(body) : null;
    if (before === null && !opening) add(<BlockView key={block.key} block={block} />);
    else add(<Fragment key={`body ${block.key}`}>{blocks(lex((before ?? body).trim()))}</Fragment>);
    if (before !== null) close();
  }
  while (open.length > 0) close();
  return outer;
}

function Fold({ opening, inner }: { opening: Opening; inner: ReactNode[] }) {
  return (
    <details dir="auto" open={opening.open}>
      <summary>{inline(lexInline(opening.summary))}</summary>
      {inner}
    </details>
  );
}

/** A settled block is the same object for good, so it renders once. */
const BlockView = memo(function BlockView({ block }: { block: Block }) {
  if (block.kind === "code") return <CodeBlock code={block.code} lang={block.lang} closed={block.closed} />;
  return blocks(block.tokens);
});

function blocks(tokens: readonly Token[]): ReactNode {
  return tokens.map((token, at) => <Fragment key={at}>{one(token as BlockToken)}</Fragment>);
}

type BlockToken =
  | Tokens.Paragraph
  | Tokens.Heading
  | Tokens.List
  | Tokens.Blockquote
  | Tokens.Code
  | Tokens.Table
  | Tokens.Hr
  | Tokens.HTML
  | Tokens.Text
  | Tokens.Space
  | Tokens.Def
  | Tokens.Checkbox
  | MathToken;

function one(token: BlockToken): ReactNode {
  switch (token.type) {
    case "paragraph":
      return <p dir="auto">{inline(token.tokens)}</p>;
    case "heading":
      return <Heading token={token} />;
    case "list":
      return <List tokens={[token]} />;
    case "blockquote":
      return <blockquote dir="auto">{blocks(token.tokens)}</blockquote>;
    case "code":
      return <CodeBlock code={token.text} lang={token.lang?.split(/\s/)[0] ?? ""} closed />;
    case "table":
      return <Table tokens={[token]} />;
    case "hr":
      return <hr />;
    case "math":
      return <Formula token={token} />;
    case "checkbox":
      return inline([token]);
    case "text":
      return token.tokens ? inline(token.tokens) : token.text;
    case "html":
      return isComment(token.raw) ? null : <p dir="auto">{inline(lexInline(token.raw.trim()))}</p>;
    default:
      return null;
  }
}

/** Headings of an answer sit below the page's own. */
function Heading({ token }: { token: Tokens.Heading }) {
  const level = Math.min(6, token.depth + 2);
  const Tag = `h${level}` as "h3" | "h4" | "h5" | "h6";
  return (
    <Tag dir="auto" className={`heading-${token.depth}`}>
      {inline(token.tokens)}
    </Tag>
  );
}

/** Blocks, those that were cut with all their pieces. */
function joined(all: readonly Block[]): [Block, ...Block[]][] {
  const groups: [Block, ...Block[]][] = [];
  for (const block of all) {
    const last = groups.at(-1);
    if (last && block.kind === "tokens" && block.joins) last.push(block);
    else groups.push([block]);
  }
  return groups;
}

/** A long block from its pieces. Those that are settled render once. */
function Joined({ pieces }: { pieces: Block[] }) {
  const tokens = pieces.flatMap((piece) => (piece.kind === "tokens" ? piece.tokens : []));
  const [first] = tokens;
  if (first?.type === "list") return <List tokens={tokens as Tokens.List[]} />;
  if (first?.type === "table") return <Table tokens={tokens as Tokens.Table[]} />;
  return (
    <p dir="auto">
      {tokens.map((token, at) => (
        <Words key={at} token={token as Tokens.Paragraph} />
      ))}
    </p>
  );
}

const Words = memo(function Words({ token }: { token: Tokens.Paragraph }) {
  return inline(token.tokens);
});

function List({ tokens }: { tokens: Tokens.List[] }) {
  const items = tokens.map((token, at) => <Items key={at} token={token} />);
  const first = tokens[0] as Tokens.List;
  if (!first.ordered) return <ul dir="auto">{items}</ul>;
  return (
    <ol dir="auto" start={first.start || 1}>
      {items}
    </ol>
  );
}

const Items = memo(function Items({ token }: { token: Tokens.List }) {
  return token.items.map((item, at) => (
    <li key={at} className={item.task ? "task" : undefined}>
      {blocks(item.tokens)}
    </li>
  ));
});

function Table({ tokens }: { tokens: Tokens.Table[] }) {
  return (
    <section className="table" tabIndex={0} aria-label={t("Table")}>
      <table dir="auto">
        <thead>
          <tr>{tokens[0]?.header.map((entry, at) => cell(entry, at, "th"))}</tr>
        </thead>
        <tbody>
          {tokens.map((token, at) => (
            <Rows key={at} token={token} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

const Rows = memo(function Rows({ token }: { token: Tokens.Table }) {
  return token.rows.map((row, line) => <tr key={line}>{row.map((entry, at) => cell(entry, at, "td"))}</tr>);
});

function cell(entry: Tokens.TableCell, at: number, Tag: "th" | "td") {
  return (
    <Tag key={at} dir="auto" data-align={entry.align ?? undefined}>
      {inline(entry.tokens)}
    </Tag>
  );
}
