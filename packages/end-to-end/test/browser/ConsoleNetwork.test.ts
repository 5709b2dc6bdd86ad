import { administrator, credentialOf, type Visitor } from "@wcs/end-to-end/browser/Screens"
import { type Service, start } from "@wcs/end-to-end/browser/Service"
import type { Page, Route } from "playwright-core"
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

/** The API calls that a screen makes until it is idle. */
const callsOf = async (path: string): Promise<ReadonlyArray<string>> => {
  const page = await admin.context.newPage()
  const calls: Array<string> = []
  page.on("request", (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith("/openapi/")) calls.push(`${request.method()} ${pathname.replace("/openapi/v1", "")}`)
  })
  await page.goto(`${service.origin}/console${path}`)
  await page.getByRole("heading", { level: 1 }).waitFor()
  await page.waitForLoadState("networkidle")
  await page.close()
  return calls.sort()
}

/** Adds one row to every list. */
const addRows = async (index: number): Promise<void> => {
  const name = `Row ${index}`
  const worker = await admin.add("/workers", { identity: { displayName: name } })
  await admin.add("/applicants", { displayName: name, emailAddress: `row${index}@example.org` })
  await admin.add("/credentials", credentialOf({ worker: worker.id }, `WWC123450${index % 10}E`))
  await admin.add("/webhooks", { name, url: `https://example.org/${index}`, events: ["credential.created"] })
  await admin.add("/access-tokens", { name })
  await admin.add("/api-clients", { name })
  await admin.add("/users", { email: `user${index}@example.org`, role: "Viewer" })
}

/** The number of calls of each screen, independent of the number of rows. `GET /me` is one of them. */
const counts: Readonly<Record<string, number>> = {
  "": 16,
  "/workers": 5,
  "/applicants": 2,
  "/matrix": 4,
  "/credentials": 4,
  "/expiring": 3,
  "/verification-sources": 4,
  "/webhooks": 3,
  "/deliveries": 4,
  "/given-up": 3,
  "/operation": 3,
  "/tokens": 3,
  "/clients": 3,
  "/users": 3,
  "/single-sign-on": 2,
  "/audit": 2,
  "/security": 4
}

/** One screen after the other: a page that waits for its turn looks idle too early. */
const countedCalls = async (): Promise<Readonly<Record<string, number>>> => {
  const counted: Record<string, number> = {}
  for (const path of Object.keys(counts)) counted[path] = (await callsOf(path)).length
  return counted
}

describe("calls", () => {
  it("do not increase with the number of rows", async () => {
    await admin.add("/compliance-checks", {
      code: "children",
      displayName: "Children",
      requirement: { credentialTypes: ["WWCC_NSW"] }
    })
    await addRows(1)
    assert.deepStrictEqual(await countedCalls(), counts)
    for (let index = 2; index <= 10; index++) await addRows(index)
    assert.deepStrictEqual(await countedCalls(), counts)
  })

  it("of a worker do not increase with the number of credentials", async () => {
    const { id } = await admin.add("/workers", { identity: { displayName: "Holder" } })
    await admin.add("/credentials", credentialOf({ worker: id }))
    const before = await callsOf(`/workers/${id}`)
    for (let index = 2; index <= 10; index++)
      await admin.add("/credentials", credentialOf({ worker: id }, `WWC123450${index % 10}E`))
    assert.deepStrictEqual(await callsOf(`/workers/${id}`), before)
  })
})

describe("a slow network", () => {
  it.each([
    ["rows", "**/openapi/v1/workers?*"],
    ["a screen", "**/console/assets/Workers-*"]
  ])("shows a skeleton in place of %s, and then the rows, which have the focus", async (_, slow) => {
    const { page } = await admin.opened("")
    const held = Promise.withResolvers<void>()
    await page.route(slow, (route) => held.promise.then(() => route.continue()))
    await page.getByRole("link", { name: "Workers" }).click()
    await page.getByRole("status").getByText("Loading").waitFor()
    held.resolve()
    await page.getByRole("link", { name: "Row 1", exact: true }).waitFor()
    assert.strictEqual(await page.getByText("Loading").count(), 0)
    await page.locator("main:focus").waitFor()
  })
})

describe("a missing script of a screen", () => {
  /** Opens a page that cannot load the script of the workers' screen, and counts its reloads. */
  const openedWithout = async (refuse: (route: Route) => Promise<void>, pattern: string) => {
    const { page } = await admin.opened("")
    const reloads: Array<Page> = []
    page.on("load", (reloaded) => reloads.push(reloaded))
    await page.route(pattern, refuse)
    await page.getByRole("link", { name: "Workers" }).click()
    const retry = async () => {
      await page.unroute(pattern)
      await page.getByRole("button", { name: "Try again" }).click()
      await page.getByRole("heading", { level: 1, name: "Workers" }).waitFor()
    }
    return { page, reloads, retry }
  }

  it("reloads the page once, because an upgrade may have removed the script", async () => {
    const missing = (route: Route) => route.fulfill({ status: 404 })
    const { page, reloads, retry } = await openedWithout(missing, "**/console/assets/Workers-*")
    await page.getByText("This screen could not be loaded.").waitFor()
    assert.lengthOf(reloads, 1)
    await retry()
  })

  it("does not reload the page while the server is away", async () => {
    const { page, reloads, retry } = await openedWithout((route) => route.abort(), "**/*")
    await page.getByText("The server cannot be reached.").waitFor()
    assert.lengthOf(reloads, 0)
    await retry()
  })
})

describe("pages of other sites", () => {
  it("cannot frame the console", async () => {
    const page = await admin.context.newPage()
    const answer = await page.goto(`${service.origin}/console`)
    assert.include((await answer?.allHeaders())?.["content-security-policy"], "frame-ancestors 'none'")
    await page.goto("about:blank")
    await page.setContent(`<iframe src="${service.origin}/console"></iframe>`)
    await page.waitForLoadState("networkidle")
    const framed = page.frames().filter((frame) => frame.url().startsWith(service.origin))
    assert.deepStrictEqual(framed, [])
  })
})
