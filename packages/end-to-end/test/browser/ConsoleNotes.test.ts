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

it("writes a note as text, mentions users, who find it, and deletes it", async () => {
  await invited(service, "bo@example.org", "Admin")

  const { faults, page } = await admin.opened(path)
  const notes = page.locator("section", { has: page.getByRole("heading", { name: "Notes" }) })
  await notes.getByText("There are no notes.").waitFor()
  const text = "<b>Card</b> comes Monday.\nAsk Bo."
  await notes.getByLabel("New note").fill(text)
  for (const user of ["admin@example.org", "bo@example.org"]) {
    await notes.getByLabel("Mention", { exact: true }).selectOption(user)
  }
  await notes.getByRole("button", { name: "Do not mention bo@example.org" }).click()
  await notes.getByLabel("Mention", { exact: true }).selectOption("bo@example.org")
  await notes.getByRole("button", { name: "Save the note" }).click()
  await notes.getByText("<b>Card</b> comes Monday.").waitFor()
  await notes.getByText("@admin@example.org, @bo@example.org").waitFor()
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

it("shows 25 notes at once, and older ones on the next page", async () => {
  const { id: about } = await admin.add("/workers", { identity: { displayName: "Bo Lee" } })
  for (let count = 1; count <= 26; count++) await admin.call("POST", "/notes", { about, text: `Note ${count}.` })
  const { page } = await admin.opened(`/workers/${about}`)
  await page.getByText("Note 26.", { exact: true }).waitFor()
  await page.getByRole("button", { name: "Older notes" }).click()
  await page.getByText("Note 1.", { exact: true }).waitFor()
  assert.strictEqual(await page.getByText("Note 26.", { exact: true }).count(), 0)
  await page.getByRole("button", { name: "Newer notes" }).click()
  await page.getByText("Note 26.", { exact: true }).waitFor()
  await page.getByRole("button", { name: "Older notes" }).click()
  await page.getByText("Note 1.", { exact: true }).waitFor()
  await page.getByLabel("New note").fill("The newest one.")
  await page.getByRole("button", { name: "Save the note" }).click()
  await page.locator("li", { hasText: "The newest one." }).waitFor()
})

it.each(looks)("has no accessibility faults in $colorScheme colors at $width pixels", async (look) => {
  for (const screen of [path, "/mentions"]) await assertAccessible(admin, screen, look)
})
