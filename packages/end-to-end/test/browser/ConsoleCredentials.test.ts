import { administrator, assertAccessible, credentialOf, looks, type Visitor } from "@wcs/end-to-end/browser/Screens"
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

let people = 0

const worker = (name = `Worker ${++people}`) => admin.add("/workers", { identity: { displayName: name } })

const applicant = (name = `Applicant ${++people}`) =>
  admin.add("/applicants", { displayName: name, emailAddress: `applicant${++people}@example.org` })

const ownersOf = async (id: string) => (await admin.call("GET", `/credentials/${id}`)).json.data.attributes.owners

describe("owners", () => {
  it("draws the slots before and after, links, and lists the change", async () => {
    const [first, second] = [await applicant(), await worker("Linda Example")]
    const { id } = await admin.add("/credentials", credentialOf({ applicant: first.id }))
    const { faults, page } = await admin.opened(`/credentials/${id}`)
    await page.getByRole("button", { name: "Link" }).click()
    const dialog = page.getByRole("dialog", { name: "Link an owner" })
    await dialog.getByLabel("Name or your id").fill("linda")
    await dialog.getByLabel("Linda Example").check()
    await dialog.getByRole("region", { name: "After" }).getByText("Linda Example").waitFor()
    await dialog.getByRole("region", { name: "Before" }).getByText("empty").waitFor()
    await dialog.getByRole("button", { name: "Link an owner" }).click()
    await page.getByRole("button", { name: "Unlink" }).waitFor()
    assert.deepStrictEqual(await ownersOf(id), { worker: second.id, applicant: first.id })
    await page.getByRole("listitem").filter({ hasText: /^link/ }).getByText("you").waitFor()
    assert.deepStrictEqual(faults, [])
  })

  it("explains a 409, and names the remedy", async () => {
    const [first, third] = [await worker(), await applicant()]
    await worker("Mia Example")
    const { id } = await admin.add("/credentials", credentialOf({ applicant: third.id }))
    const { page } = await admin.opened(`/credentials/${id}`)
    await page.getByRole("button", { name: "Link" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Name or your id").fill("mia")
    await dialog.getByLabel("Mia Example").check()
    // Another user is faster.
    await admin.call("POST", `/credentials/${id}/link`, { type: "worker", id: first.id })
    await dialog.getByRole("button", { name: "Link an owner" }).click()
    await dialog.getByText("Use transfer to change the owner.").waitFor()
    assert.deepStrictEqual(await ownersOf(id), { worker: first.id, applicant: third.id })
  })

  it("shows the present owner after a 409, so that a second transfer succeeds", async () => {
    const [first, faster] = [await worker(), await worker("Faster Example")]
    const last = await worker("Lena Example")
    const { id } = await admin.add("/credentials", credentialOf({ worker: first.id }))
    const { page } = await admin.opened(`/credentials/${id}`)
    await page.getByRole("button", { name: "Transfer" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Name or your id").fill("lena")
    await dialog.getByLabel("Lena Example").check()
    const to = { type: "worker", id: faster.id }
    await admin.call("POST", `/credentials/${id}/transfer`, { from: { type: "worker", id: first.id }, to })
    const transfer = dialog.getByRole("button", { name: "Transfer to another owner" })
    await transfer.click()
    await dialog.getByRole("region", { name: "Before" }).getByText("Faster Example").waitFor()
    assert.isTrue(await transfer.evaluate((button) => button === button.ownerDocument.activeElement))
    await transfer.click()
    await dialog.waitFor({ state: "detached" })
    assert.deepStrictEqual(await ownersOf(id), { worker: last.id, applicant: null })
  })

  it("transfers to another owner, and unlinks one of two", async () => {
    const [first, second] = [await worker(), await worker("Noa Example")]
    const { id } = await admin.add("/credentials", credentialOf({ worker: first.id }))
    const { page } = await admin.opened(`/credentials/${id}`)
    await page.getByRole("button", { name: "Transfer" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("The new owner is").selectOption("worker")
    await dialog.getByLabel("Name or your id").fill("noa")
    await dialog.getByLabel("Noa Example").check()
    await dialog.getByRole("button", { name: "Transfer to another owner" }).click()
    await dialog.waitFor({ state: "detached" })
    assert.deepStrictEqual(await ownersOf(id), { worker: second.id, applicant: null })
    const both = await applicant()
    await admin.call("POST", `/credentials/${id}/link`, { type: "applicant", id: both.id })
    await page.reload()
    await page.getByRole("button", { name: "Unlink" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Unlink an owner" }).click()
    await page.getByRole("button", { name: "Link a worker" }).waitFor()
    assert.deepStrictEqual(await ownersOf(id), { worker: null, applicant: both.id })
  })
})

describe("verdicts", () => {
  it("verifies, and shows the verdict when the register answers", async () => {
    const { id } = await admin.add("/credentials", credentialOf({ worker: (await worker()).id }))
    const { faults, page } = await admin.opened(`/credentials/${id}`)
    await page.getByRole("button", { name: "Verify" }).click()
    await page.getByText("may engage").first().waitFor()
    await page.getByRole("heading", { name: "Verifications" }).waitFor()
    assert.deepStrictEqual(faults, [])
  })

  it("filters by holder and identifier, and keeps both in the address", async () => {
    await admin.add("/credentials", credentialOf({ worker: (await worker()).id }, "WWC0000077E"))
    const { page } = await admin.opened("/credentials")
    await page.getByLabel("Holder or identifier").fill("WWC0000077E")
    await page.waitForURL("**query=WWC0000077E")
    await page.getByRole("link", { name: /WWC0000077E/ }).click()
    await page.getByRole("heading", { level: 1, name: /WWC0000077E/ }).waitFor()
    await page.goBack()
    await page.getByLabel("Holder or identifier").fill("none")
    await page.getByText("Nothing matches.").waitFor()
  })
})

describe("a credential", () => {
  it("is added for the worker whose screen was open before", async () => {
    const { id } = await worker("Olga Example")
    const { page } = await admin.opened(`/workers/${id}`)
    await page.getByRole("link", { name: "Add a credential" }).click()
    await page.getByLabel("Type").selectOption("WWCC_NSW")
    await page.getByLabel("Identifier").fill("WWC0000088E")
    await page.getByLabel("Last name of the holder").fill("Example")
    await page.getByRole("button", { name: "Add", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: /WWC0000088E/ }).waitFor()
    const added = new URL(page.url()).pathname.split("/").at(-1) ?? ""
    assert.deepStrictEqual(await ownersOf(added), { worker: id, applicant: null })
  })

  it("shows which field is refused", async () => {
    const { id } = await worker()
    const { page } = await admin.opened(`/credentials/new?worker=${id}`)
    await page.getByLabel("Type").selectOption("WWCC_NSW")
    await page.getByRole("button", { name: "Add", exact: true }).click()
    await page.getByRole("alert").getByText("“Identifier”").waitFor()
  })

  it("is deleted after a confirmation", async () => {
    const { id } = await admin.add("/credentials", credentialOf({ worker: (await worker()).id }))
    const { page } = await admin.opened(`/credentials/${id}`)
    await page.getByRole("button", { name: "Delete" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await page.getByText("Deleted on").waitFor()
    assert.strictEqual((await admin.call("GET", `/credentials/${id}`)).status, 404)
  })
})

describe("a bulk move", () => {
  it("previews, moves everything, and lists what was refused by reason", async () => {
    const [from, to] = [await worker("Pat Mover"), await applicant("Quinn Taker")]
    const other = await applicant()
    for (const identifier of ["WWC1234567E", "WWC1234501E", "WWC1234505E"]) {
      await admin.add("/credentials", credentialOf({ worker: from.id }, identifier))
    }
    // Its applicant slot is taken already.
    await admin.add("/credentials", credentialOf({ worker: from.id, applicant: other.id }, "WWC1234502E"))
    const { faults, page } = await admin.opened("/bulk-move")
    const left = page.getByRole("group", { name: "From: person" })
    const right = page.getByRole("group", { name: "To: person" })
    await left.getByLabel("Name or your id").fill("pat")
    await left.getByLabel("Pat Mover").check()
    await page.getByLabel("To", { exact: true }).selectOption("applicant")
    await right.getByLabel("Name or your id").fill("quinn")
    await right.getByLabel("Quinn Taker").check()
    await page.getByText("4 credentials of").waitFor()
    await page.getByRole("button", { name: "Move", exact: true }).click()
    await page.getByText("3 moved, 1 refused.").waitFor()
    const { json } = await admin.call("GET", `/credentials?ownerType=applicant&ownerId=${to.id}`)
    assert.lengthOf(json.data, 3)
    assert.deepStrictEqual(faults, [])
  })
})

it.each(looks)("has no accessibility faults in $colorScheme colors at $width pixels", async (look) => {
  const { id } = await admin.add("/credentials", credentialOf({ worker: (await worker()).id }, "WWC1234502E"))
  for (const path of ["/credentials", `/credentials/${id}`, "/credentials/new", "/bulk-move"]) {
    await assertAccessible(admin, path, look)
  }
})
