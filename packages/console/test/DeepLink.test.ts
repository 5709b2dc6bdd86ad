import { wantedIn } from "@wcs/console/shell/DeepLink"
import { assert, describe, it } from "vitest"

const now = 1_800_000_000_000
const stored = (address: unknown, at: unknown = now) => JSON.stringify({ address, at })

describe("the screen that was wanted before the login", () => {
  it.each(["/console", "/console/workers?query=a&sort=b", "/console?x=1"])("is %s", (address) => {
    assert.strictEqual(wantedIn(stored(address, now - 1000), now), address)
  })

  it.each([
    ["another site", stored("https://evil.example/console")],
    ["another site without a scheme", stored("//evil.example/console")],
    ["a page that is no screen", stored("/logout")],
    ["a beginning of the path", stored("/consoleevil")],
    ["a script", stored("javascript:alert(1)")],
    ["no text", stored(7)],
    ["too old", stored("/console/workers", now - 16 * 60_000)],
    ["from the future", stored("/console/workers", now + 1)],
    ["without a time", stored("/console/workers", "now")],
    ["no JSON", "{"],
    ["absent", null]
  ])("is none if it is %s", (_, text) => {
    assert.isUndefined(wantedIn(text, now))
  })
})
