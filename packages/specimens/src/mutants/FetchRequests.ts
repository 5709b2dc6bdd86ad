import { at, type Json } from "@wcs/conformance/text/Json"
import * as Answering from "../Answering.ts"
import { type Mutant, mutant } from "../Mutant.ts"
import * as Rewrite from "../seams/Rewrite.ts"

const bulk = { method: "POST", path: /^\/fetch-requests\/bulk$/ }

/** Changes the failed items of a batch. */
const failed = (change: (item: Json) => Json) =>
  Rewrite.answers(
    { ...bulk, status: 200 },
    Rewrite.mapJson((body) => {
      const items = at(body, "data")
      if (!Array.isArray(items)) return body
      return Rewrite.put(
        body,
        "data",
        items.map((item: Json) => (at(item, "success") === false ? change(item) : item))
      )
    })
  )

/** Defects of bulk fetch requests. */
export const fetchRequestMutants: ReadonlyArray<Mutant> = [
  mutant("failed-fetch-request-fails-the-batch", "BLK-17 status").answers(bulk, (answer) =>
    Answering.refusal(answer, 422, "UNPROCESSABLE", "workers.1: is not there.")
  ),
  mutant("failed-fetch-request-has-a-code-and-a-message", "BLK-17 wrong-type at body.data.1.error").rewrite(
    failed((item) => Rewrite.put(item, "error", { code: "UNPROCESSABLE", message: at(item, "error") ?? null }))
  ),
  mutant("failed-fetch-request-does-not-say-why", "BLK-17 missing at body.data.1.error").rewrite(
    failed((item) => Rewrite.put(item, "error", undefined))
  ),
  mutant("failed-fetch-request-has-a-status-instead", "BLK-17 missing at body.data").rewrite(
    failed((item) => Rewrite.put(Rewrite.put(item, "success", undefined), "status", "skipped"))
  ),
  mutant("failed-fetch-request-is-told-as-done", "BLK-17 missing at body.data").rewrite(
    failed((item) => Rewrite.put(item, "success", true))
  )
]
