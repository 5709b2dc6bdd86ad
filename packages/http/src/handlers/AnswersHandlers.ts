import { answerTable } from "@wcs/api/ListTables"
import { NewerSurface } from "@wcs/api/NewerSurface"
import { AnswerDocuments } from "@wcs/domain/answer/AnswerDocuments"
import { Answers, Rejection } from "@wcs/domain/answer/Answers"
import { Approval } from "@wcs/domain/answer/Approval"
import * as ListQuery from "@wcs/domain/resource/ListQuery"
import { Effect } from "effect"
import { handlersOf } from "../pipeline/Endpoints.ts"
import * as JsonBody from "../request/JsonBody.ts"
import { type OfOne, one, readingHandler } from "./CollectionHandlers.ts"
import { downloadOf, type OfDocument } from "./Download.ts"
import * as FileLists from "./FileLists.ts"

const readApproval = JsonBody.readOptionalAs(Approval)
const readRejection = JsonBody.readAs(Rejection)

export const make = Effect.gen(function* () {
  const answers = yield* Answers
  const documents = yield* AnswerDocuments
  const fileList = yield* FileLists.make
  return handlersOf(NewerSurface, "answers", {
    list: fileList("answers", answerTable, answers.list),
    read: readingHandler(answers),
    approve: (call: OfOne) =>
      Effect.flatMap(readApproval(call), ({ value, warnings }) =>
        Effect.map(answers.approve(call.params.id, value), (shown) => one(call, { ...shown, warnings }))
      ),
    reject: (call: OfOne) =>
      Effect.flatMap(readRejection(call), ({ value, warnings }) =>
        Effect.map(answers.reject(call.params.id, value), (shown) => one(call, { ...shown, warnings }))
      ),
    documents: (call: OfOne) =>
      Effect.gen(function* () {
        yield* Effect.fromResult(ListQuery.singles([], call.query))
        return one(call, { document: yield* documents.list(call.params.id) })
      }),
    document: (call: OfDocument) =>
      Effect.gen(function* () {
        yield* Effect.fromResult(ListQuery.singles([], call.query))
        const { content, document } = yield* documents.look(call.params.id, call.params.documentId)
        return downloadOf(document, content)
      })
  })
})
