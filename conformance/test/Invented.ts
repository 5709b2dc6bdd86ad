import { run } from "@wcs/conformance/engine/Run"
import type { Event } from "@wcs/conformance/evidence/Event"
import * as Journal from "@wcs/conformance/evidence/Journal"
import type { ExchangeRule } from "@wcs/conformance/exchanges/ExchangeRule"
import type { Finding } from "@wcs/conformance/judgement/Finding"
import type { Walk } from "@wcs/conformance/judgement/Walk"
import type { Profile } from "@wcs/conformance/profile/Profile"
import type { Secrets } from "@wcs/conformance/profile/Secrets"
import { at, type Json, parse } from "@wcs/conformance/text/Json"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import * as Handles from "@wcs/conformance/wire/Handles"
import { type NoAnswer, Wire } from "@wcs/conformance/wire/Wire"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"

/** Answers the calls of an invented deployment. */
export type Serve = (request: Request) => Effect.Effect<Answer, NoAnswer>

/** An answer with JSON or text. */
export const answer = (
  status: number,
  body: Json | undefined = undefined,
  headers: Readonly<Record<string, string>> = {}
): Answer => {
  const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body)
  return { status, headers, text, json: parse(text) }
}

/** Always returns the same response. */
export const always =
  (...given: Parameters<typeof answer>): Serve =>
  () =>
    Effect.succeed(answer(...given))

/** The method and path of a request: `POST /workers`. */
export const lineOf = ({ method, url }: Request): string => {
  const { pathname, search } = new URL(url)
  return `${method} ${pathname.replace("/openapi/v1", "")}${search}`
}

/**
 * A deployment whose workers, applicants and credentials can be created, looked up and deleted. `kept` is its content.
 */
export const keeping = () => {
  const kept = new Map<string, { readonly group: string; readonly body: Json }>()
  let made = 0
  const serve: Serve = (request) =>
    Effect.sync(() => {
      const { pathname, searchParams } = new URL(request.url)
      const [group = "", id] = pathname.replace("/openapi/v1/", "").split("/")
      if (request.method === "POST") {
        made += 1
        const body = parse(request.body) ?? null
        kept.set(`${group}_${made}`, { group, body })
        return answer(201, { data: { id: `${group}_${made}` } })
      }
      if (request.method === "DELETE") {
        return answer(kept.get(id ?? "")?.group === group && kept.delete(id ?? "") ? 204 : 404)
      }
      if (id !== undefined) return kept.has(id) ? answer(200, { data: { id } }) : answer(404)
      const [, wanted] = [...searchParams].find(([name]) => name !== "pageSize") ?? []
      const shown = [...kept]
        .filter(
          ([, one]) => one.group === group && (wanted === undefined || at(one.body, "source.externalId") === wanted)
        )
        .map(([one, { body }]) => ({ id: one, ...(typeof body === "object" ? body : {}) }))
      return answer(200, { data: shown })
    })
  return { kept, serve }
}

/** Can delete every resource, and has a token. */
export const profile: Profile = {
  name: "invented",
  newer: { tenantBaseUrl: "https://one.example" },
  principals: { admin: { token: "${ADMIN}" } },
  groups: {
    worker: { delete: { method: "DELETE", path: "/workers/{{id}}" } },
    applicant: { create: { body: {} }, delete: { method: "DELETE", path: "/applicants/{{id}}" } },
    credential: { create: { body: { of: "{{worker}}" } }, delete: { method: "DELETE", path: "/credentials/{{id}}" } }
  }
}

export const secrets = new Map([["${ADMIN}", Redacted.make("the-token-of-the-admin")]])

/** The parts of a run over an invented wire, with minimal defaults. */
export interface Given {
  readonly serve: Serve
  readonly walks?: ReadonlyArray<Walk>
  readonly exchangeRules?: ReadonlyArray<ExchangeRule>
  readonly profile?: Profile
  readonly secrets?: Secrets
  readonly only?: ReadonlySet<Finding["rule"]>
  readonly stop?: Effect.Effect<void>
}

/** Runs walks against an invented deployment. Returns all events and the journal. */
export const runOver = Effect.fnUntraced(function* ({ serve, walks = [], exchangeRules = [], ...given }: Given) {
  const events: Array<Event> = []
  const entries: Array<Journal.Entry> = []
  yield* run({
    run: "invented",
    profile,
    handles: Handles.make(given.profile ?? profile, given.secrets ?? secrets),
    walks,
    exchangeRules,
    stop: Effect.never,
    ...given,
    emit: (event) => Effect.sync(() => void events.push(event))
  }).pipe(Effect.provide(Layer.merge(Layer.succeed(Wire, Wire.of({ send: serve })), Journal.layerMemory(entries))))
  const findings = events.flatMap((event) => (event.type === "finding" ? [event.finding] : []))
  return {
    events,
    entries,
    findings,
    /** `OWN-04 pass`, in order. */
    found: findings.map(({ outcome, rule }) => `${rule} ${outcome}`),
    exchanges: events.flatMap((event) => (event.type === "exchange" ? [event.exchange] : [])),
    residue: events.flatMap((event) => (event.type === "residue" ? [event.residue] : [])),
    ended: events.flatMap((event) => (event.type === "run-ended" ? [event] : []))[0]
  }
})

/** Advances the test's clock until an effect has ended. */
export const inTime = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const fiber = yield* Effect.forkChild(effect)
  yield* TestClock.adjust("1 day")
  return yield* Fiber.join(fiber)
})
