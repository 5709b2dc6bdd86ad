import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, layer } from "@effect/vitest"
import { endpointsOf } from "@wcs/api/Endpoints"
import { LegacySurface } from "@wcs/api/LegacySurface"
import { NewerSurface } from "@wcs/api/NewerSurface"
import { recorded as documented } from "@wcs/api/openapi/examples/Examples"
import { ids, requests } from "@wcs/api/openapi/examples/Requests"
import { accountIdOf } from "@wcs/domain/access/Account"
import { isObject, type JsonObject, type JsonValue } from "@wcs/domain/shared/Json"
import { shown as kinds } from "@wcs/domain/webhook/EventKind"
import { standardParts } from "@wcs/http-node/Serve"
import { Effect } from "effect"
import { type Answer, at, type Call, Service, tokenOf } from "../../Service.ts"
import { layerService, raisedLimits } from "../../TestService.ts"
import { basic, person } from "../legacy/LegacySurface.ts"
import { webhookReceiver } from "../webhook/WebhookReceiver.ts"
import { makeTimeless } from "./ExampleAnswers.ts"
import { type As, type Step, story } from "./ExampleStory.ts"

const file = fileURLToPath(new URL("../../../../../packages/api/src/openapi/examples/Answers.json", import.meta.url))

const settings = { WCS_WEBHOOK_HTTP: "allow", WCS_WEBHOOK_ALLOWED_ADDRESSES: "127.0.0.1" }

const endpoints = new Map(
  [...endpointsOf(NewerSurface), ...endpointsOf(LegacySurface)].map((endpoint) => [endpoint.name, endpoint])
)

const form = "application/x-www-form-urlencoded"

/** The documented texts with those of the server. Longer texts come first, so that none is part of a later one. */
const replacing = (known: ReadonlyMap<string, string>) => (text: string) =>
  [...known].reduce((written, [documented, actual]) => written.replaceAll(documented, actual), text)

const toCall = (step: Step, known: ReadonlyMap<string, string>, login: Partial<Call>): Call => {
  const endpoint = endpoints.get(step.operation)
  if (endpoint === undefined) throw new Error(`no operation ${step.operation}`)
  const real = replacing(known)
  const { body = requests[step.operation]?.body, path = requests[step.operation]?.path ?? {}, query = "" } = step
  const filled = Object.entries(path).reduce((rest, [name, value]) => rest.replace(`:${name}`, value), endpoint.path)
  const isForm = step.operation === "oauth.token"
  const text = isForm ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body)
  const rawBody = step.rawBody ?? (body === undefined ? undefined : real(text))
  const contentType = step.contentType ?? (isForm ? form : "application/json")
  return {
    method: endpoint.method,
    path: real(filled + query),
    ...(rawBody === undefined ? {} : { rawBody }),
    ...login,
    headers: { ...login.headers, ...(rawBody === undefined ? {} : { "content-type": contentType }) }
  }
}

const requestsOf = (call: Call, step: Step) =>
  Service.use((service) =>
    step.until === undefined
      ? service.call(call)
      : Effect.repeat(service.call(call), { until: ({ text }) => text.includes(step.until ?? "") })
  )

/** The first resource of an answer. */
const firstOf = ({ json }: Answer): JsonObject => {
  const data = isObject(json) ? json["data"] : undefined
  const first = Array.isArray(data) ? data[0] : data
  return isObject(first) ? first : {}
}

const nameOfError = ({ json, status }: Answer): string => {
  const error = isObject(json) ? json["error"] : undefined
  if (isObject(error)) return String(error["code"])
  if (typeof error === "string") return `oauth_${error}`
  return isObject(json) && "field" in json ? `LegacyError${status}` : "Unauthorized"
}

/** Whether a delivery of this kind is the first one of the story. Deliveries can arrive in another order. */
const isAbout = (kind: string, known: ReadonlyMap<string, string>) => (text: string) =>
  (kind === "credential.updated"
    ? [ids.credential, ids.ann, ids.bo]
    : kind.startsWith("credential.")
      ? [ids.credential]
      : []
  )
    .map((id) => known.get(id) ?? "")
    .every((id) => text.includes(id))

layer(layerService(raisedLimits, standardParts, settings), { excludeTestServices: true })("the examples", (it) => {
  it.effect(
    "are requests that succeed, and the answers that the server gives to them",
    () =>
      Effect.gen(function* () {
        const service = yield* Service
        const { take, url } = yield* webhookReceiver
        const known = new Map<string, string>([["https://rosters.example.org/wcs-events", url]])
        const admin = yield* tokenOf("Super Admin")
        const session = yield* service.session(accountIdOf(admin.urn))
        known.set(ids.session, session.id)
        const user = yield* person()
        known.set("dana@example.org", user.email)
        const viewer = yield* tokenOf("Viewer")
        let legacyToken = ""
        let number = ""
        const logins: Readonly<Record<As, () => Partial<Call>>> = {
          token: () => ({}),
          nobody: () => ({ token: null }),
          viewer: () => ({ token: viewer.token }),
          session: () => ({ token: null, headers: session.headers }),
          password: () => ({ token: null, headers: { authorization: basic(user) } }),
          legacy: () => ({ token: legacyToken })
        }
        const answers: Array<readonly [Step, Answer]> = []
        const numbered = (step: Step): Step =>
          step.operation === "legacy.token" && step.path === undefined ? { ...step, path: { id: number } } : step
        for (const step of story) {
          if (step.operation === "bans.list") {
            const entry = { register: "ndis", key: "2026-0042", worker: { id: known.get(ids.ann) ?? "" } }
            const verdict = { checkedAt: "2026-03-01T22:15:00Z", eligibility: "MAY_NOT_ENGAGE" }
            yield* Effect.orDie(service.recordBan(service.tenant.id, { ...entry, ...verdict }))
          }
          if (step.operation === "identityProviders.verifyDomains") {
            yield* service.publish("_wcs-challenge.example.org", `wcs-domain-verification=${known.get(ids.provider)}`)
          }
          const answer = yield* requestsOf(toCall(numbered(step), known, logins[step.as ?? "token"]()), step)
          const expected =
            step.status ?? (step.operation.endsWith(".create") ? 201 : step.operation.endsWith(".remove") ? 204 : 200)
          assert.strictEqual(answer.status, expected, `${step.operation}: ${answer.text.slice(0, 500)}`)
          if (step.names !== undefined) known.set(step.names, String(firstOf(answer)["id"]))
          if (step.operation === "apiClients.create") {
            known.set(String(requests["oauth.token"]?.body?.["client_secret"]), String(firstOf(answer)["clientSecret"]))
          }
          if (step.operation === "legacy.me" && expected === 200) number = String(at(answer, "id"))
          if (step.operation === "legacy.token" && expected === 200) legacyToken = String(at(answer, "token"))
          answers.push([step, answer])
        }
        assert.sameMembers([...new Set(answers.map(([{ operation }]) => operation))], [...endpoints.keys()])

        const timeless = makeTimeless(known, JSON.stringify(requests))
        const recorded: Record<string, JsonValue> = {}
        for (const [{ operation }, answer] of answers) {
          if (answer.text === "") continue
          const name = answer.status < 400 ? operation : nameOfError(answer)
          recorded[name] ??= timeless(answer.json as JsonValue)
        }
        for (const { kind } of kinds) {
          const isFirst = isAbout(kind, known)
          const [received] = yield* take(({ body, text }) => body["type"] === kind && isFirst(text))
          recorded[`event.${kind}`] = timeless(received?.body as JsonObject)
        }
        if (process.env["WCS_RECORD_EXAMPLES"] === "1") writeFileSync(file, `${JSON.stringify(recorded, null, 2)}\n`)
        else assert.deepStrictEqual(recorded, documented)
      }),
    120_000
  )
})
