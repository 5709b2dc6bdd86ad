/** Documents of a credential: an upload, a download, a deletion with its reason, and files that are no documents. */
import { readFile } from "node:fs/promises"
import { administrator, assertAccessible, looks, type Visitor } from "@wcs/end-to-end/browser/Screens"
import { type Service, start } from "@wcs/end-to-end/browser/Service"
import { afterAll, assert, beforeAll, it } from "vitest"

let service: Service
let admin: Visitor
let path = ""

const pdf = Buffer.from("%PDF-1.7\nstartxref\n0\n%%EOF\n")

beforeAll(async () => {
  service = await start()
  admin = await administrator(service)
  const ann = await admin.add("/workers", { identity: { displayName: "Ann Lee" } })
  const attributes = { credentialType: "FIRST_AID", owners: { worker: ann.id } }
  path = `/credentials/${(await admin.add("/credentials", { attributes })).id}`
})
afterAll(async () => {
  await service.end()
})

it("uploads a document of a card, saves it under its name, and deletes it with a reason", async () => {
  const { faults, page } = await admin.opened(path)
  const documents = page.locator("section", { has: page.getByRole("heading", { name: "Documents" }) })
  await documents.getByText("No document is stored.").waitFor()
  await documents.getByText("20 more fit on this card").waitFor()
  const choose = (buffer: Buffer, name: string) =>
    documents.getByLabel("Add a document").setInputFiles({ name, mimeType: "application/pdf", buffer })
  const press = (name: string) => documents.getByRole("button", { name, exact: true }).click()
  await choose(Buffer.from("<svg onload='alert(1)'/>"), "card.pdf")
  await press("Upload")
  await documents.getByRole("alert").getByText("must be a PDF, JPEG, PNG or HEIC file").waitFor()
  await choose(Buffer.alloc(10 * 1024 * 1024 + 1), "card.pdf")
  await documents.getByText("Choose a smaller one.").waitFor()
  await choose(pdf, "<b>card</b>.exe")
  await press("Upload")
  await documents.getByText("_b_card__b_.exe.pdf").first().waitFor()
  await documents.getByText("19 more fit on this card").waitFor()
  const saved = page.waitForEvent("download")
  await documents.getByRole("button", { name: "Download _b_card__b_.exe.pdf" }).click()
  const file = await saved
  assert.strictEqual(file.suggestedFilename(), "_b_card__b_.exe.pdf")
  assert.isTrue((await readFile(await file.path())).equals(pdf))
  assert.strictEqual(await documents.getByText("contains active content").count(), 0)
  await documents.getByRole("button", { name: "Delete _b_card__b_.exe.pdf" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel("Reason").selectOption("Another one replaces it")
  await dialog.getByRole("button", { name: "Delete", exact: true }).click()
  await documents.getByText("No document is stored.").waitFor()
  await documents.getByText("Deleted documents").click()
  await documents.getByText("Another one replaces it").waitFor()
  assert.deepStrictEqual(faults, [])
})

it("warns of a PDF with active content or parts that nobody examined, and keeps it", async () => {
  const { page } = await admin.opened(path)
  for (const [text, words] of [
    ["<</S/JavaScript/JS(app.alert)>>", "This PDF contains active content"],
    ["<</Type/ObjStm>>", "not examined for scripts"]
  ] as const) {
    const buffer = Buffer.from(`%PDF-1.7\n${text}\nstartxref\n0\n%%EOF\n`)
    await page.getByLabel("Add a document").setInputFiles({ name: "form.pdf", mimeType: "application/pdf", buffer })
    await page.getByRole("button", { name: "Upload", exact: true }).click()
    await page.getByText(words).waitFor()
  }
})

it.each(looks)("has no accessibility faults in $colorScheme colors at $width pixels", async (look) => {
  await assertAccessible(admin, path, look)
})
