import { answerTable } from "@wcs/api/ListTables"
import { NewerSurface } from "@wcs/api/NewerSurface"
import { Answers, Rejection } from "@wcs/domain/answer/Answers"
import { Effect } from "effect"
import { handlersOf } from "../pipeline/Endpoints.ts"
import * as JsonBody from "../request/JsonBody.ts"
import { type OfOne, one, readingHandler, shownOf } from "./CollectionHandlers.ts"
import * as FileLists from "./FileLists.ts"

const readRejection = JsonBody.readAs(Rejection)

export const make = Effect.gen(function* () {
  const answers = yield* Answers
  const fileList = yield* FileLists.make
  return handlersOf(NewerSurface, "answers", {
    list: fileList("answers", answerTable, answers.list),
    read: readingHandler(answers),
    approve: (call: OfOne) => shownOf(call, answers.approve(call.params.id)),
    reject: (call: OfOne) =>
      Effect.flatMap(readRejection(call), ({ value, warnings }) =>
        Effect.map(answers.reject(call.params.id, value), (shown) => one(call, { ...shown, warnings }))
      )
  })
})
