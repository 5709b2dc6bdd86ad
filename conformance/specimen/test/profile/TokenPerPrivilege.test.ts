import { assert, describe, it } from "@effect/vitest"
import { catalogue } from "@wcs/conformance/catalogue/Catalogue"
import type { Event } from "@wcs/conformance/evidence/Event"
import { holdersOf, tellingMost } from "@wcs/conformance/profile/LimitedPrincipals"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { reportOf } from "@wcs/conformance/report/Reporting"
import { alarmsIn, judge } from "@wcs/specimen/target/Target"
import { Effect } from "effect"
import { started } from "../Specimen.ts"

const timeout = 300_000

/** The principals without any privilege, and with one each. */
const withOneEach =
  (requests?: number) =>
  (profile: Profile): Profile => {
    const { limited = [] } = profile.principals
    const few = limited.filter(({ privileges }) => Object.values(privileges).flat().length <= 1)
    const run = { ...profile.run, ...(requests === undefined ? {} : { requests }) }
    return { ...profile, principals: { ...profile.principals, limited: few }, run }
  }

/** The requests of a run, without those that exhaust a limit: on a slow machine its window ends meanwhile. */
const requestsIn = (events: ReadonlyArray<Event>): number =>
  events.filter(
    (event) =>
      event.type === "exchange" && event.exchange.kind !== "delivery" && event.exchange.walk !== "rate-limits/exhaust"
  ).length

describe("a profile that has a token for each privilege", () => {
  it.live(
    "PRV-01 to PRV-09: judges everything, with at most 3,300 requests",
    () =>
      Effect.gen(function* () {
        const target = yield* started({ profile: withOneEach() })
        assert.isAbove(target.profile.principals.limited?.length ?? 0, 40)
        const events = yield* judge(target)
        assert.deepStrictEqual(alarmsIn(events), [])
        assert.isAtMost(requestsIn(events), 3300 - 24)
      }).pipe(Effect.scoped),
    timeout
  )

  it.live(
    "passes a rule at the places that were judged before the requests ended, and fails none",
    () =>
      Effect.gen(function* () {
        const events = yield* judge(yield* started({ profile: withOneEach(1500) }))
        assert.isAtMost(requestsIn(events), 2000) // the clean-up is not counted
        const report = reportOf(events)
        const musts = report?.rules.filter(({ level }) => level === "MUST") ?? []
        assert.deepStrictEqual(
          musts.filter(({ verdict }) => verdict === "fail").map(({ id }) => id),
          []
        )
        const inPart = musts.filter(({ lacks, verdict }) => verdict === "pass" && lacks.includes("more requests"))
        assert.isNotEmpty(inPart)
        for (const { reasons } of inPart) assert.match(reasons.join(), /^passed at \d+ /)
      }).pipe(Effect.scoped),
    timeout
  )

  it("tries every principal at some entity type", () => {
    const types = catalogue.slice(0, 12).map((_, index) => `type${index}`)
    const operations = ["READ", "CREATE", "UPDATE", "DELETE"] as const
    const limited = types.flatMap((type) =>
      operations.map((operation) => ({ token: "${T}", privileges: { [type]: [operation] } }))
    )
    const holders = holdersOf({
      name: "p",
      newer: { tenantBaseUrl: "https://t" },
      principals: { admin: { token: "${T}" }, limited }
    })
    const tried = new Set<string>()
    for (const entity of types) {
      for (const operation of operations) {
        const strangers = holders.filter(({ limited: one }) => !Object.hasOwn(one.privileges, entity))
        const some = tellingMost(strangers, entity, operation, holders)
        assert.isAtMost(some.length, 9)
        for (const { name } of some) tried.add(name)
      }
    }
    assert.strictEqual(tried.size, limited.length)
  })
})
