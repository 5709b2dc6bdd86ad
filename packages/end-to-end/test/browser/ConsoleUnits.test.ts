/** Units: the tree, the people in it, and a user who is limited to some. */
import { UnitTooLarge } from "@wcs/domain/credential/Units"
import { textOf } from "@wcs/domain/service/Refusals"
import { administrator, assertAccessible, invited, looks, type Visitor } from "@wcs/end-to-end/browser/Screens"
import { type Service, start } from "@wcs/end-to-end/browser/Service"
import { afterAll, assert, beforeAll, it } from "vitest"

let service: Service
let admin: Visitor

beforeAll(async () => {
  service = await start()
  admin = await administrator(service)
})
afterAll(async () => {
  await service.end()
})

it("adds units, moves a worker there, and limits a user, whose menu says so and whose lists follow", async () => {
  const person = async (displayName: string) => {
    const { id } = await admin.add("/workers", { identity: { displayName } })
    const identifier = `of-${displayName.split(" ")[0]}`
    const card = { credentialType: "FIRST_AID", identifier, expiryDate: "2026-01-15", owners: { worker: id } }
    await admin.add("/credentials", { attributes: card })
    return id
  }
  await person("Olga Outside")
  const id = await person("Ina Inside")
  const { faults, page } = await admin.opened("/units")
  const add = async (name: string, parent?: string) => {
    await page.getByRole("button", { name: "Add a unit" }).click()
    await page.getByLabel("Name").fill(name)
    if (parent !== undefined) await page.getByLabel("Below").selectOption(parent)
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByRole("row", { name: new RegExp(name) }).waitFor()
  }
  await add("North")
  await add("Ward", "North")
  await page.getByRole("cell", { name: "North / Ward" }).waitFor()

  await page.goto(`${service.origin}/console/workers/${id}`)
  await page.getByRole("button", { name: "Edit" }).first().click()
  await page.getByLabel("Unit").selectOption("North / Ward")
  await page.getByRole("button", { name: "Save", exact: true }).click()
  await page.getByRole("dialog").waitFor({ state: "detached" })
  await page.goto(`${service.origin}/console/workers`)
  await page.getByRole("link", { name: "Olga Outside" }).waitFor()
  await page.getByLabel("Unit").selectOption("North")
  await page.getByRole("link", { name: "Olga Outside" }).waitFor({ state: "detached" })
  await page.getByRole("link", { name: "Ina Inside" }).waitFor()

  const viewer = await invited(service, "north@example.org", "Viewer")
  await page.goto(`${service.origin}/console/users`)
  const row = page.getByRole("row", { name: /north@example\.org/ })
  await row.getByRole("button", { name: "Role" }).click()
  await page.getByLabel("Only the people of some units").check()
  await page.getByLabel("North", { exact: true }).check()
  await page.getByRole("button", { name: "Change the role" }).click()
  await row.getByText("North").waitFor()

  const limited = await viewer.opened("/workers")
  await limited.page.getByText("Only people of North").waitFor()
  await limited.page.getByRole("link", { name: "Ina Inside" }).waitFor()
  assert.strictEqual(await limited.page.getByText("Olga Outside").count(), 0)
  assert.deepStrictEqual([...faults, ...limited.faults], [])
})

it("offers each of more than a hundred units, and counts people and cards by unit on the overview", async () => {
  for (let n = 100; n < 202; n += 1) await admin.add("/units", { name: `Branch ${n}` })
  const check = { code: "any-card", displayName: "Any card", severity: "WARNING", enabled: true }
  await admin.add("/compliance-checks", {
    ...{ ...check, requirement: { credentialTypes: ["FIRST_AID"], mode: "ALL", exemptionsCount: false } }
  })
  const { faults, page } = await admin.opened("/workers/new")
  await page.getByLabel("Unit").selectOption("Branch 201")

  await page.goto(`${service.origin}/console`)
  const counted = (words: string, count: number) =>
    page.getByRole("listitem").filter({ hasText: words }).getByText(String(count), { exact: true }).waitFor()
  await counted("People who may not work", 2)
  await counted("Credentials that have expired", 2)
  await page.getByLabel("Unit").selectOption("North")
  await counted("People who may not work", 1)
  await counted("Credentials that have expired", 1)
  await page.getByRole("link", { name: "Credentials that have expired" }).click()
  await page.getByRole("link", { name: "FIRST_AID of-Ina" }).waitFor()
  assert.strictEqual(await page.getByText("FIRST_AID of-Olga").count(), 0)
  await page.goBack()
  await page.getByRole("link", { name: "People who may not work" }).click()
  await page.getByRole("link", { name: "Ina Inside" }).waitFor()
  assert.strictEqual(await page.getByText("Olga Outside").count(), 0)
  assert.deepStrictEqual(faults, [])
})

it("deletes a large unit by as many calls as that needs, and says how many people are moved and left", async () => {
  const [from] = [await admin.add("/units", { name: "Closing" }), await admin.add("/units", { name: "Staying" })]
  const { page } = await admin.opened("/units")
  const parts = [
    [100, 150],
    [90, 60]
  ]
  let step = 0
  let goOn = () => {}
  const isShown = new Promise<void>((resolve) => {
    goOn = resolve
  })
  await page.route(`**/openapi/v1/units/${from.id}?**`, async (route) => {
    const part = parts[step++]
    if (part === undefined) {
      await isShown
      return route.continue()
    }
    const message = textOf(new UnitTooLarge({ id: String(from.id), moved: part[0] ?? 0, left: part[1] ?? 0 }))
    return route.fulfill({
      ...{ status: 422, headers: { "retry-after": "0" } },
      json: { error: { code: "UNPROCESSABLE", message, requestId: "01J00000000000000000000000" } }
    })
  })
  const row = page.getByRole("row", { name: /Closing/ })
  await row.getByRole("button", { name: "Delete" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel("Move its people and units to").selectOption("Staying")
  await dialog.getByRole("button", { name: "Delete" }).click()
  await dialog.getByText("190 people are moved, 60 are left.").waitFor()
  goOn()
  await row.waitFor({ state: "detached" })
})

it.each(looks)("has no accessibility faults in $colorScheme colors at $width pixels", async (look) => {
  for (const path of ["", "/units", "/workers?unit=none", "/workers/new", "/matrix", "/recruitment-checks", "/tasks"]) {
    await assertAccessible(admin, path, look)
  }
})
