import { assert, layer } from "@effect/vitest"
import { answers as documented } from "@wcs/api/openapi/examples/Answers"
import { refusals } from "@wcs/api/openapi/examples/Refusals"
import { ids, requests } from "@wcs/api/openapi/examples/Requests"
import { shown as kinds } from "@wcs/domain/event/EventKind"
import { isObject, type JsonValue } from "@wcs/domain/shared/Json"
import { eventBodies } from "@wcs/domain/webhook/EventPayload"
import { Effect, Schema } from "effect"
import { type Answer, complianceCheck, credential, Service, webhook, worker } from "../../Service.ts"
import { layerService, raisedLimits } from "../../TestService.ts"
import * as EveryRoute from "../EveryRoute.ts"
import { type Received, webhookReceiver } from "../webhook/WebhookReceiver.ts"
import { makeTimeless } from "./ExampleAnswers.ts"
import { endpoints, exampleRun, type Known } from "./ExampleRun.ts"
import { story } from "./ExampleStory.ts"

const settings = { WCS_WEBHOOK_HTTP: "allow", WCS_WEBHOOK_ALLOWED_ADDRESSES: "127.0.0.1" }

/** The name of a refusal's schema in the document. */
const nameOfError = ({ json, status }: Answer): string => {
  const error = isObject(json) ? json["error"] : undefined
  if (isObject(error)) return String(error["code"])
  if (typeof error === "string") return `oauth_${error}`
  return isObject(json) && "field" in json ? `LegacyError${status}` : "Unauthorized"
}

/** Whether a delivery of this kind is the first one of the story. Deliveries can arrive in another order. */
const isFirstOf = (kind: string, known: Known) => (text: string) => {
  const linked = kind === "credential.updated" ? [ids.ann, ids.bo] : []
  const about = kind.startsWith("credential.") ? [ids.credential, ...linked] : []
  return about.every((id) => text.includes(known.get(id) ?? id))
}

/** Makes the result of a worker change until a webhook has received such a change. Returns its event. */
const changedCompliance = Effect.fnUntraced(function* (
  { take, url }: Effect.Success<typeof webhookReceiver>,
  known: Known
) {
  const id = yield* worker()
  known.set(ids.ann, id)
  yield* webhook({ url, events: ["worker.complianceChanged"] })
  yield* credential({ worker: id }, { credentialType: "FIRST_AID" })
  const requiring = (...credentialTypes: ReadonlyArray<string>) => ({ requirement: { credentialTypes } })
  yield* complianceCheck({ code: "first-aid", ...requiring("FIRST_AID") })
  const { call } = yield* Service
  const redefine = Effect.forEach(["WWCC_WA", "FIRST_AID"], (type) =>
    call({ method: "PATCH", path: "/openapi/v1/compliance-checks/first-aid", body: requiring(type) })
  )
  const isLoss = ({ body, text }: Received) =>
    body["type"] === "worker.complianceChanged" && text.includes(id) && text.includes('"to":"FAIL"')
  return yield* Effect.raceFirst(take(isLoss), Effect.forever(redefine))
})

/** The kinds that a later day brings, and no call. Their examples are held to the schema of their bodies. */
const byDay = ["credential.expiring", "credential.expired", "worker.erasing", "worker.erased"] as const

const exampleByDay = (kind: (typeof byDay)[number]): JsonValue => {
  const example: JsonValue = documented[`event.${kind}`] ?? null
  Schema.decodeUnknownSync(eventBodies[kind], { onExcessProperty: "error" })(example)
  return example
}

layer(layerService(raisedLimits, {}, settings), { excludeTestServices: true })("the examples", (it) => {
  it.effect(
    "are requests that succeed, and the answers that the server gives to them",
    () =>
      Effect.gen(function* () {
        const receiver = yield* webhookReceiver
        const { take, url } = receiver
        const { known, tell } = yield* exampleRun(url)
        const answers = yield* tell(story)
        assert.sameMembers([...new Set(answers.map(([{ operation }]) => operation))], [...endpoints.keys()])

        const timeless = makeTimeless(known, JSON.stringify(requests))
        const given: Record<string, JsonValue> = {}
        for (const [{ operation }, answer] of answers) {
          if (answer.text === "") continue
          const name = answer.status < 400 ? operation : nameOfError(answer)
          given[name] ??= timeless((EveryRoute.looks.has(operation) ? answer.text : answer.json) as JsonValue)
        }
        for (const kind of byDay) given[`event.${kind}`] = exampleByDay(kind)
        for (const { kind } of kinds.filter(({ kind }) => !byDay.some((late) => late === kind))) {
          const isFirst = isFirstOf(kind, known)
          const isCompliance = kind === "worker.complianceChanged"
          const [received] = isCompliance
            ? yield* changedCompliance(receiver, known)
            : yield* take(({ body, text }) => body["type"] === kind && isFirst(text))
          const body = timeless((received?.body ?? {}) as JsonValue)
          given[`event.${kind}`] = isCompliance && isObject(body) ? { ...body, sequence: 4 } : body
        }
        assert.deepStrictEqual(given, { ...documented, ...refusals })
      }),
    120_000
  )
})
