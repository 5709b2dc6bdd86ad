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

const markup = `<img src=x onerror="document.title='run'"><b>Ann</b>`

describe("workers", () => {
  it("lists, searches and adds, and keeps the search in the address", async () => {
    await admin.add("/workers", { identity: { displayName: "Ann Example" }, employment: { jobTitle: "Nurse" } })
    await admin.add("/workers", { identity: { displayName: "Bo Example" } })
    const { faults, page } = await admin.opened("/workers")
    await page.getByRole("link", { name: "Ann Example" }).waitFor()
    await page.keyboard.press("/")
    await page.keyboard.type("bo")
    await page.waitForURL("**/console/workers?query=bo")
    await page.getByRole("link", { name: "Bo Example" }).waitFor()
    await page.getByRole("link", { name: "Ann Example" }).waitFor({ state: "detached" })
    await page.getByRole("link", { name: "Add a worker" }).click()
    await page.getByLabel("Display name").fill("Cy Example")
    await page.getByRole("button", { name: "Add", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: "Cy Example" }).waitFor()
    assert.deepStrictEqual(faults, [])
  })

  it("warns of a worker with the same id, and leads to both", async () => {
    const source = { externalId: "twin-1" }
    const { id } = await admin.add("/workers", { identity: { displayName: "Tia Twin" }, source })
    const { faults, page } = await admin.opened("/workers/new")
    await page.getByLabel("Display name").fill("Tia T. Twin")
    await page.getByLabel("Your id").fill("twin-1")
    await page.getByRole("button", { name: "Add", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: "Tia T. Twin is added" }).waitFor()
    const other = page.getByRole("link", { name: "another worker" })
    assert.strictEqual(await other.getAttribute("href"), `/console/workers/${id}`)
    await page.getByRole("link", { name: "Continue with the new one" }).click()
    await page.getByRole("heading", { level: 1, name: "Tia T. Twin", exact: true }).waitFor()
    assert.deepStrictEqual(faults, [])
  })

  it("edits a worker, and deletes one after a confirmation", async () => {
    const { id } = await admin.add("/workers", { identity: { displayName: "Di Example" } })
    const { page } = await admin.opened(`/workers/${id}`)
    await page.getByRole("button", { name: "Edit" }).click()
    await page.getByLabel("Job title").fill("Teacher")
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByText("Teacher").waitFor()
    await page.getByRole("button", { name: "Delete" }).click()
    const dialog = page.getByRole("dialog", { name: "Delete Di Example?" })
    await dialog.getByRole("button", { name: "Delete" }).click()
    await page.getByText("Deleted on").waitFor()
    assert.strictEqual((await admin.call("GET", `/workers/${id}`)).status, 404)
  })

  it("erases a worker after a confirmation, and offers no restore", async () => {
    const { id } = await admin.add("/workers", { identity: { displayName: "Ez Example" } })
    const { page } = await admin.opened(`/workers/${id}`)
    await page.getByRole("button", { name: "Erase" }).click()
    const dialog = page.getByRole("dialog", { name: "Erase Ez Example for ever?" })
    await dialog.getByLabel("Reason").selectOption("RETENTION_ENDED")
    await dialog.getByRole("button", { name: "Erase for ever" }).click()
    await page.getByText("Nothing can restore it").waitFor()
    await dialog.waitFor({ state: "hidden" })
    await page.getByRole("button", { name: /Restore|Erase/ }).waitFor({ state: "detached" })
    assert.strictEqual((await admin.call("POST", `/workers/${id}/restore`)).status, 404)
    await page.getByRole("link", { name: "Erasures" }).click()
    const row = page.getByRole("row").filter({ has: page.getByRole("link", { name: id }) })
    await row.getByText("The record is not needed any more").waitFor()
  })

  it("shows the credentials of a worker, with slots", async () => {
    const { id } = await admin.add("/workers", { identity: { displayName: "Ed Example" } })
    await admin.add("/credentials", credentialOf({ worker: id }))
    const { page } = await admin.opened(`/workers/${id}`)
    const card = page.getByRole("listitem").filter({ hasText: "WWC1234567E" })
    await card.getByText("no applicant").waitFor()
  })

  it("says that the worker does not exist, with the request id", async () => {
    const { page } = await admin.opened("/workers/wkr_0000000000000000")
    const alert = page.getByRole("alert")
    await alert.getByText("Request").waitFor()
    await alert.getByRole("button", { name: "Copy the request id" }).waitFor()
  })

  it("shows stored markup as text", async () => {
    await admin.add("/workers", { identity: { displayName: markup } })
    const { faults, page } = await admin.opened("/workers")
    await page.getByText(markup).first().waitFor()
    assert.strictEqual(await page.locator("td b, td img").count(), 0)
    assert.deepStrictEqual(faults, [])
  })
})

describe("applicants", () => {
  it("hires an applicant in one step: all credentials move to a new worker", async () => {
    const { id } = await admin.add("/applicants", { displayName: "Flo Example", emailAddress: "flo@example.org" })
    await admin.add("/credentials", credentialOf({ applicant: id }))
    const { faults, page } = await admin.opened(`/applicants/${id}`)
    await page.getByRole("button", { name: "Hire" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Hire" }).click()
    await page.waitForURL("**/console/workers/*")
    await page.getByRole("heading", { level: 1, name: "Flo Example" }).waitFor()
    await page.getByText("WWC1234567E").waitFor()
    const { json } = await admin.call("GET", `/applicants/${id}`)
    assert.strictEqual(json.data.status, "HIRED")
    assert.deepStrictEqual(faults, [])
  })

  it("hires into an existing worker", async () => {
    const { id } = await admin.add("/applicants", { displayName: "Gil Example", emailAddress: "gil@example.org" })
    const worker = await admin.add("/workers", { identity: { displayName: "Gilbert Example" } })
    const { page } = await admin.opened(`/applicants/${id}`)
    await page.getByRole("button", { name: "Hire" }).click()
    await page.getByLabel("Worker").selectOption("existing")
    await page.getByLabel("Name or your id").fill("gilb")
    await page.getByLabel("Gilbert Example").check()
    await page.getByRole("dialog").getByRole("button", { name: "Hire" }).click()
    await page.waitForURL(`**/console/workers/${worker.id}`)
  })

  it("adds an applicant, and filters by status", async () => {
    const { page } = await admin.opened("/applicants/new")
    await page.getByLabel("Display name").fill("Hal Example")
    await page.getByLabel("Email").fill("hal@example.org")
    await page.getByRole("button", { name: "Add", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: "Hal Example" }).waitFor()
    await page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name: "Applicants" }).click()
    await page.getByLabel("Status").selectOption("WITHDRAWN")
    await page.getByText("Nothing matches.").waitFor()
    await page.goBack()
    await page.getByRole("link", { name: "Hal Example" }).waitFor()
  })
})

describe("the compliance matrix", () => {
  it("shows who passes, and which types are missing, and the list of workers filters by it", async () => {
    const check = { displayName: "Children", requirement: { credentialTypes: ["WWCC_NSW"] } }
    await admin.add("/compliance-checks", { code: "children", ...check })
    const { id } = await admin.add("/workers", { identity: { displayName: "Max Example" } })
    const { faults, page } = await admin.opened("/matrix?query=max")
    const row = page.getByRole("row", { name: /Max Example/ })
    await row.getByText("without WWCC_NSW").waitFor()
    const verified = page.waitForResponse((response) => response.url().includes("/compliance-matrix"))
    await admin.add("/credentials", credentialOf({ worker: id }))
    await page.reload()
    await verified
    const download = page.waitForEvent("download")
    await page.getByRole("button", { name: "Export all as CSV" }).click()
    assert.include(readFileSync(await (await download).path(), "utf8"), ",Max Example,PASS,")
    const list = await admin.opened("/workers")
    const max = list.page.getByRole("link", { name: "Max Example" })
    await list.page.getByLabel("Show", { exact: true }).selectOption("FAIL")
    await max.waitFor({ state: "detached" })
    await list.page.getByLabel("Show", { exact: true }).selectOption("PASS")
    await list.page.getByRole("row", { name: /Max Example.*may work/ }).waitFor()
    assert.deepStrictEqual([...faults, ...list.faults], [])
  })
})

it("shows and exports the matrix as of a day, and leads to the evidence of each worker", async () => {
  const { id } = await admin.add("/workers", { identity: { displayName: "Tom Then" } })
  const requirement = { credentialTypes: ["WWCC_NSW"] }
  await admin.add("/compliance-checks", { code: "any-day", displayName: "Any day", requirement })
  const { faults, page } = await admin.opened("/matrix?query=nobody")
  const field = page.getByLabel("As of the end of a day")
  const today = (await field.getAttribute("max")) ?? ""
  await field.fill(today)
  await page.getByRole("link", { name: "Tom Then" }).waitFor()
  assert.strictEqual(await page.getByLabel("Name or your id").count(), 0)
  const download = page.waitForEvent("download")
  await page.getByRole("button", { name: "Export all as CSV" }).click()
  assert.include(readFileSync(await (await download).path(), "utf8"), "Tom Then")
  await page.getByRole("link", { name: "Tom Then" }).click()
  await page.waitForURL(`**/workers/${id}/as-of?day=${today}`)
  await page.getByRole("heading", { level: 1, name: "Tom Then on a day" }).waitFor()
  assert.deepStrictEqual(faults, [])
})

it("shows and prints what was known of a worker on a day, with checks, cards and their verifications", async () => {
  const { id } = await admin.add("/workers", { identity: { displayName: "Thea Then" } })
  const requirement = { credentialTypes: ["WWCC_NSW"] }
  await admin.add("/compliance-checks", { code: "then", displayName: "Cleared for children", requirement })
  await admin.add("/credentials", credentialOf({ worker: id }, "WWC1234502E"))
  const { faults, page } = await admin.opened(`/workers/${id}`)
  await page.getByRole("link", { name: "On a day, proof" }).click()
  await page.getByRole("heading", { level: 2, name: "WWCC_NSW WWC1234502E" }).waitFor()
  await page.getByRole("term").filter({ hasText: "Cleared for children" }).waitFor()
  await page.getByRole("listitem").filter({ hasText: "when the credential was added, by" }).waitFor()
  const saved = async (button: string) => {
    const download = page.waitForEvent("download")
    await page.getByRole("button", { name: button }).click()
    return readFileSync(await (await download).path(), "utf8")
  }
  assert.match(await saved("Proof to print"), /Thea Then on .*WWC1234502E/s)
  const { data } = JSON.parse(await saved("Proof to check"))
  assert.deepStrictEqual([data.form, data.workerId], ["wcs proof 1", id])
  await page.emulateMedia({ media: "print" })
  await page.getByText(/ · printed on /).waitFor()
  await page.getByText(/^As known on/).waitFor()
  assert.isFalse(await page.getByLabel("Day").isVisible())
  const folder = process.env["WCS_SCREENSHOTS"]
  if (folder !== undefined) await page.pdf({ path: `${folder}/as-of.pdf` })
  await page.emulateMedia({ media: "screen" })
  await page.getByLabel("Day").fill("2026-01-01")
  await page.getByRole("alert").getByText(`${id}`).waitFor()
  assert.deepStrictEqual(faults, [])
})

describe("R16: the verification report", () => {
  const path = "/reports/verifications"

  it("shows the facts of each worker, and exports and prints all that its filters find", async () => {
    const employment = { workerType: "VOLUNTEER" }
    const { id } = await admin.add("/workers", { identity: { displayName: "Rae Report" }, employment })
    await admin.add("/workers", { identity: { displayName: "Ray Report" } })
    await admin.add("/credentials", credentialOf({ worker: id }))
    const { faults, page } = await admin.opened(`${path}?query=report`)
    const card = page.getByRole("row", { name: /Rae Report.*WWC1234567E.*voluntary/ })
    await card.waitFor()
    await page.getByRole("row", { name: /Ray Report.*none.*unknown/ }).waitFor()

    const download = page.waitForEvent("download")
    await page.getByRole("button", { name: "Export all as CSV" }).click()
    const file = readFileSync(await (await download).path(), "utf8")
    assert.match(
      file,
      /^\uFEFF"List","Verifications"\r\n(?:"(?:Organization|Made by|Made on)",.*\r\n){3}(?:"Filter",.*\r\n)*"Filter","query: report"\r\n(?:"Filter",.*\r\n)*\r\nworkerId,.*\r\n(.*Rae Report,.*\r\n){1}(.*Ray Report,.*\r\n){1}$/
    )

    const printable = page.waitForEvent("download")
    await page.getByRole("button", { name: "Export all to print" }).click()
    const other = await page.context().newPage()
    const saved = `${await (await printable).path()}.html`
    await (await printable).saveAs(saved)
    await other.goto(`file://${saved}`)
    await other.getByText("query: report").waitFor()
    await other.getByRole("row", { name: /Rae Report.*VOLUNTARY.*WWC1234567E/ }).waitFor()
    await other.getByText("2 rows. End of the list.").waitFor()
    assert.strictEqual(
      await other.evaluate("getComputedStyle(document.querySelector('table')).borderCollapse"),
      "collapse"
    )
    await page.emulateMedia({ media: "print" })
    await page.getByText(/ · filtered by report$/).waitFor()
    await page.getByRole("columnheader", { name: "Verified on" }).waitFor()
    assert.isFalse(await page.getByRole("navigation", { name: "Screens" }).isVisible())
    assert.isFalse(await page.getByRole("button", { name: "Export all to print" }).isVisible())
    await page.emulateMedia({ media: "screen" })

    await page.getByLabel("Outcome").selectOption("ERROR")
    await page.getByText("Nothing matches.").waitFor()
    assert.deepStrictEqual(faults, [])
  })

  it("says why an export was refused, and is in the menu only with both privileges", async () => {
    const { page } = await admin.opened(path)
    await page.route("**/reports/verifications*", (route) =>
      route.request().headers()["accept"]?.startsWith("text/csv") === true
        ? route.fulfill({ status: 503, json: { error: { code: "UNAVAILABLE", message: "Busy.", requestId: "r1" } } })
        : route.continue()
    )
    await page.getByRole("button", { name: "Export all as CSV" }).click()
    await page.getByRole("alert").getByText("Busy.").waitFor()
    await page.getByRole("link", { name: "Verification report" }).waitFor()
    const me = await page.evaluate(async () => {
      const answer = await fetch("/openapi/v1/me", { headers: { "x-wcs-console": "1" } })
      return (await answer.json()) as { readonly data: { readonly privileges: ReadonlyArray<string> } }
    })
    const privileges = me.data.privileges.filter((name) => name !== "credential:READ")
    await page.route("**/openapi/v1/me", (route) => route.fulfill({ json: { data: { ...me.data, privileges } } }))
    await page.reload()
    await page.getByRole("link", { name: "Workers" }).waitFor()
    assert.strictEqual(await page.getByRole("link", { name: "Verification report" }).count(), 0)
  })
})

describe("overview", () => {
  it("says in two clicks who may not work and why, and the worker's own screen says the same", async () => {
    const check = { displayName: "Works with children", requirement: { credentialTypes: ["WWCC_NSW", "FIRST_AID"] } }
    await admin.add("/compliance-checks", { code: "who", ...check })
    const { id } = await admin.add("/workers", { identity: { displayName: "Bea Barred" } })
    const card = await admin.add("/credentials", credentialOf({ worker: id }, "WWC1234504E"))
    await admin.call("POST", `/credentials/${card.id}/verify`, { forceRefresh: true })
    const { faults, page } = await admin.opened("")
    await page.getByRole("link", { name: "People who fail: Works with children" }).waitFor()
    await page.getByRole("link", { name: "People who may not work" }).click()
    const row = page.getByRole("row", { name: /Bea Barred/ })
    await row
      .getByText(/^WWCC_NSW barred since /)
      .first()
      .waitFor()
    await row.getByText("without FIRST_AID").waitFor()
    await page.getByLabel("Check", { exact: true }).selectOption({ label: "Works with children" })
    await page.waitForURL("**/matrix?result=FAIL&check=who")
    await page.getByRole("columnheader", { name: "Children", exact: true }).waitFor({ state: "detached" })
    await row.getByRole("link", { name: "Bea Barred" }).click()
    const verdict = page.getByText(/^WWCC_NSW barred since /).first()
    await verdict.waitFor()
    await page.getByText("may not work", { exact: true }).waitFor()
    await verdict.getByRole("link", { name: "WWCC_NSW" }).click()
    await page.waitForURL(`**/credentials/${card.id}`)
    assert.deepStrictEqual(faults, [])
  })

  it("counts, and leads to what expires", async () => {
    const { id } = await admin.add("/workers", { identity: { displayName: "Ida Example" } })
    await admin.add("/credentials", credentialOf({ worker: id }, "WWC1234502E"))
    const { faults, page } = await admin.opened("")
    await page.getByRole("link", { name: "Credentials that have expired" }).click()
    await page.getByRole("heading", { level: 1, name: "Expiring and review" }).waitFor()
    await page
      .getByRole("link", { name: /WWC1234502E/ })
      .first()
      .waitFor()
    await page.getByRole("button", { name: /^Verify all/ }).click()
    await page.getByText(/^\d+ verified, 0 refused\.$/).waitFor()
    assert.deepStrictEqual(faults, [])
  })
})

describe("the frame", () => {
  it("leads to the login without a session, and back to the console", async () => {
    const stranger = await service.visit()
    const page = await stranger.newPage()
    await page.goto(`${service.origin}/console/workers`)
    await page.waitForURL("**/login")
  })

  it("reports that the session has ended when it ends during use", async () => {
    const { page } = await admin.opened("/workers")
    await page.waitForLoadState("networkidle") // the first calls must not be refused
    await page.route("**/openapi/v1/**", (route) =>
      route.fulfill({ status: 401, json: { error: { code: "UNAUTHORIZED", message: "Log in.", requestId: "r" } } })
    )
    await page.getByLabel("Order").selectOption("createdAt:desc")
    await page.getByRole("heading", { level: 1, name: "Your session has ended" }).waitFor()
    assert.strictEqual(await page.getByText("Ann Example").count(), 0)
  })

  it("counts down after a 429, and then tries again", async () => {
    const { page } = await admin.opened("/workers/new")
    let calls = 0
    await page.route("**/openapi/v1/workers", (route) =>
      calls++ === 0
        ? route.fulfill({
            status: 429,
            headers: { "retry-after": "2" },
            json: { error: { code: "TOO_MANY_REQUESTS", message: "Too many calls.", requestId: "r1" } }
          })
        : route.continue()
    )
    await page.getByLabel("Display name").fill("Jo Example")
    await page.getByRole("button", { name: "Add", exact: true }).click()
    await page.getByText(/You can try again in \d s/).waitFor()
    await page.getByText(/You can try again in \d s/).waitFor({ state: "detached" })
    await page.getByRole("button", { name: "Add", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: "Jo Example" }).waitFor()
  })

  it("offers another attempt while the server is away", async () => {
    const { page } = await admin.opened("/workers")
    await page.route("**/openapi/v1/**", (route) => route.abort())
    await page.getByLabel("Order").selectOption("createdAt:desc")
    await page.getByText("The server cannot be reached.").waitFor()
    await page.unroute("**/openapi/v1/**")
    await page.getByRole("button", { name: "Try again" }).click()
    await page.getByText("The server cannot be reached.").waitFor({ state: "detached" })
  })

  it("shows the keys, and skips the menu by keyboard", async () => {
    const { page } = await admin.opened("/workers")
    await page.keyboard.press("?")
    await page.getByRole("dialog", { name: "Keys" }).waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("dialog", { name: "Keys" }).waitFor({ state: "detached" })
  })

  it("reports that an unknown address has no screen", async () => {
    const { page } = await admin.opened("/no-such-screen")
    await page.getByRole("heading", { level: 1, name: "There is no such screen" }).waitFor()
  })

  it("shows a Viewer only the actions that the API allows", async () => {
    const viewer = await invited(service, "viewer@example.org", "Viewer")
    const { page } = await viewer.opened("/workers")
    await page.getByRole("link", { name: "Ann Example" }).click()
    await page.getByRole("heading", { level: 1, name: "Ann Example" }).waitFor()
    assert.strictEqual(await page.getByRole("button", { name: /Edit|Delete/ }).count(), 0)
    assert.strictEqual((await viewer.call("POST", "/workers", {})).status, 403)
  })

  it("logs out", async () => {
    const person = await invited(service, "leaving@example.org", "Viewer")
    const { page } = await person.opened("")
    await page.getByRole("link", { name: "Workers" }).click()
    await page.getByRole("button", { name: "Log out" }).click()
    await page.waitForURL("**/login")
    assert.strictEqual((await person.call("GET", "/me")).status, 401)
    await page.goBack()
    await page.waitForURL("**/login")
    assert.strictEqual(await page.getByText("leaving@example.org").count(), 0)
  })
})

/** The screens that axe looks at. */
const everyScreen = async (): Promise<ReadonlyArray<string>> => {
  const worker = await admin.add("/workers", { identity: { displayName: "Kim Example" } })
  const applicant = await admin.add("/applicants", { displayName: "Lee Example", emailAddress: "lee@example.org" })
  await admin.add("/credentials", credentialOf({ worker: worker.id, applicant: applicant.id }, "WWC1234501E"))
  return [
    ...["", "/workers", "/workers/new", `/workers/${worker.id}`, `/workers/${worker.id}/as-of`],
    ...["/applicants", "/applicants/new", `/applicants/${applicant.id}`, "/expiring?days=expired", "/matrix"],
    ...["/reports/verifications", "/erasures"]
  ]
}

it.each(looks)("has no accessibility faults in $colorScheme colors at $width pixels", async (look) => {
  for (const path of await everyScreen()) await assertAccessible(admin, path, look)
})
