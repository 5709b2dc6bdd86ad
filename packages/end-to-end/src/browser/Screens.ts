/** Helpers for tests of the console: a logged-in browser, the faults of a page, and test records. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { BrowserContext, Page } from "playwright-core"
import { assert } from "vitest"
import { call, enterCode, enterPassword, nextCode } from "./Pages.ts"
import { password, type Service } from "./Service.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** Faults of the content security policy and of scripts while a page is open. */
const faultsOf = (page: Page): ReadonlyArray<string> => {
  const faults: Array<string> = []
  page.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) faults.push(message.text())
  })
  page.on("pageerror", (error) => faults.push(error.message))
  return faults
}

/** A person in the console. */
export interface Visitor {
  readonly context: BrowserContext
  /** Opens a screen, such as `/workers`. `faults` grows while the page is open. */
  readonly opened: (path: string) => Promise<{ readonly faults: ReadonlyArray<string>; readonly page: Page }>
  /** Adds a record through the API, as any client may. */
  readonly add: (path: string, body: object) => Promise<{ readonly id: string } & Readonly<Record<string, string>>>
  /** The status of a call of the API, and its answer. */
  readonly call: (method: string, path: string, body?: object) => ReturnType<typeof call>
}

const visitorIn = (context: BrowserContext, origin: string): Visitor => ({
  context,
  opened: async (path) => {
    const page = await context.newPage()
    const faults = faultsOf(page)
    await page.goto(`${origin}/console${path}`)
    await page.getByRole("heading", { level: 1 }).waitFor()
    return { faults, page }
  },
  add: async (path, body) => {
    const { json, status } = await call(context, origin, "POST", path, body)
    assert.strictEqual(status, 201, JSON.stringify(json))
    return json.data
  },
  call: (method, path, body) => call(context, origin, method, path, body)
})

/** The first Super Admin, in a browser with JavaScript enabled. */
export const administrator = async ({ admin, machine, origin, visit }: Service): Promise<Visitor> => {
  const context = await visit()
  const page = await context.newPage()
  await enterPassword(page, origin, admin.email, password)
  await enterCode(page, nextCode(machine, admin.seed))
  await page.waitForURL("**/console")
  await page.close()
  return visitorIn(context, origin)
}

/** A user who has just accepted an invite. */
export const invited = async ({ invite, origin, visit }: Service, email: string, role: string): Promise<Visitor> => {
  const context = await visit()
  const page = await context.newPage()
  await page.goto(await invite(email, role))
  await page.getByLabel("Password").fill(password)
  await page.getByRole("button", { name: "Set password" }).click()
  await page.waitForURL("**/console")
  await page.close()
  return visitorIn(context, origin)
}

/**
 * The faults that axe finds. It is evaluated from outside the page, because the Content Security Policy blocks its
 * script tag.
 */
export const accessibilityFaults = async (page: Page): Promise<ReadonlyArray<string>> => {
  const session = await page.context().newCDPSession(page)
  await session.send("Runtime.evaluate", { expression: axe })
  const { result } = await session.send("Runtime.evaluate", {
    expression: `axe.run().then(({ violations }) => JSON.stringify(violations.map(({ id, nodes }) => id + ": " + nodes[0].html)))`,
    awaitPromise: true
  })
  return JSON.parse(String(result.value))
}

/** Checks a page as it is by axe, for example with an open dialog. */
export const assertAccessibleNow = async (page: Page) => assert.deepStrictEqual(await accessibilityFaults(page), [])

/** A look: the theme of the browser, and its width in pixels. */
export interface Look {
  readonly colorScheme: "light" | "dark"
  readonly width: number
}

export const looks: ReadonlyArray<Look> = (["light", "dark"] as const).flatMap((colorScheme) =>
  [320, 1280].map((width) => ({ colorScheme, width }))
)

/**
 * Checks a screen in a look: axe, the Content Security Policy, and that nothing scrolls sideways. May keep a
 * screenshot.
 */
export const assertAccessible = async ({ opened }: Visitor, path: string, { colorScheme, width }: Look) => {
  const { faults, page } = await opened(path)
  await page.emulateMedia({ colorScheme })
  await page.setViewportSize({ width, height: 800 })
  await page.waitForLoadState("networkidle")
  const folder = process.env["WCS_SCREENSHOTS"]
  if (folder !== undefined) {
    const name = path.replaceAll(/\W+/g, "-").slice(0, 80)
    await page.screenshot({ path: `${folder}/${colorScheme}-${width}${name}.png`, fullPage: true })
  }
  assert.deepStrictEqual(await accessibilityFaults(page), [], path)
  assert.deepStrictEqual(faults, [], path)
  assert.isAtMost(
    Number(await page.evaluate("document.documentElement.scrollWidth")),
    width,
    `${path} scrolls sideways`
  )
  await page.close()
}

/** A credential. By default the reference register knows the card as valid. */
export const credentialOf = (owners: object, identifier = "WWC1234567E") => ({
  attributes: {
    credentialType: "WWCC_NSW",
    identifier,
    holder: { lastName: "Example", birthDate: "1990-04-01" },
    owners
  }
})
