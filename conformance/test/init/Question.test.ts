import { assert, describe, it } from "@effect/vitest"
import { entryAt, withAnswer, withoutSecret } from "@wcs/conformance/init/Draft"
import { questionsOf } from "@wcs/conformance/init/Question"
import { blanksIn, filledIn } from "@wcs/conformance/profile/Blanks"
import { initialProfile, secretVariable } from "@wcs/conformance/profile/InitialProfile"
import { needs } from "@wcs/conformance/profile/Need"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { namesOf } from "@wcs/conformance/profile/Secrets"
import { walks } from "@wcs/conformance/walks/Walks"
import { Result } from "effect"

const begun = initialProfile("https://t1.acme.test:8443", "acme_oauth_1")

/** A value that fits a blank. */
const fitting = (label: string): string => {
  if (/^(?:address|public URL)/.test(label)) return "https://t2.acme.test"
  return /^(?:path|page)/.test(label) ? "/account" : label.replaceAll(/\W+/g, "-")
}

const answered = (example: string): string =>
  filledIn(example, new Map(blanksIn(example).map((label) => [label, fitting(label)])))

const withOne = (profile: Profile, answer: string): Profile => Result.getOrThrow(withAnswer(profile, answer))

describe("the questions of init", () => {
  it("offer no invented host, and no line with a blank as it is", () => {
    for (const { examples, need } of questionsOf(walks, begun)) {
      for (const example of examples) {
        const outside = example.replaceAll(/‹[^›]*›/g, "")
        assert.notMatch(outside, /\.example|example\.org|…/, need)
        if (outside === example) continue
        const refused = withAnswer(begun, example)
        assert.match(Result.isFailure(refused) ? refused.failure : "accepted", /: replace ‹.*› with a value/, need)
      }
    }
  })

  it("name the deployment's own addresses", () => {
    const exampleOf = (profile: Profile, name: string) =>
      questionsOf(walks, profile).find(({ need }) => need === name)?.examples[0]
    assert.include(exampleOf(begun, "legacy user"), 'baseUrl: "https://acme.test:8443"')
    assert.include(exampleOf(begun, "plain-HTTP address"), 'plainHttpUrl: "http://t1.acme.test:8443"')
    const usual = initialProfile("https://t1.acme.test", "x")
    assert.include(exampleOf(usual, "plain-HTTP address"), 'plainHttpUrl: "http://t1.acme.test:80"')
    const moved = withOne(begun, 'legacy: { baseUrl: "https://old.acme.test" }')
    assert.include(exampleOf(moved, "unverified legacy user"), 'baseUrl: "https://old.acme.test"')
  })

  it("are met by each of their alternatives alone", () => {
    for (const { examples, need } of questionsOf(walks, begun)) {
      const met = (profile: Profile) => questionsOf(walks, profile).every((other) => other.need !== need)
      for (const example of examples) assert.isTrue(met(withOne(begun, answered(example))), `${need}: ${example}`)
    }
  })

  it("end when every question is answered by its first example, with the ceilings among them", () => {
    let profile = begun
    const asked: Array<string> = []
    for (;;) {
      const [question] = questionsOf(walks, profile)
      if (question === undefined) break
      assert.notInclude(asked, question.need)
      asked.push(question.need)
      profile = withOne(profile, answered(question.examples[0] ?? ""))
    }
    assert.include(asked, "the ceiling irreversible")
    assert.strictEqual(profile.run?.ceiling, "exhaust")
    const staying = Object.entries(profile.groups ?? {}).filter(([, group]) => group.create && !group.delete)
    assert.deepStrictEqual(staying, [], "every example with a create has a delete path")
  })

  it("say that workers stay while no delete path of workers is known", () => {
    const readOnly: Profile = { ...begun, groups: {}, run: { ceiling: "read" } }
    const asked = (profile: Profile) => questionsOf(walks, profile).find(({ need }) => need === "the ceiling create")
    assert.match(asked(readOnly)?.text ?? "", /all workers stay$/)
    const [withPath = "", without = ""] = asked(readOnly)?.examples ?? []
    const { groups, run } = withOne(readOnly, answered(withPath))
    assert.deepStrictEqual([groups?.["worker"]?.delete?.path, run?.ceiling], ["/account", "create"])
    assert.deepStrictEqual(withOne(readOnly, without).groups, {})
    assert.notMatch(asked({ ...begun, run: { ceiling: "read" } })?.text ?? "all workers stay", /stay/)
  })

  it("begin with the need that alone unlocks most", () => {
    const [first] = questionsOf(walks, begun)
    assert.strictEqual(first?.need, "credential body")
    assert.isAbove(first?.now.length ?? 0, 20)
  })

  it("come first among equal ones if nothing has to exist in the deployment", () => {
    const asked = questionsOf(walks, begun).map(({ need }) => need)
    assert.isBelow(asked.indexOf("access token body"), asked.indexOf("re-issued token"))
  })

  it("say what to create for each secret of the deployment", () => {
    for (const [name, need] of Object.entries(needs)) {
      const [line] = need.lines
      if (line.includes("${")) assert.isDefined("create" in need ? need.create : undefined, name)
    }
  })
})

describe("an answer", () => {
  it("fills a blank with a text, or with an object if the blank is a whole value", () => {
    const values = new Map([
      ["body", '{ "a": 1 }'],
      ["id", 'x"y'],
      ["name", "{{unique}}00"]
    ])
    assert.strictEqual(
      filledIn('p: "/x/‹id›", q: "‹body›", r: "‹id›", s: "‹more›", t: "‹name›"', values),
      ['p: "/x/x\\"y"', 'q: { "a": 1 }', 'r: "x\\"y"', 's: "‹more›"', 't: "{{unique}}00"'].join(", ")
    )
  })

  it("replaces the admin as a whole", () => {
    const byToken: Profile = { ...begun, principals: { admin: { token: "${CONF_TOKEN}" } } }
    const { principals } = withOne(
      byToken,
      'principals: { admin: { oauth: { clientId: x, clientSecret: "${CONF_S}" } } }'
    )
    assert.deepStrictEqual(principals.admin, { oauth: { clientId: "x", clientSecret: "${CONF_S}" } })
  })

  it("is deleted with a secret that nobody has: the smallest entry that the profile can lack", () => {
    const limited = ["CONF_A", "CONF_B"].map((name) => `{ token: "\${${name}}", privileges: {} }`)
    const profile = withOne(begun, `principals: { limited: [${limited.join(", ")}], expiredToken: "\${CONF_C}" }`)
    const cut = withoutSecret(profile, "CONF_A")
    assert.deepStrictEqual(cut?.entries, ["principals.limited.0"])
    assert.sameMembers([...namesOf(cut?.profile ?? profile)], [secretVariable, "CONF_B", "CONF_C"])
    assert.deepStrictEqual(withoutSecret(profile, "CONF_C")?.entries, ["principals.expiredToken"])
    assert.isUndefined(withoutSecret(profile, secretVariable))
  })

  it("replaces an earlier answer at its place", () => {
    const list = 'groups: { worker: { update: [{ method: PATCH, path: "/workers/{{id}}", body: { a: 1 } }] } }'
    const owners = 'owners: { applicant: { existing: ["app_1", "app_2"] } }'
    const before = withOne(withOne(begun, list), owners)
    assert.include(entryAt(before, "groups.worker.update.0")?.line, 'path: "/workers/{{id}}"')
    const entry = entryAt(before, "owners.applicant.existing")
    if (entry === undefined) return assert.fail("no entry")
    assert.strictEqual(entry.line, "owners: { applicant: { existing: [ app_1, app_2 ] } }")
    const after = withAnswer(before, entry.line.replace("app_2", "app_3"), entry.keys)
    assert.deepStrictEqual(Result.getOrThrow(after).owners?.applicant?.existing, ["app_1", "app_3"])
    assert.deepStrictEqual(Result.getOrThrow(after).groups, before.groups)
    assert.isUndefined(entryAt(before, "groups.ban.create"))
    assert.deepStrictEqual(entryAt(before, "ownership.link"), {
      keys: ["ownership", "link"],
      line: 'ownership: { link: { type: "{{type}}", id: "{{id}}" } }',
      isDefault: true
    })
  })

  it("adds limited principals to those that the profile has", () => {
    const token = (name: string) => `principals: { limited: [{ token: "\${${name}}", privileges: {} }] }`
    const { principals } = withOne(withOne(begun, token("CONF_A")), token("CONF_B"))
    assert.lengthOf(principals.limited ?? [], 2)
  })
})
