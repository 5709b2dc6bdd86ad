import { assert, describe, it } from "@effect/vitest"
import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { strangers } from "@wcs/conformance/walks/rows/Strangers"
import { walksOf } from "@wcs/conformance/walks/rows/Sweeping"
import type { Request } from "@wcs/conformance/wire/Exchange"
import { NoAnswer } from "@wcs/conformance/wire/Wire"
import { Effect } from "effect"
import { answer, inTime, keeping, lineOf, profile, runOver, type Serve } from "../Invented.ts"

const authorizationOf = ({ headers }: Request): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === "authorization")?.[1]

const unauthorized = answer(401, { message: "Unauthorized to perform this action" })

/** Refuses every call without the admin's token, except where `isOpen`. Nothing listens for plain HTTP. */
const guarding = (isOpen: (request: Request) => boolean = () => false) => {
  const sent: Array<Request> = []
  const { serve: inner } = keeping()
  const serve: Serve = (request) => {
    sent.push(request)
    if (request.url.startsWith("http://")) return Effect.fail(new NoAnswer({ silence: "refused", detail: "none" }))
    const isAdmins = authorizationOf(request) === "Bearer the-token-of-the-admin"
    return isAdmins || isOpen(request) ? inner(request) : Effect.succeed(unauthorized)
  }
  return { sent, serve }
}

const withPlain: Profile = {
  ...profile,
  newer: { ...profile.newer, plainHttpUrl: "http://one.example" }
}

/** Judges one rule, so that rows of others change nothing here. */
const strangersOver = (rule: RuleId, serve: Serve, given: Profile = profile) =>
  inTime(
    runOver({
      serve,
      walks: walksOf(strangers),
      only: new Set([rule]),
      profile: { ...given, run: { secondsInAll: 80_000 } }
    })
  )

describe("the sweep of strangers", () => {
  it.effect("AUT-01: makes each call once as nobody, and passes if each is refused", () =>
    Effect.gen(function* () {
      const { sent, serve } = guarding()
      const { found } = yield* strangersOver("AUT-01", serve)
      const lines = sent.filter((request) => authorizationOf(request) === undefined).map(lineOf)
      assert.includeMembers(lines, ["GET /workers", "GET /workers?pageSize=1", "POST /workers", "POST /credentials"])
      assert.deepStrictEqual([...new Set(lines)], lines)
      assert.include(found, "AUT-01 pass")
      assert.deepStrictEqual(
        found.filter((one) => one.endsWith(" fail")),
        []
      )
    })
  )
  it.effect("AUT-01: fails at the one call that is open", () =>
    Effect.gen(function* () {
      const isOpen = (request: Request) =>
        authorizationOf(request) === undefined && lineOf(request) === "POST /applicants"
      const { serve } = guarding(isOpen)
      const { findings } = yield* strangersOver("AUT-01", serve)
      const failed = findings.filter(({ outcome }) => outcome === "fail")
      assert.deepStrictEqual([...new Set(failed.map(({ rule }) => rule))], ["AUT-01"])
      assert.include(
        failed.flatMap(({ differences }) => differences.map(({ at, place }) => `${at} ${place ?? ""}`)),
        "status POST /applicants by nobody"
      )
    })
  )
  it.effect("TRN-02: asks once whether anything listens, and makes no call if nothing does", () =>
    Effect.gen(function* () {
      const { sent, serve } = guarding()
      const { found } = yield* strangersOver("TRN-02", serve, withPlain)
      assert.lengthOf(
        sent.filter(({ url }) => url.startsWith("http://")),
        1
      )
      assert.isFalse(found.some((one) => one.startsWith("TRN-02")))
    })
  )
})
