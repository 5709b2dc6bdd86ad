/** What an officer does about registers: their letters, the details that they need, and the reasons of a failed check. */
import { readFileSync } from "node:fs"
import {
  administrator,
  assertAccessible,
  credentialOf,
  invited,
  looks,
  type Visitor
} from "@wcs/end-to-end/browser/Screens"
import { type Service, start } from "@wcs/end-to-end/browser/Service"
import type { Page } from "playwright-core"
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

const worker = async (displayName: string, more: object = {}): Promise<string> =>
  (await admin.add("/workers", { identity: { displayName }, ...more })).id

/** A credential that its register has verified. */
const verified = async (owner: string): Promise<string> => {
  const { id } = await admin.add("/credentials", credentialOf({ worker: owner }))
  await admin.call("POST", `/credentials/${id}/verify`, { forceRefresh: true })
  return id
}

/** A day this many days away from today, `YYYY-MM-DD`, in Sydney. */
const dayIn = (days: number): string =>
  new Intl.DateTimeFormat("en-CA", { timeZone: "Australia/Sydney" }).format(service.machine.now() + days * 86_400_000)

const detailOf = async (id: string) => (await admin.call("GET", `/credentials/${id}`)).json.data.attributes.statusDetail

const noticeOn = async (page: Page) => {
  await page.getByRole("button", { name: "Record a notice" }).click()
  return page.getByRole("dialog", { name: /^Record a notice about WWCC_NSW WWC1234567E/ })
}

describe("R14: a notice of a register", () => {
  it("is recorded by keyboard alone, and the history shows its day, its reference and who recorded it", async () => {
    const id = await verified(await worker("Nora Notice"))
    const { faults, page } = await admin.opened(`/credentials/${id}`)
    await page.getByRole("button", { name: "Record a notice" }).focus()
    await page.keyboard.press("Enter")
    const dialog = page.getByRole("dialog", { name: /^Record a notice/ })
    await dialog.getByLabel("Verdict").focus()
    await page.keyboard.type("interim")
    assert.strictEqual(await dialog.getByLabel("Verdict").inputValue(), "INTERIM_BARRED")
    await dialog.getByText("If it is a bar, the person's other cards are verified again.").waitFor()
    await dialog.getByLabel("Date of the notice").fill(dayIn(0))
    await dialog.getByLabel("Reference").focus()
    await page.keyboard.type("OCG 2026/0815")
    await page.keyboard.press("Enter")
    await dialog.waitFor({ state: "detached" })
    const entry = page.getByRole("listitem").filter({ hasText: "reference OCG 2026/0815" })
    await entry.getByText("interim barred").waitFor()
    await entry.getByText("you").waitFor()
    assert.strictEqual(await detailOf(id), "INTERIM_BARRED")
    assert.deepStrictEqual(faults, [])
  })

  it("of a day before the last verdict is told to change nothing", async () => {
    const id = await verified(await worker("Olaf Outdated"))
    const { page } = await admin.opened(`/credentials/${id}`)
    const dialog = await noticeOn(page)
    await dialog.getByLabel("Verdict").selectOption("BARRED")
    await dialog.getByLabel("Date of the notice").fill(dayIn(-2))
    await dialog.getByLabel("Reference").fill("old")
    await dialog.getByRole("button", { name: "Record" }).click()
    await dialog.getByText("“Date of the notice” is before the day of the last verdict").waitFor()
    await dialog.getByRole("button", { name: "Close" }).click()
    assert.strictEqual(await detailOf(id), "VALID")
  })

  it("is refused from the future, and Escape drops nothing that was typed", async () => {
    const id = await verified(await worker("Pia Patient"))
    const { page } = await admin.opened(`/credentials/${id}`)
    const dialog = await noticeOn(page)
    await dialog.getByLabel("Verdict").selectOption("BARRED")
    await dialog.getByLabel("Date of the notice").fill(dayIn(2))
    await dialog.getByLabel("Reference").fill("letter of Monday")
    await dialog.getByRole("button", { name: "Record" }).click()
    assert.isTrue(await dialog.getByLabel("Date of the notice").evaluate((field) => field.matches(":invalid")))
    await page.keyboard.press("Escape")
    await dialog.getByRole("alert").getByText("Your changes are not saved.").waitFor()
    assert.strictEqual(await dialog.getByLabel("Reference").inputValue(), "letter of Monday")
    await dialog.getByRole("button", { name: "Cancel" }).click()
    assert.strictEqual(await detailOf(id), "VALID")
  })
})

describe("a task", () => {
  it("leads an officer to the card, and is gone once the officer has decided", async () => {
    const id = await verified(await worker("Connie Condition"))
    const notice = { statusDetail: "CONDITIONAL", issuedOn: dayIn(0), reference: "letter" }
    await admin.call("POST", `/credentials/${id}/notices`, notice)
    const { faults, page } = await admin.opened("/tasks?reason=CONDITIONAL")
    const row = page.getByRole("row").filter({ hasText: "Connie Condition" })
    await row.waitFor()
    for (const look of looks) await assertAccessible(admin, "/tasks", look)
    await row.getByRole("button", { name: "Take" }).click()
    await row.getByRole("button", { name: "Return" }).waitFor()
    await row.getByRole("link", { name: "WWCC_NSW" }).click()
    await page.getByRole("button", { name: "Decide" }).click()
    const dialog = page.getByRole("dialog", { name: /^Decide about WWCC_NSW/ })
    await dialog.getByLabel("Decision").selectOption("MAY_ENGAGE")
    await dialog.getByLabel("Reason").fill("Works with Bo, as the condition says")
    await dialog.getByLabel("Last day").fill(dayIn(30))
    await dialog.getByRole("button", { name: "Decide" }).click()
    await page.getByText("Works with Bo, as the condition says").waitFor()
    await page.getByText("conditional", { exact: true }).first().waitFor()
    await page.goto(page.url().replace(/credentials\/.*$/, "tasks?reason=CONDITIONAL"))
    await page.getByText("Nothing matches.").waitFor()
    assert.deepStrictEqual(faults, [])
  })

  it("about a card of an applicant names the applicant", async () => {
    const { id } = await admin.add("/applicants", { emailAddress: "apply@example.org" })
    const attributes = { credentialType: "WWCC_NSW", identifier: "WWC1234567E", owners: { applicant: id } }
    await admin.add("/credentials", { attributes })
    const { faults, page } = await admin.opened("/tasks?reason=DETAILS_MISSING")
    const row = page.getByRole("row").filter({ hasText: "apply@example.org (applicant)" })
    await row.getByRole("link", { name: "apply@example.org" }).click()
    await page.getByRole("heading", { name: "apply@example.org" }).waitFor()
    assert.deepStrictEqual(faults, [])
  })
})

describe("R2: a credential without the details that its register needs", () => {
  it("names them, leads to the form, and is asked about once they are there", async () => {
    const owner = await worker("Dora Details")
    const attributes = { credentialType: "WWCC_NSW", identifier: "WWC1234567E", owners: { worker: owner } }
    const { id } = await admin.add("/credentials", { attributes })
    const { faults, page } = await admin.opened(`/credentials/${id}`)
    await page.getByText("details missing").first().waitFor()
    await page.getByText("Last name of the holder, Birth date of the holder").first().waitFor()
    await page.getByRole("button", { name: "Add the missing details" }).click()
    await page.getByLabel("Last name of the holder").fill("Example")
    await page.getByLabel("Birth date of the holder").fill("1990-04-01")
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByText("may engage").first().waitFor()
    assert.deepStrictEqual(faults, [])
  })

  it("tells a Viewer whom to ask", async () => {
    const attributes = { credentialType: "WWCC_NSW", identifier: "WWC1234567E", owners: { worker: await worker("Vi") } }
    const { id } = await admin.add("/credentials", { attributes })
    const viewer = await invited(service, "details@example.org", "Viewer")
    const { page } = await viewer.opened(`/credentials/${id}`)
    await page.getByText("Ask somebody who may change credentials").waitFor()
    assert.strictEqual(await page.getByRole("button", { name: "Add the missing details" }).count(), 0)
  })
})

/** An employee with a card for volunteers. */
const volunteer = async (name: string): Promise<void> => {
  const id = await worker(name, { employment: { workerType: "EMPLOYEE" } })
  const { attributes } = credentialOf({ worker: id })
  const card = await admin.add("/credentials", { attributes: { ...attributes, identifier: "WWC1234568V" } })
  await admin.call("POST", `/credentials/${card.id}/verify`, { forceRefresh: true })
}

/** Adds a possible ban to the matrix of the screen: only operators import bans. */
const addBans = (page: Page) =>
  page.route("**/compliance-matrix?*", async (route) => {
    if (route.request().headers()["accept"]?.startsWith("text/csv")) return route.continue()
    const { pathname, search } = new URL(route.request().url())
    const { json } = await admin.call("GET", pathname.replace("/openapi/v1", "") + search)
    const ban = { id: "urn:wcs:ban:ndis-bans:2026-0042", eligibility: "REVIEW_REQUIRED" }
    for (const row of json.data) for (const check of row.checks) check.bans.push(ban)
    await route.fulfill({ json })
  })

describe("R5, R15: a failed check of the matrix", () => {
  it("has its name, and the reason of each failure, also in the exported file", async () => {
    const requirement = { credentialTypes: ["WWCC_NSW", "WWCC_VIC"] }
    await admin.add("/compliance-checks", { code: "children", displayName: "Works with children", requirement })
    await volunteer("Rea Reasons")
    const { faults, page } = await admin.opened("/matrix")
    await addBans(page)
    await page.getByLabel("Name or your id").fill("rea")
    const row = page.getByRole("row", { name: /Rea Reasons/ })
    await page.getByRole("columnheader", { name: "Works with children" }).waitFor()
    await row.getByText("without WWCC_VIC", { exact: true }).waitFor()
    await row.getByText("WWCC_NSW for volunteers only, needs a review").waitFor()
    await row.getByText("Possibly banned in the register ndis-bans").waitFor()
    const download = page.waitForEvent("download")
    await page.getByRole("button", { name: "Export all as CSV" }).click()
    const text = readFileSync(await (await download).path(), "utf8")
    assert.match(text, /Rea Reasons,(.*,)?FAIL,WWCC_NSW WWCC_VIC,WWCC_NSW: VOLUNTEER_ONLY,WWCC_NSW: VOLUNTEER_ONLY,/)
    assert.deepStrictEqual(faults, [])
  })
})

it.each(looks)("has no accessibility faults in $colorScheme colors at $width pixels", async (look) => {
  await volunteer("Acacia Example")
  const attributes = { credentialType: "WWCC_NSW", identifier: "WWC1234567E", owners: { worker: await worker("Al") } }
  const { id } = await admin.add("/credentials", { attributes })
  for (const path of ["/matrix?query=acacia", `/credentials/${id}`]) await assertAccessible(admin, path, look)
})
