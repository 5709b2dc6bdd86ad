import { read } from "@wcs/conformance/profile/ProfileFile"
import { profileSchema } from "@wcs/conformance/profile/ProfileSchema"
import { namesOf } from "@wcs/conformance/profile/Secrets"
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
  it("is read from JSON and YAML alike", () => {
    const yaml = [
      "name: staging",
      "newer: { tenantBaseUrl: https://t1.example }",
      "principals: { admin: { oauth: { clientId: x_oauth_1, clientSecret: '${CONF_SECRET}' } } }"
    ].join("\n")
    assert.deepStrictEqual(read("p.yaml", yaml), read("p.json", JSON.stringify(minimal)))
    assert.isTrue(Result.isSuccess(read("p.yaml", yaml)))
  })

  it("lists its secrets and no other string", () => {
    const result = read("p.json", JSON.stringify({ ...minimal, deployment: { contact: "${NOT_A_SECRET}" } }))
    assert.isTrue(Result.isSuccess(result))
    assert.deepStrictEqual(namesOf(Result.getOrThrow(result)), ["CONF_SECRET"])
  })

  it("lists the secrets of the legacy surface, and contains no password", () => {
    const user = { username: "ann@example.org", password: "${CONF_PASSWORD}" }
    const legacy = { baseUrl: "https://old.example", user, expiredToken: "${CONF_EXPIRED}" }
    const result = read("p.json", JSON.stringify({ ...minimal, legacy }))
    assert.sameMembers([...namesOf(Result.getOrThrow(result))], ["CONF_SECRET", "CONF_PASSWORD", "CONF_EXPIRED"])
    const told = reasons({ ...minimal, legacy: { ...legacy, user: { ...user, password: "hunter2-hunter2" } } })
    assert.include(told, "legacy.user.password")
    assert.notInclude(told, "hunter2")
  })

  it("refuses a literal secret without repeating it", () => {
    const oauth = { clientId: "x_oauth_1", clientSecret: "hunter2-hunter2" }
    const told = reasons({ ...minimal, principals: { admin: { oauth } } })
    assert.include(told, "a profile contains no secrets")
    assert.notInclude(told, "hunter2")
  })

  it.each([
    ["an unknown key", { ...minimal, principls: {} }, "principls"],
    ["no name", { ...minimal, name: undefined }, "name"],
    ["a URL with a path", { ...minimal, newer: { tenantBaseUrl: "https://t1.example/api" } }, "newer.tenantBaseUrl"],
    ["an unknown ceiling", { ...minimal, run: { ceiling: "everything" } }, "run.ceiling"],
    [
      "no regular expression",
      {
        ...minimal,
        webLogin: {
          proof: { path: "/" },
          totp: { steps: [{ method: "GET", path: "/", take: { a: "(" } }], secret: "${A}" }
        }
      },
      "webLogin.totp.steps.0.take.a"
    ],
    ["no concurrency", { ...minimal, run: { concurrency: 0 } }, "run.concurrency"]
  ])("with %s is refused with the place", (_, profile, place) => {
    assert.include(reasons(profile), `${place}: `)
  })

  it.each([
    [
      "a link",
      { ownership: { link: { owner: [{ id: "{{idd}}" }] } } },
      "ownership.link.owner.0.id",
      "{{type}}, {{id}}"
    ],
    [
      "a login",
      {
        webLogin: {
          proof: { path: "/home" },
          totp: { steps: [{ method: "POST", path: "/login", form: { code: "{{codes}}" } }], secret: "${CONF_TOTP}" }
        }
      },
      "webLogin.totp.steps.0.form.code",
      "{{code}}"
    ],
    ["an unlink", { ownership: { unlink: { id: "{{idd}}" } } }, "ownership.unlink.id", "{{type}}, {{id}}"],
    [
      "a bulk link",
      { ownership: { bulkLink: "{{fron}}" } },
      "ownership.bulkLink",
      "{{from}}, {{to}}, {{credentialIds}}"
    ],
    [
      "a create",
      { groups: { exemption: { create: { body: { worker: "x{{wroker}}" } } } } },
      "groups.exemption.create.body.worker",
      "{{unique}}, {{name}}, {{email}}, {{receiver}}, {{worker}}, {{credential}}, {{applicant}}"
    ],
    [
      "the create of a credential, which is made of owners alone",
      { groups: { credential: { create: { body: ["{{exemption}}"] } }, exemption: {} } },
      "groups.credential.create.body.0",
      "{{unique}}, {{name}}, {{email}}, {{receiver}}, {{worker}}, {{applicant}}"
    ],
    [
      "an update",
      { groups: { worker: { update: [{ method: "PUT", path: "/workers/{{id}}", body: { url: "{{receiver}}" } }] } } },
      "groups.worker.update.0.body.url",
      "{{id}}, {{unique}}, {{name}}, {{email}}, {{worker}}, {{credential}}, {{applicant}}"
    ],
    [
      "the path of an update",
      { groups: { worker: { update: [{ method: "PUT", path: "/workers/{{ID}}", body: {} }] } } },
      "groups.worker.update.0.path",
      "{{id}}"
    ],
    [
      "a delete",
      { groups: { ban: { delete: { method: "DELETE", path: "/bans/{{ban}}" } } } },
      "groups.ban.delete.path",
      "{{id}}"
    ],
    ["a list", { groups: { ban: { find: "/bans?q={{uniqe}}" } } }, "groups.ban.find", "{{unique}}"],
    ["the place of a group", { groups: { ban: { path: "/workers/{{worker}}/bans" } } }, "groups.ban.path", "no name"],
    [
      "a redrive",
      { redrive: { method: "POST", path: "/{{webhook}}" } },
      "redrive.path",
      "{{id}}, {{delivery}}, {{since}}"
    ],
    [
      "what is signed",
      {
        signature: {
          header: "s",
          form: "t={{at}},v1={{signature}}",
          algorithm: "sha1",
          encoding: "hex",
          signed: "{{id}}{{at}}{{boddy}}",
          headers: { id: "webhook-id" }
        }
      },
      "signature.signed",
      "{{body}}, {{at}}, {{id}}"
    ],
    ["an audit", { audit: { path: "/audit?id={{entity}}", actor: "a" } }, "audit.path", "{{id}}"],
    [
      "a scan",
      {
        legacy: {
          baseUrl: "https://o.example",
          scan: { type: "w", identifier: "{{email}}", first_name: "A", surname: "B" }
        }
      },
      "legacy.scan.identifier",
      "{{unique}}, {{name}}"
    ]
  ])("refuses an unknown name in %s, with the position and the allowed names", (_, more, place, known) => {
    const told = reasons({ ...minimal, ...more })
    assert.include(told, `p.json: ${place}: unknown name `)
    assert.include(told, known)
  })

  it("suggests a similar name, and refuses names with invalid characters", () => {
    const told = reasons({
      ...minimal,
      ownership: { link: { type: "{{tpye}}", id: "{{ id }}", both: "{{}} {{type}}" } }
    })
    assert.include(told, "ownership.link.type: unknown name {{tpye}}; did you mean {{type}}?")
    assert.include(told, "ownership.link.id: unknown name {{ id }}; did you mean {{id}}?")
    assert.include(told, "ownership.link.both: unknown name {{}}")
  })

  it("accepts every allowed name in its templates", () => {
    const exemption = { path: "/exemptions", create: { body: { worker: "{{worker}}", of: "{{ban}} {{unique}}" } } }
    const groups = { exemption, ban: {}, credential: { create: { body: { to: "{{applicant}}" } } } }
    assert.strictEqual(reasons({ ...minimal, groups, ownership: { link: { a: "{{type}} {{id}}" } } }), "accepted")
  })

  it("is refused in one line when it is neither JSON nor YAML", () => {
    const told = reasons("{ name: [")
    assert.include(told, "is neither JSON nor YAML")
    assert.notInclude(told, "\n")
  })

  it("is refused when it uses aliases", () => {
    assert.notStrictEqual(reasons("a: &a [x, x]\nb: [*a, *a]\nname: n"), "accepted")
  })
})

describe("the published JSON Schema of profiles", () => {
  it("refuses a literal secret", () => {
    assert.include(JSON.stringify(profileSchema()), "\\\\$\\\\{[A-Z_][A-Z0-9_]*\\\\}")
  })
})
