import { assert, describe, it } from "@effect/vitest"
import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { NoAnswer } from "@wcs/conformance/wire/Wire"
import type { Serve } from "@wcs/specimen/target/Serve"
import { alarmsIn, findingsOf, judge } from "@wcs/specimen/target/Target"
import { Effect } from "effect"
import { started } from "../Specimen.ts"

const page = (status: number, title: string): Answer => ({
  status,
  headers: { "content-type": "text/html", server: "nginx" },
  text: `<html><head><title>${title}</title></head></html>`,
  json: undefined
})

type Front = (request: Request, count: number) => Answer | NoAnswer | undefined

/** Judges the second server behind something that answers some requests itself. */
const judgedBehind = Effect.fnUntraced(function* (front: Front, only?: ReadonlySet<RuleId>) {
  const target = yield* started()
  let count = 0
  const serve: Serve = (request) => {
    count += 1
    const own = front(request, count)
    if (own === undefined) return target.serve(request)
    return own instanceof NoAnswer ? Effect.fail(own) : Effect.succeed(own)
  }
  const events = yield* judge({ ...target, serve }, only)
  return { alarms: alarmsIn(events), findings: findingsOf(events) }
}, Effect.scoped)

/** Whether a request is a usual call on workers with this method. */
const isOn = (method: string, { method: sent, url }: Request): boolean =>
  sent === method && /^\/openapi\/v1\/workers\/[^/]+$/.test(new URL(url).pathname)

const timeout = 300_000

// Runs wait most of the time: for calls that are repeated, and for pages that stay.
describe.concurrent("what stands in front of the second server", () => {
  it.live(
    "changes no verdict while it refuses, loses or disconnects some calls: they are repeated and paced",
    () =>
      Effect.gen(function* () {
        const { alarms } = yield* judgedBehind(({ url }, count) => {
          // the pages of a login are asked for once
          if (!/^\/(?:openapi|api)\//.test(new URL(url).pathname)) return undefined
          if (count > 30 && count % 23 === 0) return page(503, "503 Service Temporarily Unavailable")
          if (count > 30 && count % 101 === 0) return new NoAnswer({ silence: "no connection", detail: "" })
          return count > 30 && count % 211 === 0 ? new NoAnswer({ silence: "unknown host", detail: "" }) : undefined
        })
        // calls that exhaust a limit are sent once
        assert.deepStrictEqual(
          alarms.filter((alarm) => !/^inconclusive RTL-0[456]$/.test(alarm)),
          []
        )
      }),
    timeout
  )

  // `Fronts.test.ts` names each kind of page.
  const ofPut = new Set<RuleId>(["ENV-16", "PRV-03"])
  const silence = new NoAnswer({ silence: "expired certificate", detail: "" })
  const lasting: ReadonlyArray<
    readonly [what: string, answer: Answer | NoAnswer, cause: RegExp, only?: ReadonlySet<RuleId>]
  > = [
    ["a firewall's page", page(403, "Access Denied"), /answered 403, because a firewall refused the call/],
    ["an expired certificate", silence, /expired certificate/, ofPut]
  ]
  for (const [what, answer, cause, only] of lasting) {
    it.live(
      `fails no rule and is named where it stays: ${what}`,
      () =>
        Effect.gen(function* () {
          const { alarms, findings } = yield* judgedBehind(
            (request) => (isOn("PUT", request) ? answer : undefined),
            only
          )
          assert.deepStrictEqual(
            alarms.filter((alarm) => /^(fail|warn|error) /.test(alarm)),
            []
          )
          const reasons = findings.flatMap(({ outcome, reason = "" }) => (outcome === "inconclusive" ? [reason] : []))
          assert.isNotEmpty(reasons)
          assert.isTrue(
            reasons.some((reason) => cause.test(reason)),
            reasons.join("\n")
          )
        }),
      timeout
    )
  }
})
