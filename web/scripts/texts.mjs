// What the page says: node scripts/texts.mjs lists what a catalogue lacks, or has without need.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const SOURCES = fileURLToPath(new URL("../src", import.meta.url));
const CATALOGUES = join(SOURCES, "language/catalogues");
/** Not the product: tests, stories and what is made from the API's document. */
const OTHER = /\.(test|stories)\.tsx?$|\/stories\/|\/recordings\/|generated\.ts$|modelServer\.ts$/;

export function sources() {
  return readdirSync(SOURCES, { recursive: true })
    .map((name) => join(SOURCES, name))
    .filter((path) => /\.tsx?$/.test(path) && !OTHER.test(path))
    .map((path) => ({ path, tree: parsed(path) }));
}

function parsed(path) {
  const kind = path.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  return ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true, kind);
}

/** Every node, until `visit` says that it has seen enough of one. */
function walk(node, visit) {
  if (visit(node) !== false) ts.forEachChild(node, (child) => walk(child, visit));
}

const isCall = (node) => ts.isCallExpression(node) && node.expression.getText() === "t";

/** Every text that is asked for. One that is put together while the page runs is in no catalogue, so it throws. */
export function texts() {
  const found = new Set();
  for (const { path, tree } of sources()) {
    walk(tree, (node) => {
      if (!isCall(node)) return;
      const [text] = node.arguments;
      if (!text || !ts.isStringLiteralLike(text)) throw new Error(`${path}: ${node.getText()}`);
      found.add(text.text);
    });
  }
  return [...found].sort();
}

/** Attributes and properties whose words are for people. */
const SPOKEN = new Set(
  "label aria-label title about submit placeholder words hint alt noun verb note heading".split(" "),
);
/** Names, keys and samples: the same in every language. */
const SAME = new Set(
  "Perdure|Enter|Authorization: Bearer|perdure users link|OpenAI API|AI SDK|AG-UI|MCP|REST API|GitHub|README|Google Gemini|sso|groups|github|team-python|release-notes".split(
    "|",
  ),
);

const isWord = (text) => /\p{L}{2}/u.test(text) && !SAME.has(text.trim());

/** Words between tags, in attributes and in properties that people read, but that ask no catalogue. */
export function escaped() {
  const found = [];
  for (const { path, tree } of sources()) {
    const add = (node) => {
      const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
      found.push(`${path.slice(SOURCES.length + 1)}:${line + 1}: ${node.getText().trim()}`);
    };
    walk(tree, (node) => {
      if (isCall(node)) return false;
      if (ts.isJsxText(node) && isWord(node.text)) add(node);
      if (
        isSentence(node) ||
        (isSpoken(node) && isWord(node.text) && !/^https?:|^\S+[._]\S+$/.test(node.text))
      )
        add(node);
    });
  }
  return found;
}

/** A literal that is shown: a child of an element, or what a spoken attribute or property is or may be. */
function isSpoken(node) {
  if (!ts.isStringLiteralLike(node) && !ts.isTemplateHead(node) && !ts.isTemplateMiddleOrTemplateTail(node))
    return false;
  let at = node;
  let parent = node.parent;
  while (isChoice(parent, at)) [at, parent] = [parent, parent.parent];
  if (ts.isJsxAttribute(parent) || ts.isPropertyAssignment(parent)) return SPOKEN.has(parent.name.getText());
  return ts.isJsxExpression(parent) && !ts.isJsxAttribute(parent.parent);
}

function isChoice(node, from) {
  if (ts.isConditionalExpression(node)) return node.condition !== from;
  if (ts.isBinaryExpression(node))
    return /^(\?\?|\|\||&&|\+)$/.test(node.operatorToken.getText()) && node.right === from;
  if (ts.isJsxExpression(node)) return ts.isJsxAttribute(node.parent);
  return ts.isParenthesizedExpression(node) || ts.isTemplateExpression(node) || ts.isTemplateSpan(node);
}

/** Words with a beginning and an end are a sentence, wherever they stand; what a program reads has none. */
function isSentence(node) {
  return (
    ts.isStringLiteralLike(node) &&
    /^\p{Lu}\p{Ll}+( [\p{L}\p{N}’',:;-]+)+[.?!…]$/u.test(node.text) &&
    !isThrown(node)
  );
}

/** What is thrown where the program itself is wrong is for its engineers. */
function isThrown(node) {
  return ts.isNewExpression(node.parent) && ts.isThrowStatement(node.parent.parent);
}

export function catalogues() {
  return readdirSync(CATALOGUES).map((name) => ({
    language: name.replace(".json", ""),
    messages: JSON.parse(readFileSync(join(CATALOGUES, name), "utf8")),
  }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const used = texts();
  for (const { language, messages } of catalogues()) {
    for (const text of used) if (!(text in messages)) console.log(`${language} lacks: ${text}`);
    for (const text of Object.keys(messages))
      if (!used.includes(text)) console.log(`${language} no longer needs: ${text}`);
  }
  for (const place of escaped()) console.log(`not in a catalogue: ${place}`);
}
