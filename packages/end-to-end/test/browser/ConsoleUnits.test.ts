/** Units: the tree, the people in it, and a user who is limited to some. */
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
  await admin.add("/workers", { identity: { displayName: "Olga Outside" } })
  const { id } = await admin.add("/workers", { identity: { displayName: "Ina Inside" } })
  const { faults, page } = await admin.opened("/units")
  const add = async (name: string, parent?: string) => {
    await page.getByRole("button", { name: "Add a unit" }).click()
    await page.getByLabel("Name").fill(name)
    if (parent !== undefined) await page.getByLabel("Below").selectOption(parent)
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByRole("row", { name: new RegExp(name) }).waitFor()
  }
  await add("North")
  await add("Ward", "North")
  await page.getByRole("cell", { name: "North / Ward" }).waitFor()

  await page.goto(`${service.origin}/console/workers/${id}`)
  await page.getByRole("button", { name: "Edit" }).first().click()
  await page.getByLabel("Unit").selectOption("North / Ward")
  await page.getByRole("button", { name: "Save" }).click()
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

it("offers each of more than a hundred units, and counts people by unit on the overview", async () => {
  for (let n = 100; n < 202; n += 1) await admin.add("/units", { name: `Branch ${n}` })
  const check = { code: "any-card", displayName: "Any card", severity: "WARNING", enabled: true }
  await admin.add("/compliance-checks", {
    ...{ ...check, requirement: { credentialTypes: ["FIRST_AID"], mode: "ALL", exemptionsCount: false } }
  })
  const { faults, page } = await admin.opened("/workers/new")
  await page.getByLabel("Unit").selectOption("Branch 201")

  await page.goto(`${service.origin}/console`)
  const failing = (count: number) =>
    page.getByRole("listitem").filter({ hasText: "People who may not work" }).getByText(String(count), { exact: true })
  await failing(2).waitFor()
  await page.getByLabel("Unit").selectOption("North")
  await failing(1).waitFor()
  await page.getByRole("link", { name: "People who may not work" }).click()
  await page.getByRole("link", { name: "Ina Inside" }).waitFor()
  assert.strictEqual(await page.getByText("Olga Outside").count(), 0)
  assert.deepStrictEqual(faults, [])
})

it.each(looks)("has no accessibility faults in $colorScheme colors at $width pixels", async (look) => {
  for (const path of ["", "/units", "/workers?unit=none", "/workers/new", "/matrix"]) {
    await assertAccessible(admin, path, look)
  }
})
