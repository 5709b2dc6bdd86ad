/**
 * The day of a compliance officer, from the start page to the checked proof, without an address typed. The page counts
 * its clicks and typed fields, and each part bounds them.
 */
import { administrator, credentialOf, invited, type Visitor } from "@wcs/end-to-end/browser/Screens"
import { type Service, start } from "@wcs/end-to-end/browser/Service"
import { Effect } from "effect"
import type { Locator, Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { run } from "../audit/Places.ts"
import type { Environment } from "../Process.ts"

let service: Service
let admin: Visitor
let officer: { readonly page: Page; readonly faults: ReadonlyArray<string> }

/** Counts in the page: clicks, chosen files and keys that act count as clicks; texts and choices as fields. */
const counting = `
  const effort = (window.effort = { clicks: 0, fields: 0 })
  const isChosen = ({ type }) => type === "checkbox" || type === "radio"
  addEventListener("click", ({ isTrusted }) => { if (isTrusted) effort.clicks += 1 }, true)
  addEventListener("keydown", ({ ctrlKey, key }) => { if (key === "Enter" || (ctrlKey && key === "k")) effort.clicks += 1 }, true)
  addEventListener("input", ({ target }) => {
    if (target.type === "file") effort.clicks += 1
    else if (!isChosen(target)) effort.fields += 1
  }, true)
`

interface Effort {
  readonly clicks: number
  readonly fields: number
}

/** A part of the day, with the most clicks and typed fields that it may cost. */
const part = (name: string, most: Effort, walk: (page: Page) => Promise<void>) =>
  it(name, async () => {
    const { faults, page } = officer
    await page.evaluate("Object.assign(effort, { clicks: 0, fields: 0 })")
    await walk(page)
    const { clicks, fields }: Effort = await page.evaluate("effort")
    assert.isAtMost(clicks, most.clicks, "clicks")
    assert.isAtMost(fields, most.fields, "typed fields")
    assert.isAbove(clicks, 0)
    assert.deepStrictEqual(faults, [])
  })

const button = (page: Page | Locator, name: string | RegExp) => page.getByRole("button", { name, exact: true })
const link = (page: Page | Locator, name: string | RegExp) => page.getByRole("link", { name, exact: true })
const menu = (page: Page, name: string) => link(page.getByRole("navigation").first(), name)
const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { level: 1, name, exact: true })

/** The cells of the rows with a fault, each with another one. */
const faulty: ReadonlyArray<ReadonlyArray<string>> = [
  ["E001", "Twice", "Example", "1/2/1990", "twice@example.org", "1/3/2026"],
  ["E302", "Odd", "Day", "31/02/1990", "odd@example.org", "1/3/2026"],
  ["E303", "Odd", "Month", "12/13/1990", "month@example.org", "1/3/2026"],
  ["E304", "Odd", "Year", "1/2/90", "year@example.org", "1/3/2026"],
  ["E305", "Serial", "Number", "32874", "serial@example.org", "1/3/2026"],
  ["E306", "Odd", "Email", "1/2/1990", "at example.org", "1/3/2026"],
  ["E307", "Odd", "Start", "1/2/1990", "start@example.org", "soon"],
  ["E308", "", "", "1/2/1990", "nobody@example.org", "1/3/2026"],
  ["E309", "Not", "Born", "1/2/2190", "future@example.org", "1/3/2026"],
  ["E310", "x".repeat(300), "Long", "1/2/1990", "long@example.org", "1/3/2026"],
  ["E311", "Too", "Many", "1/2/1990", "many@example.org", "1/3/2026", "more"],
  ["E312", "Other", "Unit", "1/2/1990", "two@example.org, three@example.org", "1/3/2026"]
]

const people = Array.from({ length: 288 }, (_, index) => {
  const number = String(index + 1).padStart(3, "0")
  return [
    `E${number}`,
    `First${number}`,
    `Last${number}`,
    `${(index % 28) + 1}/04/1990`,
    `p${number}@example.org`,
    "1/3/2026"
  ]
})

/** 300 rows. Ann was entered by hand before. */
const sheet = [
  ["Employee no", "First name", "Surname", "Date of birth", "Email", "Start date"],
  ["E001", "Ann", "Example", "1/4/1990", "ann@example.org", "1/3/2026"],
  ...people.slice(1),
  ...faulty
].map((cells) => cells.map((cell) => (cell.includes(",") ? `"${cell}"` : cell)).join(","))

beforeAll(async () => {
  service = await start()
  admin = await administrator(service)
  await admin.add("/workers", { identity: { displayName: "Ann Example", birthDate: "1990-04-01" } })
  const carl = await admin.add("/workers", { identity: { displayName: "Carl Condition" } })
  const registered = credentialOf({ worker: carl.id }, "NMW0001234568")
  await admin.add("/credentials", { attributes: { ...registered.attributes, credentialType: "AHPRA_REGISTRATION" } })
  const visitor = await invited(service, "officer@example.org", "Admin")
  await visitor.context.addInitScript(counting)
  officer = await visitor.opened("/")
})
afterAll(async () => {
  await service.end()
})

const dayIn = (days: number) => new Date(service.machine.now() + days * 86_400_000).toISOString().slice(0, 10)

describe("an officer's day", () => {
  part("begins with a check, to which the overview leads", { clicks: 4, fields: 2 }, async (page) => {
    await link(page, "Add a compliance check").click()
    await button(page, "Add a compliance check").click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Code").fill("children")
    await dialog.getByLabel("Name").fill("Work with children")
    await dialog
      .getByLabel(/New South Wales/)
      .first()
      .click()
    await button(dialog, "Add").click()
    await link(page, "Work with children").waitFor()
  })

  part("imports 300 people from a spreadsheet with 12 faulty rows", { clicks: 6, fields: 0 }, async (page) => {
    await menu(page, "Imports").click()
    const file = { name: "intake.csv", mimeType: "text/csv", buffer: Buffer.from(sheet.join("\n")) }
    await page.getByLabel("CSV file").setInputFiles(file)
    await button(page, "Upload").click()
    await button(page, "Check the rows").click()
    await page.getByText("Correct these rows, and import them in a file of their own.").waitFor()
    assert.strictEqual(await page.getByRole("table", { name: "Rows with a fault" }).getByRole("row").count(), 13)
    await page.getByRole("row", { name: /^297 The row has no name/ }).waitFor()
    await page.getByLabel("Also import what repeats somebody: 1 row").click()
    await button(page, "Import 288 rows").click()
    await page.getByText("The import is done.").waitFor()
  })

  part("merges the record that somebody had entered by hand", { clicks: 5, fields: 0 }, async (page) => {
    await menu(page, "Duplicates").click()
    await link(page, /^Compare/).click()
    await page.getByText("they do not move: Your id, First name, Last name, Work email, First day.").waitFor()
    await link(page, "Keep the other one").click()
    await page.getByText("they do not move").waitFor({ state: "detached" })
    await button(page, "Merge").click()
    await button(page.getByRole("dialog"), "Merge").click()
    await heading(page, "Ann Example").waitFor()
    await page.getByText("E001").waitFor()
  })

  part("adds a card, and corrects its mistyped number", { clicks: 4, fields: 3 }, async (page) => {
    await link(page, "Add a credential").click()
    await page.getByText("Owner: Ann Example").waitFor()
    await page.getByLabel("Type").selectOption("WWCC_NSW")
    await page.getByLabel("Identifier").fill("WWC1234576E")
    assert.strictEqual(await page.getByLabel("Last name of the holder").inputValue(), "Example")
    assert.strictEqual(await page.getByLabel("Birth date of the holder").inputValue(), "1990-04-01")
    await button(page, "Add").click()
    await page.getByText("The register knows no card with this number.").waitFor()
    await button(page, "Correct the details").click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Identifier").fill("WWC1234567E")
    await button(dialog, "Save").click()
    await page.getByText("may engage", { exact: true }).first().waitFor()
  })

  part("decides about a conditional card, from the overview", { clicks: 5, fields: 3 }, async (page) => {
    await menu(page, "Overview").click()
    await link(page, "Tasks that wait for a person").click()
    await link(page.getByRole("row").filter({ hasText: "Carl Condition" }), "AHPRA_REGISTRATION").click()
    await button(page, "Decide").click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Decision").selectOption("MAY_ENGAGE")
    await dialog.getByLabel("Reason").fill("Works with Bo, as the condition says")
    await dialog.getByLabel("Last day").fill(dayIn(30))
    await button(dialog, "Decide").click()
    await page.getByText("Works with Bo, as the condition says").waitFor()
    await page
      .getByRole("listitem")
      .filter({ hasText: /^create/ })
      .getByText("admin@example.org")
      .waitFor()
  })

  part("sees who may not work, and why", { clicks: 2, fields: 0 }, async (page) => {
    await menu(page, "Overview").click()
    await link(page, "People who may not work").click()
    await page.getByText("50 of 288").waitFor()
    await page.getByRole("row").filter({ hasText: "Carl Condition" }).getByText("without WWCC_NSW").waitFor()
    assert.strictEqual(await page.getByRole("row").filter({ hasText: "Ann Example" }).count(), 0)
  })

  part("saves a proof, which wcs audit verify accepts", { clicks: 4, fields: 1 }, async (page) => {
    await page.keyboard.press("Control+k")
    await page.getByRole("dialog").getByRole("combobox").fill("ann ex")
    await page.keyboard.press("Enter")
    await heading(page, "Ann Example").waitFor()
    await link(page, "On a day, proof").click()
    await page.getByText("wcs audit verify").waitFor()
    const saved = page.waitForEvent("download")
    await button(page, "Proof to check").click()
    const file = await (await saved).path()
    const here = { environment: service.environment as Environment, sql: () => Effect.succeed([]) }
    const away = { ...here, environment: {} }
    const keys = (await Effect.runPromise(run(here, "audit", "keys"))).result["keys"] as ReadonlyArray<string>
    const { code, message, result } = await Effect.runPromise(
      run(away, "audit", "verify", "--file", file, `--key=${keys[0]}`)
    )
    assert.strictEqual(code, 0, message)
    assert.strictEqual(result["name"], "Ann Example")
    const [check] = result["checks"] as ReadonlyArray<Readonly<Record<string, unknown>>>
    assert.deepInclude(check, { check: "children", result: "PASS" })
  })
})
