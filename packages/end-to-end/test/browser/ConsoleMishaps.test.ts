/** Flows in which a person's slip, a slow machine or a second tab once changed the wrong record. */

import { administrator, credentialOf, type Visitor } from "@wcs/end-to-end/browser/Screens"
import { type Service, start } from "@wcs/end-to-end/browser/Service"
import type { Locator, Page, Route } from "playwright-core"
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

const worker = (name: string, more: object = {}) => admin.add("/workers", { identity: { displayName: name }, ...more })

const applicant = (name: string, more: object = {}) =>
  admin.add("/applicants", { displayName: name, emailAddress: `${name.replaceAll(" ", ".")}@example.org`, ...more })

const read = async (path: string) => (await admin.call("GET", path)).json

const ownersOf = async (id: string) => (await read(`/credentials/${id}`)).data.attributes.owners

/** A processor with a sixth of its speed. */
const slow = async (page: Page) => {
  const session = await page.context().newCDPSession(page)
  await session.send("Emulation.setCPUThrottlingRate", { rate: 6 })
}

/** Holds the answers to a request until `release`. Counts the requests. */
const held = async (page: Page, url: RegExp, method: string) => {
  const waiting: Array<Route> = []
  let isHeld = true
  let count = 0
  await page.route(url, async (route) => {
    if (route.request().method() !== method) return route.fallback()
    count += 1
    if (isHeld) waiting.push(route)
    else await route.fallback()
  })
  return {
    count: () => count,
    release: async () => {
      isHeld = false
      for (const route of waiting.splice(0)) await route.fallback()
    }
  }
}

/** The first of several things that happen on a page, by its name. */
const firstOf = (happenings: Readonly<Record<string, Promise<unknown>>>): Promise<string> =>
  Promise.race(Object.entries(happenings).map(([name, happening]) => happening.then(() => name)))

/** Ends when the dialog is gone. A dialog that Escape has closed for a moment is hidden, and has no role meanwhile. */
const closed = (page: Page) => page.locator("dialog").waitFor({ state: "detached" })

/** The next call of the API that changes something. */
const changeOn = (page: Page) => page.waitForRequest((request) => request.method() !== "GET")

describe("a submit", () => {
  it("creates once after a double-click on a slow machine", async () => {
    const { page } = await admin.opened("/workers/new")
    await slow(page)
    await page.getByLabel("Display name").fill("Once Only")
    // The second click arrives while the first one is still at work.
    await page.evaluate(`addEventListener("submit", () => {
      const end = performance.now() + 80
      while (performance.now() < end);
    }, true)`)
    await page.getByRole("button", { name: "Add", exact: true }).dblclick()
    await page.getByRole("heading", { level: 1, name: "Once Only" }).waitFor()
    assert.lengthOf((await read("/workers?query=once")).data, 1)
  })

  it("can be repeated after a refusal", async () => {
    const { page } = await admin.opened("/applicants/new")
    await page.getByLabel("Display name").fill("Twice Tried")
    await page.getByLabel("Email").fill("twice@example.org")
    await page.route(/\/applicants$/, (route) => route.abort(), { times: 1 })
    await page.getByRole("button", { name: "Add", exact: true }).click()
    await page.getByRole("alert").getByText("cannot be reached").waitFor()
    await page.getByRole("button", { name: "Add", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: "Twice Tried" }).waitFor()
  })
})

describe("Enter in the search of a picker", () => {
  /** Chooses one person by hand, then types another name and presses Enter, which must send nothing. */
  const chooseThenEnter = async (page: Page, picker: Locator, first: string, second: string) => {
    const search = picker.getByRole("searchbox")
    await search.fill(first)
    await picker.getByLabel(first).check()
    await search.fill(second)
    const sent = changeOn(page)
    await search.press("Enter")
    const chosen = picker.getByRole("radio", { name: second, checked: true }).waitFor()
    assert.strictEqual(await firstOf({ chosen, sent }), "chosen")
  }

  it("chooses the only match, and links nobody", async () => {
    const [owner, chosen, wanted] = [await applicant("Xena One"), await worker("Yuri Two"), await worker("Zoe Three")]
    const { id } = await admin.add("/credentials", credentialOf({ applicant: owner.id }))
    const { page } = await admin.opened(`/credentials/${id}`)
    await page.getByRole("button", { name: "Link" }).click()
    const dialog = page.getByRole("dialog")
    await chooseThenEnter(page, dialog, "Yuri Two", "Zoe Three")
    assert.deepStrictEqual(await ownersOf(id), { applicant: owner.id, worker: null })
    await dialog.getByRole("button", { name: "Link an owner" }).click()
    await dialog.waitFor({ state: "detached" })
    assert.deepStrictEqual(await ownersOf(id), { applicant: owner.id, worker: wanted.id })
    assert.notStrictEqual(wanted.id, chosen.id)
  })

  it("hires nobody", async () => {
    const { id } = await applicant("Hira Four")
    await worker("Ivo Five")
    await worker("Jan Six")
    const { page } = await admin.opened(`/applicants/${id}`)
    await page.getByRole("button", { name: "Hire" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Worker", { exact: true }).selectOption("existing")
    await chooseThenEnter(page, dialog, "Ivo Five", "Jan Six")
    assert.strictEqual((await read(`/applicants/${id}`)).data.status, "NEW")
  })

  it("adds no credential", async () => {
    await worker("Kai Seven")
    const { id } = await worker("Lea Eight")
    const { page } = await admin.opened("/credentials/new")
    await page.getByLabel("Type").selectOption("WWCC_NSW")
    await page.getByLabel("Identifier").fill("WWC0000042E")
    await page.getByLabel("Last name of the holder").fill("Eight")
    await chooseThenEnter(page, page.getByRole("group", { name: "Owner" }), "Kai Seven", "Lea Eight")
    assert.lengthOf((await read("/credentials?identifier=WWC0000042E")).data, 0)
    await page.getByRole("button", { name: "Add", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: /WWC0000042E/ }).waitFor()
    const [added] = (await read("/credentials?identifier=WWC0000042E")).data
    assert.deepStrictEqual(added.attributes.owners, { applicant: null, worker: id })
  })
})

describe("an edit", () => {
  it("sends only the changed field, so that a dismissal in another tab stays", async () => {
    const { id } = await worker("Dan Dismissed", { employment: { status: "ACTIVE", jobTitle: "Nurse" } })
    const [first, second] = [await admin.opened(`/workers/${id}`), await admin.opened(`/workers/${id}`)]
    await first.page.getByRole("button", { name: "Edit" }).click()
    await first.page.getByLabel("Job title").fill("Cook")
    await second.page.getByRole("button", { name: "Edit" }).click()
    await second.page.getByLabel("Status").selectOption("TERMINATED")
    await second.page.getByRole("button", { name: "Save", exact: true }).click()
    await second.page.getByRole("dialog").waitFor({ state: "detached" })
    await first.page.getByRole("button", { name: "Save", exact: true }).click()
    const words = "Somebody else has changed this to “terminated” meanwhile."
    const told = first.page.getByText(words, { exact: true }).waitFor()
    const saved = first.page.getByRole("dialog").waitFor({ state: "detached" })
    await firstOf({ saved, told })
    assert.strictEqual((await read(`/workers/${id}`)).data.employment.status, "TERMINATED")
    await told
    await first.page.getByRole("button", { name: "Save", exact: true }).click()
    await first.page.getByRole("dialog").waitFor({ state: "detached" })
    assert.deepStrictEqual((await read(`/workers/${id}`)).data.employment, { status: "TERMINATED", jobTitle: "Cook" })
  })

  it("keeps what was typed after Escape is pressed twice", async () => {
    const { id } = await worker("Tess Typing")
    const { page } = await admin.opened(`/workers/${id}`)
    await page.getByRole("button", { name: "Edit" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Job title").fill("Nurse")
    for (const _ of [1, 2]) await page.keyboard.press("Escape")
    const told = dialog.getByText("Your changes are not saved.").waitFor()
    assert.strictEqual(await firstOf({ told, lost: closed(page) }), "told")
    assert.strictEqual(await dialog.getByLabel("Job title").inputValue(), "Nurse")
    await dialog.getByRole("button", { name: "Cancel" }).click()
    await dialog.waitFor({ state: "detached" })
  })

  it("corrects a mistyped card number", async () => {
    const { id: owner } = await worker("Cara Card")
    const { id } = await admin.add("/credentials", credentialOf({ worker: owner }))
    const { page } = await admin.opened(`/credentials/${id}`)
    await page.getByRole("button", { name: "Edit" }).click()
    await page.getByRole("dialog").getByLabel("Identifier").fill("WWC0000003E")
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: /WWC0000003E/ }).waitFor()
  })

  it("withdraws, deletes and restores an applicant", async () => {
    const { id } = await applicant("Wilma Withdrawn")
    const { page } = await admin.opened(`/applicants/${id}`)
    await page.getByRole("button", { name: "Edit" }).click()
    await page.getByLabel("Status").selectOption("WITHDRAWN")
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByRole("dialog").waitFor({ state: "detached" }) // its choices have the word too
    await page.getByText("withdrawn", { exact: true }).waitFor()
    await page.getByRole("button", { name: "Delete" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await page.getByText("Deleted on").waitFor()
    assert.strictEqual((await admin.call("GET", `/applicants/${id}`)).status, 404)
    await page.goto(page.url().replace(id, "?includeDeleted=true&query=wilma"))
    await page.getByRole("row").filter({ hasText: "deleted" }).getByRole("link", { name: "Wilma Withdrawn" }).click()
    await page.getByRole("button", { name: "Restore" }).press("Enter")
    await page.getByText("Deleted on").waitFor({ state: "detached" })
    await page.locator("#main:focus").waitFor()
    await page.getByRole("status").getByText("Wilma Withdrawn is restored.").waitFor()
    assert.strictEqual((await admin.call("GET", `/applicants/${id}`)).status, 200)
  })
})

it("keeps birth date, phone and email on hire, and shows them", async () => {
  const { id } = await applicant("Hope Hired", { phone: "0400 111 222", birthDate: "1990-04-01" })
  const { page } = await admin.opened(`/applicants/${id}`)
  await page.getByRole("button", { name: "Hire" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Hire" }).click()
  await page.waitForURL("**/console/workers/**")
  const { identity } = (await read(page.url().replace(/.*console/, ""))).data
  assert.deepInclude(identity, { birthDate: "1990-04-01" })
  for (const text of ["0400 111 222", "Hope.Hired@example.org", "Apr 1, 1990"]) await page.getByText(text).waitFor()
})

it("does not delete when Enter is pressed twice", async () => {
  const { id } = await worker("Kept Person")
  const { page } = await admin.opened(`/workers/${id}`)
  await page.getByRole("button", { name: "Delete" }).focus()
  await page.keyboard.press("Enter")
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).waitFor()
  await page.keyboard.press("Enter")
  await page.getByRole("dialog").waitFor({ state: "detached" })
  assert.strictEqual((await admin.call("GET", `/workers/${id}`)).status, 200)
})

describe("a bulk move", () => {
  /** Credentials of the API's longest batch and one more, which no test has to create. */
  const ids = Array.from({ length: 501 }, (_, index) => `cred_${String(index).padStart(16, "0")}`)

  interface Transfer {
    readonly from: { readonly id: string }
    readonly to: { readonly id: string }
    readonly credentialIds: ReadonlyArray<string>
  }

  /** Answers for the credentials of `ids`, and keeps the transfers. */
  const withMany = async (page: Page) => {
    const transfers: Array<Transfer> = []
    await page.route(/\/credentials\?.*sort=createdAt/, (route) =>
      route.fulfill({ json: { data: ids.map((id) => ({ id })), meta: { nextCursor: null, requestId: "" } } })
    )
    await page.route(/\/credentials\?.*includeTotal/, (route) =>
      route.fulfill({ json: { data: [], meta: { nextCursor: null, requestId: "", total: ids.length } } })
    )
    await page.route(/\/credentials\/transfer$/, (route) => {
      const body: Transfer = route.request().postDataJSON()
      transfers.push(body)
      const data = body.credentialIds.map((credentialId) => ({ credentialId, status: "transferred" }))
      return route.fulfill({ json: { data, meta: { total: data.length, succeeded: data.length, failed: 0 } } })
    })
    return transfers
  }

  const choose = async (page: Page, side: "From" | "To", name: string) => {
    const group = page.getByRole("group", { name: `${side}: person` })
    await group.getByRole("searchbox").fill(name)
    await group.getByLabel(name).check()
  }

  it("forgets the people of a stopped move when others are chosen", async () => {
    const [first, second] = [await worker("Mia Mover"), await worker("Ned Next")]
    const to = await worker("Tia Taker")
    const { page } = await admin.opened("/bulk-move")
    const transfers = await withMany(page)
    const hold = await held(page, /\/credentials\/transfer$/, "POST")
    await choose(page, "From", "Mia Mover")
    await choose(page, "To", "Tia Taker")
    await page.getByRole("button", { name: "Move", exact: true }).click()
    await page.getByRole("button", { name: "Stop", exact: true }).click()
    await hold.release()
    await page.getByRole("button", { name: "Resume" }).waitFor()
    await choose(page, "From", "Ned Next")
    await page.getByRole("button", { name: /^(Move|Resume)$/ }).click()
    await page.getByText("501 moved, 0 refused.").waitFor()
    assert.deepStrictEqual(
      transfers.map(({ credentialIds, from, to }) => [from.id, to.id, credentialIds.length]),
      [
        [first.id, to.id, 500],
        [second.id, to.id, 500],
        [second.id, to.id, 1]
      ]
    )
  })

  it("stops when the screen is left, and says so", async () => {
    await worker("Lex Leaver")
    await worker("Uma Taker")
    const { page } = await admin.opened("/bulk-move")
    await withMany(page)
    const hold = await held(page, /\/credentials\/transfer$/, "POST")
    await choose(page, "From", "Lex Leaver")
    await choose(page, "To", "Uma Taker")
    await page.getByRole("button", { name: "Move", exact: true }).click()
    await page.getByText("0 of 501").waitFor()
    await page.getByRole("link", { name: "Overview" }).click()
    const told = page.getByRole("status").getByText("The move from Lex Leaver to Uma Taker stops").waitFor()
    const answered = page.waitForResponse(/\/credentials\/transfer$/)
    await hold.release()
    await answered
    await page.getByRole("link", { name: "Workers" }).click()
    await page.getByRole("link", { name: "Lex Leaver" }).waitFor()
    assert.strictEqual(hold.count(), 1)
    await told
  })
})

it("shows no other person's name while a person loads", async () => {
  const [first, second] = [await worker("Fay First"), await worker("Sam Second")]
  const { page } = await admin.opened(`/workers/${first.id}`)
  await page.getByRole("heading", { level: 1, name: "Fay First" }).waitFor()
  const call = new RegExp(`/v1/workers/${second.id}\\b`)
  const hold = await held(page, call, "GET")
  const asked = page.waitForRequest(call)
  await page.evaluate(`
    const link = Object.assign(document.createElement("a"), { href: "/console/workers/${second.id}" })
    document.getElementById("main").append(link)
    link.click()`)
  await asked
  assert.strictEqual(await page.getByRole("heading", { level: 1 }).textContent(), "Worker")
  assert.strictEqual(await page.getByText("Fay First").count(), 0)
  await hold.release()
  await page.getByRole("heading", { level: 1, name: "Sam Second" }).waitFor()
})

it("keeps a secret in sight after Escape is pressed twice", async () => {
  const { page } = await admin.opened("/clients")
  await page.getByRole("button", { name: /^Make/ }).click()
  await page.getByRole("dialog").getByLabel("Name").fill("Kept client")
  await page.getByRole("dialog").getByRole("button", { name: "Make" }).click()
  const secret = page.getByRole("dialog").getByText("It is shown this once")
  await secret.waitFor()
  for (const _ of [1, 2, 3]) await page.keyboard.press("Escape")
  const kept = page.getByRole("alert").getByText("Escape would lose it").waitFor()
  assert.strictEqual(await firstOf({ kept, lost: closed(page) }), "kept")
  assert.isTrue(await secret.isVisible())
})

it.each([320, 1280])("keeps a name of 200 letters within %i pixels", async (width) => {
  const name = "A".repeat(200)
  const { id } = await worker(name)
  const credential = await admin.add("/credentials", credentialOf({ worker: id }, "WWC1234501E"))
  const candidate = await applicant(name, { emailAddress: `${"a".repeat(60)}@example.org` })
  const webhook = { name, url: "https://receiver.invalid/", events: ["webhook.test"] }
  const { id: webhookId } = await admin.add("/webhooks", webhook)
  const paths = [
    "/workers?query=aaaa",
    `/workers/${id}`,
    "/applicants?query=aaaa",
    `/applicants/${candidate.id}`,
    `/credentials/${credential.id}`,
    "/credentials",
    "/expiring?days=30",
    "/webhooks",
    `/webhooks/${webhookId}`
  ]
  for (const path of paths) {
    const { page } = await admin.opened(path)
    await page.setViewportSize({ width, height: 800 })
    await page.getByText(name).first().waitFor()
    assert.isAtMost(Number(await page.evaluate("document.documentElement.scrollWidth")), width, path)
    await page.close()
  }
})

it("lists a card that expires in 30 days within 30 days", async () => {
  const { id } = await worker("Edge Of Month")
  await admin.add("/credentials", credentialOf({ worker: id }, "WWC1234501E")) // valid for 30 days
  const { page } = await admin.opened("/expiring?days=60")
  const row = page.getByRole("row").filter({ hasText: "Edge Of Month" })
  await row.waitFor()
  await page.goto(page.url().replace("days=60", "days=30"))
  await page.waitForLoadState("networkidle")
  assert.strictEqual(await row.getByText("in 30 days").count(), 1)
})

describe("the histories of a credential", () => {
  it("reach back beyond a page", async () => {
    const [first, second] = [await worker("Ada Page"), await worker("Bea Page")]
    const { id } = await admin.add("/credentials", credentialOf({ worker: first.id }))
    for (let turn = 0; turn < 26; turn++) {
      const [from, to] = turn % 2 === 0 ? [first, second] : [second, first]
      await admin.call("POST", `/credentials/${id}/transfer`, {
        from: { type: "worker", id: from.id },
        to: { type: "worker", id: to.id }
      })
    }
    const { page } = await admin.opened(`/credentials/${id}`)
    const pages = page.getByRole("navigation", { name: "Pages of ownership" })
    await pages.getByRole("button", { name: "Next page" }).click()
    await pages.getByRole("button", { name: "First page" }).waitFor()
    await page
      .getByRole("listitem")
      .filter({ hasText: /^(create|transfer)/ })
      .first()
      .waitFor()
  })

  it("show the verdict as soon as it is there", async () => {
    const { id: owner } = await worker("Liv Later")
    const attributes = { credentialType: "WWVP_ACT", identifier: "1234567", owners: { worker: owner } }
    const { id } = await admin.add("/credentials", { attributes }) // a person decides
    const page = await admin.context.newPage()
    // The history keeps its first answer until the credential is answered with the verdict.
    let first: unknown
    let isDecided = false
    page.on("response", async (response) => {
      const path = new URL(response.url()).pathname
      if (path.endsWith(`${id}/verifications`)) first ??= await response.json()
      if (path.endsWith(`/credentials/${id}`)) isDecided ||= (await response.text()).includes("MAY_ENGAGE")
    })
    await page.route(/\/verifications\?/, (route) =>
      first === undefined || isDecided ? route.fallback() : route.fulfill({ json: first })
    )
    await page.goto(`${service.origin}/console/credentials/${id}`)
    await page.getByRole("listitem").filter({ hasText: "by" }).getByText("in progress").waitFor()
    await admin.call("POST", `/credentials/${id}/review`, { statusDetail: "VALID" })
    await page.getByRole("definition").getByText("may engage").waitFor()
    await page.getByRole("listitem").filter({ hasText: "by" }).getByText("may engage").waitFor()
  })

  it("offer a decision by hand only where no register answers", async () => {
    const { id: owner } = await worker("Dee Decision")
    const { id } = await admin.add("/credentials", credentialOf({ worker: owner }))
    const page = await admin.context.newPage()
    const { data, ...others } = await read(`/credentials/${id}?include=owners`)
    const attributes = { ...data.attributes, eligibility: "IN_PROGRESS", statusDetail: "PENDING" }
    await page.route(new RegExp(`/openapi/v1/credentials/${id}\\?`), (route) =>
      route.fulfill({ json: { ...others, data: { ...data, attributes } } })
    )
    await page.goto(`${service.origin}/console/credentials/${id}`)
    await page.getByText("in progress").first().waitFor()
    await page.getByRole("button", { name: "Transfer" }).waitFor()
    assert.strictEqual(await page.getByRole("button", { name: "Decide by hand" }).count(), 0)
  })
})
