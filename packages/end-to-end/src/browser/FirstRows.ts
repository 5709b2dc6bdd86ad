/**
 * Measures how long each list of the console takes to show its first rows, from the navigation on. It visits a running
 * demo. Start the demo with `npm run demo -- --workers=100000 --json > FILE` and pass FILE to this script. With `--json`
 * it prints the milliseconds of each round.
 */
import { readFileSync } from "node:fs"
import { codeAt } from "../Totp.ts"
import { open } from "./Chromium.ts"
import { enterCode, enterPassword } from "./Pages.ts"

const rounds = 9
const lists = [
  "/workers",
  "/duplicates",
  "/tasks",
  "/applicants",
  "/matrix",
  "/credentials",
  "/expiring",
  "/webhooks",
  "/users",
  "/audit"
]

const [file = "", mode] = process.argv.slice(2)
const { address, certificateFile, email, password, seed } = JSON.parse(readFileSync(file, "utf8"))

const { browser, close } = await open(certificateFile)
// the Content Security Policy would refuse the script of the probe
const context = await browser.newContext({ bypassCSP: true })
const page = await context.newPage()
await enterPassword(page, new URL(address).origin, email, password)
await enterCode(page, codeAt(seed, Date.now() + 30_000))
await page.waitForURL("**/console")

/** Milliseconds from the beginning of a navigation to the first row of a table, by the page's own clock. */
const firstRowMillis = async (path: string): Promise<number> => {
  await page.goto(`${address}${path}`, { waitUntil: "commit" })
  const shown = await page.waitForFunction(
    `document.querySelector("tbody tr") !== null && performance.now()`,
    undefined,
    { polling: "raf" }
  )
  return Number(await shown.jsonValue())
}

const measured: Record<string, ReadonlyArray<number>> = {}
for (const path of lists) {
  const millis: Array<number> = []
  for (let round = 0; round < rounds; round++) millis.push(await firstRowMillis(path))
  measured[path] = millis
  if (mode === "--json") continue
  const [fastest = 0, slowest = 0] = [Math.min(...millis), Math.max(...millis)]
  const median = millis.toSorted((left, right) => left - right)[Math.floor(rounds / 2)] ?? 0
  console.log(`${path}: median ${median.toFixed(0)} ms (${fastest.toFixed(0)} to ${slowest.toFixed(0)})`)
}
if (mode === "--json") console.log(JSON.stringify(measured))
await close()
