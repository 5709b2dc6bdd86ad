import { parseNone } from "@wcs/domain/resource/ListQuery"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Call } from "../pipeline/Call.ts"

/** The handler of a short list without paging: `{ data: [...], meta }`. Fails if the query has parameters. */
export const wholeList =
  (data: ReadonlyArray<unknown>) =>
  ({ query, requestId }: Call) =>
    Effect.map(Effect.fromResult(parseNone(query)), () => HttpServerResponse.jsonUnsafe({ data, meta: { requestId } }))
