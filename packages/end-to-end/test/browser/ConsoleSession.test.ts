import { enterPassword, nextCode, wrongCode } from "@wcs/end-to-end/browser/Pages"
import {
  administrator,
  assertAccessibleNow,
  credentialOf,
  invited,
  type Visitor
} from "@wcs/end-to-end/browser/Screens"
import { cookieName, password, type Service, start } from "@wcs/end-to-end/browser/Service"
import type { Page } from "playwright-core"
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

/** Ends the session of a browser, as a browser forgets its cookie or an administrator ends it. */
const endSession = ({ context }: Visitor) => context.clearCookies({ name: cookieName(service) })

const ended = (page: Page) => page.getByRole("dialog", { name: "Your session has ended" })

const logIn = async (page: Page) => {
  await ended(page).getByLabel("Password").fill(password)
  await ended(page).getByRole("button", { name: "Log in", exact: true }).click()
}

/** Opens the edit of a new worker in the list of a visitor, and types a job. */
const typing = async (visitor: Visitor, displayName: string) => {
  const { id } = await admin.add("/workers", { identity: { displayName } })
  const { page } = await visitor.opened(`/workers/${id}`)
  await page.getByRole("button", { name: "Edit" }).click()
  await page.getByLabel("Job title").fill("Typed before the end")
  await page.waitForLoadState("networkidle") // a late call of the screen would open the dialog before the test does
  return { id, page }
}

const jobOf = async (id: string) => (await admin.call("GET", `/workers/${id}`)).json.data.employment?.jobTitle

describe("the end of a session", () => {
  it("asks in place for password and second factor, keeps what was typed, and repeats the call", async () => {
    const { id, page } = await typing(admin, "Sessa End")
    await endSession(admin)
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await ended(page).waitFor()
    await page.getByRole("dialog", { name: "Edit Sessa End" }).waitFor({ state: "hidden" })
    assert.strictEqual(await page.getByText("Sessa End").first().isVisible(), false)
    await page.keyboard.press("Escape")
    await assertAccessibleNow(page)
    await logIn(page)
    await ended(page).getByRole("status").getByText("Next: Code of your authenticator app").waitFor()
    await assertAccessibleNow(page)
    const code = ended(page).getByLabel("Code of your authenticator app")
    await code.fill(wrongCode(service.machine, service.admin.seed))
    await ended(page).getByRole("button", { name: "Log in", exact: true }).click()
    await ended(page).getByRole("alert").waitFor()
    await code.fill(nextCode(service.machine, service.admin.seed))
    await ended(page).getByRole("button", { name: "Log in", exact: true }).click()
    await page.getByText("Typed before the end").waitFor()
    await ended(page).waitFor({ state: "detached" })
    assert.strictEqual(await jobOf(id), "Typed before the end")
  })

  it("accepts a recovery code, also after a new start", async () => {
    const { id, page } = await typing(admin, "Reco Code")
    await endSession(admin)
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await logIn(page)
    await ended(page).getByRole("button", { name: "Start again" }).click()
    await logIn(page)
    await ended(page).getByRole("button", { name: "Use a recovery code" }).click()
    await ended(page)
      .getByLabel("Recovery code")
      .fill(service.admin.recoveryCodes[0] ?? "")
    await ended(page).getByRole("button", { name: "Log in", exact: true }).click()
    await page.getByText("Typed before the end").waitFor()
    assert.strictEqual(await jobOf(id), "Typed before the end")
  })

  it("keeps nothing of a screen on which nothing was typed", async () => {
    const person = await invited(service, "reader@example.org", "Viewer")
    const { page } = await person.opened("/workers?query=sessa")
    await page.getByRole("link", { name: "Sessa End" }).waitFor()
    await endSession(person)
    await page.getByLabel("Order").selectOption("createdAt:desc")
    await page.getByRole("heading", { level: 1, name: "Your session has ended" }).waitFor()
    assert.strictEqual(await page.getByText("Sessa End").count(), 0)
    await page.getByRole("button", { name: "Log in again" }).click()
    await page.getByLabel("Email").fill("reader@example.org")
    await page.getByLabel("Password").fill(password)
    await page.getByRole("button", { name: "Log in" }).click()
    await page.waitForURL("**/console/workers?query=sessa&sort=createdAt%3Adesc")
  })

  it("leads to another tab if a second factor has to be set up", async () => {
    const person = await invited(service, "enrols@example.org", "Admin")
    const { page } = await typing(person, "Enrol First")
    await endSession(person)
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.route("**/login", (route) =>
      route.request().method() === "POST" ? route.fulfill({ json: { next: "enrolment" } }) : route.continue()
    )
    await logIn(page)
    await ended(page).getByRole("link", { name: "Set it up in another tab" }).waitFor()
    assert.strictEqual(await page.title(), "Workforce Compliance")
  })

  it("goes on after a login in another tab, as through an organization", async () => {
    const person = await invited(service, "tabs@example.org", "Admin")
    const { id, page } = await typing(person, "Tab Other")
    await endSession(person)
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await ended(page)
      .getByRole("link", { name: /through your organization/ })
      .waitFor()
    const other = await person.context.newPage()
    await enterPassword(other, service.origin, "tabs@example.org", password)
    await other.waitForURL("**/console")
    await page.bringToFront()
    await page.evaluate("dispatchEvent(new Event('focus'))")
    await ended(page).waitFor({ state: "detached" })
    await page.getByText("Typed before the end").waitFor()
    assert.strictEqual(await jobOf(id), "Typed before the end")
  })

  it("shows nothing of the person before to another person, who gets a new page", async () => {
    const person = await invited(service, "first@example.org", "Admin")
    const { id, page } = await typing(person, "Private Form")
    const questions: Array<string> = []
    page.on("dialog", (dialog) => {
      questions.push(dialog.type())
      dialog.dismiss()
    })
    await endSession(person)
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await ended(page).waitFor()
    await invited(service, "second@example.org", "Viewer")
    const other = await person.context.newPage()
    await enterPassword(other, service.origin, "second@example.org", password)
    await other.waitForURL("**/console")
    await page.evaluate("dispatchEvent(new Event('focus'))")
    await page.getByRole("heading", { level: 2, name: "second@example.org" }).waitFor()
    assert.strictEqual(await page.getByLabel("Job title").count(), 0)
    assert.strictEqual(await jobOf(id), undefined)
    assert.deepStrictEqual(questions, [])
  })

  it("can be left without another question, and then nothing stays in the page", async () => {
    const person = await invited(service, "leaves@example.org", "Admin")
    const { page } = await typing(person, "Left Behind")
    const questions: Array<string> = []
    page.on("dialog", (dialog) => {
      questions.push(dialog.type())
      dialog.dismiss()
    })
    await endSession(person)
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await ended(page).getByRole("button", { name: "Leave, and lose what I typed" }).click()
    await page.waitForURL("**/login")
    assert.deepStrictEqual(questions, [])
    assert.strictEqual(await page.getByText("Left Behind").count(), 0)
  })
})

describe("a link to a screen", () => {
  it("survives the login with a second factor, once", async () => {
    const context = await service.visit()
    const page = await context.newPage()
    await page.goto(`${service.origin}/console/workers?query=sessa`)
    await page.waitForURL("**/login")
    await page.getByLabel("Email").fill(service.admin.email)
    await page.getByLabel("Password").fill(password)
    await page.getByRole("button", { name: "Log in" }).click()
    await page.getByLabel("Six-digit code").fill(nextCode(service.machine, service.admin.seed))
    await page.getByRole("button", { name: "Log in" }).click()
    await page.waitForURL("**/console/workers?query=sessa")
    await page.getByRole("link", { name: "Sessa End" }).waitFor()
    await page.goto(`${service.origin}/console`)
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
    assert.isNull(await page.evaluate("sessionStorage.getItem('wcs.next')"))
  })

  it("leads nowhere else: the wanted address is one of the console", async () => {
    const { page } = await admin.opened("")
    for (const address of ["//evil.example", "https://evil.example/console", "/logout", "javascript:alert(1)"]) {
      await page.evaluate(
        (wanted) => sessionStorage.setItem("wcs.next", JSON.stringify({ address: wanted, at: Date.now() })),
        address
      )
      await page.goto(`${service.origin}/console`)
      await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
      assert.strictEqual(page.url(), `${service.origin}/console`)
    }
  })
})

describe("leaving a changed form", () => {
  const question = (page: Page) => page.getByRole("dialog", { name: "Leave without saving?" })

  const typed = async () => {
    const { faults, page } = await admin.opened("/workers")
    await page.getByRole("link", { name: "Add a worker" }).click()
    await page.getByLabel("Display name").fill("Half Typed")
    return { faults, page }
  }

  it("asks at a link, with the focus on Stay", async () => {
    const { faults, page } = await typed()
    await page.getByRole("link", { name: "Applicants" }).click()
    await question(page).waitFor()
    await assertAccessibleNow(page)
    await page.keyboard.press("Enter")
    await question(page).waitFor({ state: "detached" })
    assert.strictEqual(await page.getByLabel("Display name").inputValue(), "Half Typed")
    await page.getByRole("link", { name: "Applicants" }).click()
    await question(page).getByRole("button", { name: "Leave" }).click()
    await page.getByRole("heading", { level: 1, name: "Applicants" }).waitFor()
    assert.deepStrictEqual(faults, [])
  })

  it("asks at the browser's Back, keeps the address, and goes back if wanted", async () => {
    const { page } = await typed()
    await page.goBack()
    await question(page).getByRole("button", { name: "Stay" }).click()
    assert.match(page.url(), /\/console\/workers\/new$/)
    assert.strictEqual(await page.getByLabel("Display name").inputValue(), "Half Typed")
    await page.goBack()
    await question(page).getByRole("button", { name: "Leave" }).click()
    await page.getByRole("heading", { level: 1, name: "Workers" }).waitFor()
    assert.match(page.url(), /\/console\/workers$/)
  })

  it("asks before the search or the end of the session would lose it", async () => {
    const { page } = await typed()
    await page.keyboard.press("Control+k")
    await page.getByRole("combobox", { name: "Name, card number or your id" }).fill("sessa")
    await page.getByRole("option", { name: /Sessa End/ }).click()
    await question(page).getByRole("button", { name: "Stay" }).click()
    await page.getByRole("button", { name: "Log out" }).click()
    await question(page).getByRole("button", { name: "Stay" }).click()
    assert.strictEqual(await page.getByLabel("Display name").inputValue(), "Half Typed")
  })

  it("asks when the tab is closed, but not after the form was sent, nor when nothing was typed", async () => {
    const { page } = await typed()
    const asked = page.waitForEvent("dialog")
    await page.close({ runBeforeUnload: true })
    const dialog = await asked
    assert.strictEqual(dialog.type(), "beforeunload")
    await dialog.dismiss()
    await page.getByRole("button", { name: "Add", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: "Half Typed" }).waitFor()
    await page.getByRole("link", { name: "Applicants" }).click()
    await page.getByRole("heading", { level: 1, name: "Applicants" }).waitFor()
    await page.getByRole("link", { name: "Add an applicant" }).click()
    await page.goBack()
    await page.getByRole("heading", { level: 1, name: "Applicants" }).waitFor()
  })
})

describe("the search", () => {
  it("finds people by name, and cards by number, with the keyboard and with two calls a pause, three with a digit", async () => {
    const worker = await admin.add("/workers", {
      identity: { displayName: "Quentin Quest" },
      source: { externalId: "find-77" }
    })
    await admin.add("/applicants", { displayName: "Quilla Quest", emailAddress: "quilla@example.org" })
    const card = await admin.add("/credentials", credentialOf({ worker: worker.id }, "WWC1234599E"))
    await admin.add("/applicants", { displayName: "Ida Digits", emailAddress: "ida1990@example.org" })
    const { faults, page } = await admin.opened("/matrix")
    await page.waitForLoadState("networkidle")
    const calls: Array<string> = []
    page.on("request", (request) => {
      if (/\/(workers|applicants|credentials)\?/.test(request.url())) calls.push(request.url())
    })
    await page.keyboard.press("Control+k")
    const box = page.getByRole("combobox", { name: "Name, card number or your id" })
    await box.fill("quest")
    await page.getByRole("option", { name: /Quentin Quest/ }).waitFor()
    await page.getByRole("option", { name: /Quilla Quest/ }).waitFor()
    assert.lengthOf(calls, 2)
    await assertAccessibleNow(page)
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { level: 1, name: "Quilla Quest" }).waitFor()
    await page.getByRole("button", { name: /^Search/ }).click()
    await box.fill("wwc 1234599")
    await page.getByRole("option", { name: /WWC1234599E/ }).click()
    await page.waitForURL(`**/console/credentials/${card.id}`)
    await page.keyboard.press("Control+k")
    await box.fill("ida1990@example")
    await page.getByRole("option", { name: /^Ida Digits/ }).waitFor()
    // Enter before the answer opens what is found for this text
    await box.fill("find-77")
    await page.keyboard.press("Enter")
    await page.waitForURL(`**/console/workers/${worker.id}`)
    await page.keyboard.press("Control+k")
    await box.fill("zzz")
    await page.getByText("No name, number or id begins with this text.").waitFor()
    await page.getByRole("option", { name: "All applicants with “zzz”" }).click()
    await page.waitForURL("**/console/applicants?query=zzz")
    assert.deepStrictEqual(faults, [])
  })

  it("shows no answer about an older text", async () => {
    await admin.add("/workers", { identity: { displayName: "Olden Text" } })
    await admin.add("/workers", { identity: { displayName: "Newer Text" } })
    const { page } = await admin.opened("/matrix")
    let isSlow = false
    await page.route("**/workers?query=*", async (route) => {
      if (isSlow) await new Promise((resolve) => setTimeout(resolve, 1500))
      await route.continue()
    })
    await page.keyboard.press("Control+k")
    await page.getByRole("combobox", { name: "Name, card number or your id" }).fill("olden")
    await page.getByRole("option", { name: /Olden Text/ }).waitFor()
    isSlow = true
    await page.getByRole("combobox", { name: "Name, card number or your id" }).fill("newer")
    await page.getByText("Searching").waitFor()
    assert.strictEqual(await page.getByRole("option", { name: /Olden/ }).count(), 0)
    await page.getByRole("option", { name: /Newer Text/ }).waitFor()
  })
})
