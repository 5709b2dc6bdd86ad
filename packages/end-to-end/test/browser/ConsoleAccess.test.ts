import { enterPassword, nextCode } from "@wcs/end-to-end/browser/Pages"
import { administrator, assertAccessible, invited, looks, type Visitor } from "@wcs/end-to-end/browser/Screens"
import { password, type Service, start } from "@wcs/end-to-end/browser/Service"
import { codeAt } from "@wcs/end-to-end/Totp"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

let service: Service
let admin: Visitor

beforeAll(async () => {
  service = await start()
  admin = await administrator(service)
})
afterAll(async () => {
  await service.end()
})

/** The status of a call with a bearer, by a program without cookies. */
const statusOf = async (token: string): Promise<number> => {
  const stranger = await service.visit()
  const answer = await stranger.request.get(`${service.origin}/openapi/v1/me`, {
    headers: { authorization: `Bearer ${token}` },
    ignoreHTTPSErrors: true
  })
  await stranger.close()
  return answer.status()
}

describe("access tokens", () => {
  it("AUT-13: shows a new token once; it works until it is revoked", async () => {
    const { faults, page } = await admin.opened("/tokens")
    await page.getByRole("button", { name: "Make a token" }).first().click()
    await page.getByLabel("Name").fill("laptop")
    await page.getByRole("button", { name: "Make", exact: true }).click()
    const dialog = page.getByRole("dialog", { name: "Token laptop" })
    const token = (await dialog.locator("code").textContent()) ?? ""
    assert.match(token, /^wcs_pat_/)
    assert.strictEqual(await statusOf(token), 200)
    await page.keyboard.press("Escape")
    await dialog.getByText("Escape would lose it for good.").waitFor()
    await dialog.getByRole("button", { name: "I have stored it" }).click()
    await page.getByRole("cell", { name: /laptop/ }).waitFor()
    const everywhere =
      "document.documentElement.outerHTML + location.href + JSON.stringify({ ...localStorage, ...sessionStorage })"
    assert.notInclude(String(await page.evaluate(everywhere)), token)
    await page.getByRole("link", { name: "My security" }).click()
    await page.goBack()
    await page.getByRole("cell", { name: /laptop/ }).waitFor()
    assert.notInclude(String(await page.evaluate(everywhere)), token)
    await page
      .getByRole("row", { name: /laptop/ })
      .getByRole("button", { name: "Revoke" })
      .click()
    const confirmation = page.getByRole("dialog", { name: "Revoke laptop?" })
    await confirmation.getByRole("button", { name: "Revoke" }).click()
    await page.getByText("There are no tokens.").waitFor()
    assert.strictEqual(await statusOf(token), 401)
    assert.deepStrictEqual(faults, [])
  })

  it("rotates: both tokens work until the old one is revoked", async () => {
    const old = await admin.add("/access-tokens", { name: "robot" })
    const { page } = await admin.opened("/tokens")
    await page.getByRole("row", { name: /robot/ }).getByRole("button", { name: "Rotate" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click()
    const fresh = (await page.getByRole("dialog").locator("code").textContent()) ?? ""
    await page.getByRole("button", { name: "I have stored it" }).click()
    assert.deepStrictEqual([await statusOf(old["token"] ?? ""), await statusOf(fresh)], [200, 200])
    await page.getByLabel("Show revoked tokens too").check()
    await page.waitForURL("**/tokens?includeDeleted=true")
  })
})

describe("API credentials", () => {
  it("OAU-23: shows a new secret once, and revokes the client", async () => {
    const { faults, page } = await admin.opened("/clients")
    await page.getByRole("button", { name: "Make API credentials" }).first().click()
    await page.getByLabel("Name").fill("payroll")
    await page.getByRole("button", { name: "Make", exact: true }).click()
    const dialog = page.getByRole("dialog", { name: "Secret of payroll" })
    const secret = (await dialog.locator("code").textContent()) ?? ""
    await dialog.getByRole("button", { name: "I have stored it" }).click()
    await page.getByRole("row", { name: /payroll/ }).waitFor()
    assert.notInclude(await page.content(), secret)
    await page
      .getByRole("row", { name: /payroll/ })
      .getByRole("button", { name: "Revoke" })
      .click()
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click()
    await page.getByText("There are no API credentials.").waitFor()
    assert.deepStrictEqual(faults, [])
  })
})

describe("users", () => {
  it("invites a user by a link that is shown once, changes the role, and deactivates", async () => {
    const { faults, page } = await admin.opened("/users")
    await page.getByRole("button", { name: "Invite a user" }).click()
    await page.getByLabel("Email", { exact: true }).fill("new@example.org")
    await page.getByLabel("Role").selectOption("Data Manager")
    await page.getByRole("button", { name: "Invite", exact: true }).click()
    const link = (await page.getByRole("dialog").locator("code").textContent()) ?? ""
    assert.include(link, "/invite/")
    await page.getByRole("button", { name: "I have copied it" }).click()
    const row = page.getByRole("row", { name: /new@example\.org/ })
    await row.getByText("invited").waitFor()
    await row.getByRole("button", { name: "Role" }).click()
    await page.getByRole("dialog").getByLabel("Role").selectOption("Viewer")
    await page.getByRole("button", { name: "Change the role" }).click()
    await row.getByText("Viewer").waitFor()
    await row.getByRole("button", { name: "Deactivate" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Deactivate" }).click()
    await row.waitFor({ state: "detached" })
    await page.getByLabel("Show deactivated users too").check()
    await row.getByRole("button", { name: "Activate" }).click()
    await row.getByRole("button", { name: "Deactivate" }).waitFor()
    assert.deepStrictEqual(faults, [])
  })

  it("shows the last login and the app of each user, and resets a lost app; the user is told at the next login", async () => {
    const person = await invited(service, "lost@example.org", "Viewer")
    const own = await person.context.newPage()
    await own.goto(`${service.origin}/account`)
    await own.getByRole("button", { name: "Set up an authenticator app" }).click()
    const seed = (await own.locator("p > code").textContent()) ?? ""
    await own.getByLabel("Six-digit code").fill(codeAt(seed, service.machine.now()))
    await own.getByRole("button", { name: "Confirm" }).click()
    await own.getByRole("heading", { name: "Keep your recovery codes" }).waitFor()
    const { faults, page } = await admin.opened("/users?query=lost%40example.org")
    const row = page.getByRole("row", { name: /lost@example\.org/ })
    await row.getByText("by password").waitFor()
    await row.getByRole("button", { name: "Reset the app" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Reset the app" }).click()
    await row.getByRole("cell", { name: "none", exact: true }).waitFor()
    assert.strictEqual((await person.call("GET", "/me")).status, 401)
    const again = await (await service.visit()).newPage()
    await enterPassword(again, service.origin, "lost@example.org", password)
    await again.waitForURL("**/console")
    await again.getByText("Your authenticator app was reset").waitFor()
    assert.deepStrictEqual(faults, [])
  })

  it("requires an app of everybody from a day on: a login without one leads through its set-up", async () => {
    await invited(service, "without@example.org", "Viewer")
    const { faults, page } = await admin.opened("/users")
    await page.getByText("not required of everybody").waitFor()
    await page.getByRole("main").getByRole("button", { name: "Change", exact: true }).click()
    await page.getByLabel("First day").fill("2020-01-31")
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByText(/is required of everybody since/).waitFor()
    const visitor = await (await service.visit()).newPage()
    await enterPassword(visitor, service.origin, "without@example.org", password)
    await visitor.waitForURL("**/login/enrol")
    await visitor.goto(`${service.origin}/console`)
    await visitor.waitForURL("**/login*")
    await page.getByRole("main").getByRole("button", { name: "Change", exact: true }).click()
    await page.getByLabel("First day").fill("")
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByText("not required of everybody").waitFor()
    assert.deepStrictEqual(faults, [])
  })

  it("shows what each role may do, also within units, and leads there from the choice of a role", async () => {
    const { faults, page } = await admin.opened("/users")
    await page.getByRole("button", { name: "Invite a user" }).click()
    const link = page.getByRole("dialog").getByRole("link", { name: "What each role may do" })
    assert.strictEqual(await link.getAttribute("href"), "/console/roles")
    await page.keyboard.press("Escape")
    await page.getByRole("link", { name: "Roles" }).click()
    const row = page.getByRole("row", { name: /audit events/ })
    await row.waitFor()
    const cells = () => row.getByRole("cell").allTextContents()
    assert.deepStrictEqual(await cells(), ["audit events", "read", "–", "–", "read", "–"])
    await page.getByLabel("Show what is left within units").check()
    await page.getByRole("columnheader", { name: "Super Admin" }).waitFor({ state: "detached" })
    assert.deepStrictEqual(await cells(), ["audit events", "–", "–", "–", "–"])
    assert.deepStrictEqual(faults, [])
  })

  it("keeps the last Super Admin, and says why", async () => {
    const { page } = await admin.opened("/users")
    const row = page.getByRole("row", { name: new RegExp(service.admin.email) })
    await row.getByRole("button", { name: "Role" }).click()
    await page.getByRole("dialog").getByLabel("Role").selectOption("Viewer")
    await page.getByRole("button", { name: "Change the role" }).click()
    await page.getByRole("dialog").getByText("The user is the last active Super Admin.").waitFor()
  })

  it("shows a Viewer the users without actions", async () => {
    const viewer = await invited(service, "looking@example.org", "Viewer")
    const { page } = await viewer.opened("/users")
    await page.getByRole("row", { name: /looking@example/ }).waitFor()
    assert.strictEqual(await page.getByRole("button", { name: /Invite|Role|Deactivate/ }).count(), 0)
    assert.strictEqual(await page.getByRole("link", { name: "API credentials" }).count(), 0)
    assert.strictEqual((await viewer.call("POST", "/users", { email: "a@example.org", role: "Viewer" })).status, 403)
  })
})

describe("single sign-on", () => {
  it("adds an OpenID provider, shows what to enter there, and proves a domain", async () => {
    const { faults, page } = await admin.opened("/single-sign-on/new")
    await page.getByLabel("Name").fill("Directory")
    await page.getByLabel("Protocol").selectOption("oidc")
    await page.getByLabel("Domains of email addresses").fill("Directory.example")
    await page.getByLabel("Issuer").fill("https://idp.example.org")
    await page.getByLabel("Client id").fill("wcs")
    await page.getByLabel("Client secret").fill("a secret of the client")
    await page.getByRole("button", { name: "Add", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: "Directory" }).waitFor()
    await page.getByText(/\/oidc\/.*\/callback$/).waitFor()
    assert.notInclude(await page.content(), "a secret of the client")
    const id = new URL(page.url()).pathname.split("/").at(-1) ?? ""
    await page.getByRole("button", { name: "Check the DNS" }).click()
    await page.getByText("directory.example is not verified").waitFor()
    service.machine.publish("_wcs-challenge.directory.example", `wcs-domain-verification=${id}`)
    await page.getByRole("button", { name: "Check the DNS" }).click()
    await page.getByRole("cell", { name: "verified", exact: true }).waitFor()
    await page.getByRole("button", { name: "Switch on" }).click()
    await page.getByRole("button", { name: "Switch off" }).waitFor()
    assert.deepStrictEqual(faults, [])
  })

  it("shows what to enter at a SAML provider before its metadata is known, and takes the metadata later", async () => {
    const { faults, page } = await admin.opened("/single-sign-on/new")
    await page.getByLabel("Name").fill("Addresses first")
    await page.getByRole("button", { name: "Add", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: "Addresses first" }).waitFor()
    const id = new URL(page.url()).pathname.split("/").at(-1) ?? ""
    for (const path of ["metadata", "acs", "login"])
      await page.getByText(`${service.origin}/saml/${id}/${path}`).waitFor()
    assert.strictEqual(await page.getByRole("button", { name: "Switch on" }).count(), 0)
    for (const look of looks) await assertAccessible(admin, `/single-sign-on/${id}`, look)
    await page.getByLabel("Or paste the metadata").fill("<a/>")
    await page.getByRole("button", { name: "Save the values" }).click()
    await page.getByText("“Metadata” is refused").waitFor()
    assert.deepStrictEqual(faults, [])
  })

  it("shows why SAML metadata is refused", async () => {
    const { page } = await admin.opened("/single-sign-on/new")
    await page.getByLabel("Name").fill("Broken")
    await page.getByLabel("Or paste the metadata").fill("<a/>")
    await page.getByRole("button", { name: "Add", exact: true }).click()
    await page.getByText("“Metadata” is refused").waitFor()
  })

  it("deletes a provider after a confirmation", async () => {
    const oidc = { issuer: "https://gone.example.org", clientId: "wcs" }
    const { id } = await admin.add("/identity-providers", { name: "Gone", kind: "oidc", oidc })
    const { page } = await admin.opened(`/single-sign-on/${id}`)
    await page.getByRole("button", { name: "Delete" }).click()
    await page.getByRole("dialog", { name: "Delete Gone?" }).getByRole("button", { name: "Delete" }).click()
    await page.waitForURL("**/console/single-sign-on")
  })
})

describe("my security", () => {
  it("ends another session, which loses access immediately", async () => {
    const [one, other] = [await invited(service, "twice@example.org", "Viewer"), await administrator(service)]
    const { page } = await other.opened("/security")
    await page.getByText("this one").waitFor()
    const { json } = await one.call("GET", "/me")
    const { json: sessions } = await other.call("GET", "/sessions?pageSize=100")
    const theirs = sessions.data.find(({ account }: { readonly account: string }) => account === json.data.account)
    assert.isDefined(theirs)
    const row = page.getByRole("row").filter({ hasText: "twice@example.org" })
    await row.getByRole("button", { name: "End" }).click()
    await row.waitFor({ state: "detached" })
    assert.strictEqual((await one.call("GET", "/me")).status, 401)
  })
})

describe("step-up", () => {
  it("asks for a confirmation when the login is older than 15 minutes", async () => {
    const person = await administrator(service)
    const { page } = await person.opened("/clients")
    service.machine.advance(16 * 60)
    await page.getByRole("button", { name: "Make API credentials" }).first().click()
    await page.getByLabel("Name").fill("ledger")
    await page.getByRole("button", { name: "Make", exact: true }).click()
    const proof = page.getByRole("dialog", { name: "Confirm that it is you" })
    await proof.getByLabel("Code of your authenticator app").fill("000000")
    await proof.getByRole("button", { name: "Confirm" }).click()
    await proof.getByText("The code is wrong").waitFor()
    await proof.getByLabel("Code of your authenticator app").fill(nextCode(service.machine, service.admin.seed))
    await proof.getByRole("button", { name: "Confirm" }).click()
    await page.getByRole("dialog", { name: "Secret of ledger" }).waitFor()
    admin = await administrator(service) // the other login is as old
  })

  it("creates nothing when the confirmation is cancelled", async () => {
    const person = await administrator(service)
    const { page } = await person.opened("/clients")
    service.machine.advance(16 * 60)
    await page.getByRole("button", { name: "Make API credentials" }).first().click()
    await page.getByLabel("Name").fill("never made")
    await page.getByRole("button", { name: "Make", exact: true }).click()
    await page.getByRole("dialog", { name: "Confirm that it is you" }).getByRole("button", { name: "Cancel" }).click()
    await page.getByRole("dialog", { name: "Make API credentials" }).getByRole("alert").waitFor()
    const { json } = await person.call("GET", "/api-clients?pageSize=100")
    assert.notInclude(JSON.stringify(json), "never made")
    admin = await administrator(service)
  })
})

it.each(looks)("has no accessibility faults in $colorScheme colors at $width pixels", async (look) => {
  const oidc = { issuer: "https://look.example.org", clientId: "wcs" }
  const provider = { name: "Look", kind: "oidc", oidc, domains: ["look.example"] }
  const { id } = await admin.add("/identity-providers", provider)
  await admin.add("/access-tokens", { name: "look" })
  await admin.add("/api-clients", { name: "look" })
  const lists = [
    "/tokens?includeDeleted=true",
    "/clients",
    "/users?includeDeleted=true",
    "/roles",
    "/single-sign-on",
    "/security"
  ]
  for (const path of [...lists, "/single-sign-on/new", `/single-sign-on/${id}`]) {
    await assertAccessible(admin, path, look)
  }
})
