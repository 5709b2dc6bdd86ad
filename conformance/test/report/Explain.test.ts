import { assert, describe, it } from "@effect/vitest"
import { catalogue, ruleOf } from "@wcs/conformance/catalogue/Catalogue"
import { type Checks, explain, list } from "@wcs/conformance/report/Explain"
import { explanationText, listText } from "@wcs/conformance/report/ExplainText"

const checks: Checks = {
  walks: [
    { name: "ownership/link-another", judges: ["OWN-04", "OWN-05"], needs: ["credential body"] },
    { name: "ownership/last-owner", judges: ["OWN-12", "SIL-01"], needs: ["credential body", "applicant"] }
  ],
  exchangeRules: [{ rule: "RID-01" }],
  mutants: [
    { name: "link-another-overwrites", kills: ["OWN-04"] },
    { name: "unlinks-the-last", kills: ["OWN-12"] }
  ]
}

const nothing: Checks = { walks: [], exchangeRules: [], mutants: [] }

const explained = (id: string, from: Checks = checks) => {
  const rule = ruleOf(id)
  assert.isDefined(rule, id)
  return explain(rule, from)
}

const ids = (rules: ReadonlyArray<{ readonly id: string }>) => rules.map(({ id }) => id)

describe("list", () => {
  it("shows every rule, in the catalogue's order", () => {
    assert.deepStrictEqual(ids(list({}, checks)), ids(catalogue))
  })

  it("shows the rules checked by a walk, checked by every exchange, unchecked and kept elsewhere", () => {
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

  it("filters by area in any letter case", () => {
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

  it("filters by level, by unchecked and by silence, also combined", () => {
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
  it("has a line for each rule and a count", () => {
    assert.strictEqual(
      listText(list({ area: "RID" }, checks).slice(0, 2)),
      [
        "RID-01  MUST     checked    §7.1            In an error of the envelope, `error.requestId` is what the header `X-Request-Id` says.",
        `RID-02  MUST     unchecked  §2.2            ${ruleOf("RID-02")?.text}`,
        "",
        "2 rules: 2 MUST; 1 checked, 1 unchecked",
        ""
      ].join("\n")
    )
  })

  it("reports when nothing is left", () => {
    assert.strictEqual(listText([]), "No rule is like that.\n")
  })

  it("counts the levels and states of the whole catalogue", () => {
    const last = listText(list({}, nothing)).trimEnd().split("\n").at(-1)
    assert.strictEqual(last, "264 rules: 186 MUST, 39 SHOULD, 3 MAY, 36 OBSERVE; 255 unchecked, 9 elsewhere")
  })
})

describe("explain", () => {
  it("names the walks, mutants and silences of a rule", () => {
    const { beside, mutants, needs, state, walks } = explained("OWN-12")
    assert.deepStrictEqual([walks, mutants, state], [["ownership/last-owner"], ["unlinks-the-last"], "checked"])
    assert.deepStrictEqual(ids(beside), ["OWN-13", "SIL-01"])
    assert.deepStrictEqual(
      needs.map(({ name }) => name),
      ["credential body", "applicant"]
    )
    assert.isTrue(needs.every(({ lines }) => lines.length > 0))
  })

  it("names the rules of a silence", () => {
    const { accept, beside } = explained("SIL-01")
    assert.strictEqual(accept, "any 4xx")
    assert.deepStrictEqual(ids(beside), ["OWN-12"])
  })

  it("has the profile lines that meet a need", () => {
    const [need] = explained("VER-01").needs
    assert.match(need?.lines[0] ?? "", /^"verifiableCredential"/)
  })

  it("works for every rule, with lines that fit a terminal, apart from profile lines", () => {
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
  it("shows a rule from its statement to its neighbours", () => {
    assert.strictEqual(
      explanationText(explained("OWN-12")),
      `OWN-12  MUST  §3 §8  checked

Rule
  Unlinking the last owner is a 4xx, and the slot keeps its holder.

How it is judged
  By a call that has to be refused, beside one that is carried out and differs in one element.

What that does
  mutate-own: It makes resources of its own, changes them, and deletes them again.

What the profile has to tell
  credential body: the body with which a credential of one worker is made
    "groups": { "credential": { "create": { "body": { "attributes": { "owners": { "worker": "{{worker}}" } } } } } }
  applicant: how an applicant is made
    "groups": { "applicant": { "path": "/applicants", "create": { "body": { "emailAddress": "{{email}}" } }, "delete": { "method": "DELETE", "path": "/applicants/{{id}}" } } }

Walks that judge it
  ownership/last-owner

Mutants that break it
  unlinks-the-last

Beside it
  OWN-13  Whether that refusal mentions soft delete as the way out.
  SIL-01  The status and code for unlinking the last owner. (Accepted: any 4xx.)
`
    )
  })

  it("names the place of a rule that is kept elsewhere, and leaves out empty parts", () => {
    assert.strictEqual(
      explanationText(explained("LEG-25")),
      `LEG-25  MUST  §5.1  kept elsewhere

Rule
  Clients keep Basic for two calls: \`users/me\` and the token path.

Kept at
  client library

How it is judged
  Not from outside: it binds those who call, or the console.
`
    )
  })
})
