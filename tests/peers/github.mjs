// What GitHub sends: an example of its own, changed as asked, and signed by its own SDK.
// node github.mjs SECRET EVENT '{"action": "created", "comment": {"body": "hello"}}'

import { createRequire } from 'node:module'
import { Webhooks } from '@octokit/webhooks'

const examples = createRequire(import.meta.url)('@octokit/webhooks-examples')
const [secret, event, changes] = process.argv.slice(2)
const wanted = JSON.parse(changes)

const changed = (value, change) =>
  change !== null && typeof change === 'object' && !Array.isArray(change) && value !== null && typeof value === 'object'
    ? { ...value, ...Object.fromEntries(Object.entries(change).map(([name, each]) => [name, changed(value[name], each)])) }
    : change

const found = (examples.default ?? examples).find((each) => each.name === event)
const payload = found.examples.find((each) => wanted.action === undefined || each.action === wanted.action) ?? found.examples[0]
const body = JSON.stringify(changed(payload, wanted))
process.stdout.write(JSON.stringify({ body, signature: await new Webhooks({ secret }).sign(body) }))
