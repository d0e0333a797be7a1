// Says each text on Open WebUI's page and sees its answer: node open-webui.mjs MODULES URL TEXT...
import { join } from 'node:path'

const [modules, url, ...texts] = process.argv.slice(2)
const { chromium } = await import(join(modules, 'playwright/index.mjs'))
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
try {
  const page = await browser.newPage()
  page.setDefaultTimeout(120_000)
  await page.goto(url)
  const box = page.locator('#chat-input')
  await box.waitFor()
  const news = page.getByRole('button', { name: /Okay, Let's Go/i })
  await page.addLocatorHandler(news, () => news.click())
  for (const text of texts) {
    await box.click()
    await box.pressSequentially(`[[say:${text}]]`)
    await page.keyboard.press('Enter')
    await page.getByText(text, { exact: true }).last().waitFor()
  }
} finally {
  await browser.close()
}
