/** The sources by which an organization asks registers: the wizard, the list, and what an administrator does with them. */
import { createServer, type Server } from "node:http"
import {
  administrator,
  assertAccessible,
  credentialOf,
  invited,
  looks,
  type Visitor
} from "@wcs/end-to-end/browser/Screens"
import { type Service, start } from "@wcs/end-to-end/browser/Service"
import { listen } from "@wcs/end-to-end/Listen"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

/** A gateway that clears everybody who asks with its present secret. */
interface Gateway {
  secret: string
  readonly url: string
  readonly server: Server
}

const openGateway = async (): Promise<Gateway> => {
  const gateway = { secret: "first-secret", url: "" }
  const server = createServer((request, response) => {
    request.resume()
    const isKnown = request.headers.authorization === `Bearer ${gateway.secret}`
    response
      .writeHead(isKnown ? 200 : 401, { "content-type": "application/json" })
      .end(JSON.stringify(isKnown ? { statusDetail: "NOT_FOUND" } : {}))
  })
  return Object.assign(gateway, { server, url: `http://127.0.0.1:${await listen(server)}/` })
}

let service: Service
let admin: Visitor
let gateway: Gateway

beforeAll(async () => {
  service = await start()
  admin = await administrator(service)
  gateway = await openGateway()
})
afterAll(async () => {
  gateway.server.close()
  await service.end()
})

const sources = "/verification-sources"

const source = (credentialType: string, more: object = { secret: "first-secret" }) =>
  admin.add(sources, { credentialType, url: gateway.url, ...more })

const stateOf = async (id: string) => (await admin.call("GET", `${sources}/${id}`)).json.data.state

describe("the list of registers", () => {
  it("says without a source why one is needed, and which registers need an account of the employer", async () => {
    const { faults, page } = await admin.opened(sources)
    const empty = page.locator(".empty")
    await empty.getByText("Your organization has no source of its own.").waitFor()
    assert.deepStrictEqual(await empty.getByRole("listitem").allTextContents(), [
      "Working With Children Check (New South Wales)",
      "Working with Children Check (South Australia)",
      "NDIS Worker Screening Check"
    ])
    await page
      .getByRole("row", { name: /South Australia/ })
      .getByText("default source")
      .waitFor()
    assert.deepStrictEqual(faults, [])
  })
})

describe("the wizard", () => {
  it("sets up a source by keyboard alone, and corrects a secret that the test found wrong", async () => {
    const { faults, page } = await admin.opened(`${sources}/new`)
    const press = (name: string) => page.getByRole("button", { name, exact: true }).press("Enter")
    await page.getByLabel("Register", { exact: true }).focus()
    await page.keyboard.type("Working with Children Check (South")
    await page.getByText(/South Australia answers only the account of an organization/).waitFor()
    await press("Next")
    await page.locator("h2:focus", { hasText: "Step 2 of 5" }).waitFor()
    await page.keyboard.press("Tab")
    await page.keyboard.type(gateway.url)
    await page.keyboard.press("Tab")
    await page.keyboard.type("wrong-secret")
    await page.keyboard.press("Enter")
    await page.locator("h2:focus", { hasText: "Step 3 of 5" }).waitFor()
    await press("Test the source")
    await page.getByText(/The test failed. The gateway refused the secret. Replace the secret/).waitFor()
    await page.getByRole("link", { name: "Correct the address or the secret" }).press("Enter")
    await page.locator("h2:focus", { hasText: "Step 2 of 5" }).waitFor()
    assert.strictEqual(await page.getByLabel("Address").inputValue(), gateway.url)
    assert.strictEqual(await page.getByLabel("Secret").inputValue(), "")
    await page.getByLabel("Secret").focus()
    await page.keyboard.type("first-secret")
    await page.keyboard.press("Enter")
    await page.locator("h2:focus", { hasText: "Step 3 of 5" }).waitFor()
    await press("Test the source")
    await page.getByText("The test succeeded. The gateway answers, and takes the secret.").waitFor()
    await press("Next")
    await page.getByLabel("Days between verifications").fill("1")
    await page.getByLabel("Questions per minute").fill("10")
    await page.keyboard.press("Enter")
    await page.getByText("is asked by the gateway of your organization from now on.").waitFor()
    assert.notInclude(page.url(), "secret")
    assert.notInclude(await page.content(), "first-secret")
    const { json } = await admin.call("GET", `${sources}?credentialType=WWCC_SA`)
    const [made] = json.data
    assert.deepInclude(made, { state: "OK", intervalDays: 1, limits: { callsPerMinute: 10 } })
    assert.deepStrictEqual(faults, [])
  })

  it("leads to the source that a register has already", async () => {
    const { id } = await source("WWCC_WA")
    const { page } = await admin.opened(`${sources}/new?credentialType=WWCC_WA`)
    await page.getByRole("link", { name: "show it" }).click()
    await page.waitForURL(`**${sources}/${id}`)
  })
})

describe("a source", () => {
  it("shows its fault, what to do, and never its secret, which can be replaced", async () => {
    const { id } = await source("WWCC_VIC", { secret: "old-secret" })
    await admin.call("POST", `${sources}/${id}/test`)
    const { faults, page } = await admin.opened(`${sources}?show=attention`)
    const row = page.getByRole("row", { name: /Victoria/ })
    await row.getByText("The gateway refused the secret.").waitFor()
    await row.getByText("✕ refuses").waitFor()
    await row.getByRole("link").first().click()
    await page.getByText("stored, never shown").waitFor()
    await page.getByText("Replace the secret with the one that the gateway expects.").waitFor()
    await page.getByRole("button", { name: "Replace the secret" }).click()
    await page.getByRole("textbox", { name: "Secret" }).fill("first-secret")
    await page.getByRole("dialog").getByRole("button", { name: "Replace" }).click()
    await page.getByText("The secret is stored. Test the source now.").waitFor()
    await page.getByRole("button", { name: "Test the source" }).click()
    await page.getByText("The test succeeded.").waitFor()
    assert.strictEqual(await stateOf(id), "OK")
    assert.notInclude(await page.content(), "first-secret")
    assert.deepStrictEqual(faults, [])
  })

  it("asks for the secret again with another address, and sends only what was changed", async () => {
    const { id } = await source("WWVP_TAS")
    const { page } = await admin.opened(`${sources}/${id}`)
    await page.getByRole("button", { name: "Edit" }).click()
    assert.strictEqual(await page.getByLabel("Secret").count(), 0)
    const sent = page.waitForRequest((request) => request.method() === "PATCH")
    await page.getByLabel("Address").fill(`${gateway.url}tas`)
    await page.getByLabel("Secret").fill("first-secret")
    await page.getByRole("button", { name: "Save", exact: true }).click()
    const request = await sent
    assert.deepStrictEqual(request.postDataJSON(), { url: `${gateway.url}tas`, secret: "first-secret" })
    assert.isNotEmpty(await request.headerValue("if-match"))
    await page.getByText(`${gateway.url}tas`).waitFor()
  })

  it("is paused and resumed after a confirmation whose focus is on Cancel", async () => {
    const { id } = await source("OCHRE_CARD_NT")
    const { page } = await admin.opened(`${sources}/${id}`)
    await page.getByRole("button", { name: "Pause" }).click()
    const dialog = page.getByRole("dialog", { name: /^Pause the source of Ochre Card/ })
    await dialog.locator("button:focus", { hasText: "Cancel" }).waitFor()
    await dialog.getByRole("button", { name: "Pause" }).click()
    await page.getByText("Verifications of this register wait until you resume.").waitFor()
    assert.strictEqual(await stateOf(id), "PAUSED")
    await page.getByRole("button", { name: "Resume" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Resume" }).click()
    await page.getByRole("button", { name: "Pause" }).waitFor()
    assert.strictEqual(await stateOf(id), "OK")
  })

  it("is deleted after a confirmation that says what follows", async () => {
    const { id } = await source("AHPRA_REGISTRATION")
    const { page } = await admin.opened(`${sources}/${id}`)
    await page.getByRole("button", { name: "Delete" }).click()
    const dialog = page.getByRole("dialog", { name: /^Delete the source of Health practitioner/ })
    await dialog.getByText("The default source of this service asks this register again.").waitFor()
    await dialog.getByRole("button", { name: "Delete" }).click()
    await page.waitForURL(`**/console${sources}`)
    assert.strictEqual((await admin.call("GET", `${sources}/${id}`)).status, 404)
  })

  it("shows a Viewer no actions, and the API refuses a change", async () => {
    const { id } = await source("RIGHT_TO_WORK")
    const viewer = await invited(service, "sources@example.org", "Viewer")
    const { page } = await viewer.opened(`${sources}/${id}`)
    await page.getByText("stored, never shown").waitFor()
    assert.strictEqual(await page.getByRole("button", { name: /Edit|Delete|Pause|secret|Test/ }).count(), 0)
    assert.strictEqual((await viewer.call("POST", `${sources}/${id}/pause`)).status, 403)
  })
})

it("R3: a card whose source has no secret leads to the source", async () => {
  const { id } = await source("WWCC_NSW", {})
  const worker = await admin.add("/workers", { identity: { displayName: "Sam Sourceless" } })
  const card = await admin.add("/credentials", credentialOf({ worker: worker.id }))
  await admin.call("POST", `/credentials/${card.id}/verify`, { forceRefresh: true })
  const { page } = await admin.opened(`/credentials/${card.id}`)
  await page.getByText("source not configured").first().waitFor()
  await page.getByRole("link", { name: "Show the source" }).click()
  await page.waitForURL(`**${sources}/${id}`)
  await page.getByText("Enter the secret that the gateway expects.").waitFor()
})

it.each(looks)("has no accessibility faults in $colorScheme colors at $width pixels", async (look) => {
  const { json } = await admin.call("GET", `${sources}?credentialType=WWCC_SA`)
  const [{ id }] = json.data
  const wizard = `${sources}/new?credentialType=WWCC_SA&source=${id}&step=`
  for (const path of [sources, `${sources}/${id}`, `${sources}/new`]) await assertAccessible(admin, path, look)
  for (const step of ["gateway", "test", "limits", "done"]) await assertAccessible(admin, wizard + step, look)
})
