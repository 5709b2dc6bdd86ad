import { call } from "@wcs/end-to-end/browser/Pages"
import { type Service, start } from "@wcs/end-to-end/browser/Service"
import type { Locator, Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

let service: Service

beforeAll(async () => {
  service = await start()
})
afterAll(async () => {
  await service.end()
})

/** Opens the page with a token of the Super Admin. */
const openWithToken = async (): Promise<Page> => {
  const made = await call(service.admin.context, service.origin, "POST", "/access-tokens", { name: "reference" })
  const page = await (await service.visit()).newPage()
  await page.goto(`${service.origin}/docs`)
  await page.getByPlaceholder("Token").first().fill(made.json.data.token)
  return page
}

/** Goes to an operation of the page, and sends its request as prefilled. */
const sent = async (page: Page, tag: string, operation: string) => {
  const close = page.getByRole("button", { name: "Close Client" })
  if (await close.isVisible()) await close.click()
  await page.goto(`${service.origin}/docs#tag/${tag}/${operation}`)
  const section = page.locator(`[id$="tag/${tag}/${operation}"]`).first()
  await section.waitFor()
  return tried(page, section)
}

/** Opens the form of the first request in a part of the page, and sends the request as prefilled. */
const tried = async (page: Page, within: Page | Locator = page) => {
  await within
    .getByRole("button", { name: /^Test Request/ })
    .first()
    .click()
  const [answered] = await Promise.all([
    page.waitForResponse(`${service.origin}/openapi/v1/**`),
    page.getByRole("button", { name: /^Send \w+ request to/ }).click()
  ])
  return answered
}

describe("the reference page", () => {
  it("works within its policy, asks no other host, and shows nothing of its vendor", async () => {
    const page = await (await service.visit()).newPage()
    const messages: Array<string> = []
    const hosts = new Set<string>()
    page.on("console", (message) => message.type() === "error" && messages.push(message.text()))
    page.on("pageerror", (error) => messages.push(error.message))
    page.on("request", (request) => hosts.add(new URL(request.url()).origin))
    await page.goto(`${service.origin}/docs`)
    await page.getByRole("heading", { level: 1 }).first().waitFor()
    await page.getByText("/credentials").first().waitFor()
    await page.waitForLoadState("networkidle")
    assert.deepStrictEqual(messages, [])
    assert.deepStrictEqual([...hosts], [service.origin])
    for (const vendor of [page.getByText(/scalar/i), page.locator("a[href*=scalar]")]) {
      assert.strictEqual(await vendor.filter({ visible: true }).count(), 0)
    }

    const answered = await tried(page)
    assert.strictEqual(answered.status(), 401) // a whole form, with a client that does not exist
    await page.getByText("invalid_client").first().waitFor()
  })

  it.each([
    ["workers", "POST/openapi/v1/workers", 201],
    ["workers", "GET/openapi/v1/workers", 200],
    ["credentials", "GET/openapi/v1/credentials", 200],
    ["webhooks", "POST/openapi/v1/webhooks", 201]
  ])("sends a request of %s that works as prefilled: %s", async (tag, operation, status) => {
    const page = await openWithToken()
    const answered = await sent(page, tag, operation)
    assert.strictEqual(answered.status(), status)
    assert.strictEqual(new URL(answered.url()).search, "") // filters are switched off
  })

  it("sends ids of records that were created on the page, and shows the request", async () => {
    const page = await openWithToken()
    const shown = page.locator("#own-ids")
    await sent(page, "workers", "POST/openapi/v1/workers")
    assert.isFalse(await shown.isVisible())
    const one = "/openapi/v1/workers/{id}"
    for (const [method, status] of [
      ["GET", 200],
      ["PATCH", 200],
      ["DELETE", 204]
    ] as const) {
      const answered = await sent(page, "workers", `${method}${one}`)
      assert.strictEqual(answered.status(), status)
      const { pathname } = new URL(answered.url())
      await shown.getByText(`${method} ${pathname}`).waitFor()
      assert.notInclude(pathname, "wkr_4fTz9QmLr2XcV7bN")
    }
  })
})
