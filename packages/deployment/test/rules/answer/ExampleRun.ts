import { assert } from "@effect/vitest"
import { endpointsOf } from "@wcs/api/Endpoints"
import { LegacySurface } from "@wcs/api/legacy/LegacySurface"
import { NewerSurface } from "@wcs/api/NewerSurface"
import { ids, requests } from "@wcs/api/openapi/examples/Requests"
import { accountIdOf } from "@wcs/domain/access/Account"
import { isObject, type JsonObject } from "@wcs/domain/shared/Json"
import { Effect } from "effect"
import { addFile, answering, certificate, type Device, press } from "../../Answering.ts"
import { type Answer, at, type Call, Service, tokenOf } from "../../Service.ts"
import { basic, person } from "../legacy/LegacySurface.ts"
import type { As, Step } from "./ExampleStory.ts"

/** Every endpoint of both surfaces, by name. */
export const endpoints = new Map(
  [...endpointsOf(NewerSurface), ...endpointsOf(LegacySurface)].map((endpoint) => [endpoint.name, endpoint])
)

const form = "application/x-www-form-urlencoded"

/** The URL of the webhook in the examples. */
export const documentedUrl = "https://rosters.example.org/wcs-events"

/** Texts of the examples with those of the server. */
export type Known = Map<string, string>

const toCall = (step: Step, known: Known, login: Partial<Call>): Call => {
  const endpoint = endpoints.get(step.operation)
  if (endpoint === undefined) throw new Error(`no operation ${step.operation}`)
  const real = (text: string) =>
    [...known].reduce((written, [documented, actual]) => written.replaceAll(documented, actual), text)
  const { body = requests[step.operation]?.body, path = requests[step.operation]?.path ?? {}, query = "" } = step
  const filled = Object.entries(path).reduce((rest, [name, value]) => rest.replace(`:${name}`, value), endpoint.path)
  const isForm = step.operation === "oauth.token"
  const { text: plain } = requests[step.operation] ?? {}
  const text = isForm ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body)
  const rawBody = step.rawBody ?? plain ?? (body === undefined ? undefined : real(text))
  const contentType = step.contentType ?? (plain === undefined ? (isForm ? form : "application/json") : "text/csv")
  return {
    method: endpoint.method,
    path: real(filled + query),
    ...(rawBody === undefined ? {} : { rawBody }),
    ...login,
    headers: { ...login.headers, ...(rawBody === undefined ? {} : { "content-type": contentType }) }
  }
}

/** The first resource of an answer. */
const firstOf = ({ json }: Answer): JsonObject => {
  const data = isObject(json) ? json["data"] : undefined
  const first = Array.isArray(data) ? data[0] : data
  return isObject(first) ? first : {}
}

const statusOf = ({ operation, status }: Step): number => {
  if (status !== undefined) return status
  if (operation.endsWith(".create")) return 201
  return operation.endsWith(".remove") ? 204 : 200
}

/** The calls of a story against a new service, whose webhook is at a URL. */
export const exampleRun = Effect.fnUntraced(function* (url: string) {
  const service = yield* Service
  const known: Known = new Map([[documentedUrl, url]])
  const session = yield* service.session(accountIdOf((yield* tokenOf("Super Admin")).urn))
  const user = yield* person()
  const viewer = yield* tokenOf("Viewer")
  const reader = yield* tokenOf(["worker:READ"])
  known.set(ids.session, session.id)
  known.set("dana@example.org", user.email)
  const legacy = { token: "", number: "" }
  let device: Device = { link: "", cookie: "" }
  const logins: Readonly<Record<As, () => Partial<Call>>> = {
    token: () => ({}),
    nobody: () => ({ token: null }),
    viewer: () => ({ token: viewer.token }),
    reader: () => ({ token: reader.token }),
    session: () => ({ token: null, headers: session.headers }),
    password: () => ({ token: null, headers: { authorization: basic(user) } }),
    legacy: () => ({ token: legacy.token })
  }

  /** Sends one call, and repeats it if the step says so. */
  const send = (step: Step) => {
    const isNumbered = step.operation === "legacy.token" && step.path === undefined
    const numbered = isNumbered ? { ...step, path: { id: legacy.number } } : step
    const sent = service.call(toCall(numbered, known, logins[step.as ?? "token"]()))
    const { until } = step
    return until === undefined ? sent : Effect.repeat(sent, { until: ({ text }) => text.includes(until) })
  }

  /** Creates the preconditions of a step that no call of the API can create. */
  const prepare = Effect.fnUntraced(function* ({ operation }: Step) {
    if (operation === "bans.list") {
      const entry = { register: "ndis", key: "2026-0042", worker: { id: known.get(ids.ann) ?? "" } }
      const verdict = { checkedAt: "2026-03-01T22:15:00Z", eligibility: "REVIEW_REQUIRED" }
      yield* Effect.orDie(service.recordBan(service.tenant.id, { ...entry, ...verdict }))
    }
    if (operation === "messages.list") yield* service.refused(known.get(ids.user) ?? "")
    if (operation === "answers.list") {
      device = (yield* answering()).device
      yield* addFile(device, { name: "card.pdf", content: requests["documents.create"]?.text ?? "" })
    }
    if (operation === "answers.approve") yield* press(device, "send", certificate)
    if (operation === "identityProviders.verifyDomains") {
      yield* service.publish("_wcs-challenge.example.org", `wcs-domain-verification=${known.get(ids.provider)}`)
    }
  })

  const learn = ({ names, operation }: Step, answer: Answer): void => {
    const { id = at(answer, "data.documents.0.id") } = firstOf(answer)
    if (names !== undefined) known.set(names, String(id))
    const secret = String(requests["oauth.token"]?.body?.["client_secret"])
    if (operation === "apiClients.create") known.set(secret, String(firstOf(answer)["clientSecret"]))
    if (operation === "legacy.me" && answer.status === 200) legacy.number = String(at(answer, "id"))
    if (operation === "legacy.token" && answer.status === 200) legacy.token = String(at(answer, "token"))
  }

  /** Sends the calls in order. Fails unless each has the status of its step. */
  const tell = (steps: ReadonlyArray<Step>) =>
    Effect.forEach(steps, (step) =>
      Effect.gen(function* () {
        yield* prepare(step)
        const answer = yield* send(step)
        assert.strictEqual(answer.status, statusOf(step), `${step.operation}: ${answer.text.slice(0, 500)}`)
        learn(step, answer)
        return [step, answer] as const
      })
    )

  return { known, send, tell }
})
