import { assert, describe, it } from "@effect/vitest"
import { at, type Json } from "@wcs/conformance/text/Json"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import type { Serve } from "@wcs/specimen/target/Serve"
import { judge } from "@wcs/specimen/target/Target"
import { Effect } from "effect"
import * as Rewrite from "../Rewrite.ts"
import { type Specimen, started } from "../Specimen.ts"

interface Seen {
  readonly request: Request
  readonly answer: Answer
}

/** Every request of a run, in the order of answers. */
const seenOn = Effect.fnUntraced(function* ({ rewrite = (serve) => serve, ...specimen }: Specimen) {
  const seen: Array<Seen> = []
  const watched = (serve: Serve): Serve => {
    const behind = rewrite(serve)
    return (request) => Effect.tap(behind(request), (answer) => Effect.sync(() => void seen.push({ request, answer })))
  }
  yield* judge(yield* started({ ...specimen, rewrite: watched }))
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
  { id: "wkr_stranger0000000000000000", attributes: { source: { externalId: "payroll-17" } } },
  {
    id: "cred_stranger0000000000000000",
    attributes: { owners: { worker: "wkr_stranger0000000000000000", applicant: "" } }
  },
  { id: "app_stranger0000000000000000", source: { externalId: "payroll-18" } },
  { id: "exm_stranger0000000000000000", grounds: "Another", worker: "wkr_stranger0000000000000000" }
]
const isStrangers = /(?:wkr|cred|app|exm)_stranger0+\b/g

const showingEverybody = Rewrite.answers({ method: "GET" }, (answer) => {
  const shown = at(answer.json, "data")
  return Array.isArray(shown)
    ? Rewrite.withJson(answer, { ...Object(answer.json), data: [...strangers, ...shown] })
    : answer
})

/** Answers each create with an existing record, like a deployment that detects duplicates by constant fields. */
const answeringWith = (path: RegExp, old: Json) =>
  Rewrite.answers({ method: "POST", path, status: 201 }, (answer) =>
    Rewrite.withJson({ ...answer, status: 200 }, { ...Object(answer.json), data: old })
  )

describe("records of others", () => {
  it.live("are not changed when lists show them for every query", () =>
    Effect.gen(function* () {
      const sent = changes(yield* seenOn({ rewrite: showingEverybody }))
      assert.isAbove(sent.filter(({ request }) => request.method === "DELETE").length, 50)
      assert.deepStrictEqual(sent.filter(({ request }) => idsIn(request, isStrangers).length > 0).map(told), [])
    })
  )

  it.live("are not changed when creates return them", () =>
    Effect.gen(function* () {
      const [worker = null, credential = null, , exemption = null] = strangers
      for (const rewrite of [
        answeringWith(/^\/workers$/, worker),
        answeringWith(/^\/credentials$/, credential),
        answeringWith(/^\/exemptions$/, exemption)
      ]) {
        const sent = changes(yield* seenOn({ rewrite }))
        assert.deepStrictEqual(sent.filter(({ request }) => idsIn(request, isStrangers).length > 0).map(told), [])
      }
    })
  )

  it.live("are not changed when ids are sequential and neighbouring ids belong to others", () =>
    Effect.gen(function* () {
      const seen = yield* seenOn({ choices: ["form of ids: counted"] })
      // One counter gives the ids of all groups, so the number alone names a record, also in an id of another group.
      const numberOf = (id: unknown) => String(id).replace(/^[a-z]+_/, "")
      const own = new Set(changes(seen).map(({ answer }) => numberOf(at(answer.json, "data.id"))))
      assert.isAbove(own.size, 50)
      const strange = changes(seen).filter(({ request }) =>
        idsIn(request, /\b(?:wkr|cred|app)_[0-9]{1,11}\b/g).some((id) => !own.has(numberOf(id)))
      )
      assert.deepStrictEqual(strange.map(told), [])
    })
  )
})
