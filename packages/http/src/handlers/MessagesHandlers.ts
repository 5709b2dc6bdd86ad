import { messageTable } from "@wcs/api/ListTables"
import { NewerSurface } from "@wcs/api/NewerSurface"
import { MessageSettings } from "@wcs/domain/message/MessageSettings"
import { MessagePreview, MessageSample, Outbox, OwnMessages } from "@wcs/domain/message/Outbox"
import * as ListQuery from "@wcs/domain/resource/ListQuery"
import type { Refusal } from "@wcs/domain/service/Refusals"
import type { JsonObject, JsonValue } from "@wcs/domain/shared/Json"
import { Effect, type Schema } from "effect"
import type { Call } from "../pipeline/Call.ts"
import { handlersOf } from "../pipeline/Endpoints.ts"
import * as JsonBody from "../request/JsonBody.ts"
import { type OfOne, one, oneOf } from "./CollectionHandlers.ts"
import * as FileLists from "./FileLists.ts"

/** The handler of a read without parameters. */
const reading =
  <E extends Refusal, R>(document: Effect.Effect<JsonObject, E, R>) =>
  (call: Call) =>
    oneOf(call, Effect.andThen(Effect.fromResult(ListQuery.singles([], call.query)), document))

/** The handler of a call with a body. */
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
    setSettings: writing(MessageSettings, outbox.setSettings),
    preview: writing(MessagePreview, outbox.preview),
    sample: writing(MessageSample, outbox.sample),
    own: reading(outbox.own),
    setOwn: writing(OwnMessages, outbox.setOwn)
  })
})
