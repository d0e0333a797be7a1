// The wire's types, made from the server's own OpenAPI document: node scripts/types.mjs
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";

const python = fileURLToPath(new URL("../../.venv/bin/python", import.meta.url));
const file = fileURLToPath(new URL("../src/api/generated.ts", import.meta.url));
const program = `
import json
from perdure.api.openapi import document
from perdure.api.table import TABLE
print(json.dumps(document(TABLE, "1")))
`;

const text = execFileSync(python, ["-c", program], { maxBuffer: 64 * 1_048_576 }).toString();
const ast = await openapiTS(JSON.parse(text), {
  defaultNonNullable: false,
  alphabetize: true,
  // An object of whatever is known to hold nothing otherwise.
  emptyObjectsUnknown: true,
});
writeFileSync(
  file,
  `/** Made from the server's OpenAPI document by scripts/types.mjs. */\n\n${astToString(ast)}`,
);
