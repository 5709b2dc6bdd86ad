import { assert, describe, it } from "@effect/vitest"
import { at, type Json } from "@wcs/conformance/text/Json"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import type { Serve } from "@wcs/specimens/Serve"
import type { Specimen } from "@wcs/specimens/Specimen"
import * as Specimens from "@wcs/specimens/Specimens"
import * as Rewrite from "@wcs/specimens/seams/Rewrite"
import { exhausts, judge } from "@wcs/specimens/selftest/Judging"
import { variants } from "@wcs/specimens/Variants"
import { Effect } from "effect"

interface Seen {
  readonly request: Request
  readonly answer: Answer
}

/** Every request of a run against a specimen, in the order of answers. */
const seenOn = Effect.fnUntraced(function* (specimen: Specimen) {
  const seen: Array<Seen> = []
  const watched = (serve: Serve): Serve => {
    const behind = specimen.rewrite?.(serve) ?? serve
    return (request) => Effect.tap(behind(request), (answer) => Effect.sync(() => void seen.push({ request, answer })))
  }
  const start = yield* Specimens.make
  yield* judge(yield* start({ ...specimen, rewrite: watched }, exhausts()))
  return seen
}, Effect.scoped)

const changes = (seen: ReadonlyArray<Seen>) =>
  seen.filter(({ request }) => request.method !== "GET" && !request.url.endsWith("/oauth/token"))

/** The ids in a request's path and body. */
const idsIn = ({ body, url }: Request, form: RegExp): ReadonlyArray<string> =>
  `${decodeURIComponent(new URL(url).pathname)} ${body}`.match(form) ?? []

const told = ({ request: { body, method, url } }: Seen): string => `${method} ${url} ${body.slice(0, 200)}`

/** Existing records that every list shows. */
const strangers: ReadonlyArray<Json> = [
  { id: "wkr_stranger00000000", identity: { displayName: "A. Other" }, source: { externalId: "payroll-17" } },
  { id: "cred_stranger0000000", attributes: { owners: { worker: "wkr_stranger00000000", applicant: null } } },
  { id: "app_stranger00000000", source: { externalId: "payroll-18" } },
  { id: "exm_stranger00000000", exemptionType: "MEDICAL", worker: { id: "wkr_stranger00000000" } },
  { id: "pkg_stranger00000000", code: "nurses", name: "Nurses" }
]
const isStrangers = /(?:wkr|cred|app|exm|pkg)_stranger0+\b/g

const showingEverybody: Specimen = {
  name: "lists-show-everybody-first",
  rewrite: (serve) => (request) =>
    Effect.map(serve(request), (answer) => {
      const shown = at(answer.json, "data")
      return Array.isArray(shown) && request.method === "GET"
        ? Rewrite.withJson(answer, { ...Object(answer.json), data: [...strangers, ...shown] })
        : answer
    })
}

/** Answers each create with an existing record, like a deployment that detects duplicates by constant fields. */
const answeringWith = (path: RegExp, old: Json): Specimen => ({
  name: "creates-answer-with-what-was-there",
  rewrite: Rewrite.answers({ method: "POST", path, status: 201 }, (answer) =>
    Rewrite.withJson({ ...answer, status: 200 }, { ...Object(answer.json), data: old })
  )
})

describe("records of others", () => {
  it.live("are not changed when lists show them for every query", () =>
    Effect.gen(function* () {
      const sent = changes(yield* seenOn(showingEverybody))
      assert.isAbove(sent.filter(({ request }) => request.method === "DELETE").length, 50)
      assert.deepStrictEqual(sent.filter(({ request }) => idsIn(request, isStrangers).length > 0).map(told), [])
    })
  )

  it.live("are not changed when creates return them", () =>
    Effect.gen(function* () {
      const [worker = null, credential = null, , exemption = null, screeningPackage = null] = strangers
      for (const specimen of [
        answeringWith(/^\/workers$/, worker),
        answeringWith(/^\/credentials$/, credential),
        answeringWith(/^\/exemptions$/, exemption),
        answeringWith(/^\/screening-packages$/, screeningPackage)
      ]) {
        const sent = changes(yield* seenOn(specimen))
        assert.deepStrictEqual(sent.filter(({ request }) => idsIn(request, isStrangers).length > 0).map(told), [])
      }
    })
  )

  it.live("are not changed when ids are sequential and neighbouring ids belong to others", () =>
    Effect.gen(function* () {
      const counted = variants.filter(({ name }) => name.startsWith("ids-are-counted"))
      assert.lengthOf(counted, 2)
      for (const specimen of counted) {
        const seen = yield* seenOn(specimen)
        const own = new Set(changes(seen).map(({ answer }) => at(answer.json, "data.id")))
        // the profile's unused id has twelve digits
        const strange = changes(seen).filter(({ request }) =>
          idsIn(request, /\b(?:wkr|cred|app)_[0-9]{1,11}\b/g).some((id) => !own.has(id))
        )
        assert.deepStrictEqual(strange.map(told), [], specimen.name)
      }
    })
  )
})
