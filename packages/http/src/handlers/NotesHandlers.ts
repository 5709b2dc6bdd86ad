import { NewerSurface } from "@wcs/api/NewerSurface"
import { NoteWrite } from "@wcs/domain/note/Note"
import { Caretaker, Notes } from "@wcs/domain/note/Notes"
import * as ListQuery from "@wcs/domain/resource/ListQuery"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Call } from "../pipeline/Call.ts"
import { handlersOf } from "../pipeline/Endpoints.ts"
import * as JsonBody from "../request/JsonBody.ts"
import { listHandler, type OfOne, one, oneOf } from "./CollectionHandlers.ts"

const readNote = JsonBody.readAs(NoteWrite)
const readCaretaker = JsonBody.readAs(Caretaker)

const plain = ({ query }: Call) => Effect.fromResult(ListQuery.singles([], query))

export const make = Effect.map(Notes, (notes) =>
  handlersOf(NewerSurface, "notes", {
    list: listHandler(notes.list),
    write: (call: Call) =>
      Effect.gen(function* () {
        const { value, warnings } = yield* readNote(call)
        return one(call, { document: yield* notes.create(value), warnings })
      }),
    remove: (call: OfOne) => Effect.as(notes.remove(call.params.id), HttpServerResponse.empty({ status: 204 })),
    mentions: listHandler(notes.mentions),
    caretaker: (call: OfOne) => oneOf(call, Effect.andThen(plain(call), notes.caretaker(call.params.id))),
    setCaretaker: (call: OfOne) =>
      Effect.gen(function* () {
        const { value, warnings } = yield* readCaretaker(call)
        return one(call, { document: yield* notes.setCaretaker(call.params.id, value), warnings })
      })
  })
)
