// Holds one thread on pages of three kits and on our own:
// node pages.mjs MODULES PAGE TOKEN SESSION THREAD FIRST_URL SECOND_URL TEXT
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'

const [modules, folder, token, session, thread, first, second, text] = process.argv.slice(2)
const { chromium } = await import(join(modules, 'playwright/index.mjs'))
const TYPES = { html: 'text/html', js: 'text/javascript', css: 'text/css' }
const site = createServer(async (request, response) => {
  const path = new URL(request.url, 'http://page').pathname
  try {
    const content = await readFile(join(folder, path === '/' ? 'index.html' : path))
    response.writeHead(200, { 'content-type': TYPES[path.split('.').at(-1)] ?? TYPES.html }).end(content)
  } catch {
    response.writeHead(404).end()
  }
})
await new Promise((done) => site.listen(0, '127.0.0.1', done))
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })

async function open(kit, url) {
  const page = await browser.newPage()
  page.setDefaultTimeout(120_000)
  const asked = new URLSearchParams({ kit, thread, url, token })
  await page.goto(`http://127.0.0.1:${site.address().port}/?${asked}`)
  return page
}

async function say(page, words, answer) {
  const box = page.locator('textarea').first()
  await box.click()
  await box.fill(words)
  await box.press('Enter')
  await page.getByText(answer, { exact: true }).first().waitFor()
}

// On the page that comes with the server, by somebody who is signed in there.
async function finish() {
  const answer = await fetch(`${second}/api/v1/chats`, { headers: { Authorization: `Bearer ${token}` } })
  const [chat] = (await answer.json()).items
  const context = await browser.newContext()
  await context.addCookies([{ name: 'perdure_session', value: session, url: second, httpOnly: true, sameSite: 'Lax' }])
  const page = await context.newPage()
  page.setDefaultTimeout(120_000)
  await page.goto(`${second}/chats/${chat.id}`)
  const transcript = page.getByRole('log', { name: 'Conversation' })
  for (const said of ['Long enough to be cut in the middle.', 'Gone on.', 'And on.', 'And so.']) {
    await transcript.getByText(said, { exact: true }).waitFor()
  }
  const box = page.getByRole('textbox', { name: 'Message', exact: true })
  await box.fill('[[say:Finished.]]')
  await box.press('Enter')
  await transcript.getByText('Finished.', { exact: true }).waitFor()
}

try {
  const begun = await open('useChat', first)
  await begun.locator('textarea').fill(text)
  await begun.getByText('Send', { exact: true }).click()
  // The question holds these words, too.
  await begun.locator('[data-role=assistant]').getByText('Long enough').waitFor()
  const gone = new Promise((done) => process.stdin.once('data', done))
  process.stdout.write('cut\n')
  await gone
  await begun.close()
  const on = await open('copilotKit', second)
  await on.getByText('Long enough to be cut in the middle.', { exact: true }).waitFor()
  await say(on, '[[say:Gone on.]]', 'Gone on.')
  await on.close()
  const last = await open('assistantAgUi', second)
  await say(last, '[[say:And on.]]', 'And on.')
  await last.close()
  const other = await open('assistantAiSdk', second)
  await say(other, '[[say:And so.]]', 'And so.')
  await other.close()
  await finish()
} finally {
  await browser.close()
  site.close()
}
process.exit(0)
