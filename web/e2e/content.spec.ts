/** What models write is shown as they mean it, while it streams and afterwards. */

import { expect, type Person, test } from "./page.ts";

const answerOf = (person: Person) => person.transcript.locator(".row-text").last();

async function isAnswered(person: Person, text: string): Promise<void> {
  await person.startsChat(`[[say:${text}]]`);
  await expect(person.page.locator(".turn-facts")).toBeVisible();
}

test("a diagram with HTML in its labels is drawn, and one that cannot be drawn shows why", async ({
  person,
}) => {
  const drawn = '```mermaid\ngraph TD\n  A["First<br>line"] --> B["<b>Second</b>"]\n```';
  const broken = "```mermaid\ngraph TD\n  A --> --> B\n```";
  await isAnswered(person, `${drawn}\n\n${broken}\n`);
  const [first, second] = [
    answerOf(person).locator(".diagram").nth(0),
    answerOf(person).locator(".diagram").nth(1),
  ];
  await expect(first.locator("svg")).toBeVisible();
  await expect(first.locator("svg")).toContainText("First");
  await expect(first.locator("svg")).not.toContainText("<br>");
  await expect(second.locator("pre")).toContainText("A --> --> B");
  await expect(second).toContainText("This diagram could not be drawn:");
  await expect(second.locator("svg")).toHaveCount(0);
});

test("dollar signs make formulas where formulas are meant, and nowhere else", async ({ person }) => {
  await isAnswered(
    person,
    "It costs $5 or $10. Set `$HOME` and `$PATH`, or $HOME and $PATH.\n\nEuler: $e^{i\\pi} = -1$.\n\n$$\nx^2\n$$\n",
  );
  await expect(answerOf(person).locator(".katex")).toHaveCount(2);
  await expect(answerOf(person).locator("p").first()).toHaveText(
    "It costs $5 or $10. Set $HOME and $PATH, or $HOME and $PATH.",
  );
});

test("emphasis that is still being written flashes no asterisks", async ({ person }) => {
  // Whatever is drawn in between is seen, however fast it goes.
  await person.page.addInitScript(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    const look = () => {
      for (const text of document.querySelectorAll(".row-text"))
        if (/[*`]/.test(text.textContent ?? "")) seen.push(text.textContent ?? "");
    };
    new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true });
  });
  const words = "It is **very important** and *quite so* here, with `code` and **bold words** again.";
  await person.startsChat(`[[rate:30]][[chunk:3]][[say:${words}]]`);
  await person.seesAnswer("It is very important and quite so here, with code and bold words again.");
  await expect(answerOf(person).locator("strong")).toHaveText(["very important", "bold words"]);
  expect(await person.page.evaluate(() => (window as unknown as { seen: string[] }).seen)).toEqual([]);
});

test("entities, keys, raised and lowered text and details are shown as meant, and nothing else of HTML", async ({
  person,
}) => {
  await isAnswered(
    person,
    'Fish &amp; chips &lt;3. Press <kbd>Ctrl</kbd>. H<sub>2</sub>O, x<sup>2</sup>.\n\n<details><summary>More</summary>\n\nHidden **words**.\n\n</details>\n\n<a href="javascript:alert(1)">no</a> <iframe src="https://example.org"></iframe>\n',
  );
  const answer = answerOf(person);
  await expect(answer).toContainText("Fish & chips <3.");
  await expect(answer.locator("kbd")).toHaveText("Ctrl");
  await expect(answer.locator("sub")).toHaveText("2");
  await expect(answer.locator("sup")).toHaveText("2");
  await expect(answer.getByText("Hidden words.")).toBeHidden();
  await answer.locator("summary").click();
  await expect(answer.locator("strong", { hasText: "words" })).toBeVisible();
  await expect(answer.locator("iframe, a")).toHaveCount(0);
});

test("programs in languages that are rarer are colored, by code that comes when it is needed", async ({
  person,
}) => {
  const scripts: string[] = [];
  person.page.on("request", (request) => scripts.push(request.url()));
  await isAnswered(person, "words only");
  expect(scripts.filter((url) => /elixir/i.test(url))).toEqual([]);
  await person.says("[[say:```elixir\ndefmodule A do\n  def one, do: 1\nend\n```\n]]");
  await expect(answerOf(person).locator("pre .hljs-keyword, pre [class*=keyword]").first()).toHaveText(
    "defmodule",
  );
  await person.seesRest();
  expect(scripts.filter((url) => /elixir/i.test(url)).length).toBeGreaterThan(0);
});
