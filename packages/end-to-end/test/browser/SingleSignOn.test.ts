import { randomUUID } from "node:crypto"
import { inflateRawSync } from "node:zlib"
import * as Saml from "@wcs/conformance/walks/access/Saml"
import { call, personIn } from "@wcs/end-to-end/browser/Pages"
import { cookieName, type Service, start } from "@wcs/end-to-end/browser/Service"
import { openSite, postingPage, type Site } from "@wcs/end-to-end/browser/Site"
import { type Issuer, startIssuer } from "@wcs/end-to-end/deployment/Issuer"
import { makeKey } from "@wcs/end-to-end/deployment/SamlKey"
import type { BrowserContext, Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

const { cert, key } = await makeKey()
const signing = Saml.keyIn(key) ?? assert.fail("the key is no RSA key")
const entityId = "https://idp.example.org/metadata"
const persistent = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"

let service: Service
let oidc: Issuer
let saml: Site
/** The person who is logged in at the SAML provider. */
let samlPerson = { subject: "", email: "" }

/** The SAML provider answers the request in the URL with a form. */
const samlPage = async (url: string): Promise<string> => {
  const { searchParams } = new URL(url, saml.origin)
  const xml = inflateRawSync(Buffer.from(searchParams.get("SAMLRequest") ?? "", "base64")).toString()
  const { consumerUrl = "", id = "", issuer = "" } = Saml.partsOf(xml)
  const login = {
    start: "",
    identityProvider: { entityId, url: `${saml.origin}/sso`, key },
    user: { nameId: samlPerson.subject, format: persistent, attributes: { email: samlPerson.email } }
  }
  const said = { request: { id, issuer, consumerUrl }, login, now: service.machine.now() }
  const response = Saml.responseOf(said, signing, "honest")
  return postingPage(consumerUrl, { SAMLResponse: response, RelayState: searchParams.get("RelayState") ?? "" })
}

beforeAll(async () => {
  service = await start()
  oidc = await startIssuer()
  saml = await openSite(samlPage)
})
afterAll(async () => {
  saml.close()
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
  return { email, name, subject: randomUUID() }
}
type Connected = Awaited<ReturnType<typeof connected>>

const connectedBySaml = async () => {
  const settings = { entityId, ssoUrl: `${saml.origin}/sso`, certificates: [cert] }
  const made = await connected({ kind: "saml", saml: settings })
  samlPerson = made
  return made
}

const connectedByOidc = async () => {
  const made = await connected({
    kind: "oidc",
    clientSecret: "a-client-secret-of-forty-characters-00001",
    oidc: { issuer: oidc.url, clientId: "wcs" }
  })
  oidc.enter({ sub: made.subject, email: made.email, email_verified: true })
  return made
}

/** Opens the login's page, and follows the links to a provider. */
const chooseProvider = async (page: Page, { name }: Connected) => {
  await page.goto(`${service.origin}/login`)
  await page.getByRole("link", { name: "Log in through your organization" }).click()
  await page.getByRole("link", { name }).click()
}

const assertLoggedIn = async (context: BrowserContext, { email }: Connected) => {
  assert.strictEqual(await personIn(context, service.origin), email)
  const cookies = (await context.cookies(service.origin)).filter(({ name }) => name.startsWith("__Host-"))
  assert.deepStrictEqual(
    cookies.map(({ httpOnly, name, path, sameSite, secure }) => ({ httpOnly, name, path, sameSite, secure })),
    [{ httpOnly: true, name: cookieName(service), path: "/", sameSite: "Strict", secure: true }]
  )
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
    // With script, the provider's page submits its form itself.
    if (!javaScript) await page.getByRole("button", { name: "Continue" }).click()
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
})
