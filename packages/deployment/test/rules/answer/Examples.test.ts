import { assert, layer } from "@effect/vitest"
import { answers as documented } from "@wcs/api/openapi/examples/Answers"
import { refusals } from "@wcs/api/openapi/examples/Refusals"
import { ids, requests } from "@wcs/api/openapi/examples/Requests"
import { shown as kinds } from "@wcs/domain/event/EventKind"
import { isObject, type JsonValue } from "@wcs/domain/shared/Json"
import { eventBodies } from "@wcs/domain/webhook/EventPayload"
import { Effect, Schema } from "effect"
import type { Answer } from "../../Service.ts"
import { layerService, raisedLimits } from "../../TestService.ts"
import { webhookReceiver } from "../webhook/WebhookReceiver.ts"
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
        const { take, url } = yield* webhookReceiver
        const { known, tell } = yield* exampleRun(url)
        const answers = yield* tell(story)
        assert.sameMembers([...new Set(answers.map(([{ operation }]) => operation))], [...endpoints.keys()])

        const timeless = makeTimeless(known, JSON.stringify(requests))
        const given: Record<string, JsonValue> = {}
        for (const [{ operation }, answer] of answers) {
          if (answer.text === "") continue
          const name = answer.status < 400 ? operation : nameOfError(answer)
          given[name] ??= timeless(answer.json as JsonValue)
        }
        for (const kind of byDay) given[`event.${kind}`] = exampleByDay(kind)
        for (const { kind } of kinds.filter(({ kind }) => !byDay.some((late) => late === kind))) {
          const isFirst = isFirstOf(kind, known)
          const [received] = yield* take(({ body, text }) => body["type"] === kind && isFirst(text))
          given[`event.${kind}`] = timeless((received?.body ?? {}) as JsonValue)
        }
        assert.deepStrictEqual(given, { ...documented, ...refusals })
      }),
    120_000
  )
})
