import { Contract as Api } from "@wcs/api/Contract"
import type { Answer, Exchange } from "@wcs/conformance/wire/Exchange"
import { type Contract, type Judgement, make } from "@wcs/store-suite/contract/Contract"
import { OpenApi } from "effect/http-api"

/** The contract in the OpenAPI document of our server. */
export const contract: Promise<Contract> = make(JSON.parse(JSON.stringify(OpenApi.fromApi(Api))))

/** The judgement of an exchange with this answer by the document. */
export const judgementOf = (
  { judge }: Contract,
  { request: { headers: sent, method, url } }: Exchange,
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
