import { expect, test } from "vitest";
import { adviceFor } from "./advice.ts";

test("whoever sets providers up is led there; others to a key of their own, or to whoever can help", () => {
  expect(adviceFor("missing_key", true).link?.to).toBe("/admin/providers");
  expect(adviceFor("missing_key", false).link?.to).toBe("/settings/keys");
  expect(adviceFor("provider_disabled", false)).toEqual({
    what: "Tell an administrator, or use another model.",
  });
});

test("a kind that this page does not know yet has advice all the same", () => {
  expect(adviceFor("something_new" as never, true)).toEqual(adviceFor(undefined, false));
});
