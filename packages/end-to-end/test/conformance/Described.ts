import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { isObject } from "@wcs/domain/shared/Json"
import { tenantHost } from "@wcs/specimens/Deployment"
import type { Serve } from "@wcs/specimens/Serve"
import { type Contract, type Judgement, make } from "@wcs/store-suite/contract/Contract"
import { Effect } from "effect"

/** The contract in a deployment's own document. */
export const contractOf = (serve: Serve) =>
  Effect.gen(function* () {
    const url = `https://${tenantHost}/openapi.json`
    const { json } = yield* serve({ method: "GET", url, headers: [], body: "" })
    return yield* Effect.promise(() => make(isObject(json) ? json : {}))
  })

/** The judgement of an exchange by the document. */
export const judgementOf = (
  { judge }: Contract,
  { headers: sent, method, url }: Request,
  { headers, status, text }: Answer
): Judgement => judge({ method, url, headerBytes: sent.flat().join("").length, status, headers, text })

/** Each difference once. */
export const differencesIn = (judgements: ReadonlyArray<Judgement>): ReadonlyArray<string> =>
  [...new Set(judgements.flatMap((judgement) => (judgement.within ? judgement.differences : [])))].toSorted()

/** Kinds of the suite's requests that the OpenAPI document does not cover. */
export const undescribed = ["plain HTTP", "unknown path", "unknown method", "more than 8 KiB of path and query"]

/** The number of covered requests, and of the others by reason. */
export const countsOf = (judgements: ReadonlyArray<Judgement>): Readonly<Record<string, number>> => {
  const names = judgements.map((judgement) => (judgement.within ? "described" : judgement.reason))
  return Object.fromEntries(
    Object.entries(Object.groupBy(names, (name) => name)).map(([name, those = []]) => [name, those.length])
  )
}
