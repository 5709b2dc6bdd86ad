/** Notes about a person, a mention, and the user who looks after the person. */
import { administrator, assertAccessible, invited, looks, type Visitor } from "@wcs/end-to-end/browser/Screens"
import { type Service, start } from "@wcs/end-to-end/browser/Service"
import { afterAll, assert, beforeAll, it } from "vitest"

let service: Service
let admin: Visitor
let path = ""

beforeAll(async () => {
  service = await start()
  admin = await administrator(service)
  const ann = await admin.add("/workers", { identity: { displayName: "Ann Lee" } })
  path = `/workers/${ann.id}`
})
afterAll(async () => {
  await service.end()
})

it("writes a note as text, mentions a user, who finds it, and deletes it", async () => {
  const { faults, page } = await admin.opened(path)
  const notes = page.locator("section", { has: page.getByRole("heading", { name: "Notes" }) })
  await notes.getByText("There are no notes.").waitFor()
  const text = "<b>Card</b> comes Monday.\nAsk Bo."
  await notes.getByLabel("New note").fill(text)
  await notes.getByLabel("Mention").selectOption("admin@example.org")
  await notes.getByRole("button", { name: "Save the note" }).click()
  await notes.getByText("<b>Card</b> comes Monday.").waitFor()
  await notes.getByText("@admin@example.org").waitFor()
  await page.getByText("The note is saved.").waitFor()
  assert.strictEqual(await notes.getByLabel("New note").inputValue(), "")
  await notes.getByLabel("Looked after by").selectOption("admin@example.org")
  await page.getByText("Saved.").waitFor()
  const mentions = await admin.opened("/mentions")
  await mentions.page.getByText("<b>Card</b> comes Monday.").waitFor()
  await mentions.page.getByRole("link", { name: "Open the record" }).click()
  await mentions.page.getByRole("heading", { level: 1, name: "Ann Lee" }).waitFor()
  await notes.getByRole("button", { name: "Delete", exact: true }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click()
  await notes.getByText("There are no notes.").waitFor()
  assert.deepStrictEqual([...faults, ...mentions.faults], [])
})

it("shows notes to a viewer, who cannot write any", async () => {
  await admin.call("POST", "/notes", { about: path.slice("/workers/".length), text: "A note." })
  const viewer = await invited(service, "viewer@example.org", "Viewer")
  const { page } = await viewer.opened(path)
  await page.getByText("A note.").waitFor()
  assert.strictEqual(await page.getByLabel("New note").count(), 0)
})

it.each(looks)("has no accessibility faults in $colorScheme colors at $width pixels", async (look) => {
  for (const screen of [path, "/mentions"]) await assertAccessible(admin, screen, look)
})
