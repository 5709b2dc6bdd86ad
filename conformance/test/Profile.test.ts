import { readFileSync } from "node:fs"
import { read } from "@wcs/conformance/ProfileFile"
import { profileSchema, profileSchemaFile } from "@wcs/conformance/ProfileSchema"
import { namesOf } from "@wcs/conformance/Secrets"
import { Result } from "effect"
import { assert, describe, it } from "vitest"

const minimal = {
  name: "staging",
  newer: { tenantBaseUrl: "https://t1.example" },
  principals: { admin: { oauth: { clientId: "x_oauth_1", clientSecret: "${CONF_SECRET}" } } }
}

const reasons = (profile: unknown): string => {
  const result = read("p.json", typeof profile === "string" ? profile : JSON.stringify(profile))
  return Result.isFailure(result) ? result.failure.message : "accepted"
}

describe("a profile", () => {
  it("is read from JSON and from YAML alike", () => {
    const yaml = [
      "name: staging",
      "newer: { tenantBaseUrl: https://t1.example }",
      "principals: { admin: { oauth: { clientId: x_oauth_1, clientSecret: '${CONF_SECRET}' } } }"
    ].join("\n")
    assert.deepStrictEqual(read("p.yaml", yaml), read("p.json", JSON.stringify(minimal)))
    assert.isTrue(Result.isSuccess(read("p.yaml", yaml)))
  })

  it("names its secrets, and no other text is taken for one", () => {
    const result = read("p.json", JSON.stringify({ ...minimal, deployment: { contact: "${NOT_A_SECRET}" } }))
    assert.isTrue(Result.isSuccess(result))
    assert.deepStrictEqual(namesOf(Result.getOrThrow(result)), ["CONF_SECRET"])
  })

  it("names the secrets of the legacy surface as well, and holds no password", () => {
    const user = { username: "ann@example.org", password: "${CONF_PASSWORD}" }
    const legacy = { baseUrl: "https://old.example", user, expiredToken: "${CONF_EXPIRED}" }
    const result = read("p.json", JSON.stringify({ ...minimal, legacy }))
    assert.sameMembers([...namesOf(Result.getOrThrow(result))], ["CONF_SECRET", "CONF_PASSWORD", "CONF_EXPIRED"])
    const told = reasons({ ...minimal, legacy: { ...legacy, user: { ...user, password: "hunter2-hunter2" } } })
    assert.include(told, "legacy.user.password")
    assert.notInclude(told, "hunter2")
  })

  it("holds no secret: a literal one is refused, and not repeated", () => {
    const oauth = { clientId: "x_oauth_1", clientSecret: "hunter2-hunter2" }
    const told = reasons({ ...minimal, principals: { admin: { oauth } } })
    assert.include(told, "secrets do not stand in a profile")
    assert.notInclude(told, "hunter2")
  })

  it.each([
    ["an unknown key", { ...minimal, principls: {} }, "principls"],
    ["no name", { ...minimal, name: undefined }, "name"],
    ["a URL with a path", { ...minimal, newer: { tenantBaseUrl: "https://t1.example/api" } }, "newer.tenantBaseUrl"],
    ["an unknown ceiling", { ...minimal, run: { ceiling: "everything" } }, "run.ceiling"],
    ["no concurrency", { ...minimal, run: { concurrency: 0 } }, "run.concurrency"]
  ])("with %s is refused by the place", (_, profile, place) => {
    assert.include(reasons(profile), `${place}: `)
  })

  it("that is no JSON and no YAML is refused in one line", () => {
    const told = reasons("{ name: [")
    assert.include(told, "is neither JSON nor YAML")
    assert.notInclude(told, "\n")
  })

  it("that multiplies itself by aliases is refused", () => {
    assert.notStrictEqual(reasons("a: &a [x, x]\nb: [*a, *a]\nname: n"), "accepted")
  })
})

describe("the published JSON Schema of profiles", () => {
  it("is the one that reads them", () => {
    const published = readFileSync(new URL(`../${profileSchemaFile}`, import.meta.url), "utf8")
    assert.deepStrictEqual(JSON.parse(published), profileSchema())
  })
  it("refuses a literal secret, as reading does", () => {
    assert.include(JSON.stringify(profileSchema()), "\\\\$\\\\{[A-Z_][A-Z0-9_]*\\\\}")
  })
})
