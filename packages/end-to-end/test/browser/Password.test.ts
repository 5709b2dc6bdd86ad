import { randomUUID } from "node:crypto"
import {
  enrol,
  enterCode,
  enterPassword,
  enterRecoveryCode,
  nextCode,
  personIn,
  wrongCode
} from "@wcs/end-to-end/browser/Pages"
import { cookieName, password, type Service, start } from "@wcs/end-to-end/browser/Service"
import type { BrowserContext, Cookie, Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

let service: Service
beforeAll(async () => {
  service = await start()
})
afterAll(() => service.end())

/** A password that requires a second factor: its user enrols an app. */
const shortPassword = "Quiet-Lamp-7"

/** Accepts an invite in a new browser, and enrols an app. */
const joined = async (javaScript: boolean, chosen = shortPassword) => {
  const email = `${randomUUID()}@example.org`
  const context = await service.visit(javaScript)
  const page = await context.newPage()
  await page.goto(await service.invite(email))
  await page.getByLabel("Password").fill(chosen)
  await page.getByRole("button", { name: "Set password" }).click()
  return { context, email, page, ...(await enrol(page, service.machine)) }
}

/** Logs out, and sends the right password again: the page asks for a code. */
const halfLoggedIn = async (page: Page, email: string) => {
  await page.goto(`${service.origin}/account`)
  await page.getByRole("button", { name: "Log out", exact: true }).click()
  await page.waitForURL("**/login")
  await enterPassword(page, service.origin, email, shortPassword)
  await page.waitForURL("**/login/code")
}

const cookiesOf = async (context: BrowserContext): Promise<Readonly<Record<string, Cookie>>> =>
  Object.fromEntries((await context.cookies()).map((cookie) => [cookie.name, cookie]))

/** Fails unless the browser keeps the cookie from scripts, plain HTTP, other hosts and other sites. */
const assertGuarded = (cookie: Cookie | undefined) => {
  assert.isDefined(cookie)
  const { domain, httpOnly, path, sameSite, secure } = cookie
  const kept = { domain, httpOnly, path, sameSite, secure }
  assert.deepStrictEqual(kept, { domain: "localhost", httpOnly: true, path: "/", sameSite: "Strict", secure: true })
}

/** Presses Back. Chromium shows an error page instead of a page for which it would send a form again. */
const assertNotBroughtBack = async (page: Page, codes: ReadonlyArray<string>) => {
  await page.goBack().catch(async (error) => {
    assert.include(String(error), "ERR_CACHE_MISS")
    await page.waitForURL(/^chrome-error:/)
  })
  const content = await page.content()
  for (const code of codes) assert.notInclude(content, code)
}

describe("the first run", () => {
  it("creates a Super Admin with a password and an app, without script", async () => {
    const { admin, origin } = service
    assert.strictEqual(await personIn(admin.context, origin), admin.email)
    assert.lengthOf(admin.recoveryCodes, 10)
  })

  it("asks the Super Admin for a code at the next login", async () => {
    const { admin, machine, origin, visit } = service
    const context = await visit()
    const page = await context.newPage()
    await enterPassword(page, origin, admin.email, password)
    await enterCode(page, nextCode(machine, admin.seed))
    await page.waitForURL("**/console")
    assert.strictEqual(await personIn(context, origin), admin.email)
  })
})

describe.each([
  { javaScript: true, script: "with script" },
  { javaScript: false, script: "without script" }
])("password and code $script", ({ javaScript }) => {
  it("AUT-15: logs an invited person in with password and code, not with a wrong one, or with a recovery code", async () => {
    const { context, email, page, recoveryCodes, seed } = await joined(javaScript)
    assert.strictEqual(await personIn(context, service.origin), email)
    await halfLoggedIn(page, email)
    await enterCode(page, wrongCode(service.machine, seed))
    await page.getByText("The code is wrong or was used before. Wait for the next code.").waitFor()
    assert.isUndefined(await personIn(context, service.origin))
    await enterCode(page, nextCode(service.machine, seed))
    await page.waitForURL("**/console")
    await halfLoggedIn(page, email)
    await enterRecoveryCode(page, String(recoveryCodes[0]?.toUpperCase().replaceAll("-", " ")))
    await page.waitForURL("**/console")
    assert.strictEqual(await personIn(context, service.origin), email)
  })

  it("shows recovery codes once: Back does not show them again", async () => {
    const { page, recoveryCodes } = await joined(javaScript)
    await assertNotBroughtBack(page, recoveryCodes)
    await page.goto(`${service.origin}/account`)
    await page.getByRole("button", { name: "Make new recovery codes" }).click()
    await page.getByRole("heading", { name: "Keep your recovery codes" }).waitFor()
    const renewed = await page.locator("li > code").allTextContents()
    assert.lengthOf(renewed, 10)
    await page.getByRole("link", { name: "Continue" }).click()
    await page.waitForURL("**/account")
    await assertNotBroughtBack(page, renewed)
  })

  it("keeps every cookie from scripts, other hosts and other sites, and changes the session at each login", async () => {
    const { context, email, page, seed } = await joined(javaScript)
    const before = await cookiesOf(context)
    assert.deepStrictEqual(Object.keys(before).sort(), [cookieName(service), cookieName(service, "-device")])
    assertGuarded(before[cookieName(service)])
    assertGuarded(before[cookieName(service, "-device")])
    assert.strictEqual(before[cookieName(service)]?.expires, -1)
    assert.match(before[cookieName(service)]?.value ?? "", /^[0-9A-Za-z]{43}$/)
    await halfLoggedIn(page, email)
    const half = await cookiesOf(context)
    assert.deepStrictEqual(Object.keys(half).sort(), [cookieName(service, "-device"), cookieName(service, "-login")])
    assertGuarded(half[cookieName(service, "-login")])
    await enterCode(page, nextCode(service.machine, seed))
    await page.waitForURL("**/console")
    const after = await cookiesOf(context)
    assert.deepStrictEqual(Object.keys(after).sort(), [cookieName(service), cookieName(service, "-device")])
    assert.notStrictEqual(after[cookieName(service)]?.value, before[cookieName(service)]?.value)
    assert.strictEqual(await page.evaluate("document.cookie"), "")
  })
})
