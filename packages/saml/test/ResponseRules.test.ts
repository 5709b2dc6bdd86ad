import { assert, describe, it } from "@effect/vitest"
import { judge, type ReadResponse } from "@wcs/saml/ResponseRules"
import { Result } from "effect"
import * as fc from "fast-check"
import {
  acsUrl,
  bearer,
  connection,
  idpEntityId,
  now,
  pending,
  persistent,
  spEntityId,
  success
} from "./corpus/Forge.ts"

const at = (offsetMillis: number) => new Date(now + offsetMillis).toISOString()

/** The times of a response, in milliseconds after `now`. */
interface Times {
  readonly issued: number
  readonly notBefore: number
  readonly conditionsEnd: number
  readonly confirmationEnd: number
  readonly authenticated: number
  readonly sessionEnd: number
}

const usual: Times = {
  issued: 0,
  notBefore: 0,
  conditionsEnd: 300_000,
  confirmationEnd: 300_000,
  authenticated: 0,
  sessionEnd: 3_600_000
}

const response = (times: Partial<Times> = {}): ReadResponse => {
  const { authenticated, conditionsEnd, confirmationEnd, issued, notBefore, sessionEnd } = { ...usual, ...times }
  return {
    envelope: {
      version: "2.0",
      issueInstant: at(issued),
      issuer: idpEntityId,
      destination: acsUrl,
      inResponseTo: pending.requestId,
      status: success
    },
    assertion: {
      id: "_a",
      version: "2.0",
      issueInstant: at(issued),
      issuer: idpEntityId,
      issuerFormat: null,
      nameId: { value: "alice", format: persistent, nameQualifier: null, spNameQualifier: null },
      confirmations: [
        {
          method: bearer,
          recipient: acsUrl,
          notBefore: null,
          notOnOrAfter: at(confirmationEnd),
          inResponseTo: pending.requestId
        }
      ],
      notBefore: at(notBefore),
      notOnOrAfter: at(conditionsEnd),
      audienceRestrictions: [[spEntityId]],
      authentications: [{ authnInstant: at(authenticated), sessionNotOnOrAfter: at(sessionEnd), sessionIndex: null }],
      attributes: new Map()
    }
  }
}

const judgeAt = (times: Partial<Times>, arrival: number) => judge(response(times), connection, pending, now + arrival)
const isTaken = (times: Partial<Times>, arrival: number) => Result.isSuccess(judgeAt(times, arrival))

describe("the times of a response", () => {
  const bounds: ReadonlyArray<readonly [rule: string, times: Partial<Times>, taken: number, refused: number]> = [
    ["issued at most 60 s in the future", { issued: 60_000 }, 0, -1],
    ["issued at most 5 minutes ago", { conditionsEnd: 1e9, confirmationEnd: 1e9 }, 300_000, 300_001],
    ["NotBefore at most 60 s in the future", { issued: -1000, notBefore: 60_000 }, 0, -1],
    ["NotOnOrAfter less than 60 s ago", { conditionsEnd: 0 }, 59_999, 60_000],
    ["NotOnOrAfter of the confirmation less than 60 s ago", { confirmationEnd: 0 }, 59_999, 60_000],
    ["AuthnInstant at most 60 s in the future", { issued: -1000, authenticated: 60_000 }, 0, -1],
    ["SessionNotOnOrAfter less than 60 s ago", { sessionEnd: 0 }, 59_999, 60_000]
  ]
  it.each(bounds)("%s", (_, times, taken, refused) => {
    assert.isTrue(isTaken(times, taken))
    assert.isFalse(isTaken(times, refused))
  })

  const offset = fc.integer({ min: -400_000, max: 400_000 })
  const times = fc.record({
    issued: offset,
    notBefore: offset,
    conditionsEnd: offset,
    confirmationEnd: offset,
    authenticated: offset,
    sessionEnd: offset
  })

  it("form a single span: a response refused as too late stays refused", () => {
    fc.assert(
      fc.property(times, offset, offset, offset, (written, ...arrivals) => {
        const [first, middle, last] = arrivals.toSorted((one, two) => one - two)
        const isHole = isTaken(written, first ?? 0) && !isTaken(written, middle ?? 0) && isTaken(written, last ?? 0)
        assert.isFalse(isHole)
      })
    )
  })

  it("end at the login's notOnOrAfter at the latest, so that assertion ids can be deleted then", () => {
    const near = fc.integer({ min: 0, max: 50_000 })
    fc.assert(
      fc.property(times, near, (written, arrival) => {
        const login = judgeAt({ ...written, issued: 0, notBefore: 0, authenticated: 0 }, arrival)
        if (Result.isFailure(login)) return
        const { notOnOrAfter } = login.success
        assert.isAbove(notOnOrAfter, now + arrival)
        assert.isFalse(isTaken({ ...written, issued: 0, notBefore: 0, authenticated: 0 }, notOnOrAfter - now))
      })
    )
  })
})

describe("the status of a response", () => {
  it.each([null, "", "urn:oasis:names:tc:SAML:2.0:status:Responder"])("%j is not a success", (status) => {
    const { assertion, envelope } = response()
    const judged = judge({ assertion, envelope: { ...envelope, status } }, connection, pending, now)
    assert.strictEqual(Result.isFailure(judged) ? judged.failure._tag : "accepted", "StatusNotSuccess")
  })
})

describe("several statements of authentication", () => {
  it("count as one: the earliest proof, and the earliest end of the session", () => {
    const { assertion, envelope } = response()
    const statement = (authenticated: number, sessionEnd: number | null) => ({
      authnInstant: at(authenticated),
      sessionNotOnOrAfter: sessionEnd === null ? null : at(sessionEnd),
      sessionIndex: null
    })
    const authentications = [statement(-5000, 9000), statement(-9000, null), statement(-1000, 7000)]
    const login = Result.getOrThrow(
      judge({ envelope, assertion: { ...assertion, authentications } }, connection, pending, now)
    )
    assert.strictEqual(login.authnInstant, now - 9000)
    assert.strictEqual(login.sessionNotOnOrAfter, now + 7000)
  })
})
