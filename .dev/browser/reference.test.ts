import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Service, start } from "./service.ts"

let service: Service

beforeAll(async () => {
  service = await start()
})
afterAll(async () => {
  await service.end()
})

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

    await page
      .getByRole("button", { name: /^Test Request/ })
      .first()
      .click()
    const [answered] = await Promise.all([
      page.waitForResponse(`${service.origin}/openapi/v1/**`),
      page.getByRole("button", { name: /^Send \w+ request to/ }).click()
    ])
    assert.strictEqual(answered.status(), 400) // the empty form of the token endpoint
    await page.getByText("unsupported_grant_type").first().waitFor()
  })
})
