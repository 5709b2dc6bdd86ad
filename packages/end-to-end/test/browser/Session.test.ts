import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { call, enterPassword, nextCode, personIn } from "@wcs/end-to-end/browser/Pages"
import { cookieName, password, type Service, start } from "@wcs/end-to-end/browser/Service"
import { openSite, postingPage, type Site } from "@wcs/end-to-end/browser/Site"
import type { BrowserContext, Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

/** The longest wait for something that takes half a second. */
const hangMillis = 60_000

let service: Service
let sites: Readonly<Record<"another site" | "another origin of this site", Site>>

/**
 * A page that posts a form to the same path of the service; its query holds the fields. `/frame` puts the login into a
 * frame instead, and the root has no form.
 */
const hostilePage = (url: string): string => {
  const { pathname, searchParams } = new URL(url, "http://localhost")
  if (pathname === "/") return "<!doctype html><title>Another site</title>"
  if (pathname === "/frame") return `<!doctype html><iframe src="${service.origin}/login"></iframe>`
  return postingPage(`${service.origin}${pathname}`, Object.fromEntries(searchParams))
}

beforeAll(async () => {
  service = await start()
  const read = (name: string) => readFileSync(join(dirname(service.certificateFile), name), "utf8")
  sites = {
    "another site": await openSite(hostilePage),
    "another origin of this site": await openSite(hostilePage, { cert: read("tls-cert.pem"), key: read("tls-key.pem") })
  }
})
afterAll(async () => {
  for (const site of Object.values(sites)) site.close()
  await service.end()
})

/** Opens the page of the person's own login, which needs no script. */
const openAccount = async (page: Page) => {
  await page.waitForURL("**/console")
  await page.goto(`${service.origin}/account`)
}

/** Accepts an invite with a password that is long enough to need no second factor. */
const joined = async (javaScript = true) => {
  const email = `${randomUUID()}@example.org`
  const context = await service.visit(javaScript)
  const page = await context.newPage()
  await page.goto(await service.invite(email, "Admin"))
  await page.getByLabel("Password").fill(password)
  await page.getByRole("button", { name: "Set password" }).click()
  await openAccount(page)
  return { context, email, page }
}

/** Logs in again, in another browser. */
const loggedIn = async (email: string) => {
  const context = await service.visit()
  const page = await context.newPage()
  await enterPassword(page, service.origin, email, password)
  await openAccount(page)
  return { context, page }
}

/** The answers to four calls. With two servers, each answers some of them. */
const statusesOf = async (context: BrowserContext) => {
  const page = await context.newPage()
  await page.goto(`${service.origin}/login.css`)
  const statuses = await page.evaluate(async () => {
    const answers: Array<number> = []
    for (let calls = 0; calls < 4; calls++) {
      answers.push((await fetch("/openapi/v1/me", { headers: { "X-WCS-Console": "1" } })).status)
    }
    return answers
  })
  await page.close()
  return statuses
}

const allOf = (status: number) => Array(4).fill(status)

describe.each([
  { javaScript: true, script: "with script" },
  { javaScript: false, script: "without script" }
])("logout $script", ({ javaScript }) => {
  it("ends the session, deletes its cookie, and Back shows nothing of the account", async () => {
    const { context, email, page } = await joined(javaScript)
    const { value } = (await context.cookies()).find(({ name }) => name === cookieName(service)) ?? { value: "" }
    await page.getByRole("button", { name: "Log out", exact: true }).click()
    await page.waitForURL("**/login")
    const names = (await context.cookies()).map(({ name }) => name)
    assert.deepStrictEqual(names, [cookieName(service, "-device")])
    await page.goBack()
    assert.notInclude(await page.content(), email)
    const cookie = { name: cookieName(service), value, url: service.origin, secure: true } as const
    await context.addCookies([{ ...cookie, httpOnly: true, sameSite: "Strict" }])
    assert.deepStrictEqual(await statusesOf(context), allOf(401))
  })

  it("everywhere else ends the sessions of other browsers, and keeps this one", async () => {
    const { context, email, page } = await joined(javaScript)
    const [other, stranger] = [await loggedIn(email), await joined()]
    assert.deepStrictEqual(await statusesOf(other.context), allOf(200))
    await page.reload()
    assert.strictEqual(await page.locator("tbody tr").count(), 2)
    const answered = page.waitForResponse((response) => response.url().endsWith("/account/sessions/end"))
    await page.getByRole("button", { name: "Log out everywhere else" }).click()
    await answered
    const begun = performance.now()
    const isOut = async () => (await statusesOf(other.context)).every((status) => status === 401)
    let out = await isOut()
    while (!out && performance.now() - begun < hangMillis) out = await isOut()
    assert.isTrue(out, "the other browser is still logged in")
    console.log(`The other browser was out after at most ${(performance.now() - begun).toFixed(0)} ms.`)
    await other.page.reload()
    await other.page.waitForURL("**/login")
    await page.waitForURL("**/account")
    assert.strictEqual(await page.locator("tbody tr").count(), 1)
    assert.strictEqual(await personIn(context, service.origin), email)
    assert.strictEqual(await personIn(stranger.context, service.origin), stranger.email)
  })
})

/** Forms that would harm the person who is logged in, by path. */
const harmful: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "/logout": {},
  "/account/sessions/end": {},
  "/account/password": { current: password, next: "a password of the attacker" },
  "/account/second-factor": {},
  "/account/step-up": { password },
  "/login": { email: "eve@example.org", password }
}

describe.each(["another site", "another origin of this site"] as const)("a form of %s", (place) => {
  let victim: Awaited<ReturnType<typeof joined>>
  let other: Awaited<ReturnType<typeof loggedIn>>
  beforeAll(async () => {
    victim = await joined()
    other = await loggedIn(victim.email)
  })

  it.each(Object.keys(harmful))("cannot post to %s", async (path) => {
    const { context, email, page } = victim
    const before = await context.cookies()
    const posted = page.waitForResponse((response) => response.request().method() === "POST")
    await page.goto(`${sites[place].origin}${path}?${new URLSearchParams(harmful[path])}`)
    const response = await posted
    assert.strictEqual(response.url(), `${service.origin}${path}`)
    assert.strictEqual(response.status(), 401)
    const cookie = (await response.request().allHeaders())["cookie"] ?? ""
    // SameSite=Strict alone does not stop another origin of the same site.
    assert.strictEqual(cookie.includes(`${cookieName(service)}=`), place === "another origin of this site")
    assert.deepStrictEqual(await context.cookies(), before)
    assert.strictEqual(await personIn(context, service.origin), email)
    assert.strictEqual(await personIn(other.context, service.origin), email)
  })

  it("cannot follow from a page that frames the login", async () => {
    const page = await (await service.visit()).newPage()
    await page.goto(`${sites[place].origin}/frame`)
    assert.strictEqual(await page.locator("iframe").count(), 1)
    assert.strictEqual(await page.frameLocator("iframe").getByRole("heading", { name: "Log in" }).count(), 0)
  })

  it("did not change the password", async () => {
    await loggedIn(victim.email)
  })

  it("cannot call the interface, and neither can a script", async () => {
    const { context, page } = victim
    const count = async () => (await call(context, service.origin, "GET", "/workers")).json.data.length
    const before = await count()
    const posted = page.waitForResponse((response) => response.request().method() === "POST")
    await page.goto(`${sites[place].origin}/openapi/v1/workers?name=eve`)
    assert.strictEqual((await posted).status(), 401)
    await page.goto(sites[place].origin)
    const sent = page.waitForResponse((response) => response.request().method() === "POST")
    await page.evaluate(async (url) => {
      const body = JSON.stringify({ identity: { displayName: "Eve" } })
      await fetch(url, { method: "POST", mode: "no-cors", credentials: "include", body })
    }, `${service.origin}/openapi/v1/workers`)
    assert.strictEqual((await sent).status(), 401)
    assert.strictEqual(await count(), before)
    const own = await call(context, service.origin, "POST", "/workers", { identity: { displayName: "Eve" } })
    assert.strictEqual(own.status, 201)
    assert.strictEqual(await count(), before + 1)
  })
})

describe("step-up", () => {
  it("is required on the page of the account 15 minutes after the login", async () => {
    const { admin, machine, origin } = service
    machine.advance(16 * 60)
    const page = await admin.context.newPage()
    await page.goto(`${origin}/account`)
    await page.getByRole("heading", { name: "Confirm that it is you" }).waitFor()
    assert.strictEqual(await page.getByRole("button", { name: "Make new recovery codes" }).count(), 0)
    const before = (await admin.context.cookies()).find(({ name }) => name === cookieName(service))
    await page.getByLabel("Six-digit code").fill(nextCode(machine, admin.seed))
    await page.getByRole("button", { name: "Confirm" }).click()
    await page.getByRole("button", { name: "Make new recovery codes" }).waitFor()
    const after = (await admin.context.cookies()).find(({ name }) => name === cookieName(service))
    assert.notStrictEqual(after?.value, before?.value)
    await page.getByRole("button", { name: "Make new recovery codes" }).click()
    await page.getByRole("heading", { name: "Keep your recovery codes" }).waitFor()
    assert.lengthOf(await page.locator("li > code").allTextContents(), 10)
  })
})
