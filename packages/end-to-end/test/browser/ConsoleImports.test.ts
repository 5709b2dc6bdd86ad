/** The import of workers from a file, in four steps. */
import {
  administrator,
  assertAccessible,
  assertAccessibleNow,
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

const fileOf = (text: string) => ({ name: "intake.csv", mimeType: "text/csv", buffer: Buffer.from(text) })

const rows = [
  "No,Name,Born",
  "E1,Ann Example,1.2.1990",
  "E2,<b>Bob</b>,31/12/1990",
  "E3,Cy Example,32/12/1990",
  "E4,ann example,1990-02-01"
].join("\n")

const namesOf = async () =>
  (await admin.call("GET", "/workers?sort=displayName:asc")).json.data.map(
    ({ identity }: { readonly identity: { readonly displayName: string } }) => identity.displayName
  )

describe("an import", () => {
  it("goes in four steps from a file to workers, shows faults and duplicates, and is undone", async () => {
    const { faults, page } = await admin.opened("/imports")
    const press = (name: string) => page.getByRole("button", { name, exact: true }).click()
    const choose = (text: string) => page.getByLabel("CSV file").setInputFiles(fileOf(text))
    await choose("PK\u0003\u0004 a workbook")
    await press("Upload")
    await page.getByRole("alert").getByText("save the sheet as").waitFor()
    await choose(rows)
    await press("Upload")

    await page.getByRole("heading", { name: "Step 2 of 4: Columns" }).waitFor()
    assert.strictEqual(await page.getByLabel("Name", { exact: true }).inputValue(), "identity.displayName")
    await page.getByLabel("No", { exact: true }).selectOption("Birth date")
    await page.getByText("Two columns fill “Birth date”").waitFor()
    await page.getByLabel("No", { exact: true }).selectOption("Your id")
    await press("Check the rows")

    await page.locator("h2:focus", { hasText: "Step 3 of 4: Check" }).waitFor()
    await page.getByRole("row", { name: /^4 Born must be a date/ }).waitFor()
    await page.getByLabel("Show rows").selectOption("DUPLICATE")
    await page.getByRole("row", { name: /^5 Has the name and birth date of row 2/ }).waitFor()
    assert.deepStrictEqual(await namesOf(), [])
    const address = new URL(page.url()).pathname.replace("/console", "")
    for (const look of looks) for (const path of ["/imports", address]) await assertAccessible(admin, path, look)
    await page.getByLabel("Also import what repeats somebody: 1 row").check()
    await press("Import 3 rows")

    await page.getByText("The import is done.").waitFor()
    assert.sameMembers(await namesOf(), ["Ann Example", "ann example", "<b>Bob</b>"])
    await press("Undo the import")
    await page.getByRole("dialog").getByRole("button", { name: "Undo the import" }).click()
    await page.getByText("The import is undone.").waitFor()
    assert.deepStrictEqual(await namesOf(), [])
    await press("Delete the file")
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await page.getByText("There are no imports.").waitFor()
    assert.deepStrictEqual(faults, [])
  })

  it("stops work on request, and says until when it goes on", async () => {
    const { faults, page } = await admin.opened("/imports")
    await page.getByLabel("CSV file").setInputFiles(fileOf(rows))
    await page.getByRole("button", { name: "Upload" }).click()
    await page.getByRole("heading", { name: "Step 2 of 4: Columns" }).waitFor()
    const path = new URL(page.url()).pathname.replace("/console", "")
    const { data } = (await admin.call("GET", path)).json
    let stopping = false
    // A run of four rows is over before anybody can press a button.
    await page.route(`**/openapi/v1${path}`, (route) =>
      route.fulfill({ json: { data: { ...data, status: "RUNNING", done: 2, stopping }, meta: { requestId: "r" } } })
    )
    await page.reload()
    await page.getByText("The work goes on if you leave this screen.").waitFor()
    stopping = true
    const asked = page.waitForRequest(
      (request) => request.method() === "POST" && request.url().endsWith(`${path}/stop`)
    )
    await page.getByRole("button", { name: "Stop" }).click()
    await asked
    await page.getByText("The work stops after the rows at hand.").waitFor()
    await assertAccessibleNow(page)
    await page.close()
    await admin.call("DELETE", path)
    assert.deepStrictEqual(faults, [])
  })

  it("is not offered to those who may only read", async () => {
    const viewer = await invited(service, "viewer@example.org", "Viewer")
    const { page } = await viewer.opened("/imports")
    await page.getByText("There are no imports.").waitFor()
    assert.strictEqual(await page.getByLabel("CSV file").count(), 0)
  })
})
