/** The page from another machine of the same network, without TLS: browsers give it less there. */

import { expect, Person, test } from "./page.ts";

test("a person signs in, talks and copies over plain HTTP", async ({ person, browser, server }) => {
  await person.page.goto("/");
  const { email, password } = await person.invites();
  const context = await browser.newContext({ baseURL: `http://perdure.test:${server.port}` });
  const afar = new Person(await context.newPage());
  const { page } = afar;
  await page.goto("/");
  expect(await page.evaluate(() => isSecureContext)).toBe(false);
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByLabel("Password").press("Enter");
  await afar.composer.waitFor();
  await afar.startsChat("[[say:heard from afar]]");
  await afar.reads("heard from afar");
  await afar.seesRest();
  await afar.says("[[say:and again]]");
  await afar.seesAnswer("and again");
  // One for each turn: until the second is over, the last one is the first one's.
  const copies = afar.transcript.getByRole("button", { name: "Copy answer" });
  await expect(copies).toHaveCount(2);
  await copies.last().click();
  await expect(async () => {
    await afar.composer.fill("");
    await afar.composer.press("ControlOrMeta+v");
    await expect(afar.composer).toHaveValue("and again", { timeout: 1_000 });
  }).toPass();
  await context.close();
});
