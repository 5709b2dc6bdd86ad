import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { BrowserContext, Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { call, enterCode, enterPassword, nextCode } from "./pages.ts"
import { password, type Service, start } from "./service.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

let service: Service
let context: BrowserContext

beforeAll(async () => {
  service = await start()
  const { admin, machine, origin, visit } = service
  context = await visit()
  const page = await context.newPage()
  await enterPassword(page, origin, admin.email, password)
  await enterCode(page, nextCode(machine, admin.seed))
  await page.waitForURL("**/console")
  await page.close()
})
afterAll(async () => {
  await service.end()
})

/** Faults of the content security policy and of scripts while a page is open. */
const faultsOf = (page: Page): ReadonlyArray<string> => {
  const faults: Array<string> = []
  page.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) faults.push(message.text())
  })
  page.on("pageerror", (error) => faults.push(error.message))
  return faults
}

const opened = async (path: string) => {
  const page = await context.newPage()
  const faults = faultsOf(page)
  await page.goto(`${service.origin}/console${path}`)
  await page.getByRole("heading", { level: 1 }).waitFor()
  return { faults, page }
}

/** Adds through the API, as any client may. */
const add = async (path: string, body: object) => {
  const { json, status } = await call(context, service.origin, "POST", path, body)
  assert.strictEqual(status, 201, JSON.stringify(json))
  return json.data
}

/** The faults that axe finds. It is evaluated from outside the page, because the policy blocks its script tag. */
const accessibilityFaults = async (page: Page): Promise<ReadonlyArray<string>> => {
  const session = await page.context().newCDPSession(page)
  await session.send("Runtime.evaluate", { expression: axe })
  const { result } = await session.send("Runtime.evaluate", {
    expression: `axe.run().then(({ violations }) => JSON.stringify(violations.map(({ id, nodes }) => id + ": " + nodes[0].html)))`,
    awaitPromise: true
  })
  return JSON.parse(String(result.value))
}

const markup = `<img src=x onerror="document.title='run'"><b>Ann</b>`

describe("workers", () => {
  it("lists, searches and adds, and keeps the search in the address", async () => {
    await add("/workers", { identity: { displayName: "Ann Example" }, employment: { jobTitle: "Nurse" } })
    await add("/workers", { identity: { displayName: "Bo Example" } })
    const { faults, page } = await opened("/workers")
    await page.getByRole("link", { name: "Ann Example" }).waitFor()
    await page.keyboard.press("/")
    await page.keyboard.type("bo")
    await page.waitForURL("**/console/workers?query=bo")
    await page.getByRole("link", { name: "Bo Example" }).waitFor()
    await page.getByRole("link", { name: "Ann Example" }).waitFor({ state: "detached" })
    await page.getByRole("link", { name: "Add a worker" }).click()
    await page.getByLabel("Display name").fill("Cy Example")
    await page.getByRole("button", { name: "Add", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: "Cy Example" }).waitFor()
    assert.deepStrictEqual(faults, [])
  })

  it("shows stored markup as text", async () => {
    await add("/workers", { identity: { displayName: markup } })
    const { faults, page } = await opened("/workers")
    await page.getByText(markup).first().waitFor()
    assert.strictEqual(await page.locator("td b, td img").count(), 0)
    assert.deepStrictEqual(faults, [])
  })
})

const screens = ["/workers", "/workers/new"]

describe.each(["light", "dark"] as const)("in %s colors", (colorScheme) => {
  it.each([320, 1280])("has no accessibility faults at %i pixels", async (width) => {
    for (const path of screens) {
      const { faults, page } = await opened(path)
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 800 })
      await page.locator(".skeleton").waitFor({ state: "detached" })
      const folder = process.env["WCS_SCREENSHOTS"]
      if (folder !== undefined) {
        const name = path.replaceAll("/", "-")
        await page.screenshot({ path: `${folder}/${colorScheme}-${width}${name}.png`, fullPage: true })
      }
      assert.deepStrictEqual(await accessibilityFaults(page), [], path)
      assert.deepStrictEqual(faults, [], path)
      assert.isAtMost(await page.evaluate("document.documentElement.scrollWidth"), width, `${path} scrolls sideways`)
      await page.close()
    }
  })
})
