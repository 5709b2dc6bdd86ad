/** The steps of a person at the login pages. */
import type { BrowserContext, Page } from "playwright-core"
import { codeAt } from "../Totp.ts"
import type { Machine } from "./Machine.ts"

/** The authenticator app and the recovery codes of a person. */
export interface Factor {
  readonly seed: string
  readonly recoveryCodes: ReadonlyArray<string>
}

/** Enrols an app at `/login/enrol`, keeps the recovery codes, and goes on to the account's page. */
export const enrol = async (page: Page, machine: Machine): Promise<Factor> => {
  await page.waitForURL("**/login/enrol")
  await page.getByRole("button", { name: "Continue" }).click()
  const seed = (await page.locator("p > code").textContent()) ?? ""
  await page.getByLabel("Six-digit code").fill(codeAt(seed, machine.now()))
  await page.getByRole("button", { name: "Confirm" }).click()
  await page.getByRole("heading", { name: "Keep your recovery codes" }).waitFor()
  const recoveryCodes = await page.locator("li > code").allTextContents()
  await page.getByRole("link", { name: "Continue" }).click()
  await page.waitForURL("**/console")
  return { seed, recoveryCodes }
}

/** Sends the form of `/login`. */
export const enterPassword = async (page: Page, origin: string, email: string, password: string) => {
  await page.goto(`${origin}/login`)
  await page.getByLabel("Email").fill(email)
  await page.getByLabel("Password").fill(password)
  await page.getByRole("button", { name: "Log in" }).click()
}

/** Sends a code at `/login/code`. */
export const enterCode = async (page: Page, code: string) => {
  await page.waitForURL("**/login/code")
  await page.getByLabel("Six-digit code").fill(code)
  await page.getByRole("button", { name: "Log in" }).click()
}

/** Sends a recovery code at `/login/code`. */
export const enterRecoveryCode = async (page: Page, code: string) => {
  await page.getByText("Use a recovery code instead").click()
  await page.getByLabel("Recovery code").fill(code)
  await page.locator("details").getByRole("button", { name: "Log in" }).click()
}

/** The code of the next time step: the code of this one may have been used. */
export const nextCode = (machine: Machine, seed: string): string => {
  machine.advance(30)
  return codeAt(seed, machine.now())
}

/** The six digits that are wrong now and a step before and after. */
export const wrongCode = (machine: Machine, seed: string): string => {
  const right = [-30_000, 0, 30_000].map((millis) => codeAt(seed, machine.now() + millis))
  return ["000000", "111111", "222222", "333333"].find((code) => !right.includes(code)) ?? ""
}

/** The address of the person who is logged in; undefined if nobody is. */
export const personIn = async (context: BrowserContext, origin: string): Promise<string | undefined> => {
  const page = await context.newPage()
  try {
    await page.goto(`${origin}/account`)
    return page.url() === `${origin}/account` ? String(await page.locator("strong").first().textContent()) : undefined
  } finally {
    await page.close()
  }
}

/** Calls the interface by a script of our own origin, as a console does. */
export const call = async (context: BrowserContext, origin: string, method: string, path: string, body?: object) => {
  const page = await context.newPage()
  try {
    await page.goto(`${origin}/login.css`) // a page of our origin whose policy lets scripts call
    return await page.evaluate(
      async ([method, path, text]) => {
        const headers = { "X-WCS-Console": "1", "Content-Type": "application/json" }
        const answer = await fetch(path, { method, headers, ...(text === "" ? {} : { body: text }) })
        const json = await answer.text().then((content) => (content === "" ? null : JSON.parse(content)))
        return { status: answer.status, json }
      },
      [method, `/openapi/v1${path}`, body === undefined ? "" : JSON.stringify(body)] as const
    )
  } finally {
    await page.close()
  }
}
