import { assert, layer } from "@effect/vitest"
import type { Endpoint } from "@wcs/api/Endpoints"
import { Effect, Record } from "effect"
import { type Answer, type Call, otherHost, ownersOf, Service, tokenOf } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import * as EveryRoute from "../EveryRoute.ts"
import * as Subjects from "../Subjects.ts"

const root = "/openapi/v1"

/** A response without the parts that may depend on the caller, the time or the requested id. */
const impersonal = (answer: Answer, of: Subjects.Subjects) => {
  const changing = ["date", "x-request-id", "x-ratelimit-remaining", "x-ratelimit-reset"]
  const requestId = answer.headers["x-request-id"] ?? ""
  const text = Object.entries(of).reduce((rest, [name, id]) => rest.replaceAll(id, `<${name}>`), answer.text)
  return {
    status: answer.status,
    headers: Object.entries(answer.headers).filter(([name]) => !changing.includes(name) && name !== "content-length"),
    text: text.replaceAll(requestId, "<requestId>")
  }
}

/** Replaces one or all subjects of a call by subjects of another origin. */
type Mixture = (own: Subjects.Subjects, elsewhere: Subjects.Subjects) => Subjects.Subjects
const mixtures: ReadonlyArray<Mixture> = [
  (_own, elsewhere) => elsewhere,
  ...Record.keys(Subjects.missing).map(
    (name): Mixture =>
      (own, elsewhere) => ({ ...own, [name]: elsewhere[name] })
  )
]

const namesFrom = (place: string): Subjects.Subjects => Record.map(Subjects.missing, (_id, name) => `${place} ${name}`)

/** The mixtures in which a route's call differs, since most calls use few subjects. */
const mixturesOf = (route: Endpoint): ReadonlyArray<Mixture> => {
  const calls = new Map<string, Mixture>()
  for (const mix of mixtures) {
    const { body, path } = EveryRoute.goodCall(route, mix(namesFrom("own"), namesFrom("elsewhere")))
    const call = JSON.stringify([path, body]).replaceAll(/code-[0-9a-f-]+/g, "code")
    if (!calls.has(call) && (calls.size === 0 || call.includes("elsewhere"))) calls.set(call, mix)
  }
  return [...calls.values()]
}

const get = (path: string): Call => ({ method: "GET", path: `${root}${path}` })
const post = (path: string, body: unknown): Call => ({ method: "POST", path: `${root}${path}`, body })

/** Calls with own and foreign subjects: every route in every mixture, and everything else that names an id. */
const callsAbout: ReadonlyArray<(own: Subjects.Subjects, elsewhere: Subjects.Subjects) => Call> = [
  ...EveryRoute.routes.flatMap((route) =>
    mixturesOf(route).map(
      (mix) => (own: Subjects.Subjects, elsewhere: Subjects.Subjects) => EveryRoute.goodCall(route, mix(own, elsewhere))
    )
  ),
  ...EveryRoute.routes.flatMap((route) => {
    const pathFor = (of: Subjects.Subjects) => `${EveryRoute.pathOf(route, of)}?includeDeleted=true`
    return route.name.endsWith(".read")
      ? [(_own: Subjects.Subjects, of: Subjects.Subjects): Call => ({ method: "GET", path: pathFor(of) })]
      : []
  }),
  (_own, { applicant }) => get(`/recruitment-checks?applicantId=${applicant}`),
  (_own, { screeningPackage }) => get(`/recruitment-checks?screeningPackageCode=${screeningPackage}`),
  (_own, { worker }) => get(`/fetch-requests?workerId=${worker}`),
  (_own, { worker }) => get(`/exemptions?ownerType=worker&ownerId=${worker}`),
  (_own, { worker }) => get(`/credentials?ownerType=worker&ownerId=${worker}`),
  (_own, { applicant }) => get(`/credentials?ownerType=applicant&ownerId=${applicant}`),
  () => get("/workers?include=credentials&includeTotal=true"),
  () => get("/credentials?include=owners&includeTotal=true"),
  () => ({ ...get("/reports/verifications"), headers: { accept: "text/csv" } }),
  (own) => get(`/compliance-matrix?checkId=${own.complianceCheck}`),
  (own) => post(`/compliance-checks/${own.complianceCheck}/evaluate`, {}),
  (_own, { worker }) => get(`/audit-events?entityId=${worker}&includeTotal=true`),
  (own, elsewhere) =>
    post("/credentials/transfer", {
      from: { type: "worker", id: elsewhere.worker },
      to: { type: "worker", id: own.worker }
    }),
  (own, elsewhere) =>
    post("/credentials/link", {
      from: { type: "worker", id: elsewhere.worker },
      to: { type: "applicant", id: own.applicant }
    }),
  (own, elsewhere) =>
    post("/credentials/transfer", {
      from: { type: "worker", id: own.worker },
      to: { type: "worker", id: elsewhere.worker }
    })
]

layer(layerService())("transport, surfaces, tenancy", (it) => {
  it.effect(
    "TRN-05, threat 1: another tenant's entities and missing ones get identical responses",
    () =>
      Effect.gen(function* () {
        const service = yield* Service
        const { call, otherTenant, tenant } = service
        const { token } = yield* tokenOf("Super Admin", true)
        const there = { host: otherHost, token }
        const swapped = { tenant: otherTenant, otherTenant: tenant, call: (one: Call) => call({ ...one, ...there }) }
        /** The other tenant's own entities, so that a call can combine its own and foreign ones. */
        const own = Effect.map(
          Effect.provideService(Subjects.resources, Service, Service.of({ ...service, ...swapped })),
          // It has no task and no answer. Their ids must differ from those that nobody has.
          (made): Subjects.Subjects => ({ ...made, task: "tsk_0000000000000001", answer: "ans_0000000000000002" })
        )
        const foreign = yield* Subjects.subjects
        let mine = yield* own
        /** Makes the call with foreign and own subjects. Returns the response with ids replaced by names. */
        const told = Effect.fnUntraced(function* (about: (typeof callsAbout)[number], elsewhere: Subjects.Subjects) {
          const one = about(mine, elsewhere)
          const answered = yield* call({ ...one, ...there })
          const answer = impersonal(answered, elsewhere)
          // A batch that selects by owner has credentials in the order of their random ids.
          const text = Object.entries(mine).reduce(
            (rest, [name, id]) => rest.replaceAll(id, `<own ${id.startsWith("cred_") ? "credential" : name}>`),
            answer.text
          )
          // Only a successful change can have changed the own subjects.
          if ([200, 204].includes(answered.status) && one.method !== "GET") mine = yield* own
          return { ...answer, text, what: `${one.method} ${one.path}` }
        })
        const statuses = new Set<number>()
        for (const about of callsAbout) {
          const { what, ...ofForeign } = yield* told(about, foreign)
          const { what: _, ...ofNothing } = yield* told(about, Subjects.missing)
          statuses.add(ofForeign.status)
          const isBatch = /POST .*\/(bulk|credentials\/(link|transfer))$/.test(what)
          if (ofForeign.status >= 300 || isBatch) {
            assert.deepStrictEqual(ofForeign, ofNothing, what)
          } else {
            // Own entities in a success differ by their times. Nothing foreign is shown.
            assert.strictEqual(ofForeign.status, ofNothing.status, what)
            assert.notMatch(ofForeign.text, /<(?!own |requestId>)\w+>/, what)
          }
        }
        assert.sameMembers([...statuses], [200, 201, 400, 404, 409, 422])
        assert.strictEqual((yield* call({ method: "GET", path: `${root}/workers/${foreign.worker}` })).status, 200)
        assert.deepStrictEqual(yield* ownersOf(foreign.credential), { worker: foreign.worker, applicant: null })
      }),
    120_000
  )
})
