/** Duplicates, and the merge of two workers. */
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

const statusOf = async (path: string) => (await admin.call("GET", path)).status

describe("two records of one person", () => {
  it("are found, compared, merged after a question, and separated again", async () => {
    const source = { externalId: "hr-1" }
    const ann = await admin.add("/workers", { identity: { displayName: "Ann Example" }, source })
    const { faults, page } = await admin.opened("/workers/new")
    await page.getByLabel("Display name").fill("Anne <b>Example</b>")
    await page.getByLabel("Your id").fill("hr-1")
    await page.getByRole("button", { name: "Add", exact: true }).click()
    await page.getByRole("link", { name: "Compare both" }).waitFor()
    const [anne] = (await admin.call("GET", "/workers?query=anne")).json.data
    const card = await admin.add("/credentials", credentialOf({ worker: anne.id }))

    await page.getByRole("link", { name: "Workers", exact: true }).click()
    await page.getByRole("link", { name: "Duplicates" }).last().click()
    const row = page.getByRole("row").filter({ hasText: "Anne <b>Example</b>" })
    await row.getByText("the same id of yours").waitFor()
    await row.getByRole("link", { name: "Compare" }).click()
    await page.getByRole("heading", { level: 2, name: "Keep: Ann Example" }).waitFor()
    await page.getByRole("heading", { level: 2, name: "Merge: Anne <b>Example</b>" }).waitFor()
    await page.getByText("WWC1234567E").waitFor()
    const address = `/workers/${ann.id}/merge?from=${anne.id}`
    for (const look of looks) {
      for (const path of ["/duplicates", address, "/merges"]) await assertAccessible(admin, path, look)
    }

    await page.getByRole("button", { name: "Merge", exact: true }).click()
    const dialog = page.getByRole("dialog", { name: "Merge Anne <b>Example</b> into Ann Example?" })
    await dialog.getByText("You can undo this for 30 days").waitFor()
    await page.keyboard.press("Enter") // Cancel has the focus
    await dialog.waitFor({ state: "detached" })
    assert.strictEqual(await statusOf(`/workers/${anne.id}`), 200)
    await page.getByRole("button", { name: "Merge", exact: true }).click()
    await dialog.getByRole("button", { name: "Merge" }).click()
    await page.getByRole("heading", { level: 1, name: "Ann Example", exact: true }).waitFor()
    await page.getByRole("link", { name: "WWCC_NSW" }).waitFor()
    assert.strictEqual(await statusOf(`/workers/${anne.id}`), 404)

    const away = await admin.opened(`/workers/${anne.id}`)
    await away.page.getByText("This record was merged into").waitFor()
    assert.strictEqual(await away.page.getByRole("button", { name: "Restore" }).count(), 0)
    await assertAccessible(admin, `/workers/${anne.id}`, { colorScheme: "light", width: 320 })
    await page.getByRole("heading", { name: "Merged records" }).waitFor()
    await page.getByRole("button", { name: "Undo" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Undo the merge" }).click()
    await page.getByRole("heading", { name: "Merged records" }).waitFor({ state: "detached" })
    const { json } = await admin.call("GET", `/credentials/${card.id}`)
    assert.strictEqual(json.data.attributes.owners.worker, anne.id)
    const merges = await admin.opened("/merges")
    await merges.page.getByRole("row").filter({ hasText: "1 credential" }).getByText("undone").waitFor()

    await page.goto(`${service.origin}/console${address}`)
    await page.getByRole("button", { name: "Not the same person" }).click()
    await page.getByText("No two workers look like one person.").waitFor()
    assert.deepStrictEqual([...faults, ...away.faults, ...merges.faults], [])
  })

  it("can be compared, but not merged or dismissed, by those who may only read", async () => {
    const [one, other] = [
      await admin.add("/workers", { identity: { displayName: "Bo Example" } }),
      await admin.add("/workers", { identity: { displayName: "Bob Example" } })
    ]
    const viewer = await invited(service, "viewer@example.org", "Viewer")
    const { page } = await viewer.opened(`/workers/${one.id}/merge?from=${other.id}`)
    await page.getByText("To merge, you need the right").waitFor()
    for (const name of ["Merge", "Not the same person"]) {
      assert.strictEqual(await page.getByRole("button", { name, exact: true }).count(), 0)
    }
  })
})
