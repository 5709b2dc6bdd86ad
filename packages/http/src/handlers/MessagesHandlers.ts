import { messageTable } from "@wcs/api/ListTables"
import { NewerSurface } from "@wcs/api/NewerSurface"
import { MessageSettings } from "@wcs/domain/message/MessageSettings"
import { MessagePreview, MessageSample, Outbox, OwnMessages, type Tagged } from "@wcs/domain/message/Outbox"
import * as ListQuery from "@wcs/domain/resource/ListQuery"
import type { Refusal } from "@wcs/domain/service/Refusals"
import type { JsonObject, JsonValue } from "@wcs/domain/shared/Json"
import { Effect, type Schema } from "effect"
import type { Call } from "../pipeline/Call.ts"
import { handlersOf } from "../pipeline/Endpoints.ts"
import { comparing } from "../request/Conditions.ts"
import * as JsonBody from "../request/JsonBody.ts"
import { type OfOne, one, oneOf } from "./CollectionHandlers.ts"
import * as FileLists from "./FileLists.ts"

/** The handler of a read without parameters, which compares the tag. */
const reading =
  <E extends Refusal, R>(shown: Effect.Effect<Tagged<JsonObject>, E, R>) =>
  (call: Call) =>
    Effect.map(comparing(call, Effect.andThen(Effect.fromResult(ListQuery.singles([], call.query)), shown)), (found) =>
      one(call, found)
    )

/** The handler of a change of choices. */
const choosing = <A extends JsonValue, E extends Refusal, R>(
  body: Schema.Codec<A, unknown>,
  choose: (value: A) => Effect.Effect<Tagged<JsonObject>, E, R>
) => {
  const read = JsonBody.readAs(body)
  return (call: Call) =>
    Effect.flatMap(read(call), ({ value, warnings }) =>
      Effect.map(choose(value), (shown) => one(call, { ...shown, warnings }))
    )
}

/** The handler of another call with a body. */
const writing = <A extends JsonValue, E extends Refusal, R>(
  body: Schema.Codec<A, unknown>,
  write: (value: A) => Effect.Effect<JsonObject, E, R>
) => {
  const read = JsonBody.readAs(body)
  return (call: Call) =>
    Effect.flatMap(read(call), ({ value, warnings }) =>
      Effect.map(write(value), (document) => one(call, { document, warnings }))
    )
}

export const make = Effect.gen(function* () {
  const outbox = yield* Outbox
  const fileList = yield* FileLists.make
  return handlersOf(NewerSurface, "messages", {
    list: fileList("messages", messageTable, outbox.list),
    resend: (call: OfOne) => oneOf(call, outbox.resend(call.params.id)),
    settings: reading(outbox.settings),
    setSettings: choosing(MessageSettings, outbox.setSettings),
    preview: writing(MessagePreview, outbox.preview),
    sample: writing(MessageSample, outbox.sample),
    own: reading(outbox.own),
    setOwn: choosing(OwnMessages, outbox.setOwn)
  })
})
