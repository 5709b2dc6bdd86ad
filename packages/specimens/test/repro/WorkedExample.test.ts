import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { applicant, unlink } from "@wcs/conformance/calls/OwnershipCalls"
import { makeApplicant, makeCredential, makeWorker, read } from "@wcs/conformance/calls/Resources"
import { type RuleId, ruleOf } from "@wcs/conformance/catalogue/Catalogue"
import { run } from "@wcs/conformance/engine/Run"
import type { Event } from "@wcs/conformance/evidence/Event"
import * as Journal from "@wcs/conformance/evidence/Journal"
import type { Difference } from "@wcs/conformance/judgement/Difference"
import * as Expect from "@wcs/conformance/judgement/Expect"
import { judge } from "@wcs/conformance/judgement/Judge"
import { type Walk, walk } from "@wcs/conformance/judgement/Walk"
import { explain, list } from "@wcs/conformance/report/Explain"
import { exchangeRules, walks } from "@wcs/conformance/walks/Walks"
import type { Exchange } from "@wcs/conformance/wire/Exchange"
import { Wire } from "@wcs/conformance/wire/Wire"
import { mutants } from "@wcs/specimens/Mutants"
import * as Specimens from "@wcs/specimens/Specimens"
import { findingsOf, type Target } from "@wcs/specimens/selftest/Judging"
import { deviations, holesIn, overreaches } from "@wcs/specimens/selftest/Matrix"
import { selftest } from "@wcs/specimens/selftest/Selftest"
import { variants } from "@wcs/specimens/Variants"
import { Effect, Layer } from "effect"

const root = new URL("../../../../", import.meta.url)
const specimensReadmeFile = new URL("packages/specimens/README.md", root)
const rule: RuleId = "OWN-14"

/** The fenced blocks in some languages, each with the text since the block before. */
const blocksIn = (text: string, ...languages: ReadonlyArray<string>) => {
  const parts = text.split(/^```(\w+)\n(.*?)^```$/gms)
  return parts.flatMap((language, index) =>
    index % 3 === 1 && languages.includes(language)
      ? [{ above: parts[index - 1] ?? "", code: parts[index + 1] ?? "" }]
      : []
  )
}

const mutant = mutants.find(({ name }) => name === "unlink-of-an-empty-slot-takes-the-other-owner-out")
const variant = variants.find(({ name }) => name === "empty-slots-are-texts")
const example = Effect.sync(() => {
  if (mutant === undefined || variant === undefined) throw new Error("the mutant or the variant is missing")
  return { mutant, variant }
})

/** The findings of these walks on a deployment. */
const foundBy = Effect.fnUntraced(function* ({ profile, secrets, serve }: Target, walksMade: ReadonlyArray<Walk>) {
  const events: Array<Event> = []
  const emit = (event: Event) => Effect.sync(() => void events.push(event))
  const more = { exchangeRules: [], stop: Effect.never, emit, learn: () => Effect.void }
  yield* run({ run: "example", profile, secrets, walks: walksMade, ...more }).pipe(
    Effect.provide(Layer.merge(Layer.succeed(Wire, Wire.of({ send: serve })), Journal.layerMemory()))
  )
  return findingsOf(events)
})

/** A walk that judges the rule by comparing the answer and the credential after it. */
const judgingBy = (look: (answer: Exchange, after: Exchange) => ReadonlyArray<Difference>): Walk =>
  walk({ name: "example/empty-slot", judges: [rule], impact: "mutate-own", needs: ["credential body", "applicant"] })(
    function* () {
      const owner = yield* makeWorker()
      const other = yield* makeApplicant()
      const { id } = yield* makeCredential({ worker: owner.id })
      const answer = yield* unlink(id, applicant(other.id))
      const after = yield* read("credential", id)
      yield* judge(rule, [answer, after], look(answer, after))
    }
  )

const blind = judgingBy((answer) => Expect.status(answer, 200))
const strict = judgingBy((answer, after) => [
  ...Expect.status(answer, 200),
  ...Expect.value(after, "data.attributes.owners.applicant", null)
])

const judging = walks.filter(({ judges }) => judges.includes(rule))
const others = walks.filter(({ judges }) => !judges.includes(rule))

/** The self-test made this complaint. */
const assertComplained = (complaints: ReadonlyArray<string>, ending: string) =>
  assert.isTrue(
    complaints.some((one) => one.endsWith(ending)),
    `${JSON.stringify(complaints)} should end with ${ending}`
  )

/** A quoted block is verbatim in the file of the last link above it. */
const assertVerbatim = ({ above, code }: ReturnType<typeof blocksIn>[number], from: URL) => {
  const [, path = ""] = [...above.matchAll(/\]\(([^)#]+)\)/g)].at(-1) ?? []
  assert.match(path, /\.(ts|json)$/, `a file is named above ${code}`)
  assert.include(readFileSync(new URL(path, from), "utf8"), code, path)
}

describe("the check of OWN-14", () => {
  it("is unchecked without its walk, and checked only by that walk", () => {
    const row = ruleOf(rule)
    assert.isDefined(row)
    if (row === undefined) return
    const stateBy = (made: ReadonlyArray<Walk>) => {
      const checks = { walks: made, exchangeRules, mutants: [] }
      const listed = list({ area: "OWN" }, checks).find(({ id }) => id === rule)?.state
      const isListed = list({ unchecked: true }, checks).some(({ id }) => id === rule)
      return [listed, explain(row, checks).state, isListed]
    }
    assert.deepStrictEqual(stateBy(others), ["unchecked", "unchecked", true])
    assert.deepStrictEqual(stateBy(walks), ["checked", "checked", false])
    assert.deepStrictEqual(
      judging.map(({ name }) => name),
      ["ownership/unlink-one-of-two"]
    )
  })

  it("has a mutant that must be killed after a change", () => {
    assert.deepInclude([...(mutant?.kills ?? [])], { rule, kind: "changed", at: "body.data.attributes.owners.worker" })
  })

  it.live("leaves a gap in the self-test when no mutant breaks it", () =>
    Effect.gen(function* () {
      const without = mutants.filter(({ kills }) => !kills.some((kill) => kill.rule === rule))
      const known = holesIn(mutants)
      assert.deepStrictEqual(
        holesIn(without).filter((hole) => !known.includes(hole)),
        [rule]
      )
      const { complaints } = yield* selftest([], [])
      assertComplained(
        complaints.filter((complaint) => complaint.startsWith(rule)),
        "no mutant breaks it, so nothing shows that it can fail"
      )
    })
  )

  it.live("gets a complaint when its walk is missing, blind or too strict, or its mutant declares too little", () =>
    Effect.gen(function* () {
      const { mutant, variant } = yield* example
      const start = yield* Specimens.make
      const broken = yield* start(mutant, false)
      assertComplained(
        deviations(
          mutant,
          yield* foundBy(
            broken,
            others.filter(({ judges }) => judges.includes("OWN-15"))
          )
        ),
        "found nothing"
      )
      assertComplained(deviations(mutant, yield* foundBy(broken, [blind])), "found pass")
      assertComplained(
        deviations({ ...mutant, alsoKills: [] }, yield* foundBy(broken, judging)),
        "fails too: fail changed at body.data.attributes.owners.worker"
      )
      const ours = yield* foundBy(yield* start({ name: "ours" }, false), [strict])
      assert.deepStrictEqual(
        ours.map(({ outcome }) => outcome),
        ["pass"]
      )
      assertComplained(
        overreaches(variant, yield* foundBy(yield* start(variant, false), [strict]), ours),
        "fail wrong-value at body.data.attributes.owners.applicant"
      )
    }).pipe(Effect.scoped)
  )
})

it("the specimens' README quotes the named files verbatim", () => {
  const quotes = blocksIn(readFileSync(specimensReadmeFile, "utf8"), "ts")
  for (const quote of quotes) assertVerbatim(quote, specimensReadmeFile)
  assert.lengthOf(quotes, 1)
})
