import { parseNone } from "@wcs/domain/resource/ListQuery"
import { RequestId } from "@wcs/domain/shared/RequestId"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { refusing } from "../refusal/Refused.ts"

/** Returns a short list without paging: `{ data: [...], meta }`. Fails if the query has parameters. */
export const wholeList = (data: ReadonlyArray<unknown>) =>
  refusing(
    Effect.gen(function* () {
      yield* Effect.fromResult(parseNone(yield* HttpServerRequest.ParsedSearchParams))
      return HttpServerResponse.jsonUnsafe({ data, meta: { requestId: yield* RequestId } })
    })
  )
