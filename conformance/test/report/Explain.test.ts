import { assert, describe, it } from "@effect/vitest"
import { catalogue, ruleOf } from "@wcs/conformance/catalogue/Catalogue"
import { type Checks, explain, list } from "@wcs/conformance/report/Explain"
import { explanationText, listText } from "@wcs/conformance/report/ExplainText"

const checks: Checks = {
  walks: [
    { name: "ownership/link-another", judges: ["OWN-04", "OWN-05"], needs: ["credential body"], impact: "create" },
    {
      name: "ownership/last-owner",
      judges: ["OWN-12", "SIL-01"],
      alsoJudges: ["OWN-04"],
      needs: ["credential body", "applicant"],
      impact: "mutate-own"
    }
  ],
  exchangeRules: [{ rule: "RID-01" }, { rule: "LEG-26", needs: ["legacy user"] }],
  faults: [
    { name: "a link replaces the owner", rule: "OWN-04" },
    { name: "the last owner is unlinked", rule: "OWN-12" },
    { name: "the last owner is unlinked", rule: "OWN-12" }
  ]
}

const nothing: Checks = { walks: [], exchangeRules: [], faults: [] }

const explained = (id: string, from: Checks = checks) => {
  const rule = ruleOf(id)
  assert.isDefined(rule, id)
  return explain(rule, from)
}

const ids = (rules: ReadonlyArray<{ readonly id: string }>) => rules.map(({ id }) => id)

describe("list", () => {
  it("contains every rule in the order of the catalogue", () => {
    assert.deepStrictEqual(ids(list({}, checks)), ids(catalogue))
  })

  it("shows whether a rule is checked, unchecked or kept elsewhere", () => {
    const state = (id: string) => list({}, checks).find((rule) => rule.id === id)?.state
    assert.deepStrictEqual(["OWN-05", "RID-01", "SIL-01", "OWN-06", "ENV-13", "LEG-25"].map(state), [
      "checked",
      "checked",
      "checked",
      "unchecked",
      "elsewhere",
      "elsewhere"
    ])
  })

  it("filters by area, case-insensitively", () => {
    assert.deepStrictEqual(ids(list({ area: "del" }, checks)), [
      "DEL-01",
      "DEL-02",
      "DEL-03",
      "DEL-04",
      "DEL-05",
      "DEL-06",
      "DEL-07"
    ])
    assert.deepStrictEqual(list({ area: "XYZ" }, checks), [])
  })

  it("filters by level, unchecked rules and observations, and combines filters", () => {
    assert.deepStrictEqual(ids(list({ level: "MAY" }, checks)), ["LEG-19", "OAU-22", "AUT-14"])
    assert.deepStrictEqual(ids(list({ area: "OWN", level: "OBSERVE", silent: true }, checks)), ["OWN-13"])
    const unchecked = ids(list({ area: "OWN", unchecked: true }, checks))
    assert.notIncludeMembers(unchecked, ["OWN-04", "OWN-05", "OWN-12"])
    assert.strictEqual(unchecked.length, 20)
    assert.isTrue(list({ silent: true }, checks).every(({ level }) => level === "OBSERVE"))
    assert.strictEqual(list({ silent: true }, checks).length, 36)
    assert.isTrue(list({ unchecked: true }, nothing).every(({ state }) => state === "unchecked"))
  })

  it("can be plain JSON", () => {
    const shown = list({ area: "SIL" }, checks)
    assert.deepStrictEqual(JSON.parse(JSON.stringify(shown)), shown)
  })
})

describe("listText", () => {
  it("has a line per rule, and counts", () => {
    assert.strictEqual(
      listText(list({ area: "RID" }, checks).slice(0, 2)),
      [
        "RID-01  MUST     checked    §7.1            In an error in the envelope, `error.requestId` equals the `X-Request-Id` response header.",
        `RID-02  MUST     unchecked  §2.2            ${ruleOf("RID-02")?.text}`,
        "",
        "2 rules: 2 MUST; 1 checked, 1 unchecked",
        ""
      ].join("\n")
    )
  })

  it("says so when no rule matches", () => {
    assert.strictEqual(listText([]), "No rule matches.\n")
  })

  it("counts the levels and states of the whole catalogue", () => {
    const last = listText(list({}, nothing)).trimEnd().split("\n").at(-1)
    const ofLevel = (level: string) => `${catalogue.filter((rule) => rule.level === level).length} ${level}`
    const elsewhere = catalogue.filter(({ judged }) => judged === "elsewhere").length
    const levels = ["MUST", "SHOULD", "MAY", "OBSERVE"].map(ofLevel).join(", ")
    assert.strictEqual(
      last,
      `${catalogue.length} rules: ${levels}; ${catalogue.length - elsewhere} unchecked, ${elsewhere} elsewhere`
    )
  })
})

describe("explain", () => {
  it("lists the walks, the faults and the related silences of a rule", () => {
    const { beside, faults, needs, state, walks } = explained("OWN-12")
    assert.deepStrictEqual(
      [walks, faults, state],
      [["ownership/last-owner"], ["the last owner is unlinked"], "checked"]
    )
    assert.deepStrictEqual(ids(beside), ["OWN-13", "SIL-01"])
    assert.deepStrictEqual(
      needs.map(({ name }) => name),
      ["credential body", "applicant"]
    )
    assert.isTrue(needs.every(({ lines }) => lines.length > 0))
  })

  it("has the needs and the strongest effect of the walks that judge the rule", () => {
    const [alone, alsoJudged, everywhere, unjudged] = ["OWN-05", "OWN-04", "LEG-26", "VER-01"].map((id) => {
      const { impact, needs } = explained(id)
      return [impact, needs.map(({ name }) => name)]
    })
    assert.deepStrictEqual(alone, ["create", ["credential body"]])
    // the second walk judges it only in some cases
    assert.deepStrictEqual(alsoJudged, ["create", ["credential body", "applicant"]])
    assert.deepStrictEqual(everywhere, ["read", ["legacy user"]])
    assert.deepStrictEqual(unjudged, ["read", []])
    const stronger = { name: "ownership/link-many", judges: ["OWN-05"], needs: [], impact: "exhaust" } as const
    assert.strictEqual(explained("OWN-05", { ...checks, walks: [stronger, ...checks.walks] }).impact, "exhaust")
  })

  it("lists the related rules of a silence", () => {
    const { accept, beside } = explained("SIL-01")
    assert.strictEqual(accept, "any 4xx")
    assert.deepStrictEqual(ids(beside), ["OWN-12"])
  })

  it("has the profile lines of a need", () => {
    const [need] = explained("LEG-26").needs
    assert.match(need?.lines[0] ?? "", /^"legacy": { "baseUrl": "[^"]*", "user"/)
  })

  it("fits a terminal for every rule, except for profile lines", () => {
    for (const rule of catalogue) {
      const text = explanationText(explain(rule, nothing))
      const lines = text.split("\n")
      assert.include(lines[0], rule.id)
      assert.deepStrictEqual(
        lines.filter((line) => line.length > 100 && !line.startsWith("    ")),
        [],
        rule.id
      )
      assert.include(text.replaceAll(/\s+/g, " "), rule.text)
      assert.deepStrictEqual(JSON.parse(JSON.stringify(explain(rule, nothing))).id, rule.id)
    }
  })
})

describe("explanationText", () => {
  it("prints a rule from its statement to the related rules", () => {
    assert.strictEqual(
      explanationText(explained("OWN-12")),
      `OWN-12  MUST  §3 §8  checked

Rule
  Unlinking the only remaining owner is a 4xx. The slot is unchanged.

How it is judged
  By two calls that differ in one element: one must be refused, the other must succeed.

Effect on the deployment
  mutate-own: The walk creates its own resources, changes them and deletes them afterwards.

Profile entries that it needs
  credential body: the body that creates a credential; the suite fills in {{worker}}, {{applicant}}
  or both; a body that takes one owner as a type and an id has {{ownerType}} and {{ownerId}} instead
    "groups": { "credential": { "create": { "body": { "attributes": { "credentialType": "‹a type of credential, such as FIRST_AID›", "identifier": "{{unique}}", "owners": { "worker": "{{worker}}", "applicant": "{{applicant}}" } } } }, "delete": { "method": "DELETE", "path": "/credentials/{{id}}" } } }
  applicant: how to create an applicant, or the ids of existing ones
    "groups": { "applicant": { "path": "/applicants", "create": { "body": { "displayName": "{{name}}", "emailAddress": "{{email}}", "source": { "externalId": "{{unique}}" } } }, "delete": { "method": "DELETE", "path": "/applicants/{{id}}" } } }
    or
    "owners": { "applicant": { "existing": ["‹id of an applicant›", "‹id of a second applicant›", "‹id of a third applicant›"] } }

Walks that judge it
  ownership/last-owner

Faults that break it
  the last owner is unlinked

Related
  OWN-13  Whether the refusal to unlink the last owner suggests soft delete.
  SIL-01  Status and code of the response to unlinking the last owner. (Accepted: any 4xx.)
`
    )
  })

  it("names the place of a rule that is kept elsewhere, and omits empty parts", () => {
    assert.strictEqual(
      explanationText(explained("LEG-25")),
      `LEG-25  MUST  §5.1  kept elsewhere

Rule
  A client sends Basic only to \`users/me\` and the token path.

Kept at
  client library

How it is judged
  Not judged from outside: the rule binds callers or the console.
`
    )
  })
})
