import { assert, describe, it } from "@effect/vitest"
import { makeCredential, makeWorker, remove } from "@wcs/conformance/calls/Resources"
import { leftOf } from "@wcs/conformance/engine/Sweep"
import type { ExchangeRule } from "@wcs/conformance/exchanges/ExchangeRule"
import { block, blockRule, ifAsked, judge } from "@wcs/conformance/judgement/Judge"
import { Session } from "@wcs/conformance/judgement/Session"
import { type Walk, walk } from "@wcs/conformance/judgement/Walk"
import type { Request } from "@wcs/conformance/wire/Exchange"
import { NoAnswer } from "@wcs/conformance/wire/Wire"
import { Clock, Deferred, Effect } from "effect"
import { always, answer, inTime, keeping, lineOf, profile, runOver, type Serve } from "../Invented.ts"

const about = { judges: ["WRK-03"], impact: "create", needs: [] } as const

/** A walk that passes one rule. */
const passing: Walk = walk({ ...about, name: "workers/passing", judges: ["WRK-11"] })(judge("WRK-11", [], []))

const isRead = (request: Request): boolean => request.method === "GET"

/** The same deployment with a different behaviour for some requests. */
const instead =
  (serve: Serve, isMeant: (request: Request) => boolean, other: Serve): Serve =>
  (request) =>
    isMeant(request) ? other(request) : serve(request)

const silent =
  (silence: NoAnswer["silence"]): Serve =>
  () =>
    Effect.fail(new NoAnswer({ silence, detail: "invented" }))

describe("a walk in a run", () => {
  const outcomeOf = (steps: Walk["steps"], judges: Walk["judges"] = ["WRK-03", "WRK-04"]) =>
    runOver({ ...keeping(), walks: [walk({ ...about, judges, name: "workers/one" })(steps), passing] })

  it.effect("reports a thrown error as an error of the suite, and the run continues", () =>
    Effect.gen(function* () {
      const { ended, findings } = yield* outcomeOf(Effect.sync(() => assert.fail("this is thrown")))
      const [first] = findings.filter(({ rule }) => rule === "WRK-03")
      assert.deepInclude(first, { outcome: "error", reason: "AssertionError: this is thrown" })
      assert.isTrue(findings.some(({ outcome, rule }) => rule === "WRK-11" && outcome === "pass"))
      assert.deepStrictEqual(ended?.ending, { as: "finished" })
    })
  )
  it.effect("blocks all declared rules when it is interrupted, even those with findings", () =>
    Effect.gen(function* () {
      const { findings, found } = yield* outcomeOf(Effect.andThen(judge("WRK-03", [], []), block("there is no way on")))
      assert.sameMembers(found, ["WRK-03 pass", "WRK-03 blocked", "WRK-04 blocked", "WRK-11 pass"])
      assert.strictEqual(findings.find(({ rule }) => rule === "WRK-04")?.reason, "there is no way on")
    })
  )
  it.effect("is an error of the suite when it ends without judging a rule", () =>
    Effect.gen(function* () {
      const { found } = yield* outcomeOf(Effect.andThen(judge("WRK-03", [], []), blockRule("WRK-04", "so it is")))
      assert.sameMembers(found, ["WRK-03 pass", "WRK-04 blocked", "WRK-11 pass"])
      const { findings } = yield* outcomeOf(judge("WRK-03", [], []))
      const unjudged = findings.find(({ rule }) => rule === "WRK-04")
      assert.deepInclude(unjudged, { outcome: "error", reason: "the walk ended without judging the rule" })
    })
  )
  it.effect("is blocked when the profile lacks the principal of a call", () =>
    Effect.gen(function* () {
      const calling = Effect.flatMap(Session, ({ send }) => send({ method: "GET", path: "/workers", as: "limited.3" }))
      const { findings } = yield* outcomeOf(Effect.asVoid(calling), ["WRK-03"])
      assert.deepInclude(
        findings.find(({ rule }) => rule === "WRK-03"),
        {
          outcome: "blocked",
          reason: "the profile has no limited.3"
        }
      )
    })
  )
  it.effect("runs only when it judges a selected rule, without the parts that only others need", () =>
    Effect.gen(function* () {
      const parts = Effect.andThen(
        ifAsked(["WRK-03"], judge("WRK-03", [], [])),
        ifAsked(["WRK-04"], judge("WRK-04", [], []))
      )
      const both = walk({ ...about, judges: ["WRK-03", "WRK-04"], name: "workers/both" })(parts)
      const only = new Set(["WRK-03"] as const)
      const { events, found } = yield* runOver({ ...keeping(), walks: [both, passing], only })
      assert.deepStrictEqual(found, ["WRK-03 pass"])
      assert.deepStrictEqual(
        events.flatMap((event) => (event.type === "walk-ended" ? [event.walk] : [])),
        ["workers/both"]
      )
    })
  )
  it.effect("is not announced when the profile does not allow it, and its rules have the reason", () =>
    Effect.gen(function* () {
      const needy = walk({ ...about, name: "workers/needy", needs: ["second tenant"] })(judge("WRK-03", [], []))
      const { events, findings } = yield* runOver({ ...keeping(), walks: [needy, passing] })
      assert.deepInclude(events[0], { type: "run-started", walks: ["workers/passing"] })
      assert.deepInclude(
        findings.find(({ rule }) => rule === "WRK-03"),
        {
          outcome: "blocked",
          lacks: ["second tenant"]
        }
      )
    })
  )
  it.effect("does not stop when a rule of every exchange throws, which is an error of the suite", () =>
    Effect.gen(function* () {
      const every = { appliesTo: () => true, whenUnseen: "blocked", judge: () => [] } as const
      const exchangeRules: ReadonlyArray<ExchangeRule> = [
        { ...every, rule: "RID-01", judge: () => assert.fail("this too") },
        { ...every, rule: "RID-02" }
      ]
      const { found } = yield* runOver({ ...keeping(), exchangeRules })
      assert.deepStrictEqual(found, ["RID-01 error", "RID-02 pass"])
    })
  )
})

describe("the preflight", () => {
  const sentenceOf = (serve: Serve, given = profile) =>
    Effect.map(inTime(runOver({ serve, walks: [passing], profile: given })), ({ ended, exchanges, found }) => {
      assert.deepStrictEqual(found, [])
      assert.strictEqual(new Set(exchanges.map(({ step }) => step)).size, 1)
      return ended?.ending.as === "unreachable" ? ended.ending.sentence : assert.fail("it is reachable")
    })

  it.effect("ends the run with one sentence when the deployment does not respond or rejects the admin", () =>
    Effect.gen(function* () {
      const where = "https://one.example"
      const told = [
        [silent("reset"), `${where} did not answer (reset)`],
        [silent("tls"), `${where} did not answer (tls)`],
        [always(401), `${where} refused the admin's credentials (401)`],
        [always(403, { error: { code: "FORBIDDEN" } }), `${where} refused the admin's credentials (403)`]
      ] as const
      for (const [serve, sentence] of told) assert.strictEqual(yield* sentenceOf(serve), sentence)
    })
  )
  it.effect("reports the token endpoint's response when an OAuth client gets no token", () =>
    Effect.gen(function* () {
      const oauth = { oauth: { clientId: "x", clientSecret: "${ADMIN}" } }
      const given = { ...profile, principals: { admin: oauth } }
      const told = [
        [silent("timeout"), "did not answer (timeout)"],
        [always(400, { error: "invalid_client" }), "answered 400 invalid_client without an access_token"],
        [always(400, { error: "<b>any\nthing</b>".repeat(99) }), "answered 400 without an access_token"],
        [always(200, "Welcome"), "answered 200 without an access_token"],
        [always(200, { access_token: "has a\r\nline end" }), "answered 200 without an access_token"],
        [always(204), "answered 204 without an access_token"]
      ] as const
      for (const [serve, said] of told) {
        const sentence = yield* sentenceOf(serve, given)
        assert.strictEqual(sentence, `no token for admin: the token endpoint ${said}`)
      }
    })
  )
  it.effect("leaves other wrong responses to the rules", () =>
    Effect.gen(function* () {
      const some = [...[200, 204, 301, 400, 500].map((status) => always(status)), always(404, { error: { code: "X" } })]
      for (const serve of some) {
        const { ended, found } = yield* runOver({ serve, walks: [passing] })
        assert.deepStrictEqual([found, ended?.ending.as], [["WRK-11 pass"], "finished"])
      }
    })
  )
})

describe("a resource of a run", () => {
  const making = walk({ ...about, name: "workers/making" })(function* () {
    const worker = yield* makeWorker()
    yield* makeCredential({ worker: worker.id })
    yield* makeCredential({ worker: worker.id })
    yield* judge("WRK-03", [], [])
  })

  it.effect("is in the journal before its create, and is deleted newest first and owners last", () =>
    Effect.gen(function* () {
      const { kept, serve } = keeping()
      const { entries, exchanges, residue } = yield* runOver({ serve, walks: [making] })
      assert.deepStrictEqual([...kept], [])
      assert.deepStrictEqual(residue, [])
      assert.deepStrictEqual(
        exchanges.map(({ request }) => lineOf(request)),
        [
          "GET /workers?pageSize=1",
          ...["POST /workers", "POST /credentials", "POST /credentials"],
          ...["DELETE /credentials/credentials_3", "DELETE /credentials/credentials_2", "DELETE /workers/workers_1"]
        ]
      )
      const told = entries.map((one) => `${one.entry} ${"id" in one ? one.id : "unique" in one ? one.unique : ""}`)
      assert.deepStrictEqual(told, [
        "run ",
        ...["intended conf-invented-00001x", "made workers_1"],
        ...["intended conf-invented-00002x", "made credentials_2"],
        ...["intended conf-invented-00003x", "made credentials_3"],
        ...["deleted credentials_3", "deleted credentials_2", "deleted workers_1"],
        "ended "
      ])
    })
  )
  it.effect("is not said to exist if its create was never sent, or was redirected", () =>
    Effect.gen(function* () {
      const { serve } = keeping()
      const elsewhere = always(301, "", { location: "https://t.example/" })
      const redirecting = instead(serve, ({ method }) => method === "POST", elsewhere)
      for (const [serving, requests] of [
        [serve, 2],
        [redirecting, 30]
      ] as const) {
        const few = { ...profile, run: { requests } }
        const { entries, residue } = yield* inTime(runOver({ serve: serving, walks: [making], profile: few }))
        assert.deepStrictEqual(residue, [])
        assert.deepStrictEqual(leftOf(entries).lost, [])
      }
    })
  )
  it.effect("is looked up by name and deleted when the response to its create was lost", () =>
    Effect.gen(function* () {
      const { kept, serve } = keeping()
      const losing = instead(
        serve,
        ({ method }) => method === "POST",
        (request) => Effect.andThen(serve(request), silent("reset")(request))
      )
      const { found, residue } = yield* inTime(runOver({ serve: losing, walks: [making] }))
      assert.deepStrictEqual(found, ["WRK-03 blocked"])
      assert.deepStrictEqual([[...kept], residue], [[], []])
    })
  )
  it.effect("is deleted at the end of its walk", () =>
    Effect.gen(function* () {
      const next = { ...making, name: "workers/next" }
      const oneByOne = { ...profile, run: { concurrency: 1 } }
      const { exchanges } = yield* runOver({ ...keeping(), walks: [making, next], profile: oneByOne })
      const walks = exchanges.map((exchange) => `${exchange.walk} ${exchange.request.method}`)
      const isRemoval = (one: string) => one === "workers/making DELETE"
      assert.isAbove(walks.indexOf("workers/next POST"), walks.findLastIndex(isRemoval))
      assert.lengthOf(walks.filter(isRemoval), 3)
    })
  )
  it.effect("is not reported as left when its walk deleted it", () =>
    Effect.gen(function* () {
      const tidy = walk({ ...about, name: "workers/tidy" })(function* () {
        const worker = yield* makeWorker()
        yield* judge("WRK-03", [yield* remove("worker", worker.id)], [])
      })
      const { residue } = yield* runOver({ ...keeping(), walks: [tidy] })
      assert.deepStrictEqual(residue, [])
    })
  )
  it.effect("is reported with the reason when it is not deleted", () =>
    Effect.gen(function* () {
      const { worker: _, ...groups } = profile.groups ?? {}
      const pathless = yield* runOver({ ...keeping(), walks: [making], profile: { ...profile, groups } })
      assert.deepStrictEqual(pathless.residue, [
        { type: "worker", name: "workers_1", why: "no delete path in the profile" }
      ])
      const { kept, serve } = keeping()
      const refusing = instead(serve, ({ method }) => method === "DELETE", always(405))
      const { residue } = yield* runOver({ serve: refusing, walks: [making] })
      assert.deepStrictEqual(residue.map(({ name, why }) => [name, why]).toSorted(), [
        ["credentials_2", "the delete was refused"],
        ["credentials_3", "the delete was refused"],
        ["workers_1", "the delete was refused"]
      ])
      assert.strictEqual(kept.size, 3)
    })
  )
  it.effect("is reported as left when its delete path is unknown and a read still finds it", () =>
    Effect.gen(function* () {
      const { kept, serve } = keeping()
      const lost = { ...profile.groups, worker: { delete: { method: "DELETE", path: "/nowhere/{{id}}" } } } as const
      const { residue } = yield* runOver({ serve, walks: [making], profile: { ...profile, groups: lost } })
      assert.deepStrictEqual([...kept.keys()], ["workers_1"])
      assert.deepStrictEqual(residue, [{ type: "worker", name: "workers_1", why: "the delete was refused" }])
    })
  )
})

describe("a run that ends early", () => {
  /** Creates a worker and a credential, and never ends. */
  const endless = (reached: Effect.Effect<void> = Effect.void) =>
    walk({ ...about, name: "workers/endless" })(function* () {
      const worker = yield* makeWorker()
      yield* makeCredential({ worker: worker.id })
      yield* reached
      return yield* Effect.never
    })
  const one = { ...profile, run: { concurrency: 1, secondsInAll: 20 } }

  it.effect("blocks the walks beyond its time limit and deletes the resources", () =>
    Effect.gen(function* () {
      const { kept, serve } = keeping()
      const { ended, findings } = yield* inTime(runOver({ serve, walks: [endless(), passing], profile: one }))
      const reason = "the run's limit of 20 s passed before the rule was judged: raise run.secondsInAll in the profile"
      assert.deepStrictEqual(
        findings.map((finding) => [finding.rule, finding.outcome, finding.reason, finding.lacks]),
        [
          ["WRK-03", "blocked", reason, ["more time"]],
          ["WRK-11", "blocked", reason, ["more time"]]
        ]
      )
      assert.deepStrictEqual([ended?.ending, ended?.endedAt], [{ as: "finished" }, 20_000])
      assert.deepStrictEqual([...kept], [])
    })
  )
  it.effect("ends as interrupted on request, makes no further step, and deletes its resources", () =>
    Effect.gen(function* () {
      const { kept, serve } = keeping()
      const asked = yield* Deferred.make<void>()
      const late = walk({ ...about, name: "workers/late", judges: ["WRK-04"] })(Effect.asVoid(makeWorker()))
      const walks = [endless(Effect.asVoid(Deferred.succeed(asked, undefined))), late]
      const { ended, entries, found } = yield* runOver({ serve, walks, profile: one, stop: Deferred.await(asked) })
      assert.deepStrictEqual(found, ["WRK-03 blocked", "WRK-04 blocked"])
      assert.deepStrictEqual(ended?.ending, { as: "interrupted" })
      assert.lengthOf(
        entries.filter(({ entry }) => entry === "made"),
        2
      )
      assert.deepStrictEqual([...kept], [])
    })
  )
  it.effect("judges nothing when it is stopped before the first response", () =>
    Effect.gen(function* () {
      const { ended, found } = yield* runOver({ serve: () => Effect.never, walks: [passing], stop: Effect.void })
      assert.deepStrictEqual([ended?.ending, found], [{ as: "interrupted" }, []])
    })
  )
  it.effect("blocks walks and still deletes its resources when its requests are used up", () =>
    Effect.gen(function* () {
      const { kept, serve } = keeping()
      const few = { ...profile, run: { requests: 3 } }
      const walks = [endless(), { ...endless(), name: "workers/other" }, passing]
      const { exchanges, findings } = yield* inTime(runOver({ serve, walks, profile: few }))
      const blocked = findings.filter(({ outcome }) => outcome === "blocked")
      assert.include(
        blocked.map(({ reason }) => reason),
        "the run has used all of its 3 requests"
      )
      const asked = exchanges.filter(({ request }) => request.method !== "DELETE" && !isRead(request))
      assert.lengthOf(asked, 2)
      assert.deepStrictEqual([...kept], [])
    })
  )
  it.effect("keeps its time limit when the deployment stops responding", () =>
    Effect.gen(function* () {
      const { serve } = keeping()
      const isFirst = (request: Request) => lineOf(request) === "GET /workers?pageSize=1"
      const hanging = instead(
        (request) => Effect.andThen(Effect.sleep("600 seconds"), silent("timeout")(request)),
        isFirst,
        serve
      )
      const walks = Array.from({ length: 60 }, (_, index) => ({ ...endless(), name: `workers/endless-${index}` }))
      const { ended, residue } = yield* inTime(runOver({ serve: hanging, walks, profile: one }))
      assert.strictEqual(ended?.endedAt, 50_000) // its timeout, and the time to look up what creates may have made
      assert.isTrue(residue.every(({ why }) => why === "may have been made"))
      assert.lengthOf(residue, 1)
    })
  )
})

describe("concurrency of walks", () => {
  /** The start and end times of walks of one second, two of them concurrently. */
  const spansOf = Effect.fnUntraced(function* (walks: ReadonlyArray<Partial<Walk>>) {
    const spans: Array<readonly [from: number, to: number]> = []
    const resting = Effect.gen(function* () {
      const from = yield* Clock.currentTimeMillis
      yield* Effect.sleep("1 second")
      spans.push([from, yield* Clock.currentTimeMillis])
      yield* judge("WRK-03", [], [])
    })
    const made = walks.map((more, index) => walk({ ...about, ...more, name: `workers/${index}` })(resting))
    const given = { ...profile, run: { concurrency: 2 } }
    yield* inTime(runOver({ serve: () => Effect.succeed(answer(200)), walks: made, profile: given }))
    return spans
  })

  it.effect("runs as many walks concurrently as the profile allows", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* spansOf([{}, {}, {}, {}]), [
        ...[[0, 1000] as const, [0, 1000] as const],
        ...[[1000, 2000] as const, [1000, 2000] as const]
      ])
    })
  )

  it.effect("runs other walks while one waits, and lets it continue when a place is free", () =>
    Effect.gen(function* () {
      const starts: Array<readonly [walk: string, at: number]> = []
      const note = (name: string) => Effect.map(Clock.currentTimeMillis, (now) => void starts.push([name, now]))
      const waiting = Effect.gen(function* () {
        const { wait } = yield* Session
        yield* note("waiting")
        // both at once, but the walk has only one place to give
        yield* Effect.all([wait(1), wait(1)], { concurrency: 2 })
        yield* note("continued")
        yield* Effect.sleep("1 second")
        yield* judge("WRK-03", [], [])
      })
      const resting = (name: string) =>
        Effect.andThen(note(name), Effect.andThen(Effect.sleep("1500 millis"), judge("WRK-03", [], [])))
      const walks = [waiting, ...["first", "second", "third"].map(resting)].map((steps, index) =>
        walk({ ...about, judges: ["WRK-03"], name: `workers/${index}` })(steps)
      )
      const given = { ...profile, run: { concurrency: 1 } }
      const serve = () => Effect.succeed(answer(200))
      const { found } = yield* inTime(runOver({ serve, walks, profile: given }))
      assert.deepStrictEqual(starts, [
        ["waiting", 0],
        ["first", 0],
        ["second", 1500],
        ["continued", 3000],
        ["third", 4000]
      ])
      assert.lengthOf(found, 4)
    })
  )

  it.effect("LEG-24: runs walks that log in one at a time, because a token may end another", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* spansOf([{ logsIn: true }, { logsIn: true }, { logsIn: true }]), [
        [0, 1000],
        [1000, 2000],
        [2000, 3000]
      ])
    })
  )
})
