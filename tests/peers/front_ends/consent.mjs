#!/usr/bin/env node
// The browser of somebody who is signed in and lets in whoever sends them to the page: consent.mjs ADDRESS
// CONSENT_MODULES names the folder of Playwright, CONSENT_SESSION the session.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const { CONSENT_MODULES, CONSENT_SESSION, CONSENT_OPENED } = process.env
const address = process.argv[2]
if (!CONSENT_OPENED) {
  // Whoever opens a browser does not wait for it.
  const env = { ...process.env, CONSENT_OPENED: 'yes' }
  spawn(process.execPath, [fileURLToPath(import.meta.url), address], { detached: true, stdio: 'ignore', env }).unref()
  process.exit(0)
}
const { chromium } = await import(join(CONSENT_MODULES, 'playwright/index.mjs'))
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
try {
  const context = await browser.newContext()
  const { origin } = new URL(address)
  await context.addCookies([
    { name: 'perdure_session', value: CONSENT_SESSION, url: origin, httpOnly: true, sameSite: 'Lax' },
  ])
  const page = await context.newPage()
  page.setDefaultTimeout(120_000)
  await page.goto(address)
  await page.getByRole('button', { name: 'Let it in', exact: true }).click()
  await page.waitForURL(({ searchParams }) => searchParams.has('code'))
} finally {
  await browser.close()
}
