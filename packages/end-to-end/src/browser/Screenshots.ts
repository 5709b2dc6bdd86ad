/**
 * Takes the screenshots of the README from a running demo. Start the demo with `npm run demo -- --json > FILE` and pass
 * FILE to this script.
 */
import { readFileSync } from "node:fs"
import { codeAt } from "../Totp.ts"
import { open } from "./Chromium.ts"
import { enterCode, enterPassword } from "./Pages.ts"

const [file = ""] = process.argv.slice(2)
const { address, certificateFile, email, password, seed } = JSON.parse(readFileSync(file, "utf8"))
const folder = "packages/console/screenshots"
const origin = new URL(address).origin

const { browser, close } = await open(certificateFile)
const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: "light" })
const page = await context.newPage()
await enterPassword(page, origin, email, password)
await enterCode(page, codeAt(seed, Date.now() + 30_000))
await page.waitForURL("**/console")

const shoot = async (name: string) => {
  await page.waitForLoadState("networkidle")
  await page.screenshot({ path: `${folder}/${name}.png` })
}

await shoot("overview")
await page.goto(`${address}/matrix`)
await shoot("matrix")
await page.goto(`${address}/credentials?eligibility=MAY_NOT_ENGAGE`)
await page.getByRole("table").getByRole("link").first().click()
await page.getByRole("button", { name: "Transfer" }).click()
await page.getByLabel("Name or your id").fill("ada t")
await page
  .getByRole("radio", { name: /^Ada T/ })
  .first()
  .check()
await page.getByRole("dialog").getByRole("region", { name: "After" }).scrollIntoViewIfNeeded()
await shoot("transfer")
await page.emulateMedia({ colorScheme: "dark" })
await page.goto(`${address}/webhooks`)
await page.getByRole("link", { name: "Rostering (broken)" }).first().click() // among those that fail, and in the whole list
await page.getByRole("heading", { name: "Deliveries" }).waitFor()
await shoot("webhook-dark")
await close()
