import { NewerSurface, newerRoot } from "@wcs/api/NewerSurface"
import { fileLimits } from "@wcs/domain/import/Import"
import { ImportCheck, ImportRun, Imports } from "@wcs/domain/import/Imports"
import * as ListQuery from "@wcs/domain/resource/ListQuery"
import { InvalidArgument } from "@wcs/domain/shared/InvalidArgument"
import { line } from "@wcs/domain/shared/Text"
import { Effect, Result, Schema } from "effect"
import type { Call } from "../pipeline/Call.ts"
import { handlersOf } from "../pipeline/Endpoints.ts"
import * as CsvFile from "../request/CsvFile.ts"
import * as JsonBody from "../request/JsonBody.ts"
import { requireMediaType } from "../request/RequestBody.ts"
import { listHandler, type OfOne, one, oneOf, readHandler, removeHandler } from "./CollectionHandlers.ts"

const readCheck = JsonBody.readOptionalAs(ImportCheck)
const readRun = JsonBody.readOptionalAs(ImportRun)

const isName = Schema.is(line(200))

const nameOf = (call: Call): Result.Result<string, InvalidArgument> =>
  Result.flatMap(ListQuery.singles(["name"], call.query), (given) => {
    const name = given.get("name") ?? "import.csv"
    const reason = "must be one line of 1 to 200 characters"
    return isName(name) ? Result.succeed(name) : Result.fail(new InvalidArgument({ field: "name", reason }))
  })

const upload = (imports: Imports["Service"]) => (call: Call) =>
  Effect.gen(function* () {
    const name = yield* Effect.fromResult(nameOf(call))
    yield* requireMediaType(call.request, ["text/csv"])
    const document = yield* imports.upload(name, CsvFile.records(call.receivePieces(fileLimits.bytes)))
    return one(call, { document }, 201, { location: `${newerRoot}/imports/${document.id}` })
  })

export const make = Effect.map(Imports, (imports) =>
  handlersOf(NewerSurface, "imports", {
    list: listHandler(imports.list),
    create: upload(imports),
    read: readHandler(imports.read),
    rows: (call: OfOne) => listHandler((query) => imports.rows(call.params.id, query))(call),
    check: (call: OfOne) =>
      Effect.flatMap(readCheck(call), ({ value, warnings }) =>
        Effect.map(imports.check(call.params.id, value), (document) => one(call, { document, warnings }))
      ),
    run: (call: OfOne) =>
      Effect.flatMap(readRun(call), ({ value, warnings }) =>
        Effect.map(imports.run(call.params.id, value), (document) => one(call, { document, warnings }))
      ),
    undo: (call: OfOne) => oneOf(call, imports.undo(call.params.id)),
    stop: (call: OfOne) => oneOf(call, imports.stop(call.params.id)),
    remove: removeHandler((id) => imports.remove(id))
  })
)
