import { readFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import {
  accessibilityFaults,
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

/** A receiver that answers every delivery with its current status. */
interface Receiver {
  status: number
  readonly url: string
  readonly server: Server
}

const openReceiver = async (): Promise<Receiver> => {
  const receiver = { status: 204, url: "" }
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(receiver.status).end(receiver.status === 204 ? undefined : "=broken")
  })
  return Object.assign(receiver, { server, url: `http://127.0.0.1:${await listen(server)}/hook` })
}

let service: Service
let admin: Visitor
let receiver: Receiver

beforeAll(async () => {
  service = await start()
  admin = await administrator(service)
  receiver = await openReceiver()
})
afterAll(async () => {
  receiver.server.close()
  await service.end()
})

let count = 0

const webhook = (name = `Webhook ${++count}`) =>
  admin.add("/webhooks", { name, url: receiver.url, events: ["credential.created"] })

describe("webhooks", () => {
  it("adds one, shows its secret once, and sends a test event", async () => {
    receiver.status = 204
    const { faults, page } = await admin.opened("/webhooks/new")
    await page.getByLabel("Name").fill("Payroll")
    await page.getByLabel("Address").fill(receiver.url)
    await page.getByLabel(/^credential\.created/).check()
    await page.getByRole("button", { name: "Add", exact: true }).click()
    const dialog = page.getByRole("dialog", { name: "Signing secret of Payroll" })
    const secret = (await dialog.locator("code").textContent()) ?? ""
    assert.match(secret, /^whsec_/)
    await dialog.getByRole("button", { name: "I have stored it" }).click()
    await page.getByRole("heading", { level: 1, name: "Payroll" }).waitFor()
    assert.notInclude(await page.content(), secret)
    await page.getByRole("button", { name: "Send a test event" }).click()
    await page.getByText(/The receiver took the test event in \d+ ms/).waitFor()
    assert.deepStrictEqual(faults, [])
  })

  it("finds the failing one, shows its attempts, and sends again when it has recovered", async () => {
    receiver.status = 500
    const { id } = await webhook("Broken receiver")
    const { id: worker } = await admin.add("/workers", { identity: { displayName: "Ann Example" } })
    await admin.add("/credentials", credentialOf({ worker }))
    const { page } = await admin.opened("")
    await page.getByRole("link", { name: "Active webhooks that fail" }).click()
    await page.waitForURL("**failing=true")
    await page.getByRole("cell", { name: "status 500" }).first().waitFor()
    await page.getByLabel("Only failing ones").uncheck()
    const failing = page.getByRole("table", { name: "Webhooks that fail" })
    await failing.getByRole("link", { name: "Broken receiver" }).click()
    await page.getByText(/failed 1 time$/).waitFor()
    await page.getByLabel("State").selectOption("FAILED_RETRYABLE")
    await page.waitForURL("**state=FAILED_RETRYABLE")
    await page.getByRole("button", { name: "Show the delivery of credential.created" }).click()
    const delivery = page.getByRole("dialog", { name: "Delivery of credential.created" })
    await delivery.getByText("status 500").waitFor()
    await delivery.getByText("Headers and answer of attempt 1").click()
    await delivery.getByText("=broken").waitFor()
    await delivery.getByText(/^webhook-signature: v1,.{8}…$/m).waitFor()
    await delivery.getByText(/^connection: keep-alive$/m).waitFor()
    assert.deepStrictEqual(await accessibilityFaults(page), [])
    await delivery.getByText(/"correlationId"/).waitFor()
    await delivery.getByRole("button", { name: "Close" }).click()
    receiver.status = 204
    await page.getByRole("button", { name: "Send deliveries again" }).click()
    const redrive = page.getByRole("dialog", { name: "Send deliveries again" })
    await redrive.getByLabel("Deliveries", { exact: true }).selectOption("FAILED_RETRYABLE")
    await redrive.getByText("1 delivery matches.").waitFor()
    await redrive.getByRole("button", { name: "Send again" }).click()
    await redrive.getByText("1 are sent again.").waitFor()
    await redrive.getByRole("button", { name: "Close" }).click()
    await page.getByLabel("State").selectOption("DELIVERED")
    await page.getByRole("cell", { name: "delivered" }).waitFor()
    const { json } = await admin.call("GET", `/webhooks/${id}`)
    assert.strictEqual(json.data.delivery.consecutiveFailures, 0)
  })

  it("finds one record's deliveries over all webhooks, and exports what the filters find", async () => {
    receiver.status = 204
    const [one, two] = [await webhook("First of two"), await webhook("Second of two")]
    const { id: worker } = await admin.add("/workers", { identity: { displayName: "Ann Example" } })
    const { id } = await admin.add("/credentials", credentialOf({ worker }))
    const { faults, page } = await admin.opened("/deliveries")
    await page.getByLabel("Kind of event").selectOption("credential.created")
    await page.getByLabel("Id of the record").fill(id)
    await page.waitForURL(`**subjectId=${id}`)
    for (const name of ["First of two", "Second of two"]) await page.getByRole("link", { name }).waitFor()
    const shown = page.getByRole("row").filter({ hasText: "First of two" })
    assert.strictEqual(await shown.getByRole("link", { name: id }).getAttribute("href"), `/console/credentials/${id}`)
    const download = page.waitForEvent("download")
    await page.getByRole("button", { name: "Export all as CSV" }).click()
    const text = readFileSync(await (await download).path(), "utf8")
    for (const webhookId of [one.id, two.id]) assert.include(text, `,${webhookId},credential.created,`)
    await page.getByLabel("State").selectOption("EXHAUSTED")
    await page.getByText("Nothing matches.").waitFor()
    assert.deepStrictEqual(faults, [])
  })

  it("sends all that was given up again, over all webhooks, and says which were refused", async () => {
    receiver.status = 410
    const [gone, other] = [await webhook("Gone for a while"), await webhook("Gone for ever")]
    const { id: worker } = await admin.add("/workers", { identity: { displayName: "Ann Example" } })
    await admin.add("/credentials", credentialOf({ worker }))
    const { faults, page } = await admin.opened("/given-up")
    for (const name of ["Gone for a while", "Gone for ever"]) {
      await page.getByRole("link", { name }).first().waitFor({ timeout: 20_000 })
    }
    await page.goto(`${service.origin}/console/webhooks/${gone.id}`)
    receiver.status = 204
    await page.getByRole("button", { name: "Enable" }).click()
    await page.getByRole("button", { name: "Disable" }).waitFor()
    await page.goto(`${service.origin}/console/given-up`)
    await page.getByRole("button", { name: "Send all of these again" }).click()
    await page.getByText(/^1 sent again, [1-9]\d* refused\.$/).waitFor()
    await page
      .getByRole("cell", { name: /Enable the webhook first/ })
      .first()
      .waitFor()
    await admin.call("DELETE", `/webhooks/${other.id}`)
    assert.deepStrictEqual(faults, [])
  })

  it("shows on one page what waits, what fails and which secrets grow old", async () => {
    await webhook("With a secret")
    const { faults, page } = await admin.opened("/operation")
    await page.getByRole("row", { name: /deliveries/ }).waitFor()
    await page.getByRole("row").filter({ hasText: "With a secret" }).getByText("ok", { exact: true }).waitFor()
    await page.getByText("Version of the server").waitFor()
    await page.getByRole("heading", { name: "Scheduled verifications" }).waitFor()
    assert.deepStrictEqual(faults, [])
    const viewer = await invited(service, "operating@example.org", "Viewer")
    const { page: limited } = await viewer.opened("/operation")
    await limited.getByText(/^Left out, because you may not read them:/).waitFor()
  })

  it("rotates the secret, and shows how long both secrets sign", async () => {
    const { id } = await webhook()
    const { page } = await admin.opened(`/webhooks/${id}`)
    await page.getByRole("button", { name: "Rotate the secret" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click()
    await page.getByText(/Both secrets sign until/).waitFor()
    await page.getByRole("button", { name: "I have stored it" }).click()
    await page.getByText("Old secret signs until").waitFor()
  })

  it("edits, disables, enables and deletes", async () => {
    const { id } = await webhook("Short-lived")
    const { page } = await admin.opened(`/webhooks/${id}`)
    await page.getByRole("button", { name: "Edit" }).click()
    await page.getByLabel("Name").fill("Renamed")
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: "Renamed" }).waitFor()
    await page.getByRole("button", { name: "Disable" }).click()
    await page.getByRole("button", { name: "Enable" }).click()
    await page.getByRole("button", { name: "Disable" }).waitFor()
    await page.getByRole("button", { name: "Delete" }).click()
    await page.getByRole("dialog", { name: "Delete Renamed?" }).getByRole("button", { name: "Delete" }).click()
    await page.waitForURL("**/console/webhooks")
    assert.strictEqual((await admin.call("GET", `/webhooks/${id}`)).status, 404)
  })

  it("shows why an address is refused", async () => {
    const { page } = await admin.opened("/webhooks/new")
    await page.getByLabel("Name").fill("Inside")
    await page.getByLabel("Address").fill("http://10.0.0.1/hook")
    await page.getByLabel(/^credential\.created/).check()
    await page.getByRole("button", { name: "Add", exact: true }).click()
    await page.getByRole("alert").getByText("“Address”").waitFor()
  })

  it("shows a Viewer no actions, and the API refuses a change", async () => {
    const { id } = await webhook()
    const viewer = await invited(service, "reading@example.org", "Viewer")
    const { page } = await viewer.opened(`/webhooks/${id}`)
    await page.getByRole("heading", { name: "Deliveries" }).waitFor()
    assert.strictEqual(await page.getByRole("button", { name: /Edit|Delete|Rotate|test event/ }).count(), 0)
    assert.strictEqual((await viewer.call("POST", `/webhooks/${id}/ping`)).status, 403)
  })
})

describe("the audit log", () => {
  it("shows times and selects days in the organization's time zone, not in the browser's", async () => {
    const { page } = await admin.opened("/audit")
    const session = await page.context().newCDPSession(page)
    await session.send("Emulation.setTimezoneOverride", { timezoneId: "Pacific/Pago_Pago" })
    await page.reload()
    const time = page.locator("td time").first()
    const options = "{ dateStyle: 'medium', timeStyle: 'medium', timeZone: 'Australia/Sydney' }"
    const moment = `new Date("${await time.getAttribute("datetime")}")`
    const inSydney = await page.evaluate(`new Intl.DateTimeFormat(undefined, ${options}).format(${moment})`)
    assert.strictEqual(await time.textContent(), inSydney)
    const asked = page.waitForRequest(/audit-events\?.*from=/)
    await page.getByLabel("From").fill("2026-01-02")
    assert.strictEqual(new URL((await asked).url()).searchParams.get("from"), "2026-01-01T13:00:00.000Z")
  })

  it("finds the changes of a request, and exports all that its filters find", async () => {
    const { id } = await admin.add("/workers", { identity: { displayName: "=1+1" } })
    const { faults, page } = await admin.opened(`/audit?entityId=${id}`)
    const row = page.getByRole("row").filter({ hasText: id })
    await row.getByText("create").waitFor()
    const requestId = (await row.locator("code").last().textContent()) ?? ""
    await page.getByRole("searchbox", { name: "Request id" }).fill(requestId)
    await page.waitForURL(`**requestId=${requestId}`)
    const actor = row.getByRole("link").first()
    assert.notMatch((await actor.textContent()) ?? "", /acc_|urn:/)
    await page.getByLabel("Kind of record").selectOption("credential")
    await page.getByText("Nothing matches.").waitFor()
    await page.getByLabel("Kind of record").selectOption("worker")
    await actor.click()
    await page.waitForURL(/audit\?account=urn%3Awcs%3Aaccount%3Aacc_/)
    await page.goto(`${page.url()}&entityId=${id}&requestId=${requestId}`)
    await page.getByLabel("Person").getByText("the chosen person").waitFor({ state: "attached" })
    await row.getByText("create").waitFor()
    const download = page.waitForEvent("download")
    await page.getByRole("button", { name: "Export all as CSV" }).click()
    const text = readFileSync(await (await download).path(), "utf8")
    assert.include(text, `${id},,${requestId},`)
    await page.getByLabel("Action").fill("no such action")
    await page.getByText("Nothing matches.").waitFor()
    assert.deepStrictEqual(faults, [])
  })

  it("shows what an entry changed, by labels, and exports it; a record links to its entries", async () => {
    const { id } = await admin.add("/workers", { identity: { displayName: "Bea Before" } })
    await admin.call("PATCH", `/workers/${id}`, { identity: { displayName: "Ann After" } })
    const { faults, page } = await admin.opened(`/workers/${id}`)
    await page.getByRole("link", { name: "Changes" }).click()
    await page.waitForURL(`**/audit?entityId=${id}`)
    const row = page.getByRole("row").filter({ hasText: "update" })
    await row.getByText("Display name").first().click()
    await row.getByText("Bea Before → Ann After").waitFor()
    for (const look of looks) await assertAccessible(admin, `/audit?entityId=${id}`, look)
    const saved = async () => {
      const download = page.waitForEvent("download")
      await page.getByRole("button", { name: "Export all as CSV" }).click()
      return readFileSync(await (await download).path(), "utf8")
    }
    assert.notInclude(await saved(), "Bea Before")
    await page.getByLabel(/^Files with what changed/).check()
    assert.include(await saved(), 'identity.displayName: ""Bea Before"" → ""Ann After""')
    assert.deepStrictEqual(faults, [])
  })

  it("drops a filter that is cleared just before another one changes", async () => {
    const { id } = await admin.add("/workers", { identity: { displayName: "Filtered Example" } })
    const { page } = await admin.opened("/audit?requestId=none")
    await page.getByText("Nothing matches.").waitFor()
    await page.getByLabel("Request id", { exact: true }).fill("")
    await page.getByLabel("Id of the record").fill(id)
    await page.waitForURL((url) => url.search === `?entityId=${id}`)
    await page.getByRole("row").filter({ hasText: id }).waitFor()
  })

  it("is hidden from an Admin, who lacks the privilege", async () => {
    const person = await invited(service, "no-audit@example.org", "Admin")
    const { page } = await person.opened("")
    await page.getByRole("link", { name: "Webhooks", exact: true }).waitFor()
    assert.strictEqual(await page.getByRole("link", { name: "Audit log" }).count(), 0)
    assert.strictEqual((await person.call("GET", "/audit-events")).status, 403)
  })
})

it.each(looks)("has no accessibility faults in $colorScheme colors at $width pixels", async (look) => {
  const { id } = await webhook()
  await admin.call("POST", `/webhooks/${id}/ping`)
  for (const path of [
    "/webhooks",
    "/deliveries",
    "/given-up",
    "/operation",
    "/webhooks/new",
    `/webhooks/${id}`,
    "/audit"
  ]) {
    await assertAccessible(admin, path, look)
  }
})
