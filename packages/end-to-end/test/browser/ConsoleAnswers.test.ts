/** A person answers a request on a phone without script, an officer approves the answer, and both are told. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  accessibilityFaults,
  administrator,
  assertAccessible,
  looks,
  type Visitor
} from "@wcs/end-to-end/browser/Screens"
import { type Service, start } from "@wcs/end-to-end/browser/Service"
import type { BrowserContext, Page } from "playwright-core"
import { afterAll, assert, beforeAll, expect, it } from "vitest"

const pdf = "%PDF-1.7\n% A card.\nstartxref\n9\n%%EOF\n"

const mail = mkdtempSync(join(tmpdir(), "wcs-mail-"))

let service: Service
let admin: Visitor
let phone: BrowserContext

beforeAll(async () => {
  service = await start({
    WCS_MESSAGES: "folder",
    WCS_MESSAGES_FROM: "wcs@example.org",
    WCS_MESSAGES_FOLDER: mail
  })
  admin = await administrator(service)
  phone = await service.visit(false)
  const settings = { enabled: true, timeOfDay: "07:00", weekday: "MONDAY", language: "en", templates: {} }
  const chosen = { ...settings, tellsOfCards: false, tellsOfRequests: true }
  assert.strictEqual((await admin.call("PUT", "/message-settings", chosen)).status, 200)
})
afterAll(async () => {
  await service.end()
  rmSync(mail, { recursive: true, force: true })
})

/** The texts of all messages, without the soft line breaks of quoted-printable. */
const messages = (): ReadonlyArray<string> =>
  readdirSync(mail)
    .filter((name) => name.endsWith(".eml"))
    .map((name) =>
      readFileSync(join(mail, name), "utf8")
        .replaceAll(/=\r?\n/g, "")
        .replaceAll("=3D", "=")
    )

const linkTo = (address: string): string | undefined =>
  messages()
    .filter((text) => text.includes(`To: ${address}`) || text.includes(`<${address}>`))
    .flatMap((text) => /\/answer\/[0-9A-Za-z]{43}/.exec(text) ?? [])[0]

const found = async <A>(look: () => A | undefined): Promise<A> => {
  await expect.poll(look, { timeout: 20_000 }).toBeDefined()
  return look() as A
}

/** A worker with an address, a request, and the link of its message. */
const asked = async (address: string) => {
  const worker = await admin.add("/workers", {
    identity: { displayName: "Ann Secret", birthDate: "1990-04-01" },
    contact: { workEmail: address }
  })
  const body = { worker: { id: worker.id }, requestedCredentialTypes: ["WWCC_NSW"], message: "For the ward North" }
  const request = await admin.add("/fetch-requests", body)
  return { worker, request, link: service.origin + (await found(() => linkTo(address))) }
}

/** Checks a page of the person on a phone: axe needs script, so the page is loaded as its own text into another one. */
const assertPhonePage = async (page: Page) => {
  assert.isAtMost(Number(await page.evaluate("document.documentElement.scrollWidth")), 360, "scrolls sideways")
  const html = await page.content()
  assert.notInclude(html, "Ann Secret")
  assert.notInclude(html, "<script")
  const scripted = await service.visit()
  const copy = await scripted.newPage()
  await copy.setViewportSize({ width: 360, height: 740 })
  await copy.setContent(html)
  assert.deepStrictEqual(await accessibilityFaults(copy), [])
  await scripted.close()
}

it("takes a card in two minutes: the officer approves, the card is verified, and both are told", async () => {
  const { link, worker } = await asked("ann@example.org")
  const page = await phone.newPage()
  await page.setViewportSize({ width: 360, height: 740 })
  const begun = Date.now()
  await page.goto(link)
  await assertPhonePage(page)
  await page.getByRole("button", { name: "Begin" }).click()
  await page.getByText("For the ward North").waitFor()
  await assertPhonePage(page)
  await page.getByLabel("Number of the card").fill("wwc 123 4567 e")
  await page.getByLabel("Family name, as on the card").fill("Example")
  await page.getByLabel("Date of birth").fill("2990-04-01")
  await page.getByRole("checkbox").check()
  await page.getByRole("button", { name: "Check and continue" }).click()
  await page.getByRole("alert").getByText("must not be in the future").waitFor()
  await assertPhonePage(page)
  await page.getByLabel("Date of birth").fill("1990-04-01")
  await page.getByRole("button", { name: "Check and continue" }).click()
  await page.getByText("WWC1234567E").waitFor()
  await assertPhonePage(page)
  await page.getByRole("button", { name: /^Send to/ }).click()
  await page.getByText("Your answer was sent.").waitFor()
  const file = { name: "card.pdf", mimeType: "application/pdf", buffer: Buffer.from(pdf) }
  await page.getByLabel(/^Add a photo/).setInputFiles(file)
  await page.getByRole("button", { name: "Add the file" }).click()
  await page.getByRole("listitem").getByText("card.pdf").waitFor()
  assert.isBelow(Date.now() - begun, 120_000)
  await assertPhonePage(page)

  const { faults, page: screen } = await admin.opened("/tasks")
  await screen.getByRole("cell", { name: "the person has answered a request" }).waitFor()
  await screen.getByRole("link", { name: "answer", exact: true }).click()
  await screen.getByRole("cell", { name: "WWC1234567E" }).waitFor()
  await screen.getByText("I agree that").waitFor()
  const saving = screen.waitForEvent("download")
  await screen.getByRole("button", { name: "Download card.pdf" }).click()
  assert.strictEqual(readFileSync(await (await saving).path(), "utf8"), pdf)
  await screen.getByRole("button", { name: "Approve" }).click()
  await screen.getByRole("dialog").getByRole("button", { name: "Approve" }).click()
  await screen.getByText("The cards are written.").waitFor()
  assert.deepStrictEqual(faults, [])
  const cards = () => admin.call("GET", `/credentials?ownerType=worker&ownerId=${worker.id}`)
  await expect
    .poll(async () => (await cards()).json.data[0]?.attributes.eligibility, { timeout: 20_000 })
    .toBe("MAY_ENGAGE")
  const decided = () => messages().find((text) => text.includes("ann@example.org") && /accepted/i.test(text))
  await found(decided)
  await screen.close()
})

it("threat 83: shows what was entered as text, needs a code on another device, and tells the reason of a rejection", async () => {
  const { link } = await asked("bo@example.org")
  const page = await phone.newPage()
  await page.goto(link)
  await page.getByRole("button", { name: "Begin" }).click()
  await page.getByLabel("Number of the card").fill("WWC7654321E")
  await page.getByLabel("Family name, as on the card").fill("<b>Example</b>")
  await page.getByLabel("Date of birth").fill("1990-04-01")
  await page.getByRole("checkbox").check()
  await page.getByRole("button", { name: "Check and continue" }).click()
  await page.getByRole("button", { name: /^Send to/ }).click()
  await page.getByText("Your answer was sent.").waitFor()

  const tablet = await service.visit(false)
  const other = await tablet.newPage()
  await other.goto(link)
  await other.getByText("was opened on another device").waitFor()
  assert.notInclude(await other.content(), "WWC7654321E")
  await other.getByRole("button", { name: "Send me a code" }).click()
  const code = await found(
    () =>
      messages()
        .filter((text) => text.includes("bo@example.org") && !text.includes("/answer/"))
        .flatMap((text) => /\b\d{8}\b/.exec(text.slice(text.indexOf("\r\n\r\n"))) ?? [])[0]
  )
  await other.getByLabel("Code").fill(code)
  await other.getByRole("button", { name: "Continue" }).click()
  assert.strictEqual(await other.getByLabel("Number of the card").inputValue(), "WWC7654321E")
  await page.reload()
  assert.notInclude(await page.content(), "WWC7654321E")
  const { faults, page: screen } = await admin.opened("/answers?state=WAITING")
  await screen.getByRole("link", { name: "of a worker" }).click()
  await screen.getByRole("cell", { name: "<b>Example</b>" }).waitFor()
  await screen.getByRole("button", { name: "Reject" }).click()
  await screen.getByLabel("Reason").fill("The family name is not readable")
  await screen.getByRole("dialog").getByRole("button", { name: "Reject" }).click()
  await screen.getByText("The answer is rejected.").waitFor()
  assert.deepStrictEqual(faults, [])
  await other.reload()
  await other.getByText("The family name is not readable").waitFor()
  await tablet.close()
  await found(() => messages().find((text) => text.includes("The family name is not readable")))
  await screen.close()
})

it("keeps what a person has typed while the service is away: a reload sends it when the service is back", async () => {
  const { link } = await asked("cy@example.org")
  const page = await phone.newPage()
  await page.goto(link)
  await page.getByRole("button", { name: "Begin" }).click()
  await page.getByLabel("Number of the card").fill("WWC2223334E")
  await page.getByLabel("Family name, as on the card").fill("Away")
  await page.getByLabel("Date of birth").fill("1990-04-01")
  await page.getByRole("checkbox").check()
  const restart = await service.interrupt()
  await page.getByRole("button", { name: "Check and continue" }).click()
  await page.waitForURL("chrome-error://**")
  await restart()
  await page.reload()
  await page.getByText("WWC2223334E").waitFor()
  await page.getByRole("button", { name: /^Send to/ }).click()
  await page.getByText("Your answer was sent.").waitFor()
  await page.close()
})

it.each(looks)("has no accessibility faults in $colorScheme colors at $width pixels", async (look) => {
  const { json } = await admin.call("GET", "/answers")
  for (const path of ["/answers", `/answers/${json.data[0].id}`]) await assertAccessible(admin, path, look)
})
