import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { administrator, assertAccessible, invited, looks, type Visitor } from "@wcs/end-to-end/browser/Screens"
import { type Service, start } from "@wcs/end-to-end/browser/Service"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { run } from "../audit/Places.ts"
import type { Environment } from "../Process.ts"

let service: Service
let admin: Visitor

beforeAll(async () => {
  service = await start()
  admin = await administrator(service)
})
afterAll(async () => {
  await service.end()
})

const workerOf = (displayName: string, externalId?: string) =>
  admin.add("/workers", { identity: { displayName }, ...(externalId === undefined ? {} : { source: { externalId } }) })

/** Presses a button that downloads a file, and returns its text. */
const exported = async (page: Page, button: string) => {
  const download = page.waitForEvent("download")
  await page.getByRole("button", { name: button }).click()
  return readFileSync(await (await download).path(), "utf8")
}

const rowOf = (page: Page, name: RegExp) => page.getByRole("row", { name: new RegExp(name.source, "i") })

describe("exemptions", () => {
  it("adds one on the person's screen, filters, exports with a heading, and ends it", async () => {
    const { id } = await workerOf("Exa Exempt")
    const { faults, page } = await admin.opened(`/workers/${id}`)
    await page.getByRole("button", { name: "Add an exemption" }).click()
    const dialog = page.getByRole("dialog", { name: "Add an exemption for Exa Exempt" })
    await dialog.getByLabel("Exemption", { exact: true }).fill("Parent volunteer")
    await dialog.getByLabel("First Aid").check()
    await dialog.getByRole("button", { name: "Add" }).click()
    await page.getByText("Parent volunteer").waitFor()
    await page.getByText("in force").waitFor()

    await page.getByRole("link", { name: "Exemptions" }).click()
    await rowOf(page, /Parent volunteer.*Exa Exempt.*in force/).waitFor()
    await page.getByLabel("Exemption, in full").fill("Parent")
    await page.getByText("Nothing matches.").waitFor()
    await page.getByLabel("Exemption, in full").fill("Parent volunteer")
    await page.waitForURL("**/exemptions?exemptionType=Parent+volunteer")
    await rowOf(page, /Parent volunteer/).waitFor()
    const file = await exported(page, "Export all as CSV")
    assert.match(
      file,
      /^\uFEFF"List","Exemptions"\r\n"Organization",".*"\r\n"Made by","admin@example.org"\r\n"Made on",/
    )
    assert.match(file, /"Filter","exemptionType: Parent volunteer"/)
    assert.match(file, /\r\n\r\nid,exemptionType,.*\r\nexm_.*,Parent volunteer,wkr_.*,Exa Exempt,/)

    await page.getByRole("button", { name: "End: Parent volunteer of Exa Exempt" }).click()
    await page.getByRole("dialog").getByLabel("Last day").fill("2026-01-31")
    await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click()
    await rowOf(page, /Parent volunteer.*ended/).waitFor()
    await page.getByRole("button", { name: "Delete: Parent volunteer of Exa Exempt" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await page.getByText("Nothing matches.").waitFor()
    assert.deepStrictEqual(faults, [])
  })
})

describe("compliance checks", () => {
  it("adds, disables and deletes one, and names its credentials", async () => {
    const { faults, page } = await admin.opened("/compliance-checks")
    await page.getByRole("button", { name: "Add a compliance check" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Code").fill("first-aid")
    await dialog.getByLabel("Display name").fill("First aid for all")
    await dialog.getByLabel("First Aid").check()
    await dialog.getByLabel("Severity").selectOption("CRITICAL")
    await dialog.getByRole("button", { name: "Add" }).click()
    await rowOf(page, /First aid for all.*First Aid.*critical.*enabled/).waitFor()
    await page.getByRole("button", { name: "Edit: First aid for all" }).click()
    await page.getByRole("dialog").getByLabel("Enabled").selectOption("false")
    await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click()
    await rowOf(page, /First aid for all.*disabled/).waitFor()
    const { json } = await admin.call("GET", "/compliance-checks/first-aid")
    assert.deepInclude(json.data, { severity: "CRITICAL", enabled: false })
    assert.deepStrictEqual(json.data.requirement.credentialTypes, ["FIRST_AID"])
    await page.getByRole("button", { name: "Delete: First aid for all" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await page.getByText("There are no compliance checks.").waitFor()
    await page.getByLabel("Show deleted").check()
    await rowOf(page, /First aid for all.*deleted/).waitFor()
    assert.deepStrictEqual(faults, [])
  })
})

describe("screening packages and recruitment checks", () => {
  it("asks an applicant for a package, records the message and a reminder, and withdraws it", async () => {
    await admin.add("/applicants", { displayName: "Rika Recruit", emailAddress: "rika@example.org" })
    const { faults, page } = await admin.opened("/screening-packages")
    await page.getByRole("button", { name: "Add a screening package" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Code").fill("carer")
    await dialog.getByLabel("Name", { exact: true }).fill("Carer")
    await dialog.getByLabel("First Aid").check()
    await dialog.getByLabel("Exemptions").fill("Medical\nParent volunteer")
    await dialog.getByRole("button", { name: "Add" }).click()
    await rowOf(page, /Carer.*carer.*First Aid.*Medical, Parent volunteer.*active/).waitFor()

    await page.getByRole("link", { name: "Recruitment checks" }).click()
    await page.getByRole("button", { name: "Add a recruitment check" }).click()
    await dialog.getByLabel("Name or your id").fill("rika")
    await dialog.getByLabel("Rika Recruit").check()
    await dialog.getByLabel("Package").selectOption("carer")
    await dialog.getByLabel("Days to answer").fill("7")
    await dialog.getByRole("button", { name: "Add" }).click()
    await rowOf(page, /Rika Recruit.*Carer.*initiated/).waitFor()
    for (const [button, status] of [
      ["Record as sent", "sent"],
      ["Record a reminder", "sent"],
      ["Withdraw", "cancelled"]
    ] as const) {
      await page.getByRole("button", { name: `${button}: the request to Rika Recruit` }).click()
      await dialog.getByRole("button", { name: button }).click()
      await rowOf(page, new RegExp(`Rika Recruit.*${status}`)).waitFor()
      await dialog.waitFor({ state: "hidden" })
    }
    assert.strictEqual(await page.getByRole("button", { name: /^Withdraw/ }).count(), 0)
    assert.deepStrictEqual(faults, [])
  })
})

describe("fetch requests", () => {
  it("asks one worker, many by their ids, and reminds those who did not answer", async () => {
    await workerOf("Fay Fetch", "fetch-1")
    await workerOf("Finn Fetch", "fetch-2")
    const { faults, page } = await admin.opened("/fetch-requests")
    await page.getByRole("link", { name: "Ask many" }).click()
    await page.getByLabel("Your ids").fill("fetch-1\nfetch-2\nfetch-unknown\nfetch-1")
    await page.getByLabel("First Aid").check()
    await page.getByRole("button", { name: "Ask" }).dblclick()
    await page.getByText("2 asked, 1 refused.").waitFor()
    await rowOf(page, /fetch-unknown/).waitFor()
    assert.isTrue(await page.getByLabel("Your ids").isDisabled())
    await page.getByRole("link", { name: "All fetch requests" }).click()
    await rowOf(page, /Fay Fetch.*First Aid.*initiated/).waitFor()
    await page.getByRole("button", { name: "Record as sent: the request to Fay Fetch" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Record as sent" }).click()
    await page.getByLabel("Status").selectOption("SENT")
    await rowOf(page, /Finn Fetch/).waitFor({ state: "detached" })
    await page.getByRole("link", { name: "Remind many" }).click()
    await page.getByText("1 request", { exact: true }).waitFor()
    await page.getByRole("button", { name: "Record the reminders" }).click()
    await page.getByText("1 reminded, 0 refused.").waitFor()
    const { json } = await admin.call("GET", "/fetch-requests?status=SENT")
    assert.isString(json.data[0].remindedAt)
    assert.deepStrictEqual(faults, [])
  })

  it("asks all who fail a check", async () => {
    const requirement = { credentialTypes: ["WWCC_SA"] }
    await admin.add("/compliance-checks", { code: "south", displayName: "South", requirement })
    const { id } = await workerOf("Sia South")
    const { page } = await admin.opened("/fetch-requests/many")
    await page.getByLabel("Workers", { exact: true }).selectOption("check")
    await page.getByLabel("Check", { exact: true }).selectOption("South")
    await page.getByLabel("First Aid").check()
    await page.getByRole("button", { name: "Ask" }).click()
    await page.getByText(/^\d+ asked, 0 refused\.$/).waitFor()
    const { json } = await admin.call("GET", `/fetch-requests?workerId=${id}`)
    assert.lengthOf(json.data, 1)
    await admin.call("DELETE", "/compliance-checks/south")
  })
})

it("shows bans and scans, and only the actions that a viewer has", async () => {
  const { faults, page } = await admin.opened("/bans")
  await page.getByText("No register has a record about a worker.").waitFor()
  await page.getByRole("link", { name: "Scans" }).click()
  await page.getByText("No card was scanned.").waitFor()
  assert.include(await exported(page, "Export all to print"), "<h1>Scans</h1>")
  await workerOf("Vera Viewed", "viewed-1")
  await admin.add("/exemptions", { exemptionType: "Seen", worker: { externalId: "viewed-1" } })
  const viewer = await invited(service, "screening-viewer@example.org", "Viewer")
  const seen = await viewer.opened("/exemptions")
  await rowOf(seen.page, /Seen.*Vera Viewed/).waitFor()
  assert.strictEqual(await seen.page.getByRole("button", { name: /^(Add|Edit|End|Delete)/ }).count(), 0)
  assert.deepStrictEqual(faults, [])
})

/** Imports a ban as an operator does. Registers are their only source. */
const importBan = async (ban: Readonly<Record<string, unknown>>) => {
  const file = join(mkdtempSync(join(tmpdir(), "wcs-bans-")), "bans.jsonl")
  writeFileSync(file, JSON.stringify(ban))
  const place = { environment: service.environment as Environment, sql: () => Effect.succeed([]) }
  const { message, result } = await Effect.runPromise(run(place, "admin", "import-bans", file))
  assert.strictEqual(result["created"], 1, message)
}

it("decides about a possible ban, and says what was decided", async () => {
  const { id } = await workerOf("Bea Ban")
  const matches = [{ name: "Beatrice Ban", reference: "2026-0042" }]
  const found = { eligibility: "REVIEW_REQUIRED", checkedAt: "2026-01-31T09:30:00Z", matches }
  await importBan({ register: "ndis", key: "1", worker: { id }, ...found })
  const { faults, page } = await admin.opened("/bans")
  await rowOf(page, /ndis.*possible match.*Beatrice Ban, 2026-0042/).waitFor()
  await page.getByRole("button", { name: /^Decide about the possible match/ }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel("Decision").selectOption("it is about another person")
  await dialog.getByLabel("Reason").fill("Another birth date")
  await dialog.getByLabel("Last day").fill((await dialog.getByLabel("Last day").getAttribute("max")) ?? "")
  await dialog.getByRole("button", { name: "Decide" }).click()
  await page.getByText(/Decided: it is about another person, until .*Another birth date/).waitFor()
  assert.deepStrictEqual(faults, [])
})

it.each(looks)("has no accessibility faults in $colorScheme colors at $width pixels", async (look) => {
  const screens = [
    ...["/exemptions", "/compliance-checks?includeDeleted=true", "/screening-packages", "/recruitment-checks"],
    ...["/fetch-requests", "/fetch-requests/many", "/fetch-requests/reminders", "/bans", "/scans"]
  ]
  for (const path of screens) await assertAccessible(admin, path, look)
})
