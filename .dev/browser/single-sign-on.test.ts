import { randomUUID } from "node:crypto"
import type { BrowserContext, Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { clientId, clientSecret, startOidcProvider } from "../../packages/deployment/test/login/OidcProvider.ts"
import { makeKey } from "../../packages/deployment/test/login/SamlKey.ts"
import { answer, metadataOf, requestIn } from "../../packages/deployment/test/login/SamlProvider.ts"
import { call, personIn } from "./pages.ts"
import { cookieName, type Service, start } from "./service.ts"
import { openSite, postingPage, type Site } from "./site.ts"

const key = await makeKey(365)

let service: Service
let oidc: Awaited<ReturnType<typeof startOidcProvider>>
let saml: Site
/** The person who is logged in at the SAML provider. */
let samlPerson = { subject: "", email: "" }

/** npm's samlp behind a page: it answers the request in the URL with a form. */
const samlPage = async (url: string): Promise<string> => {
  const location = new URL(url, "http://127.0.0.1").href
  const form = await answer(location, key, samlPerson, { now: service.machine.now() })
  return postingPage(requestIn(location).acsUrl, form)
}

beforeAll(async () => {
  service = await start()
  oidc = await startOidcProvider()
  saml = await openSite(samlPage)
})
afterAll(async () => {
  saml.close()
  oidc.close()
  await service.end()
})

const asAdmin = async (method: string, path: string, body?: object) => {
  const { json, status } = await call(service.admin.context, service.origin, method, path, body)
  assert.include([200, 201], status, JSON.stringify(json))
  return json.data
}

/** Creates a provider with a verified domain, and a user of that domain without a password. */
const connected = async (settings: object) => {
  const [domain, name] = [`${randomUUID()}.example`, `Provider ${randomUUID()}`]
  const { id } = await asAdmin("POST", "/identity-providers", { name, domains: [domain], active: true, ...settings })
  service.machine.publish(`_wcs-challenge.${domain}`, `wcs-domain-verification=${id}`)
  const { verifiedDomains } = await asAdmin("POST", `/identity-providers/${id}/verify-domains`)
  assert.deepStrictEqual(verifiedDomains, [domain])
  const email = `ann@${domain}`
  await service.invite(email)
  return { email, id: String(id), name, subject: randomUUID() }
}
type Connected = Awaited<ReturnType<typeof connected>>

const connectedBySaml = async () => {
  const metadata = metadataOf(key).replace("https://idp.example.org/sso", `${saml.origin}/sso`)
  const made = await connected({ kind: "saml", metadata })
  samlPerson = made
  return made
}

const connectedByOidc = async () => {
  const made = await connected({ kind: "oidc", clientSecret, oidc: { issuer: oidc.issuer, clientId } })
  oidc.register(`${service.origin}/oidc/${made.id}/callback`)
  oidc.enter({ ...made, emailVerified: true })
  return made
}

/** Opens the login's page, and follows the links to a provider. */
const chooseProvider = async (page: Page, { name }: Connected) => {
  await page.goto(`${service.origin}/login`)
  await page.getByRole("link", { name: "Log in through your organization" }).click()
  await page.getByRole("link", { name }).click()
}

/** Submits the provider's form. With JavaScript, the page submits the form itself. */
const pass = async (page: Page, javaScript: boolean) => {
  if (!javaScript) await page.getByRole("button", { name: "Continue" }).click()
}

const cookieOf = async (context: BrowserContext, name: string) =>
  (await context.cookies()).find((cookie) => cookie.name === name)

const assertLoggedIn = async (context: BrowserContext, { email }: Connected) => {
  assert.strictEqual(await personIn(context, service.origin), email)
  const cookies = (await context.cookies(service.origin)).filter(({ name }) => name.startsWith("__Host-"))
  const shown = cookies.map(({ name, httpOnly, path, sameSite, secure }) => ({
    name,
    httpOnly,
    path,
    sameSite,
    secure
  }))
  assert.deepStrictEqual(shown, [
    { name: cookieName(service), httpOnly: true, path: "/", sameSite: "Strict", secure: true }
  ])
}

const assertRefused = async (context: BrowserContext, page: Page) => {
  await page.getByRole("heading", { name: "Login failed" }).waitFor()
  assert.isUndefined(await cookieOf(context, cookieName(service)))
}

describe.each([
  { javaScript: true, script: "with script" },
  { javaScript: false, script: "without script" }
])("single sign-on $script", ({ javaScript }) => {
  it("AUT-16: logs a person in by SAML, and leaves no cookie but the session", async () => {
    const connection = await connectedBySaml()
    const context = await service.visit(javaScript)
    const page = await context.newPage()
    await chooseProvider(page, connection)
    await pass(page, javaScript)
    await page.waitForURL(`${service.origin}/console`)
    await assertLoggedIn(context, connection)
  })

  it("AUT-16: logs a person in by OpenID Connect, and leaves no cookie but the session", async () => {
    const connection = await connectedByOidc()
    const context = await service.visit(javaScript)
    const page = await context.newPage()
    await chooseProvider(page, connection)
    await page.waitForURL(`${service.origin}/console`)
    await assertLoggedIn(context, connection)
  })

  it("refuses a SAML response to another browser's request", async () => {
    const connection = await connectedBySaml()
    const [attacker, victim] = [await service.visit(false), await service.visit(javaScript)]
    const asking = await attacker.newPage()
    await chooseProvider(asking, connection)
    const page = await victim.newPage()
    await page.goto(asking.url())
    await pass(page, javaScript)
    await assertRefused(victim, page)
    await chooseProvider(page, connection)
    await pass(page, javaScript)
    await page.waitForURL(`${service.origin}/console`)
    await assertLoggedIn(victim, connection)
  })
})

describe("single sign-on", () => {
  it("sets a SameSite=None, HttpOnly cookie for a pending login", async () => {
    const connection = await connectedBySaml()
    const context = await service.visit(false)
    const page = await context.newPage()
    await chooseProvider(page, connection)
    const pending = await cookieOf(context, cookieName(service, "-sso"))
    assert.isDefined(pending)
    const { domain, httpOnly, path, sameSite, secure } = pending
    const kept = { domain, httpOnly, path, sameSite, secure }
    assert.deepStrictEqual(kept, { domain: "localhost", httpOnly: true, path: "/", sameSite: "None", secure: true })
  })

  it("refuses a SAML response that is sent again", async () => {
    const connection = await connectedBySaml()
    const context = await service.visit(false)
    const page = await context.newPage()
    await chooseProvider(page, connection)
    const again = await context.newPage()
    await again.setContent(await page.content())
    await pass(page, false)
    await page.waitForURL(`${service.origin}/console`)
    await page.goto(`${service.origin}/account`)
    await page.getByRole("button", { name: "Log out", exact: true }).click()
    await page.waitForURL("**/login")
    await pass(again, false)
    await assertRefused(context, again)
  })

  it("shows an administrator the result of a test login, and keeps their session", async () => {
    const connection = await connectedBySaml()
    const { admin, origin } = service
    const before = await cookieOf(admin.context, cookieName(service))
    const page = await admin.context.newPage()
    for (const [email, text] of [
      [connection.email, `It would log in ${connection.email}.`],
      ["eve@elsewhere.example", "DomainNotVerified"]
    ] as const) {
      samlPerson = { subject: randomUUID(), email }
      await page.goto(`${origin}/saml/${connection.id}/test`)
      await pass(page, false)
      await page.getByText(text).waitFor()
    }
    assert.deepStrictEqual(await cookieOf(admin.context, cookieName(service)), before)
    assert.strictEqual(await personIn(admin.context, origin), admin.email)
  })
})

// The last one: it moves the clock, so that the administrator has to step up too.
describe("step-up", () => {
  it("lets a person without a password step up by a login at the provider", async () => {
    const connection = await connectedBySaml()
    const context = await service.visit(false)
    const page = await context.newPage()
    await chooseProvider(page, connection)
    await pass(page, false)
    await page.waitForURL(`${service.origin}/console`)
    await page.goto(`${service.origin}/account`)
    const setUp = page.getByRole("button", { name: "Set up an authenticator app" })
    await setUp.waitFor()
    service.machine.advance(16 * 60)
    await page.reload()
    assert.strictEqual(await setUp.count(), 0)
    await page.getByRole("link", { name: `Log in again through ${connection.name}` }).click()
    await pass(page, false)
    await page.waitForURL(`${service.origin}/console`)
    await page.goto(`${service.origin}/account`)
    await setUp.waitFor()
  })
})

describe("the deployment", () => {
  it("answered requests on every server", () => {
    assert.isTrue(service.everyServerAsked())
  })
})
