/** E-mails to users: the words, a preview, the choice of each user, and a deployment that sends none. */
import { administrator, assertAccessible, looks, type Visitor } from "@wcs/end-to-end/browser/Screens"
import { type Service, start } from "@wcs/end-to-end/browser/Service"
import { afterAll, assert, beforeAll, it } from "vitest"

let service: Service
let admin: Visitor

beforeAll(async () => {
  service = await start()
  admin = await administrator(service)
})
afterAll(async () => {
  await service.end()
})

it("shows a sample of own words as text, saves them, and says that the deployment sends nothing", async () => {
  const { faults, page } = await admin.opened("/messages")
  await page.getByText("No message was sent yet.").waitFor()
  await page.getByRole("link", { name: "Settings and words" }).click()
  await page.getByText("The operator has not set up a mail server").waitFor()
  const words = page.getByRole("group", { name: "Words of: who may no longer work" })
  await words.getByLabel("Use our own words").check()
  await words.getByLabel("Subject").fill("{count} <b>red</b>")
  await words.getByLabel("Text").fill("<script>alert(1)</script> {items}")
  await words.getByRole("button", { name: "Preview" }).click()
  const preview = words.getByRole("region", { name: "Preview" })
  await preview.getByText("1 <b>red</b>").waitFor()
  await preview.getByText("<script>alert(1)</script> - Jane Example").waitFor()
  await words.getByLabel("Text").fill("{nothing}")
  await words.getByRole("button", { name: "Preview" }).click()
  await words.getByText("unknown placeholder {nothing}").waitFor()
  await words.getByLabel("Text").fill("{items}")
  await page.getByLabel("Day of the weekly digest").selectOption("Friday")
  await page.getByRole("button", { name: "Save", exact: true }).click()
  await page.getByText("The settings are saved.").waitFor()
  await page.reload()
  await page.getByRole("group", { name: "Words of: who may no longer work" }).getByLabel("Subject").waitFor()
  assert.strictEqual(await page.getByLabel("Day of the weekly digest").inputValue(), "FRIDAY")
  assert.deepStrictEqual(faults, [])
})

it("keeps what was typed and what somebody else has saved meanwhile", async () => {
  const { page } = await admin.opened("/messages/settings")
  const days = page.getByLabel("Remind by itself so many days before the last day")
  await days.fill("3")
  const others = { enabled: false, timeOfDay: "09:15", weekday: "SUNDAY", language: "en", templates: {} }
  const body = { ...others, tellsOfCards: false, tellsOfRequests: false }
  assert.strictEqual((await admin.call("PUT", "/message-settings", body)).status, 200)
  const save = page.getByRole("button", { name: "Save", exact: true })
  const read = page.waitForResponse(
    (answer) => answer.url().endsWith("/message-settings") && answer.request().method() === "GET"
  )
  await save.click()
  await read
  await page.getByRole("alert").first().waitFor()
  assert.strictEqual(await days.inputValue(), "3")
  await save.click()
  await page.getByText("The settings are saved.").waitFor()
  assert.strictEqual(await days.inputValue(), "3")
  assert.strictEqual(await page.getByLabel("From this time of day").inputValue(), "09:15")
})

it("keeps which messages a user wants", async () => {
  const { faults, page } = await admin.opened("/security")
  const digest = page.getByLabel("Send me: weekly digest")
  await digest.waitFor()
  assert.isTrue(await digest.isChecked())
  const saved = page.waitForResponse(
    (answer) => answer.url().endsWith("/me/messages") && answer.request().method() === "PUT"
  )
  await digest.click()
  assert.strictEqual((await saved).status(), 200)
  await page.reload()
  await digest.waitFor()
  assert.isFalse(await digest.isChecked())
  assert.deepStrictEqual(faults, [])
})

it("says on a person that no e-mail reaches the person, with the messages only for users who may read them", async () => {
  const { id } = await admin.add("/workers", { identity: { displayName: "Ann Example" } })
  const { faults, page } = await admin.opened("/workers")
  const { json } = await admin.call("GET", `/workers/${id}`)
  // No mail server answers the deployment of these tests.
  await page.route(`**/openapi/v1/workers/${id}?*`, (route) =>
    route.fulfill({ json: { ...json, data: { ...json.data, unreachable: true } } })
  )
  await page.getByRole("link", { name: "Ann Example" }).click()
  const [notice, link] = [
    page.getByText("No e-mail reaches this person"),
    page.getByRole("link", { name: "messages to this person" })
  ]
  await link.waitFor()
  const { json: me } = await admin.call("GET", "/me")
  const privileges = me.data.privileges.filter((one: string) => one !== "message:READ")
  await page.route("**/openapi/v1/me", (route) => route.fulfill({ json: { data: { ...me.data, privileges } } }))
  await page.reload()
  await notice.waitFor()
  assert.strictEqual(await link.count(), 0)
  await page.unroute("**/openapi/v1/me")
  await page.reload()
  await link.click()
  await page.getByText("Only what belongs to one record.").waitFor()
  assert.deepStrictEqual(faults, [])
})

it.each(looks)("has no accessibility faults in $colorScheme colors at $width pixels", async (look) => {
  for (const path of ["/messages", "/messages/settings", "/security"]) await assertAccessible(admin, path, look)
})
