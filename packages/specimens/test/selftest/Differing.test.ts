import { assert, describe, it } from "@effect/vitest"
import type { Finding } from "@wcs/conformance/engine/Finding"
import { walks } from "@wcs/conformance/Walks"
import type { Exchange } from "@wcs/conformance/wire/Exchange"
import { type Differing, differing, type Recording, recordingOf } from "@wcs/specimens/Differing"
import { mutants } from "@wcs/specimens/Mutants"
import { ours, type Specimen } from "@wcs/specimens/Specimen"
import * as Specimens from "@wcs/specimens/Specimens"
import * as Rewrite from "@wcs/specimens/seams/Rewrite"
import { findingsOf, judge, judgeBy, walksFor } from "@wcs/specimens/selftest/Judging"
import { overreaches, rulesFor } from "@wcs/specimens/selftest/Matrix"
import { Effect } from "effect"

/** Recorded once for all of these tests. */
const recorded = Effect.runSync(
  Effect.gen(function* () {
    const start = yield* Specimens.make
    const target = yield* start(ours, true)
    return recordingOf(yield* judge(target), target.profile)
  }).pipe(Effect.scoped, Effect.cached)
)

const namesOf = (made: Pick<Differing, "walks">): ReadonlyArray<string> => made.walks.map(({ name }) => name)

/** The walks of a recording with such an exchange, and those that every rewrite affects. */
const walksWith = ({ exchanges, racing }: Recording, isOne: (exchange: Exchange) => boolean) =>
  walks.filter(({ name }) => racing.has(name) || exchanges.some((one) => one.walk === name && isOne(one)))

const isOfRotation = ({ request }: Exchange): boolean =>
  request.method === "POST" && /^\/webhooks\/[^/]+\/rotate$/.test(Rewrite.pathOf(request))
const rotation: Rewrite.Where = { method: "POST", path: /^\/webhooks\/[^/]+\/rotate$/ }

/** Each changes the calls that rotate a secret, and no others. */
const rewrites: Readonly<Record<string, NonNullable<Specimen["rewrite"]>>> = {
  "answers otherwise": Rewrite.answers(rotation, (answer) => Rewrite.withHeader(answer, "x-more", "1")),
  "asks otherwise": Rewrite.requests(rotation, (request) => ({ ...request, body: `${request.body} ` })),
  "asks twice": Rewrite.instead(rotation, (request, serve) => Effect.andThen(serve(request), serve(request))),
  "asks nothing": Rewrite.instead(rotation, () => Effect.succeed(Rewrite.jsonAnswer(200, {}))),
  "answers later": Rewrite.instead(rotation, (request, serve) => Effect.delay(serve(request), "1 second"))
}

/** The differences and their places. */
const ill = (findings: ReadonlyArray<Finding>): ReadonlyArray<string> => [
  ...new Set(
    findings
      .filter(({ outcome }) => !["pass", "observed", "not-applicable"].includes(outcome))
      .map(({ outcome, rule, walk }) => `${rule} ${outcome} in ${walk}`)
  )
]

const isRewrite = ({ profile, rewrite, rules, secret, stores }: Specimen): boolean =>
  rewrite !== undefined && [profile, rules, secret, stores].every((changed) => changed === undefined)

/** Defects of answers in one group and in all, of effects, of deliveries, and of every exchange. */
const taken = [
  "second-put-is-no-content",
  "refused-delete-of-a-screening-package-is-made",
  "redriven-delivery-has-a-new-id",
  "creates-tell-no-request-id"
]

describe("the walks in which a specimen may differ from ours", () => {
  it.live("are those with an exchange that the specimen changes", () =>
    Effect.gen(function* () {
      const recording = yield* recorded
      const met = walksWith(recording, isOfRotation).map(({ name }) => name)
      assert.isAbove(met.length, recording.racing.size)
      assert.isBelow(met.length, 20)
      for (const [name, rewrite] of Object.entries(rewrites)) {
        const made = yield* differing({ name, rewrite }, recording)
        assert.deepStrictEqual(namesOf(made), met, name)
        const madeAgain = recording.exchanges.filter(({ walk }) => met.includes(walk))
        assert.strictEqual(made.known.exchanges.length + madeAgain.length, recording.exchanges.length, name)
      }
    })
  )

  it.live("include walks with concurrent calls, and walks with deliveries if the specimen changes deliveries", () =>
    Effect.gen(function* () {
      const recording = yield* recorded
      const { listening, racing } = recording
      for (const name of ["ownership/links-at-once", "ownership/unlinks-at-once"]) assert.include([...racing], name)
      assert.include([...listening], "events/retry")
      const idle = yield* differing({ name: "idle", rewrite: (serve) => serve }, recording)
      assert.sameMembers([...namesOf(idle)], [...racing])
      const delivering = yield* differing({ name: "delivering", deliveries: () => (deliver) => deliver }, recording)
      assert.sameMembers([...namesOf(delivering)], [...listening])
      assert.deepStrictEqual(namesOf(yield* differing(ours, recording)), [])
    })
  )

  it.live("are all walks when the specimen changes anything else or a shared exchange", () =>
    Effect.gen(function* () {
      const recording = yield* recorded
      const whole: ReadonlyArray<Omit<Specimen, "name">> = [
        { profile: (profile) => profile },
        { secret: (secret) => secret },
        { stores: (stores) => stores },
        ...mutants.filter(({ rules }) => rules !== undefined).slice(0, 1),
        { rewrite: Rewrite.answers({ path: /^\/oauth\/token$/ }, (answer) => ({ ...answer, text: ` ${answer.text}` })) }
      ]
      for (const changed of whole) {
        const made = yield* differing({ ...changed, name: "one" }, recording)
        assert.deepStrictEqual([made.walks, made.known.exchanges], [walks, []], Object.keys(changed).join())
      }
    })
  )

  it.live("include one that shows the defect of a mutant", () =>
    Effect.gen(function* () {
      const recording = yield* recorded
      const chosen = mutants.filter(isRewrite).filter(({ name }, index) => index % 5 === 0 || name.includes("at-once"))
      assert.isAbove(chosen.length, 100)
      for (const mutant of chosen) {
        const judging = walksFor(rulesFor(mutant))
        const made = namesOf(yield* differing(mutant, recording))
        const isMet = judging.length === 0 || judging.some(({ name }) => made.includes(name))
        assert.isTrue(isMet, mutant.name)
      }
    })
  )

  it.live(
    "have the same findings as all walks, reported under the specimen's name",
    () =>
      Effect.gen(function* () {
        const recording = yield* recorded
        const start = yield* Specimens.make
        for (const mutant of mutants.filter(({ name }) => taken.includes(name))) {
          const { known, walks: made } = yield* differing(mutant, recording)
          const part = findingsOf(yield* judgeBy(yield* start(mutant, true), made, known))
          const whole = findingsOf(yield* judge(yield* start(mutant, true)))
          assert.isBelow(made.length, walks.length, mutant.name)
          assert.sameMembers([...ill(part)], [...ill(whole)], mutant.name)
          const blamed = overreaches(mutant, part, []).map((complaint) => complaint.split(" should pass: ")[0])
          for (const { rule } of mutant.kills) assert.include(blamed, `${mutant.name}: ${rule}`)
        }
      }).pipe(Effect.scoped),
    240_000
  )
})
